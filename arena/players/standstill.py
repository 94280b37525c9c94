"""Waiting until processes that were sent the stop have come to it.

A process stops as soon as one of its threads has taken notice, which for a busy one may take a
while, so processes with several threads are waited for. A system call that was begun is finished
nevertheless; a seat that was caught at a long one is waited for with all of its threads. The kernel
gives the stop to the first thread, which does not take notice while it waits for a ``vfork``; then
each of the others is told, too.
"""

import contextlib
import ctypes
import os
import signal
import time

from arena.players import strays

_STOP = int(signal.SIGSTOP)

_STANDSTILL_S = 2.0
"""How long a seat is waited for, at most; no single system call takes that long."""

_TGKILL = {"x86_64": 234, "aarch64": 131, "riscv64": 131}.get(os.uname().machine)
"""Number of the system call tgkill(2), which Python does not have."""

_libc = ctypes.CDLL(None)

_YIELDS = 8
_BYTES = 512
_LOOK_S = 0.00005
_ON_ITS_WAY = (b"R", b"S")
"""States, as /proc has them, of a thread that has not come to a stop yet.

One that sleeps is woken by the stop; one in an uninterruptible wait uses no processor.
"""

_WAITS, _ENDED = b"D", b"Z"


def wait_for_standstill(family: list[int], *, every_thread: bool) -> None:
    """Wait until the processes ``family``, which were sent the stop, have come to it.

    Args:
        family: their process ids.
        every_thread: wait for all their threads, because they were seen to go on in a call.
    """
    until = time.monotonic() + _STANDSTILL_S
    looks = 0
    while family and time.monotonic() < until:
        # They are mostly on this very core, and need it for that.
        if looks < _YIELDS:
            os.sched_yield()
        else:
            time.sleep(_LOOK_S)
        looks += 1
        family = [pid for pid in family if _moves(pid, every_thread=every_thread)]


def _moves(pid: int, *, every_thread: bool) -> bool:
    """Whether the process ``pid`` has not come to a stop.

    When its first thread has, all others are bound to, and run nothing but the call they are in.
    """
    state = _state(f"/proc/{pid}/task/{pid}/stat")
    if state in _ON_ITS_WAY:
        return True
    # The first thread of a process may end before the others, or keep the stop to itself.
    if not every_thread and state not in (_ENDED, _WAITS):
        return False
    moving = False
    with contextlib.suppress(OSError), os.scandir(f"/proc/{pid}/task") as tasks:
        for task in tasks:
            if _state(f"{task.path}/stat") in _ON_ITS_WAY:
                moving = True
                if state == _WAITS and _TGKILL:
                    _libc.syscall(_TGKILL, pid, int(task.name), _STOP)
    return moving


def _state(path: str) -> bytes:
    # The command's name, in parentheses, may hold anything.
    return strays.read(path, _BYTES).rpartition(b") ")[2][:1]
