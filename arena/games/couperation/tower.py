"""The glass tower: its slots, what rests on what, and which card fits where.

Slots are numbered 0 to 27 here, row by row from the bottom and from left to right, so that all
there is to know of the shape is looked up in tables. It knows nothing of hands or turns. Rule
numbers refer to RULES.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from arena.games.couperation.cards import FINISH, HEART, MARKS, VALUES, Card, diamonds

ROWS = 7
ROW_SLOTS: tuple[tuple[tuple[int, int], ...], ...] = tuple(
    tuple((row, slot) for slot in range(ROWS - row)) for row in range(ROWS)
)
SLOTS: tuple[tuple[int, int], ...] = tuple(place for row in ROW_SLOTS for place in row)
"""(row, slot) by number (R3)."""

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


@dataclass(frozen=True, slots=True)
class Laid:
    """A card that lies in the tower."""

    card: Card
    up: bool
    by: int | None
    """The seat that placed it, ``None`` for the first 25. Only this seat knows a card face down."""


Tower = tuple[Laid | None, ...]
"""What lies in each of the 28 slots, by number; ``None`` where a slot is empty."""

_ABOVE = tuple((at, (SUPPORTS[at][0], SUPPORTS[at][1])) for at in range(ROWS, SIZE))
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


def faces(tower: Tower) -> list[int]:
    """Return the value of the face-up card in each slot, 0 where none sets a limit (R6)."""
    return [VALUES[laid.card] if laid is not None and laid.up else 0 for laid in tower]


def band(shown: list[int], at: int) -> tuple[int, int]:
    """Return the limits of slot ``at``: a card fits if its value lies strictly between (R5).

    Args:
        shown: what `faces` returned.
        at: a slot's number, empty or filled; a card that lies there sets no limit itself.
    """
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


def open_slots(tower: Tower) -> list[int]:
    """Return the empty slots that can be filled, ascending (R4)."""
    bottom = [at for at in range(ROWS) if tower[at] is None]
    above = [
        at
        for at, (left, right) in _ABOVE
        if tower[at] is None and tower[left] is not None and tower[right] is not None
    ]
    return bottom + above


def is_full(tower: Tower) -> bool:
    """Return whether all slots are filled: the top one needs all the others (R4)."""
    return tower[TOP] is not None


def face_up_count(tower: Tower) -> int:
    """Return the number of face-up cards, 0 to 28 (R16)."""
    return sum(laid is not None and laid.up for laid in tower)


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
