"""Processes of bots that left their bot's group: they become children of ours, and are ended.

A bot can call ``setsid`` and fork twice; killing its group then misses what it left behind. On
Linux a *subreaper* inherits such orphans, so they can be found and killed. What we start
ourselves stays in our own session, and a bot never does, which tells them apart.
"""

import contextlib
import ctypes
import os
import shutil
import signal
import sys
import time
from functools import cache

# linux/prctl.h
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36

_END_S = 2.0
"""A killed process that is not gone by then hangs in the kernel, or is none that we may kill."""

_LOOK_S = 0.0005
_CHUNK = 65_536

live: dict[int, str] = {}
"""Bots that run for this process, which are no strays: process id -> scratch folder, if any."""


@cache
def adopt() -> bool:
    """Make this process inherit the orphans of its bots; return whether the system can."""
    return _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def follow_parent(parent: int, number: signal.Signals = signal.SIGTERM) -> None:
    """Send this process the signal ``number`` when its parent, the process ``parent``, dies."""
    _prctl(_PR_SET_PDEATHSIG, number)
    if os.getppid() != parent:
        # It died before the line above.
        os.kill(os.getpid(), number)


def children(pid: int) -> list[int]:
    """Return the children of the process ``pid``, zombies included, in no order to rely on."""
    found: list[int] = []
    # The process may be gone at any moment.
    with contextlib.suppress(OSError), os.scandir(f"/proc/{pid}/task") as tasks:
        for task in tasks:
            found.extend(map(int, read(f"{task.path}/children").split()))
    return found


def read(path: str, most: int = 0) -> bytes:
    """Return what the file ``path`` of /proc says, or begins with; nothing if it is gone."""
    # With as few calls as can be, for seats wait while others are looked at.
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    said = b""
    try:
        if most:
            return os.read(file, most)
        while more := os.read(file, _CHUNK):
            said += more
    except OSError:
        return b""
    finally:
        os.close(file)
    return said


def clock(pid: int) -> int:
    """Return the clock of the processor time of the process ``pid``, all of its threads."""
    # linux/posix-timers_types.h, MAKE_PROCESS_CPUCLOCK of CPUCLOCK_SCHED
    return (~pid << 3) | 2


def family(pid: int) -> list[int]:
    """Return the process ``pid`` and all below it, parents first.

    It is whole only while none of them runs: others fork, and change their parent, meanwhile.
    """
    found = {pid: None}
    waiting = [pid]
    while waiting:
        # A process that moves while we look could be met twice.
        born = [child for child in children(waiting.pop()) if child not in found]
        found |= dict.fromkeys(born)
        waiting += born
    return list(found)


def orphans() -> list[int]:
    """Return what bots have left to this process: its children that are none of the bots."""
    return [pid for pid in children(os.getpid()) if pid not in live and _foreign(pid)]


def end() -> int:
    """Kill every orphan of a bot, and those that it leaves in turn; return how many they were."""
    ended = 0
    until = time.monotonic() + _END_S
    while found := orphans():
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        ended += sum(_reaped(pid, until) for pid in found)
        if time.monotonic() > until:
            break
    return ended


def end_all() -> None:
    """Kill every bot of this process at once, with all that it started; for a sudden end."""
    until = time.monotonic() + _END_S
    for pid in live:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
    for pid, scratch in live.items():
        _reaped(pid, until)
        if scratch:
            shutil.rmtree(scratch, ignore_errors=True)
    live.clear()
    end()


def _prctl(option: int, value: int) -> bool:
    if not sys.platform.startswith("linux"):
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    return bool(libc.prctl(option, value, 0, 0, 0) == 0)


def _reaped(pid: int, until: float) -> bool:
    """Reap the child ``pid``, which was killed; return False where it hangs in the kernel."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(pid, os.WNOHANG) == (0, 0):
            if time.monotonic() > until:
                return False
            time.sleep(_LOOK_S)
    return True


def _foreign(pid: int) -> bool:
    try:
        return os.getsid(pid) != os.getsid(0)
    except ProcessLookupError:
        return False
