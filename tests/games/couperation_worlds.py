"""Tools for tests of Couperation: hand-made tables, random matches, and other worlds.

A *world* is a deck in dealing order and the actions of all seats. `another_world` draws one that
differs in what a given seat never came to know and in nothing else, so that the seat must be sent
the very same bytes in both. What the seat knows is worked out here from states and actions:
nothing asks `observe` or `events`, which are what such a test is about.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from arena.errors import IllegalAction
from arena.games.base import Seat
from arena.games.couperation import COUPERATION as GAME
from arena.games.couperation.actions import Action, Discard, Draw, Place, Reserve
from arena.games.couperation.cards import FINISH, Card
from arena.games.couperation.chance import Cards, RecordedChance
from arena.games.couperation.state import Phase, State
from arena.games.couperation.tower import NUMBERS, SLOTS, Laid
from arena.games.deal import Deal, DealtChance
from tests.games.worlds import sent

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
    chance = DealtChance(Deal(bytes(32), "couperation", variant, players, number))
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


def random_choice(rng: random.Random) -> Callable[[State], Action]:
    """Return a way to play: legal actions at random, some kinds of them much rather than others.

    Uniform choice would leave whole regions unseen, such as full towers with cards face down.
    """
    liking = {kind: rng.choice((0.01, 1.0, 20.0)) for kind in KINDS}

    def choose(state: State) -> Action:
        of_kind: dict[str, list[Action]] = {}
        for action in GAME.legal_actions(state):
            of_kind.setdefault(_kind(state, action), []).append(action)
        kinds = list(of_kind)
        (kind,) = rng.choices(kinds, weights=[liking[kind] for kind in kinds])
        return rng.choice(of_kind[kind])

    return choose


def random_match(seed: int) -> tuple[State, Actions]:
    """Return the opening state and all actions of a random match, a function of ``seed`` alone."""
    rng = random.Random(seed)
    players, variant = rng.choice(GAME.player_counts), rng.choice(GAME.variants)
    start = state = opening(rng.randrange(10**6), players, variant)
    choose = random_choice(rng)
    actions: list[Action] = []
    while GAME.to_act(state) is not None:
        actions.append(choose(state))
        state = do(state, actions[-1])
    return start, tuple(actions)


def random_states(seed: int) -> list[State]:
    """Return all states of `random_match`."""
    start, actions = random_match(seed)
    return replay(start.dealt, actions, len(start.hands))


def another_world(
    deck: Deck, actions: Actions, players: int, seat: int, rng: random.Random
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
        rng: decides which of the other worlds it is.

    Returns:
        The deck and actions of the other world; ``None`` if the draw is no such world, because
        somebody had to pass in one of the two and not in the other.
    """
    states = replay(deck, actions, players)
    secret = sorted(set(range(1, 51)) - _known(states, actions, seat))
    swapped = dict(zip(secret, rng.sample(secret, len(secret)), strict=True))
    other_actions = tuple(_renamed(action, swapped) for action in actions)
    glass = [swapped.get(card, card) for card in deck if card != FINISH]
    _reorder_set_up(glass, players, seat, rng)
    _reorder_arrivals(glass, states, other_actions, seat, rng)
    other_deck: list[Card] = [*glass]
    if FINISH in deck:
        other_deck.insert(_another_finish(deck, states, rng), FINISH)
    try:
        other_states = replay(tuple(other_deck), other_actions, players)
    except IllegalAction:
        return None
    if [_public(state) for state in states] != [_public(state) for state in other_states]:
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


def _public(state: State) -> tuple[object, ...]:
    """Return what the rules say that everyone sees and that draws and passes show through."""
    sizes = tuple(len(hand) for hand in state.hands)
    return state.seat, state.phase, sizes, state.front, state.deck, state.outcome


