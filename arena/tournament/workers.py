"""The local worker processes: each on a core of its own, with the bots that it starts."""

import contextlib
import logging
import multiprocessing
import os
import shutil
import signal
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from functools import partial
from multiprocessing import connection
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

from multiprocessing_logging import install_mp_handler, uninstall_mp_handler

from arena.players import strays
from arena.tournament.machine import ONE_EACH, Sharing, cores

_LOOK_S = 0.005

_PATIENCE_S = 1.0
"""How long workers that are to end at once have for it, before they are killed."""

_LAST_LOGS_S = 0.5
"""How long log records may take that are still on their way when the workers have ended."""

_ASKING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals by which a user asks to stop."""

ORPHANED = signal.SIGHUP
"""What tells a worker that its parent died. Who its parent is would not: while a program with
several threads dies, it may be the parent still."""

P = ParamSpec("P")
T = TypeVar("T")

log = logging.getLogger(__name__)

_SIGNALLED = 128
"""A worker that leaves because of a signal has this status, plus the signal's number."""

_UNSEEN_S = 2.0
"""How long it may take until the status of a worker that ended can be seen."""


class _Shared:
    """What workers tell of themselves, for the case that they die; each writes in its own slot."""

    def __init__(self, context: BaseContext, count: int) -> None:
        self.halted = context.RawValue("b", 0)
        """Not 0 once no further task is to be begun."""

        self.taken = context.Value("i", 0)
        """How many slots are taken."""

        self.pids = context.RawArray("q", count)
        self.tasks = context.RawArray("q", count)
        """The number of the task that is being done, from 1; 0: none."""

        self.left = context.RawArray("d", count)
        """When a worker was told by a signal to leave, by the monotonic clock; 0: not yet."""


_slot: tuple[_Shared, int] | None = None
"""In a worker: where it tells of itself."""


class NotBegun(Exception):
    """A task was not begun, because the workers were to stop."""


class Workers(ProcessPoolExecutor):
    """Worker processes, each busy with one task at a time."""

    def __init__(self, count: int, scratch: Path, sharing: Sharing) -> None:
        # Log records come home through a queue that only the `fork` start method passes on.
        context = multiprocessing.get_context("fork")
        self._count = count
        self._shared = _Shared(context, count)
        self._submitted = 0
        self._numbers: WeakKeyDictionary[Future[Any], int] = WeakKeyDictionary()
        self._processes_seen: list[BaseProcess] = []
        self._deaths: dict[int, str] | None = None
        super().__init__(count, context, _prepare, (self._shared, sharing, os.getpid(), scratch))

    def submit(self, task: Callable[P, T], /, *arguments: P.args, **named: P.kwargs) -> "Future[T]":
        """Schedule ``task``; a future of one that is not begun any more raises `NotBegun`."""
        self._submitted += 1
        future = super().submit(_begin, self._submitted, partial(task, *arguments, **named))
        self._numbers[future] = self._submitted
        return future

    def halt(self) -> None:
        """Begin no further task. Those that were begun are finished."""
        self._shared.halted.value = 1

    def know(self, processes: Collection[BaseProcess]) -> None:
        """Take in which processes the workers are."""
        self._processes_seen = list(processes)

    @property
    def room(self) -> int:
        """How many tasks keep all of them busy, so that none waits for its next."""
        return 2 * self._count

    def news(self) -> Collection[str]:
        """Return nothing: what these workers have to tell, their futures tell."""
        return ()

    def death(self, future: "Future[Any]") -> str | None:
        """Return how a worker died in the middle of the task of ``future``.

        It is asked of futures that raise `BrokenExecutor`. Where one worker dies, all are ended;
        ``None`` if it was not the one that did this task.
        """
        if self._deaths is None:
            self._deaths = self._look_for_deaths()
        return self._deaths.get(self._numbers.get(future, 0))

    def _look_for_deaths(self) -> dict[int, str]:
        """Return how workers died by themselves, by the number of the task that each was at."""
        until = time.monotonic() + _UNSEEN_S
        while any(one.exitcode is None for one in self._processes_seen):
            if time.monotonic() > until:
                break
            time.sleep(_LOOK_S)
        shared = self._shared
        status = {one.pid: one.exitcode for one in self._processes_seen}
        ended = {
            slot: code
            for slot, pid in enumerate(shared.pids)
            if (code := status.get(pid)) is not None
        }
        died = [slot for slot, code in ended.items() if code != _SIGNALLED + signal.SIGTERM]
        if not died and ended:
            # All were told to leave: one by somebody else first, and then the others by the pool.
            died = [min(ended, key=shared.left.__getitem__)]
        return {
            shared.tasks[slot]: how_it_ended(ended[slot]) for slot in died if shared.tasks[slot]
        }


def how_it_ended(status: int) -> str:
    """Return how a process ended that had ``status``, as `multiprocessing` gives it."""
    number = -status if status < 0 else status - _SIGNALLED
    try:
        return f"was ended by {signal.Signals(number).name}"
    except ValueError:
        return f"ended with status {status}"


@contextlib.contextmanager
def workers(count: int, sharing: Sharing = ONE_EACH) -> Iterator[Workers]:
    """Yield ``count`` worker processes; on the way out they end, bots included.

    A worker plays one match at a time, is pinned to its cores before it starts anything, and ends
    with its bots when this process dies, however it dies. On the way out with an error the matches
    in play are dropped.

    Args:
        count: how many.
        sharing: which cores each of them has; as a rule one of its own.

    Raises:
        BrokenExecutor: the workers cannot be started.
    """
    # The bots of a worker that is killed become children of this process, which can end them.
    strays.adopt()
    # What bots leave is removed as a whole, also where their worker could not do it any more.
    scratch = Path(tempfile.mkdtemp(prefix="arena-run-"))
    others = set(multiprocessing.active_children())
    pool = Workers(count, scratch, sharing)
    try:
        _start(pool)
        pool.know(set(multiprocessing.active_children()) - others)
        yield pool
        pool.shutdown(wait=True, cancel_futures=True)
    except BaseException:
        with _undisturbed():
            _end(set(multiprocessing.active_children()) - others)
            pool.shutdown(wait=True, cancel_futures=True)
        raise
    finally:
        with _undisturbed():
            strays.end()
            shutil.rmtree(scratch, ignore_errors=True)


