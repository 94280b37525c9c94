"""Options that several commands share, and what is made of their values."""

import os
import re
import shlex
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, Any

import typer

from arena.bundled import bundled, sample_bots
from arena.cli.mistakes import spelt
from arena.cli.remarks import remark
from arena.cli.render import Format
from arena.errors import UsageError
from arena.games import games
from arena.players.files import typed
from arena.players.tier import Tier
from arena.referee.limits import BOUNDS, Limits
from arena.store.bots import list_bots
from arena.store.db import FILE_NAME, Store, open_store
from arena.store.listing import match_ids, tournaments_of
from arena.store.tournaments import Tournament, get_tournament, list_tournaments
from arena.tournament.machine import carries
from arena.tournament.settings import FILE_NAME as SETTINGS
from arena.tournament.settings import MOST_JOBS, Settings, read_settings
from arena.wire.escape import printable

HOME = Path("results")
_MOST_COMPLETED = 200


def _kept(context: typer.Context, names: Callable[[Store], Iterable[str]]) -> list[str]:
    """Return names out of the home that the command line says, for the shell to choose from."""
    # Whoever presses TAB wants no message; without names the shell offers files.
    home = context.params.get("home") or os.environ.get("ARENA_HOME") or HOME
    with suppress(Exception), browsed(typed(home)) as store:
        return list(names(store))
    return []


def complete_game() -> list[str]:
    """Return the names of the games."""
    with suppress(Exception):
        return list(games())
    return []


def complete_registered(context: typer.Context) -> list[str]:
    """Return the names of the registered bots."""
    return _kept(context, lambda store: [bot.name for bot in list_bots(store)])


def complete_bot(context: typer.Context) -> list[str]:
    """Return the names of the registered bots and of the sample bots."""
    samples = [path.stem for path in sample_bots()]
    return list(dict.fromkeys([*complete_registered(context), *samples]))


def complete_tournament(context: typer.Context) -> list[str]:
    """Return the ids of the tournaments, newest first."""
    return _kept(
        context, lambda store: [one.tournament.id for one in reversed(list_tournaments(store))]
    )


def complete_match(context: typer.Context, incomplete: str) -> list[str]:
    """Return ids of matches, those of the tournament that the command line says if it does."""

    def ids(store: Store) -> list[str]:
        where = tournament_id(store, context.params.get("tournament"))
        return match_ids(store, incomplete, where, _MOST_COMPLETED)

    return _kept(context, ids)


def complete_bots(context: typer.Context, incomplete: str) -> list[str]:
    """Return the names of bots behind what is typed of a list with commas between them."""
    before, comma, _ = incomplete.rpartition(",")
    there = before.split(",")
    return [f"{before}{comma}{name}" for name in complete_bot(context) if name not in there]


def complete_suite() -> list[str]:
    """Return the names of the suites that come with arena."""
    return sorted(path.stem for path in bundled("seeds").glob("*.toml"))


Home = Annotated[
    Path,
    typer.Option(
        "--home",
        envvar="ARENA_HOME",
        metavar="FOLDER",
        help="Where everything is kept.",
        parser=typed,
    ),
]
As = Annotated[
    Format,
    typer.Option(
        "--format",
        "-f",
        metavar="|".join(Format),
        case_sensitive=False,
        help="How to print.",
    ),
]
_USUAL = "; by default {}, or what arena.toml says."


def _limit(name: str, what: str) -> Any:  # noqa: ANN401 - typer's own
    least, most = BOUNDS[name]
    usual = _USUAL.format(getattr(Limits(), name))
    return typer.Option(
        f"--{name.replace('_', '-')}", metavar="MS", min=least, max=most, help=f"{what}{usual}"
    )


MoveMs = Annotated[int | None, _limit("move_ms", "Time for a move")]
ExtraMs = Annotated[int | None, _limit("extra_ms", "Time a match beside that of its moves")]
StartMs = Annotated[int | None, _limit("start_ms", "Time for a bot to start")]
SlotMs = Annotated[
    int | None,
    typer.Option(
        "--slot",
        metavar="MS",
        min=BOUNDS["slot_ms"][0],
        max=BOUNDS["slot_ms"][1],
        help="Ask each question so long after the one before, so that thinking time tells nothing.",
    ),
]
TierName = Annotated[
    Tier | None,
    typer.Option(
        "--tier",
        metavar="|".join(Tier),
        help="How bots are kept apart; by default in the best way that this machine can.",
    ),
]
SuiteName = Annotated[
    str | None,
    typer.Option(
        "--suite",
        metavar="SUITE",
        help="Name or file of a suite; its key is published, so unrated. Else a fresh secret.",
        autocompletion=complete_suite,
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        "-j",
        "--jobs",
        metavar="N",
        min=1,
        max=MOST_JOBS,
        help="Matches at a time; one a core, or one a worker of a cluster.",
    ),
]
Variant = Annotated[
    str | None,
    typer.Option(
        "--variant", metavar="VARIANT", help="Of the rules; by default the game's first one."
    ),
]


def tournament_option(text: str) -> Any:  # noqa: ANN401 - typer's own
    """Return the option that names a tournament, with ``text`` as its help."""
    return typer.Option(
        "--tournament",
        "-t",
        metavar="TOURNAMENT",
        help=text,
        autocompletion=complete_tournament,
    )


