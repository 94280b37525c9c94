"""Tools for tests of Couperation: hand-made tables, random matches, and other worlds.

A *world* is a deck in dealing order and the actions of all seats. `another_world` draws one that
differs in what a given seat never came to know and in nothing else, so that the seat must be sent
the very same bytes in both. What the seat knows is worked out here from states and actions:
nothing asks `observe` or `events`, which are what such a test is about.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import msgspec

from arena.errors import IllegalAction
from arena.games.base import Seat
from arena.games.couperation import COUPERATION as GAME
from arena.games.couperation.actions import Action, Discard, Draw, Place, Reserve
from arena.games.couperation.cards import FINISH, Card
from arena.games.couperation.chance import Cards, RecordedChance
from arena.games.couperation.state import Phase, State
from arena.games.couperation.tower import NUMBERS, SLOTS, Laid
from arena.games.deal import Deal, DealtChance, Stream
from tests.games.worlds import sent

ItemT = TypeVar("ItemT")

KEY = bytes(32)
Deck = tuple[Card, ...]
Actions = tuple[Action, ...]
RESERVE_DEALT = {2: 4, 3: 3, 4: 2}
_LEFT_TO_RIGHT = sorted(SLOTS, key=lambda place: (2 * place[1] + place[0], place[0]))
# fmt: off
_FULL = (
    2, 4, 6, 7, 9, 10, 12, 13, 14, 17, 18, 19,
    25, 24, 26, 27,
    30, 31, 32, 35, 36, 37, 39, 40, 42, 43, 45, 47,
)
# fmt: on
NO_CHANCE = RecordedChance((), None)
"""For `apply`, which needs none: all of Couperation's chance is in the deal."""


class Dice(Stream):
    """Random choices that repeat: each text has a row of its own."""

    def __init__(self, text: str) -> None:
        super().__init__(KEY, text)

    def pick(self, items: Sequence[ItemT]) -> ItemT:
        """Return one of ``items``."""
        return items[self.below(len(items))]

    def between(self, low: int, high: int) -> int:
        """Return a whole number from ``low`` to ``high`` - 1."""
        return low + self.below(high - low)


def up(card: Card, by: int | None = 0) -> Laid:
    """Return ``card`` face up."""
    return Laid(card, up=True, by=by)


def down(card: Card, by: int | None = 0) -> Laid:
    """Return ``card`` face down."""
    return Laid(card, up=False, by=by)


def full_tower(changes: Mapping[tuple[int, int], Laid | None]) -> dict[tuple[int, int], Laid]:
    """Return 28 face-up cards that fit, with ``changes`` in some slots; ``None`` empties one.

    Column by column from the left; the middle one is 25, 24, 26, 27 in (0, 3), (2, 2), (4, 1)
    and (6, 0).
    """
    tower = {place: up(card) for place, card in zip(_LEFT_TO_RIGHT, _FULL, strict=True)}
    changed = {**tower, **changes}
    return {place: laid for place, laid in changed.items() if laid is not None}


def table(  # noqa: PLR0913 - a table has many parts, and a test names only those it is about
    *,
    tower: Mapping[tuple[int, int], Laid] | None = None,
    hands: Sequence[Sequence[int]] = ((), ()),
    reserve: Sequence[int] = (1, 50),
    removed: Sequence[int] = (),
    deck: Sequence[Card] = (),
    seat: int = 0,
    phase: Phase = "act",
    front: int | None = None,
    passes: int = 0,
    variant: str = "standard",
) -> State:
    """Return a hand-made state; the tower is empty where ``tower`` does not fill it."""
    filled = tower or {}
    return State(
        variant=variant,
        dealt=tuple(deck),
        taken=0,
        hands=tuple(tuple(hand) for hand in hands),
        front=None if front is None else Seat(front),
        tower=tuple(filled.get(place) for place in SLOTS),
        reserve=tuple(reserve),
        removed=tuple(removed),
        seat=Seat(seat),
        phase=phase,
        owed=0,
        passes=passes,
        outcome=None,
        happened=(),
    )


def at(state: State, row: int, slot: int) -> Laid | None:
    """Return what lies in a slot."""
    return state.tower[NUMBERS[row, slot]]


def do(state: State, action: Action) -> State:
    """Return the state after ``action``."""
    return GAME.apply(state, action, NO_CHANCE)


