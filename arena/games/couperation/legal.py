"""Which actions are legal: one definition, used to list them and to check one.

Everything here depends only on what the seat to act knows: its own hand, the face-up cards and
the reserve. So neither the list nor the text of a refusal can tell a bot anything hidden. Rule
numbers refer to RULES.md.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations
from typing import TypeVar, assert_never

from arena.errors import IllegalAction
from arena.games.couperation.actions import Action, Discard, Draw, Place, Reserve
from arena.games.couperation.cards import FINISH, FINISH_VALUE, GLASS, VALUES, Card
from arena.games.couperation.state import HAND_LIMIT, Phase, State
from arena.games.couperation.tower import (
    NUMBERS,
    SLOTS,
    Bands,
    Tower,
    is_full,
    is_open,
    ready_slots,
)

ItemT = TypeVar("ItemT")

_PAIR = 2
_DRAWS = (Draw(count=0), Draw(count=1))
# Actions are values, so the few that exist of these kinds are made once.
_DISCARDS = {card: Discard(card=card) for card in GLASS}
_PLACES: dict[Card, tuple[tuple[Place, Place], ...]] = {
    card: tuple(
        (
            Place(card=card, row=row, slot=slot, up=True),
            Place(card=card, row=row, slot=slot, up=False),
        )
        for row, slot in SLOTS
    )
    for card in VALUES
}

_DECISIONS: dict[Phase, tuple[tuple[type[Action], ...], str]] = {
    "draw": ((Draw,), "R8e: the first player first chooses to draw 0 or 1 cards"),
    "act": ((Place, Reserve), "R11: after drawing, a turn places a card or uses the reserve"),
    "discard": ((Discard,), f"R12: a hand of more than {HAND_LIMIT} cards must discard"),
}
"""By phase: the kinds of action that can be legal, and what is said to any other."""

_Goal = tuple[int, int, int]
"""A card to take, and the row and slot to place it in."""

_GOALS: dict[int, tuple[_Goal, ...]] = {
    card: tuple((card, row, slot) for row, slot in SLOTS) for card in GLASS
}


def legal_actions(state: State) -> tuple[Action, ...]:
    """Return every legal action of the seat to act once, in the order of RULES.md."""
    if state.outcome is not None:
        return ()
    if state.phase == "draw":
        return _DRAWS
    if state.phase == "discard":
        return tuple([_DISCARDS[card] for card in state.hands[state.seat]])
    ready = ready_slots(state.tower)
    return (*_places(state, ready), *_reserves(state, ready))


def can_act(state: State) -> bool:
    """Return whether the seat to act has a legal action in phase "act" (R11).

    The same as a look at `legal_actions`, but mostly without making any.
    """
    hand, finish = state.hands[state.seat], state.front == state.seat
    # Some empty slot can be filled, and face down every card goes there.
    if hand and not is_full(state.tower):
        return True
    if len(hand) < _PAIR and not finish:
        return False
    ready = ready_slots(state.tower)
    if finish and _places(state, ready):
        return True
    return any(True for _ in _reserve_choices(state, ready))


def _places(state: State, ready: Sequence[int]) -> list[Place]:
    slots = [(at, *state.bands[at]) for at in ready if state.tower[at] is None]
    found: list[Place] = []
    for card in state.hands[state.seat]:
        of_card = _PLACES[card]
        for at, low, high in slots:
            found += of_card[at] if low < card < high else of_card[at][1:]
    if state.front == state.seat:
        found += [_PLACES[FINISH][at][0] for at, low, high in slots if low < FINISH_VALUE < high]
    return found


def _reserves(state: State, ready: Sequence[int]) -> list[Reserve]:
    return [
        Reserve(pair=pair, extra=extra, take=take, row=row, slot=slot)
        for pair, extra, goals in _reserve_choices(state, ready)
        for take, row, slot in goals
    ]


def _reserve_choices(
    state: State, ready: Sequence[int]
) -> Iterator[tuple[tuple[int, int], tuple[int, ...], list[_Goal]]]:
    """Yield each pair and extra cards with all that can be taken for them, in order (R10)."""
    hand, reserve = state.hands[state.seat], state.reserve
    goals_for = _GoalsFor(ready, state.bands)
    for pair in combinations(hand, 2):
        there = reserve + pair  # R10d
        # Most pairs reach nothing of that.
        if _reached(*pair, len(hand) - 2).isdisjoint(there):
            continue
        goals = [
            [goal for take in reachable(*pair, extra) if take in there for goal in goals_for[take]]
            for extra in range(len(hand) - 1)
        ]
        if any(goals):
            rest = tuple([card for card in hand if card not in pair])
            for extra in subsets(rest):
                if goals[len(extra)]:
                    yield pair, extra, goals[len(extra)]


class _GoalsFor(dict[int, list[_Goal]]):
    """By card taken: where it can be placed, worked out once a card (R10e)."""

    __slots__ = ("_bands", "_ready")

    def __init__(self, ready: Sequence[int], bands: Bands) -> None:
        self._ready = ready
        self._bands = bands

    def __missing__(self, card: int) -> list[_Goal]:
        bands, of_card = self._bands, _GOALS[card]
        goals = []
        for at in self._ready:
            low, high = bands[at]
            if low < card < high:
                goals.append(of_card[at])
        self[card] = goals
        return goals


@cache
def reachable(smaller: int, greater: int, extra: int) -> tuple[int, ...]:
    """Return the cards that a pair reaches with ``extra`` extra cards, ascending (R10b, R10c)."""
    goals = (greater + smaller, greater - smaller)
    return tuple(sorted({goal + shift for goal in goals for shift in (extra, -extra)} & set(GLASS)))


@cache
def _reached(smaller: int, greater: int, most: int) -> frozenset[int]:
    """Return the cards that a pair reaches with up to ``most`` extra cards."""
    return frozenset(
        card for extra in range(most + 1) for card in reachable(smaller, greater, extra)
    )


def subsets(items: Sequence[ItemT]) -> list[tuple[ItemT, ...]]:
    """Return all subsets of ``items``, compared item by item, a prefix first."""
    return [tuple([items[at] for at in chosen]) for chosen in _subsets(len(items))]


@cache
def _subsets(size: int, start: int = 0) -> tuple[tuple[int, ...], ...]:
    longer = ((first, *rest) for first in range(start, size) for rest in _subsets(size, first + 1))
    return ((), *longer)


def check(state: State, action: Action) -> None:
    """Return if ``action`` is legal for the seat to act.

    Raises:
        IllegalAction: it is not; the text cites the rule.
    """
    if state.outcome is not None:
        raise IllegalAction("R13: the game is over")
    allowed, text = _DECISIONS[state.phase]
    if not isinstance(action, allowed):
        raise IllegalAction(text)
    match action:
        case Draw():
            if action not in _DRAWS:
                raise IllegalAction("R8e: the first player draws 0 or 1 cards")
        case Place():
            _check_place(state, action)
        case Reserve():
            _check_reserve(state, action)
        case Discard():
            if action.card not in state.hands[state.seat]:
                raise IllegalAction("R12: you do not hold that card")
        case _:
            assert_never(action)


def _check_place(state: State, action: Place) -> None:
    if action.card == FINISH:
        if state.front != state.seat:
            raise IllegalAction("R9d: the Finish card does not lie in front of you")
        if not action.up:
            raise IllegalAction("R9c: the Finish card is never placed face down")
    elif action.card not in state.hands[state.seat]:
        raise IllegalAction("R9a: you do not hold that card")
    at = _number(action)
    if state.tower[at] is not None:
        raise IllegalAction(f"R9a: slot {SLOTS[at]} is filled")
    _check_open(state.tower, at)
    if action.up:
        _check_fits(state, at, VALUES[action.card])


def _check_reserve(state: State, action: Reserve) -> None:
    hand, pair, extra = state.hands[state.seat], action.pair, action.extra
    if not (pair[0] < pair[1] and pair[0] in hand and pair[1] in hand):
        raise IllegalAction("R10a: the pair is two cards of your hand, ascending")
    rest = tuple(card for card in hand if card not in pair)
    # Drops what is not in the hand, what is double and what is out of order.
    if extra != tuple(card for card in rest if card in extra):
        raise IllegalAction("R10c: extra cards are other cards of your hand, ascending")
    if action.take not in state.reserve and action.take not in pair:
        raise IllegalAction("R10b: the card to take is not in the reserve")
    if action.take not in reachable(*pair, len(extra)):
        raise IllegalAction(
            f"R10b: the pair {pair} with {len(extra)} extra cards does not reach {action.take}"
        )
    at = _number(action)
    if state.tower[at] is None:
        _check_open(state.tower, at)
    _check_fits(state, at, action.take)


def _number(action: Place | Reserve) -> int:
    at = NUMBERS.get((action.row, action.slot))
    if at is None:
        raise IllegalAction("R3: the tower has no such slot")
    return at


def _check_open(tower: Tower, at: int) -> None:
    if not is_open(tower, at):
        raise IllegalAction(f"R4: the supports of slot {SLOTS[at]} are not both filled")


def _check_fits(state: State, at: int, value: int) -> None:
    low, high = state.bands[at]
    if not low < value < high:
        raise IllegalAction(
            f"R5: {value} does not fit slot {SLOTS[at]}, which takes more than {low}"
            f" and less than {high}"
        )
