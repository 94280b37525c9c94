"""Sample bots without processes of their own, and tables to show them."""

import json
import time
from collections.abc import Sequence
from typing import Any

from arena.games import get_game
from arena.games.deal import Deal
from arena.players.scripted import Scripted
from arena.referee.limits import Limits
from arena.referee.play import play
from arena.referee.table import Outcome
from arena_bot import Action, Bot, Match, Observation, Turn


def couperation_table(*bottom: int | None, hand: tuple[int, ...] = ()) -> Observation:
    """Return a table with face-up cards in the bottom row alone."""
    row = [None if card is None else {"card": card, "up": True} for card in bottom]
    tower = [row, *([None] * (7 - height) for height in range(1, 7))]
    return {"phase": "act", "hand": list(hand), "tower": tower, "reserve": [], "removed": []}


def place(card: int | str, row: int, slot: int, *, up: bool = True) -> Action:
    return {"type": "place", "card": card, "row": row, "slot": slot, "up": up}


def seated(bot: Bot) -> Scripted:
    """Return a player that asks ``bot`` as the SDK would."""
    matches: list[Match] = []

    def choose(message: dict[str, Any]) -> dict[str, Any]:
        if not matches:
            matches.append(Match(json.loads(player.heard[1])))
        action = bot.choose(Turn(message, matches[0], time.monotonic()))
        assert isinstance(action, dict)
        return action

    player = Scripted(choose)
    return player


def outcome(game: str, number: int, bots: Sequence[Bot]) -> Outcome:
    """Return how ``bots``, by seat, do on a deal of the standard variant."""
    deal = Deal(b"samples" + bytes(25), game, "standard", len(bots), number)
    return play(get_game(game), deal, [seated(bot) for bot in bots], Limits()).outcome
