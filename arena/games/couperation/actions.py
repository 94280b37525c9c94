"""What a seat may do, as it goes over the wire."""

from arena.games.base import Public
from arena.games.couperation.cards import Card

# `gc=False`: actions hold no reference cycles, and a turn can make thousands of them.


class Draw(Public, frozen=True, kw_only=True, tag="draw", gc=False):
    """The first player's choice how many cards to draw (R8e)."""

    count: int
    """0 or 1."""


class Place(Public, frozen=True, kw_only=True, tag="place", gc=False):
    """Put a card from hand, or the Finish card, into an empty slot of the tower (R9)."""

    card: Card
    row: int
    """0 to 6, from the bottom."""

    slot: int
    """0 to 6 - ``row``, from the left."""

    up: bool


class Reserve(Public, frozen=True, kw_only=True, tag="reserve", gc=False):
    """Put a pair into the reserve and place a card from there face up (R10)."""

    pair: tuple[int, int]
    """Two cards from hand, ascending."""

    extra: tuple[int, ...]
    """Cards from hand that leave the game, ascending; mostly none."""

    take: int
    row: int
    slot: int
    """Empty with both supports filled, or filled: the card there is taken up."""


class Discard(Public, frozen=True, kw_only=True, tag="discard", gc=False):
    """Put one card from hand into the reserve, because the hand holds too many (R12)."""

    card: int


Action = Draw | Place | Reserve | Discard
