"""``arena leaderboard``: ratings of one tournament or of several, a table for each category."""

import json
import shlex
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Annotated

import typer

from arena.cli import numbers, tables, wide
from arena.cli.options import (
    HOME,
    As,
    Games,
    Home,
    at_home,
    browsed,
    store_at,
    tournament_option,
)
from arena.cli.pools import ALL, category_names, chosen_categories, longest_block, pool_of
from arena.cli.remarks import counted, remark, rulings
from arena.cli.render import Format, render
from arena.errors import UsageError
from arena.games import games as all_games
from arena.games import get_game
from arena.ratings.cooperation import TeamTable, side_by_side
from arena.ratings.leaderboard import Leaderboard
from arena.ratings.overall import Overall, overall
from arena.store.db import Store
from arena.store.tournaments import Progress, Stage, Tournament, list_tournaments
from arena.tournament.leaderboards import leaderboards, pair_matrices
from arena.wire.escape import printable

_ECHO = 120

InTournaments = Annotated[
    list[str] | None,
    tournament_option(f"Its id or name, or `{ALL}`; several make a pool. By default the newest."),
]
Categories = Annotated[
    list[str] | None,
    typer.Option(
        "--category",
        "-c",
        metavar="CATEGORY",
        help="Print this one alone, as in `couperation-mixed-2p`; can be repeated.",
        autocompletion=category_names,
    ),
]
Since = Annotated[
    str | None,
    typer.Option(
        "--since",
        metavar="DATE",
        help="Pool the tournaments begun since a date or time, UTC, as in 2026-11-30T18:00.",
    ),
]
More = Annotated[
    bool,
    typer.Option(
        "--all", help="Add sigma, mu - 3 sigma, Elo gap, points by seat, and times of moves."
    ),
]
AsMatrix = Annotated[
    bool,
    typer.Option(
        "--matrix", help="Print how bots did in pairs instead: against, or with each other."
    ),
]
Versions = Annotated[
    bool,
    typer.Option("--versions", help="In a pool, give older versions of a bot rows too."),
]


def register(app: typer.Typer) -> None:
    """Add the commands of this module to ``app``."""
    app.command(epilog="Example: arena leaderboard donburiko --format csv")(leaderboard)


def leaderboard(  # noqa: PLR0913, PLR0917 - a command's options
    games: Games = None,
    tournament: InTournaments = None,
    category: Categories = None,
    since: Since = None,
    more: More = False,
    matrix: AsMatrix = False,
    versions: Versions = False,
    home: Home = HOME,
    form: As = Format.TABLE,
) -> None:
    """Print the leaderboards of a tournament, or of several that are rated as a pool.

    The rating is TrueSkill's mu, ± its 95 % interval; "rank 95%" are the places that the ratings
    leave open, "P>next" is the probability of being better than the next bot. A co-operative game
    has self-play and mixed teams side by side; --category prints either alone.
    """
    chosen = {_game(home, name) for name in games or ()}
    categories = chosen_categories(category, chosen)
    if matrix and more:
        raise UsageError("--matrix prints pairs and no ratings: leave out --all")
    with store_at(home, create=False) as store:
        pool = pool_of(store, tournament, since, chosen)
        _say(pool)
        ids = [one.tournament.id for one in pool]
        boards = [
            board
            for board in leaderboards(store, ids, chosen, versions=versions)
            if categories is None or board.category.name in categories
        ]
        if not boards:
            _say_nothing_is_there(store, pool, sorted(chosen), sorted(categories or ()), home)
        if matrix:
            _print_pairs(store, ids, boards, form, versions=versions)
        else:
            apart = categories is not None
            _print(boards, [one.tournament for one in pool], form, more=more, apart=apart)


def _game(home: Path, name: str) -> str:
    """Return ``name`` if it is that of a game.

    Raises:
        UsageError: it is not; the message says so if it is that of a tournament.
    """
    if name not in all_games():
        with browsed(home) as store:
            known = {text for one in list_tournaments(store) for text in _names(one.tournament)}
        if name in known:
            echo = shlex.quote(name)
            raise UsageError(
                f"{printable(echo, _ECHO)} is a tournament and no game: "
                f"arena leaderboard -t {printable(echo, _ECHO)}{at_home(home)}"
            )
    return get_game(name).name


