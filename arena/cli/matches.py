"""``arena matches``: the matches that were played, with the ids that other commands want."""

from collections.abc import Iterator
from itertools import islice
from typing import Annotated

import typer

from arena.cli.options import (
    HOME,
    As,
    Home,
    OfTournament,
    complete_registered,
    store_at,
    tournament_id,
)
from arena.cli.remarks import remark, tell_older
from arena.cli.render import Format, Value, render
from arena.referee.record import MatchRecord, decode_record
from arena.store.db import Store
from arena.store.listing import newest_matches
from arena.store.matches import StoredMatch

COLUMNS = (
    *("tournament", "match", "bots", "scores", "ranks", "reason", "actions", "faults"),
    "finished",
)
_USUALLY = 20

Row = dict[str, Value]

OfBot = Annotated[
    str | None,
    typer.Option(
        "--bot",
        metavar="BOT",
        help="Only those of a bot: its name in the matches.",
        autocompletion=complete_registered,
    ),
]
WithFaults = Annotated[
    bool, typer.Option("--faults", help="Only those with a fault, with --bot of its own.")
]
Last = Annotated[int, typer.Option("--last", metavar="N", min=1, help="So many, newest last.")]


def register(app: typer.Typer) -> None:
    """Add the command of this module to ``app``."""
    app.command(epilog="Example: arena matches --bot greedy --faults")(matches)


def matches(
    tournament: OfTournament = None,
    bot: OfBot = None,
    faults: WithFaults = False,
    last: Last = _USUALLY,
    home: Home = HOME,
    form: As = Format.TABLE,
) -> None:
    """List the matches that were played, newest last.

    Their ids are what `arena replay MATCH`, `arena verify -m MATCH` and `arena logs --match MATCH`
    take. How they ended is no secret while a tournament goes on, their cards are. Scores and ranks
    stand in the order of the seats, as the bots in the id do.
    """
    with store_at(home, create=False) as store:
        where = tournament_id(store, tournament)
        found = _found(store, where, bot, faults=faults)
        rows = [_row(*one, form) for one in islice(found, last)]
        older = next(found, None) is not None
    rows.reverse()
    heads = [head for head in COLUMNS if form in {Format.JSON, Format.CSV} or head != "bots"]
    typer.echo(render(rows, form, heads), nl=False)
    if not rows:
        remark("no such match was played yet")
    if older:
        tell_older(last)


def _found(
    store: Store, tournament: str | None, bot: str | None, *, faults: bool
) -> Iterator[tuple[StoredMatch, MatchRecord]]:
    """Yield what is to be listed, newest first; of a bot ``faults`` are those of its own."""
    for stored in newest_matches(store, tournament, bot, faulty=faults):
        record = decode_record(stored.record)
        if not (faults and bot) or bot in _at_fault(record):
            yield stored, record


def _at_fault(record: MatchRecord) -> list[str]:
    closed = {fault.seat for fault in record.faults}
    return [holder.bot for seat, holder in enumerate(record.seats) if seat in closed]


def _row(stored: StoredMatch, record: MatchRecord, form: Format) -> Row:
    row: Row = {
        "tournament": stored.tournament,
        "match": stored.match,
        "bots": tuple(seat.bot for seat in record.seats),
        "scores": record.scores,
        "ranks": record.ranks,
        "reason": record.reason,
        "actions": len(record.actions),
        "faults": tuple(_faults(record)),
        "finished": stored.finished,
    }
    if form not in {Format.JSON, Format.CSV}:
        # The id of the match has them.
        del row["bots"]
    return row


def _faults(record: MatchRecord) -> list[str]:
    return [f"seat {fault.seat}: {fault.code}" for fault in record.faults]
