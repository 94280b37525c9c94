"""``arena tournament`` and ``arena tournaments``: playing, resuming, and what there is."""

import signal
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer

from arena.cli.leaderboard import print_standings
from arena.cli.options import (
    HOME,
    As,
    ExtraMs,
    Games,
    Home,
    MoveMs,
    sizes,
    store_at,
    words,
    workers_wanted,
)
from arena.cli.remarks import Progress, duration, remark
from arena.cli.render import Format, render
from arena.games import games as all_games
from arena.games import get_game
from arena.referee.category import Category
from arena.referee.limits import Limits
from arena.store.db import Store
from arena.store.tournaments import (
    Stage,
    Tournament,
    get_tournament,
    list_tournaments,
    open_fixtures,
)
from arena.tournament.entrants import everybody, named
from arena.tournament.key import check_public_value
from arena.tournament.plan import Plan, expected_s, plan
from arena.tournament.runner import Stop, run
from arena.tournament.suite import Suite, check_name, default_categories, find_suite, restrict
from arena.tournament.workers import cores

INTERRUPTED = 130
COLUMNS = ("tournament", "state", "matches", "of", "suite", "rated", "created")

Bots = Annotated[
    str | None,
    typer.Option("--bots", help="Names or paths with commas between them; all registered ones."),
]
Players = Annotated[str | None, typer.Option("--players", help="Sizes of table, as in 2,3 or 2-4.")]
Deals = Annotated[
    int | None, typer.Option("--deals", min=1, help="Deals a category; 50, co-operative 100.")
]
SuiteName = Annotated[
    str | None,
    typer.Option("--suite", help="A suite's file or name: its key is published, so unrated."),
]
Name = Annotated[str | None, typer.Option("--name", help="What to call the tournament.")]
Jobs = Annotated[int | None, typer.Option("-j", "--jobs", min=1, max=1024, help="Workers.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this module to ``app``."""
    app.command(
        epilog="Example: arena tournament donburiko --bots greedy,mybot.py --players 2 --deals 20"
    )(tournament)
    app.command(epilog="Example: arena tournaments --format json")(tournaments)


def tournament(  # noqa: PLR0913, PLR0917 - a command's options
    games: Games = None,
    bots: Bots = None,
    players: Players = None,
    deals: Deals = None,
    suite: SuiteName = None,
    name: Name = None,
    jobs: Jobs = None,
    move_ms: MoveMs = Limits().move_ms,
    extra_ms: ExtraMs = 0,
    public_value: Annotated[
        str,
        typer.Option(
            "--public-value", help="Goes into the key: fixed by others after entries closed."
        ),
    ] = "",
    resume: Annotated[
        str | None, typer.Option("--resume", metavar="TOURNAMENT", help="Go on with this one.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be played, and stop.")
    ] = False,
    home: Home = HOME,
    form: As = Format.TABLE,
) -> None:
    """Play a tournament, and print the leaderboards.

    Without GAME both games are played; without --bots by all registered bots, or by the sample
    bots where none is registered.
    """
    limits = Limits(move_ms=move_ms, extra_ms=extra_ms)
    workers = workers_wanted(jobs)
    with store_at(home, create=resume is None) as store:
        if resume is not None:
            going = get_tournament(store, resume).tournament
        else:
            chosen = find_suite(suite) if suite else None
            made = _plan(
                store,
                _categories(chosen, games, sizes(players), deals),
                limits,
                suite=chosen,
                bots=words(bots, "--bots"),
                name=name,
                public_value=check_public_value(public_value),
            )
            _announce(store, made, workers)
            if dry_run:
                typer.echo(render(_planned(made), form), nl=False)
                return
            made.store(store)
            going = made.tournament
        _play(store, going, workers, home)
        print_standings(store, [going.id], form)


def tournaments(home: Home = HOME, form: As = Format.TABLE) -> None:
    """List the tournaments, how far they are, and how to resume them."""
    with store_at(home, create=False) as store:
        there = list_tournaments(store)
    rows = [
        {
            "tournament": one.tournament.id,
            "state": one.stage.value,
            "matches": one.played,
            "of": one.total,
            "suite": one.tournament.suite,
            "rated": "rated" if one.tournament.rated else "unrated",
            "created": one.tournament.created,
        }
        for one in there
    ]
    typer.echo(render(rows, form, COLUMNS), nl=False)
    for one in there:
        if one.stage in {Stage.STOPPED, Stage.PLANNED}:
            remark(f"go on with: arena tournament --resume {one.tournament.id}")


def _categories(
    suite: Suite | None, games: list[str] | None, players: list[int] | None, deals: int | None
) -> Mapping[Category, int]:
    chosen = {name: get_game(name) for name in games} if games else all_games()
    if suite:
        return restrict(suite.categories, chosen if games else None, players, deals)
    return default_categories(chosen.values(), players, deals)


def _plan(
    store: Store,
    categories: Mapping[Category, int],
    limits: Limits,
    *,
    suite: Suite | None,
    bots: list[str] | None,
    name: str | None,
    public_value: str,
) -> Plan:
    if name is not None:
        check_name(name, "a tournament")
    if bots is None:
        field = everybody(store, limits)
        for text in field.remarks:
            remark(text)
        candidates = field.candidates
    else:
        candidates = named(store, bots, limits)
    return plan(candidates, categories, limits, suite=suite, name=name, public_value=public_value)


def _announce(store: Store, made: Plan, workers: int) -> None:
    for text in made.left_out:
        remark(f"left out: {text}")
    categories = len({fixture.category for fixture in made.fixtures})
    about = duration(expected_s(store, made.fixtures, min(workers, len(cores()))))
    remark(
        f"{made.tournament.id}: {len(made.fixtures)} matches in {categories} categories, "
        f"about {about} with {workers} workers"
    )
    if made.tournament.unrated:
        remark(f"unrated: {'; '.join(made.tournament.unrated)}")
    if made.tournament.commitment:
        remark(f"SHA-256 of the secret: {made.tournament.commitment}")


def _planned(made: Plan) -> list[dict[str, str | int]]:
    counts = Counter(fixture.category for fixture in made.fixtures)
    return [
        {
            "category": category.name,
            "bots": len(
                {bot for one in made.fixtures if one.category == category for bot in one.bots}
            ),
            "deals": len({one.deal for one in made.fixtures if one.category == category}),
            "matches": count,
        }
        for category, count in counts.items()
    ]


def _play(store: Store, going: Tournament, workers: int, home: Path) -> None:
    """Play what is open of ``going``; the first Ctrl-C stops cleanly, the second at once."""
    if workers > len(cores()):
        remark(f"{workers} workers share {len(cores())} cores: slow moves may be the machine's")
    left = len(open_fixtures(store, going.id))
    progress = get_tournament(store, going.id)
    total, done = progress.total, progress.total - left
    stop = Stop()
    way_on = f"arena tournament --resume {going.id}"
    if str(home) != str(HOME):
        way_on += f" --home {home}"
    with Progress(done, total) as shown, _interrupts(stop):
        try:
            going = run(store, going.id, workers, shown, stop)
        except KeyboardInterrupt:
            stop.asked = True
    if going.finished is None:
        played = get_tournament(store, going.id).played
        remark(f"stopped after {played} of {total} matches; go on with: {way_on}")
        raise typer.Exit(INTERRUPTED)
    if going.secret is not None:
        remark(f"the secret was {going.secret.hex()}")


@contextmanager
def _interrupts(stop: Stop) -> Iterator[None]:
    """Let SIGINT and SIGTERM ask to stop, and interrupt at once when they come again."""

    def ask(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - a signal handler's
        if stop.asked:
            raise KeyboardInterrupt
        stop.asked = True
        remark("stopping: matches in play are finished (once more: dropped)")

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
