"""A match on a terminal, a screen for each moment; whatever happens, the terminal is given back."""

import os
import select
import signal
import sys
import termios
import tty
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, Self, TextIO

import typer

from arena.cli.frames import Frame
from arena.cli.steps import LINES, View, command, keys_in, screen, status, step

# Of xterm and all that follow it: the other screen, no cursor, nothing wrapped at the margin.
_ENTER = "\x1b[?1049h\x1b[?25l\x1b[?7l"
_LEAVE = "\x1b[?7h\x1b[?25h\x1b[?1049l"
_HOME, _LINE_END, _BELOW = "\x1b[H", "\x1b[K", "\x1b[J"
_USUAL = os.terminal_size((80, 24))
_READ = 1024
_NO_LEGEND = "the game does not say what its signs mean"
_WHOLE_S = 0.1
"""So long after its beginning the rest of a key is no longer waited for: it was an escape."""


def is_terminal() -> bool:
    """Return whether somebody sits at both ends of this process."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


def look_through(frames: Sequence[Frame], title: str, legend: Sequence[str] = ()) -> None:
    """Let the user step through ``frames`` until they have seen enough.

    ``legend`` are lines on what the signs in them mean, shown when they are asked for.

    Keys are read one by one, or lines where the terminal can do no more (``TERM=dumb``).
    """
    if os.environ.get("TERM", "dumb") in {"", "dumb"}:
        _by_lines(frames, title, legend)
    else:
        _by_keys(frames, title, legend)


def _seen(view: View, frames: Sequence[Frame], legend: Sequence[str]) -> Frame:
    """Return what is to be shown."""
    frame = frames[view.at]
    return Frame(frame.number, (), tuple(legend) or (_NO_LEGEND,)) if view.signs else frame


def _by_lines(frames: Sequence[Frame], title: str, legend: Sequence[str]) -> None:
    view = View()
    typer.echo(title)
    while not view.quit:
        frame = _seen(view, frames, legend)
        typer.echo("\n".join([*frame.table, "", *frame.notes]))
        typer.echo(f"{status(view, frames, LINES)}: ", nl=False)
        line = sys.stdin.readline()
        view = command(view, line, frames) if line else View(quit=True)


def _by_keys(frames: Sequence[Frame], title: str, legend: Sequence[str]) -> None:
    view, begun = View(), b""
    source = sys.stdin.fileno()
    with _Taken(source, sys.stdout) as taken, _woken(taken) as wake:
        while not view.quit:
            shown = _seen(view, frames, legend)
            _show(screen(title, shown, status(view, frames), *_size(sys.stdout)))
            ready, _, _ = select.select([source, wake], [], [], _WHOLE_S if begun else None)
            if wake in ready:
                os.read(wake, _READ)
            if source in ready:
                read = os.read(source, _READ)
                names, begun = keys_in(begun + read) if read else (["end of input"], b"")
            elif not ready:
                names, begun = ["escape"], b""
            else:
                # Drawn anew: the size is another, or the terminal was somebody else's.
                names = []
            for name in names:
                view = step(view, name, frames)


def _show(lines: Sequence[str]) -> None:
    """Write a screen over the one before, in one piece and uncleared, so that nothing flickers."""
    sys.stdout.write(_HOME + "\r\n".join(f"{line}{_LINE_END}" for line in lines) + _BELOW)
    sys.stdout.flush()


def _size(stream: TextIO) -> os.terminal_size:
    size = os.get_terminal_size(stream.fileno())
    return size if all(size) else _USUAL


class _Taken:
    """The terminal while it is ours."""

    def __init__(self, source: int, sink: TextIO) -> None:
        self._source = source
        self._sink = sink
        self._before: list[Any] = termios.tcgetattr(source)

    def __enter__(self) -> Self:
        try:
            self.take()
        except BaseException:
            self.give_back()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.give_back()

    def take(self) -> None:
        """Have keys sent as they are pressed, and unseen; Ctrl-C stays a signal."""
        tty.setcbreak(self._source, termios.TCSANOW)
        self._sink.write(_ENTER)
        self._sink.flush()

    def give_back(self) -> None:
        """Leave the terminal as it was found, as far as it is still there."""
        with suppress(termios.error):
            termios.tcsetattr(self._source, termios.TCSANOW, self._before)
        with suppress(OSError):
            self._sink.write(_LEAVE)
            self._sink.flush()


@contextmanager
def _woken(taken: _Taken) -> Iterator[int]:
    """Yield a descriptor that can be read once the screen has to be drawn again.

    That is after a change of size, and after a stop, during which the shell has the terminal.
    """

    def stop(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - a signal handler's
        taken.give_back()
        os.kill(os.getpid(), signal.SIGSTOP)

    def go_on(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - a signal handler's
        taken.take()

    handlers = {
        signal.SIGWINCH: lambda _number, _frame: None,
        signal.SIGTSTP: stop,
        signal.SIGCONT: go_on,
    }
    wake, awaken = os.pipe()
    os.set_blocking(awaken, False)
    woken_before = signal.set_wakeup_fd(awaken, warn_on_full_buffer=False)
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield wake
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(woken_before)
        os.close(wake)
        os.close(awaken)
