"""Self-play and mixed teams of a co-operative game side by side.

Self-play rewards private conventions, which are worth nothing with a stranger; mixed teams punish
them. The two orders differ, so a bot's two ratings stand beside each other and are never merged.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from arena.ratings.leaderboard import Leaderboard, Row
from arena.referee.category import Mode


@dataclass(frozen=True, slots=True)
class TeamRow:
    """One bot of a co-operative game; ``None`` stands for a table in which it has no row."""

    bot: str
    alone: Row | None
    mixed: Row | None

    @property
    def gap(self) -> float | None:
        """Mean score in self-play less the mean score of the bot's mixed teams.

        Both are over matches without a fault. The further it is above 0, the more of the score
        hangs on partners that are the bot itself.
        """
        own = None if self.alone is None else self.alone.score
        team = None if self.mixed is None else self.mixed.team_score
        return None if own is None or team is None else own - team


@dataclass(frozen=True, slots=True)
class TeamTable:
    """The tables of one game, variant and number of players."""

    alone: Leaderboard
    mixed: Leaderboard | None
    """``None`` where mixed teams were not played."""

    @property
    def rows(self) -> tuple[TeamRow, ...]:
        """By self-play rating, then the bots that only mixed teams have, by theirs."""
        mixed = {row.bot: row for row in self.mixed.rows} if self.mixed else {}
        rows = [TeamRow(row.bot, row, mixed.pop(row.bot, None)) for row in self.alone.rows]
        return (*rows, *(TeamRow(bot, None, row) for bot, row in mixed.items()))


def side_by_side(boards: Iterable[Leaderboard]) -> list[Leaderboard | TeamTable]:
    """Return ``boards`` in their order, but self-play with the mixed teams that belong to it."""
    listed = list(boards)
    mixed = {board.category: board for board in listed if board.category.mode is Mode.MIXED}
    tables = [
        TeamTable(board, mixed.pop(replace(board.category, mode=Mode.MIXED), None))
        if board.category.mode is Mode.SELF
        else board
        for board in listed
    ]
    # What is left of them has no self-play to stand beside.
    return [
        table
        for table in tables
        if isinstance(table, TeamTable)
        or table.category.mode is not Mode.MIXED
        or table.category in mixed
    ]
