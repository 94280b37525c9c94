"""Donburiko in words: what a person may do, and what happened as a seat was told it."""

from typing import assert_never

from arena.games.base import Fault, Who
from arena.games.donburiko.actions import Action, Claim, Play
from arena.games.donburiko.cards import HIDDEN
from arena.games.donburiko.observation import (
    ClaimEvent,
    Event,
    PlayEvent,
    RoundEndEvent,
    RoundEvent,
)

_ENDS = {
    "donburiko": "that column was worth exactly 6",
    "no_columns": "no column is left",
    "single_cards": "every column left has a single card",
}


def say_action(action: Action) -> str:
    """Return what ``action`` does, as an instruction."""
    match action:
        case Play():
            return f"play {action.card} {_side(up=action.up)} on column {action.column}"
        case Claim():
            return f"claim column {action.column}"
        case _:
            assert_never(action)


def say_event(event: Event, who: Who) -> str:
    """Return what happened in ``event``, as a sentence without its full stop."""
    match event:
        case RoundEvent():
            return f"round {event.round} began: {who(event.starts)} first"
        case PlayEvent():
            card = "a card" if event.card == HIDDEN else event.card
            side = _side(up=event.up)
            return f"{who(event.seat)} played {card} {side} on column {event.column}"
        case ClaimEvent():
            return f"{who(event.seat)} claimed column {event.column}: {_claimed(event)}"
        case RoundEndEvent():
            return f"round {event.round} ended: {_ENDS[event.reason]}"
        case Fault():
            return f"{who(event.seat)} is out of the match"
        case _:
            assert_never(event)


def _side(*, up: bool) -> str:
    return "face up" if up else "face down"


def _claimed(event: ClaimEvent) -> str:
    lay = f", with {_tokens(event.tokens)} on it" if event.tokens else ""
    paid = f"paid {_tokens(-event.paid)}" if event.paid < 0 else f"got {_tokens(event.paid)}"
    return f"{' '.join(event.cards)} are worth {event.sum}{lay}; {paid}"


def _tokens(number: int) -> str:
    return "1 token" if number == 1 else f"{number or 'no'} tokens"
