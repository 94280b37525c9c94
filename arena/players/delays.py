"""What the machine kept a bot from, as against what the bot itself took: fair clocks.

A clock on the wall charges a bot for the time that others had its processor. The kernel knows for
each thread how long it was ready and had to wait; that alone is no excuse, for a bot can get in its
own way, by processes that nobody can count afterwards. So no more is excused than others have used
on the processors that the bot may run on, for a bot cannot make those do anything, and no more than
the bot left of these processors. What a thread waited is lost with it: a bot that works in children
of a few milliseconds each gets less back than one that does not.

Sources:
    Linux, Documentation/scheduler/sched-stats.rst: /proc/PID/schedstat; proc_pid_stat(5).
"""

import os
import time
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import suppress
from typing import NamedTuple

from arena.errors import HostFault
from arena.players import strays

_TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
_PARENT, _OF_ENDED, _PROCESSOR = 1, slice(13, 15), 36
"""Fields of /proc/PID/stat after the name; of ended children, the time they used, in ticks."""

_SLEPT = b"\nvoluntary_ctxt_switches:"

_PART = 0.25
"""So much of its time a question has to be open until the machine is looked at. As much as is then
found is taken to have been so before: whoever slept until then has less of a processor for it.
"""

_LEAST_MORE_S = 0.001
_MOST_TIMES, _MOST_MORE_S = 10, 20.0
"""A match is void when a question takes so many times its time, and so much longer."""


class Thread(NamedTuple):
    """What a thread of a bot has had of processors, in nanoseconds since it began."""

    ran: int
    waited: int
    """How long it was ready to run and another one did; counted when a wait is over."""

    ready: bool
    """Whether it could run, or does."""

    slept: int
    """How often it gave its processor up by itself, to wait for something."""


class Other(NamedTuple):
    """What a process that is no bot of the match has had of processors."""

    used: int
    """Nanoseconds."""

    here: bool
    """Whether it ran last on a processor that the bot may run on."""

    of_ended: int | None = None
    """Nanoseconds of its ended children; of one that could be elsewhere, these are not known."""

    parent: int = 0
    """Its process id; it takes over what this process used, if it waits for its end."""


class Moment(NamedTuple):
    """What processors were used for until a moment."""

    at: float
    """Of `time.monotonic`."""

    threads: dict[int, Thread]
    """Of the bot, by id."""

    others: dict[int, Other]
    """By process id."""

    used: int = 0
    """Nanoseconds of all processes of the bot, and of the ended ones that are counted."""

    @property
    def ready(self) -> bool:
        """Whether the bot could run, or does."""
        return any(thread.ready for thread in self.threads.values())


def look(pid: int) -> Moment:
    """Return what the bot ``pid`` (or the sandbox around it) and all others have had until now."""
    family = strays.family(pid)
    threads = dict(found for member in family for found in _threads(member))
    with os.scandir("/proc") as entries:
        pids = [int(entry.name) for entry in entries if entry.name.isdecimal()]
    # All clocks at once: the rest takes milliseconds, and is itself kept waiting.
    at = time.monotonic()
    used = {each: _clock_ns(each) for each in pids}
    stats = {each: stat for each in pids if (stat := _stat(f"/proc/{each}"))}
    bot_used = sum(used[each] + _of_ended_ns(stats[each]) for each in family if each in stats)
    return Moment(at, threads, dict(_others(stats, used)), bot_used)


def _threads(pid: int) -> Iterator[tuple[int, Thread]]:
    with suppress(OSError), os.scandir(f"/proc/{pid}/task") as tasks:
        for task in tasks:
            said = strays.read(f"{task.path}/schedstat").split()
            stat = _stat(task.path)
            if len(said) > 1 and stat:
                slept = _slept(task.path)
                yield int(task.name), Thread(int(said[0]), int(said[1]), stat[0] == b"R", slept)


def _others(stats: dict[int, list[bytes]], used: dict[int, int]) -> Iterator[tuple[int, Other]]:
    """Yield the processes that are no bots of this match, each with what it has ``used``.

    Bots are all below this process: those that were let go come to it as well.
    """
    processors = os.sched_getaffinity(0)
    bots = _below(os.getpid(), {pid: int(stat[_PARENT]) for pid, stat in stats.items()})
    for pid, stat in stats.items():
        if pid not in bots:
            of_ended = _of_ended_ns(stat) if _stays(pid, processors) else None
            here = int(stat[_PROCESSOR]) in processors
            yield pid, Other(used[pid], here, of_ended, int(stat[_PARENT]))


def _stays(pid: int, processors: set[int]) -> bool:
    """Whether the process ``pid`` runs on ``processors`` alone, as its children do by default."""
    try:
        return os.sched_getaffinity(pid) <= processors
    except OSError:
        return False  # it is gone


def _below(top: int, parents: dict[int, int]) -> Collection[int]:
    """Return all processes below ``top``."""
    children: dict[int, list[int]] = {}
    for pid, parent in parents.items():
        children.setdefault(parent, []).append(pid)
    found: set[int] = set()
    waiting = [top]
    while waiting:
        born = [pid for pid in children.get(waiting.pop(), ()) if pid not in found]
        found.update(born)
        waiting += born
    return found


