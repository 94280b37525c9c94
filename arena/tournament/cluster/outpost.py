"""What a worker of Dask does for arena: it keeps a deputy, and hands it what comes.

The functions of this module are those that a runner sends to workers, by their names.
"""

import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from multiprocessing import Pipe
from pathlib import Path
from typing import Any, NoReturn

from arena.errors import HostFault
from arena.tournament.cluster import errands
from arena.tournament.cluster.deputy import PROGRAM, Order
from arena.tournament.cluster.errands import Errand, Lacking
from arena.tournament.workers import how_it_ended

_LOOK_S = 0.2
"""How soon it is seen that nobody waits for a match any more."""

_LEAVE_S = 5.0
"""How long a deputy may take to end with its bots, before it is killed."""

NAME = secrets.token_hex(8)
"""Tells this process from one that has its address after it."""

_ENDING = frozenset({"closing", "closed", "failed"})


class Replaced(Exception):
    """An errand was for a worker that had this one's address before it."""


class Deputy:
    """A process of arena's own beside this one, see `arena.tournament.cluster.deputy`."""

    def __init__(self) -> None:
        self._scratch = Path(tempfile.mkdtemp(prefix="arena-worker-"))
        ours, theirs = Pipe()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", PROGRAM, str(theirs.fileno()), str(self._scratch)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
                # It finds the same modules, also where a worker was told of more folders.
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
        self._connection = ours

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def do(self, order: Order, wanted: Callable[[], bool] = lambda: True) -> Any:  # noqa: ANN401
        """Have ``order`` carried out, and return or raise what comes of it.

        Args:
            order: what is to be called, in the deputy's main thread.
            wanted: whether somebody still waits for it; if not, the deputy ends at once.

        Raises:
            HostFault: the deputy died, or was ended. Another one is needed then.
        """
        try:
            self._connection.send(order)
            while not self._connection.poll(_LOOK_S):
                if not wanted():
                    self._give_up()
            done, answer = self._connection.recv()
        except (EOFError, OSError):
            raise HostFault(f"its worker {how_it_ended(self._status())}") from None
        if done:
            return answer
        raise answer

    @property
    def ended(self) -> bool:
        """Whether it is gone."""
        return self._process.poll() is not None

    def end(self) -> None:
        """End it at once, with its bots."""
        self._process.terminate()
        self._status()

    def _give_up(self) -> NoReturn:
        self.end()
        raise HostFault("nobody waits for it any more")

    def _status(self) -> int:
        """Return how it ended, which it does soon."""
        try:
            return self._process.wait(_LEAVE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()
        finally:
            self._connection.close()
            shutil.rmtree(self._scratch, ignore_errors=True)


_deputies: dict[str, Deputy] = {}
"""By the address of its worker: a process may hold several workers, of one thread each."""

_deputies_changing = threading.Lock()


def equipment(tier: str) -> dict[str, Any]:
    """Return what this worker plays with, see `arena.tournament.cluster.errands.equipment`."""
    return {**_order(partial(errands.equipment, tier)), "name": NAME}


def perform(errand: Errand) -> list[bytes] | Lacking:
    """Play a match, see `arena.tournament.cluster.errands.perform`.

    Raises:
        HostFault: the match is void.
        Unfit: this worker lacks what a bot needs to run.
        Replaced: it was meant for another worker.
    """
    if errand.worker != NAME:
        raise Replaced
    answer: list[bytes] | Lacking = _order(partial(errands.perform, errand, errands.cache_folder()))
    return answer


def _order(order: Order) -> Any:  # noqa: ANN401 - whatever the order returns
    from distributed import get_worker  # noqa: PLC0415 - only a worker has need of it

    worker = get_worker()
    key = worker.get_current_task()

    def wanted() -> bool:
        task = worker.state.tasks.get(key)
        forgotten = task is None or task.state == "cancelled"
        return not forgotten and worker.status.name not in _ENDING

    with _deputies_changing:
        deputy = _deputies.get(worker.address)
        if deputy is None or deputy.ended:
            if deputy:
                with suppress(HostFault):
                    deputy.end()
            deputy = _deputies[worker.address] = Deputy()
    return deputy.do(order, wanted)
