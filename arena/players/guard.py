"""Ends what is left of bots when arena itself is killed.

A process of arena that starts bots has one guard, which is told of each bot and of its end, and
wakes up when the pipe that it hears that by is closed: because its process is gone, however it
went. It then kills what belongs to the bots that had not ended: it is known by its parent, by its
session, or by a mark in its environment. A sandbox ends by itself when arena does, but for one that
was just being entered. A bot without a sandbox can leave its parent and its session, change its
environment, and kill the guard, if it means to: nothing but a sandbox is proof against that.

This file is also the guard's program, so it imports nothing of arena.
"""

import contextlib
import os
import shutil
import signal
import sys
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

_PATIENCE_S = 2.0
"""For so long the guard looks for what is left, as long as there is something."""

_STARTING_S = 0.5
"""For so long at least, where a bot was being started: until its program runs it has no mark."""

_LOOK_S = 0.01

_pipes: dict[int, int] = {}
"""What is written to the guard of a process, by its process id: a fork has none yet."""


def watch(mark: str, pid: int = 0) -> None:
    """Have a bot ended with this process.

    Args:
        mark: an entry of its environment, ``NAME=value``, that nobody else has. What `HOME` names
            is removed as well.
        pid: of the bot, which leads a session, or of the sandbox around it; 0 before it is started.
    """
    own = os.getpid()
    if own not in _pipes:
        _pipes.clear()
        _pipes[own] = _start()
    _tell(f"{pid} {mark}\n")


def forget(mark: str) -> None:
    """Leave alone the bot that has the ``mark``: it has ended."""
    if os.getpid() in _pipes:
        _tell(f"- {mark}\n")


def _tell(line: str) -> None:
    # A guard that is gone, or that has been stopped, is no reason not to play.
    with contextlib.suppress(OSError):
        os.write(_pipes[os.getpid()], line.encode())


def _start() -> int:
    """Start a guard, and return the descriptor that tells it."""
    hears, tells = os.pipe2(os.O_CLOEXEC)
    os.set_blocking(tells, False)
    nothing = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    try:
        os.posix_spawn(
            sys.executable,
            [sys.executable, "-I", "-S", __file__],
            {},
            file_actions=[
                (os.POSIX_SPAWN_DUP2, hears, 0),
                (os.POSIX_SPAWN_DUP2, nothing, 1),
                (os.POSIX_SPAWN_DUP2, nothing, 2),
            ],
            # Ctrl-C is for its process. It stays in the session, by which strays are told.
            setpgroup=0,
        )
    finally:
        os.close(hears)
        os.close(nothing)
    return tells


def _main() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    bots: dict[str, int] = {}
    for line in sys.stdin:
        pid, _, mark = line.rstrip("\n").partition(" ")
        if pid == "-":
            bots.pop(mark, None)
        elif pid.isdecimal():
            bots[mark] = int(pid)
    began = time.monotonic()
    least_s = _STARTING_S if 0 in bots.values() else 0.0
    while bots and (passed_s := time.monotonic() - began) < _PATIENCE_S:
        left = list(_left(bots))
        if not left and passed_s >= least_s:
            break
        for process in left:
            with contextlib.suppress(OSError):
                os.kill(process, signal.SIGKILL)
        time.sleep(_LOOK_S)
    for name, _, value in (mark.partition("=") for mark in bots):
        # Nothing but what we made ourselves is removed.
        if name == "HOME" and Path(value).name.startswith("arena-bot-"):
            shutil.rmtree(value, ignore_errors=True)


def _left(bots: Mapping[str, int]) -> Iterable[int]:
    """Yield what is left of ``bots``, which are process ids by mark."""
    # A mark without a value could be in any environment, and so could make any process a bot's.
    marks = {mark.encode() for mark in bots if mark.partition("=")[2]}
    found = {pid for pid in bots.values() if pid > 1}
    own = os.getsid(0)
    for folder in sorted(Path("/proc").glob("[0-9]*"), key=lambda folder: int(folder.name)):
        pid = int(folder.name)
        with contextlib.suppress(OSError):
            # The command's name, in parentheses, may hold anything.
            state, parent, _, session = (
                (folder / "stat").read_bytes().rpartition(b") ")[2].split()[:4]
            )
            if state == b"Z" or int(session) == own:
                continue
            mine = int(parent) in found or int(session) in found
            if mine or not marks.isdisjoint((folder / "environ").read_bytes().split(b"\0")):
                found.add(pid)
                yield pid


if __name__ == "__main__":
    _main()
