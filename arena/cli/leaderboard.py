"""``arena leaderboard``: ratings of a tournament, a table for each category."""

import json
from collections.abc import Collection, Sequence
from typing import Any

import typer

from arena.cli.options import HOME, As, Games, Home, InTournament, store_at
from arena.cli.remarks import counted, remark
from arena.cli.render import Format, Value, for_markdown, render
from arena.errors import UsageError
from arena.games import get_game
from arena.players.sandbox import Tier
from arena.ratings.leaderboard import ENOUGH_DEALS, SURE, Leaderboard, Row, Share
from arena.referee.category import Category, Mode
from arena.store.db import Store
from arena.store.tournaments import Progress, Tournament, get_tournament, list_tournaments
from arena.tournament.leaderboards import leaderboards
from arena.wire.escape import printable

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
)
"""Heads of the CSV, and names in the JSON: they need no escaping anywhere."""

_LEGEND = (
    f"= not told from the next bot: P>next is below {SURE}",
    f"? provisional: fewer than {ENOUGH_DEALS} deals, or more than half of the places are open",
)


def register(app: typer.Typer) -> None:
    """Add the commands of this module to ``app``."""
    app.command(epilog="Example: arena leaderboard donburiko --format csv")(leaderboard)


def leaderboard(
    games: Games = None,
    tournament: InTournament = None,
    home: Home = HOME,
    form: As = Format.TABLE,
) -> None:
    """Print the leaderboards of a tournament.

    The rating is TrueSkill's mu, ± its 95 % interval; "rank 95%" are the places that the ratings
    leave open, "P>next" is the probability of being better than the next bot.
    """
    chosen = {get_game(name).name for name in games or ()}
    with store_at(home, create=False) as store:
        progress = get_tournament(store, tournament) if tournament else _last(store)
        so_far = "" if progress.played == progress.total else " so far"
        of = f"{progress.played} of {counted(progress.total, 'match', 'matches')}"
        remark(f"{progress.tournament.id}: {of} played{so_far}")
        print_leaderboards(store, progress.tournament, form, chosen)


def print_leaderboards(
    store: Store, tournament: Tournament, form: Format, games: Collection[str] = ()
) -> None:
    """Print the leaderboards of a tournament, of all its games unless some are named."""
    boards = leaderboards(store, [tournament.id], games)
    if not boards:
        remark(f"no match{' of ' * bool(games)}{', '.join(sorted(games))} was played yet")
    match form:
        case Format.JSON:
            typer.echo(json.dumps([_whole(board) for board in boards], indent=2))
        case Format.CSV:
            rows = [_numbers(board, row) for board in boards for row in board.rows]
            typer.echo(render(rows, form, NUMBERS), nl=False)
        case Format.TABLE | Format.GITHUB:
            tables = [_table(board, form) for board in boards]
            legend = "\n".join(_legend(boards, tournament.unrated, form))
            typer.echo("\n".join([*tables, f"{legend}\n"] if tables else []), nl=False)


def _last(store: Store) -> Progress:
    """Return the newest tournament of more than one match; a single match is no competition."""
    there = [one for one in list_tournaments(store) if one.total > 1]
    if not there:
        raise UsageError("no tournament was played yet: `arena tournament` plays one")
    return there[-1]


def _table(board: Leaderboard, form: Format) -> str:
    right = ("points", _score_head(board.category))
    rows = [_shown(board, row) for row in board.rows]
    table = render(rows, form, right=right) if rows else "no match of it can be rated\n"
    if form is Format.GITHUB:
        return f"### {for_markdown(board.category.name)}\n\n{table}\n{_footer(board)}\n"
    return f"{printable(board.category.name)}\n{table}{_footer(board)}\n"


