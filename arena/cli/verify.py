"""``arena verify``: whether a tournament is what it is said to be."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from arena.audit import bots
from arena.audit.account import Account, Kept, Verified
from arena.audit.imports import Export, records_in
from arena.audit.verify import Told, verify_account, verify_records
from arena.cli.options import (
    HOME,
    As,
    Home,
    Jobs,
    Operator,
    check_shown,
    complete_match,
    complete_tournament,
    store_at,
    workers_wanted,
)
from arena.cli.pools import tell_damaged
from arena.cli.remarks import counted, remark
from arena.cli.render import Format, Value, render
from arena.errors import Difference, UsageError
from arena.players.files import typed
from arena.players.sandbox import isolation
from arena.players.tier import Tier
from arena.store.db import Store
from arena.store.matches import get_match
from arena.store.tournaments import Tournament, get_tournament, list_tournaments
from arena.tournament.settings import read_settings

TournamentName = Annotated[
    str | None,
    typer.Argument(
        metavar="TOURNAMENT",
        help="Its id or name; by default the newest one.",
        autocompletion=complete_tournament,
    ),
]
OneMatch = Annotated[
    str | None,
    typer.Option(
        "--match",
        "-m",
        metavar="MATCH",
        help="Check this match alone, by its id.",
        autocompletion=complete_match,
    ),
]
Records = Annotated[
    Path | None,
    typer.Option(
        "--records",
        metavar="PATH",
        help="Check an export instead, or a file of records alone; no database is needed.",
        parser=typed,
    ),
]
ReplayBots = Annotated[
    bool,
    typer.Option(
        "--replay-bots",
        help="Start every bot again, alone, on the lines it was sent, and compare its actions.",
    ),
]


def register(app: typer.Typer) -> None:
    """Add the command of this module to ``app``."""
    app.command(epilog="Example: arena verify --records spring-export")(verify)


def verify(  # noqa: PLR0917 - a command's options
    tournament: TournamentName = None,
    match: OneMatch = None,
    records: Records = None,
    replay_bots: ReplayBots = False,
    operator: Operator = False,
    jobs: Jobs = None,
    home: Home = HOME,
    form: As = Format.TABLE,
) -> None:
    """Derive a tournament again, and say the first thing in it that does not follow.

    Secret, key, schedule, deals, each byte that a bot was sent, results, digests and standings are
    derived from cards, actions and faults. Exit status 1 if anything differs.
    """
    settings = read_settings(home)
    workers = workers_wanted(jobs, settings)
    if records is not None and (tournament is not None or replay_bots):
        other = "--replay-bots" if replay_bots else "TOURNAMENT"
        raise UsageError(f"--records is checked by itself: leave out {other}, or `arena import` it")
    if records is not None and not records.is_dir():
        if match is not None:
            raise UsageError("a file of records is checked as a whole: leave out --match")
        _verify_file(records, form)
    elif records is not None:
        account = Export(records)
        opened = operator or not account.tournament.sealed
        _verify(account, form, opened=opened, only=match, workers=workers)
    else:
        with store_at(home, create=False) as store:
            found = _wanted(store, tournament)
            if replay_bots:
                check_shown(found, operator=operator)
            only = None if match is None else get_match(store, match, found.id).match
            opened = operator or not found.sealed
            kept = Kept(store, found)
            _verify(kept, form, opened=opened, only=only, workers=workers)
            if replay_bots:
                _replay_bots(store, kept, only, workers)


def _wanted(store: Store, text: str | None) -> Tournament:
    """Return the tournament that ``text`` means, or the newest."""
    if text is not None:
        return get_tournament(store, text).tournament
    there = list_tournaments(store)
    tell_damaged(store)
    if not there:
        raise UsageError("no tournament was played yet: `arena tournament` plays one")
    return max(there, key=lambda one: (not one.tournament.single, there.index(one))).tournament


def _verify(
    account: Account, form: Format, *, opened: bool, only: str | None, workers: int
) -> None:
    began = time.monotonic()
    total = None if only is not None else account.total
    with told_so_far(total) as told, _shown_as(form):
        done = verify_account(account, opened=opened, only=only, jobs=workers, told=told)
    pace = done.matches / max(time.monotonic() - began, 1e-9)
    if form is not Format.TABLE:
        typer.echo(render([_row(done)], form), nl=False)
        return
    unchecked = f"; not checked: {', '.join(done.unchecked)}" if done.unchecked else ""
    head = f", head {done.head}" if done.head else ""
    said = counted(done.matches, "match", "matches")
    typer.echo(f"{done.tournament}: {said} verified, {pace:.0f} a second{head}{unchecked}")


def _verify_file(path: Path, form: Format) -> None:
    began = time.monotonic()
    with told_so_far(None) as told, _shown_as(form):
        count = verify_records(records_in(path), told)
    done = Verified(path.name, count, unchecked=["key, schedule and standings (no export)"])
    if form is not Format.TABLE:
        typer.echo(render([_row(done)], form), nl=False)
        return
    pace = count / max(time.monotonic() - began, 1e-9)
    said = counted(count, "record", "records")
    typer.echo(f"{said} verified, {pace:.0f} a second; not checked: {', '.join(done.unchecked)}")


def _row(done: Verified, difference: Difference | None = None) -> dict[str, Value]:
    return {
        "tournament": done.tournament,
        "verified": difference is None,
        "matches": done.matches,
        "scheduled": done.scheduled,
        "head": done.head or None,
        "unchecked": tuple(done.unchecked),
        "match": difference.where[1] if difference and len(difference.where) > 1 else None,
        "field": difference.what if difference else None,
        "recorded": difference.recorded if difference else None,
        "follows": difference.follows if difference else None,
    }


@contextmanager
def _shown_as(form: Format) -> Iterator[None]:
    """Print a difference as data too, where a program is to read them."""
    try:
        yield
    except Difference as found:
        if form is not Format.TABLE:
            row = _row(Verified(found.where[0] if found.where else ""), found)
            typer.echo(render([row], form), nl=False)
        raise


@contextmanager
def told_so_far(total: int | None) -> Iterator[Told]:
    """Yield what shows on a terminal how many of ``total`` matches have been checked."""
    if not total or sys.stderr is None or not sys.stderr.isatty():
        yield lambda _count: None
        return
    with typer.progressbar(length=total, label="matches", show_pos=True, file=sys.stderr) as bar:
        yield lambda count: bar.update(count - bar.pos)


def _replay_bots(store: Store, kept: Kept, only: str | None, workers: int) -> None:
    """Start the bots of a tournament again, and say which of them do not do the same."""
    tournament = kept.tournament
    isolation(Tier(tournament.parameters["tier"]))
    with told_so_far(kept.total if only is None else None) as told:
        found = bots.replay_bots(store, tournament, only=only, jobs=workers, told=told)
    for bot in found.unsteady:
        remark(f"{bot} does not repeat itself, so nothing can be told of it")
    different = found.different
    remark(f"{counted(found.seats, 'seat', 'seats')} played again, {len(different)} differ")
    if different:
        one = different[0]
        raise Difference(
            f"seat {one.seat} {one.bot}: question {one.number}: alone it does something else",
            one.recorded,
            one.again,
            (tournament.id, one.match),
        )
