"""A process that stands for the referee: it keeps a secret, listens, and notices who reaches it.

It runs by itself, on the standard library alone: ``decoy_process.py FOLDER SECRET``. The secret
is in its memory, environment, command line, and in a file that it has open. A child of it stands
for a rival. It says its facts as one JSON line, and then, for each line it is sent, the names of
the attacks by which it was reached so far.
"""

import ctypes
import json
import os
import pty
import select
import signal
import socket
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

_RIVAL_S = 120
_NAME_BYTES = 200
_OUTPUT = 9
"""The descriptor by which the rival writes, to us."""


class Listeners:
    """Whatever a bot could reach in a host; those that answer, answer with the secret."""

    def __init__(self, folder: Path, secret: bytes) -> None:
        self.noticed: set[str] = set()
        self._secret = secret
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", 0))
        self.abstract = _unix(b"\0arena-doctor-" + os.urandom(8).hex().encode())
        self._path = _unix(os.fsencode(folder / "socket"))
        os.mkfifo(folder / "pipe")
        # Opened in both directions, it never comes to its end.
        self._pipe = os.open(folder / "pipe", os.O_RDWR | os.O_NONBLOCK)
        self._terminal, terminal = pty.openpty()
        self.terminal = os.ttyname(terminal)
        self._heard, output = os.pipe()
        os.dup2(output, _OUTPUT)
        signal.signal(signal.SIGUSR1, lambda *_: self.noticed.add("signal"))

    def wait(self) -> None:
        """Wait until there is a question, serving whoever comes meanwhile."""
        servers = (self.tcp, self.abstract, self._path)
        pipes = (self._pipe, self._heard)
        while True:
            watched: list[Any] = [0, *servers, self.udp, *pipes]
            ready, _, _ = select.select(watched, [], [])
            for server in servers:
                if server in ready:
                    # Whoever called may be gone again.
                    with suppress(OSError), server.accept()[0] as caller:
                        caller.sendall(self._secret)
            if self.udp in ready:
                self._notice(self.udp.recv(_NAME_BYTES))
            for pipe in pipes:
                if pipe in ready:
                    self._notice(os.read(pipe, _NAME_BYTES))
            if 0 in ready:
                return

    def _notice(self, name: bytes) -> None:
        self.noticed.add(name.decode(errors="replace").strip())


def _unix(name: bytes) -> socket.socket:
    made = socket.socket(socket.AF_UNIX)
    made.bind(name)
    made.listen()
    return made


def _rival() -> int:
    """Start what stands for a rival, and return its process id."""
    child = os.fork()
    if child == 0:
        signal.alarm(_RIVAL_S)
        while True:
            time.sleep(1)
    return child


def _was_stopped(pid: int) -> bool:
    """Return whether the process ``pid`` is stopped, and let it go on."""
    stopped = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "Tt"
    if stopped:
        os.kill(pid, signal.SIGCONT)
    return stopped


def _say(message: object) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Keep the secret until standard input ends."""
    # Whoever started us ends us; the rival has it from us.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    folder, secret = Path(sys.argv[1]), sys.argv[2].encode()
    listeners = Listeners(folder, secret)
    memory = ctypes.create_string_buffer(secret)
    kept = os.open(folder / "arena.db", os.O_RDONLY)
    rival = _rival()
    facts = {
        "pid": os.getpid(),
        "rival": rival,
        "address": ctypes.addressof(memory),
        "length": len(secret),
        "descriptor": kept,
        "output": _OUTPUT,
        "folder": str(folder),
        "tcp": listeners.tcp.getsockname()[1],
        "udp": listeners.udp.getsockname()[1],
        "abstract": listeners.abstract.getsockname()[1:].decode(),
        "terminal": listeners.terminal,
    }
    try:
        _say(facts)
        while True:
            listeners.wait()
            if not os.read(0, _NAME_BYTES):
                break
            if _was_stopped(rival):
                listeners.noticed.add("stop")
            _say(sorted(listeners.noticed))
    finally:
        os.kill(rival, signal.SIGKILL)


if __name__ == "__main__":
    # Whoever was interrupted while it started us has taken the folder and the pipes with it.
    with suppress(FileNotFoundError, BrokenPipeError):
        main()
