"""The chance of a Donburiko match as a record keeps it, and play from such a record."""

from collections import Counter
from collections.abc import Sequence
from typing import cast

from arena.errors import RecordError
from arena.games.base import CardT, Chance, Public
from arena.games.donburiko.cards import PLAYER_COUNTS, Face, deck
from arena.games.donburiko.rules import VARIANT
from arena.games.donburiko.state import State


class Cards(Public, frozen=True, kw_only=True):
    """All the chance of a match."""

    rounds: tuple[tuple[Face, ...], ...]
    """The shuffled cards of each round begun; the first card of a round is dealt first."""


class RecordedChance:
    """The chance of a record; it deals the same rounds again, and no more than those."""

    def __init__(self, cards: Cards) -> None:
        self._rounds = {f"round-{number}": cards for number, cards in enumerate(cards.rounds, 1)}

    def shuffle(self, purpose: str, cards: Sequence[CardT]) -> tuple[CardT, ...]:
        """Return the recorded cards of the round that ``purpose`` names.

        Raises:
            RecordError: the record holds no such round, or it is not made of ``cards``.
        """
        if purpose not in self._rounds:
            raise RecordError(f"the record has no cards for {purpose}")
        recorded = cast("tuple[CardT, ...]", self._rounds[purpose])
        if Counter(recorded) != Counter(cards):
            raise RecordError(f"the record's cards for {purpose} are not a shuffle of the deck")
        return recorded

    def below(self, purpose: str, bound: int) -> int:
        """Refuse: Donburiko draws no numbers.

        Raises:
            RecordError: always.
        """
        raise RecordError(f"a Donburiko record has no number below {bound} for {purpose}")


def cards(state: State) -> Cards:
    """Return the chance that the match used up to ``state``."""
    return Cards(rounds=state.rounds)


def chance_of(cards: Cards, players: int, variant: str) -> Chance:
    """Return the chance that ``cards`` hold, for a match of ``players``.

    Raises:
        RecordError: no such match exists, or a round is not made of its cards.
    """
    if variant != VARIANT or players not in PLAYER_COUNTS:
        raise RecordError(f"Donburiko has no variant {variant!r} for {players} players")
    chance = RecordedChance(cards)
    for number in range(1, len(cards.rounds) + 1):
        chance.shuffle(f"round-{number}", deck(players))
    return chance
