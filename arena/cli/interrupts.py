"""Signals: the first Ctrl-C lets a run stop cleanly, the second stops it at once."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from arena.tournament.runner import Stop

_STOPPING = "stopping: matches in play are finished (once more: dropped)\n"


@contextmanager
def interrupts(stop: Stop) -> Iterator[None]:
    """Let SIGINT and SIGTERM ask to ``stop``, and raise KeyboardInterrupt when they come again."""

    def ask(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - a signal handler's
        if stop.asked:
            raise KeyboardInterrupt
        stop.asked = True
        # Past the buffers: the signal may have come while they were being written.
        with suppress(OSError, AttributeError, ValueError):
            bar = "\n" if sys.stderr.isatty() else ""
            os.write(sys.stderr.fileno(), f"{bar}{_STOPPING}".encode())

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
