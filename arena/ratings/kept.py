"""What a fit came to, kept small: where the next one starts.

A fit that starts there has little left to do. Where it ends does not hang on its start, so single
precision is enough, and what is lost or damaged does no harm.
"""

import hashlib
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import msgspec

from arena.ratings.units import Unit

_MARK = struct.Struct("<8sH")
_NUMBER_BYTES = 4

_PI_MOST = 100.0
_TAU_MOST = 10_000.0
"""Beyond any message there is: luck bounds pi, and beliefs bound tau."""


@dataclass(frozen=True, slots=True)
class Kept:
    """The messages of some units."""

    marks: bytes = field(default=b"", repr=False)
    """For each unit eight bytes of a hash of its content, and the count of its numbers: 16 bits."""

    numbers: bytes = field(default=b"", repr=False)
    """By unit, a float of 32 bits each: pi, tau, pi, tau, ... All numbers are little-endian."""


def keep(units: Iterable[Unit], messages: Iterable[Sequence[float]]) -> Kept:
    """Return the messages of ``units``.

    Args:
        units: each ordered in itself.
        messages: of each unit, as pi, tau, pi, tau, ...
    """
    marks, numbers = [], []
    for unit, own in zip(units, messages, strict=True):
        marks.append(_MARK.pack(_hash(unit), len(own)))
        numbers.append(struct.pack(f"<{len(own)}f", *own))
    return Kept(b"".join(marks), b"".join(numbers))


def recall(kept: Kept, units: Iterable[Unit]) -> list[tuple[float, ...]]:
    """Return the messages of each of ``units``; empty for one that is not among the kept ones.

    Args:
        kept: of any units, perhaps damaged.
        units: each ordered in itself.
    """
    found = _found(kept)
    return [found.get(_hash(unit), ()) if found else () for unit in units]


def _hash(unit: Unit) -> bytes:
    content = msgspec.json.encode([unit.id, unit.sides, unit.ranks])
    return hashlib.sha256(content).digest()[:8]


def _found(kept: Kept) -> dict[bytes, tuple[float, ...]]:
    """Return by hash what can be messages."""
    found = {}
    start = 0
    for at in range(0, len(kept.marks) - _MARK.size + 1, _MARK.size):
        own, count = _MARK.unpack_from(kept.marks, at)
        end = start + count * _NUMBER_BYTES
        if end > len(kept.numbers):
            break
        numbers = struct.unpack(f"<{count}f", kept.numbers[start:end])
        # What is not a number is within no bounds.
        if all(0 <= pi <= _PI_MOST for pi in numbers[::2]) and all(
            -_TAU_MOST <= tau <= _TAU_MOST for tau in numbers[1::2]
        ):
            found[own] = numbers
        start = end
    return found
