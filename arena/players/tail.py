"""The beginning and the end of a text that may be endless, and how its end is shown."""

import re
from typing import Self

from arena.wire.escape import printable

HEAD_BYTES = 2 * 1024
TAIL_BYTES = 6 * 1024

STDERR_LINES = 8
"""How many of its last lines the author of a bot that went wrong is shown."""

TRACEBACK_LINES = 24
"""How many, if they are from the beginning of a traceback on."""

TAIL = "\n  | "
"""What comes before each such line in the text of an error."""

_WIDTH = 200
_TRACEBACK = "Traceback (most recent call last):"
_DROPPED = re.compile(rb"\n\[\.\.\. \d+ bytes dropped \.\.\.\]\n")
_FRAME = '  File "'


class Tail:
    """Keeps the first and the last bytes of what is added, and counts what it drops."""

    def __init__(self, head_bytes: int = HEAD_BYTES, tail_bytes: int = TAIL_BYTES) -> None:
        self._head_bytes = head_bytes
        self._tail_bytes = tail_bytes
        self._head = b""
        self._tail = b""
        self._dropped = 0

    @classmethod
    def of(cls, size: int) -> Self:
        """Return one that keeps ``size`` bytes, a quarter of them from the beginning."""
        return cls(size // 4, size - size // 4)

    def add(self, chunk: bytes) -> None:
        """Add ``chunk`` at the end."""
        room = self._head_bytes - len(self._head)
        self._head += chunk[:room]
        tail = self._tail + chunk[room:]
        cut = max(0, len(tail) - self._tail_bytes)
        self._dropped += cut
        self._tail = tail[cut:]

    def clear(self) -> None:
        """Forget all that was added, as if nothing had been."""
        self._head = self._tail = b""
        self._dropped = 0

    def text(self) -> bytes:
        """Return what was kept, with a line that says how much was not."""
        if not self._dropped:
            return self._head + self._tail
        return b"%b\n[... %d bytes dropped ...]\n%b" % (self._head, self._dropped, self._tail)


def was_cut(text: bytes) -> bool:
    """Return whether ``text``, as `Tail.text` gives it, is not all that was added."""
    return bool(_DROPPED.search(text))


def last_lines(text: str | bytes, known: str = "") -> list[str]:
    """Return the last lines with something in them of what a bot wrote, fit for a terminal.

    They begin with Python's last traceback where it is not far from the end, and else do not begin
    within a frame of one.

    Args:
        text: all that it wrote, or the end of it.
        known: a line that is left out, because the reader has been told so.
    """
    if isinstance(text, bytes):
        text = text.decode(errors="backslashreplace")
    lines = [line for line in text.splitlines() if line.strip() and line != known]
    return [printable(line, _WIDTH) for line in lines[_beginning(lines) :]]


def _beginning(lines: list[str]) -> int:
    """Return the index of the first line to show."""
    whole = max(0, len(lines) - TRACEBACK_LINES)
    usual = max(0, len(lines) - STDERR_LINES)
    if _TRACEBACK in lines[whole:]:
        return len(lines) - 1 - lines[::-1].index(_TRACEBACK)
    if _TRACEBACK not in lines[:usual]:
        return usual
    frames = (at for at in range(usual, len(lines)) if lines[at].startswith(_FRAME))
    return next(frames, usual)
