"""Couperation as an environment of PettingZoo, and as numbers; the layout is in README.md.

Cards that are placed or discarded have numbers of their own. For `reserve` there are far too many
combinations of cards: there, cards are counted by their place in the hand, of which there are at
most seven, and the card taken by how it comes of the pair.
"""

from collections.abc import Mapping
from functools import cache
from itertools import combinations
from typing import assert_never

from arena.games.couperation import COUPERATION
from arena.games.couperation.actions import Action, Discard, Draw, Place, Reserve
from arena.games.couperation.cards import FINISH, GLASS, SHUFFLED, Card
from arena.games.couperation.legal import subsets
from arena.games.couperation.observation import Observation
from arena.games.couperation.state import HAND_LIMIT
from arena.games.couperation.tower import NUMBERS, SIZE, SLOTS
from arena.rl.encoding import (
    AnyEncoding,
    Encoding,
    Layout,
    Named,
    Part,
    by_seat,
    count_for,
    spans_of,
)
from arena.rl.environment import Maker

_MOST_DRAWN = 4
"""Of a heart on two cards with two diamonds each."""

MOST_HELD = HAND_LIMIT + _MOST_DRAWN
"""Cards in a hand, the Finish card left out."""

_SIDES = 2
_SIGNS = (+1, -1)

_Spent = tuple[tuple[int, int], tuple[int, ...]]
"""Places in the hand of the pair, and of the extra cards."""

SPENT: tuple[_Spent, ...] = tuple(
    (pair, extra)
    for pair in combinations(range(MOST_HELD), 2)
    for extra in subsets([at for at in range(MOST_HELD) if at not in pair])
)
"""What `reserve` can take from a hand, in the order of its numbers."""

_SPENT_NUMBERS: Mapping[_Spent, int] = {spent: at for at, spent in enumerate(SPENT)}

GOALS = 4
"""Sum + extra, sum - extra, difference + extra, difference - extra: cards that can be taken."""

_ACTIONS = spans_of(
    ("draw", 2, "the number of cards"),
    ("place", len(GLASS) * SIZE * _SIDES, "((card - 1) * 28 + slot) * 2 + 1 if face down"),
    ("finish", SIZE, "the slot of the Finish card"),
    ("discard", len(GLASS), "card - 1"),
    ("reserve", len(SPENT) * GOALS * SIZE, "(spent * 4 + goal) * 28 + slot, see below"),
)
_DRAW, _PLACE, _FINISH, _DISCARD, _RESERVE = (span.start for span in _ACTIONS)
_END = _RESERVE + _ACTIONS[-1].length


def encoding(players: int) -> AnyEncoding:
    """Return how Couperation for ``players`` becomes numbers.

    Raises:
        TypeError: ``players`` is not a whole number.
        ValueError: it is not for so many.
    """
    return _encoding(count_for(COUPERATION, players))


@cache
def _encoding(players: int) -> AnyEncoding:
    layout = Layout(_parts(players))

    def named(seen: Observation) -> Named:
        return _named(seen, layout)

    return Encoding(encoding, COUPERATION, players, layout, named, _ACTIONS, _index, _action)


env = Maker(encoding)
"""Makes Couperation an environment, with PettingZoo's check of the order of calls around it."""

raw_env = Maker(encoding, checked=False)
"""Makes the same without the check."""


def _parts(players: int) -> list[Part]:
    relative = "by seat from the own one on"
    cards = (len(GLASS),)
    return [
        Part("seat", (players,), 1, "one-hot: the own seat, counted as at the table"),
        Part("to_act", (players,), 1, f"one-hot, {relative}: whose turn it is; zeros once over"),
        Part("phase", (len(_PHASES),), 1, f"one-hot: {', '.join(_PHASES)}"),
        Part("hand", cards, 1, "by card 1 to 50: whether it is in the own hand"),
        Part("hand_sizes", (players,), MOST_HELD, f"cards in hand, {relative}"),
        Part(
            "finish",
            (players,),
            1,
            f"one-hot, {relative}: before whom the Finish card lies; zeros where before nobody",
        ),
        Part(
            "slot_card",
            (SIZE, len(GLASS) + 2),
            1,
            "one-hot, by slot: card 1 to 50, the Finish card, one not known; zeros where empty",
        ),
        Part("slot_up", (SIZE,), 1, "by slot: whether a card lies there face up"),
        Part(
            "slot_by",
            (SIZE, players),
            1,
            f"one-hot, by slot: who placed the card, {relative}; zeros for the first 25",
        ),
        Part("reserve", cards, 1, "by card 1 to 50: whether it is in the reserve"),
        Part("removed", cards, 1, "by card 1 to 50: whether it has left the game"),
        Part("deck", (1,), len(SHUFFLED) + 1, "cards left in the deck"),
        Part("score", (1,), SIZE, "face-up cards in the tower"),
    ]


