"""What a seat may do in Donburiko, and the order in which it is listed."""

from collections.abc import Mapping
from typing import TypeAlias

from arena.games.base import Public
from arena.games.donburiko.cards import FACES, PLAYER_COUNTS, Face


class Play(Public, frozen=True, kw_only=True, tag="play"):
    """Place a card from hand on a column (R9)."""

    card: str
    """A face; anything else is refused by the rules, which name the rule, not by the decoder."""

    column: int
    """From 0."""

    up: bool


class Claim(Public, frozen=True, kw_only=True, tag="claim"):
    """Take a column, and be out of the round (R12)."""

    column: int


Action: TypeAlias = Play | Claim

_COLUMNS = range(max(PLAYER_COUNTS))

# Every action there is exists once: listing the legal ones is picking from these.
UP_PLAYS: Mapping[Face, tuple[tuple[Play, ...], ...]] = {
    face: tuple((Play(card=face, column=column, up=True),) for column in _COLUMNS) for face in FACES
}
"""By face and column: the play face up alone, for a player without tokens (R11)."""

PLAYS: Mapping[Face, tuple[tuple[Play, ...], ...]] = {
    face: tuple(
        (*ups, Play(card=face, column=column, up=False)) for column, ups in enumerate(by_column)
    )
    for face, by_column in UP_PLAYS.items()
}
"""By face and column: the plays face up and face down."""

CLAIMS = tuple(Claim(column=column) for column in _COLUMNS)
"""By column."""
