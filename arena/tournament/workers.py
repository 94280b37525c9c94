"""The local worker processes: each on a core of its own, with the bots that it starts."""

import contextlib
import logging
import multiprocessing
import os
import signal
import sys
import warnings
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from multiprocessing.sharedctypes import Synchronized

from multiprocessing_logging import install_mp_handler, uninstall_mp_handler

from arena.players import strays

log = logging.getLogger(__name__)


def cores() -> tuple[int, ...]:
    """Return the cores that this process may use, ascending."""
    if hasattr(os, "sched_getaffinity"):
        return tuple(sorted(os.sched_getaffinity(0)))
    return tuple(range(os.cpu_count() or 1))


@contextlib.contextmanager
def workers(count: int) -> Iterator[Executor]:
    """Yield an executor of ``count`` worker processes; on the way out they end, bots included.

    A worker plays one match at a time, is pinned to one core before it starts anything, and ends
    with its bots when this process dies, however it dies.
    """
    # Log records come home through a queue that only the `fork` start method passes on.
    context = multiprocessing.get_context("fork")
    taken = context.Value("i", 0)
    pool = ProcessPoolExecutor(count, context, _prepare, (taken, cores(), os.getpid()))
    try:
        with warnings.catch_warnings():
            # Python 3.12 and later warn of forking while a thread runs. The thread here is the
            # one that collects log records: it holds no lock that a worker will want.
            warnings.filterwarnings("ignore", ".*multi-threaded.*fork", DeprecationWarning)
            # With `fork`, the first task starts all workers, and from this thread, whose end
            # theirs is tied to.
            pool.submit(os.getpid).result()
        yield pool
    except BaseException:
        for worker in multiprocessing.active_children():
            worker.terminate()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
        strays.end()


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
        for handler in collecting:
            handler.close()


def _prepare(taken: "Synchronized[int]", usable: tuple[int, ...], parent: int) -> None:
    """Make a worker of this process."""
    # Ctrl-C at a terminal reaches the whole foreground group; the runner alone decides.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _leave)
    strays.follow_parent(parent)
    with taken.get_lock():
        number = taken.value
        taken.value += 1
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {usable[number % len(usable)]})
    log.debug("worker %d runs as process %d", number, os.getpid())


def _leave(number: int, _frame: object) -> None:
    strays.end_all()
    # Not `sys.exit`: the pool would catch it, report it as a result and go on.
    sys.stdout.flush()
    os._exit(128 + number)
