"""A chain of digests over the records of a tournament, in the order of its schedule.

Whoever knows its last link, the *head*, notices when a record is altered, removed, doubled or put
elsewhere. Let H be SHA-256 and ‖ the joining of bytes. Then

    digest of a record = H(canonical JSON of the record without its field measured)
    link 0             = H(id of the tournament)
    link i             = H(link i - 1 ‖ digest of record i)
"""

import hashlib
from collections.abc import Iterable
from typing import Any

import msgspec

from arena.errors import RecordError

_encoder = msgspec.json.Encoder(order="sorted")


def record_digest(line: bytes) -> bytes:
    """Return the SHA-256 of all of a record that repeats with the match, as 32 bytes.

    Args:
        line: a record as `arena.referee.record.encode_record` spells it.

    Raises:
        RecordError: it is no JSON object.
    """
    try:
        fields = msgspec.json.decode(line, type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError):
        raise RecordError("a record is not JSON") from None
    fields.pop("measured", None)
    # For whole numbers and ASCII keys this is RFC 8785, like `arena.tournament.key.canonical_json`.
    return hashlib.sha256(_encoder.encode(fields)).digest()


def first_link(tournament: str) -> bytes:
    """Return the link before the first record of ``tournament`` (an id)."""
    return hashlib.sha256(tournament.encode()).digest()


def next_link(link: bytes, digest: bytes) -> bytes:
    """Return the link of the record with ``digest``, which comes after ``link``."""
    return hashlib.sha256(link + digest).digest()


def head(tournament: str, lines: Iterable[bytes]) -> str:
    """Return the last link over the records ``lines`` of ``tournament`` (an id), as hex digits."""
    link = first_link(tournament)
    for line in lines:
        link = next_link(link, record_digest(line))
    return link.hex()
