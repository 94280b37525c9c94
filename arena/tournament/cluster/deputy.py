"""The process that plays the matches of one worker of a cluster, one at a time.

A worker of Dask runs tasks in threads, of a process that is not arena's. A process of arena's own
has its main thread for signals, is pinned to a core, and ends with its bots as soon as the worker
is gone, however it went: it then hears the end of the pipe that connects them.
"""

import logging
import os
import socket
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from arena.players import strays
from arena.tournament.machine import cores
from arena.tournament.workers import ORPHANED, settle

PROGRAM = "from arena.tournament.cluster.deputy import main; main()"
"""What Python runs with two arguments: a descriptor that leads to the worker, a scratch folder."""

Order = Callable[[], Any]

log = logging.getLogger(__name__)

_claims: list[socket.socket] = []
"""What says that a core is taken, until this process ends."""


def main() -> None:
    """Do what the worker orders, one thing after the other, until it is gone."""
    descriptor, scratch = int(sys.argv[1]), Path(sys.argv[2])
    os.set_inheritable(descriptor, False)  # noqa: FBT003 - positional by its nature
    level = logging.DEBUG if os.environ.get("ARENA_DEBUG") else logging.WARNING
    logging.basicConfig(level=level)
    core = claim_core()
    settle({core}, scratch)
    strays.adopt()
    log.debug("process %d plays on core %d", os.getpid(), core)
    worker = Connection(descriptor)
    orders: SimpleQueue[Order] = SimpleQueue()
    threading.Thread(target=_listen, args=(worker, orders), daemon=True).start()
    while True:
        order = orders.get()
        try:
            answer = (True, order())
        except Exception as error:  # noqa: BLE001 - whose fault it is, the runner decides
            answer = (False, error)
        with suppress(OSError):  # the worker is gone, which the other thread sees to
            worker.send(answer)


def _listen(worker: Connection, orders: "SimpleQueue[Order]") -> None:
    """Take orders as they come; once no more can come, have this process end with its bots."""
    try:
        while True:
            orders.put(worker.recv())
    except BaseException:  # noqa: BLE001 - whatever it is, no match can be ordered any more
        os.kill(os.getpid(), ORPHANED)


def claim_core() -> int:
    """Return a core for this process and its bots: one that no other deputy on the machine has.

    Where all are taken, they are shared.
    """
    usable = cores()
    for core in usable:
        claim = socket.socket(socket.AF_UNIX)
        try:
            # An abstract name: other users see it too, and it goes with the process.
            claim.bind(f"\0arena/core/{core}")
        except OSError:
            claim.close()
            continue
        _claims.append(claim)
        return core
    return usable[os.getpid() % len(usable)]