InTournament = Annotated[
    str | None, tournament_option("Its id or name; by default the newest that fits.")
]
OfTournament = Annotated[str | None, tournament_option("Of this one alone: its id or name.")]
Operator = Annotated[
    bool, typer.Option("--operator", help="Show cards although the tournament is not finished.")
]
Games = Annotated[
    list[str] | None,
    typer.Argument(metavar="GAME", help="Names from `arena games`.", autocompletion=complete_game),
]
OneGame = Annotated[
    str,
    typer.Argument(metavar="GAME", help="A name from `arena games`.", autocompletion=complete_game),
]


@contextmanager
def store_at(home: Path, *, create: bool = True) -> Iterator[Store]:
    """Open the store in ``home`` for the length of the context."""
    if not create and not _is_kept(home):
        raise UsageError(
            f"nothing is kept in {placed(home)} yet: `arena submit` or `arena tournament` comes "
            "first"
        )
    with open_store(home, create=create) as store:
        yield store


@contextmanager
def browsed(home: Path) -> Iterator[Store]:
    """Open the store in ``home``, or an empty one that vanishes where nothing was kept yet.

    So whoever only looks around leaves nothing behind.
    """
    if _is_kept(home):
        with open_store(home, create=False) as store:
            yield store
    else:
        with (
            tempfile.TemporaryDirectory(prefix="arena-") as empty,
            open_store(Path(empty)) as store,
        ):
            yield store


def _is_kept(home: Path) -> bool:
    try:
        (home / FILE_NAME).lstat()
    except FileNotFoundError:
        return False
    except NotADirectoryError:
        raise UsageError(f"{shown(home)} is not a folder: choose another --home") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "no possible path"
        raise UsageError(f"cannot read {shown(home)}: {reason}; choose another --home") from None
    return True


def shown(home: Path) -> str:
    """Return ``home`` as messages show it."""
    return printable(str(home), 160, cut="middle")


def placed(home: Path) -> str:
    """Return the same from the root on, where the folder may well be another one than is meant."""
    with suppress(OSError):  # the current folder may be gone
        return shown(home.absolute())
    return shown(home)


def settings_at(home: Path) -> Settings:
    """Return the settings of ``home``; say so if those of the current folder are not heeded."""
    found = read_settings(home)
    with suppress(OSError, ValueError):
        if Path(SETTINGS).is_file() and not (home / SETTINGS).exists():
            remark(f"./{SETTINGS} is not read: settings are kept in {placed(home / SETTINGS)}")
    return found


def quoted(path: Path) -> str:
    """Return ``path`` as it stands in a command that is to be typed.

    At its beginning a dash would be taken for that of an option, and a tilde for a user's folder.
    """
    text = str(path)
    return shlex.quote(f"./{text}" if text.startswith(("-", "~")) else text)


def at_home(home: Path) -> str:
    """Return what a command that is to be typed needs so that it finds ``home``."""
    return "" if home == HOME else f" --home {quoted(home)}"


def given(context: typer.Context, names: Iterable[str]) -> list[str]:
    """Return those of the parameters ``names`` that the command line says, as it spells them."""
    said = set()
    for name in names:
        source = context.get_parameter_source(name)
        # A list of arguments always comes from the command line, be it empty.
        if source and source.name == "COMMANDLINE" and context.params[name] not in ((), [], None):
            said.add(name)
    return [spelt(param) for param in context.command.params if param.name in said]


def words(texts: Sequence[str] | None, option: str) -> list[str] | None:
    """Return the comma-separated parts of an option's values, ``None`` where it was not given."""
    if not texts:
        return None
    parts = [part for text in texts for word in text.split(",") if (part := word.strip())]
    if not parts:
        raise UsageError(f"{option} is empty: give names with commas between them")
    return parts


def sizes(texts: Sequence[str] | None) -> list[int] | None:
    """Return the numbers in ``--players``, as in ``2,3,4`` or ``2-4``."""
    parts = words(texts, "--players")
    if parts is None:
        return None
    found: list[int] = []
    for part in parts:
        match = re.fullmatch(r"(\d{1,3})(?:-(\d{1,3}))?", part, re.ASCII)
        if not match:
            raise UsageError(
                "--players takes numbers with commas between them, or a range as in 2-4, not "
                f"'{printable(part, 40)}'"
            )
        first, last = int(match[1]), int(match[2] or match[1])
        if last < first:
            raise UsageError(f"--players: {part} runs backwards")
        found.extend(range(first, last + 1))
    return sorted(set(found))


def one_of(numbers: Sequence[int]) -> str:
    """Return ``numbers`` as a choice: ``2, 3 or 4``."""
    *others, last = map(str, numbers)
    return f"{', '.join(others)} or {last}" if others else last


def tournament_id(store: Store, text: str | None) -> str | None:
    """Return the id of the tournament that ``text`` means; ``None`` where it says nothing."""
    return get_tournament(store, text).tournament.id if text else None


def elsewhere(store: Store, match: str, tournament: str) -> list[str]:
    """Return the ids of the other tournaments with a match of the id ``match``, newest first."""
    return [other for other in tournaments_of(store, match) if other != tournament]


def check_shown(tournament: Tournament, *, operator: bool) -> None:
    """Raise `UsageError` if cards of ``tournament`` would help those who still play on them."""
    if tournament.sealed and not operator:
        raise UsageError(
            f"{tournament.id} is not finished, and its deals are still to be played on: --operator "
            "shows them"
        )


def workers_wanted(jobs: int | None, settings: Settings) -> int:
    """Return how many workers to start: as many as the machine carries, unless the user says."""
    return jobs or settings.jobs or carries()
