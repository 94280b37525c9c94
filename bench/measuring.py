"""What the benchmarks share: naming the machine, choosing cores, and things timed in turn."""

import contextlib
import os
import platform
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from arena import __version__
from arena.players import strays

ROUNDS = 7


@dataclass(slots=True)
class Times:
    """What one thing took, a figure for each round."""

    wall_s: list[float] = field(default_factory=list)
    cpu_s: list[float] = field(default_factory=list)
    """Processor time of this process alone, without its children."""

    all_s: list[float] = field(default_factory=list)
    """The same with that of the children that were counted."""

    @property
    def wall(self) -> float:
        """Median, in seconds."""
        return statistics.median(self.wall_s)

    @property
    def cpu(self) -> float:
        """Median, in seconds."""
        return statistics.median(self.cpu_s)

    def share(self, whole: "Times") -> float:
        """Return how much of its time another thing took: the median of the rounds' ratios."""
        return _share(self.wall_s, whole.wall_s)

    def cpu_share(self, whole: "Times") -> float:
        """Return the same for the processor time of this process."""
        return _share(self.cpu_s, whole.cpu_s)

    def all_share(self, whole: "Times") -> float:
        """Return the same for the processor time of this process and of its children."""
        return _share(self.all_s, whole.all_s)


def _share(parts: list[float], wholes: list[float]) -> float:
    return statistics.median(part / whole for part, whole in zip(parts, wholes, strict=True))


def in_turn(
    things: Mapping[str, Callable[[], object]],
    rounds: int = ROUNDS,
    children: Mapping[str, Sequence[int]] | None = None,
) -> dict[str, Times]:
    """Time ``things``, one after the other and that so many times, after one round for nothing.

    A ratio of times of one round holds where single times would not: the machine is busy or slow
    for all of them alike.

    Args:
        things: what is timed, by name.
        rounds: how often.
        children: process ids, by name of the thing whose work they share.
    """
    times = {name: Times() for name in things}
    pids = children or {}
    for number in range(rounds + 1):
        for name, thing in things.items():
            others = used_s(pids.get(name, ()))
            began, cpu_began = time.perf_counter(), time.process_time()
            thing()
            if number:
                times[name].wall_s.append(time.perf_counter() - began)
                times[name].cpu_s.append(time.process_time() - cpu_began)
                others = used_s(pids.get(name, ())) - others
                times[name].all_s.append(times[name].cpu_s[-1] + others)
    return times


def used_s(pids: Sequence[int]) -> float:
    """Return the processor time of ``pids`` and of all processes below them."""
    return sum(
        time.clock_gettime(strays.clock(member)) for pid in pids for member in strays.family(pid)
    )


@contextlib.contextmanager
def one_core() -> Iterator[None]:
    """Keep this process, and all that it starts inside, on one core, as a worker has it."""
    usable = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(usable)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, usable)


def machine() -> str:
    """Return what figures were measured on, in a line."""
    return (
        f"arena {__version__}, Python {platform.python_version()}, {platform.system()} "
        f"{platform.release()}, {_processor()}, {os.cpu_count()} cores, "
        f"load {os.getloadavg()[0]:.1f}"
    )


def _processor() -> str:
    with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="utf-8") as lines:  # noqa: PTH123
        for line in lines:
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.machine()
