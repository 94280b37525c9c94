"""``arena tournament`` and ``arena tournaments``: playing, resuming, and what there is."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from arena.cli.doctor import check_isolation
from arena.cli.interrupts import interrupts
from arena.cli.leaderboard import print_leaderboards
from arena.cli.mistakes import Stopped
from arena.cli.options import (
    HOME,
    As,
    ExtraMs,
    Games,
    Home,
    MoveMs,
    SlotMs,
    StartMs,
    SuiteName,
    TierName,
    at_home,
    browsed,
    complete_tournament,
    given,
    isolation_wanted,
    shown,
    sizes,
    store_at,
    words,
    workers_wanted,
)
from arena.cli.remarks import Progress, counted, duration, remark, rulings
from arena.cli.render import Format, Value, render
from arena.errors import HostFault, UsageError
from arena.games import games as all_games
from arena.games import get_game
from arena.players.names import check_name
from arena.players.sandbox import Isolation, Tier
from arena.referee.category import Category
from arena.referee.limits import Limits
from arena.store.db import Store
from arena.store.fixtures import Extent, extents, open_extents
from arena.store.tournaments import (
    Stage,
    Tournament,
    get_tournament,
    list_tournaments,
)
from arena.tournament.entrants import everybody, named
from arena.tournament.key import check_public_value
from arena.tournament.machine import carries, crowding, memory_mb
from arena.tournament.plan import Plan, expected_s, plan
from arena.tournament.runner import Stop, run
from arena.tournament.settings import read_settings
from arena.tournament.suite import Suite, default_categories, find_suite, restrict

COLUMNS = (
    *("tournament", "state", "matches", "of", "dropped", "retired"),
    *("suite", "created", "rated", "unrated"),
)
PLAN_COLUMNS = ("category", "bots", "deals", "matches")
_SETTLED = (
    *("games", "bots", "players", "deals", "matches_each", "same_author", "suite", "name"),
    *("move_ms", "extra_ms", "start_ms", "slot_ms", "tier", "public_value"),
)
"""Parameters that are settled once a tournament is stored."""

Bots = Annotated[
    str | None,
    typer.Option(
        "--bots",
        metavar="BOT,BOT...",
        help="Names, name@version or paths, with commas between; by default all registered bots.",
    ),
]
Players = Annotated[
    str | None, typer.Option("--players", metavar="N,N...", help="Sizes of table: 2,3 or 2-4.")
]
Deals = Annotated[
    int | None,
    typer.Option(
        "--deals",
        metavar="N",
        min=1,
        help="Of each category; by default 50, of co-operative ones 100.",
    ),
]
MatchesEach = Annotated[
    int | None,
    typer.Option(
        "--games",
        metavar="N",
        min=1,
        help="At most N matches a bot in each category: fewer deals, or chosen tables.",
    ),
]
SameAuthor = Annotated[
    bool,
    typer.Option(
        "--same-author",
        help="Let bots of one author share a table or team of three or more, too.",
    ),
]
Name = Annotated[
    str | None, typer.Option("--name", metavar="NAME", help="What to call the tournament.")
]
Jobs = Annotated[
    int | None,
    typer.Option(
        "-j", "--jobs", metavar="N", min=1, max=1024, help="Matches at a time; one a core."
    ),
]
PublicValue = Annotated[
    str,
    typer.Option(
        "--public-value",
        metavar="TEXT",
        help="Goes into the key: what nobody could know before the entries closed.",
    ),
]
Resume = Annotated[
    str | None,
    typer.Option(
        "--resume",
        metavar="TOURNAMENT",
        help="Go on with this one, by its id or name.",
        autocompletion=complete_tournament,
    ),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be played, and stop.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this module to ``app``."""
    app.command(epilog="Example: arena tournament donburiko --bots greedy,mybot.py --deals 20")(
        tournament
    )
    app.command(epilog="Example: arena tournaments --format json")(tournaments)


