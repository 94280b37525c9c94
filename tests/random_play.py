"""Matches that are played at random, without a referee: the states that a game comes to."""

from collections.abc import Iterator
from typing import Any

from arena.games.base import AnyGame
from arena.games.deal import Deal, DealtChance

KEY = b"\x37" * 32


def states(
    game: AnyGame, players: int, number: int, variant: str = "", key: bytes = KEY
) -> Iterator[Any]:
    """Yield the states of a match of ``game``, up to the one in which it is over.

    Args:
        game: what is played.
        players: how many seats.
        number: of the deal under ``key``, which also decides what the seats do.
        variant: of the rules; by default the first one.
        key: of the deals.
    """
    deal = Deal(key, game.name, variant or game.variants[0], players, number)
    chance, dice = DealtChance(deal), deal.stream("dice")
    state = game.deal(chance, players, deal.variant)
    while legal := game.legal_actions(state):
        yield state
        state = game.apply(state, legal[dice.below(len(legal))], chance)
    yield state
