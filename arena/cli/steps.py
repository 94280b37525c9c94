"""Stepping through the moments of a match: what keys and lines mean, and what a screen shows.

Pure: `arena.cli.terminal` reads the keys and writes the screens.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace

from arena.cli.frames import Frame, position_of
from arena.wire.escape import ELLIPSIS, printable

KEYS = "Enter next, b back, g go to, < first, > last, ? signs, q quit"
LINES = "Enter next, b back, g N go to, first, last, ? signs, q quit"

_LONGEST_TYPED = 9
_NEXT = frozenset({"enter", " ", "n", "right", "down", "pagedown"})
_BACK = frozenset({"b", "p", "left", "up", "pageup", "erase"})
_FIRST = frozenset({"<", "home", "first"})
_LAST = frozenset({">", "G", "end", "last"})
_QUIT = frozenset({"q", "Q", "end of input"})

# A sequence of the terminal's (ECMA-48, 5.4; or the keypad's SS3), or the beginning of one at the
# end, or any other byte. An escape is one of those where neither a bracket nor an O is behind it.
_KEY = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|O[@-~])|(\x1b(?:\[[0-?]*[ -/]*|O)?\Z)|.", re.DOTALL)
_NAMED = {
    b"\r": "enter",
    b"\n": "enter",
    b"\x08": "erase",
    b"\x7f": "erase",
    b"\x1b": "escape",
    b"\x04": "end of input",
    **{
        b"\x1b%c%c" % (by, end): name
        for by in b"[O"
        for end, name in zip(b"ABCDHF", ("up", "down", "right", "left", "home", "end"), strict=True)
    },
    b"\x1b[1~": "home",
    b"\x1b[4~": "end",
    b"\x1b[5~": "pageup",
    b"\x1b[6~": "pagedown",
}


@dataclass(frozen=True, slots=True)
class View:
    """Where somebody is in a match."""

    at: int = 0
    """Position among the frames."""

    typed: str | None = None
    """What was typed so far of where to go; ``None`` where nobody was asked."""

    said: str = ""
    """What is answered to something that leads nowhere."""

    signs: bool = False
    """Whether what the signs mean is shown instead of the moment."""

    quit: bool = False


def keys_in(read: bytes) -> tuple[list[str], bytes]:
    """Return the keys in what a terminal sent, and the beginning of one that is not whole yet.

    A key is called by its character, or by a word such as ``enter`` or ``left``; those that have
    no name here are left out. An escape at the end may be a key, or the beginning of one.
    """
    names: list[str] = []
    for match in _KEY.finditer(read):
        if match[1]:
            return names, match[1]
        key = match[0]
        name = _NAMED.get(key) or (key.decode() if re.fullmatch(rb"[ -~]", key) else None)
        if name:
            names.append(name)
    return names, b""


def step(view: View, key: str, frames: Sequence[Frame]) -> View:
    """Return where ``key`` leads to; nothing leads away from the end."""
    if view.quit:
        return view
    if view.typed is not None and key != "end of input":
        return _typing(view, view.typed, key, frames)
    if key == "g":
        return View(view.at, typed="")
    return _moved(View(view.at, signs=view.signs), key, frames)


def command(view: View, line: str, frames: Sequence[Frame]) -> View:
    """Return where ``line`` leads to, which was typed where keys cannot be read one by one."""
    word = line.strip()
    where = re.fullmatch(r"g?\s*(\w+)", word, re.ASCII)
    if where and (at := _place(where[1], frames)) is not None:
        return View(at)
    plain = View(view.at)
    known = word in {"", "?", *_NEXT, *_BACK, *_FIRST, *_LAST, *_QUIT}
    return _moved(plain, word or "enter", frames) if known else _nowhere(plain, word, frames)


def _typing(view: View, typed: str, key: str, frames: Sequence[Frame]) -> View:
    if key == "enter":
        at = _place(typed, frames)
        if at is None:
            return _nowhere(View(view.at), typed, frames) if typed else View(view.at)
        return View(at)
    if key == "erase" and typed:
        return replace(view, typed=typed[:-1])
    if key in {"erase", "escape"}:
        return View(view.at)
    if len(key) == 1 and key.isalnum():
        return replace(view, typed=(typed + key)[:_LONGEST_TYPED])
    return view


def _place(text: str, frames: Sequence[Frame]) -> int | None:
    """Return the position that ``text`` means: the number of an action, or a word."""
    if re.fullmatch(r"[0-9]{1,9}", text):
        return position_of(frames, int(text)) if int(text) <= frames[-1].number else None
    return {"first": 0, "last": len(frames) - 1}.get(text)


def _moved(view: View, key: str, frames: Sequence[Frame]) -> View:
    last = len(frames) - 1
    if key in _QUIT:
        return replace(view, quit=True)
    if key in _NEXT:
        return View(min(view.at + 1, last))
    if key in _BACK:
        return View(max(view.at - 1, 0))
    if key == "?":
        return View(view.at, signs=not view.signs)
    if key in _FIRST:
        return View(0)
    return View(last) if key in _LAST else view


def status(view: View, frames: Sequence[Frame], keys: str = KEYS) -> str:
    """Return the line that says where one is and how to go on."""
    if view.typed is not None:
        return f"go to (number of an action, first or last): {view.typed}_"
    if view.said:
        return f"{view.said} ({keys})"
    last = frames[-1].number
    if view.at == len(frames) - 1:
        return f"end, {last} {'action' if last == 1 else 'actions'}: {keys}"
    return f"action {frames[view.at].number}{_span(frames)}: {keys}"


def _span(frames: Sequence[Frame]) -> str:
    last = frames[-1].number - 1
    return f" (0 to {last})" if last > 0 else ""


def _nowhere(view: View, text: str, frames: Sequence[Frame]) -> View:
    last = max(0, frames[-1].number - 1)
    shown = printable(text, _LONGEST_TYPED)
    return replace(view, said=f"no action is called '{shown}': 0 to {last}, first or last")


def screen(title: str, frame: Frame, below: str, columns: int, rows: int) -> list[str]:
    """Return a screen of at most ``rows`` lines, none of them wider than ``columns``.

    What happened is wrapped and always there; of a table that is too large the end is shown.
    """
    notes = [part for note in frame.notes for part in wrapped(note, columns)]
    room = max(0, rows - len(notes) - 3)
    table = list(frame.table)
    if len(table) > room:
        left_out = len(table) - room + 1
        table = [f"{ELLIPSIS} {left_out} lines", *table[left_out:]] if room > 1 else []
    lines = [title, *table, *([""] if room else []), *notes]
    shown = lines[: max(0, rows - 1)]
    shown += [""] * (rows - 1 - len(shown))
    return [fitted(line, columns) for line in [*shown, below][-rows:]]


def fitted(line: str, columns: int) -> str:
    """Return as much of ``line`` as fits into ``columns``, with ``…`` where some is left out."""
    first, *more = wrapped(line, columns)
    if not more:
        return first
    cut = wrapped(line, columns - 1)[0] if columns > 1 else ""
    return cut + ELLIPSIS


def wrapped(line: str, columns: int) -> list[str]:
    """Return ``line`` as lines of at most ``columns``, at least one; a wide character takes two."""
    lines, used = [""], 0
    for char in line:
        wide = _width(char)
        if used + wide > columns and lines[-1]:
            lines.append("")
            used = 0
        lines[-1] += char
        used += wide
    return lines


def _width(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) in {"Mn", "Me"}:
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
