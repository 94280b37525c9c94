"""Couperation in words: what a person may do, and what happened as a seat was told it."""

from collections.abc import Sequence
from typing import assert_never

from msgspec import UNSET

from arena.games.base import Fault, Who
from arena.games.couperation.actions import Action, Discard, Draw, Place, Reserve
from arena.games.couperation.cards import FINISH, Card
from arena.games.couperation.observation import (
    DiscardEvent,
    DrawEvent,
    Event,
    PassEvent,
    PlaceEvent,
    ReserveEvent,
)


def say_action(action: Action) -> str:
    """Return what ``action`` does, as an instruction."""
    match action:
        case Draw():
            return f"draw {_counted(action.count)}"
        case Place():
            return f"place {_card(action.card)} {_side(up=action.up)} {_where(action)}"
        case Reserve():
            removed = f", remove {_listed(action.extra)}" if action.extra else ""
            return f"reserve {_listed(action.pair)}{removed}, take {action.take} {_where(action)}"
        case Discard():
            return f"discard {action.card}"
        case _:
            assert_never(action)


def say_event(event: Event, who: Who) -> str:
    """Return what happened in ``event``, as a sentence without its full stop."""
    by = who(event.seat)
    match event:
        case DrawEvent():
            drawn = _listed(event.cards) if event.cards else _counted(event.count)
            return f"{by} drew {drawn}{' and the Finish card' if event.finish else ''}"
        case PlaceEvent():
            card = "a card" if event.card is None else _card(event.card)
            return f"{by} placed {card} {_side(up=event.up)} {_where(event)}"
        case ReserveEvent():
            removed = f", removed {_listed(event.extra)}" if event.extra else ""
            took = f"took {event.take} {_where(event)}{_taken_up(event)}"
            return f"{by} put {_listed(event.pair)} into the reserve{removed}, {took}"
        case DiscardEvent():
            return f"{by} discarded {event.card} into the reserve"
        case PassEvent():
            return f"{by} passed, having no legal action"
        case Fault():
            return f"{by} is out of the match"
        case _:
            assert_never(event)


def _taken_up(event: ReserveEvent) -> str:
    if event.replaced is UNSET:
        return ""
    card = "the card" if event.replaced is None else _card(event.replaced)
    return f" and took up {card} that lay there"


def _where(at: Place | PlaceEvent | Reserve | ReserveEvent) -> str:
    return f"in row {at.row} slot {at.slot}"


def _side(*, up: bool) -> str:
    return "face up" if up else "face down"


def _card(card: Card) -> str:
    return "Finish" if card == FINISH else str(card)


def _listed(cards: Sequence[Card]) -> str:
    *others, last = map(str, cards)
    return f"{' '.join(others)} and {last}" if others else last


def _counted(cards: int) -> str:
    return f"{cards or 'no'} {'cards' if cards > 1 else 'card'}"
