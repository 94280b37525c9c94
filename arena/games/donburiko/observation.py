"""What one seat may know of a Donburiko state: the only way out of the rules.

Everything is built up from nothing, so that a field which nobody copies stays hidden.
"""

from functools import cache
from typing import TypeAlias, assert_never

from arena.games.base import Fault, Public, Seat
from arena.games.donburiko.cards import HIDDEN, Face, SeenFace
from arena.games.donburiko.state import (
    CardPlayed,
    ColumnClaimed,
    Happening,
    OpenColumn,
    PlacedCard,
    RoundBegan,
    RoundEnd,
    RoundEnded,
    State,
)


class Card(Public, frozen=True, kw_only=True):
    """A card in a column, as one seat sees it."""

    face: SeenFace
    up: bool
    by: int | None
    """The seat that placed it; ``None`` for the card that was dealt."""


class Column(Public, frozen=True, kw_only=True):
    """A column that nobody has claimed yet."""

    cards: tuple[Card, ...]
    """In the order in which they were placed."""

    tokens: int


class Observation(Public, frozen=True, kw_only=True):
    """All that a seat may know of the table now; RULES.md explains each field."""

    round: int
    last_round: bool
    seat: int
    to_act: int | None
    tokens: tuple[int, ...]
    bank: int
    hand: tuple[Face, ...]
    hand_sizes: tuple[int, ...]
    in_round: tuple[bool, ...]
    set_aside: int
    columns: tuple[Column | None, ...]


class RoundEvent(Public, frozen=True, kw_only=True, tag="round"):
    """A round began."""

    round: int
    starts: int


class PlayEvent(Public, frozen=True, kw_only=True, tag="play"):
    """A seat placed a card."""

    seat: int
    column: int
    card: SeenFace
    up: bool


class ClaimEvent(Public, frozen=True, kw_only=True, tag="claim"):
    """A seat took a column, whose cards everybody now sees."""

    seat: int
    column: int
    cards: tuple[Face, ...]
    tokens: int
    sum: int
    paid: int


class RoundEndEvent(Public, frozen=True, kw_only=True, tag="round_end"):
    """A round ended."""

    round: int
    reason: RoundEnd


Event: TypeAlias = RoundEvent | PlayEvent | ClaimEvent | RoundEndEvent | Fault


def observe(state: State, seat: Seat) -> Observation:
    """Return all that ``seat`` may know of ``state`` (R21, R22)."""
    return Observation(
        round=state.round,
        last_round=state.last_round,
        seat=seat,
        to_act=state.turn,
        tokens=state.tokens,
        bank=state.bank,
        hand=state.hands[seat],
        hand_sizes=tuple([len(hand) for hand in state.hands]),
        in_round=state.in_round,
        set_aside=len(state.set_aside),
        columns=tuple([column and _column(column, seat) for column in state.columns]),
    )


def events(state: State, seat: Seat) -> tuple[Public, ...]:
    """Return what led to ``state`` from the one before, as ``seat`` saw it, oldest first."""
    return tuple([_event(happening, seat) for happening in state.happened])


def _column(column: OpenColumn, seat: Seat) -> Column:
    return Column(
        cards=tuple([_card(placed, seat) for placed in column.cards]), tokens=column.tokens
    )


@cache  # a few hundred exist; looking one up is cheaper than making it again
def _card(placed: PlacedCard, seat: Seat) -> Card:
    seen = placed.face if placed.up or placed.by == seat else HIDDEN
    return Card(face=seen, up=placed.up, by=placed.by)


@cache  # likewise
def _played(played: CardPlayed, seen: SeenFace) -> PlayEvent:
    return PlayEvent(seat=played.seat, column=played.column, card=seen, up=played.up)


def _event(happening: Happening, seat: Seat) -> Event:
    match happening:
        case CardPlayed():
            known = happening.up or happening.seat == seat
            return _played(happening, happening.face if known else HIDDEN)
        case ColumnClaimed(by, column, faces, tokens, total, paid):
            return ClaimEvent(
                seat=by, column=column, cards=faces, tokens=tokens, sum=total, paid=paid
            )
        case RoundBegan(number, starts):
            return RoundEvent(round=number, starts=starts)
        case RoundEnded(number, reason):
            return RoundEndEvent(round=number, reason=reason)
    assert_never(happening)
