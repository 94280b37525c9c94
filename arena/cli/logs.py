"""``arena logs``: what a bot wrote to standard error, and its faults, for whoever wrote the bot."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Annotated

import typer

from arena.cli.frames import also_in
from arena.cli.options import (
    HOME,
    As,
    Home,
    OfTournament,
    Operator,
    check_shown,
    complete_match,
    complete_registered,
    elsewhere,
    given,
    store_at,
    tournament_id,
)
from arena.cli.remarks import remark, tell_older
from arena.cli.render import Format, Value, render
from arena.errors import RecordError, UsageError
from arena.referee.record import MatchRecord, decode_record
from arena.store.db import Store
from arena.store.logs import records_of
from arena.store.matches import get_match
from arena.store.tournaments import get_tournament
from arena.wire.escape import printable

COLUMNS = ("tournament", "match", "seat", "code", "text", "offending", "stderr")
_USUALLY = 10

Row = dict[str, Value]

BotName = Annotated[
    str,
    typer.Argument(
        metavar="BOT", help="Its name in the matches.", autocompletion=complete_registered
    ),
]
OfMatch = Annotated[
    str | None,
    typer.Option(
        "--match",
        metavar="MATCH",
        help="Of this one alone: its id, or the beginning of one.",
        autocompletion=complete_match,
    ),
]
AtFault = Annotated[
    bool, typer.Option("--faults", help="Only of matches in which it was at fault.")
]
Last = Annotated[
    int, typer.Option("--last", metavar="N", min=1, help="Of so many matches, newest last.")
]


def register(app: typer.Typer) -> None:
    """Add the commands of this module to ``app``."""
    app.command(epilog="Example: arena logs greedy --faults --last 3")(logs)


def logs(  # noqa: PLR0913, PLR0917 - a command's options
    context: typer.Context,
    bot: BotName,
    tournament: OfTournament = None,
    match: OfMatch = None,
    faults: AtFault = False,
    last: Last = _USUALLY,
    operator: Operator = False,
    home: Home = HOME,
    form: As = Format.TABLE,
) -> None:
    """Print what a bot wrote to standard error, with its faults, match by match.

    By default of all tournaments. Until one with a secret key is finished this needs --operator:
    what was logged can hold hidden cards, and other matches are still to be played on the same
    deals.
    """
    if match is not None and (others := given(context, ("faults", "last"))):
        raise UsageError(f"--match is a single match: leave out {', '.join(others)}")
    twins = ""
    with store_at(home, create=False) as store:
        where = tournament_id(store, tournament)
        if match is None:
            found = records_of(store, bot, where, faulty=faults)
        else:
            found = iter([one := _record_of(store, bot, match, where)])
            if where is None:
                twins = also_in(elsewhere(store, one.match, one.tournament))
        rows = _rows(store, bot, islice(found, last), operator=operator)
        older = next(found, None) is not None
    _print(rows, form)
    if not rows:
        remark(
            f"no match {f'in which {bot} was at fault' if faults else f'of {bot}'} was played yet"
        )
    if older:
        tell_older(last)
    if twins:
        remark(f"{rows[0]['match']} in {rows[0]['tournament']}{twins}")


def _record_of(store: Store, bot: str, match: str, tournament: str | None) -> MatchRecord:
    record = decode_record(get_match(store, match, tournament).record)
    if bot not in (names := list(dict.fromkeys(seat.bot for seat in record.seats))):
        who, others = printable(bot, 80), printable(", ".join(names))
        raise UsageError(f"{who} did not play in {record.match}: {others} did")
    return record


def _rows(store: Store, bot: str, found: Iterator[MatchRecord], *, operator: bool) -> list[Row]:
    """Return a row for each seat that ``bot`` held in the matches ``found``, oldest match first.

    Raises:
        UsageError: one of them is of a tournament of which no card may be shown yet.
    """
    rows: list[list[Row]] = []
    seen: set[str] = set()
    for record in found:
        if record.tournament not in seen:
            check_shown(get_tournament(store, record.tournament).tournament, operator=operator)
            seen.add(record.tournament)
        rows.append(
            [_row(record, seat) for seat, holder in enumerate(record.seats) if holder.bot == bot]
        )
    return [row for of_match in reversed(rows) for row in of_match]


def _row(record: MatchRecord, seat: int) -> Row:
    if seat >= len(record.measured.stderr):
        raise RecordError(f"{record.match}: what seat {seat} logged is missing")
    fault = next((fault for fault in record.faults if fault.seat == seat), None)
    wrote = next((one.text for one in record.measured.offending if one.seat == seat), None)
    return {
        "tournament": record.tournament,
        "match": record.match,
        "seat": seat,
        "code": fault.code if fault else None,
        "text": fault.text if fault else None,
        "offending": wrote,
        "stderr": record.measured.stderr[seat],
    }


def _print(rows: Sequence[Row], form: Format) -> None:
    if form is not Format.TABLE:
        typer.echo(render(rows, form, COLUMNS), nl=False)
        return
    for row in rows:
        for line in _block(row):
            typer.echo(printable(line))


def _block(row: Row) -> Iterator[str]:
    """Yield the lines of a row as people read it."""
    fault = f"{row['code']}: {row['text']}" if row["code"] else "no fault"
    yield f"{row['match']} in {row['tournament']}, seat {row['seat']}: {fault}"
    if row["offending"] is not None:
        yield f"  it had written: {row['offending']}"
    lines = str(row["stderr"]).removesuffix("\n").split("\n")
    if lines == [""]:
        yield "  nothing on standard error"
    else:
        yield from (f"  | {line.expandtabs()}" for line in lines)
