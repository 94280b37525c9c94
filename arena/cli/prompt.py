"""Asking a person for a line, on a terminal or through a pipe, who may also leave."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

import typer

from arena.errors import UsageError
from arena.wire.escape import printable

_LONGEST = 1024
"""Of a line, in bytes; what is longer counts as several."""

_PATIENCE = 20
"""After so many answers that came to nothing nobody asks a pipe again."""

_LEAVING = b"\nyou resign at your next turn (Ctrl-C once more: at once, and nothing is kept)\n"


class _Left(KeyboardInterrupt):
    """Ctrl-C came while a line was waited for."""


class Prompt:
    """Asks for lines until there are no more, or Ctrl-C was pressed.

    With ``err`` it asks on standard error, for standard output that a program is to read.
    """

    def __init__(self, *, err: bool = False) -> None:
        self._err = err
        self._asking = False
        self._left = False

    def ask(self, question: str) -> str | None:
        """Return what is answered to ``question``, or ``None`` once nothing will be."""
        typer.echo(question, nl=False, err=self._err)
        try:
            self._asking = True
            line = b"" if self._left or sys.stdin is None else _read()
        except _Left:
            line = b""
        finally:
            self._asking = False
        seen = sys.stdin is not None and sys.stdin.isatty() and line
        if not seen:
            # What nobody typed is shown, so that whoever reads all this can follow.
            typer.echo(printable(line.strip()), err=self._err)
        return line.decode(errors="replace").strip() if line else None

    def check_patience(self, answers: int) -> None:
        """Raise `UsageError` if no person gave so many ``answers`` in a row that came to nothing.

        A pipe could go on so forever.
        """
        if answers >= _PATIENCE and not (sys.stdin and sys.stdin.isatty()):
            raise UsageError(
                f"standard input gave {answers} answers in a row that are no action: the match is "
                "broken off, and not kept"
            )

    @contextmanager
    def minding_interrupts(self) -> Iterator[None]:
        """Let the first Ctrl-C mean that nothing more is answered; the second interrupts."""

        def leave(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - a handler's
            if self._left:
                raise KeyboardInterrupt
            self._left = True
            if self._asking:
                raise _Left
            # Past the buffers: the signal may have come while they were being written.
            with suppress(OSError, AttributeError, ValueError):
                os.write(sys.stderr.fileno(), _LEAVING)

        before = signal.signal(signal.SIGINT, leave)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)


def _read() -> bytes:
    # Bytes, because what is typed need not be text.
    return sys.stdin.buffer.readline(_LONGEST)
