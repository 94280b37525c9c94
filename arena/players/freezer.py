"""Seats that are not to move do not run: all that belongs to them is stopped until they are asked.

All processes of a seat are in one process group, and the kernel stops a group as a whole: one that
is being forked at that moment is stopped, too, and need not be found first. In a sandbox no
process can leave the group or be set going by anything but us: the filter of system calls fakes
``setsid``, ``setpgid`` and whatever would send SIGCONT. Without a sandbox those that have left the
group are stopped one by one, as far as they are still below the bot; a bot that means to can escape
that, so there it is no more than good order among bots that do not.
"""

import contextlib
import os
import signal
import time

from arena.players import strays
from arena.players.standstill import wait_for_standstill

_STOP, _CONT = int(signal.SIGSTOP), int(signal.SIGCONT)
# Looked up once.
_send, _read_clock = signal.pidfd_send_signal, time.clock_gettime_ns

_STOPPING_NS = 30_000
"""Coming to a stop takes three microseconds of processor time, and hardly ever so much."""

_CAUGHT_NS = 300_000
"""A seat that has run on for longer than this, in all, beside what stopping takes, is caught."""

_ONE_THREAD = 3
"""Links of /proc/PID/task where it holds one thread."""

_ROUNDS = 8
"""So often those that run while they are looked for are looked for again, at most."""

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
            family = self._stopped()
            self._clocks = tuple(map(strays.clock, family))
            wait_for_standstill(family, every_thread=self._caught)
        else:
            self._clocks = bot.clocks
            if self._caught or not bot.single:
                wait_for_standstill([bot.pid], every_thread=self._caught)
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
            return  # it is gone, which the channel will find

    def look(self) -> None:
        """Let go on what was being started when the bot was taken for a single process."""
        if self._sandboxed and self._alone and self._bot:
            more = set(self._family()) - {self._bot.pid}
            # The first process, too, which has to reap what the bot lets go. One by one: the bot
            # may have stopped itself, which is its own affair.
            for pid in more and {self._group, *more}:
                with contextlib.suppress(ProcessLookupError, PermissionError):
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

    def _stopped(self) -> list[int]:
        """Return the processes that are told to stop; those outside the group are, here."""
        family = self._family()
        if self._sandboxed:
            return family  # where nobody can leave
        told: list[int] = []
        for _ in range(_ROUNDS):
            there = len(self._away)
            for pid in [pid for pid in family if pid not in told]:
                # What runs as another user, as sudo does, is not ours to stop.
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    if os.getpgid(pid) == self._group:
                        os.kill(pid, 0)
                    else:
                        os.kill(pid, _STOP)
                        self._away.append(pid)
                    told.append(pid)
            if len(self._away) == there:
                break
            # They have run until now, and may have started others.
            wait_for_standstill(self._away[there:], every_thread=False)
            family = self._family()
        return told

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
