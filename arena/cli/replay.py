"""``arena replay``: a match that was played, looked at turn by turn."""

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.endings import print_ending
from arena.cli.frames import Frame, also_in, checked, frames, legend_of
from arena.cli.options import (
    HOME,
    As,
    Home,
    InTournament,
    Operator,
    check_shown,
    complete_match,
    elsewhere,
    given,
    store_at,
    tournament_id,
)
from arena.cli.record_files import SUFFIXES, read_record
from arena.cli.remarks import remark
from arena.cli.render import Format
from arena.cli.terminal import is_terminal, look_through
from arena.errors import UsageError
from arena.games.base import Seat
from arena.players.files import typed
from arena.referee.lines import lines_of
from arena.referee.record import MatchRecord, decode_record
from arena.referee.replay import replay as replay_record
from arena.store.matches import get_match
from arena.store.tournaments import get_tournament
from arena.wire.escape import printable

WhichMatch = Annotated[
    str,
    typer.Argument(
        metavar="MATCH",
        help="An id from `arena matches`, the beginning of one, or a file of records (.json, "
        ".jsonl).",
        autocompletion=complete_match,
    ),
]
InFile = Annotated[
    str | None,
    typer.Option(
        "--match",
        metavar="ID",
        help="Which one, where MATCH is a file that holds several; the beginning is enough.",
    ),
]
OfSeat = Annotated[
    int | None,
    typer.Option(
        "--seat", metavar="N", min=0, help="Show what this seat was shown, and nothing else."
    ),
]
AllTurns = Annotated[bool, typer.Option("--all", help="Print all turns, as without a terminal.")]
Lines = Annotated[
    int | None,
    typer.Option(
        "--lines", metavar="SEAT", min=0, help="Print what a seat was sent, to try a bot on."
    ),
]


def register(app: typer.Typer) -> None:
    """Add the commands of this module to ``app``."""
    app.command(epilog="Example: arena replay donburiko-2p/0/greedy+random_legal --seat 0")(replay)


def replay(  # noqa: PLR0913, PLR0917 - a command's options
    context: typer.Context,
    match: WhichMatch,
    tournament: InTournament = None,
    in_file: InFile = None,
    seat: OfSeat = None,
    all_turns: AllTurns = False,
    lines: Lines = None,
    operator: Operator = False,
    home: Home = HOME,
    form: As = Format.TABLE,
) -> None:
    """Show a match turn by turn, with every card or as one seat saw it.

    On a terminal one steps through it, forwards and backwards; elsewhere all turns are printed.
    Actions are numbered from 0, as in the record.
    With --format json the record is printed, with csv or github how the match ended.
    """
    if form is not Format.TABLE and (turns := given(context, ("seat", "all_turns"))):
        raise UsageError(f"--format {form.value} prints no turns: leave out {', '.join(turns)}")
    record, key, twins = _found(home, match, tournament, in_file, operator=operator)
    where = f"{record.match} in {record.tournament}{twins}"
    if lines is not None:
        sent = b"".join(lines_of(record, lines, key=key))
        remark(where)
        typer.echo(sent, nl=False)
        return
    if seat is not None and seat >= len(record.seats):
        raise UsageError(f"--seat {seat}: this match has seats 0 to {len(record.seats) - 1}")
    if form is not Format.TABLE:
        checked(record)
        replay_record(record)
        remark(where)
        print_ending(record, form)
        return
    found = frames(record, None if seat is None else Seat(seat))
    legend = legend_of(record, Seat(seat) if seat is not None else None)
    if is_terminal() and not all_turns:
        look_through(found, _title(record, seat, where), legend)
    else:
        remark(where)
        _print_turns(found, legend)
        print_ending(record, form, seat)


def _found(
    home: Path, match: str, tournament: str | None, in_file: str | None, *, operator: bool
) -> tuple[MatchRecord, bytes, str]:
    """Return the match that is meant, of a file or of ``home``.

    With it go the key of its tournament, which a file has not, and a few words that name the other
    tournaments that ``match`` could mean as well.

    Raises:
        UsageError: there is no such match, or its cards may not be shown yet.
    """
    if match.endswith(SUFFIXES):
        if tournament is not None:
            raise UsageError("a file of records is of no home: leave out --tournament")
        return read_record(typed(match), in_file), b"", ""
    if in_file is not None:
        raise UsageError("--match chooses from a file of records: leave it out")
    with store_at(home, create=False) as store:
        where = tournament_id(store, tournament)
        stored = get_match(store, match, where)
        played = get_tournament(store, stored.tournament).tournament
        others = [] if where else elsewhere(store, stored.match, stored.tournament)
    check_shown(played, operator=operator)
    return decode_record(stored.record), played.key, also_in(others)


def _title(record: MatchRecord, seat: int | None, where: str) -> str:
    view = "every card" if seat is None else f"as seat {seat} {record.seats[seat].bot} saw it"
    return printable(f"{where}, {view}")


def _print_turns(found: list[Frame], legend: tuple[str, ...]) -> None:
    """Print all that happened, but for how the match ended: that is printed by itself."""
    if legend:
        typer.echo("\n".join([*legend, ""]))
    above: tuple[str, ...] = ()
    for frame in found[:-1]:
        # A fault leaves the table as it is.
        table = () if frame.table == above else frame.table
        typer.echo("\n".join([*table, *frame.notes, ""]))
        above = frame.table
