"""What is said beside the data: remarks, progress and the way on, all on standard error."""

import logging
import shutil
import sys
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

import typer

from arena.referee.record import MatchRecord
from arena.store.tournaments import Progress as Kept
from arena.wire.escape import printable

_PLAIN_EVERY_S = 10.0
_WIDEST_BAR = 30
_BESIDE_BAR = 40
"""Columns that the bar's label, count and remaining time may take."""

_NAME = 40
_NAMED = 3
"""So many bots are named that were retired; of more their number is said."""

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


def tell_older(last: int) -> None:
    """Say that there are older matches than the ``last`` ones, and how to see them."""
    which = f"these are the last {last} matches" if last > 1 else "this is the last match"
    remark(f"{which}: --last N shows more")


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
        self._bar: Any = (
            typer.progressbar(
                length=total,
                label="matches",
                show_pos=True,
                show_eta=False,  # it takes matches of an earlier run for ones of this
                item_show_func=lambda _: self._left(),
                file=sys.stderr,
                width=max(5, min(_WIDEST_BAR, columns - _BESIDE_BAR)),
            )
            if sys.stderr is not None and sys.stderr.isatty()
            else None
        )
        self._done = self._before = done
        self._total = total
        self._began = self._said = time.monotonic()
        self.at_fault: Counter[str] = Counter()
        """How many faults the bots had that had any, by name."""

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
                remark(self._faults)

    def played(self, record: MatchRecord, done: int, total: int) -> None:
        """Tell that a match is stored."""
        self.at_fault.update(record.seats[fault.seat].bot for fault in record.faults)
        before, self._done, self._total = self._done, done, total
        if self._bar:
            self._bar.length = total
            # The terminal may be gone, which is no reason to lose what is in play.
            with suppress(OSError):
                self._bar.update(done - before)
        elif done == total or time.monotonic() - self._said >= _PLAIN_EVERY_S:
            self._said = time.monotonic()
            faults = f", {self._faults}" if self._faults else ""
            remark(f"{done} of {counted(total, 'match', 'matches')}{faults}")

    def remark(self, text: str) -> None:
        """Say something worth a line."""
        if self._bar:
            remark("")
        remark(text)

    @property
    def _faults(self) -> str:
        total = self.at_fault.total()
        return counted(total, "fault", "faults") if total else ""

    def _left(self) -> str | None:
        """Return about how long the rest takes, going by the matches of this run alone."""
        played, left = self._done - self._before, self._total - self._done
        if played <= 0 or left <= 0:
            return None
        return duration((time.monotonic() - self._began) / played * left)


def rulings(there: Sequence[Kept]) -> str:
    """Return what of tournaments was dropped and who retired, empty if there is nothing to say."""
    dropped = sum(one.dropped for one in there)
    uncounted = sum(one.uncounted for one in there)
    said = [
        *([f"{counted(dropped, 'deal', 'deals')} dropped and replaced"] if dropped else []),
        *_retirements(there),
        *([f"{counted(uncounted, 'match does', 'matches do')} not count"] if uncounted else []),
    ]
    return ", ".join(said)


def _retirements(there: Sequence[Kept]) -> list[str]:
    """Return who retired from how many categories, in as many tournaments."""
    found = Counter(bot for one in there for bot in one.retirements)
    if len(found) > _NAMED:
        return [f"{len(found)} bots retired"]
    said = []
    for bot, categories in sorted(found.items()):
        tournaments = sum(bot in one.retirements for one in there)
        where = f" in {tournaments} tournaments" if tournaments > 1 else ""
        name = printable(bot, _NAME, cut="middle")
        said.append(f"{name} retired from {counted(categories, 'category', 'categories')}{where}")
    return said


def duration(seconds: float) -> str:
    """Return ``seconds`` as people say it: ``40 s``, ``12 min``, ``3.5 h``."""
    minutes = seconds / 60
    if minutes < _ENOUGH:
        return f"{max(1, round(seconds))} s"
    return f"{minutes:.0f} min" if minutes / 60 < _ENOUGH else f"{minutes / 60:.1f} h"
