"""Plays Couperation: judges a table by what may still be laid, and looks ahead in likely worlds.

HEAD
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import combinations
from math import exp
from random import Random

from arena_bot import Action, Bot, Event, Match, Observation, Turn

WEIGHTS_HERE = ""

# Sets of cards are whole numbers whose bit n stands for card n.

SIZE, TOP, FIRST_SLOT = 28, 27, 3
FINISH, FINISH_VALUE = 51, 25
UNKNOWN = -FINISH
HIDDEN = 1 << 52
"""What lies in the slot of a card that another seat placed face down."""

GLASS = (1 << 51) - 2
FROM = [-1 << card for card in range(53)]
"""The cards from each number on."""

SHAPE = [(row, slot) for row in range(7) for slot in range(7 - row)]
AT = {place: at for at, place in enumerate(SHAPE)}
NONE = SIZE
"""Stands for a slot that the tower does not have."""


def beside(row: int, slot: int) -> int:
    """Return the number of a slot, or `NONE`."""
    return AT.get((row, slot), NONE)


LEFT_TO_RIGHT = [
    (AT[row, slot], beside(row - 1, slot), beside(row + 1, slot - 1))
    for row, slot in sorted(SHAPE, key=lambda place: 2 * place[1] + place[0])
]
"""Each slot with the two whose cards are the next smaller ones, these first."""

RIGHT_TO_LEFT = [
    (at, beside(row - 1, slot + 1), beside(row + 1, slot))
    for at, (row, slot) in reversed([(at, SHAPE[at]) for at, _, _ in LEFT_TO_RIGHT])
]
SUPPORTS = [(beside(row - 1, slot), beside(row - 1, slot + 1)) for row, slot in SHAPE]
ROWS = [[AT[row, slot] for slot in range(7 - row)] for row in range(7)]
VALUES = [*range(51), FINISH_VALUE]
DIAMONDS = [card % 3 if card % 5 else 0 for card in range(51)] + [0]


def cards_of(cards: int) -> Iterator[int]:
    """Yield the cards of a set, ascending."""
    while cards:
        lowest = cards & -cards
        yield lowest.bit_length() - 1
        cards ^= lowest


def set_of(cards: Iterable[int]) -> int:
    """Return ``cards`` as a set."""
    return sum(1 << card for card in cards)
