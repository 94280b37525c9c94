"""The contract of a game: what the referee asks of the rules, and what the rules may ask of it.

A game is a frozen table of pure functions over a state type of its own. None of them reads a
clock, a file or a random number; each returns a new value, so that a caller may keep any earlier
state and branch from it. What chance there is comes in through `Chance`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Generic, NewType, Protocol, TypeVar

import msgspec

Seat = NewType("Seat", int)
"""A place at the table, from 0, in turn order."""

Who = Callable[[int], str]
"""A seat -> what a text calls it, as in ``you`` or ``seat 1``."""

CardT = TypeVar("CardT")
StateT = TypeVar("StateT")
ActionT = TypeVar("ActionT", bound="Public")
ObservationT = TypeVar("ObservationT", bound="Public")


class Public(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of every value that a bot may see or send.

    States never derive from this, so a state that strays towards the wire fails type checking.
    """


class Chance(Protocol):
    """All the randomness of one match, by purpose.

    The referee's comes from a suite's key (`arena.games.deal`), a replay's from a record, and a
    bot that searches brings its own.
    """

    def shuffle(self, purpose: str, cards: Sequence[CardT]) -> tuple[CardT, ...]:
        """Return ``cards`` in the order in which they are dealt, first card first."""

    def below(self, purpose: str, bound: int) -> int:
        """Return a whole number from 0 to ``bound`` - 1."""


class Kind(StrEnum):
    """How the seats stand to each other, and so what a closed seat means."""

    COMPETITIVE = "competitive"
    """Seats are ranked against each other; the house plays a closed seat on."""

    COOPERATIVE = "cooperative"
    """Seats share one score; a closed seat ends the match, which then scores 0 for it."""


class Fault(Public, frozen=True, kw_only=True, tag="fault"):
    """Event of every game: a seat broke the protocol or the rules and is closed."""

    seat: int


@dataclass(frozen=True, slots=True)
class Game(Generic[StateT, ActionT, ObservationT]):
    """A game: facts about it, and a table of pure functions over its own state type."""

    name: str
    """Lower-case letters and digits, beginning with a letter; used in labels and categories."""

    rules_version: int
    """Raised whenever the same cards and actions could end differently."""

    kind: Kind
    player_counts: tuple[int, ...]
    """Ascending."""

    variants: tuple[str, ...]
    """The first one is the default."""

    action_type: Any
    """A union of `Public` structs with tags; what a bot may send."""

    observation_type: type[ObservationT]
    event_type: Any
    """A union of `Public` structs with tags, `Fault` among them."""

    cards_type: Any
    """The type of a record's ``cards``: a `Public` struct."""

    deal: Callable[[Chance, int, str], StateT]
    """(chance, players, variant) -> opening state."""

    to_act: Callable[[StateT], Seat | None]
    """Whose turn it is; ``None`` once the game is over."""

    legal_actions: Callable[[StateT], tuple[ActionT, ...]]
    """Every legal action of the seat to act once, in the order of RULES.md; empty once over."""

    apply: Callable[[StateT, ActionT, Chance], StateT]
    """The next state, or `IllegalAction` that cites the broken rule; forced passes are included."""

    observe: Callable[[StateT, Seat], ObservationT]
    """All that the seat may know of the table now, and nothing else."""

    events: Callable[[StateT, Seat], tuple[Public, ...]]
    """What led from the state before to this one as the seat may see it, oldest first.

    For an opening state: what the deal itself showed.
    """

    scores: Callable[[StateT], tuple[int, ...]]
    """Points by seat as they stand; final once the game is over."""

    ranks: Callable[[StateT], tuple[int, ...]]
    """Places by seat, 1 best; ties share a place and the next is skipped (1, 1, 3)."""

    reason: Callable[[StateT], str]
    """Why the game is over, in one word; meaningful only once it is."""

    best_score: int | None
    """The highest score there is, for a co-operative game (a match that reaches it is won)."""

    cards: Callable[[StateT], Public]
    """The chance that the match has used so far, as its record keeps it."""

    chance_of: Callable[[Any, int, str], Chance]
    """(cards, players, variant) -> the chance that a record holds, or `RecordError`."""

    draw: Callable[[StateT], str]
    """The whole table as text, hidden cards included: for the operator alone."""

    unit: str = "score"
    """What the score counts, in the plural: the head of its column."""

    draw_observation: Callable[[ObservationT], str] | None = None
    """What a seat may know as text, drawn from nothing but its observation; else it is JSON."""

    legend: str = ""
    """What the signs in both texts mean, in a line."""

    say_action: Callable[[ActionT], str] | None = None
    """An action in words, each legal one in others: what a person reads and types; else JSON."""

    say_event: Callable[[Any, Who], str] | None = None
    """(event, how to call a seat) -> what happened in words, but for `Fault`; else it is JSON."""


AnyGame = Game[Any, Any, Any]


def standing(points: Sequence[int]) -> tuple[int, ...]:
    """Return the places for ``points``, most points first: ties share, the next is skipped."""
    return tuple(1 + sum(other > own for other in points) for own in points)


def by_name(games: Sequence[AnyGame]) -> Mapping[str, AnyGame]:
    """Return ``games`` by name.

    Raises:
        ValueError: two games have one name.
    """
    table = {game.name: game for game in games}
    if len(table) != len(games):
        raise ValueError(f"two games share a name: {[game.name for game in games]}")
    return table
