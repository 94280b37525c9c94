"""Leaderboards for programs: every number as it is, under names that need no escaping anywhere."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from arena.cli.render import Value
from arena.ratings.cooperation import TeamTable, side_by_side
from arena.ratings.leaderboard import Leaderboard, Row
from arena.ratings.matrix import Matrix
from arena.ratings.overall import Overall, p_scores
from arena.referee.category import Mode

OF_CATEGORY = ("deff", "likeness", "repeats")
"""What is the same in all rows of a category."""

NUMBERS = (
    "category",
    "place",
    "tied_with_next",
    "bot",
    "mu",
    "sigma",
    "half_width",
    "best_place",
    "worst_place",
    "p_next",
    "won",
    "won_low",
    "won_high",
    "points",
    "score",
    "score_half_width",
    "matches",
    "deals",
    "faults",
    "provisional",
    "team_score",
    "gap",
    "p_score",
    "overall",
    "group",
    *OF_CATEGORY,
)
"""Heads of the CSV; the JSON has the same names where they mean something."""

MORE = ("conservative", "elo_gap", "median_ms", "p99_ms")
"""What ``--all`` adds, before the points by seat."""

PAIRS = ("category", "row", "column", "value", "matches")
"""Heads of a pair matrix as CSV."""

OVERALL = "overall"
"""What stands for a category where the rows are of all of them."""


def csv_rows(
    boards: Sequence[Leaderboard], overall: Overall | None, *, more: bool
) -> tuple[tuple[str, ...], list[dict[str, Value]]]:
    """Return heads and rows of one table that has all categories, and then the overall one."""
    seats = max((board.category.players for board in boards if _has_seats(board)), default=0)
    heads = (*NUMBERS, *((*MORE, *map(_seat, range(seats))) if more else ()))
    rows = [
        row | _effects(board) | {"repeats": board.repeats}
        for board in boards
        for row in (*_rows(board, boards, more=more), *_unranked(board))
    ]
    rows += [
        {
            "category": OVERALL,
            "place": one.place,
            "bot": one.bot,
            "overall": _rounded(one.overall),
        }
        for one in (overall.rows if overall else ())
    ]
    return heads, [{head: row.get(head) for head in heads} for row in rows]


def _effects(board: Leaderboard) -> dict[str, Value]:
    """Return by how much variances of a category were taken larger."""
    mixed = board.category.mode is Mode.MIXED
    return {
        "deff": None if mixed else _rounded(board.deff),
        "likeness": _rounded(board.likeness) if mixed else None,
    }


def _unranked(board: Leaderboard) -> list[dict[str, Value]]:
    """Return the rows of those retired; they have no place."""
    return [
        {
            "category": board.category.name,
            "bot": one.bot,
            "matches": one.matches,
            "faults": one.faults,
        }
        for one in board.retired
    ]


def json_boards(
    boards: Sequence[Leaderboard], overall: Overall | None, *, more: bool
) -> list[dict[str, Any]]:
    """Return an object for each category, and one called ``overall`` if there is such a table."""
    found = [
        {
            "category": board.category.name,
            "rows": _rows(board, boards, more=more),
            "deals": board.deals,
            "matches": board.matches,
            "left_out": board.left_out,
            "draw_probability": round(board.batch.draw_probability, 6),
            **_effects(board),
            "deff_assumed": board.deff_is_assumed,
            "repeats": board.repeats,
            "sweeps": board.batch.sweeps,
            "converged": board.batch.converged,
            "components": [list(component) for component in board.batch.components],
            "hidden": list(board.hidden),
            "dropped": board.dropped,
            "retired": [
                {
                    "bot": one.bot,
                    "matches": one.matches,
                    "faults": one.faults,
                    "reason": one.reason,
                }
                for one in board.retired
            ],
            "units": board.batch.digest,
            "method": board.batch.method,
            "tiers": list(board.tiers),
            "rated": board.rated,
        }
        for board in boards
    ]
    return [*found, *([_json_overall(overall)] if overall else [])]


def _json_overall(overall: Overall) -> dict[str, Any]:
    names = [category.name for category in overall.categories]
    return {
        "category": OVERALL,
        "categories": names,
        "apart": [category.name for category in overall.apart],
        "rows": [
            {
                "place": row.place,
                "bot": row.bot,
                "overall": _rounded(row.overall),
                "p_scores": dict(zip(names, map(_rounded, row.p_scores), strict=True)),
            }
            for row in overall.rows
        ],
    }


def csv_pairs(matrices: Sequence[Matrix]) -> list[dict[str, Value]]:
    """Return a row for each pair that there is a number of."""
    return [
        {"category": _of(matrix, row, column), **cell}
        for matrix in matrices
        for (row, column), cell in _cells(matrix)
    ]


def json_pairs(matrices: Sequence[Matrix]) -> list[dict[str, Any]]:
    """Return an object for each matrix, with its bots in order and its cells."""
    return [
        {
            "categories": [category.name for category in matrix.categories],
            "bots": list(matrix.bots),
            "cells": [cell for _, cell in _cells(matrix)],
        }
        for matrix in matrices
    ]


def _cells(matrix: Matrix) -> list[tuple[tuple[str, str], dict[str, Value]]]:
    return [
        (
            (row, column),
            {
                "row": row,
                "column": column,
                "value": _rounded(cell.value),
                "matches": cell.matches,
            },
        )
        for row in matrix.bots
        for column in matrix.bots
        if (cell := matrix.cells.get((row, column)))
    ]


def _of(matrix: Matrix, row: str, column: str) -> str:
    """Return the category that a cell is from: in self-play a bot is paired with itself."""
    alone = row == column
    return next(
        category.name for category in matrix.categories if (category.mode is Mode.SELF) == alone
    )


def _rows(
    board: Leaderboard, boards: Sequence[Leaderboard], *, more: bool
) -> list[dict[str, Value]]:
    scores, gaps = p_scores(board), _gaps(board, boards)
    return [
        {
            **_numbers(board, row),
            "gap": _rounded(gaps.get(row.bot)),
            "p_score": _rounded(scores.get(row.bot)),
            **(_more(row) if more else {}),
        }
        for row in board.rows
    ]


def _gaps(board: Leaderboard, boards: Sequence[Leaderboard]) -> Mapping[str, float | None]:
    """Return by bot the gap between self-play and mixed teams; it stands in self-play's rows."""
    return {
        row.bot: row.gap
        for table in side_by_side(boards)
        if isinstance(table, TeamTable) and table.alone is board
        for row in table.rows
    }


