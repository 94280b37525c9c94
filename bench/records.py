"""Records of matches that were played without a tournament, for benchmarks and tests."""

from arena import __version__
from arena.games import get_game
from arena.games.base import AnyGame, Kind
from arena.games.deal import Deal
from arena.referee.limits import Limits
from arena.referee.play import Played
from arena.referee.record import MatchRecord, Measured, SeatRecord


def record_of(
    played: Played, deal: Deal, limits: Limits | None = None, game: AnyGame | None = None
) -> MatchRecord:
    """Return the record of a match that was played on ``deal`` by bots without a name.

    Args:
        played: what happened.
        deal: on which.
        limits: under which; by default the usual ones.
        game: of the deal, where it is not one that is installed.
    """
    game = game or get_game(deal.game)
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
