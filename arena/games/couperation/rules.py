"""How a match of Couperation goes on and ends. Rule numbers refer to RULES.md."""

from collections.abc import Sequence
from typing import assert_never

from msgspec.structs import replace

from arena.games.base import Chance, Seat, standing
from arena.games.couperation.actions import Action, Discard, Draw, Place, Reserve
from arena.games.couperation.cards import FINISH
from arena.games.couperation.legal import can_act, check
from arena.games.couperation.state import (
    AFTER_PASS,
    HAND_LIMIT,
    STANDARD,
    Acted,
    Passed,
    State,
    draw_cards,
)
from arena.games.couperation.tower import (
    NUMBERS,
    SIZE,
    Laid,
    bands_after,
    cards_drawn_for,
    face_up_count,
    is_full,
)

BEST_SCORE = SIZE


def to_act(state: State) -> Seat | None:
    """Return the seat whose decision is awaited, ``None`` once the game is over."""
    return state.seat if state.outcome is None else None


def apply(state: State, action: Action, _chance: Chance) -> State:
    """Return the state at the next decision, or the last one.

    What no seat decides happens on the way: draws, and passes of seats without a legal action.

    Raises:
        IllegalAction: the seat to act may not do that; the text cites the rule.
    """
    check(state, action)
    match action:
        case Draw():
            return draw_cards(replace(state, happened=()), state.seat, action.count)
        case Place():
            return _end_turn(_place(state, action), action)
        case Reserve():
            return _end_turn(_use_reserve(state, action), action)
        case Discard():
            return _play_on(_discard(state, action))
        case _:
            assert_never(action)


def _place(state: State, action: Place) -> State:
    seat = state.seat
    front, hands = state.front, state.hands
    if action.card == FINISH:
        front = None
    else:
        hands = _with_hand(state, [card for card in hands[seat] if card != action.card])
    at = NUMBERS[action.row, action.slot]
    laid = Laid(action.card, up=action.up, by=seat)
    tower = (*state.tower[:at], laid, *state.tower[at + 1 :])
    return replace(
        state,
        hands=hands,
        front=front,
        tower=tower,
        bands=bands_after(state.bands, at, tower, None),
        owed=cards_drawn_for(tower, at),
        passes=0,
        happened=(Acted(seat, action),),
    )


def _use_reserve(state: State, action: Reserve) -> State:
    seat = state.seat
    spent = (*action.pair, *action.extra)
    hand = [card for card in state.hands[seat] if card not in spent]
    front = state.front
    at = NUMBERS[action.row, action.slot]
    replaced = state.tower[at]
    if replaced is not None:
        if replaced.card == FINISH:
            front = seat
        else:
            hand.append(replaced.card)
    tower = (*state.tower[:at], Laid(action.take, up=True, by=seat), *state.tower[at + 1 :])
    # The pair goes in first, so that one of it can be the card that is taken (R10d).
    stock = [card for card in (*state.reserve, *action.pair) if card != action.take]
    return replace(
        state,
        hands=_with_hand(state, hand),
        front=front,
        tower=tower,
        bands=bands_after(state.bands, at, tower, replaced),
        reserve=tuple(sorted(stock)),
        removed=tuple(sorted(state.removed + action.extra)) if action.extra else state.removed,
        owed=cards_drawn_for(tower, at),
        passes=0,
        happened=(Acted(seat, action, replaced),),
    )


def _discard(state: State, action: Discard) -> State:
    hand = [card for card in state.hands[state.seat] if card != action.card]
    return replace(
        state,
        hands=_with_hand(state, hand),
        reserve=tuple(sorted((*state.reserve, action.card))),
        happened=(Acted(state.seat, action),),
    )


def _with_hand(state: State, hand: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Return all hands, with ``hand`` for the seat to act."""
    seat = state.seat
    return (*state.hands[:seat], tuple(sorted(hand)), *state.hands[seat + 1 :])


def _end_turn(state: State, action: Place | Reserve) -> State:
    """Go on after ``action`` took effect: the game is won, or play goes on."""
    return replace(state, outcome="won") if _wins(state, action) else _play_on(state)


def _wins(state: State, action: Place | Reserve) -> bool:
    if not is_full(state.tower) or face_up_count(state.tower) < SIZE:
        return False
    if state.variant == STANDARD:
        return True  # R14a
    # R14b: a card placed as the last of 28 went into (6, 0), which rests on all the others.
    return isinstance(action, Place) and action.card == FINISH


def _play_on(state: State) -> State:
    """Go on to the next decision or the end: the hand limit (R12) comes before the next turn."""
    players = len(state.hands)
    while len(state.hands[state.seat]) <= HAND_LIMIT:
        seat = Seat((state.seat + 1) % players)
        state = draw_cards(state, seat, state.owed)
        if can_act(state):
            return state
        passes = state.passes + 1
        state = replace(
            state,
            owed=AFTER_PASS,
            passes=passes,
            outcome="lost" if passes >= players and not state.deck else None,
            happened=(*state.happened, Passed(seat)),
        )
        if state.outcome is not None:
            return state
    return replace(state, phase="discard")


def scores(state: State) -> tuple[int, ...]:
    """Return the shared score for each seat: the face-up cards, 0 to 28 (R16).

    A full tower that did not win scores one less than a win (R16a).
    """
    count = face_up_count(state.tower)
    if count == BEST_SCORE and state.variant != STANDARD and state.outcome != "won":
        count -= 1
    return (count,) * len(state.hands)


def ranks(state: State) -> tuple[int, ...]:
    """Return 1 for each seat: they win and lose together (R17)."""
    return standing(scores(state))


def reason(state: State) -> str:
    """Return ``won`` or ``lost``, and an empty text while the game goes on."""
    return state.outcome or ""
