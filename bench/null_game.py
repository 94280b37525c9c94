"""A game without rules: seats take turns, say yes or no, and after a while it is over.

What a match of it takes is what arena takes for everything but rules.
"""

from collections.abc import Sequence
from typing import NamedTuple, NoReturn

from arena.errors import RecordError
from arena.games.base import CardT, Chance, Fault, Game, Kind, Public, Seat, standing

TURNS = 400


class Say(Public, frozen=True, kw_only=True, tag="say"):
    """The one kind of action."""

    yes: bool


class Said(Public, frozen=True, kw_only=True, tag="said"):
    """What a seat did."""

    seat: int
    yes: bool


class Observation(Public, frozen=True, kw_only=True):
    """As much as a small game shows."""

    seat: int
    turn: int
    hand: tuple[int, ...]
    table: tuple[int, ...]


class Cards(Public, frozen=True, kw_only=True):
    """No chance at all."""


class State(NamedTuple):
    """A match between two actions."""

    players: int
    turn: int
    said: bool


class NoChance:
    """The chance of a record of this game."""

    def shuffle(self, purpose: str, cards: Sequence[CardT]) -> NoReturn:
        """Refuse."""
        raise RecordError(f"no {purpose} of {len(cards)}")

    def below(self, purpose: str, bound: int) -> NoReturn:
        """Refuse."""
        raise RecordError(f"no {purpose} below {bound}")


_BOTH = (Say(yes=True), Say(yes=False))
_HAND = tuple(range(10))
_TABLE = tuple(range(10, 40))


def _deal(_chance: Chance, players: int, _variant: str) -> State:
    return State(players, 0, said=False)


def _to_act(state: State) -> Seat | None:
    return Seat(state.turn % state.players) if state.turn < TURNS else None


def _legal_actions(state: State) -> tuple[Say, ...]:
    return _BOTH if state.turn < TURNS else ()


def _apply(state: State, action: Say, _chance: Chance) -> State:
    return State(state.players, state.turn + 1, action.yes)


def _observe(state: State, seat: Seat) -> Observation:
    return Observation(seat=seat, turn=state.turn, hand=_HAND, table=_TABLE)


def _events(state: State, _seat: Seat) -> tuple[Said, ...]:
    if not state.turn:
        return ()
    return (Said(seat=(state.turn - 1) % state.players, yes=state.said),)


def _scores(state: State) -> tuple[int, ...]:
    return (0,) * state.players


NULL: Game[State, Say, Observation] = Game(
    name="null",
    rules_version=1,
    kind=Kind.COMPETITIVE,
    player_counts=(2, 3, 4),
    variants=("standard",),
    action_type=Say,
    observation_type=Observation,
    event_type=Said | Fault,
    cards_type=Cards,
    deal=_deal,
    to_act=_to_act,
    legal_actions=_legal_actions,
    apply=_apply,
    observe=_observe,
    events=_events,
    scores=_scores,
    ranks=lambda state: standing(_scores(state)),
    reason=lambda _state: "finished",
    best_score=None,
    cards=lambda _state: Cards(),
    chance_of=lambda _cards, _players, _variant: NoChance(),
    draw=str,
)
