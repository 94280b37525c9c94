"""Seats that are not to move do not run: all that belongs to them is stopped until they are asked.

All processes of a seat are in one process group, and the kernel stops a group as a whole: one that
is being forked at that moment is stopped, too, and need not be found first. In a sandbox no
process can leave the group or be set going by anything but us: the filter of system calls fakes
``setsid``, ``setpgid`` and whatever would send SIGCONT. Without a sandbox those that have left the
group are stopped one by one, as far as they are still below the bot; a bot that means to can escape
that, so there it is no more than good order among bots that do not.

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

_STOP, _CONT = int(signal.SIGSTOP), int(signal.SIGCONT)
# Looked up once.
_send, _read_clock = signal.pidfd_send_signal, time.clock_gettime_ns

_STOPPING_NS = 30_000
"""Coming to a stop takes three microseconds of processor time, and hardly ever so much."""

_CAUGHT_NS = 300_000
"""A seat that has run on for longer than this, in all, beside what stopping takes, is caught."""

_STANDSTILL_S = 2.0
"""How long a seat is waited for, at most; no single system call takes that long."""

# man tgkill(2); the architectures but one share their numbers of calls.
_TGKILL = {"x86_64": 234}.get(os.uname().machine, 131)
_libc = ctypes.CDLL(None)

_YIELDS = 8
_BYTES = 512
_LOOK_S = 0.00005
_ONE_THREAD = 3
"""Links of /proc/PID/task where it holds one thread."""

_ON_ITS_WAY = (b"R", b"S")
"""States, as /proc has them, of a thread that has not come to a stop yet.

One that sleeps is woken by the stop; one in an uninterruptible wait uses no processor.
"""

_WAITS, _ENDED = b"D", b"Z"
_MOST_THREADS = 64
"""Of so many the children are looked at by descriptors that stay open."""


class Freezer:
    """Stops all that belongs to a seat, and lets it go on.

    A sandbox has a first process that leads the group and is none of the bot's. Waking that at each
    question would cost as much as all the rest, so it stays stopped for as long as the bot is a
    single process, which has nothing for it to do.
    """

    def __init__(self, group: int, *, sandboxed: bool) -> None:
        """Watch over a seat that runs, and leave it running.

        Args:
            group: the process group of the seat, and its leader.
            sandboxed: whether that is the first process of a sandbox, and not of the bot.
        """
        self._group = group
        self._sandboxed = sandboxed
        self._frozen = False
        self._bot: _Process | None = None
        self._alone = False
        self._away: list[int] = []
        """Processes of the seat that have left the group, and were stopped."""

        self._clocks: tuple[int, ...] = ()
        self._stopped_at_ns = self._ran_on_ns = 0
        self._caught = False

    @property
    def frozen(self) -> bool:
        """Whether the seat is stopped."""
        return self._frozen

    @property
    def main(self) -> int:
        """Pidfd of the bot's own first process, once that is known; else -1."""
        return self._bot.pidfd if self._bot else -1

    def freeze(self) -> None:
        """Stop the seat; on return nothing of it runs any more, as far as that is promised."""
        # This and `thaw` are half of what a fast bot's question costs: no call that is not needed.
        self._signal(_STOP)
        self._frozen = True
        bot = self._bot or self._find()
        self._alone = bot is not None and bot.is_alone()
        if bot is None or not self._alone:
            family = self._family()
            self._stop_away(family)
            self._clocks = tuple(map(strays.clock, family))
            _wait_for_standstill(family, every_thread=self._caught)
        else:
            self._clocks = bot.clocks
            if self._caught or not bot.single:
                _wait_for_standstill([bot.pid], every_thread=self._caught)
        self._stopped_at_ns = _cpu_ns(self._clocks)

    def thaw(self) -> None:
        """Let the bot go on, if it is frozen."""
        if not self._frozen:
            return
        ran_on_ns = _cpu_ns(self._clocks) - self._stopped_at_ns
        if ran_on_ns > _STOPPING_NS:
            self._ran_on_ns += ran_on_ns - _STOPPING_NS
            self._caught = self._ran_on_ns > _CAUGHT_NS
        # Without a sandbox orphans, which are not below the bot, may be its helpers.
        if not (self._sandboxed and self._alone and self._bot):
            self.thaw_all()
            return
        self._frozen = False
        try:
            _send(self._bot.pidfd, _CONT)
        except ProcessLookupError:
            return  # likewise

    def look(self) -> None:
        """Let go on what was being started when the bot was taken for a single process."""
        if self._sandboxed and self._alone and self._bot:
            more = set(self._family()) - {self._bot.pid}
            # The first process, too, which has to reap what the bot lets go. One by one: the bot
            # may have stopped itself, which is its own affair.
            for pid in more and {self._group, *more}:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, _CONT)

    def thaw_all(self) -> None:
        """Let go on whatever belongs to the seat."""
        # The group last: when its leader ends, the kernel hangs up what is stopped.
        for pid in self._away:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, _CONT)
        self._away = []
        self._signal(_CONT)
        self._frozen = False

    def close(self) -> None:
        """Give all descriptors back."""
        if self._bot:
            self._bot.close()
            self._bot = None

    def _signal(self, number: int) -> None:
        try:
            os.killpg(self._group, number)
        except (ProcessLookupError, PermissionError):
            return  # nothing is left of it, which the channel will find

    def _stop_away(self, family: list[int]) -> None:
        if self._sandboxed:
            return  # where nobody can leave
        for pid in family:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                if os.getpgid(pid) != self._group:
                    os.kill(pid, _STOP)
                    self._away.append(pid)

    def _family(self) -> list[int]:
        """Return the processes of the bot."""
        return strays.family(self._group)[self._sandboxed :]

    def _find(self) -> "_Process | None":
        """Find the bot's own first process, if it is still there."""
        pid = next(iter(self._family()), 0)
        try:
            found = _Process(pid, self._group if self._sandboxed else 0)
        except OSError:
            return None
        # The number could have gone to somebody else before the descriptors were there; that of the
        # leader is ours until it is reaped.
        if self._sandboxed and pid not in strays.children(self._group):
            found.close()
            return None
        self._bot = found
        return found


