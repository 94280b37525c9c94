"""The local worker processes: each on a core of its own, with the bots that it starts."""

import contextlib
import ctypes
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
from multiprocessing.process import BaseProcess
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path
from typing import ParamSpec, TypeVar

from multiprocessing_logging import install_mp_handler, uninstall_mp_handler

from arena.players import strays

_PATIENCE_S = 1.0
"""How long workers that are to end at once have for it, before they are killed."""

_LAST_LOGS_S = 0.5
"""How long log records may take that are still on their way when the workers have ended."""

_ASKING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals by which a user asks to stop."""

_ORPHANED = signal.SIGHUP
"""What tells a worker that its parent died. Who its parent is would not: while a program with
several threads dies, it may be the parent still."""

P = ParamSpec("P")
T = TypeVar("T")

log = logging.getLogger(__name__)

_halted = ctypes.c_byte(0)
"""In a worker: not 0 once no further task is to be begun."""


class NotBegun(Exception):
    """A task was not begun, because the workers were to stop."""


class Workers(ProcessPoolExecutor):
    """Worker processes, each busy with one task at a time."""

    def __init__(self, count: int, scratch: Path) -> None:
        # Log records come home through a queue that only the `fork` start method passes on.
        context = multiprocessing.get_context("fork")
        self._halted = context.RawValue("b", 0)
        shared = (context.Value("i", 0), self._halted)
        super().__init__(count, context, _prepare, (*shared, cores(), os.getpid(), scratch))

    def submit(self, task: Callable[P, T], /, *arguments: P.args, **named: P.kwargs) -> "Future[T]":
        """Schedule ``task``; a future of one that is not begun any more raises `NotBegun`."""
        return super().submit(_begin, partial(task, *arguments, **named))

    def halt(self) -> None:
        """Begin no further task. Those that were begun are finished."""
        self._halted.value = 1


def cores() -> tuple[int, ...]:
    """Return the cores that this process may use, ascending."""
    if hasattr(os, "sched_getaffinity"):
        return tuple(sorted(os.sched_getaffinity(0)))
    return tuple(range(os.cpu_count() or 1))


@contextlib.contextmanager
def workers(count: int) -> Iterator[Workers]:
    """Yield ``count`` worker processes; on the way out they end, bots included.

    A worker plays one match at a time, is pinned to one core before it starts anything, and ends
    with its bots when this process dies, however it dies. On the way out with an error the matches
    in play are dropped.

    Raises:
        BrokenExecutor: the workers cannot be started.
    """
    # The bots of a worker that is killed become children of this process, which can end them.
    strays.adopt()
    # What bots leave is removed as a whole, also where their worker could not do it any more.
    scratch = Path(tempfile.mkdtemp(prefix="arena-run-"))
    others = set(multiprocessing.active_children())
    pool = Workers(count, scratch)
    try:
        _start(pool)
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


def _prepare(
    taken: "Synchronized[int]",
    halted: ctypes.c_byte,
    usable: tuple[int, ...],
    parent: int,
    scratch: Path,
) -> None:
    """Make a worker of this process."""
    global _halted  # noqa: PLW0603 - one a process; tasks find it there
    _halted = halted
    # Out of the terminal's foreground: Ctrl-C and Ctrl-Z reach the runner alone, which decides.
    # A worker that was stopped in the middle of a question would call the bot late.
    os.setpgid(0, 0)
    signal.signal(signal.SIGINT, _ignore)
    signal.signal(signal.SIGTERM, partial(_leave, None))
    # Nobody else is left to remove it.
    signal.signal(_ORPHANED, partial(_leave, scratch))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _ASKING)
    strays.follow_parent(parent, _ORPHANED)
    # The parent's bots are not ours, and adopting is nothing that a child inherits.
    strays.live.clear()
    strays.adopt.cache_clear()
    tempfile.tempdir = str(scratch)
    with taken.get_lock():
        number = taken.value
        taken.value += 1
    core = usable[number % len(usable)]
    if hasattr(os, "sched_setaffinity"):
        with contextlib.suppress(OSError):  # slower, but no reason not to play
            os.sched_setaffinity(0, {core})
    log.debug("worker %d runs as process %d on core %d", number, os.getpid(), core)


def _begin(task: Callable[[], T]) -> T:
    if _halted.value:
        raise NotBegun
    return task()


def _ignore(_number: int, _frame: object) -> None:
    # Not `SIG_IGN`, which the bots would inherit.
    pass


def _leave(scratch: Path | None, number: int, _frame: object) -> None:
    strays.end_all()
    if scratch:
        shutil.rmtree(scratch, ignore_errors=True)
    # Not `sys.exit`: the pool would catch it, report it as a result and go on.
    os._exit(128 + number)
