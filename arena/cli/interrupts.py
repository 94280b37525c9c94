"""Signals: the first Ctrl-C lets a run stop cleanly, the second stops it at once."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from arena.tournament.runner import Stop

_STOPPING = "stopping: matches in play are finished (once more: dropped)\n"
_PATIENCE_S = 3.0
"""A run that was to stop at once and has not done so by then is broken off anywhere."""


@contextmanager
def interrupts(stop: Stop) -> Iterator[None]:
    """Let SIGINT, SIGTERM and SIGHUP ask to ``stop``, and to do it at once when they come again.

    A SIGHUP that is ignored, as under ``nohup``, stays so.
    """
    until = 0.0

    def ask(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - a signal handler's
        nonlocal until
        if stop.at_once and time.monotonic() > until:
            raise KeyboardInterrupt
        if stop.asked and not stop.at_once:
            # Not raised here: that would hit whatever is being done, in the middle of it.
            stop.at_once, until = True, time.monotonic() + _PATIENCE_S
        if stop.asked:
            return
        stop.asked = True
        # Past the buffers: the signal may have come while they were being written.
        with suppress(OSError, AttributeError, ValueError):
            bar = "\n" if sys.stderr.isatty() else ""
            os.write(sys.stderr.fileno(), f"{bar}{_STOPPING}".encode())

    heard = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        heard.append(signal.SIGHUP)
    before = {number: signal.signal(number, ask) for number in heard}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
