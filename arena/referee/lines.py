"""The lines that a seat was sent in a match, derived again from its record."""

import json
from typing import Any

import msgspec

from arena.errors import UsageError
from arena.games.base import Seat
from arena.games.deal import Deal
from arena.referee.limits import Limits, told
from arena.referee.record import MatchRecord
from arena.referee.replay import replay
from arena.wire.codec import Question, encode
from arena.wire.messages import End, Error, Hello, Quit, Start


def lines_of(
    record: MatchRecord, seat: int, *, key: bytes = b"", offer: bool = True
) -> list[bytes]:
    """Return what ``seat`` was sent in the match of ``record``, from ``hello`` to ``quit``.

    Observations, events and legal actions are those of the match, to the byte. A record does not
    hold what was left of the extra time, so that is told in full with every question. Processes
    that had played before (`MatchRecord.after`) were greeted then, and quit after their last match:
    here every match stands by itself.

    Args:
        record: the match; replayed here, and checked by that.
        seat: from 0.
        key: of the tournament, for the ids and the bot's seed. Empty: ids count from 1, and the
            seed is 1.
        offer: whether the bot is sent legal actions.

    Raises:
        UsageError: there is no such seat, or the key is no key.
        RecordError: the record is not that of a match.
    """
    _check_seat(record, seat)
    if key and len(key) != 32:  # noqa: PLR2004
        raise UsageError(f"a key has 32 bytes, not {len(key)}")
    deal = Deal(key, record.game, record.variant, record.players, record.deal)
    ids = deal.stream(f"ids-{seat}")
    limits = record.limits or Limits()
    lines = [hello(record)]
    fault = next((fault for fault in record.faults if fault.seat == seat), None)

    def asked(_number: int, to: Seat, question: Question) -> None:
        if to == seat:
            number = ids.seed() if key else len(lines) - 1
            lines.append(
                question.line(number, move_ms=limits.move_ms, extra_ms=limits.extra_ms, offer=offer)
            )

    def last(to: Seat, events: bytes) -> None:
        if to == seat:
            lines.append(end(record, events))

    if fault is None or fault.code != "start_failed":
        lines.append(start(record, Seat(seat), deal.bot_seed(Seat(seat)) if key else 1))
    replay(record, asked=asked, last=last)
    goodbye = Error(code=fault.code, message=fault.text) if fault else Quit()
    return [*lines, encode(goodbye)]


def hello(record: MatchRecord) -> bytes:
    """Return the line that every seat of ``record`` was sent first."""
    return encode(Hello(arena=record.arena, limits=told(record.limits)))


def start(record: MatchRecord, seat: Seat, seed: int) -> bytes:
    """Return the line with which the match of ``record`` began for ``seat``, who got ``seed``."""
    limits = record.limits or Limits()
    return encode(
        Start(
            game=record.game,
            variant=record.variant,
            players=record.players,
            seat=seat,
            seed=seed,
            move_ms=limits.move_ms,
            extra_ms=limits.extra_ms,
        )
    )


def end(record: MatchRecord, events: bytes) -> bytes:
    """Return the line with which the match of ``record`` ended for a seat that had ``events``."""
    return encode(
        End(
            events=msgspec.Raw(events),
            scores=record.scores,
            ranks=record.ranks,
            reason=record.reason,
        )
    )


def actions_of(record: MatchRecord, seat: int) -> list[dict[str, Any]]:
    """Return what the bot in ``seat`` did in the match of ``record``, as plain JSON objects.

    What the house did in its place is left out.

    Raises:
        UsageError: there is no such seat.
    """
    _check_seat(record, seat)
    return [
        json.loads(bytes(one.action))
        for one in record.actions
        if one.seat == seat and not one.house
    ]


def _check_seat(record: MatchRecord, seat: int) -> None:
    if not 0 <= seat < record.players:
        raise UsageError(f"the match has the seats 0 to {record.players - 1}, and no seat {seat}")
