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
from functools import cache
from pathlib import Path

# linux/prctl.h
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36

live: dict[int, str] = {}
"""Bots that run for this process, which are no strays: process id -> scratch folder, if any."""


@cache
def adopt() -> bool:
    """Make this process inherit the orphans of its bots; return whether the system can."""
    return _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def follow_parent(parent: int) -> None:
    """Send this process SIGTERM when its parent, the process ``parent``, dies."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:
        # It died before the line above.
        os.kill(os.getpid(), signal.SIGTERM)


def end() -> int:
    """Kill every orphan of a bot, and those that it leaves in turn; return how many they were."""
    ended = 0
    while found := [pid for pid in _children() if pid not in live and _foreign(pid)]:
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)
        ended += len(found)
    return ended


def end_all() -> None:
    """Kill every bot of this process at once, with all that it started; for a sudden end."""
    for pid, scratch in list(live.items()):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, 0)
        if scratch:
            shutil.rmtree(scratch, ignore_errors=True)
    live.clear()
    end()


def _prctl(option: int, value: int) -> bool:
    if not sys.platform.startswith("linux"):
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    return bool(libc.prctl(option, value, 0, 0, 0) == 0)


def _children() -> list[int]:
    found: list[int] = []
    for task in Path("/proc/self/task").glob("*/children"):
        with contextlib.suppress(OSError):
            found.extend(map(int, task.read_text().split()))
    return found


def _foreign(pid: int) -> bool:
    try:
        return os.getsid(pid) != os.getsid(0)
    except ProcessLookupError:
        return False