def refusal(state: State, action: Action) -> str | None:
    """Return what is said to ``action``, ``None`` if it is legal."""
    try:
        do(state, action)
    except IllegalAction as error:
        return str(error)
    return None


def opening(number: int, players: int, variant: str) -> State:
    """Return the opening state of a deal under the key of zeros."""
    chance = DealtChance(Deal(KEY, "couperation", variant, players, number))
    return GAME.deal(chance, players, variant)


def replay(deck: Deck, actions: Actions, players: int) -> list[State]:
    """Return all states of a match, the opening one first.

    Raises:
        IllegalAction: ``actions`` are not a match on ``deck``.
        RecordError: ``deck`` is none.
    """
    variant = "finish" if FINISH in deck else "standard"
    chance = GAME.chance_of(Cards(deck=deck), players, variant)
    states = [GAME.deal(chance, players, variant)]
    for action in actions:
        states.append(GAME.apply(states[-1], action, chance))
    return states


def _kind(state: State, action: Action) -> str:
    match action:
        case Place():
            return "up" if action.up else "down"
        case Reserve():
            replaced = at(state, action.row, action.slot)
            if replaced is None:
                return "reserve"
            return "replace up" if replaced.up else "replace down"
        case Draw() | Discard():
            return "other"


KINDS = ("up", "down", "reserve", "replace up", "replace down", "other")


def random_choice(dice: Dice) -> Callable[[State], Action]:
    """Return a way to play: legal actions at random, some kinds of them much rather than others.

    Uniform choice would leave whole regions unseen, such as full towers with cards face down.
    """
    liking = {kind: dice.pick((1, 100, 2000)) for kind in KINDS}

    def choose(state: State) -> Action:
        of_kind: dict[str, list[Action]] = {}
        for action in GAME.legal_actions(state):
            of_kind.setdefault(_kind(state, action), []).append(action)
        tickets = dice.below(sum(liking[kind] for kind in of_kind))
        for kind, actions in of_kind.items():
            tickets -= liking[kind]
            if tickets < 0:
                return dice.pick(actions)
        raise AssertionError("a ticket for no kind of action")

    return choose


def random_match(number: int) -> tuple[State, Actions]:
    """Return the opening state and all actions of a random match, each number's its own."""
    dice = Dice(f"match-{number}")
    players, variant = dice.pick(GAME.player_counts), dice.pick(GAME.variants)
    start = state = opening(dice.below(10**6), players, variant)
    choose = random_choice(dice)
    actions: list[Action] = []
    while GAME.to_act(state) is not None:
        actions.append(choose(state))
        state = do(state, actions[-1])
    return start, tuple(actions)


def random_states(number: int) -> list[State]:
    """Return all states of `random_match`."""
    start, actions = random_match(number)
    return replay(start.dealt, actions, len(start.hands))


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


def random_tries(dice: Dice, hand: Sequence[int], count: int) -> list[Action]:
    """Return ``count`` actions, sense and nonsense, made of ``hand`` and of anything else."""
    cards = [*hand, *hand, *hand, *(dice.between(-1, 53) for _ in range(3))]
    places = (*SLOTS, *SLOTS, (-1, 0), (7, 0), (3, 4), (0, -1), (99, 99))

    def one() -> Action:
        row, slot = dice.pick(places)
        kind = dice.pick((Draw, Discard, Place, Place, Place, Reserve, Reserve, Reserve))
        if kind is Draw:
            return Draw(count=dice.between(-1, 4))
        if kind is Discard:
            return Discard(card=dice.pick(cards))
        if kind is Place:
            card: Card = FINISH if dice.below(9) == 0 else dice.pick(cards)
            return Place(card=card, row=row, slot=slot, up=bool(dice.below(2)))
        first, second = dice.pick(cards), dice.pick(cards)
        extra = tuple(sorted(dice.pick(cards) for _ in range(dice.pick((0, 0, 0, 1, 1, 2)))))
        total, difference = first + second, abs(first - second)
        near = (total + len(extra), total, difference, difference - len(extra), dice.below(53))
        pair = (first, second) if dice.below(10) == 0 else (min(first, second), max(first, second))
        return Reserve(pair=pair, extra=extra, take=dice.pick(near), row=row, slot=slot)

    return [one() for _ in range(count)]