def _names(tournament: Tournament) -> tuple[str, str]:
    return tournament.id, tournament.name


def _say_nothing_is_there(
    store: Store, pool: Sequence[Progress], games: list[str], categories: list[str], home: Path
) -> None:
    """Say that nothing of what is asked for was played, and where there is some of it."""
    which = categories or games
    over = which and all(one.stage is Stage.FINISHED for one in pool)
    when = "in any of them" if len(pool) > 1 else f"in {pool[0].tournament.id}"
    what = f"no match{' of ' * bool(which)}{', '.join(which)} was played"
    remark(f"{what} {when if over else 'yet'}")
    asked = {name.split("-")[0] for name in categories} or set(games)
    for one in reversed(list_tournaments(store)):
        there = {str(it.get("game")) for it in one.tournament.parameters.get("categories", ())}
        if one.played and not one.tournament.comparison and asked & there and one not in pool:
            words = [*games, *(f"-c {name}" for name in categories), f"-t {one.tournament.id}"]
            remark(
                f"the newest tournament with it: arena leaderboard {' '.join(words)}{at_home(home)}"
            )
            return


def print_leaderboards(
    store: Store, tournament: Tournament, form: Format, games: Collection[str] = ()
) -> None:
    """Print the leaderboards of a tournament, of all its games unless some are named."""
    boards = leaderboards(store, [tournament.id], games)
    if not boards:
        remark(f"no match{' of ' * bool(games)}{', '.join(sorted(games))} was played yet")
    _print(boards, [tournament], form)


def _say(pool: Sequence[Progress]) -> None:
    """Say what is rated, and how far it is."""
    played, total = sum(one.played for one in pool), sum(one.total for one in pool)
    left = any(one.played < one.total and not one.decided for one in pool)
    note = " so far" if left else " (decided)" if played < total else ""
    name = pool[0].tournament.id if len(pool) == 1 else f"{len(pool)} tournaments"
    remark(f"{name}: {played} of {counted(total, 'match', 'matches')} played{note}")
    if found := rulings(pool):
        remark(found)


def _print(
    boards: Sequence[Leaderboard],
    pool: Sequence[Tournament],
    form: Format,
    *,
    more: bool = False,
    apart: bool = False,
) -> None:
    """Print ``boards`` of a ``pool``, then the table over all if they are of several categories.

    With ``apart`` no two of them stand side by side.
    """
    whole = overall(boards)
    above: Overall | None = whole if len(whole.categories) > 1 else None
    if whole.apart and not above and len(whole.categories) + len(whole.apart) > 1:
        remark(wide.never_met(whole))
    match form:
        case Format.JSON:
            found = numbers.json_boards(boards, above, more=more)
            typer.echo(json.dumps(found, indent=2, allow_nan=False))
        case Format.CSV:
            heads, rows = numbers.csv_rows(boards, above, more=more)
            typer.echo(render(rows, form, heads), nl=False)
        case Format.TABLE | Format.GITHUB:
            shown: list[Leaderboard | TeamTable] = [*boards] if apart else side_by_side(boards)
            blocks = {board.category: longest_block(pool, board.category) for board in boards}
            texts = tables.tables(shown, form, blocks, more=more)
            if above:
                texts.append(wide.overall_table(above, form))
            unrated = list(dict.fromkeys(reason for one in pool for reason in one.unrated))
            legend = tables.legend(shown, unrated, form)
            typer.echo("\n".join([*texts, legend] if texts else []), nl=False)


def _print_pairs(
    store: Store,
    ids: Sequence[str],
    boards: Sequence[Leaderboard],
    form: Format,
    *,
    versions: bool,
) -> None:
    chosen = {board.category for board in boards}
    matrices = pair_matrices(store, ids, chosen, versions=versions) if chosen else []
    match form:
        case Format.JSON:
            typer.echo(json.dumps(numbers.json_pairs(matrices), indent=2, allow_nan=False))
        case Format.CSV:
            typer.echo(render(numbers.csv_pairs(matrices), form, numbers.PAIRS), nl=False)
        case Format.TABLE | Format.GITHUB:
            typer.echo("\n".join(wide.matrix_table(one, form) for one in matrices), nl=False)
