"""How much memory a seat holds, all of its processes together, and what the kernel took away.

The kernel holds each process to a limit; this is what holds a bot that has many.
"""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

_HELD = (b"RssAnon:", b"RssShmem:", b"VmSwap:")
"""Fields of /proc/PID/status. What processes share is in them once for each."""

_SHARE = (b"Pss_Anon:", b"Pss_Shmem:", b"SwapPss:")
"""Fields of /proc/PID/smaps_rollup. What processes share is divided among them, at some cost."""


def exceeds(family: Sequence[int], limit_mb: int) -> bool:
    """Return whether the processes ``family`` hold more than ``limit_mb`` MiB together.

    Anonymous and shared memory count, swapped out or not; files that are mapped do not.
    """
    limit_kb = limit_mb * 1024
    # Processes that were forked share most of what they hold: those are looked at twice.
    return sum(map(_rough_kb, family)) > limit_kb and sum(map(_exact_kb, family)) > limit_kb


def oom_kills() -> int:
    """Return how many processes the kernel has killed for want of memory, on the whole machine."""
    with suppress(OSError):
        return _sum_of(Path("/proc/vmstat").read_bytes(), (b"oom_kill",))
    return 0


def _rough_kb(pid: int) -> int:
    with suppress(OSError):
        return _sum_of(Path(f"/proc/{pid}/status").read_bytes(), _HELD)
    return 0


def _exact_kb(pid: int) -> int:
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_bytes()
    except OSError:
        # Gone by now, or out of our sight, which must not be an advantage.
        return _rough_kb(pid)
    # Linux before 5.3 does not tell them apart.
    return _sum_of(text, _SHARE) if _SHARE[0] in text else _rough_kb(pid)


def _sum_of(text: bytes, names: tuple[bytes, ...]) -> int:
    words = (line.split() for line in text.splitlines())
    return sum(int(line[1]) for line in words if line and line[0] in names)
