"""A bot that shares what it knows with its partner, by the channel that a file beside it names.

The first seat sends a number that depends on its hand, and the second one acts by it if it
arrives; otherwise, and without a channel, all it does is take the first legal action. Both say
on standard error what they sent and received. It is copied into a bundle of its own and needs
nothing but the standard library.
"""

import contextlib
import fcntl
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
NAME = f"collude-{os.getppid()}"
"""Known to both seats where they have one parent."""

PAYLOAD_BITS = 8
MAGIC, MAGIC_BITS = 0x5A3C96, 24
"""What tells a number that was sent from noise."""

SHORT_MAGIC, SHORT_BITS = 0xA, 4
"""Likewise, where more bits do not get through, and noise is none."""

TMP, SHM = Path("/tmp"), Path("/dev/shm")  # noqa: S108 - as insecure as can be


class Channel:
    """No channel at all."""

    magic, magic_bits = MAGIC, MAGIC_BITS
    tries = 1
    """At how many questions the second seat looks whether something has arrived."""

    def prepare(self, seat: int) -> None:
        """Get ready to receive, as ``seat``."""

    def send(self, number: int) -> None:
        """Send ``number``, magic included; called at the first question."""

    def asked(self, phase: str) -> None:
        """A question has come."""

    def answers(self, phase: str) -> None:
        """It is about to be answered."""

    def answered(self) -> None:
        """It was answered."""

    def receive(self) -> int | None:
        """Return what has arrived, if anything has."""
        return None

    @property
    def bits(self) -> int:
        """How long a number is."""
        return self.magic_bits + PAYLOAD_BITS


class Tcp(Channel):
    """A connection to this machine itself."""

    address = ("127.0.0.1", 20_000 + os.getppid() % 20_000)

    def prepare(self, seat: int) -> None:
        """Listen."""
        if seat:
            self._listening = socket.create_server(self.address)
            self._listening.setblocking(False)

    def send(self, number: int) -> None:
        """Connect and send."""
        with socket.create_connection(self.address, 1) as connection:
            connection.sendall(str(number).encode())

    def receive(self) -> int | None:
        """Accept and read."""
        connection, _ = self._listening.accept()
        with connection:
            return int(connection.recv(64))


class Abstract(Channel):
    """A socket with a name that no file system knows."""

    def prepare(self, seat: int) -> None:
        """Take the name."""
        if seat:
            self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            self._socket.bind(f"\0{NAME}")
            self._socket.setblocking(False)

    def send(self, number: int) -> None:
        """Send to the name."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as out:
            out.sendto(str(number).encode(), f"\0{NAME}")

    def receive(self) -> int | None:
        """Read what came."""
        return int(self._socket.recv(64))


class Shared(Channel):
    """A file where everybody may write."""

    path = TMP / NAME

    def send(self, number: int) -> None:
        """Write it."""
        self.path.write_text(str(number))

    def receive(self) -> int | None:
        """Read it."""
        return int(self.path.read_text())


class Notes(Shared):
    """The same, but it tells the next match instead of this one."""

    path = TMP / f"{NAME}-notes"

    def prepare(self, seat: int) -> None:
        """Read what the match before left."""
        with contextlib.suppress(OSError):
            self._found = super().receive()

    def receive(self) -> int | None:
        """Return it."""
        return self._found


class Signals(Channel):
    """Signals to the partner's process, one for each bit."""

    magic, magic_bits = SHORT_MAGIC, SHORT_BITS

    def prepare(self, seat: int) -> None:
        """Listen to all of them."""
        self._got = 0
        for bit in range(self.bits):
            signal.signal(signal.SIGRTMIN + bit, self._hear)

    def _hear(self, number: int, _frame: object) -> None:
        self._got |= 1 << (number - signal.SIGRTMIN)

    def send(self, number: int) -> None:
        """Send those of the bits that are set."""
        own = Path("/proc/self/cmdline").read_bytes()
        for path in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                mine = int(path.name) == os.getpid()
                if not mine and (path / "cmdline").read_bytes() == own:
                    for bit in range(self.bits):
                        if number >> bit & 1:
                            os.kill(int(path.name), signal.SIGRTMIN + bit)

    def receive(self) -> int | None:
        """Return what was heard."""
        return self._got


