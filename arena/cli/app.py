"""The app: its commands, and the one place where an error becomes a line and an exit status."""

import logging
import os
import sys
import traceback
from typing import Annotated

import typer

from arena import __version__
from arena.cli import bots, games, leaderboard, match, tournament
from arena.cli.mistakes import UsageMistake, is_help, mistake
from arena.errors import ArenaError, RecordError, UsageError
from arena.wire.escape import printable

USAGE = 2
NOT_VERIFIED = 1
INTERNAL = 70
INTERRUPTED = 130
_STATUSES: tuple[tuple[tuple[type[BaseException], ...], int], ...] = (
    ((UsageMistake, UsageError), USAGE),
    ((RecordError,), NOT_VERIFIED),
    ((KeyboardInterrupt, typer.Abort), INTERRUPTED),
    ((ArenaError, OSError, MemoryError), INTERNAL),
)

app = typer.Typer(
    name="arena",
    help="Run tournaments of bots in games with hidden information.",
    epilog="Example: arena tournament donburiko --deals 10",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:  # noqa: FBT001 - typer calls it
    if wanted:
        typer.echo(f"arena {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[  # noqa: ARG001 - handled by its callback
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say the version.")
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Log what happens, workers included.")
    ] = False,
) -> None:
    """Run tournaments of bots in games with hidden information."""
    logging.basicConfig(
        stream=sys.stderr,
        level=logging.DEBUG if verbose else logging.ERROR,
        format="%(asctime)s %(levelname)s %(processName)s %(name)s: %(message)s",
    )


bots.register(app)
tournament.register(app)
leaderboard.register(app)
match.register(app)
games.register(app)


def main() -> None:
    """Run the app on the command line's arguments and exit."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run the app on ``arguments`` and return the exit status."""
    command = typer.main.get_command(app)
    try:
        status = command.main(arguments, prog_name="arena", standalone_mode=False)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read our output has enough, as `head` does; Python must not complain at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - a traceback helps no user
        if is_help(error):
            typer.echo(error)
            return 0
        if os.environ.get("ARENA_DEBUG"):
            traceback.print_exc()
        text, status = _explained(error)
        typer.echo(f"arena: {printable(text, lines=True)}", err=True)
    return status if isinstance(status, int) else 0


def _explained(error: BaseException) -> tuple[str, int]:
    """Return what to say of ``error``, in one line, and the exit status."""
    for kinds, status in _STATUSES:
        if isinstance(error, kinds):
            return _text(error), status
    why = f"internal error: {type(error).__name__}: {error}"
    return f"{why} (ARENA_DEBUG=1 shows where; please report it)", INTERNAL


def _text(error: BaseException) -> str:
    if isinstance(error, UsageMistake):
        return mistake(error)
    if isinstance(error, (KeyboardInterrupt, typer.Abort)):
        return "interrupted"
    return str(error) or type(error).__name__