class _Process:
    """The bot's own first process, seen through descriptors that stay open."""

    def __init__(self, pid: int, first: int) -> None:
        """Open them.

        Args:
            pid: the process.
            first: the first process of its sandbox, to which orphans in it go; 0 without one.

        Raises:
            OSError: it is gone.
        """
        self.pid = pid
        self.clocks = (strays.clock(pid),)
        self.single = True
        """Whether it has one thread; known by the last `is_alone`."""

        self._only = b"%d " % pid
        self._opened: list[int] = []
        self._children: dict[str, int] = {}
        """What shows the children of a thread, by the thread's id."""

        try:
            self.pidfd = self._keep(os.pidfd_open(pid))
            self._tasks = self._open(f"/proc/{pid}/task")
            self._of_main = self._open(f"/proc/{pid}/task/{pid}/children")
            self._of_first = self._open(f"/proc/{first}/task/{first}/children") if first else -1
        except BaseException:
            self.close()
            raise

    def is_alone(self) -> bool:
        """Return whether it is the only process of the bot; it is stopped."""
        try:
            self.single = os.fstat(self._tasks).st_nlink == _ONE_THREAD
            if self._of_first >= 0 and os.pread(self._of_first, 64, 0) != self._only:
                return False
            if self.single:
                return not os.pread(self._of_main, 1, 0)
            files = self._of_threads()
            return bool(files) and not any(os.pread(file, 1, 0) for file in files)
        except OSError:
            return False  # it is gone, or a thread is

    def close(self) -> None:
        """Close them."""
        for descriptor in (*self._opened, *self._children.values()):
            os.close(descriptor)
        self._opened, self._children = [], {}

    def _of_threads(self) -> list[int]:
        """Return what shows the children of each thread there is; nothing if there are too many."""
        with os.scandir(self._tasks) as tasks:
            there = {task.name for task in tasks}
        if len(there) > _MOST_THREADS:
            return []
        for gone in self._children.keys() - there:
            os.close(self._children.pop(gone))
        for new in there - self._children.keys():
            path = f"/proc/{self.pid}/task/{new}/children"
            self._children[new] = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        return list(self._children.values())

    def _open(self, path: str) -> int:
        return self._keep(os.open(path, os.O_RDONLY | os.O_CLOEXEC))

    def _keep(self, descriptor: int) -> int:
        self._opened.append(descriptor)
        return descriptor


def _cpu_ns(clocks: tuple[int, ...]) -> int:
    """Return the processor time that processes have used, by their ``clocks``."""
    used = 0
    for clock in clocks:
        try:
            used += _read_clock(clock)
        except OSError:
            continue  # it is gone
    return used


def _wait_for_standstill(family: list[int], *, every_thread: bool) -> None:
    """Wait until the processes ``family``, which were sent the stop, have come to it."""
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
                if state == _WAITS:
                    _libc.syscall(_TGKILL, pid, int(task.name), _STOP)
    return moving


def _state(path: str) -> bytes:
    # The command's name, in parentheses, may hold anything.
    return strays.read(path, _BYTES).rpartition(b") ")[2][:1]