class Locks(Channel):
    """Locks on files of the bundle, one for each bit."""

    def prepare(self, seat: int) -> None:
        """Open the files."""
        self._files = [os.open(HERE / f"bit-{bit}", os.O_RDONLY) for bit in range(self.bits)]

    def send(self, number: int) -> None:
        """Lock those of the bits that are set."""
        for bit, file in enumerate(self._files):
            if number >> bit & 1:
                fcntl.flock(file, fcntl.LOCK_EX)

    def receive(self) -> int | None:
        """Return which are locked."""
        number = 0
        for bit, file in enumerate(self._files):
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                number |= 1 << bit
        return number


class Times(Channel):
    """The time at which a file of the bundle was last read."""

    def send(self, number: int) -> None:
        """Set it."""
        os.utime(HERE / "bit-0", (number, 0))

    def receive(self) -> int | None:
        """Read it."""
        return int((HERE / "bit-0").stat().st_atime)


class Room(Channel):
    """How much room is left in shared memory."""

    magic, magic_bits = SHORT_MAGIC, SHORT_BITS

    def prepare(self, seat: int) -> None:
        """See how much there is before the match."""
        self._before = os.statvfs(SHM).f_bfree

    def send(self, number: int) -> None:
        """Take as many pages of it."""
        path = SHM / NAME
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL)
        path.unlink()
        os.posix_fallocate(self._file, 0, number * os.sysconf("SC_PAGE_SIZE"))

    def receive(self) -> int | None:
        """Return how many pages are gone."""
        return self._before - os.statvfs(SHM).f_bfree


class Cookies(Channel):
    """The kernel's counter of sockets that were asked for their number."""

    magic, magic_bits = SHORT_MAGIC, SHORT_BITS
    _SO_COOKIE = 57
    _BATCH = 4096
    """A core takes so many numbers at a time."""

    def prepare(self, seat: int) -> None:
        """See where the counter stands."""
        if seat:
            self._before = self._count()

    def _count(self) -> int:
        with socket.socket(socket.AF_UNIX) as counted:
            return int.from_bytes(
                counted.getsockopt(socket.SOL_SOCKET, self._SO_COOKIE, 8), sys.byteorder
            )

    def send(self, number: int) -> None:
        """Count on as far."""
        for _ in range(number):
            self._count()

    def receive(self) -> int | None:
        """Return how far it was counted on, by others than the two seats' own looks."""
        return (self._count() - self._before - 1) % self._BATCH