def _reorder_set_up(glass: list[int], players: int, seat: int, rng: random.Random) -> None:
    """Change in which order the seat's first hand and the reserve were dealt, in place."""
    hands = players * 3
    for part in (range(seat, hands, players), range(hands, hands + RESERVE_DEALT[players])):
        cards = [glass[place] for place in part]
        rng.shuffle(cards)
        for place, card in zip(part, cards, strict=True):
            glass[place] = card


@dataclass
class _Arrival:
    """A place in the deck that another seat drew from, and from which state on it has the card."""

    place: int
    seat: int
    state: int


def _reorder_arrivals(
    glass: list[int], states: Sequence[State], actions: Actions, seat: int, rng: random.Random
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
        early, late = sorted(rng.sample(arrivals, 2), key=lambda arrival: arrival.place)
        if early.seat == late.seat and late.state <= _first_use(glass[early.place], actions):
            glass[early.place], glass[late.place] = glass[late.place], glass[early.place]


def _first_use(card: int, actions: Actions) -> int:
    """Return the number of the first action that takes ``card`` from a hand."""
    for number, action in enumerate(actions):
        match action:
            case Place() | Discard():
                used: tuple[Card, ...] = (action.card,)
            case Reserve():
                used = action.pair + action.extra
            case Draw():
                used = ()
        if card in used:
            return number
    return len(actions)


def _another_finish(deck: Deck, states: Sequence[State], rng: random.Random) -> int:
    """Return a place from which the Finish card comes up in the same draw, or stays in the deck."""
    place = deck.index(FINISH)
    half = (len(deck) - 1 - states[0].taken) // 2
    first = len(deck) - 1 - half
    came = next((number for number, state in enumerate(states) if state.taken > place), None)
    if came is None:
        return rng.randrange(max(first, states[-1].taken), len(deck))
    if states[came].passes:
        return place  # several seats drew here, and which of them it came to is seen by all
    before, after = states[came - 1].taken, states[came].taken
    # The last card of a draw was drawn for the Finish card, unless the deck ended with it.
    return rng.randrange(max(first, before), max(after - 1, place + 1))


def transcript(states: Sequence[State], seat: Seat) -> list[bytes]:
    """Return all that ``seat`` could be told in a match, as bytes, oldest first.

    Beside what it is sent at each state: what is said on its own turns to a number of tries,
    legal or not, that are made up from nothing but its own hand.
    """
    told = sent(GAME, states, seat)
    for number, state in enumerate(states):
        if GAME.to_act(state) == seat:
            tries = random_tries(random.Random(number), state.hands[seat], 12)
            told += [str(refusal(state, attempt)).encode() for attempt in tries]
    return told


def random_tries(rng: random.Random, hand: Sequence[int], count: int) -> list[Action]:
    """Return ``count`` actions, sense and nonsense, made of ``hand`` and of anything else."""
    cards = [*hand, *hand, *hand, *rng.sample(range(-1, 53), 3)]

    def one() -> Action:
        row, slot = rng.choice((*SLOTS, *SLOTS, (-1, 0), (7, 0), (3, 4), (0, -1), (99, 99)))
        kind = rng.randrange(8)
        if kind == 0:
            return Draw(count=rng.randrange(-1, 4))
        if kind == 1:
            return Discard(card=rng.choice(cards))
        if kind <= 4:  # noqa: PLR2004
            card: Card = rng.choice((*cards, FINISH))
            return Place(card=card, row=row, slot=slot, up=rng.random() < 0.5)
        one, two = rng.choice(cards), rng.choice(cards)
        extra = tuple(sorted(rng.choices(cards, k=rng.choice((0, 0, 0, 1, 1, 2)))))
        near = (one + two + len(extra), abs(one - two), one + two, rng.randrange(-1, 53))
        pair = (min(one, two), max(one, two)) if rng.random() < 0.9 else (one, two)
        return Reserve(pair=pair, extra=extra, take=rng.choice(near), row=row, slot=slot)

    return [one() for _ in range(count)]
