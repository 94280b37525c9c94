"""A match as moments that one can stop at: pure, without a terminal.

There are two ways to look at a match. The operator's shows the table itself, every card of it. A
seat's shows the questions that this seat was asked, and is drawn from them alone: no state comes
near it, so that it cannot show more than the bot was sent.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from arena.cli.remarks import counted
from arena.cli.render import Format, Value, render
from arena.errors import FaultCode, RecordError
from arena.games import get_game
from arena.games.base import AnyGame, Public, Seat
from arena.referee.record import FaultRecord, MatchRecord
from arena.referee.replay import replay
from arena.wire.codec import Question, encode_value
from arena.wire.escape import printable

_SOME = 3


@dataclass(frozen=True, slots=True)
class Frame:
    """A moment of a match, as lines that are fit for a terminal."""

    number: int
    """Of the action that comes next, from 0, as in the record."""

    table: tuple[str, ...]
    """What lay there, or what the seat was shown."""

    notes: tuple[str, ...]
    """What happened then: an action, or faults, or how the match ended."""


def frames(record: MatchRecord, seat: Seat | None = None) -> list[Frame]:
    """Return the moments of a match, first one first: each decision, each fault, and the end.

    Args:
        record: of a match of a game that is installed.
        seat: whose view to take, from 0; ``None`` for the operator's. A seat's moments are the
            questions that it was asked.

    Raises:
        RecordError: the record is not one of a match.
        UsageError: the game is not installed.
    """
    game = get_game(record.game)
    checked(record)
    return _of_all(record, game) if seat is None else _of_seat(record, game, seat)


def legend_of(record: MatchRecord, seat: Seat | None = None) -> tuple[str, ...]:
    """Return what the signs in the tables of a match mean, as lines; none if its game has none."""
    game = get_game(record.game)
    drawn = seat is None or game.draw_observation is not None
    return (
        *([printable(game.legend)] if game.legend and drawn else []),
        *(["+ what the seat was told since it was asked before"] if seat is not None else []),
    )


def also_in(tournaments: Sequence[str]) -> str:
    """Return in a few words which other ``tournaments`` (ids) have a match, newest first."""
    if not tournaments:
        return ""
    more = f" and {len(tournaments) - _SOME} more" if len(tournaments) > _SOME else ""
    return f" (also in {', '.join(tournaments[:_SOME])}{more}: -t chooses)"


def checked(record: MatchRecord) -> None:
    """Raise `RecordError` if ``record`` lacks something for a seat or an action that it has."""
    measured = record.measured
    by_seat = (record.seats, record.scores, record.ranks, measured.stderr)
    if any(len(part) != record.players for part in by_seat):
        raise RecordError(f"something in it is not there for each of its {record.players} seats")
    if any(fault.seat not in range(record.players) for fault in record.faults):
        raise RecordError("a fault in it is of a seat that there is not")
    if len(measured.action_ms) != len(record.actions):
        raise RecordError("not all of its actions have a time")


def position_of(found: Sequence[Frame], number: int) -> int:
    """Return where the moment of action ``number`` is in ``found``, or else the next one there."""
    return next((at for at, frame in enumerate(found) if frame.number >= number), len(found) - 1)


def action_line(
    number: int,
    seat: int,
    bot: str,
    action: bytes,
    *,
    house: bool = False,
    ms: float | None = None,
) -> str:
    """Return an action in a line; ``ms`` is how long the decision took, in milliseconds."""
    who = f"seat {seat} {bot}{' (house)' if house else ''}"
    took = "" if ms is None or house else f"  [{ms:,.1f} ms]"
    return printable(f"{number}. {who}: {action.decode()}{took}")


def faults_of(record: MatchRecord, seat: int | None) -> list[FaultRecord]:
    """Return the faults of ``seat``, of all where it is ``None``, oldest first.

    Why another one was closed, a seat is not told.
    """
    return [fault for fault in record.faults if seat in {None, fault.seat}]


def ending_rows(record: MatchRecord, seat: int | None = None) -> list[dict[str, Value]]:
    """Return how a match ended, a row for each seat, with the faults that ``seat`` knows of."""
    faults = {fault.seat: f"{fault.code}: {fault.text}" for fault in faults_of(record, seat)}
    unit = get_game(record.game).unit
    return [
        {
            "seat": number,
            "bot": holder.bot,
            unit: record.scores[number],
            "rank": record.ranks[number],
            "fault": faults.get(number),
        }
        for number, holder in enumerate(record.seats)
    ]


def ending_line(record: MatchRecord) -> str:
    """Return why a match ended, and when."""
    return f"{record.match}: {record.reason} after {_actions(len(record.actions))}"


def _actions(number: int) -> str:
    return counted(number, "action", "actions")


def _of_all(record: MatchRecord, game: AnyGame) -> list[Frame]:
    found: list[Frame] = []
    done = 0

    def stopped(table: tuple[str, ...]) -> None:
        # Seats are closed between two actions, which leaves the table as it is.
        found.extend(
            Frame(done, table, _fault_lines(record, fault))
            for fault in record.faults
            if fault.at == done
        )

    def watch(state: Any, seat: Seat, action: Public, house: bool) -> None:  # noqa: ANN401, FBT001
        nonlocal done
        table = table_lines(game.draw(state))
        stopped(table)
        ms = record.measured.action_ms[done]
        bot, spelt = record.seats[seat].bot, encode_value(action)
        line = action_line(done, seat, bot, spelt, house=house, ms=ms)
        found.append(Frame(done, table, (line,)))
        done += 1

    def ended(state: Any) -> None:  # noqa: ANN401 - of whatever type the game has
        table = table_lines(game.draw(state))
        stopped(table)
        found.append(Frame(done, table, _ending(record)))

    replay(record, watch, ended=ended)
    return found


def _of_seat(record: MatchRecord, game: AnyGame, own: Seat) -> list[Frame]:
    found: list[Frame] = []
    bot = record.seats[own].bot
    drawn = drawing(game)
    faults = {fault.code == FaultCode.START_FAILED: fault for fault in faults_of(record, own)}
    if at_start := faults.get(True):
        found.append(Frame(0, (), _fault_lines(record, at_start)))

    def asked(number: int, seat: Seat, question: Question) -> None:
        if seat != own:
            return
        table = (*_events(question), *table_lines(drawn(question.observation)))
        fault = faults.get(False)
        if fault and fault.at == number:
            found.append(Frame(number, table, _fault_lines(record, fault)))
            return
        action, ms = record.actions[number].action, record.measured.action_ms[number]
        line = action_line(number, seat, bot, bytes(action), ms=ms)
        found.append(Frame(number, table, (line,)))

    replay(record, asked=asked)
    found.append(Frame(len(record.actions), (), _ending(record, own)))
    return found


def drawing(game: AnyGame) -> Callable[[bytes], str]:
    """Return what makes text of an observation as it was sent; nothing of it is escaped yet."""
    draw = game.draw_observation
    if draw is None:
        return lambda sent: json.dumps(json.loads(sent), indent=2, ensure_ascii=False)
    decoder = msgspec.json.Decoder(game.observation_type)
    return lambda sent: draw(decoder.decode(sent))


def _events(question: Question) -> list[str]:
    """Return what the seat was told to have happened since it was asked before."""
    events = msgspec.json.decode(question.events, type=list[msgspec.Raw])
    return [printable(f"+ {bytes(event).decode()}") for event in events]


def _fault_lines(record: MatchRecord, fault: FaultRecord) -> tuple[str, ...]:
    at_start = fault.code == FaultCode.START_FAILED
    who = f"seat {fault.seat} {record.seats[fault.seat].bot}"
    said = [
        f"it had written: {offending.text}"
        for offending in record.measured.offending
        if offending.seat == fault.seat
    ]
    when = "start" if at_start else fault.at
    lines = [f"{when}. {who}: FAULT {fault.code}: {fault.text}", *said]
    return tuple(map(printable, lines))


def _ending(record: MatchRecord, seat: Seat | None = None) -> tuple[str, ...]:
    table = render(ending_rows(record, seat), Format.TABLE).splitlines()
    why = f"{record.reason} after {_actions(len(record.actions))}"
    return (*table, printable(why))


def table_lines(text: str) -> tuple[str, ...]:
    """Return the drawing ``text`` of a table as lines that are fit for a terminal."""
    return tuple(line.expandtabs() for line in printable(text, lines=True).split("\n"))