def tournament(  # noqa: PLR0913, PLR0917 - a command's options
    context: typer.Context,
    games: Games = None,
    bots: Bots = None,
    players: Players = None,
    deals: Deals = None,
    matches_each: MatchesEach = None,
    same_author: SameAuthor = False,
    suite: SuiteName = None,
    name: Name = None,
    jobs: Jobs = None,
    move_ms: MoveMs = None,
    extra_ms: ExtraMs = None,
    start_ms: StartMs = None,
    slot_ms: SlotMs = None,
    tier: TierName = None,
    public_value: PublicValue = "",
    resume: Resume = None,
    dry_run: DryRun = False,
    home: Home = HOME,
    form: As = Format.TABLE,
) -> None:
    """Play a tournament, and print the leaderboards.

    Without GAME all games are played; without --bots by all registered bots, or by the sample
    bots where none is registered.
    """
    settings = read_settings(home)
    workers = workers_wanted(jobs, settings)
    made = None
    if resume is not None:
        _check_settled(context)
        with store_at(home, create=False) as store:
            going, there = _left(store, resume, workers)
    else:
        if suite is not None and public_value:
            raise UsageError("--public-value goes into a fresh secret's key: leave out --suite")
        chosen = find_suite(suite) if suite is not None else None
        made = _plan(
            home,
            _categories(chosen, games, sizes(players), deals),
            settings.limits_with(
                move_ms=move_ms, extra_ms=extra_ms, start_ms=start_ms, slot_ms=slot_ms
            ),
            isolation_wanted(tier, settings),
            suite=chosen,
            bots=words(bots, "--bots"),
            matches_each=matches_each,
            same_author=same_author,
            name=name,
            public_value=check_public_value(public_value),
        )
        going, there = made.tournament, extents(made.fixtures)
        _announce(home, made, there, workers, dry_run=dry_run)
    _tell_crowding(going, there, workers)
    if dry_run:
        typer.echo(render(_counts(there), form, PLAN_COLUMNS), nl=False)
        return
    if not going.unrated:
        check_isolation(Tier(going.parameters["tier"]))
    with store_at(home) as store:
        if made:
            made.store(store)
        _play(store, going, workers, home)
        print_leaderboards(store, going, form)


def tournaments(home: Home = HOME, form: As = Format.TABLE) -> None:
    """List the tournaments and how far they are.

    What was stopped is listed again with the command that goes on with it.
    """
    with browsed(home) as store:
        there = list_tournaments(store)
    if not there:
        remark(f"no tournament is in {shown(home)} yet: `arena tournament` plays one")
    rows: list[dict[str, Value]] = [
        {
            "tournament": one.tournament.id,
            "state": "decided" if one.decided else one.stage.value,
            "matches": one.played,
            "of": one.total,
            "dropped": one.dropped,
            "retired": one.retired,
            "suite": one.tournament.suite,
            "created": one.tournament.created,
            "rated": one.tournament.rated,
            "unrated": one.tournament.unrated,
        }
        for one in there
    ]
    typer.echo(render(rows, form, COLUMNS), nl=False)
    for one in there:
        if one.stage in {Stage.STOPPED, Stage.PLANNED}:
            remark(f"go on with: {_way_on(one.tournament, home)}")


def _check_settled(context: typer.Context) -> None:
    """Refuse options that a resumed tournament would not heed."""
    if settled := given(context, _SETTLED):
        raise UsageError(f"--resume goes on with what was planned: leave out {', '.join(settled)}")


def _left(store: Store, text: str, workers: int) -> tuple[Tournament, Sequence[Extent]]:
    """Return the tournament that ``text`` means and what is left of it; say how much that is."""
    going = get_tournament(store, text).tournament
    if going.comparison:
        raise UsageError(f"{going.id} is a comparison: `arena compare --resume {going.id}`")
    there = open_extents(store, going.id)
    if there:
        remark(f"{going.id}: {_size(store, there, workers)} left")
    else:
        remark(f"{going.id}: all matches were played already")
    return going, there


def _categories(
    suite: Suite | None, games: list[str] | None, players: list[int] | None, deals: int | None
) -> Mapping[Category, int]:
    chosen = {name: get_game(name) for name in games} if games else all_games()
    if suite:
        return restrict(suite.categories, chosen if games else None, players, deals)
    return default_categories(chosen.values(), players, deals)


