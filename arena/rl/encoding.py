"""Observations and actions of a game as numbers: what is laid out where, as data.

A game's encoding is one for each number of players, and the same for all its variants. It is made
from an `observation` alone, as bots are sent it, so it cannot know more than they do.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import accumulate
from math import prod
from operator import index
from typing import Any, Generic, SupportsIndex

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from arena.games.base import ActionT, AnyGame, ObservationT

Counts = NDArray[np.int8]
Named = dict[str, Counts]
"""An observation by names of its parts, as whole numbers."""


@dataclass(frozen=True, slots=True)
class Part:
    """One part of an observation."""

    name: str
    shape: tuple[int, ...]
    most: int
    """The greatest of its numbers, 1 to 127; the least is 0."""

    meaning: str

    @property
    def length(self) -> int:
        """How many numbers it has."""
        return prod(self.shape)


@dataclass(frozen=True, slots=True)
class Span:
    """A row of numbers with one meaning: of a flat observation, or of the actions."""

    name: str
    start: int
    """From 0."""

    length: int
    meaning: str


class Layout:
    """Where each part stands in a flat observation, one after the other."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self.parts = tuple(parts)
        ends = list(accumulate(part.length for part in parts))
        self.size = ends[-1]
        """How many numbers a flat observation has."""

        self.spans = tuple(
            Span(part.name, end - part.length, part.length, part.meaning)
            for part, end in zip(parts, ends, strict=True)
        )
        most = np.array([part.most for part in parts], np.float32)
        self._most = np.repeat(most, [part.length for part in parts])

    def zeros(self) -> Named:
        """Return an observation of zeros, to be filled in."""
        return {part.name: np.zeros(part.shape, np.int8) for part in self.parts}

    def flat(self, named: Mapping[str, Counts]) -> NDArray[np.float32]:
        """Return ``named`` as one row of numbers from 0 to 1: each count over its greatest."""
        row: NDArray[np.float32] = np.empty(self.size, np.float32)
        np.concatenate([named[part.name].ravel() for part in self.parts], out=row)
        row /= self._most
        return row

    def flat_space(self) -> spaces.Box:
        """Return the space of flat observations."""
        return spaces.Box(0.0, 1.0, (self.size,), np.float32)

    def named_space(self) -> spaces.Dict:
        """Return the space of named observations."""
        return spaces.Dict(
            {part.name: spaces.Box(0, part.most, part.shape, np.int8) for part in self.parts}
        )


@dataclass(frozen=True, slots=True)
class Encoding(Generic[ObservationT, ActionT]):
    """How one game, played by so many, becomes numbers: a table of pure functions.

    Pickled, it is by name: a process has one of each, wherever it came from.
    """

    of: "Callable[[int], AnyEncoding]"
    """The function of a module that makes it: number of players -> the encoding."""

    game: AnyGame
    players: int
    layout: Layout
    named: Callable[[ObservationT], Named]
    """An observation -> its parts, by name."""

    actions: tuple[Span, ...]
    """What the numbers of actions mean, ascending, without gaps."""

    index: Callable[[ActionT, ObservationT], int]
    """(a legal action, what the seat to act sees) -> its number."""

    action: Callable[[int, ObservationT], ActionT]
    """(a number, what the seat to act sees) -> the action; it need not be legal.

    Raises:
        ValueError: no action has the number with this hand.
    """

    @property
    def size(self) -> int:
        """How many numbers of actions there are, legal or not."""
        last = self.actions[-1]
        return last.start + last.length

    def __reduce__(self) -> "tuple[Callable[[int], AnyEncoding], tuple[int]]":
        # The functions of the table know a layout, so they have no name to be found by.
        return self.of, (self.players,)


def whole(name: str, value: SupportsIndex) -> int:
    """Return ``value``, of the argument ``name``, as an `int`; NumPy's integers are fine, too.

    Raises:
        TypeError: it is of another type: a float, even if it is whole, or a truth value.
    """
    if not isinstance(value, bool | np.bool_):
        with suppress(TypeError):
            return int(index(value))
    raise TypeError(f"{name} is of type {type(value).__name__}, and has to be a whole number")


def count_for(game: AnyGame, players: SupportsIndex) -> int:
    """Return the number of ``players``.

    Raises:
        TypeError: it is not a whole number.
        ValueError: ``game`` is not for so many.
    """
    count, known = whole("players", players), game.player_counts
    if count not in known:
        title = game.name.capitalize()
        raise ValueError(f"{title} is for {known[0]} to {known[-1]} players, not {count}")
    return count


def by_seat(values: Sequence[int], own: int) -> list[int]:
    """Return ``values`` by seat, beginning with seat ``own`` and going on in turn order."""
    return [*values[own:], *values[:own]]


def spans_of(*parts: tuple[str, int, str]) -> tuple[Span, ...]:
    """Return the spans of ``parts``, (name, length, meaning), one after the other from 0."""
    found: list[Span] = []
    start = 0
    for name, length, meaning in parts:
        found.append(Span(name, start, length, meaning))
        start += length
    return tuple(found)


AnyEncoding = Encoding[Any, Any]
