"""``arena tournament``: what is to be played, and how far it is gone on with."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from arena.cli.doctor import check_isolation
from arena.cli.endings import print_ending
from arena.cli.isolation import isolation_wanted
from arena.cli.leaderboard import print_leaderboards
from arena.cli.options import (
    HOME,
    As,
    ExtraMs,
    Games,
    Home,
    Jobs,
    MoveMs,
    SlotMs,
    StartMs,
    SuiteName,
    TierName,
    at_home,
    browsed,
    complete_tournament,
    placed,
    settings_at,
    sizes,
    store_at,
    words,
)
from arena.cli.places import CoresPerMatch, On, Oversubscribe, Place, place_at
from arena.cli.playing import Name, PublicValue, check_settled, keep, play, suite_wanted
from arena.cli.remarks import counted, duration, remark
from arena.cli.render import Format, Value, render
from arena.errors import UsageError
from arena.games import games as all_games
from arena.games import get_game
from arena.players.names import check_name
from arena.players.sandbox import Isolation
from arena.players.tier import Tier
from arena.referee.category import Category
from arena.referee.limits import Limits
from arena.referee.record import decode_record
from arena.store.db import Store
from arena.store.fixtures import Extent, extents, open_extents
from arena.store.matches import records
from arena.store.tournaments import (
    Tournament,
    get_tournament,
)
from arena.tournament.entrants import everybody, is_bot, named
from arena.tournament.key import check_public_value
from arena.tournament.machine import carries, crowding, memory_mb
from arena.tournament.plan import Plan, expected_s, plan
from arena.tournament.suite import MOST_DEALS, Suite, default_categories, restrict
from arena.wire.escape import printable

PLAN_COLUMNS = ("category", "bots", "deals", "matches")
_ECHO = 60
Bots = Annotated[
    list[str] | None,
    typer.Option(
        "--bots",
        metavar="BOT,BOT...",
        help="Names, name@version or paths, with commas between; by default all registered bots.",
    ),
]
Players = Annotated[
    list[str] | None,
    typer.Option("--players", metavar="N,N...", help="Sizes of table: 2,3 or 2-4."),
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
KeepAlive = Annotated[
    int,
    typer.Option(
        "--keep-alive",
        metavar="N",
        min=1,
        max=MOST_DEALS,
        help="Let the same processes play N deals of one line-up, for bots that are slow to load.",
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


def tournament(  # noqa: PLR0913, PLR0917 - a command's options
    context: typer.Context,
    games: Games = None,
    bots: Bots = None,
    players: Players = None,
    deals: Deals = None,
    matches_each: MatchesEach = None,
    same_author: SameAuthor = False,
    keep_alive: KeepAlive = 1,
    suite: SuiteName = None,
    name: Name = None,
    jobs: Jobs = None,
    on: On = None,
    cores_per_match: CoresPerMatch = None,
    oversubscribe: Oversubscribe = None,
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
    settings = settings_at(home)
    place = place_at(context, on, jobs, cores_per_match, oversubscribe, settings)
    made: Plan | None = None
    beside: Sequence[str] = ()
    if resume is not None:
        check_settled(context)
        with store_at(home, create=False) as store:
            going, there = _left(store, resume)
    else:
        chosen = suite_wanted(suite, public_value)
        _check_games(home, games, words(bots, "--bots"))
        made, beside = _plan(
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
            keep_alive=keep_alive,
            name=name,
            public_value=check_public_value(public_value),
        )
        going, there = made.tournament, extents(made.fixtures)
    if not (dry_run or going.unrated):
        check_isolation(Tier(going.parameters["tier"]))
    if there:
        place.prepare(going)
    # What is announced can be kept, or nobody would find it again.
    with browsed(home) if dry_run else store_at(home) as store:
        for text in beside:
            remark(text)
        if made:
            _announce(store, made, there, place, dry_run=dry_run)
        else:
            _tell_left(store, going, there, place)
        _tell_crowding(going, there, place)
        if dry_run:
            typer.echo(render(_counts(there), form, PLAN_COLUMNS), nl=False)
            return
        if made:
            keep(store, made)
        play(store, going, place, home)
        _print_result(store, going, home, form)


def _left(store: Store, text: str) -> tuple[Tournament, Sequence[Extent]]:
    """Return the tournament that ``text`` means and what is left of it."""
    going = get_tournament(store, text).tournament
    if going.comparison:
        raise UsageError(f"{going.id} is a comparison: `arena compare --resume {going.id}`")
    return going, open_extents(store, going.id)


def _tell_left(store: Store, going: Tournament, there: Sequence[Extent], place: Place) -> None:
    """Say how much of ``going`` is left."""
    if there:
        remark(f"{going.id}: {_size(store, there, place)} left")
    else:
        remark(f"{going.id}: all matches were played already")


def _check_games(home: Path, names: list[str] | None, bots: list[str] | None) -> None:
    """Raise `UsageError`, which says where bots go, if one of ``names`` is no game but a bot."""
    for name in names or ():
        if name in all_games():
            continue
        with browsed(home) as store:
            if not is_bot(store, name):
                continue
        echo = printable(name, _ECHO)
        if bots is None:
            raise UsageError(f"'{echo}' is a bot and no game: bots go behind --bots")
        raise UsageError(
            f"'{echo}' is a bot and no game: put commas between bots, without spaces: "
            f"--bots {printable(','.join([*bots, name]), 2 * _ECHO)}"
        )


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
    keep_alive: int,
    name: str | None,
    public_value: str,
) -> tuple[Plan, Sequence[str]]:
    """Return the tournament that is asked for, and what there is to say of its field.

    Nothing is kept of it yet.
    """
    beside: tuple[str, ...] = ()
    if name is not None:
        check_name(name, "a tournament")
    with browsed(home) as store:
        if bots is None:
            field = everybody(store, limits, isolated.tier, placed(home))
            candidates, beside = field.candidates, field.remarks
        else:
            candidates = named(store, bots, limits, isolated.tier, isolated.build_in)
    try:
        made = plan(
            [replace(one, author=None) for one in candidates] if same_author else candidates,
            categories,
            limits,
            isolated.tier,
            suite=suite,
            name=name,
            public_value=public_value,
            matches_each=matches_each,
            keep_alive=keep_alive,
        )
    except UsageError:
        # Who stays out may be why.
        for text in beside:
            remark(text)
        raise
    return made, beside


def _announce(
    store: Store, made: Plan, there: Sequence[Extent], place: Place, *, dry_run: bool
) -> None:
    """Say what is to be played, before the first match is."""
    for text in (*(f"left out: {one}" for one in made.left_out), *made.remarks):
        remark(text)
    size = _size(store, there, place)
    # What is not played has no id or secret that anybody could come back to.
    remark(size if dry_run else f"{made.tournament.id}: {size}")
    if made.tournament.unrated:
        remark(f"unrated: {'; '.join(made.tournament.unrated)}")


def _tell_crowding(going: Tournament, there: Sequence[Extent], place: Place) -> None:
    """Say where so many workers take more than this machine has."""
    matches = sum(one.matches for one in there)
    if matches and place.cluster is None:
        seats = max(one.category.players for one in there)
        limits = msgspec.convert(going.parameters.get("limits"), type=Limits | None)
        carried = place.sharing.at_once(carries())
        for text in crowding(min(place.workers, matches), seats, limits, carried, memory_mb()):
            remark(text)


def _size(store: Store, there: Sequence[Extent], place: Place) -> str:
    about = duration(expected_s(store, there, place.at_once))
    return (
        f"{counted(sum(one.matches for one in there), 'match', 'matches')} in "
        f"{counted(len(there), 'category', 'categories')}, about {about} with "
        f"{counted(place.workers, 'worker', 'workers')}"
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


def _print_result(store: Store, going: Tournament, home: Path, form: Format) -> None:
    """Print the leaderboards of what was played; of a single match that was resumed, its end."""
    if not going.single:
        print_leaderboards(store, going, form)
        return
    for line in records(store, [going.id]):
        record = decode_record(line)
        print_ending(record, form)
        remark(f"kept: arena replay {record.match} -t {going.id}{at_home(home)}")
