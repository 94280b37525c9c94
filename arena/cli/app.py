"""The app: its commands, and the one place where an error becomes a line and an exit status."""

import io
import logging
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from types import FrameType
from typing import Annotated, Any, NoReturn

import typer

from arena import __version__
from arena.cli.commands import Commands
from arena.cli.mistakes import Stopped, UsageMistake, is_help, mistake
from arena.cli.remarks import LogFormat, remark
from arena.errors import ArenaError, RecordError, UsageError
from arena.players.tail import TAIL
from arena.wire.escape import printable

USAGE = 2
NOT_VERIFIED = 1
INTERNAL = 70
INTERRUPTED = 130
_STATUSES: tuple[tuple[tuple[type[BaseException], ...], int], ...] = (
    ((UsageMistake, UsageError), USAGE),
    ((RecordError,), NOT_VERIFIED),
    ((KeyboardInterrupt, typer.Abort, Stopped), INTERRUPTED),
    ((ArenaError, OSError, MemoryError), INTERNAL),
)
_LONGEST = 600
"""Of the line that says what went wrong, in characters."""

app = typer.Typer(
    name="arena",
    cls=Commands,
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
    shown = logging.StreamHandler(sys.stderr)
    shown.setFormatter(LogFormat())
    # What goes wrong is said in one line by `run`; the log has the whole of it.
    wanted = verbose or bool(os.environ.get("ARENA_DEBUG"))
    logging.basicConfig(handlers=[shown], level=logging.DEBUG if wanted else logging.CRITICAL)


def main() -> NoReturn:
    """Run the app on the command line's arguments and exit."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # What the terminal's encoding lacks is spelt out.
            stream.reconfigure(errors="backslashreplace")
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _leave)
    sys.exit(run(sys.argv[1:]))


def _leave(number: int, frame: FrameType | None) -> NoReturn:  # noqa: ARG001 - a signal handler's
    """Leave through every `finally`, so that no bot is left running."""
    raise SystemExit(128 + number)


def run(arguments: Sequence[str]) -> int:
    """Run the app on ``arguments`` and return the exit status."""
    command = typer.main.get_command(app)
    try:
        status = command.main(list(arguments), prog_name="arena", standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
    except SystemExit as leaving:
        if isinstance(leaving.__context__, BrokenPipeError):
            return _nobody_reads()
        return leaving.code if isinstance(leaving.code, int) else bool(leaving.code)
    except BrokenPipeError:
        return _nobody_reads()
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - a traceback helps no user
        if is_help(error):
            typer.echo(error)
            return 0
        return _failed(error, command, arguments)
    if status == INTERRUPTED:
        # Typer makes a status of KeyboardInterrupt.
        remark("arena: interrupted")
    return status if isinstance(status, int) else 0


def _nobody_reads() -> int:
    """Whoever read our output has enough, as `head` does; Python must not complain at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _failed(error: BaseException, command: Any, arguments: Sequence[str]) -> int:  # noqa: ANN401 - typer's
    """Say what went wrong, in one line and the end of a bot's log, and return the exit status."""
    if os.environ.get("ARENA_DEBUG"):
        traceback.print_exc()
    kinds = (status for kinds, status in _STATUSES if isinstance(error, kinds))
    status = next(kinds, None)
    if isinstance(error, UsageMistake):
        text = mistake(error, command, arguments)
    elif isinstance(error, (KeyboardInterrupt, typer.Abort)):
        text = "interrupted"
    elif isinstance(error, OSError) and error.strerror:
        text = error.strerror + (f": {error.filename}" if error.filename else "")
    elif status is None:
        kind = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        text = f"internal error: {kind} (ARENA_DEBUG=1 shows where; please report it)"
    else:
        text = str(error) or type(error).__name__
    said, *tail = text.split(TAIL)
    remark(f"arena: {printable(said, _LONGEST, cut='middle')}")
    for line in tail:
        remark(f"{TAIL[1:]}{line}")
    return INTERNAL if status is None else status
