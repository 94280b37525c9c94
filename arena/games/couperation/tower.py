"""The glass tower: its slots, what rests on what, and which card fits where.

Slots are numbered 0 to 27 here, row by row from the bottom and from left to right, so that all
there is to know of the shape is looked up in tables. It knows nothing of hands or turns. Rule
numbers refer to RULES.md.
"""

from collections.abc import Mapping
from typing import NamedTuple

from arena.games.couperation.cards import FINISH, HEART, MARKS, VALUES, Card, diamonds

ROWS = 7
ROW_SLOTS: tuple[tuple[tuple[int, int], ...], ...] = tuple(
    tuple((row, slot) for slot in range(ROWS - row)) for row in range(ROWS)
)
SLOTS: tuple[tuple[int, int], ...] = tuple(place for row in ROW_SLOTS for place in row)
"""(row, slot) by number (R3)."""

ROW_ENDS: tuple[tuple[int, int], ...] = tuple(
    (SLOTS.index(row[0]), SLOTS.index(row[-1]) + 1) for row in ROW_SLOTS
)
"""By row: the number of its first slot, and the one after its last."""

SIZE = len(SLOTS)
NUMBERS: Mapping[tuple[int, int], int] = {place: at for at, place in enumerate(SLOTS)}
"""Number by (row, slot)."""

TOP = NUMBERS[ROWS - 1, 0]
FIRST_SLOT = NUMBERS[0, 3]
"""Where the first 25 lies (R7c)."""

SUPPORTS: tuple[tuple[int, ...], ...] = tuple(
    (NUMBERS[row - 1, slot], NUMBERS[row - 1, slot + 1]) if row else () for row, slot in SLOTS
)
"""The two slots that a slot rests on, left one first; none for the bottom row (R4)."""


class Laid(NamedTuple):
    """A card that lies in the tower."""

    card: Card
    up: bool
    by: int | None
    """The seat that placed it, ``None`` for the first 25. Only this seat knows a card face down."""


Tower = tuple[Laid | None, ...]
"""What lies in each of the 28 slots, by number; ``None`` where a slot is empty."""

_ABOVE = tuple((at, (SUPPORTS[at][0], SUPPORTS[at][1])) for at in range(ROWS, SIZE))
_BOTTOM = list(range(ROWS))
_ANY_LOW = 0
_ANY_HIGH = 51


def _present(*places: tuple[int, int]) -> tuple[int, ...]:
    return tuple(NUMBERS[place] for place in places if place in NUMBERS)


# Nearest first: the slots to the left and to the right in the same row (R5a).
_LEFT = tuple(_present(*((row, at) for at in range(slot - 1, -1, -1))) for row, slot in SLOTS)
_RIGHT = tuple(_present(*((row, at) for at in range(slot + 1, ROWS))) for row, slot in SLOTS)
# Left support (R5b) and left neighbour above (R5c) must be smaller; the right ones greater.
_SMALLER = tuple(_present((row - 1, slot), (row + 1, slot - 1)) for row, slot in SLOTS)
_GREATER = tuple(_present((row - 1, slot + 1), (row + 1, slot)) for row, slot in SLOTS)

Band = tuple[int, int]
"""The limits of a slot: a card fits if its value lies strictly between (R5)."""

Bands = tuple[Band, ...]
"""By slot, empty or filled; a card that lies in a slot sets no limit to it."""


def faces(tower: Tower) -> list[int]:
    """Return the value of the face-up card in each slot, 0 where none sets a limit (R6)."""
    return [VALUES[laid.card] if laid and laid.up else 0 for laid in tower]


def bands(tower: Tower) -> Bands:
    """Return the limits of all slots."""
    shown = faces(tower)
    return tuple([_band(shown, at) for at in range(SIZE)])


def _band(shown: list[int], at: int) -> Band:
    low, high = _ANY_LOW, _ANY_HIGH
    for other in _LEFT[at]:
        if shown[other]:
            low = shown[other]
            break
    for other in _RIGHT[at]:
        if shown[other]:
            high = shown[other]
            break
    for other in _SMALLER[at]:
        low = max(low, shown[other])
    for other in _GREATER[at]:
        if 0 < shown[other] < high:
            high = shown[other]
    return low, high


def bands_after(before: Bands, at: int, tower: Tower, replaced: Laid | None) -> Bands:
    """Return the limits of all slots of ``tower``, in which a card was just laid.

    Args:
        before: the limits before that.
        at: where it was laid; it fitted there.
        tower: with the card.
        replaced: what lay there.
    """
    laid = tower[at]
    if laid is None or not laid.up:
        return before  # only reserve actions replace a card, and lay one face up
    value = VALUES[laid.card]
    gone = VALUES[replaced.card] if replaced and replaced.up else None
    shown = faces(tower) if gone else []
    after = list(before)
    # Cards that are face up ascend in each row, so the nearest sets the closest limit. A limit that
    # was set by the card that is gone is looked for anew, all others can but come closer.
    for other in (*_RIGHT[at], *_GREATER[at]):
        low, high = after[other]
        if low == gone:
            after[other] = _band(shown, other)
        elif low < value:
            after[other] = value, high
    for other in (*_LEFT[at], *_SMALLER[at]):
        low, high = after[other]
        if high == gone:
            after[other] = _band(shown, other)
        elif value < high:
            after[other] = low, value
    return tuple(after)


def ready_slots(tower: Tower) -> list[int]:
    """Return the slots that are filled or can be filled, ascending (R4)."""
    above = [at for at, (left, right) in _ABOVE if tower[at] or (tower[left] and tower[right])]
    return _BOTTOM + above


def is_open(tower: Tower, at: int) -> bool:
    """Return whether slot ``at`` is empty and can be filled (R4)."""
    return tower[at] is None and None not in [tower[support] for support in SUPPORTS[at]]


def is_full(tower: Tower) -> bool:
    """Return whether all slots are filled: the top one needs all the others (R4)."""
    return tower[TOP] is not None


def face_up_count(tower: Tower) -> int:
    """Return the number of face-up cards, 0 to 28 (R16)."""
    return sum([laid.up for laid in tower if laid])


def cards_drawn_for(tower: Tower, at: int) -> int:
    """Return how many cards the next turn draws for the card just placed in slot ``at`` (R8)."""
    laid = tower[at]
    if laid is None or not laid.up or laid.card == FINISH:
        return 0
    mark = MARKS[laid.card]
    if mark != HEART:
        return mark
    below = (tower[support] for support in SUPPORTS[at])
    return sum(diamonds(under.card) for under in below if under is not None and under.up)