def _plan(  # noqa: PLR0913 - what a command's options came to
    home: Path,
    categories: Mapping[Category, int],
    limits: Limits,
    isolated: Isolation,
    *,
    suite: Suite | None,
    bots: list[str] | None,
    matches_each: int | None,
    same_author: bool,
    name: str | None,
    public_value: str,
) -> Plan:
    """Return the tournament that is asked for; nothing is kept of it yet."""
    if name is not None:
        check_name(name, "a tournament")
    with browsed(home) as store:
        if bots is None:
            field = everybody(store, limits, isolated.tier)
            for text in field.remarks:
                remark(text)
            candidates = field.candidates
        else:
            candidates = named(store, bots, limits, isolated.tier, isolated.build_in)
    return plan(
        [replace(one, author=None) for one in candidates] if same_author else candidates,
        categories,
        limits,
        isolated.tier,
        suite=suite,
        name=name,
        public_value=public_value,
        matches_each=matches_each,
    )


def _announce(
    home: Path, made: Plan, there: Sequence[Extent], workers: int, *, dry_run: bool
) -> None:
    """Say what is to be played, before the first match is."""
    for text in made.left_out:
        remark(f"left out: {text}")
    for text in made.remarks:
        remark(text)
    with browsed(home) as store:
        size = _size(store, there, workers)
    # What is not played has no id or secret that anybody could come back to.
    remark(size if dry_run else f"{made.tournament.id}: {size}")
    if made.tournament.unrated:
        remark(f"unrated: {'; '.join(made.tournament.unrated)}")
    if made.tournament.commitment and not dry_run:
        remark(f"SHA-256 of the secret: {made.tournament.commitment}")


def _tell_crowding(going: Tournament, there: Sequence[Extent], workers: int) -> None:
    """Say where so many ``workers`` take more than the machine has."""
    matches = sum(one.matches for one in there)
    if matches:
        seats = max(one.category.players for one in there)
        limits = msgspec.convert(going.parameters.get("limits"), type=Limits | None)
        for text in crowding(min(workers, matches), seats, limits, carries(), memory_mb()):
            remark(text)


def _size(store: Store, there: Sequence[Extent], workers: int) -> str:
    about = duration(expected_s(store, there, min(workers, carries())))
    return (
        f"{counted(sum(one.matches for one in there), 'match', 'matches')} in "
        f"{counted(len(there), 'category', 'categories')}, about {about} with "
        f"{counted(workers, 'worker', 'workers')}"
    )


def _counts(there: Sequence[Extent]) -> list[dict[str, Value]]:
    """Return how much of each category is to be played."""
    return [
        {
            "category": one.category.name,
            "bots": len(one.bots),
            "deals": one.deals,
            "matches": one.matches,
        }
        for one in there
    ]


def _way_on(going: Tournament, home: Path) -> str:
    command = "compare" if going.comparison else "tournament"
    return f"arena {command} --resume {going.id}{at_home(home)}"


def _play(store: Store, going: Tournament, workers: int, home: Path) -> None:
    """Play what is open of ``going``; the first Ctrl-C stops cleanly, the second at once.

    Raises:
        Stopped: it was stopped before its end; the text says how to go on.
    """
    before = get_tournament(store, going.id)
    stop = Stop()
    way_on = f"go on with: {_way_on(going, home)}"
    try:
        with Progress(before.played, before.total) as report, interrupts(stop):
            played = run(store, going.id, workers, report, stop)
    except KeyboardInterrupt:
        played = going
    except HostFault:
        remark(f"what was played is kept; {way_on}")
        raise
    if played.finished is None:
        there = get_tournament(store, going.id)
        raise Stopped(f"stopped after {there.played} of {there.total} matches; {way_on}")
    if found := rulings([get_tournament(store, going.id)]):
        remark(found)
    if played.secret is not None:
        if played.head is not None:
            remark(f"the records end in {played.head}")
        remark(f"the secret was {played.secret.hex()}")