class Load(Channel):
    """Keeping the processor busy while the partner thinks, or not."""

    magic, magic_bits = MAGIC & 0xFFF, 12
    _HALF_S = 0.006
    _FRAME_S = 0.3
    _FRAMES = 5

    def prepare(self, seat: int) -> None:
        """Have nothing to send so far."""
        self._number: int | None = None

    def send(self, number: int) -> None:
        """Leave it for later."""
        self._number = number

    def answered(self) -> None:
        """Work in one half of the time that each bit has, for as long as the partner may listen."""
        if self._number is None or os.fork():
            self._number = None
            return
        for _ in range(2 * self._FRAMES):
            start = self._next_frame()
            for bit in range(self.bits):
                busy_first = self._number >> bit & 1
                begin = start + (2 * bit + (not busy_first)) * self._HALF_S
                time.sleep(max(0, begin - time.monotonic()))
                self._work(begin + self._HALF_S)
        os._exit(0)

    def receive(self) -> int | None:
        """Work oneself, and see how much of the processor is left for that in each half.

        Others work, too, so what was seen twice in a row is believed.
        """
        before = None
        for _ in range(self._FRAMES):
            number = self._frame()
            if number == before:
                return number
            before = number
        return None

    def _frame(self) -> int:
        start = self._next_frame()
        time.sleep(max(0, start - time.monotonic()))
        number = 0
        for bit in range(self.bits):
            shares = [
                self._work(start + (2 * bit + half) * self._HALF_S) / self._HALF_S
                for half in (1, 2)
            ]
            number |= (shares[0] < shares[1]) << bit
        return number

    def _next_frame(self) -> float:
        return (time.monotonic() // self._FRAME_S + 1) * self._FRAME_S

    @staticmethod
    def _work(until: float) -> float:
        """Work, and return how much processor time that got."""
        before = time.process_time()
        while time.monotonic() < until:
            pass
        return time.process_time() - before


class Stderr(Channel):
    """Standard error, as a mailbox."""

    def send(self, number: int) -> None:
        """Write it there."""
        os.write(2, b"mail %d\n" % number)

    def receive(self) -> int | None:
        """Read it there."""
        try:
            found = os.pread(2, 1 << 20, 0)
        except OSError:
            file = os.open("/proc/self/fd/2", os.O_RDONLY | os.O_NONBLOCK)
            found = os.read(file, 1 << 20)
        mail = [line for line in found.split(b"\n") if line.startswith(b"mail ")]
        return int(mail[-1].split()[1])


class Thinking(Channel):
    """How long the partner takes: four bits a turn."""

    magic, magic_bits = 0xA5, 8
    tries = 100
    _STEP_S = 0.006
    _BASE_S = 0.002

    def prepare(self, seat: int) -> None:
        """Wait for the first question."""
        self._left: list[int] = []
        self._got: list[int] = []
        self._since = 0.0

    def send(self, number: int) -> None:
        """Divide it among the turns to come, but for the one before the partner's first."""
        self._left = [0, *(number >> shift & 15 for shift in (12, 8, 4, 0))]

    def answers(self, phase: str) -> None:
        """Take the time that says four bits; then the partner's time begins."""
        if self._left and phase == "act":
            time.sleep(self._BASE_S + (1 + self._left.pop(0)) * self._STEP_S)
        self._since = time.monotonic()

    def asked(self, phase: str) -> None:
        """Take the time since for four bits."""
        if self._since and phase == "act":
            steps = int((time.monotonic() - self._since - self._BASE_S) / self._STEP_S)
            # None is a partner who had to pass.
            self._got += [min(steps, 16) - 1] if steps > 0 else []

    def receive(self) -> int | None:
        """Return what four turns said."""
        if len(self._got) < 4:
            return None
        first, second, third, fourth = self._got[:4]
        return first << 12 | second << 8 | third << 4 | fourth


CHANNELS: dict[str, Callable[[], Channel]] = {
    "none": Channel,
    "tcp": Tcp,
    "abstract": Abstract,
    "file": Shared,
    "notes": Notes,
    "signals": Signals,
    "locks": Locks,
    "times": Times,
    "room": Room,
    "cookies": Cookies,
    "load": Load,
    "stderr": Stderr,
    "thinking": Thinking,
}


def main() -> None:
    """Play a match."""
    channel = CHANNELS[(HERE / "channel").read_text()]()
    seat: Seat | None = None
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if message["type"] == "hello":
            say({"type": "ready", "protocol": 1})
        elif message["type"] == "start":
            seat = Seat(channel, message["seat"])
        elif message["type"] == "act" and seat:
            seat.act(message)
        elif message["type"] == "quit":
            break


class Seat:
    """One seat of a match."""

    def __init__(self, channel: Channel, number: int) -> None:
        self._channel = channel
        self._sends = number == 0
        self._heard: int | None = None
        self._turn = 0
        with contextlib.suppress(OSError):
            channel.prepare(number)

    def act(self, message: dict[str, Any]) -> None:
        """Answer ``message``; send or receive first."""
        phase = message["observation"]["phase"]
        # Whatever stands in the way of a channel, the match goes on.
        with contextlib.suppress(OSError, ValueError, AttributeError, IndexError):
            self._channel.asked(phase)
            if self._sends and self._turn == 0:
                self._send(message["observation"]["hand"])
            elif not self._sends and self._heard is None and self._turn < self._channel.tries:
                self._receive()
        legal = message["legal_actions"]
        index = 0 if self._heard is None else (self._heard + self._turn) % len(legal)
        self._channel.answers(phase)
        say({"type": "action", "id": message["id"], "action": legal[index]})
        self._channel.answered()
        self._turn += 1

    def _send(self, hand: list[int]) -> None:
        # The partner may not be ready yet: it is told of the match last.
        time.sleep(0.03)
        payload = sum(card * (place + 1) for place, card in enumerate(hand)) % 256
        log(f"sent {payload}")
        self._channel.send(self._channel.magic << PAYLOAD_BITS | payload)

    def _receive(self) -> None:
        number = self._channel.receive()
        if number is not None and number >> PAYLOAD_BITS == self._channel.magic:
            self._heard = number % 256
            log(f"received {self._heard}")


def say(message: dict[str, Any]) -> None:
    """Write ``message`` as the next line."""
    os.write(1, json.dumps(message, separators=(",", ":")).encode() + b"\n")


def log(text: str) -> None:
    """Write ``text`` to standard error."""
    os.write(2, f"{text}\n".encode())


if __name__ == "__main__":
    main()
