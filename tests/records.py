"""Records of matches that are played in process, for tests that need some."""

from collections.abc import Mapping
from typing import Any

from arena.errors import BotFault, FaultCode
from arena.games import get_game
from arena.games.deal import Deal
from arena.players.scripted import Scripted, at_random
from arena.referee.limits import Limits
from arena.referee.play import play
from arena.referee.record import MatchRecord
from bench.records import record_of

__all__ = ["KEY", "Quitter", "played_record", "record_of"]

KEY = bytes(32)


class Quitter(Scripted):
    """Plays at random, and exits at its question number ``moves`` (from 0)."""

    def __init__(self, key: bytes, moves: int | None) -> None:
        self._left = moves
        choose = at_random(key)

        def step(message: dict[str, Any]) -> dict[str, Any]:
            if self._left is not None:
                if self._left == 0:
                    raise BotFault(FaultCode.EXITED, "exited with status 1")
                self._left -= 1
            return choose(message)

        super().__init__(step)


def played_record(
    game: str, variant: str, players: int, deal: int, quits: Mapping[int, int], key: bytes = KEY
) -> MatchRecord:
    """Play a match at random and return its record.

    Args:
        game: its name.
        variant: one of its variants.
        players: how many seats.
        deal: number of the deal under ``key``.
        quits: after how many of its moves a seat exits, by seat.
        key: of the suite.
    """
    seats = [Quitter(bytes([seat]), quits.get(seat)) for seat in range(players)]
    where = Deal(key, game, variant, players, deal)
    return record_of(play(get_game(game), where, seats, Limits()), where)