def _numbers(board: Leaderboard, row: Row) -> dict[str, Value]:
    won = row.won
    return {
        "category": board.category.name,
        "place": row.place,
        "tied_with_next": row.tied,
        "bot": row.bot,
        "mu": _rounded(row.rating.mu),
        "sigma": _rounded(row.rating.sigma),
        "half_width": _rounded(row.half_width),
        "best_place": row.places[0],
        "worst_place": row.places[1],
        "p_next": _rounded(row.p_next),
        "won": _rounded(won.rate if won else None),
        "won_low": _rounded(won.low if won else None),
        "won_high": _rounded(won.high if won else None),
        "points": _rounded(row.points),
        "score": _rounded(row.score),
        "score_half_width": _rounded(row.score_half_width),
        "matches": row.matches,
        "deals": row.deals,
        "faults": row.faults,
        "provisional": row.provisional,
        "team_score": _rounded(row.team_score),
        "group": row.group,
    }


def _more(row: Row) -> dict[str, Value]:
    median, p99 = row.action_ms or (None, None)
    values = (row.rating.conservative, row.elo, median, p99)
    numbers = dict(zip(MORE, map(_rounded, values), strict=True))
    by_seat = {_seat(seat): _rounded(value) for seat, value in enumerate(row.seat_points)}
    return {**numbers, **by_seat}


def _seat(seat: int) -> str:
    return f"points_seat_{seat}"


def _has_seats(board: Leaderboard) -> bool:
    return board.category.mode is Mode.TABLE


def _rounded(value: float | None) -> float | None:
    """Return ``value`` to four digits; JSON has no infinity, which stands for a very long gap."""
    return None if value is None or not math.isfinite(value) else round(value, 4)
