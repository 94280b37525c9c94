"""Untrusted text made fit for a terminal, a log and a record.

What a bot writes, and what its files are called, can hold terminal commands, text that runs
backwards and characters that nobody sees. Here they are spelt out; all other text stays as it is.
"""

import unicodedata
from itertools import accumulate
from typing import Literal

ELLIPSIS = "…"

# Control, format (bidi, zero width, tags), surrogate, private use, unassigned, and the separators
# that start a new line. Spaces (Zs) and marks (Mn) are ordinary text.
_ESCAPED = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})

# Letters and marks of other categories that have no shape of their own
# (Unicode, DerivedCoreProperties.txt, Default_Ignorable_Code_Point; and the blank Braille pattern).
_INVISIBLE = frozenset(
    chr(code)
    for first, last in (
        (0x034F, 0x034F),
        (0x115F, 0x1160),
        (0x17B4, 0x17B5),
        (0x180B, 0x180F),
        (0x2800, 0x2800),
        (0x3164, 0x3164),
        (0xFE00, 0xFE0F),
        (0xFFA0, 0xFFA0),
        (0xE0100, 0xE01EF),
    )
    for code in range(first, last + 1)
)


def printable(
    text: str | bytes,
    limit: int | None = None,
    *,
    cut: Literal["start", "middle", "end"] = "end",
    lines: bool = False,
) -> str:
    r"""Return ``text`` with everything escaped that could act on a terminal or hide in it.

    Args:
        text: anything; bytes are read as UTF-8, and those that are not become ``\xff``.
        limit: the most characters to return, at least 1; what is left out is replaced by ``…``,
            and no escape is cut in two.
        cut: where characters are left out.
        lines: keep line feeds and tabs (a carriage return is escaped all the same).

    Returns:
        Text of at most ``limit`` characters. Escapes are written as in Python (``\x1b``,
        ``\u202e``); a backslash stays single, so this is for reading, not for decoding.
    """
    if isinstance(text, bytes):
        text = _decoded(text, limit)
    kept = "\n\t" if lines else ""
    if limit is None:
        return "".join(_pieces(text, kept))
    # A character makes at least one, so no more than `limit` at either end can be needed.
    if len(text) > 2 * limit + 1:
        text = text[: limit + 1] + text[-limit:]
    pieces = _pieces(text, kept)
    if sum(map(len, pieces)) <= limit:
        return "".join(pieces)
    room = limit - len(ELLIPSIS)
    head_room = {"start": 0, "middle": (room + 1) // 2, "end": room}[cut]
    head = _fitting(pieces, head_room)
    tail = _fitting(pieces[::-1], room - head_room)[::-1]
    return "".join([*head, ELLIPSIS, *tail])


def _decoded(text: bytes, limit: int | None) -> str:
    # A character has at most four bytes. What is left of one that is cut through here lies so far
    # inside that `printable` leaves it out.
    most = None if limit is None else 4 * limit + 8
    if most is not None and len(text) > 2 * most:
        text = text[:most] + text[-most:]
    return text.decode("utf-8", "backslashreplace")


def _pieces(text: str, kept: str) -> list[str]:
    return [
        char
        if char in kept or (unicodedata.category(char) not in _ESCAPED and char not in _INVISIBLE)
        else char.encode("unicode_escape").decode("ascii")
        for char in text
    ]


def _fitting(pieces: list[str], room: int) -> list[str]:
    """Return the first of ``pieces``, as many as fit into ``room`` characters."""
    ends = accumulate(map(len, pieces))
    return [piece for piece, end in zip(pieces, ends, strict=True) if end <= room]
