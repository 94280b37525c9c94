"""How a match ended, as it is printed."""

import json

import typer

from arena.cli.frames import ending_line, ending_rows, faults_of
from arena.cli.remarks import remark
from arena.cli.render import Format, render
from arena.players.tail import last_lines
from arena.referee.record import FaultRecord, MatchRecord, encode_record
from arena.tournament.advice import advice


def print_ending(record: MatchRecord, form: Format, seat: int | None = None) -> None:
    """Print how a match ended, and the end of what bots at fault had logged; as JSON its record.

    With ``seat`` only the fault of this one is told.
    """
    if form is Format.JSON:
        # Spelt in ASCII again, so that nothing a bot wrote can act on a terminal.
        typer.echo(json.dumps(json.loads(encode_record(record)), separators=(",", ":")))
    else:
        typer.echo(render(ending_rows(record, seat), form), nl=False)
    remark(ending_line(record))
    for fault in faults_of(record, seat):
        known = f"arena: {fault.code}: {fault.text}"
        if lines := last_lines(record.measured.stderr[fault.seat], known):
            remark(f"seat {fault.seat} {record.seats[fault.seat].bot} wrote to standard error:")
            for line in lines:
                remark(f"  | {line}")
        if what := _advice(record, fault):
            remark(f"seat {fault.seat} {record.seats[fault.seat].bot}: {what}")


def _advice(record: MatchRecord, fault: FaultRecord) -> str:
    wrote = (one.text for one in record.measured.offending if one.seat == fault.seat)
    return advice(
        fault.code,
        fault.text,
        record.limits,
        game=record.game,
        wrote=next(wrote, ""),
        log=record.measured.stderr[fault.seat],
    )
