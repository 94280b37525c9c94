"""Other worlds: matches that one seat of Couperation cannot tell from the one it plays in.

A *world* is a deck in dealing order and the actions of all seats. What a seat came to know is
worked out here from states and actions alone. `observe` and `events` have no part in it, so that
they can be held to the outcome.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec

from arena.errors import IllegalAction
from arena.games.base import Seat
from arena.games.couperation import COUPERATION as GAME
from arena.games.couperation.actions import Action, Discard, Draw, Place, Reserve
from arena.games.couperation.cards import FINISH, Card
from arena.games.couperation.state import State
from tests.games.couperation_tables import Actions, Deck, Dice, random_tries, refusal, replay
from tests.games.worlds import sent

RESERVE_DEALT = {2: 4, 3: 3, 4: 2}


def another_world(
    deck: Deck, actions: Actions, players: int, seat: int, dice: Dice
) -> tuple[Deck, Actions] | None:
    """Return another deck and history that ``seat`` cannot tell from the given ones.

    The public part of the history is the same; what may differ is every card that the seat never
    came to know, the order in which other seats came by cards that they showed later, and where
    in the deck the Finish card lay.

    Args:
        deck: 47 cards in dealing order, or 48 with the Finish card.
        actions: a match on ``deck``, or the beginning of one.
        players: 2 to 4.
        seat: who must not notice.
        dice: decides which of the other worlds it is.

    Returns:
        The deck and actions of the other world; ``None`` if the draw is no such world, because
        somebody had to pass in one of the two and not in the other.
    """
    states = replay(deck, actions, players)
    secret = sorted(set(range(1, 51)) - _known(states, actions, seat))
    swapped = dict(zip(secret, dice.shuffled(secret), strict=True))
    other_actions = tuple(_renamed(action, swapped) for action in actions)
    glass = [swapped.get(card, card) for card in deck if card != FINISH]
    _reorder_set_up(glass, players, seat, dice)
    _reorder_arrivals(glass, states, other_actions, seat, dice)
    other_deck: list[Card] = [*glass]
    if FINISH in deck:
        other_deck.insert(_another_finish(deck, states, dice), FINISH)
    try:
        other_states = replay(tuple(other_deck), other_actions, players)
    except IllegalAction:
        return None
    if [_turns(state) for state in states] != [_turns(state) for state in other_states]:
        return None
    return tuple(other_deck), other_actions


def _known(states: Sequence[State], actions: Actions, seat: int) -> set[int]:
    """Return the glass cards that ``seat`` has seen: in its hand, or shown to all."""
    seen = {1, 25, 50}
    for state in states:
        seen.update(state.hands[seat], state.reserve, state.removed)
        seen.update(laid.card for laid in state.tower if laid and laid.up and laid.card != FINISH)
    for action in actions:
        if isinstance(action, Reserve):
            seen.update(action.pair, action.extra)
    return seen


def _renamed(action: Action, swapped: Mapping[int, int]) -> Action:
    """Return ``action`` with a hidden card renamed: only a face-down place can have one."""
    if isinstance(action, Place) and action.card != FINISH and action.card in swapped:
        return msgspec.structs.replace(action, card=swapped[action.card])
    return action


def _turns(state: State) -> tuple[object, ...]:
    """Return what tells whether the same seats passed on the way to two states.

    All else that is public follows, by the rules, from the public part of the history.
    """
    return state.seat, state.phase, state.passes, state.outcome


def _reorder_set_up(glass: list[int], players: int, seat: int, dice: Dice) -> None:
    """Change in which order the seat's first hand and the reserve were dealt, in place."""
    hands = players * 3
    for part in (range(seat, hands, players), range(hands, hands + RESERVE_DEALT[players])):
        cards = dice.shuffled([glass[place] for place in part])
        for place, card in zip(part, cards, strict=True):
            glass[place] = card


@dataclass
class _Arrival:
    """A place in the deck that another seat drew from, and from which state on it has the card."""

    place: int
    seat: int
    state: int


def _reorder_arrivals(
    glass: list[int], states: Sequence[State], actions: Actions, seat: int, dice: Dice
) -> None:
    """Change in which order other seats came by their cards, in place.

    Two cards of one seat can change places if the one that now comes later was not used before.
    """
    truth = [card for card in states[0].dealt if card != FINISH]
    arrivals = []
    for place, card in enumerate(truth):
        for number, state in enumerate(states):
            owner = next((by for by, hand in enumerate(state.hands) if card in hand), None)
            if owner is not None:
                if owner != seat:
                    arrivals.append(_Arrival(place, owner, number))
                break
            if card in state.reserve:
                break  # dealt into the reserve
    for _ in range(2 * len(arrivals)):
        early, late = sorted(
            (dice.pick(arrivals), dice.pick(arrivals)), key=lambda each: each.place
        )
        if early.seat == late.seat and late.state <= _first_use(glass[early.place], actions):
            glass[early.place], glass[late.place] = glass[late.place], glass[early.place]


def _first_use(card: int, actions: Actions) -> int:
    """Return the number of the first action that takes ``card`` from a hand."""
    for number, action in enumerate(actions):
        used: tuple[Card, ...] = ()
        match action:
            case Place() | Discard():
                used = (action.card,)
            case Reserve():
                used = action.pair + action.extra
            case Draw():
                pass
        if card in used:
            return number
    return len(actions)


def _another_finish(deck: Deck, states: Sequence[State], dice: Dice) -> int:
    """Return a place from which the Finish card comes up in the same draw, or stays in the deck."""
    place = deck.index(FINISH)
    half = (len(deck) - 1 - states[0].taken) // 2
    first = len(deck) - 1 - half
    came = next((number for number, state in enumerate(states) if state.taken > place), None)
    if came is None:
        return dice.between(max(first, states[-1].taken), len(deck))
    if states[came].passes:
        return place  # several seats drew here, and which of them it came to is seen by all
    before, after = states[came - 1].taken, states[came].taken
    # The last card of a draw was drawn for the Finish card, unless the deck ended with it.
    return dice.between(max(first, before), max(after - 1, place + 1))


def transcript(states: Sequence[State], seat: Seat) -> list[bytes]:
    """Return all that ``seat`` could be told in a match, as bytes, oldest first.

    Beside what it is sent at each state: what is said on its own turns to a number of tries,
    legal or not, that are made up from nothing but its own hand.
    """
    told = sent(GAME, states, seat)
    for number, state in enumerate(states):
        if GAME.to_act(state) == seat:
            tries = random_tries(Dice(f"tries-{number}"), state.hands[seat], 12)
            told += [str(refusal(state, attempt)).encode() for attempt in tries]
    return told
