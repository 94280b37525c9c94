"""What one seat may know of a match: the only way out of this package towards a bot.

Everything is built up from nothing, so a field of the state that nobody copies here stays
hidden. Rule numbers refer to RULES.md.
"""

from functools import cache
from typing import Literal, assert_never

from msgspec import UNSET, UnsetType

from arena.games.base import Fault, Public, Seat
from arena.games.couperation.actions import Discard, Place, Reserve
from arena.games.couperation.cards import Card
from arena.games.couperation.rules import to_act
from arena.games.couperation.state import Acted, Drew, Happening, Passed, State
from arena.games.couperation.tower import ROW_ENDS, Laid, face_up_count


class Slot(Public, frozen=True, kw_only=True):
    """A filled slot of the tower as one seat sees it."""

    card: Card | None
    """``None`` if another seat placed it face down."""

    up: bool
    by: int | None
    """The seat that placed it; ``None`` for the first 25."""


class Observation(Public, frozen=True, kw_only=True):
    """All that a seat may know of the table now."""

    seat: int
    """The seat that sees this."""

    to_act: int | None
    """``None`` once the game is over."""

    phase: Literal["draw", "act", "discard"]
    hand: tuple[int, ...]
    """The seat's own, ascending; without the Finish card."""

    hand_sizes: tuple[int, ...]
    """By seat, without the Finish card."""

    finish: int | None
    """The seat before which the Finish card lies."""

    tower: tuple[tuple[Slot | None, ...], ...]
    """Seven rows from the bottom, each from the left; ``None`` is an empty slot."""

    reserve: tuple[int, ...]
    """Ascending."""

    removed: tuple[int, ...]
    """Ascending."""

    deck: int
    """Cards left in the deck, the Finish card included."""

    score: int
    """Face-up cards in the tower."""


class DrawEvent(Public, frozen=True, kw_only=True, tag="draw"):
    """A seat drew, on its turn; also where it drew nothing."""

    seat: int
    count: int
    """Cards that came to hand."""

    cards: tuple[int, ...] | None
    """Those cards in the order of the deck; ``None`` for other seats."""

    finish: bool
    """The Finish card came up and lies in front of ``seat``."""


class PlaceEvent(Public, frozen=True, kw_only=True, tag="place"):
    """A seat placed a card."""

    seat: int
    card: Card | None
    """``None`` for other seats if it lies face down."""

    row: int
    slot: int
    up: bool


class ReserveEvent(Public, frozen=True, kw_only=True, tag="reserve"):
    """A seat used the reserve."""

    seat: int
    pair: tuple[int, int]
    extra: tuple[int, ...]
    take: int
    row: int
    slot: int
    replaced: Card | UnsetType | None = UNSET
    """The card taken up: ``None`` if this seat may not know it, absent if the slot was empty."""


class DiscardEvent(Public, frozen=True, kw_only=True, tag="discard"):
    """A seat discarded into the reserve."""

    seat: int
    card: int


class PassEvent(Public, frozen=True, kw_only=True, tag="pass"):
    """A seat had no legal action."""

    seat: int


Event = DrawEvent | PlaceEvent | ReserveEvent | DiscardEvent | PassEvent | Fault


def observe(state: State, seat: Seat) -> Observation:
    """Return all that ``seat`` may know of the table now (R18, R19)."""
    tower = [laid and _slot(laid, seat) for laid in state.tower]
    return Observation(
        seat=seat,
        to_act=to_act(state),
        phase=state.phase,
        hand=state.hands[seat],
        hand_sizes=tuple([len(hand) for hand in state.hands]),
        finish=state.front,
        tower=tuple([tuple(tower[start:end]) for start, end in ROW_ENDS]),
        reserve=state.reserve,
        removed=state.removed,
        deck=state.deck,
        score=face_up_count(state.tower),
    )


def events(state: State, seat: Seat) -> tuple[Event, ...]:
    """Return what led to ``state`` from the state before, as ``seat`` may see it.

    Nothing for an opening state: what the deal shows is in the observation.
    """
    return tuple([_event_seen(happening, seat) for happening in state.happened])


def _known_to(laid: Laid, seat: int) -> bool:
    """Return whether ``seat`` knows the face of ``laid`` while it lies there (R18, R19)."""
    return laid.up or laid.by == seat


@cache  # few different ones: 51 cards, two sides, four seats that placed, and four that look
def _slot(laid: Laid, seat: Seat) -> Slot:
    return Slot(card=laid.card if _known_to(laid, seat) else None, up=laid.up, by=laid.by)


def _event_seen(happening: Happening, seat: Seat) -> Event:
    by = happening.seat
    match happening:
        case Drew():
            own = happening.cards if by == seat else None
            count = len(happening.cards)
            return DrawEvent(seat=by, count=count, cards=own, finish=happening.finish)
        case Acted():
            return _action_seen(by, happening.action, happening.replaced, seat)
        case Passed():
            return PassEvent(seat=by)
        case _:
            assert_never(happening)


def _action_seen(
    by: Seat, action: Place | Reserve | Discard, replaced: Laid | None, seat: Seat
) -> Event:
    match action:
        case Place():
            card = action.card if action.up or by == seat else None
            return PlaceEvent(seat=by, card=card, row=action.row, slot=action.slot, up=action.up)
        case Reserve():
            return _reserve_seen(by, action, replaced, seat)
        case Discard():
            return DiscardEvent(seat=by, card=action.card)
        case _:
            assert_never(action)


def _reserve_seen(by: Seat, action: Reserve, replaced: Laid | None, seat: Seat) -> ReserveEvent:
    taken_up: Card | UnsetType | None = UNSET
    if replaced is not None:
        # Who takes a card up sees it; who had placed it knows it; the others do not (R21).
        taken_up = replaced.card if by == seat or _known_to(replaced, seat) else None
    return ReserveEvent(
        seat=by,
        pair=action.pair,
        extra=action.extra,
        take=action.take,
        row=action.row,
        slot=action.slot,
        replaced=taken_up,
    )
