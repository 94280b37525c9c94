"""The chance of a Couperation match as a record keeps it, and play from such a record."""

from collections.abc import Sequence
from typing import cast

from arena.errors import RecordError
from arena.games.base import CardT, Chance, Public
from arena.games.couperation.cards import FINISH, SHUFFLED, Card
from arena.games.couperation.state import (
    RESERVE_DEALT,
    VARIANTS,
    WITH_FINISH,
    State,
    finish_range,
)


class Cards(Public, frozen=True, kw_only=True):
    """All the chance of a match."""

    deck: tuple[Card, ...]
    """47 cards in dealing order: hands, reserve, deck; 48 with the Finish card in its place."""


class RecordedChance:
    """The chance of a record: it deals the same cards again."""

    def __init__(self, deck: Sequence[int], finish: int | None) -> None:
        self._deck = tuple(deck)
        self._finish = finish

    def shuffle(self, purpose: str, cards: Sequence[CardT]) -> tuple[CardT, ...]:
        """Return the recorded deck.

        Raises:
            RecordError: something else is asked for, or the deck is not made of ``cards``.
        """
        if purpose != "deck" or set(cards) != set(self._deck) or len(cards) != len(self._deck):
            raise RecordError(f"the record's cards are not a shuffle of the {purpose}")
        return cast("tuple[CardT, ...]", self._deck)

    def below(self, purpose: str, bound: int) -> int:
        """Return the recorded place of the Finish card in the lower half of the deck.

        Raises:
            RecordError: something else is asked for, or the place is not below ``bound``.
        """
        if purpose != "finish" or self._finish is None or not 0 <= self._finish < bound:
            raise RecordError(f"the record has no number below {bound} for {purpose}")
        return self._finish


def cards(state: State) -> Cards:
    """Return the chance that the match used: the deal takes all of it."""
    return Cards(deck=state.dealt)


def chance_of(cards: Cards, players: int, variant: str) -> Chance:
    """Return the chance that ``cards`` hold, for a match of ``players``.

    Raises:
        RecordError: no such match exists, or no deal could have given these cards.
    """
    if variant not in VARIANTS or players not in RESERVE_DEALT:
        raise RecordError(f"Couperation has no variant {variant!r} for {players} players")
    glass = [card for card in cards.deck if card != FINISH]
    finishes = len(cards.deck) - len(glass)
    if finishes != (variant == WITH_FINISH):
        raise RecordError(f"the record's deck has {finishes} Finish cards")
    if not finishes:
        chance = RecordedChance(glass, None)
    else:
        first, places = finish_range(players)
        chance = RecordedChance(glass, cards.deck.index(FINISH) - first)
        chance.below("finish", places)
    chance.shuffle("deck", SHUFFLED)
    return chance
