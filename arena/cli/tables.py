"""Leaderboards for people: tables, what stands under them, and the legend."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from textwrap import wrap

from arena.cli.remarks import counted
from arena.cli.render import WIDTH, Format, Value, for_markdown, render
from arena.games import get_game
from arena.players.tier import Tier
from arena.ratings.cooperation import TeamRow, TeamTable
from arena.ratings.leaderboard import (
    ENOUGH_DEALS,
    ENOUGH_IN_TEAMS,
    SURE,
    Leaderboard,
    Row,
    Share,
)
from arena.ratings.statistics import MIN_DEALS
from arena.referee.category import Category, Mode
from arena.wire.escape import printable

_NAME = 40
"""The most characters of a bot's name; those of registered bots are shorter."""

_TIED = f"= not told from the next bot: P>next is below {SURE}"
_PROVISIONAL = "? provisional: fewer than {}, or more than half of the places are open"
_FEW = f"{ENOUGH_DEALS} deals"
_FEW_IN_TEAMS = f"{_FEW} (in mixed teams {ENOUGH_IN_TEAMS})"
_MIXED = "mixed score: of the bot's teams, over the mean of all teams on the same deals"
_GAP = "gap: self score less the mean score of the bot's mixed teams"
_BOTH = "deals: those of self-play; faults: in self-play and in mixed teams"

_CERTAIN = 0.99
"""No probability is printed as more than this."""

_TEAM_NUMBERS = ("self rating", "self score", "mixed rating", "mixed score", "gap")

Cells = dict[str, Value]

Grouped = tuple[str, Cells]
"""What stands over the group of a row, empty for the first one; and the row."""

Blocks = Mapping[Category, int]
"""For how many deals at most the same processes played, by category; 1 where none is named."""


def tables(
    boards: Iterable[Leaderboard | TeamTable],
    form: Format,
    blocks: Blocks | None = None,
    *,
    more: bool = False,
) -> list[str]:
    """Return ``boards`` as text; with ``more`` each has a second table of further numbers."""
    blocks = blocks or {}
    return [
        _team_table(board, form, blocks, more=more)
        if isinstance(board, TeamTable)
        else _table(board, form, blocks, more=more)
        for board in boards
    ]


def _table(board: Leaderboard, form: Format, blocks: Blocks, *, more: bool) -> str:
    right = ("P>next", "points", _score_head(board.category))
    body = _body([(_group(row), _row(board, row)) for row in board.rows], form, right)
    parts = [body, *([_further(board, form)] if more and board.rows else [])]
    return section(board.category.name, parts, _footer(board, blocks), form)


def _team_table(table: TeamTable, form: Format, blocks: Blocks, *, more: bool) -> str:
    boards = [board for board in (table.alone, table.mixed) if board]
    rows = [
        (_team_group(table, row), _team_row(row, mixed=table.mixed is not None))
        for row in table.rows
    ]
    parts = [_body(rows, form, _TEAM_NUMBERS)]
    if more:
        between = "\n\n" if form is Format.GITHUB else "\n"
        parts += [
            f"{board.category.name}{between}{_further(board, form)}"
            for board in boards
            if board.rows
        ]
    name = " and ".join(board.category.name for board in boards)
    footer = [line for board in boards for line in _footer(board, blocks)]
    return section(name, parts, footer, form)


def _body(rows: Sequence[Grouped], form: Format, right: Sequence[str]) -> str:
    """Return ``rows`` as a table, or as one for each group."""
    if not rows:
        return "no match of it can be rated\n"
    between = "\n\n" if form is Format.GITHUB else "\n"
    return "\n".join(
        f"{heading}{between if heading else ''}"
        + render([cells for _, cells in group], form, right=right)
        for heading, group in groupby(rows, key=itemgetter(0))
    )


def _group(row: Row) -> str:
    return "" if row.group == 1 else f"group {row.group}, never met the others"


def _team_group(table: TeamTable, row: TeamRow) -> str:
    if row.alone:
        return _group(row.alone)
    return "in mixed teams alone" if table.alone.groups > 1 else ""


def section(name: str, parts: Sequence[str], footer: Sequence[str], form: Format) -> str:
    """Return a heading, the ``parts``, and lines that stand under them.

    In Markdown the lines become one paragraph.
    """
    if form is Format.GITHUB:
        under = for_markdown("; ".join(footer))
        return "\n".join([f"### {for_markdown(name)}\n", *parts, f"{under}\n"])
    lines = [short for line in footer for short in _lines(line)]
    under = "".join(f"{line}\n" for line in lines)
    return f"{printable(name)}\n" + "\n".join(parts) + under


