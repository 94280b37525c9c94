"""Other worlds: matches that one seat of Donburiko cannot tell from the one it plays in.

What a seat has come to know is followed here from states and actions alone, by where each card
lay in the shuffled round. `observe` and `events` have no part in it, so that they can be held to
the outcome.
"""

from collections.abc import Sequence
from typing import NamedTuple

from arena.errors import IllegalAction
from arena.games.base import Seat
from arena.games.deal import Stream
from arena.games.donburiko import DONBURIKO
from arena.games.donburiko.actions import Action, Play
from arena.games.donburiko.cards import Face
from arena.games.donburiko.chance import Cards
from arena.games.donburiko.rules import HAND_SIZE
from arena.games.donburiko.state import State

Place = tuple[int, int]
"""A card by where it lay: the number of its round, from 0, and its place in the shuffle."""

_TRIES = 20


class World(NamedTuple):
    """The chance of a match and what was done in it."""

    rounds: tuple[tuple[Face, ...], ...]
    """The shuffled cards of each round begun."""

    actions: tuple[Action, ...]


def replay(world: World, players: int) -> tuple[State, ...]:
    """Return the states of ``world``: the opening one, then one after each action.

    Raises:
        IllegalAction: an action is not legal in this world.
    """
    chance = DONBURIKO.chance_of(Cards(rounds=world.rounds), players, "standard")
    states = [DONBURIKO.deal(chance, players, "standard")]
    for action in world.actions:
        states.append(DONBURIKO.apply(states[-1], action, chance))
    return tuple(states)


def another_world(world: World, players: int, seat: Seat, stream: Stream) -> World | None:
    """Return a world with other cards where ``seat`` never came to know them.

    Cards are exchanged among the places that stayed hidden from ``seat`` in a round, and where
    one of them was played face down, the action plays the card that is there now. All that the
    seat was ever sent must be the same in both worlds.

    Args:
        world: a match up to any point, with the rounds begun until then.
        players: how many play.
        seat: who must not see a difference.
        stream: the chance of the exchange.

    Returns:
        Such a world, or ``None`` where there is none, or where its actions are not legal.
    """
    known, played = _follow(world, players, seat)
    rounds = _exchanged(world.rounds, known, stream)
    if rounds == world.rounds:
        return None
    actions = tuple(
        Play(card=rounds[place[0]][place[1]], column=action.column, up=action.up)
        if isinstance(action, Play) and place is not None
        else action
        for action, place in zip(world.actions, played, strict=True)
    )
    other = World(rounds, actions)
    try:
        replay(other, players)
    except IllegalAction:
        return None
    return other


class _Round:
    """Where the cards of one round are, and which of them a seat knows."""

    def __init__(self, number: int, cards: Sequence[Face], players: int, seat: Seat) -> None:
        places = [(number, place) for place in range(len(cards))]
        dealt = players + players * HAND_SIZE[players]
        self.cards = cards
        self.columns = [[place] for place in places[:players]]
        self.hands = [places[players + each : dealt : players] for each in range(players)]
        self.known = {*places[:players], *self.hands[seat]}

    def play(self, by: int, action: Play) -> Place:
        """Move the card that ``by`` plays, and return it."""
        place = next(each for each in self.hands[by] if self.cards[each[1]] == action.card)
        self.hands[by].remove(place)
        self.columns[action.column].append(place)
        if action.up:
            self.known.add(place)
        return place

    def claim(self, column: int) -> None:
        """Turn up a column."""
        self.known.update(self.columns[column])


def _follow(
    world: World, players: int, seat: Seat
) -> tuple[frozenset[Place], tuple[Place | None, ...]]:
    """Return what ``seat`` came to know, and for each action the card it placed, if it did."""
    tables = [_Round(0, world.rounds[0], players, seat)]
    played: list[Place | None] = []
    for before, action in zip(replay(world, players), world.actions, strict=False):
        if before.round > len(tables):
            tables.append(_Round(len(tables), world.rounds[len(tables)], players, seat))
        by = DONBURIKO.to_act(before)
        assert by is not None
        if isinstance(action, Play):
            played.append(tables[-1].play(by, action))
        else:
            tables[-1].claim(action.column)
            played.append(None)
    # A round that the last action began has been dealt, but nobody has played in it.
    tables += [
        _Round(number, world.rounds[number], players, seat)
        for number in range(len(tables), len(world.rounds))
    ]
    return frozenset(place for table in tables for place in table.known), tuple(played)


def _exchanged(
    rounds: tuple[tuple[Face, ...], ...], known: frozenset[Place], stream: Stream
) -> tuple[tuple[Face, ...], ...]:
    """Return ``rounds`` with the unknown cards of each round shuffled among themselves.

    Tries again while every face is where it was, so the same rounds come back only where
    hardly anything can be exchanged.
    """
    exchanged = rounds
    for _ in range(_TRIES):
        exchanged = tuple(
            _redealt(number, cards, known, stream) for number, cards in enumerate(rounds)
        )
        if exchanged != rounds:
            break
    return exchanged


def _redealt(
    number: int, cards: tuple[Face, ...], known: frozenset[Place], stream: Stream
) -> tuple[Face, ...]:
    hidden = [place for place in range(len(cards)) if (number, place) not in known]
    faces = list(cards)
    for place, face in zip(hidden, stream.shuffled([cards[each] for each in hidden]), strict=True):
        faces[place] = face
    return tuple(faces)
