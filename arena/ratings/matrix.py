"""How bots did in pairs: against each other, or with each other.

A rating is one number for each bot, and hides who beats whom and who gets on with whom.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from arena.ratings.leaderboard import Leaderboard
from arena.ratings.result import Result
from arena.referee.category import Category, Mode


@dataclass(frozen=True, slots=True)
class Cell:
    """What one bot did with respect to another."""

    value: float
    """Competitive games: mean points of the row's bot against the column's, 1 for ending before
    it, 0 after it, one half for a tie. Co-operative games: mean score of the teams that both were
    in; on the diagonal of the bot's teams with itself.
    """

    matches: int


@dataclass(frozen=True, slots=True)
class Pairs:
    """All pairs of bots that a category has matches of."""

    category: Category
    cells: tuple[tuple[str, str, Cell], ...]
    """(row, column, cell), by name; competitive games and mixed teams have each pair both ways."""


@dataclass(frozen=True, slots=True)
class Matrix:
    """A square table; of a co-operative game, self-play and mixed teams make one."""

    name: str
    categories: tuple[Category, ...]
    bots: tuple[str, ...]
    """Of the rows and of the columns alike, in the order of the leaderboard."""

    cells: Mapping[tuple[str, str], Cell]
    """By (row, column); absent where there was no match."""

    @property
    def competitive(self) -> bool:
        """Whether values are points against each other, and no scores of teams."""
        return self.categories[0].mode is Mode.TABLE


def pairs(category: Category, results: Iterable[Result]) -> Pairs:
    """Return the pairs of ``category``; other categories are passed over.

    Line-ups that cannot be rated are left out, and of co-operative games matches with a fault.
    In a competitive game ranks hold what a fault means.
    """
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for result in results:
        if result.category != category or not result.ratable:
            continue
        if category.mode is Mode.TABLE:
            _against(result, found)
        elif not result.faults:
            _together(result, found)
    return Pairs(
        category,
        tuple(
            (row, column, Cell(math.fsum(values) / len(values), len(values)))
            for (row, column), values in sorted(found.items())
        ),
    )


def _against(result: Result, found: Mapping[tuple[str, str], list[float]]) -> None:
    for one, own in zip(result.bots, result.ranks, strict=True):
        for other, theirs in zip(result.bots, result.ranks, strict=True):
            if one != other:
                found[one, other].append(0.5 if own == theirs else float(own < theirs))


def _together(result: Result, found: Mapping[tuple[str, str], list[float]]) -> None:
    team = sorted(set(result.bots))
    for one in team:
        for other in team:
            if one != other or len(team) == 1:
                found[one, other].append(result.scores[0])


def matrices(boards: Sequence[Leaderboard], found: Iterable[Pairs]) -> list[Matrix]:
    """Return a matrix for each of ``boards``; self-play and the mixed teams beside it share one.

    Args:
        boards: whose rows give the order of bots; a bot without a row is left out.
        found: the pairs of the same categories.
    """
    cells = {one.category: one.cells for one in found}
    groups: dict[tuple[str, str, bool, int], list[Leaderboard]] = defaultdict(list)
    for board in boards:
        category = board.category
        competitive = category.mode is Mode.TABLE
        groups[category.game, category.variant, competitive, category.players].append(board)
    return [_matrix(group, cells) for group in groups.values()]


def _matrix(
    boards: Sequence[Leaderboard], cells: Mapping[Category, Iterable[tuple[str, str, Cell]]]
) -> Matrix:
    bots = tuple(dict.fromkeys(row.bot for board in boards for row in board.rows))
    listed = set(bots)
    return Matrix(
        name=" and ".join(board.category.name for board in boards),
        categories=tuple(board.category for board in boards),
        bots=bots,
        cells={
            (row, column): cell
            for board in boards
            for row, column, cell in cells.get(board.category, ())
            if row in listed and column in listed
        },
    )
