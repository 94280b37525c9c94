"""The record of a match: enough to replay it, derive every byte of it again, and score it."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from arena.errors import RecordError
from arena.referee.limits import Limits
from arena.wire.escape import printable

RECORD_VERSION = 1
_SHOWN = 200

_MOST = 2**53 - 1
"""The greatest whole number that every language has exactly."""

_Whole = Annotated[int, Meta(ge=0, le=_MOST)]
_Score = Annotated[int, Meta(ge=-_MOST, le=_MOST)]
_Ms = Annotated[float, Meta(ge=0, le=1e12)]
"""At most 30 years."""


class Recorded(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of all that stands in a record."""


class SeatRecord(Recorded, frozen=True, kw_only=True):
    """Who held a seat."""

    bot: str
    digest: str
    """``sha256:`` and the hex digest of the bot's snapshot."""


class ActionRecord(Recorded, frozen=True, kw_only=True, omit_defaults=True):
    """One decision, of a bot or of the house."""

    seat: _Whole
    action: msgspec.Raw
    """The action as it goes over the wire, compact."""

    sent: str | msgspec.UnsetType = msgspec.UNSET
    """First 16 hex digits of SHA-256 over the JSON of [observation, events, legal_actions].

    Absent where the house decided: nothing was sent.
    """

    house: bool = False


class FaultRecord(Recorded, frozen=True, kw_only=True):
    """Why and when a seat was closed."""

    seat: _Whole
    at: _Whole
    """How many actions had been recorded."""

    code: str
    text: str


class Offending(Recorded, frozen=True, kw_only=True):
    """What a seat at fault had written, escaped and capped."""

    seat: _Whole
    text: str


class Measured(Recorded, frozen=True, kw_only=True, omit_defaults=True):
    """What may differ when a match is repeated; nothing here decides anything."""

    started: str
    """UTC, ISO 8601."""

    ms: _Ms
    action_ms: tuple[_Ms, ...]
    """By action: from the question written to the answer complete; 0 for the house."""

    cpu_ms: tuple[_Ms, ...]
    """By seat: processor time of the bot's processes."""

    attempt: Annotated[int, Meta(ge=1, le=1_000_000)]
    """From 1; more where the host spoilt earlier ones."""

    stderr: tuple[str, ...]
    """By seat: what the bot wrote to standard error, escaped and capped."""

    offending: tuple[Offending, ...] = ()


class MatchRecord(Recorded, frozen=True, kw_only=True):
    """One match; all but ``measured`` is equal whenever the match is repeated."""

    record: int
    arena: str
    match: str
    tournament: str
    game: str
    variant: str
    rules_version: _Whole
    players: _Whole
    mode: str
    suite: str
    deal: _Whole
    seats: tuple[SeatRecord, ...]
    cards: msgspec.Raw
    """The game's own struct: all the chance that the match used."""

    actions: tuple[ActionRecord, ...]
    faults: tuple[FaultRecord, ...]
    scores: tuple[_Score, ...]
    ranks: tuple[_Whole, ...]
    reason: str
    limits: Limits | None
    """Null where they were off."""

    tier: str
    rated: bool
    after: Annotated[tuple[_Whole, ...], Meta(min_length=1)] | msgspec.UnsetType = msgspec.UNSET
    """Numbers of the deals that the same processes had played before, with the same bots in the
    same seats, in that order; absent where the processes were fresh."""

    measured: Measured


_decoder = msgspec.json.Decoder(MatchRecord)
_encoder = msgspec.json.Encoder()


def encode_record(record: MatchRecord) -> bytes:
    """Return ``record`` as one line of JSON, without the newline."""
    return _encoder.encode(record)


def decode_record(line: bytes) -> MatchRecord:
    """Return the record in ``line``.

    Raises:
        RecordError: the line is not a record, or one of another version.
    """
    try:
        record = _decoder.decode(line)
    except (msgspec.DecodeError, RecursionError) as error:
        raise RecordError(f"not a match record: {printable(str(error), _SHOWN)}") from None
    if record.record != RECORD_VERSION:
        raise RecordError(f"a record of version {record.record}, this arena reads {RECORD_VERSION}")
    return record


def unmeasured(record: MatchRecord) -> dict[str, Any]:
    """Return all of ``record`` that must be equal when the match is repeated."""
    fields: dict[str, Any] = msgspec.json.decode(encode_record(record))
    del fields["measured"]
    return fields
