"""What is said beside the data: remarks, progress and the way on, all on standard error."""

import logging
import shutil
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from types import TracebackType
from typing import Self

import typer

from arena.referee.record import MatchRecord
from arena.store.tournaments import Progress as Kept
from arena.wire.escape import printable

_PLAIN_EVERY_S = 10.0
_WIDEST_BAR = 30
_BESIDE_BAR = 40
"""Columns that the bar's label, count and remaining time may take."""

_ENOUGH = 1.5
"""From so many minutes or hours on they are said as such."""


def remark(text: str) -> None:
    """Say ``text``, made fit for a terminal, on a line of standard error.

    That nobody reads it is no reason to stop what is being done.
    """
    with suppress(OSError):
        typer.echo(printable(text), err=True)


def counted(number: int, one: str, many: str) -> str:
    """Return ``number`` with the noun that it calls for."""
    return f"{number} {one if number == 1 else many}"


class LogFormat(logging.Formatter):
    """Log records made fit for a terminal: they may quote what a bot wrote."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(processName)s %(name)s: %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        """Return ``record`` as text."""
        return printable(super().format(record), lines=True)


class Progress:
    """The report of a run: a bar on a terminal, elsewhere a plain line now and then."""

    def __init__(self, done: int, total: int) -> None:
        columns = shutil.get_terminal_size().columns
        self._bar = (
            typer.progressbar(
                length=total,
                label="matches",
                show_pos=True,
                file=sys.stderr,
                width=max(5, min(_WIDEST_BAR, columns - _BESIDE_BAR)),
            )
            if sys.stderr is not None and sys.stderr.isatty()
            else None
        )
        self._done = done
        self._said = time.monotonic()
        self._faults = 0

    def __enter__(self) -> Self:
        if self._bar:
            self._bar.__enter__()
            self._bar.update(self._done)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar:
            self._bar.__exit__(kind, error, trace)
            if self._faults:
                remark(counted(self._faults, "fault", "faults"))

    def played(self, record: MatchRecord, done: int, total: int) -> None:
        """Tell that a match is stored."""
        self._faults += len(record.faults)
        if self._bar:
            self._bar.length = total
            # The terminal may be gone, which is no reason to lose what is in play.
            with suppress(OSError):
                self._bar.update(done - self._done)
        elif done == total or time.monotonic() - self._said >= _PLAIN_EVERY_S:
            self._said = time.monotonic()
            faults = f", {counted(self._faults, 'fault', 'faults')}" if self._faults else ""
            remark(f"{done} of {counted(total, 'match', 'matches')}{faults}")
        self._done = done

    def remark(self, text: str) -> None:
        """Say something worth a line."""
        if self._bar:
            remark("")
        remark(text)


def rulings(there: Sequence[Kept]) -> str:
    """Return what of tournaments was dropped and who retired, empty if there is nothing to say."""
    dropped = sum(one.dropped for one in there)
    retired = sum(one.retired for one in there)
    uncounted = sum(one.uncounted for one in there)
    said = [
        *([f"{counted(dropped, 'deal', 'deals')} dropped and replaced"] if dropped else []),
        *([f"{counted(retired, 'bot', 'bots')} retired"] if retired else []),
        *([f"{counted(uncounted, 'match', 'matches')} not counted"] if uncounted else []),
    ]
    return ", ".join(said)


def duration(seconds: float) -> str:
    """Return ``seconds`` as people say it: ``40 s``, ``12 min``, ``3.5 h``."""
    minutes = seconds / 60
    if minutes < _ENOUGH:
        return f"{max(1, round(seconds))} s"
    return f"{minutes:.0f} min" if minutes / 60 < _ENOUGH else f"{minutes / 60:.1f} h"
