"""Ends what is left of bots when arena itself is killed.

A process of arena that starts bots has one guard, which is told of each bot and of its end, and
wakes up when the pipe that it hears that by is closed: because its process is gone, however it
went. It then kills what belongs to the bots that had not ended. A sandbox ends by itself when arena
does, but for one that was just being entered. Without a sandbox the processes of a bot are known by
their parents, their session, or the home in their environment, which is a folder of each bot's own.
A bot that means to can change all that, and can kill the guard: nothing but a sandbox is proof
against that.

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

_LOOK_S = 0.01

_pipes: dict[int, int] = {}
"""What is written to the guard of a process, by its process id: a fork has none yet."""


def watch(pid: int, home: str) -> None:
    """Have a bot ended with this process.

    Args:
        pid: of the bot, which leads a session, or of the sandbox around it.
        home: the folder that it may write in; empty in a sandbox.
    """
    own = os.getpid()
    if own not in _pipes:
        _pipes.clear()
        _pipes[own] = _start()
    _tell(f"+{pid} {home}\n")


def forget(pid: int) -> None:
    """Leave alone what had the number ``pid``: the bot has ended."""
    if os.getpid() in _pipes:
        _tell(f"-{pid}\n")


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
    homes: dict[int, str] = {}
    for line in sys.stdin:
        bot, _, home = line[1:].rstrip("\n").partition(" ")
        if line.startswith("+"):
            homes[int(bot)] = home
        else:
            homes.pop(int(bot), None)
    until = time.monotonic() + _PATIENCE_S
    while homes and (left := list(_left(homes))) and time.monotonic() < until:
        for pid in left:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(_LOOK_S)
    for home in filter(None, homes.values()):
        shutil.rmtree(home, ignore_errors=True)


def _left(homes: Mapping[int, str]) -> Iterable[int]:
    """Yield what is left of the bots that have the process ids and the ``homes``."""
    marks = {f"HOME={home}".encode() for home in homes.values() if home}
    found = set(homes)
    for folder in sorted(Path("/proc").glob("[0-9]*"), key=lambda folder: int(folder.name)):
        pid = int(folder.name)
        with contextlib.suppress(OSError):
            # The command's name, in parentheses, may hold anything.
            state, parent, _, session = (
                (folder / "stat").read_bytes().rpartition(b") ")[2].split()[:4]
            )
            mine = int(parent) in found or int(session) in found or pid in found
            if state != b"Z" and (
                mine or not marks.isdisjoint((folder / "environ").read_bytes().split(b"\0"))
            ):
                found.add(pid)
                yield pid


if __name__ == "__main__":
    _main()