_PHASES = ("draw", "act", "discard")


def _named(seen: Observation, layout: Layout) -> Named:
    own, players = seen.seat, len(seen.hand_sizes)
    found = layout.zeros()
    found["seat"][own] = 1
    for name, seat in (("to_act", seen.to_act), ("finish", seen.finish)):
        if seat is not None:
            found[name][(seat - own) % players] = 1
    found["phase"][_PHASES.index(seen.phase)] = 1
    for name, cards in (("hand", seen.hand), ("reserve", seen.reserve), ("removed", seen.removed)):
        found[name][[card - 1 for card in cards]] = 1
    found["hand_sizes"][:] = by_seat(seen.hand_sizes, own)
    slots = (slot for row in seen.tower for slot in row)
    for at, slot in enumerate(slots):
        if slot is None:
            continue
        found["slot_card"][at, _card_number(slot.card)] = 1
        found["slot_up"][at] = slot.up
        if slot.by is not None:
            found["slot_by"][at, (slot.by - own) % players] = 1
    found["deck"][0] = seen.deck
    found["score"][0] = seen.score
    return found


def _card_number(card: Card | None) -> int:
    """Return the number of ``card`` in ``slot_card``: the Finish card and an unknown one last."""
    if card is None:
        return len(GLASS) + 1
    return len(GLASS) if card == FINISH else card - 1


def _index(action: Action, seen: Observation) -> int:
    match action:
        case Draw():
            return _DRAW + action.count
        case Place():
            at = NUMBERS[action.row, action.slot]
            if action.card == FINISH:
                return _FINISH + at
            return _PLACE + ((action.card - 1) * SIZE + at) * _SIDES + (not action.up)
        case Discard():
            return _DISCARD + action.card - 1
        case Reserve():
            low, high = (seen.hand.index(card) for card in action.pair)
            extra = tuple(seen.hand.index(card) for card in action.extra)
            goal = _goals(action.pair, len(extra)).index(action.take)
            spent = _SPENT_NUMBERS[(low, high), extra]
            return _RESERVE + (spent * GOALS + goal) * SIZE + NUMBERS[action.row, action.slot]
        case _:
            assert_never(action)


def _action(number: int, seen: Observation) -> Action:
    if not 0 <= number < _END:
        raise ValueError(f"Couperation has no action {number}")
    if number >= _RESERVE:
        return _reserve(number - _RESERVE, seen.hand)
    if number >= _DISCARD:
        return Discard(card=number - _DISCARD + 1)
    if number >= _FINISH:
        row, slot = SLOTS[number - _FINISH]
        return Place(card=FINISH, row=row, slot=slot, up=True)
    if number >= _PLACE:
        rest, down = divmod(number - _PLACE, _SIDES)
        card, at = divmod(rest, SIZE)
        row, slot = SLOTS[at]
        return Place(card=card + 1, row=row, slot=slot, up=not down)
    return Draw(count=number - _DRAW)


def _reserve(number: int, hand: tuple[int, ...]) -> Reserve:
    rest, at = divmod(number, SIZE)
    spent, goal = divmod(rest, GOALS)
    (low, high), places = SPENT[spent]
    if max(high, *places, 0) >= len(hand):
        raise ValueError(f"a hand of {len(hand)} cards does not have those of action {number}")
    pair, extra = (hand[low], hand[high]), tuple(hand[place] for place in places)
    row, slot = SLOTS[at]
    return Reserve(pair=pair, extra=extra, take=_goals(pair, len(extra))[goal], row=row, slot=slot)


def _goals(pair: tuple[int, int], extra: int) -> tuple[int, ...]:
    smaller, greater = pair
    return tuple(
        reach + sign * extra for reach in (greater + smaller, greater - smaller) for sign in _SIGNS
    )
