"""A process that stands for the referee: it keeps a secret, listens, and notices who reaches it.

It runs by itself, on the standard library alone. Its secret lies in its memory, environment,
command line, in a file that it has open and one in its folder. A child of it stands for a rival.
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
from pathlib import Path

_RIVAL_S = 120


class Listeners:
    """Whatever a bot could reach in a host; those that answer, answer with the secret."""

    def __init__(self, folder, secret):
        self._secret = secret
        self.noticed = set()
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", 0))
        self.abstract = self._unix(b"\0arena-doctor-" + os.urandom(8).hex().encode())
        self.path = self._unix(os.fsencode(folder / "socket"))
        os.mkfifo(folder / "pipe")
        # Open for both, it is never at its end.
        self._fifo = os.open(folder / "pipe", os.O_RDWR | os.O_NONBLOCK)
        self._terminal, terminal = pty.openpty()
        self.terminal = os.ttyname(terminal)
        self.heard, self.rival_output = os.pipe()
        signal.signal(signal.SIGUSR1, lambda *_: self.noticed.add("signal"))

    def _unix(self, name):
        made = socket.socket(socket.AF_UNIX)
        made.bind(name)
        made.listen()
        return made

    def wait(self):
        """Wait until there is a question, serving whoever comes meanwhile."""
        while True:
            servers = [self.tcp, self.abstract, self.path]
            pipes = [self._fifo, self.heard]
            ready, _, _ = select.select([0, *servers, self.udp, *pipes], [], [])
            for server in servers:
                if server in ready:
                    with server.accept()[0] as caller:
                        caller.sendall(self._secret)
            if self.udp in ready:
                self._notice(self.udp.recv(200))
            for pipe in pipes:
                if pipe in ready:
                    self._notice(os.read(pipe, 200))
            if 0 in ready:
                return

    def _notice(self, name):
        self.noticed.add(name.decode(errors="replace").strip())


def _rival():
    """Start what stands for a rival, and return its process id."""
    child = os.fork()
    if child == 0:
        signal.alarm(_RIVAL_S)
        while True:
            time.sleep(1)
    return child


def _is_stopped(pid):
    stopped = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "Tt"
    if stopped:
        os.kill(pid, signal.SIGCONT)
    return stopped


def main():
    folder, secret = Path(sys.argv[1]), sys.argv[2].encode()
    listeners = Listeners(folder, secret)
    memory = ctypes.create_string_buffer(secret)
    kept = os.open(folder / "arena.db", os.O_RDONLY)
    # What a rival writes goes where we read; a bot that forges it writes there, too.
    os.dup2(listeners.rival_output, 9)
    rival = _rival()
    facts = {
        "pid": os.getpid(),
        "rival": rival,
        "address": ctypes.addressof(memory),
        "length": len(secret),
        "descriptor": kept,
        "output": 9,
        "folder": str(folder),
        "tcp": listeners.tcp.getsockname()[1],
        "udp": listeners.udp.getsockname()[1],
        "abstract": listeners.abstract.getsockname()[1:].decode(),
        "terminal": listeners.terminal,
    }
    print(json.dumps(facts), flush=True)
    try:
        while True:
            listeners.wait()
            if not os.read(0, 100):
                break
            if _is_stopped(rival):
                listeners.noticed.add("stop")
            print(json.dumps(sorted(listeners.noticed)), flush=True)
    finally:
        os.kill(rival, signal.SIGKILL)


if __name__ == "__main__":
    main()
