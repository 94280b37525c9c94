"""What is being waited for, on a line of a terminal that goes when the waiting is over."""

import logging
import shutil
import sys
from contextlib import suppress
from typing import Self

import typer

from arena.wire.escape import printable

log = logging.getLogger(__name__)

_ANEW = "\r\x1b[K"


class Waiting:
    """A line that is written anew with all that is waited for; nothing elsewhere."""

    def __init__(self) -> None:
        terminal = sys.stderr is not None and sys.stderr.isatty()
        # The log says the same, and would be written into the line.
        self._terminal = terminal and not log.isEnabledFor(logging.DEBUG)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._show("")

    def told(self, text: str) -> None:
        """Show ``text`` until something else is waited for."""
        log.debug("%s", text)
        columns = shutil.get_terminal_size().columns
        self._show(printable(f"{text} …", max(1, columns - 1), cut="middle"))

    def _show(self, text: str) -> None:
        if self._terminal:
            # That nobody reads it is no reason to stop what is being done.
            with suppress(OSError):
                typer.echo(f"{_ANEW}{text}", err=True, nl=False)
