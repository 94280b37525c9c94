"""Seats that are not to move do not run: all that belongs to them is stopped until they are asked.

All processes of a seat are in one process group, and the kernel stops a group as a whole: one that
is being forked at that moment is stopped, too, and need not be found first. In a sandbox no
process can leave the group or be set going again by anything but us: the filter of system calls
answers ``setsid``, ``setpgid``, and whatever would send SIGCONT, and does nothing. Without a
sandbox a bot that means to can do both, so there it is no more than good order among bots that do
not.

A stopped process finishes the system call that it is in. One that keeps the kernel busy, filling
memory say, would go on for as long as that takes, so it is waited for as soon as a seat was caught
at it.
"""

import contextlib
import os
import signal
import time
from pathlib import Path

from arena.players import strays

_STOP, _CONT = int(signal.SIGSTOP), int(signal.SIGCONT)

_CAUGHT_NS = 1_000_000
"""More processor time than this after it was stopped, and a seat was not standing still."""

_STANDSTILL_S = 0.5
"""How long a seat that was caught is waited for, at most."""

_LOOK_S = 0.0001
_RUNNING = (b"R", b"S")
"""States, as /proc has them, of a thread that has not come to a stop yet.

One that sleeps will be woken by the stop; one in an uninterruptible wait uses no processor.
"""


class Freezer:
    """Stops the processes of one seat, and lets them go on.

    A seat is either a process and what it started, or a sandbox, whose first process is none of
    the bot's. Waking that one at each question would cost as much as all the rest, so it stays
    stopped for as long as the bot is a single process, which has nothing for it to do.
    """

    def __init__(self, group: int, *, sandboxed: bool) -> None:
        """Watch over a seat that runs, and leave it running.

        Args:
            group: the process group of the seat, and the process that leads it.
            sandboxed: whether that is the first process of a sandbox.
        """
        self._group = group
        self._sandboxed = sandboxed
        self._main = 0 if sandboxed else group
        self._alone = False
        self._surveyed = False
        self._clocks: tuple[int, ...] = ()
        self._caught = False
        self._stopped_at_ns = 0
        self.frozen = False
        self.main = -1
        """Pidfd of the bot's own first process, once a sandbox was frozen; else -1."""

    def freeze(self) -> None:
        """Stop the seat; on return nothing of it runs any more, but for what the page says."""
        self._signal(_STOP)
        self.frozen = True
        if not self._surveyed:
            self._survey()
        if self._caught:
            self._wait_for_standstill()
        self._stopped_at_ns = self._cpu_ns()

    def thaw(self) -> None:
        """Let the seat go on, if it is frozen."""
        if not self.frozen:
            return
        self.frozen = False
        if self._cpu_ns() - self._stopped_at_ns > _CAUGHT_NS:
            self._caught = True
        if not self._alone or self.main < 0:
            self._signal(_CONT)
            return
        try:
            signal.pidfd_send_signal(self.main, _CONT)
        except ProcessLookupError:
            return  # it is gone, which the channel will find

    def look(self) -> None:
        """See to what a single process has started since, while its question is open.

        It is called for questions that are not answered soon, so that the others pay nothing.
        """
        self._surveyed = False
        if not (self._alone and self._sandboxed):
            return
        started = set(self.family()) - {self._main}
        for pid in started:
            # One by one: the bot may have stopped itself, which is its own affair.
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, _CONT)
        self._alone = not started

    def thaw_all(self) -> None:
        """Let go on whatever belongs to the seat, a sandbox's first process included."""
        self._signal(_CONT)
        self.frozen = self._alone = False

    def family(self) -> list[int]:
        """Return the processes of the seat, without the first process of a sandbox."""
        found = strays.family(self._group)
        return found[1:] if self._sandboxed else found

    def close(self) -> None:
        """Give the descriptor back."""
        if self.main >= 0:
            os.close(self.main)
            self.main = -1

    def _survey(self) -> None:
        """See what processes the seat, which is stopped, consists of."""
        family = self.family()
        if not self._main and family:
            self._find_main(family[0])
        self._alone = family == [self._main]
        # linux/posix-timers_types.h, MAKE_PROCESS_CPUCLOCK of CPUCLOCK_SCHED
        self._clocks = tuple((~pid << 3) | 2 for pid in family)
        self._surveyed = True

    def _find_main(self, pid: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            self.main = os.pidfd_open(pid)
            # The number could have gone to somebody else before the descriptor was there.
            if pid in strays.children(self._group):
                self._main = pid
            else:
                self.close()

    def _wait_for_standstill(self) -> None:
        until = time.monotonic() + _STANDSTILL_S
        while any(map(_runs, self.family())) and time.monotonic() < until:
            time.sleep(_LOOK_S)

    def _cpu_ns(self) -> int:
        """Return the processor time that the seat has used, as far as its processes are known."""
        used = 0
        for clock in self._clocks:
            try:
                used += time.clock_gettime_ns(clock)
            except OSError:
                continue  # it is gone
        return used

    def _signal(self, number: int) -> None:
        try:
            os.killpg(self._group, number)
        except (ProcessLookupError, PermissionError):
            return  # likewise


def _runs(pid: int) -> bool:
    """Whether a thread of the process ``pid`` has not come to a stop."""
    for task in Path(f"/proc/{pid}/task").glob("*/stat"):
        with contextlib.suppress(OSError):
            # The command's name, in parentheses, may hold anything.
            if task.read_bytes().rpartition(b") ")[2][:1] in _RUNNING:
                return True
    return False
