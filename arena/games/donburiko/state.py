"""The whole truth about a Donburiko match, hidden cards included.

Only the referee holds it. What a seat may see of it is in `arena.games.donburiko.observation`.
"""

from typing import Literal, NamedTuple, TypeAlias

import msgspec

from arena.games.base import Seat
from arena.games.donburiko.cards import Face

ROUND_LIMIT = 50  # R19

RoundEnd: TypeAlias = Literal["donburiko", "no_columns", "single_cards"]


class PlacedCard(NamedTuple):
    """A card in a column."""

    face: Face
    up: bool
    by: Seat | None
    """Who placed it; ``None`` for the card that was dealt."""


class OpenColumn(NamedTuple):
    """A column that nobody has claimed yet."""

    cards: tuple[PlacedCard, ...]
    """In the order in which they were placed; one to six."""

    tokens: int


class RoundBegan(NamedTuple):
    """What happened: a round was dealt."""

    round: int
    starts: Seat


class CardPlayed(NamedTuple):
    """What happened: a seat placed a card; ``face`` is the truth also for a hidden one."""

    seat: Seat
    column: int
    face: Face
    up: bool


class ColumnClaimed(NamedTuple):
    """What happened: a seat took a column."""

    seat: Seat
    column: int
    faces: tuple[Face, ...]
    """In the order in which they lay."""

    tokens: int
    """Those that lay on the column."""

    total: int
    paid: int
    """What really came from the bank; negative where the claimer paid it."""


class RoundEnded(NamedTuple):
    """What happened: a round ended."""

    round: int
    reason: RoundEnd


Happening: TypeAlias = RoundBegan | CardPlayed | ColumnClaimed | RoundEnded


class State(msgspec.Struct, frozen=True, kw_only=True):
    """A match between two actions, or after the last one."""

    round: int
    """From 1."""

    turn: Seat | None
    """Whose turn it is; ``None`` once the match is over."""

    tokens: tuple[int, ...]
    """By seat."""

    bank: int
    hands: tuple[tuple[Face, ...], ...]
    """By seat, each in canonical order."""

    in_round: tuple[bool, ...]
    """By seat: has not claimed yet."""

    columns: tuple[OpenColumn | None, ...]
    """By number; ``None`` once claimed."""

    set_aside: tuple[Face, ...]
    end_met: bool
    """What R18 looks for has been so in this round."""

    rounds: tuple[tuple[Face, ...], ...]
    """The chance used so far: the shuffled cards of each round begun."""

    happened: tuple[Happening, ...]
    """What led here from the state before, oldest first."""

    @property
    def last_round(self) -> bool:
        """The round is known to be the last one (R18a, R19)."""
        return self.end_met or self.round == ROUND_LIMIT
