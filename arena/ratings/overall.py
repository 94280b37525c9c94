"""One table over all categories.

Ratings of different categories are in different units and are never averaged. What is averaged is
the P-score: how probably a bot is better than another one of the category.

Source:
    G. Rücker, G. Schwarzer, "Ranking treatments in frequentist network meta-analysis works
    without resampling methods", BMC Medical Research Methodology 15, 2015.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from arena.ratings.leaderboard import Leaderboard, Row
from arena.referee.category import Category, Mode


@dataclass(frozen=True, slots=True)
class OverallRow:
    """One bot over all categories."""

    place: int | None
    """From 1, equal values share a place; ``None`` for a bot that is missing in a category."""

    bot: str
    overall: float | None
    """0 to 100; ``None`` as above."""

    p_scores: tuple[float | None, ...]
    """By category, 0 to 1."""


@dataclass(frozen=True, slots=True)
class Overall:
    """The table over all categories."""

    categories: tuple[Category, ...]
    rows: tuple[OverallRow, ...]
    """Best first, then the unranked ones by name."""

    apart: tuple[Category, ...] = ()
    """Categories that do not count, since their bots are groups that never met."""


def p_scores(board: Leaderboard) -> dict[str, float]:
    """Return by bot the mean probability of being better than another bot of its group.

    A bot alone in its group has none.
    """
    groups: dict[int, list[Row]] = defaultdict(list)
    for row in board.rows:
        groups[row.group].append(row)
    return {
        row.bot: math.fsum(board.p_better(row, other) for other in rows if other is not row)
        / (len(rows) - 1)
        for rows in groups.values()
        for row in rows
        if len(rows) > 1
    }


def overall(boards: Iterable[Leaderboard]) -> Overall:
    """Return the table over the categories of ``boards``.

    A bot's figure is 100 times the mean over games of the mean over each game's categories.
    Co-operative games count by self-play; mixed teams depend on who the others are. Left out
    are tables of fewer than two bots, and those of several groups: to be better than others of a
    group says nothing of the rest.
    """
    told = [
        board for board in boards if board.category.mode is not Mode.MIXED and len(board.rows) > 1
    ]
    counted = [board for board in told if board.groups == 1]
    scores = [p_scores(board) for board in counted]
    table = {
        bot: tuple(score.get(bot) for score in scores)
        for bot in sorted({bot for score in scores for bot in score})
    }
    # Rounded, because a fit stops short of the last digits.
    values = {
        bot: round(_mean_over_games(counted, complete), 4)
        for bot, own in table.items()
        if len(complete := [score for score in own if score is not None]) == len(own)
    }
    rows = [
        OverallRow(
            place=1 + sum(other > values[bot] for other in values.values()),
            bot=bot,
            overall=values[bot],
            p_scores=table[bot],
        )
        for bot in sorted(values, key=lambda bot: (-values[bot], bot))
    ]
    rows += [OverallRow(None, bot, None, own) for bot, own in table.items() if bot not in values]
    return Overall(
        tuple(board.category for board in counted),
        tuple(rows),
        apart=tuple(board.category for board in told if board.groups > 1),
    )


def _mean_over_games(boards: Sequence[Leaderboard], scores: Sequence[float]) -> float:
    """Return 100 times the mean over games of the mean over the categories of each."""
    by_game: dict[str, list[float]] = defaultdict(list)
    for board, score in zip(boards, scores, strict=True):
        by_game[board.category.game].append(score)
    means = [math.fsum(own) / len(own) for own in by_game.values()]
    return 100 * math.fsum(means) / len(means)
