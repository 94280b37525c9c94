"""``arena leaderboard``: ratings of a tournament, a table for each category."""

import json
from collections.abc import Collection, Sequence
from typing import Annotated, Any

import typer

from arena.cli.options import HOME, As, Games, Home, store_at
from arena.cli.remarks import remark
from arena.cli.render import Format, Value, render
from arena.errors import UsageError
from arena.games import get_game
from arena.ratings.leaderboard import Leaderboard, Row, Share
from arena.referee.category import Mode
from arena.store.db import Store
from arena.store.tournaments import Progress, get_tournament, list_tournaments
from arena.tournament.key import UNISOLATED
from arena.tournament.standings import standings


def register(app: typer.Typer) -> None:
    """Add the commands of this module to ``app``."""
    app.command(epilog="Example: arena leaderboard donburiko --format csv")(leaderboard)


def leaderboard(
    games: Games = None,
    tournament: Annotated[
        str | None,
        typer.Option("--tournament", "-t", help="Its id or name; by default the last one."),
    ] = None,
    home: Home = HOME,
    form: As = Format.TABLE,
) -> None:
    """Print the leaderboards of a tournament."""
    chosen = {get_game(name).name for name in games or ()}
    with store_at(home, create=False) as store:
        progress = get_tournament(store, tournament) if tournament else _last(store)
        if progress.played < progress.total:
            remark(f"{progress.played} of {progress.total} matches were played so far")
        print_standings(store, [progress.tournament.id], form, chosen)


def print_standings(
    store: Store, tournaments: Sequence[str], form: Format, games: Collection[str] = ()
) -> None:
    """Print the leaderboards of ``tournaments`` (ids), rated as one pool."""
    boards = standings(store, tournaments, games)
    if form is Format.JSON:
        typer.echo(json.dumps([_whole(board) for board in boards], indent=2))
    elif form is Format.CSV:
        rows = [_numbers(board, row) for board in boards for row in board.rows]
        typer.echo(render(rows, form), nl=False)
    else:
        typer.echo("\n".join(_table(board, form) for board in boards), nl=False)


def _last(store: Store) -> Progress:
    """Return the newest tournament of more than one match; a single match is no competition."""
    there = [one for one in list_tournaments(store) if one.total > 1]
    if not there:
        raise UsageError("no tournament was played yet: `arena tournament` plays one")
    return there[-1]


def _table(board: Leaderboard, form: Format) -> str:
    title = f"### {board.category.name}\n" if form is Format.GITHUB else board.category.name
    table = render([_shown(board, row) for row in board.rows], form)
    gap = "\n" if form is Format.GITHUB else ""
    return f"{title}\n{table}{gap}{_footer(board)}\n"


def _shown(board: Leaderboard, row: Row) -> dict[str, Value]:
    """Return the cells of ``row`` for people: rounded, with their intervals beside them."""
    first, last = row.places
    unit = get_game(board.category.game).unit
    score = None if row.score is None else f"{row.score:.2f}"
    if score and row.score_half_width is not None:
        score += f" ± {row.score_half_width:.2f}"
    return {
        "#": f"{row.place}{'=' if row.tied else ''}",
        "bot": row.bot,
        "rating": row.rating.mu,
        "±": row.half_width,
        "rank 95%": f"{first}-{last}",
        "P>next": row.p_next,
        "win%": _percent(row.won),
        **({"points": _hundred(row.points)} if board.category.mode is Mode.TABLE else {}),
        unit: score,
        "matches": row.matches,
        "deals": row.deals,
        "faults": row.faults,
        "": "provisional" if row.provisional else "",
    }


def _numbers(board: Leaderboard, row: Row) -> dict[str, Value]:
    """Return ``row`` for programs: every number as it is, under a name that needs no escaping."""
    won = row.won
    return {
        "category": board.category.name,
        "place": row.place,
        "tied_with_next": row.tied,
        "bot": row.bot,
        "mu": round(row.rating.mu, 4),
        "sigma": round(row.rating.sigma, 4),
        "half_width": round(row.half_width, 4),
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
    }


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
    batch = board.batch
    parts = [
        f"{board.deals} deals, {board.matches} matches",
        f"draw probability {batch.draw_probability:.3f}",
        f"deff {board.deff:.2f}",
        f"{batch.sweeps} sweeps",
        f"units {batch.digest.removeprefix('sha256:')[:12]}",
        f"method {batch.method}",
        "rated" if board.rated else "unrated",
    ]
    if board.left_out:
        parts.insert(1, f"{board.left_out} left out")
    lines = [", ".join(parts)]
    if UNISOLATED in board.tiers:
        lines.append("NOT ISOLATED: bots can read the referee's memory and talk to each other")
    if not batch.converged:
        lines.append("the ratings did not settle: read them with care")
    if len(batch.components) > 1:
        lines.append(f"{len(batch.components)} groups of bots never met and are rated apart")
    return "\n".join(lines)


def _percent(share: Share | None) -> str | None:
    if share is None:
        return None
    return f"{100 * share.rate:.0f} [{100 * share.low:.0f}, {100 * share.high:.0f}]"


def _hundred(value: float | None) -> str | None:
    return None if value is None else f"{100 * value:.1f}"


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
