"""One match out of a file of records, as exports and ``arena replay --format json`` have them."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import msgspec

from arena.audit.format import MOST_RECORD
from arena.errors import RecordError, UsageError
from arena.games import closest
from arena.referee.record import MatchRecord, decode_record
from arena.wire.escape import printable

SUFFIXES = (".json", ".jsonl")
"""What names of such files end in; no bot's name and so no match's id has to."""

_ECHO = 80
_SHOWN = 3
_COMPARED = 2_000


class _Named(msgspec.Struct):
    match: str


_named = msgspec.json.Decoder(_Named)


def read_record(path: Path, match: str | None) -> MatchRecord:
    """Return a record out of the file ``path``, in which each line is one.

    Args:
        path: a regular file; it is read a line at a time.
        match: id of the match, or the beginning of one single id; ``None`` for the only one.

    Raises:
        UsageError: the file cannot be read, or it is not clear which match is meant.
        RecordError: a line of it is not a record.
    """
    where = printable(str(path), _ECHO, cut="middle")
    first: dict[str, bytes] = {}
    seen: set[str] = set()
    for number, line in enumerate(_lines(path, where), 1):
        try:
            name = _named.decode(line).match
        except (msgspec.DecodeError, RecursionError) as error:
            reason = printable(str(error), _ECHO)
            raise RecordError(f"{where}: line {number}: not a match record: {reason}") from None
        if len(seen) < _COMPARED:
            seen.add(name)
        if name.startswith(match or "") and (len(first) <= _SHOWN or name == match):
            first.setdefault(name, line)
    if match in first:
        return decode_record(first[match])
    if len(first) == 1:
        return decode_record(*first.values())
    if not seen:
        raise UsageError(f"{where} is empty")
    if not first:
        near = closest(match or "", seen)
        raise UsageError(
            f"{where} holds no match '{printable(match or '', _ECHO)}'{printable(near)}"
        )
    some = printable(", ".join(list(first)[:_SHOWN])) + (", …" if len(first) > _SHOWN else "")
    raise UsageError(f"{where} holds several matches, --match says which: {some}")


def _lines(path: Path, where: str) -> Iterator[bytes]:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "no possible path"
        raise UsageError(f"{where} cannot be read: {reason}") from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise UsageError(f"{where} is no regular file")
    with os.fdopen(descriptor, "rb") as file:
        number = 0
        while line := file.readline(MOST_RECORD + 2):
            number += 1
            if len(line.rstrip(b"\n")) > MOST_RECORD:
                raise RecordError(f"{where}: line {number}: longer than {MOST_RECORD:,} bytes")
            yield line