@contextlib.contextmanager
def collected_logs() -> Iterator[None]:
    """Carry the log records of workers that start inside to the handlers of this process."""
    if multiprocessing.get_start_method(allow_none=True) is None:
        multiprocessing.set_start_method("fork")
    install_mp_handler()
    collecting = list(logging.getLogger().handlers)
    try:
        yield
    finally:
        uninstall_mp_handler()
        closings = []
        for handler in collecting:
            # A worker that was killed while it wrote may hold the queue's lock for ever.
            handler.queue.cancel_join_thread()  # type: ignore[attr-defined]
            # And what it did not get written would be waited for: in a thread, so not for long.
            closings.append(threading.Thread(target=handler.close, daemon=True))
            closings[-1].start()
        until = time.monotonic() + _LAST_LOGS_S
        for closing in closings:
            closing.join(max(0.0, until - time.monotonic()))


def _start(pool: Workers) -> None:
    """Start all workers of ``pool``, from this thread, to whose end theirs is tied.

    Signals wait meanwhile: a worker starts with the handlers of this process, which are not for it.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ASKING)
    try:
        with warnings.catch_warnings():
            # Python 3.12 and later warn of forking while a thread runs. The thread here is the
            # one that collects log records: it holds no lock that a worker will want.
            warnings.filterwarnings("ignore", ".*multi-threaded.*fork", DeprecationWarning)
            # With `fork`, the first task starts all workers.
            ready = pool.submit(os.getpid)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    ready.result()


def _end(started: Collection[BaseProcess]) -> None:
    """End the workers ``started`` at once, with their bots."""
    for worker in started:
        worker.terminate()
    left = {worker.sentinel: worker for worker in started}
    until = time.monotonic() + _PATIENCE_S
    while left and (patience := until - time.monotonic()) > 0:
        for gone in connection.wait(list(left), patience):
            del left[gone]  # type: ignore[arg-type]
    for worker in left.values():
        worker.kill()


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """Keep off those who ask to stop until what must be done, and is brief, is done."""
    if threading.current_thread() is not threading.main_thread():
        yield  # handlers run in the main thread, and only there can they be changed
        return
    came: list[int] = []
    before = {
        asking: signal.signal(asking, lambda number, _frame: came.append(number))
        for asking in _ASKING
    }
    try:
        yield
    finally:
        for asking, handler in before.items():
            signal.signal(asking, signal.SIG_DFL if handler is None else handler)
        for number in came:
            signal.raise_signal(number)


def _prepare(shared: _Shared, sharing: Sharing, parent: int, scratch: Path) -> None:
    """Make a worker of this process."""
    global _slot  # noqa: PLW0603 - one a process; tasks find it there
    with shared.taken.get_lock():
        number = shared.taken.value
        shared.taken.value += 1
    shared.pids[number] = os.getpid()
    _slot = (shared, number)
    own = sharing.cores_of(number, cores())
    settle(own, scratch)
    strays.follow_parent(parent, ORPHANED)
    log.debug("worker %d runs as process %d on core %s", number, os.getpid(), sorted(own))


def settle(own: Collection[int], scratch: Path) -> None:
    """Make this process, a fork or a program of its own, one that plays matches.

    From then on it ends at once, with its bots, at SIGTERM; and at SIGHUP, which is to tell it
    that its parent died, with its scratch folder as well.

    Args:
        own: the cores that it and its bots are pinned to.
        scratch: for what is temporary.
    """
    # The parent's bots are not ours, and adopting is nothing that a child inherits.
    strays.live.clear()
    strays.adopt.cache_clear()
    tempfile.tempdir = str(scratch)
    # Out of the terminal's foreground: Ctrl-C and Ctrl-Z reach the runner alone, which decides.
    # A worker that was stopped in the middle of a question would call the bot late.
    os.setpgid(0, 0)
    signal.signal(signal.SIGINT, _ignore)
    signal.signal(signal.SIGTERM, partial(_leave, None))
    # Nobody else is left to remove it.
    signal.signal(ORPHANED, partial(_leave, scratch))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _ASKING)
    if hasattr(os, "sched_setaffinity"):
        with contextlib.suppress(OSError):  # slower, but no reason not to play
            os.sched_setaffinity(0, own)


def _begin(number: int, task: Callable[[], T]) -> T:
    if _slot is None:
        return task()
    shared, slot = _slot
    if shared.halted.value:
        raise NotBegun
    shared.tasks[slot] = number
    try:
        return task()
    finally:
        shared.tasks[slot] = 0


def _ignore(_number: int, _frame: object) -> None:
    # Not `SIG_IGN`, which the bots would inherit.
    pass


def _leave(scratch: Path | None, number: int, _frame: object) -> None:
    if _slot:
        shared, slot = _slot
        shared.left[slot] = shared.left[slot] or time.monotonic()
    strays.end_all()
    if scratch:
        shutil.rmtree(scratch, ignore_errors=True)
    # Not `sys.exit`: the pool would catch it, report it as a result and go on.
    os._exit(_SIGNALLED + number)