def _shown(board: Leaderboard, row: Row) -> dict[str, Value]:
    """Return the cells of ``row`` for people: rounded, with their intervals beside them."""
    first, last = row.places
    score = None if row.score is None else f"{row.score:.2f}"
    if score and row.score_half_width is not None:
        score += f" ± {row.score_half_width:.2f}"
    competitive = board.category.mode is Mode.TABLE
    return {
        "#": f"{row.place}{'=' * row.tied}{'?' * row.provisional}",
        "bot": row.bot,
        "rating": row.rating.mu,
        "±": row.half_width,
        "rank 95%": f"{first}-{last}",
        "P>next": row.p_next,
        "win%" if competitive else "won%": _percent(row.won),
        **({"points": _hundred(row.points)} if competitive else {}),
        _score_head(board.category): score,
        "matches": row.matches,
        "deals": row.deals,
        "faults": row.faults,
    }


def _score_head(category: Category) -> str:
    unit = get_game(category.game).unit
    return f"{unit} over mean" if category.mode is Mode.MIXED else unit


def _numbers(board: Leaderboard, row: Row) -> dict[str, Value]:
    """Return ``row`` for programs: every number as it is, under the names of `NUMBERS`."""
    won = row.won
    values = (
        board.category.name,
        row.place,
        row.tied,
        row.bot,
        round(row.rating.mu, 4),
        round(row.rating.sigma, 4),
        round(row.half_width, 4),
        *row.places,
        _rounded(row.p_next),
        _rounded(won.rate if won else None),
        _rounded(won.low if won else None),
        _rounded(won.high if won else None),
        _rounded(row.points),
        _rounded(row.score),
        _rounded(row.score_half_width),
        row.matches,
        row.deals,
        row.faults,
        row.provisional,
    )
    return dict(zip(NUMBERS, values, strict=True))


def _whole(board: Leaderboard) -> dict[str, Any]:
    return {
        "category": board.category.name,
        "rows": [_numbers(board, row) for row in board.rows],
        "deals": board.deals,
        "matches": board.matches,
        "left_out": board.left_out,
        "draw_probability": round(board.batch.draw_probability, 6),
        "deff": round(board.deff, 4),
        "sweeps": board.batch.sweeps,
        "converged": board.batch.converged,
        "components": [list(component) for component in board.batch.components],
        "units": board.batch.digest,
        "method": board.batch.method,
        "tiers": list(board.tiers),
        "rated": board.rated,
    }


def _footer(board: Leaderboard) -> str:
    """Return how the ratings of one table came about."""
    batch = board.batch
    parts = [
        counted(board.deals, "deal", "deals"),
        counted(board.matches, "match", "matches"),
        f"draw probability {batch.draw_probability:.3f}",
        f"deff {board.deff:.2f}",
        counted(batch.sweeps, "sweep", "sweeps"),
        f"units {batch.digest.removeprefix('sha256:')[:12]}",
        f"method {batch.method}",
        "rated" if board.rated else "unrated",
    ]
    if board.left_out:
        parts.insert(2, f"{board.left_out} left out")
    lines = [", ".join(parts)]
    if not batch.converged:
        lines.append("the ratings did not settle: read them with care")
    if len(batch.components) > 1:
        lines.append(f"{len(batch.components)} groups of bots never met and are rated apart")
    return "\n".join(lines)


def _legend(boards: Sequence[Leaderboard], unrated: Sequence[str], form: Format) -> list[str]:
    """Return what is said once under all the tables."""
    rows = [row for board in boards for row in board.rows]
    used = (any(row.tied for row in rows), any(row.provisional for row in rows))
    lines = [line for line, said in zip(_LEGEND, used, strict=True) if said]
    if unrated and not all(board.rated for board in boards):
        lines.append(f"unrated: {'; '.join(unrated)}")
    if open_ones := [board.category.name for board in boards if Tier.NONE in board.tiers]:
        which = "" if len(open_ones) == len(boards) else f" ({', '.join(open_ones)})"
        lines.append(
            f"NOT ISOLATED{which}: bots can read the referee's memory and talk to each other"
        )
    # In Markdown an item each: lines of one paragraph would flow together.
    return [f"- {for_markdown(line)}" for line in lines] if form is Format.GITHUB else lines


def _percent(share: Share | None) -> str | None:
    if share is None:
        return None
    return f"{100 * share.rate:.0f} [{100 * share.low:.0f}, {100 * share.high:.0f}]"


def _hundred(value: float | None) -> str | None:
    return None if value is None else f"{100 * value:.1f}"


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
