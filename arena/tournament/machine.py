"""What this machine can carry: matches at a time, by its cores, and by its memory.

A container often has fewer cores than it sees: its cgroup says how much of their time it gets.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from arena.referee.limits import Limits

_CGROUPS = Path("/sys/fs/cgroup")
_OWN = Path("/proc/self/cgroup")
_MEMORY = Path("/proc/meminfo")
_MIB = 1024 * 1024


def cores() -> tuple[int, ...]:
    """Return the cores that this process may use, ascending."""
    if hasattr(os, "sched_getaffinity"):
        return tuple(sorted(os.sched_getaffinity(0)))
    return tuple(range(os.cpu_count() or 1))


@contextmanager
def on_one_core() -> Iterator[None]:
    """Keep this process and the bots that it starts on one core, as workers do.

    A pipe across two is slow; and of several cores a bot that keeps them busy by itself could pass
    off as others' what these take of them, and would be waited for too long.
    """
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = cores()
    os.sched_setaffinity(0, {before[-1]})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@dataclass(frozen=True, slots=True)
class Sharing:
    """How matches share the cores of this machine."""

    cores_per_match: int = 1
    """How many cores a match has, for bots with threads."""

    oversubscribe: int = 1
    """How many matches have the same cores, for bots that mostly wait for something else."""

    def at_once(self, carried: int) -> int:
        """Return how many matches at a time a machine plays that has ``carried`` cores to give."""
        return max(1, carried // self.cores_per_match) * self.oversubscribe

    def cores_of(self, worker: int, usable: Sequence[int]) -> frozenset[int]:
        """Return the cores of a worker, by its number from 0, out of those that are ``usable``.

        Workers that share cores are spread, so that none do before all cores are taken. Cores that
        are too few for a further match are left to the system.
        """
        groups = max(1, len(usable) // self.cores_per_match)
        first = worker % groups * self.cores_per_match
        return frozenset(usable[first : first + self.cores_per_match])


ONE_EACH = Sharing()
"""A core for each match."""


def carries(own: Path = _OWN, cgroups: Path = _CGROUPS) -> int:
    """Return how many matches at a time this process can play, each on a core of its own.

    These are the cores that it may use, or fewer where its cgroup, or one above, has a quota of
    less processor time. A part of a core is none, but one match can always be played.

    Args:
        own: the file that names the process's cgroups.
        cgroups: where they are mounted.
    """
    quotas = (quota for folder in _above(own, cgroups) if (quota := _cores_of(folder)) is not None)
    return max(1, min([len(cores()), *map(int, quotas)]))


def memory_mb(path: Path = _MEMORY) -> int | None:
    """Return how much memory the machine has, in MiB; ``None`` where it does not say."""
    with suppress(OSError, ValueError, IndexError):
        for line in path.read_text("ascii").splitlines():
            if line.startswith("MemTotal:"):
                return int(line.split()[1]) * 1024 // _MIB
    return None


def crowding(
    jobs: int, seats: int, limits: Limits | None, carried: int, memory: int | None
) -> Iterator[str]:
    """Yield a line for each thing of which ``jobs`` matches at a time may take more than there is.

    Args:
        jobs: matches at a time.
        seats: at the largest table.
        limits: of every seat; ``None`` where they are off.
        carried: matches at a time that the machine can carry, see `Sharing.at_once`.
        memory: of the machine, in MiB; ``None`` if it is not known.
    """
    if jobs > carried:
        yield f"{jobs} workers play, and {carried} would suit: slow moves may be the machine's"
    if limits is None or memory is None:
        return
    wanted = jobs * seats * limits.memory_mb
    if wanted > memory:
        yield (
            f"{jobs} matches of {seats} seats may take {wanted:,} MiB of memory, and the machine "
            f"has {memory:,}: bots that use all of theirs void matches (fewer --jobs, or memory_mb)"
        )


def _above(own: Path, cgroups: Path) -> Iterator[Path]:
    """Yield the folders of the process's cgroups that can limit its time, and those above."""
    with suppress(OSError, ValueError):
        for line in own.read_text("utf-8").splitlines():
            _, controllers, path = line.split(":", 2)
            if controllers and "cpu" not in controllers.split(","):
                continue
            root = cgroups / controllers if controllers else cgroups
            # A namespace may show less than the whole path: what is not there limits nothing.
            folder = root / path.strip("/")
            yield from (one for one in (folder, *folder.parents) if one.is_relative_to(root))


def _cores_of(folder: Path) -> float | None:
    """Return how many cores' time the cgroup ``folder`` gets, ``None`` if it is not limited."""
    with suppress(OSError, ValueError):
        quota, period = (folder / "cpu.max").read_text("ascii").split()
        return None if quota == "max" else int(quota) / int(period)
    with suppress(OSError, ValueError, ZeroDivisionError):
        time = int((folder / "cpu.cfs_quota_us").read_text("ascii"))
        return None if time < 0 else time / int((folder / "cpu.cfs_period_us").read_text("ascii"))
    return None
