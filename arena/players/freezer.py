"""Seats that are not to move do not run: all that belongs to them is stopped until they are asked.

All processes of a seat are in one process group, and the kernel stops a group as a whole: one that
is being forked at that moment is stopped, too, and need not be found first. In a sandbox no
process can leave the group or be set going by anything but us: the filter of system calls fakes
``setsid``, ``setpgid`` and whatever would send SIGCONT. Without a sandbox a bot that means to can
do both, so there it is no more than good order among bots that do not.

A process that is stopped finishes the system call that it is in, and a thread may run on until
another one has taken notice. Where a seat consists of more than one thread it is therefore waited
for; a single thread is, as soon as it was caught running on.
"""

import contextlib
import os
import signal
import time

from arena.players import strays

_STOP, _CONT = int(signal.SIGSTOP), int(signal.SIGCONT)

_CAUGHT_NS = 200_000
"""Coming to a stop takes a thread a few microseconds of processor time, and never so much."""

_STANDSTILL_S = 2.0
"""How long a seat is waited for, at most; no single system call takes that long."""

_LOOK_S = 0.0001
_ONE_THREAD = 3
"""Links of /proc/PID/task where it holds one thread."""

_ON_ITS_WAY = (b"R", b"S")
"""States, as /proc has them, of a thread that has not come to a stop yet.

One that sleeps is woken by the stop; one in an uninterruptible wait uses no processor.
"""


class Freezer:
    """Stops the process group of a seat, and lets it go on: all there is without a sandbox."""

    main = -1
    """Pidfd of the bot's own first process, once it is known; else -1."""

    def __init__(self, group: int) -> None:
        """Watch over a seat that runs, and leave it running.

        Args:
            group: the process group of the seat.
        """
        self._group = group
        self._frozen = False

    def freeze(self) -> None:
        """Stop the seat; on return nothing of it runs any more, as far as that is promised."""
        self._signal(_STOP)
        self._frozen = True

    def thaw(self) -> None:
        """Let the seat go on, if it is frozen."""
        if self._frozen:
            self.thaw_all()

    def look(self) -> None:
        """See to the seat while its question is open; not for those that are soon answered."""

    def thaw_all(self) -> None:
        """Let go on whatever belongs to the seat."""
        self._signal(_CONT)
        self._frozen = False

    def close(self) -> None:
        """Give all descriptors back."""

    def _signal(self, number: int) -> None:
        try:
            os.killpg(self._group, number)
        except (ProcessLookupError, PermissionError):
            return  # nothing is left of it, which the channel will find


class SandboxFreezer(Freezer):
    """Stops a sandbox.

    Its first process, which leads the group, is none of the bot's. Waking that at each question
    would cost as much as all the rest, so it stays stopped for as long as the bot is a single
    process, which has nothing for it to do.
    """

    def __init__(self, first: int) -> None:
        """Watch over a sandbox that runs, and leave it running.

        Args:
            first: its first process.
        """
        super().__init__(first)
        self._pid = 0
        """The bot's own first process; 0 where it is not known."""

        self._clock = 0
        self._only = b""
        self._files: tuple[int, ...] = ()
        self._alone = False
        self._caught = False
        self._stopped_at_ns = 0

    def freeze(self) -> None:
        """Stop the sandbox; on return nothing in it runs any more."""
        self._signal(_STOP)
        self._frozen = True
        if not self._pid:
            self._find()
        self._alone, single = self._shape()
        if self._caught or not single:
            self._wait_for_standstill()
        self._stopped_at_ns = self._cpu_ns()

    def thaw(self) -> None:
        """Let the bot go on, if it is frozen."""
        if not self._frozen:
            return
        if self._cpu_ns() - self._stopped_at_ns > _CAUGHT_NS:
            self._caught = True
        if not self._alone:
            self.thaw_all()
            return
        self._frozen = False
        try:
            signal.pidfd_send_signal(self.main, _CONT)
        except ProcessLookupError:
            return  # likewise

    def look(self) -> None:
        """Let go on what was being started when the bot was taken for a single process."""
        if self._alone:
            for pid in set(self._family()) - {self._pid}:
                # One by one: the bot may have stopped itself, which is its own affair.
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, _CONT)

    def close(self) -> None:
        """Give all descriptors back."""
        for descriptor in (self.main, *self._files):
            if descriptor >= 0:
                os.close(descriptor)
        self.main, self._files = -1, ()

    def _family(self) -> list[int]:
        """Return the processes of the bot."""
        return strays.family(self._group)[1:]

    def _find(self) -> None:
        """Find the bot's first process, if it is still there."""
        pid = next(iter(self._family()), 0)
        try:
            self.main = os.pidfd_open(pid)
            self._files = tuple(
                os.open(path, os.O_RDONLY | os.O_CLOEXEC)
                for path in (
                    f"/proc/{pid}/task/{pid}/children",
                    f"/proc/{self._group}/task/{self._group}/children",
                    f"/proc/{pid}/task",
                )
            )
        except OSError:
            self.close()
            return
        # The number could have gone to somebody else before the descriptors were there.
        if pid in strays.children(self._group):
            self._pid = pid
            # linux/posix-timers_types.h, MAKE_PROCESS_CPUCLOCK of CPUCLOCK_SCHED
            self._clock = (~pid << 3) | 2
            self._only = b"%d " % pid
        else:
            self.close()

    def _shape(self) -> tuple[bool, bool]:
        """Return whether the bot, which is stopped, is a single process, and a single thread."""
        if not self._pid:
            return False, False
        children, of_the_first, tasks = self._files
        try:
            alone = os.pread(of_the_first, 64, 0) == self._only
            single = os.fstat(tasks).st_nlink == _ONE_THREAD and not os.pread(children, 64, 0)
        except OSError:
            return False, False  # it is gone
        if single or not alone:
            return alone, alone and single
        # Each thread may have children of its own.
        return self._family() == [self._pid], False

    def _wait_for_standstill(self) -> None:
        until = time.monotonic() + _STANDSTILL_S
        while any(map(_moves, self._family())) and time.monotonic() < until:
            time.sleep(_LOOK_S)

    def _cpu_ns(self) -> int:
        """Return the processor time of the bot's first process, 0 if it is gone."""
        try:
            return time.clock_gettime_ns(self._clock) if self._pid else 0
        except OSError:
            return 0


def _moves(pid: int) -> bool:
    """Whether a thread of the process ``pid`` has not come to a stop."""
    with contextlib.suppress(OSError), os.scandir(f"/proc/{pid}/task") as tasks:
        return any(_state(f"{task.path}/stat") in _ON_ITS_WAY for task in tasks)
    return False


def _state(path: str) -> bytes:
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        # The command's name, in parentheses, may hold anything.
        return os.read(file, 512).rpartition(b") ")[2][:1]
    except OSError:
        return b""
    finally:
        os.close(file)