def _lines(text: str) -> list[str]:
    # Names have hyphens, and are not to be broken there.
    return wrap(printable(text), WIDTH, break_on_hyphens=False)


def _place(row: Row) -> str:
    return f"{row.place}{'=' * row.tied}{'?' * row.provisional}"


def _row(board: Leaderboard, row: Row) -> Cells:
    """Return the cells of a category's own table: rounded, with intervals beside them."""
    competitive = board.category.mode is Mode.TABLE
    return {
        "#": _place(row),
        "bot": bot_name(row.bot),
        "rating": row.rating.mu,
        "±": row.half_width,
        "rank 95%": _places(row),
        "P>next": _chance(row.p_next),
        "win%" if competitive else "won%": _share(row.won),
        **({"points": percent(row.points)} if competitive else {}),
        _score_head(board.category): _within(row.score, row.score_half_width),
        "matches": row.matches,
        "deals": row.deals,
        "faults": row.faults,
    }


def _team_row(row: TeamRow, *, mixed: bool) -> Cells:
    """Return the cells of self-play and mixed teams side by side."""
    alone, other = row.alone, row.mixed
    cells: Cells = {
        "#": _place(alone) if alone else "-",
        "bot": bot_name(row.bot),
        "self rating": _within(alone.rating.mu, alone.half_width) if alone else None,
        "rank 95%": _places(alone) if alone else None,
        "self score": _within(alone.score, alone.score_half_width) if alone else None,
        "won%": _share(alone.won) if alone else None,
    }
    if mixed:
        rating = _within(other.rating.mu, other.half_width) if other else None
        cells |= {
            "mixed rating": f"{rating}{_marks(other)}" if other else None,
            "mixed score": _within(other.score, other.score_half_width, "+") if other else None,
            "gap": None if row.gap is None else f"{row.gap:+.2f}",
        }
    return cells | {
        "deals": alone.deals if alone else 0,
        "faults": sum(found.faults for found in (alone, other) if found),
    }


def _further(board: Leaderboard, form: Format) -> str:
    """Return the table of what ``--all`` adds."""
    rows: list[Grouped] = [
        (
            _group(row),
            {
                "#": _place(row),
                "bot": bot_name(row.bot),
                "sigma": row.rating.sigma,
                "conservative": row.rating.conservative,
                "Elo gap": f"{row.elo:+.0f}",
                **{f"seat {seat}": percent(points) for seat, points in enumerate(row.seat_points)},
                "median ms": row.action_ms[0] if row.action_ms else None,
                "p99 ms": row.action_ms[1] if row.action_ms else None,
            },
        )
        for row in board.rows
    ]
    return _body(rows, form, right=list(rows[0][1])[2:])


def _score_head(category: Category) -> str:
    unit = get_game(category.game).unit
    return f"{unit} over mean" if category.mode is Mode.MIXED else unit


def _footer(board: Leaderboard, blocks: Blocks) -> list[str]:
    """Return how the ratings of one table came about."""
    batch = board.batch
    kept = blocks.get(board.category, 1)
    played = [
        counted(board.deals, "deal", "deals"),
        counted(board.matches, "match", "matches"),
        *([f"{board.left_out} left out"] if board.left_out else []),
        *([f"{counted(board.dropped, 'deal', 'deals')} dropped"] if board.dropped else []),
        *([f"tier {' and '.join(board.tiers)}"] if board.tiers else []),
        *([f"processes kept for up to {kept} deals"] if kept > 1 else []),
        _standing(board),
    ]
    fitted = [
        f"draw probability {batch.draw_probability:.3f}",
        _effect(board),
        counted(batch.sweeps, "sweep", "sweeps"),
        f"units {batch.digest.removeprefix('sha256:')[:12]}",
        f"method {batch.method}",
    ]
    lines = [
        f"- {bot_name(one.bot)}: {one.reason}{f' ({one.tournament})' if one.tournament else ''}"
        for one in board.retired
    ]
    lines += [
        f"- {bot_name(bot)}: no rated opponent, for all that it met were retired"
        for bot in board.unmatched
    ]
    lines += [f"{board.category.name}: {', '.join(played)}", ", ".join(fitted)]
    if board.repeats:
        lines.append(
            f"{counted(board.repeats, 'match repeats another', 'matches repeat others')} on the "
            f"same cards and {'does' if board.repeats == 1 else 'do'} not count"
        )
    if board.hidden:
        older = counted(len(board.hidden), "older version is", "older versions are")
        lines.append(f"{older} rated and not shown (--versions)")
    if not batch.converged:
        lines.append("the ratings did not settle: read them with care")
    if board.groups > 1:
        lines.append(
            f"{board.category.name}: {board.groups} groups of bots never met, and each has ratings "
            "and places of its own"
        )
    return lines


