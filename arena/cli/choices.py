"""Choosing one of many actions by its number or by the beginning of its text. Pure."""

import re
from collections.abc import Mapping, Sequence

MOST = 30
"""So many lines are listed; where there are more actions, those that begin alike share one."""

_BETWEEN = 3
_NUMBER = re.compile(r"[0-9]{1,9}")


def matching(typed: str, texts: Sequence[str]) -> tuple[int, ...]:
    """Return which of ``texts`` is meant, from 0: none, the one that is, or all that could be.

    Args:
        typed: a number, from 1, or the beginning of a text; of it neither case, commas nor white
            space count. A text that goes on with another word is preferred to one that goes on
            with the same: ``place 1`` means ``place 1 face up`` and not ``place 12 face up``.
        texts: the actions, no two of them alike.
    """
    if _NUMBER.fullmatch(typed.strip()):
        at = int(typed) - 1
        return (at,) if 0 <= at < len(texts) else ()
    wanted = _plain(typed)
    spelt = [_plain(text) for text in texts]
    for fits in (
        [at for at, text in enumerate(spelt) if text == wanted],
        [at for at, text in enumerate(spelt) if text.startswith(f"{wanted} ")],
        [at for at, text in enumerate(spelt) if text.startswith(wanted)],
    ):
        if fits:
            return tuple(fits)
    return ()


def listed(texts: Sequence[str], which: Sequence[int], columns: int) -> list[str]:
    """Return lines of at most ``columns``, if they can, that list the actions ``which``.

    An action is listed by its number, from 1, and its text. Of more than `MOST` only beginnings
    are listed, each with how many begin so; whoever types one is shown these.
    """
    width = len(str(max(which, default=0) + 1))
    if len(which) <= MOST:
        return in_columns([f"{at + 1:>{width}}  {texts[at]}" for at in which], columns)
    groups = _alike([texts[at] for at in which])
    lines = [
        f"{which[group[0]] + 1:>{width}}  {texts[which[group[0]]]}"
        if len(group) == 1
        else f"{'':{width}}  {beginning} …  ({len(group)} actions)"
        for beginning, group in list(groups.items())[:MOST]
    ]
    left = len(groups) - len(lines)
    return in_columns(lines, columns) + ([f"… and {left} more beginnings"] if left > 0 else [])


def _alike(texts: Sequence[str]) -> Mapping[str, Sequence[int]]:
    """Return which of ``texts`` begin with the same words, by these.

    They are as many words as they can be with at most `MOST` beginnings, but so many that there are
    two at least: whoever types one gets on.
    """
    words = [text.split() for text in texts]
    found: dict[str, list[int]] = {}
    for length in range(1, max(map(len, words), default=0) + 1):
        groups: dict[str, list[int]] = {}
        for at, one in enumerate(words):
            groups.setdefault(" ".join(one[:length]), []).append(at)
        if len(groups) > MOST and len(found) > 1:
            break
        found = groups
        if len(groups) > MOST:
            break
    return found


def in_columns(lines: Sequence[str], columns: int) -> list[str]:
    """Return ``lines`` side by side, downwards first, so that they are at most ``columns`` wide."""
    widest = max(map(len, lines), default=0)
    beside = max(1, (columns + _BETWEEN) // (widest + _BETWEEN))
    rows = -(-len(lines) // beside)
    return [
        (" " * _BETWEEN).join(line.ljust(widest) for line in lines[row::rows]).rstrip()
        for row in range(rows)
    ]


def _plain(text: str) -> str:
    return " ".join(text.casefold().replace(",", " ").split())
