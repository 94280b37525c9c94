"""Commands on a terminal of their own: a pseudo-terminal whose other end a test holds."""

import fcntl
import os
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.whole_arena import ROOT, killed_at_last

LEFT = "\x1b[?7h\x1b[?25h\x1b[?1049l"
"""What gives the terminal its own screen back."""

_CONTROL = "import fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0)\n"
_ARENA = "from arena.cli.app import main; main()"
_SEQUENCE = re.compile(r"\x1b\[[?0-9;]*[A-Za-z]")


@dataclass
class Terminal:
    """A program, and the terminal that it is on."""

    running: "subprocess.Popen[bytes]"
    end: int
    """Our end: what is written to it is typed, what is read from it is shown."""

    line: int
    """The program's end, for asking how it is set."""

    settings: list[Any]
    """How it was set before the program began."""

    shown: bytes = field(default=b"")

    def type(self, keys: str) -> None:
        """Press some keys."""
        os.write(self.end, keys.encode())

    def resize(self, columns: int, rows: int) -> None:
        """Give the terminal another size, of which the program is told by a signal."""
        fcntl.ioctl(self.end, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    @property
    def text(self) -> str:
        """All that was shown, with the sequences that move about the terminal."""
        return self.shown.decode()

    @property
    def screen(self) -> list[str]:
        """The lines that were drawn last, from the top."""
        _, _, last = self.text.rpartition("\x1b[H")
        return [_SEQUENCE.sub("", line).rstrip("\r") for line in last.split("\n")]

    def until(self, text: str, *, whole: bool = True, within_s: float = 20.0) -> list[str]:
        """Return the screen once ``text`` is on it (in all that was shown, if not ``whole``)."""
        until = time.monotonic() + within_s
        while not self._has(text, whole=whole):
            assert time.monotonic() < until, self.text
            assert self._read(until - time.monotonic()), self.text
        return self.screen

    def _has(self, text: str, *, whole: bool) -> bool:
        if not whole:
            return text in self.text
        # A screen is whole once all below it is cleared.
        return self.text.endswith("\x1b[J") and any(text in line for line in self.screen)

    def _read(self, within_s: float) -> bytes:
        if not select.select([self.end], [], [], max(0.0, within_s))[0]:
            return b""
        read = os.read(self.end, 65536)
        self.shown += read
        return read

    def left(self, status: int) -> str:
        """Return what stands on the terminal after the program, which is to exit with ``status``.

        The terminal has to be as it was.
        """
        # What it writes at its end must be read, or it would wait for ever.
        until = time.monotonic() + 20.0
        while self.running.poll() is None:
            assert time.monotonic() < until, self.text
            self._read(0.05)
        while self._read(0.0):
            pass
        assert self.running.returncode == status, self.text
        assert termios.tcgetattr(self.line) == self.settings
        return self.text.rpartition(LEFT)[2]


@contextmanager
def terminal(
    arguments: Sequence[str],
    home: Path,
    *,
    columns: int = 80,
    rows: int = 30,
    script: str = _ARENA,
    **environment: str,
) -> Iterator[Terminal]:
    """Start ``arena`` with ``arguments``, or another ``script``, on a terminal of its own."""
    end, line = os.openpty()
    settings = termios.tcgetattr(line)
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    running = subprocess.Popen(
        [sys.executable, "-c", _CONTROL + script, *arguments],
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "PYTHONUTF8": "1",
            "ARENA_HOME": str(home),
            "TERM": "xterm",
            **environment,
        },
        stdin=line,
        stdout=line,
        stderr=line,
        start_new_session=True,
    )
    try:
        with killed_at_last(running):  # type: ignore[arg-type]  # it reads nothing of it
            yield Terminal(running, end, line, settings)
    finally:
        os.close(line)
        os.close(end)