def _effect(board: Leaderboard) -> str:
    """Return by how much variances were taken larger, and why."""
    if board.category.mode is Mode.MIXED:
        return f"likeness {board.likeness:.2f}"
    assumed = f" (fewer than {MIN_DEALS} deals)" if board.deff_is_assumed else ""
    return f"deff {board.deff:.2f}{assumed}"


def _standing(board: Leaderboard) -> str:
    if board.rated:
        return "rated"
    # Then it is for no fault of the tournament, of which the legend tells.
    return "unrated: no match is left" if board.unmatched and not board.matches else "unrated"


def legend(shown: Sequence[Leaderboard | TeamTable], unrated: Sequence[str], form: Format) -> str:
    """Return what is said once under all the tables, nothing if there is nothing to say.

    Args:
        shown: what was printed.
        unrated: why tournaments are not rated.
        form: of the text.
    """
    teams = [table for table in shown if isinstance(table, TeamTable)]
    boards = [*(board for board in shown if isinstance(board, Leaderboard))]
    boards += [board for table in teams for board in (table.alone, table.mixed) if board]
    rows = [row for board in boards for row in board.rows]
    mixed = any(board.category.mode is Mode.MIXED for board in boards)
    provisional = _PROVISIONAL.format(_FEW_IN_TEAMS if mixed else _FEW)
    said: list[tuple[str, Callable[[], bool]]] = [
        (_TIED, lambda: any(row.tied for row in rows)),
        (provisional, lambda: any(row.provisional for row in rows)),
        (_MIXED, lambda: any(table.mixed for table in teams)),
        (_GAP, lambda: any(table.mixed for table in teams)),
        (_BOTH, lambda: any(table.mixed for table in teams)),
    ]
    lines = [line for line, holds in said if holds()]
    if unrated and not all(board.rated for board in boards):
        lines.append(f"unrated: {'; '.join(unrated)}")
    if open_ones := [board.category.name for board in boards if Tier.NONE in board.tiers]:
        which = "" if len(open_ones) == len(boards) else f" ({', '.join(open_ones)})"
        lines.append(
            f"NOT ISOLATED{which}: bots can read the referee's memory and talk to each other"
        )
    # In Markdown an item each: lines of one paragraph would flow together.
    items = [f"- {for_markdown(line)}" for line in lines] if form is Format.GITHUB else lines
    return "".join(f"{printable(line)}\n" for line in items)


def bot_name(name: str) -> str:
    """Return a bot's name as a cell: whatever the database holds, it is one short line."""
    return printable(name, _NAME, cut="middle")


def _marks(row: Row) -> str:
    """Return what is said of a rating that has no place beside it."""
    return f"{'?' * row.provisional}{f' (group {row.group})' if row.group > 1 else ''}"


def _chance(value: float | None) -> str | None:
    """Return a probability, rounded down: what is printed as 0.95 is no less, and none is 1."""
    if value is None:
        return None
    if value > _CERTAIN:
        return f">{_CERTAIN}"
    return f"{math.floor(100 * value + 1e-9) / 100:.2f}"


def _places(row: Row) -> str:
    first, last = row.places
    return f"{first}-{last}"


def _within(value: float | None, half_width: float | None, sign: str = "") -> str | None:
    if value is None:
        return None
    text = f"{value:{sign}.2f}"
    return text if half_width is None else f"{text} ± {half_width:.2f}"


def _share(share: Share | None) -> str | None:
    if share is None:
        return None
    return f"{100 * share.rate:.0f} [{100 * share.low:.0f}, {100 * share.high:.0f}]"


def percent(value: float | None) -> str | None:
    """Return a share as hundredths of 1."""
    return None if value is None else f"{100 * value:.1f}"
