"""Whether a record is the one that follows from its deal and from what was decided."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from arena.audit.account import Line
from arena.audit.facts import Terms, check, shown
from arena.errors import Difference, FaultCode, RecordError, UsageError
from arena.games import get_game
from arena.ratings.result import Result
from arena.referee.chain import record_digest
from arena.referee.fixture import Fixture
from arena.referee.record import MatchRecord, decode_record, encode_record
from arena.referee.replay import replay
from arena.wire.escape import printable

_SHOWN = 300


@dataclass(frozen=True, slots=True)
class Checked:
    """A record with which nothing is wrong."""

    match: str
    digest: bytes
    """Its digest in the chain."""

    result: Result
    """Without times."""

    timeouts: int = 0
    """Seats that were closed because a bot took too long."""


def check_match(terms: Terms, fixture: Fixture, line: Line) -> Checked:
    """Return what ``line`` comes to as the record of ``fixture``.

    Of it only ``cards``, ``actions`` and ``faults`` are believed; with a key neither are the
    cards, nor what the house did.

    Raises:
        Difference: the first thing in it that does not follow; it names the match.
    """
    try:
        record = read(line.record)
        for what, recorded, follows in _expected(terms, fixture, record):
            check(what, recorded, follows)
        result = replayed(record, terms.key)
        for name, recorded in (line.columns or {}).items():
            check(f"column {name}", recorded, _columns(record)[name])
    except RecordError as error:
        raise difference(error).within(fixture.match) from None
    timeouts = sum(fault.code == FaultCode.TIMEOUT for fault in record.faults)
    return Checked(fixture.match, record_digest(line.record), result, timeouts)


def read(line: bytes) -> MatchRecord:
    """Return the record in ``line``, which is spelt in the one way there is.

    Raises:
        RecordError: it is none, or could be read otherwise by others.
    """
    try:
        record = decode_record(line)
    except RecordError as error:
        raise Difference("record", str(error)) from None
    if encode_record(record) != line:
        raise Difference("record", "a field that stands there twice, or is spelt otherwise")
    return record


def replayed(record: MatchRecord, key: bytes | None) -> Result:
    """Return the result of ``record``, after playing it again.

    Raises:
        RecordError: something in it does not follow.
    """
    try:
        replay(record, key=key)
    except UsageError as error:
        raise Difference("game", str(error)) from None
    for fault in record.faults:
        if fault.code not in tuple(FaultCode):
            raise Difference(f"faults: seat {fault.seat}", f"no code is called {shown(fault.code)}")
    check("measured: seats", len(record.measured.stderr), record.players)
    check("measured: seats", len(record.measured.cpu_ms), record.players)
    return replace(Result.of(record), action_ms=())


def difference(error: RecordError) -> Difference:
    """Return ``error`` as a difference, which it is whatever raised it."""
    if isinstance(error, Difference):
        return error
    what, colon, said = str(error).partition(": ")
    return Difference(what, said) if colon else Difference("record", printable(what, _SHOWN))


def _expected(
    terms: Terms, fixture: Fixture, record: MatchRecord
) -> Sequence[tuple[str, object, object]]:
    """Return (field, as recorded, as it follows) for all that stands before a record's cards."""
    category = fixture.category
    seats = [
        (f"seats: seat {number}: {name}", getattr(seat, name), follows)
        for number, (seat, bot) in enumerate(zip(record.seats, fixture.bots, strict=False))
        for name, follows in (("bot", bot), ("digest", terms.digests[bot]))
    ]
    return [
        ("match", record.match, fixture.match),
        ("tournament", record.tournament, terms.tournament),
        ("game", record.game, category.game),
        ("variant", record.variant, category.variant),
        ("rules_version", record.rules_version, get_game(category.game).rules_version),
        ("players", record.players, category.players),
        ("mode", record.mode, category.mode.value),
        ("suite", record.suite, terms.suite),
        ("deal", record.deal, fixture.deal),
        ("seats", len(record.seats), category.players),
        *seats,
        ("limits", record.limits, terms.limits),
        ("tier", record.tier, terms.tier.value),
        ("rated", record.rated, terms.rated),
    ]


def _columns(record: MatchRecord) -> Mapping[str, str | int | float]:
    """Return what a home keeps beside ``record``, by name of the column."""
    return {
        "category": record.match.partition("/")[0],
        "deal": record.deal,
        "faults": len(record.faults),
        "attempt": record.measured.attempt,
        "ms": record.measured.ms,
    }
