"""How much memory a seat holds, all of its processes together, and what the kernel took away.

The kernel holds each process to a limit; this is what holds a bot that has many.
"""

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from arena.players.sandbox_files import SHM, TMP

_TABLES = (b"VmPTE:",)
_HELD = (b"RssAnon:", b"RssShmem:", b"VmSwap:", *_TABLES)
"""Fields of /proc/PID/status. What processes share is in them once for each."""

_NAME_KB = 1
"""A name and what it stands for, an inode and a dentry, in the kernel's own tables."""

_SOCKET_KB = 208
"""What a socket can hold: net.core.wmem_default, which the filter of system calls keeps."""

_SHARE = (b"Pss_Anon:", b"Pss_Shmem:", b"SwapPss:")
"""Fields of /proc/PID/smaps_rollup. What processes share is divided among them, at some cost."""


def exceeds(family: Sequence[int], limit_mb: int, more_kb: int = 0) -> bool:
    """Return whether the processes ``family`` hold more than ``limit_mb`` MiB together.

    ``more_kb`` KiB that the kernel holds for them are added.

    Anonymous and shared memory count, swapped out or not, and the tables of pages; files that are
    mapped do not.
    """
    limit_kb = limit_mb * 1024 - more_kb
    # Processes that were forked share most of what they hold: those are looked at twice.
    return sum(map(_rough_kb, family)) > limit_kb and sum(map(_exact_kb, family)) > limit_kb


def kernel_kb(first: int) -> int:
    """Return what the kernel may hold for a sandbox beside the memory of its processes, in KiB.

    A file system in memory is limited by the bytes of its files, and an empty file has none; what
    was sent over a socket and not read yet belongs to no process.

    Args:
        first: process id of the sandbox's first process.
    """
    held = 0
    for folder in (TMP, SHM):
        with suppress(OSError):
            if _is_its_own(first, f"root{folder}"):
                facts = os.statvfs(f"/proc/{first}/root{folder}")
                held += (facts.f_files - facts.f_ffree) * _NAME_KB
    with suppress(OSError, ValueError):
        if _is_its_own(first, "ns/net"):
            for line in Path(f"/proc/{first}/net/protocols").read_text("ascii").splitlines():
                name, _, sockets, *_ = line.split()
                if name.startswith("UNIX"):
                    held += int(sockets) * _SOCKET_KB
    return held


def _is_its_own(pid: int, path: str) -> bool:
    """Return whether ``path`` of the process ``pid`` is another one than ours."""
    theirs, ours = Path("/proc", str(pid), path).stat(), Path("/proc/self", path).stat()
    return (theirs.st_dev, theirs.st_ino) != (ours.st_dev, ours.st_ino)


def oom_kills() -> int:
    """Return how many processes the kernel has killed for want of memory, on the whole machine."""
    with suppress(OSError):
        return _sum_of(Path("/proc/vmstat").read_bytes(), (b"oom_kill",))
    return 0


def _rough_kb(pid: int) -> int:
    return _status_kb(pid, _HELD)


def _status_kb(pid: int, names: tuple[bytes, ...]) -> int:
    with suppress(OSError):
        return _sum_of(Path(f"/proc/{pid}/status").read_bytes(), names)
    return 0


def _exact_kb(pid: int) -> int:
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_bytes()
    except OSError:
        # Gone by now, or out of our sight, which must not be an advantage.
        return _rough_kb(pid)
    # Linux before 5.3 does not tell them apart.
    if _SHARE[0] not in text:
        return _rough_kb(pid)
    return _sum_of(text, _SHARE) + _status_kb(pid, _TABLES)


def _sum_of(text: bytes, names: tuple[bytes, ...]) -> int:
    words = (line.split() for line in text.splitlines())
    return sum(int(line[1]) for line in words if line and line[0] in names)
