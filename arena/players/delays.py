"""What the machine kept a bot from, as against what the bot itself took: fair clocks.

A clock on the wall charges a bot for the time that others had its processor. The kernel knows for
each thread how long it was ready and had to wait. Whatever a bot's own processes used meanwhile
is no excuse, or a bot could buy time by getting in its own way.

Source:
    Linux, Documentation/scheduler/sched-stats.rst: /proc/PID/schedstat.
"""

import os
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from arena.errors import HostFault
from arena.players import strays

_TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
_OF_ENDED = slice(13, 15)
"""Fields of /proc/PID/stat after the name: time of its children that have ended."""


_DOUBT_S = 0.002
"""How long it takes to see that nothing of a bot runs."""

_STARVED_S = 0.02
"""What a bot gets at a time of which nothing runs."""

_LEAST_MORE_S = 0.001
_MOST_TIMES, _MOST_MORE_S = 10, 20.0
"""A match is void when a question takes so many times its time, and so much longer."""


class Thread(NamedTuple):
    """What a thread has had of processors, in nanoseconds since it began."""

    ran: int
    waited: int
    """How long it was ready to run and another one did."""


class Times(NamedTuple):
    """What the processes of a bot have had of processors until a moment."""

    used: int
    """Nanoseconds of all of them together, those included that have ended."""

    threads: dict[int, Thread]
    """Those there are, by id."""

    ready: bool
    """Whether any of them could run, or does."""


def times(family: Sequence[int]) -> Times:
    """Return what the processes ``family`` have had; nothing where the kernel does not tell."""
    used, ready = 0, False
    threads = {}
    for pid in family:
        fields = strays.read(f"/proc/{pid}/stat").rpartition(b") ")[2].split()
        if len(fields) < _OF_ENDED.stop:
            continue  # it is gone
        used += sum(map(int, fields[_OF_ENDED])) * _TICK_NS
        with suppress(OSError):
            used += time.clock_gettime_ns(strays.clock(pid))
        with suppress(OSError), os.scandir(f"/proc/{pid}/task") as tasks:
            for task in tasks:
                said = strays.read(f"{task.path}/schedstat").split()
                if len(said) > 1:
                    threads[int(task.name)] = Thread(int(said[0]), int(said[1]))
                state = strays.read(f"{task.path}/stat").rpartition(b") ")[2][:1]
                ready = ready or state == b"R"
    return Times(used, threads, ready)


def excused_ns(before: Times, now: Times, absent_ns: int = 0) -> int:
    """Return for how long the machine kept a bot waiting between two moments, in nanoseconds.

    It is the longest that one of its threads was ready and did not run, less all that its other
    threads used meanwhile.

    Args:
        before: what its processes had had at the first moment.
        now: what they had had at the second.
        absent_ns: for how long arena itself did not run in between. That is no excuse for what
            the bot did all the while.
    """
    used = max(now.used - before.used, 0)
    excused = max(absent_ns - used, 0)
    for thread, had in now.threads.items():
        ran, waited = before.threads.get(thread, Thread(0, 0))
        others_used = max(used - (had.ran - ran), 0)
        excused = max(excused, had.waited - waited - others_used)
    return excused


def starves(before: Times, now: Times) -> bool:
    """Return whether a bot was ready to run all the while between two moments, and nothing did."""
    return before.ready and now.ready and before.used == now.used


class FairClock:
    """Gives a bot the time that others had its processor, at the end of its own."""

    def __init__(self, pid: int, *, fixed: bool) -> None:
        """Watch over a bot.

        Args:
            pid: its process, or that of the sandbox around it.
            fixed: whether no question may take longer than its time, whatever the reason.
        """
        self._pid = pid
        self._fixed = fixed
        self._before: Times | None = None
        self._looks = 0

    def begin(self) -> None:
        """Begin a question."""
        self._before, self._looks = None, 0

    def look(self) -> None:
        """See to the bot while its question is open."""
        self._looks += 1
        # Not at the first look: most questions are answered before the second.
        if self._looks > 1 and self._before is None:
            self._before = self._times()

    def excused_ns(self, absent_s: float) -> int:
        """Return for how long the machine has kept the bot waiting in this question.

        Args:
            absent_s: for how long arena itself was kept from running.
        """
        if self._before is None:
            return 0
        return excused_ns(self._before, self._times(), int(absent_s * 1e9))

    def more_s(self, budget_s: float, elapsed_s: float, absent_s: float) -> float:
        """Return how much more time the bot has, at the end of that for its question.

        Args:
            budget_s: the time for the question.
            elapsed_s: how long it has been open.
            absent_s: for how long arena itself was kept from running meanwhile.

        Raises:
            HostFault: the machine has kept the bot waiting for too long.
        """
        now = self._times()
        self._before = self._before or now
        excused_s = excused_ns(self._before, now, int(absent_s * 1e9)) / 1e9
        if now.ready and elapsed_s - excused_s >= budget_s:
            # The kernel counts a wait when it is over, and this one may go on.
            time.sleep(_DOUBT_S)
            if starves(now, self._times()):
                excused_s = elapsed_s - budget_s + _STARVED_S
        more_s = budget_s - (elapsed_s - excused_s)
        if more_s < _LEAST_MORE_S:
            return 0.0
        if self._fixed or elapsed_s > _MOST_TIMES * budget_s + _MOST_MORE_S:
            raise HostFault("the machine was too busy to give a bot its time: play fewer at a time")
        return more_s

    def _times(self) -> Times:
        # Orphans, which only bots without a sandbox can leave, may be anybody's of the match.
        return times([*strays.family(self._pid), *strays.orphans()])