def _stat(path: str) -> list[bytes]:
    # The command's name, in parentheses, may hold anything.
    return strays.read(f"{path}/stat").rpartition(b") ")[2].split()


def _clock_ns(pid: int) -> int:
    # Not from /proc: in ticks, who has run for less than one since the last look has not run.
    try:
        return time.clock_gettime_ns(strays.clock(pid))
    except OSError:
        return 0  # it is gone


def _of_ended_ns(stat: list[bytes]) -> int:
    """Return what those children of a process have used that it waited for."""
    return sum(map(int, stat[_OF_ENDED])) * _TICK_NS


def _slept(path: str) -> int:
    said = strays.read(f"{path}/status").partition(_SLEPT)[2].split(maxsplit=1)
    return int(said[0]) if said else 0


def excused_s(before: Moment, now: Moment, processors: int) -> float:
    """Return for how many seconds between two moments the machine kept a bot waiting.

    A thread of the bot was ready for so long and did not run; others used so much of each of its
    processors; and so much of each the bot itself did not use. Who was there at one moment of both
    may have been so for half of the time.

    Args:
        before: the first moment.
        now: the second.
        processors: on how many the bot may run.
    """
    window_ns = (now.at - before.at) * 1e9
    waited = max((_waited(before, now, thread, window_ns) for thread in now.threads), default=0)
    others_used = _others_used(before.others, now.others)
    left = processors * window_ns - max(now.used - before.used, 0)
    # Of all processors together it would have a part that its threads cannot have had at once.
    return max(min(waited, others_used / processors, left / processors, window_ns), 0) / 1e9


def _others_used(before: dict[int, Other], now: dict[int, Other]) -> float:
    """Return what others used of the bot's processors between two looks, in nanoseconds."""
    # What a child that has ended since had used before is in its parent's account, too.
    earlier: Counter[int] = Counter()
    for pid, first in before.items():
        if pid not in now:
            earlier[first.parent] += first.used + (first.of_ended or 0)
    return sum(_used_here(before.get(pid), had, earlier[pid]) for pid, had in now.items())


def _used_here(first: Other | None, had: Other, earlier: int) -> float:
    if first is None:
        return had.used + (had.of_ended or 0) if had.here else 0
    used = max(had.used - first.used, 0)
    if first.of_ended is not None and had.of_ended is not None:
        used += max(had.of_ended - first.of_ended - earlier, 0)
    return used * (first.here + had.here) / 2


def _waited(before: Moment, now: Moment, thread: int, window_ns: float) -> float:
    had = now.threads[thread]
    first = before.threads.get(thread)
    if first is None:
        return had.waited
    if first.ready and had.ready and first.slept == had.slept:
        # It has been ready all the time. A wait that is not over, the kernel has not counted.
        return window_ns - (had.ran - first.ran)
    return had.waited - first.waited


class FairClock:
    """Gives a bot the time that others had its processors, at the end of its own."""

    def __init__(self, pid: int, *, fixed: bool = False) -> None:
        """Watch over a bot.

        Args:
            pid: its process, or that of the sandbox around it.
            fixed: whether no question may take longer than its time, whatever the reason.
        """
        self._pid = pid
        self._fixed = fixed
        self._look_from = 0.0
        self._began = 0.0
        self._before: Moment | None = None

    def begin(self, now: float, budget_s: float) -> None:
        """Begin a question at ``now`` (`time.monotonic`) that has so many seconds."""
        self._began = now
        self._look_from = now + _PART * budget_s
        self._before = None

    def look(self) -> None:
        """See to the bot while its question is open."""
        # Late, for it takes milliseconds, and most questions are answered by then.
        if self._before is None and not self._fixed and time.monotonic() >= self._look_from:
            self._before = look(self._pid)

    def excused_ns(self) -> int:
        """Return how much of the time since the question was begun is not the bot's."""
        if self._before is None:
            return 0
        return int(self._excused_s(self._before, look(self._pid)) * 1e9)

    def more_s(self, budget_s: float, absent_s: float) -> float:
        """Return how many more seconds the bot has, at the end of those for its question.

        Args:
            budget_s: the time for the question.
            absent_s: for how long arena itself did not run meanwhile, whatever the reason.

        Raises:
            HostFault: the machine has kept the bot waiting for too long.
        """
        if self._fixed:
            return 0.0
        now = look(self._pid)
        elapsed_s = now.at - self._began
        if self._before is None:
            # Arena was away when it should have looked. Where it did not wait for a processor, the
            # whole machine may have stood still.
            self._before = now
            return budget_s / 2 if now.ready and absent_s > budget_s / 2 else 0.0
        more_s = budget_s - elapsed_s + self._excused_s(self._before, now)
        if more_s < _LEAST_MORE_S:
            return 0.0
        if elapsed_s > _MOST_TIMES * budget_s + _MOST_MORE_S:
            raise HostFault("the machine was too busy to give a bot its time: play fewer at a time")
        return more_s

    def _excused_s(self, before: Moment, now: Moment) -> float:
        found_s = excused_s(before, now, len(os.sched_getaffinity(0)))
        return found_s * (now.at - self._began) / (now.at - before.at)
