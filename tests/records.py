"""Records of matches that are played in process, for tests that need some."""

from collections.abc import Mapping
from typing import Any

from arena import __version__
from arena.errors import BotFault, FaultCode
from arena.games import get_game
from arena.games.base import Kind
from arena.games.deal import Deal
from arena.players.scripted import Scripted, at_random
from arena.referee.limits import Limits
from arena.referee.play import Played, play
from arena.referee.record import MatchRecord, Measured, SeatRecord

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


def record_of(played: Played, deal: Deal, limits: Limits | None = None) -> MatchRecord:
    """Return the record of a match that was played on ``deal`` by bots without a name."""
    game = get_game(deal.game)
    return MatchRecord(
        record=1,
        arena=__version__,
        match="m",
        tournament="t",
        game=deal.game,
        variant=deal.variant,
        rules_version=game.rules_version,
        players=deal.players,
        mode="mixed" if game.kind is Kind.COOPERATIVE else "table",
        suite="s",
        deal=deal.number,
        seats=tuple(
            SeatRecord(bot=f"bot{seat}", digest="sha256:0") for seat in range(deal.players)
        ),
        cards=played.cards,
        actions=played.actions,
        faults=played.faults,
        scores=played.outcome.scores,
        ranks=played.outcome.ranks,
        reason=played.outcome.reason,
        limits=limits or Limits(),
        tier="none",
        rated=False,
        measured=Measured(
            started="2026-01-01T00:00:00Z",
            ms=1.0,
            action_ms=played.action_ms,
            cpu_ms=(0.0,) * deal.players,
            attempt=1,
            stderr=("",) * deal.players,
        ),
    )
