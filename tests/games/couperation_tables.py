"""Couperation for tests: hand-made tables, random matches, and actions to try."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from arena.errors import IllegalAction
from arena.games.base import Seat
from arena.games.couperation import COUPERATION as GAME
from arena.games.couperation.actions import Action, Discard, Draw, Place, Reserve
from arena.games.couperation.cards import FINISH, Card
from arena.games.couperation.chance import Cards, RecordedChance
from arena.games.couperation.state import Phase, State
from arena.games.couperation.tower import NUMBERS, SLOTS, Laid, bands
from arena.games.deal import Deal, DealtChance, Stream

ItemT = TypeVar("ItemT")

Deck = tuple[Card, ...]
Actions = tuple[Action, ...]

KEY = bytes(32)
NO_CHANCE = RecordedChance((), None)
"""For `apply`, which needs none: all of Couperation's chance is in the deal."""

KINDS = ("up", "down", "reserve", "replace up", "replace down", "other")
"""Kinds of action that `random_choice` tells apart."""

_LEFT_TO_RIGHT = sorted(SLOTS, key=lambda place: (2 * place[1] + place[0], place[0]))
# fmt: off
_FULL = (
    2, 4, 6, 7, 9, 10, 12, 13, 14, 17, 18, 19,
    25, 24, 26, 27,
    30, 31, 32, 35, 36, 37, 39, 40, 42, 43, 45, 47,
)
# fmt: on


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


def place(card: Card, row: int, slot: int, *, face_up: bool = True) -> Place:
    """Return the action that places ``card``."""
    return Place(card=card, row=row, slot=slot, up=face_up)


def use(
    pair: tuple[int, int], take: int, row: int, slot: int, extra: tuple[int, ...] = ()
) -> Reserve:
    """Return the action that takes ``take`` for ``pair``."""
    return Reserve(pair=pair, extra=extra, take=take, row=row, slot=slot)


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
    slots = tuple(filled.get(place) for place in SLOTS)
    return State(
        variant=variant,
        dealt=tuple(deck),
        taken=0,
        hands=tuple(tuple(hand) for hand in hands),
        front=None if front is None else Seat(front),
        tower=slots,
        bands=bands(slots),
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
