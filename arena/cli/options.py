"""Options that several commands share, and what is made of their values."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.render import Format
from arena.errors import UsageError
from arena.games import games
from arena.store.db import Store, open_store
from arena.tournament.workers import cores
from arena.wire.escape import printable

Home = Annotated[
    Path, typer.Option("--home", envvar="ARENA_HOME", help="Where everything is kept.")
]
HOME = Path("results")

As = Annotated[Format, typer.Option("--format", "-f", help="How to print.", case_sensitive=False)]

MoveMs = Annotated[int, typer.Option("--move-ms", min=1, max=3_600_000, help="Time for a move.")]
ExtraMs = Annotated[
    int,
    typer.Option(
        "--extra-ms", min=0, max=86_400_000, help="Time a match beside that of its moves."
    ),
]


def _complete_game(incomplete: str) -> list[str]:
    return [name for name in games() if name.startswith(incomplete)]


Games = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[GAME]...", help="Names from `arena games`.", autocompletion=_complete_game
    ),
]
OneGame = Annotated[
    str,
    typer.Argument(
        metavar="GAME", help="A name from `arena games`.", autocompletion=_complete_game
    ),
]


@contextmanager
def store_at(home: Path, *, create: bool = True) -> Iterator[Store]:
    """Open the store in ``home`` for the length of the context."""
    with open_store(home, create=create) as store:
        yield store


def words(text: str | None, option: str) -> list[str] | None:
    """Return the comma-separated parts of an option's value, ``None`` where it was not given."""
    if text is None:
        return None
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not parts:
        raise UsageError(f"{option} is empty: give names with commas between them")
    return parts


def sizes(text: str | None) -> list[int] | None:
    """Return the numbers in ``--players``, as in ``2,3,4`` or ``2-4``."""
    parts = words(text, "--players")
    if parts is None:
        return None
    found: list[int] = []
    for part in parts:
        match = re.fullmatch(r"(\d{1,3})(?:-(\d{1,3}))?", part, re.ASCII)
        if not match:
            raise UsageError(
                f"--players takes numbers with commas between them, not '{printable(part, 40)}'"
            )
        first, last = int(match[1]), int(match[2] or match[1])
        if last < first:
            raise UsageError(f"--players: {part} runs backwards")
        found.extend(range(first, last + 1))
    return sorted(set(found))


def workers_wanted(jobs: int | None) -> int:
    """Return how many workers to start: as many as there are cores, unless the user says."""
    return jobs or len(cores())
