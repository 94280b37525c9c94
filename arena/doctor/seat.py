"""Where attacks are made: a bot's process in the tier in question, or one that nothing holds.

Both are sent orders, one line each, and answer with one line (`arena.doctor.attacker`).
"""

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from arena.doctor import attacker
from arena.doctor.decoy import Decoy
from arena.errors import BotFault, HostFault, UsageError
from arena.players.files import read_folder
from arena.players.process import BotProcess, Program
from arena.players.seccomp import MACHINES
from arena.players.syscalls import NUMBERS
from arena.players.tier import Tier
from arena.referee.limits import Limits

LIMITS = Limits(memory_mb=64, file_mb=4, tmp_mb=16)
"""What attacks are held to: little, so that those on the limits are over soon."""

_SCRIPT = "attacker.py"
_DATA_BYTES = 65536
_ANSWER_MS = 20_000
_LOOK_S = 0.01
_LOOKS = 3

Answer = dict[str, Any]

BEGINNINGS = ("attack", "open")
"""Orders that begin something."""


class Seat(Protocol):
    """A process that carries out attacks; one that an attack has ended is followed by another."""

    def order(self, **order: Any) -> Answer:  # noqa: ANN401 - JSON
        """Have an order carried out; return ``got``, or ``why`` it failed."""
        ...

    def stop(self) -> None:
        """End it with the means that its kind has for that."""
        ...


def write_bot(folder: Path) -> None:
    """Write the attacker into the new ``folder``, as its author would, with what it plays on."""
    folder.mkdir()
    _write(folder / _SCRIPT, Path(attacker.__file__).read_bytes())
    _write(folder / "data", bytes(_DATA_BYTES))
    os.mkfifo(folder / "pipe")


def take_snapshot(bot: Path, folder: Path) -> None:
    """Copy what a submission takes of ``bot`` into the new ``folder``."""
    folder.mkdir()
    try:
        files = read_folder(bot)
    except UsageError:
        # Refused for its pipe, as it should be: so it comes back without.
        (bot / "pipe").unlink()
        files = read_folder(bot)
    for file in files:
        _write(folder / file.path, file.content)


def _write(path: Path, content: bytes) -> None:
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        # A page that is not on the disk yet is not dropped from memory.
        os.fsync(file.fileno())


def _argv(folder: Path) -> tuple[str, ...]:
    return (sys.executable, "-I", "-S", str(folder / _SCRIPT))


class Held:
    """A bot's process, in a tier."""

    def __init__(self, folder: Path, tier: Tier) -> None:
        self._program = Program(_argv(folder), folder)
        self._tier = tier
        self._process = self._started()
        self._ended = ""

    def order(self, **order: Any) -> Answer:  # noqa: ANN401 - JSON
        """Have an order carried out, as `Seat` has it."""
        if self._ended and order["do"] in BEGINNINGS:
            self.stop()
            self._process = self._started()
            self._ended = ""
        if not self._ended:
            try:
                return _decoded(self._process.ask(_line(order), _ANSWER_MS))
            except BotFault as fault:
                self._ended = fault.text
        return {"why": self._ended}

    def stop(self) -> None:
        """End it as a match would."""
        self._process.stop(0)

    def _started(self) -> BotProcess:
        process = BotProcess(self._program, LIMITS, self._tier)
        with _one_core():
            process.start()
        return process


class Free:
    """A process without any limit, which inherits all that this one would hand on by mistake."""

    def __init__(self, folder: Path, decoy: Decoy) -> None:
        self._folder = folder
        self._decoy = decoy
        self._process = self._started()

    def order(self, **order: Any) -> Answer:  # noqa: ANN401 - JSON
        """Have an order carried out, as `Seat` has it."""
        if self._process.poll() is not None and order["do"] in BEGINNINGS:
            self.stop()
            self._process = self._started()
        to, answers = self._process.stdin, self._process.stdout
        if to is None or answers is None:
            raise HostFault("an attacker has no pipes")
        with contextlib.suppress(BrokenPipeError):
            to.write(_line(order))
            to.flush()
        if not select.select([answers], [], [], _ANSWER_MS / 1000)[0]:
            self._process.kill()
        line = answers.readline()
        return _decoded(line) if line else {"why": "has ended"}

    def stop(self) -> None:
        """End its process group, as a runner without a sandbox would."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        # What outlives it may still hold the other ends.
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()

    def _started(self) -> "subprocess.Popen[bytes]":
        # A file of both seats: one of the ways in which runners have kept standard error.
        with (self._decoy.root / "log").open("ab+") as log, _one_core():
            return subprocess.Popen(
                _argv(self._folder),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                cwd=self._folder,
                env=os.environ | {"HOME": str(self._decoy.user)},
                close_fds=False,
                process_group=0,
            )


@contextlib.contextmanager
def _one_core() -> Iterator[None]:
    """Give what is started inside one core, as a worker does."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def survivors(mark: str, patience_s: float) -> set[str]:
    """Return what follows ``mark`` in the command lines of running processes, and kill them.

    A process that was sent SIGKILL may take a moment to go: ``patience_s`` at the most. One that
    changes its number may be missed once.
    """
    deadline = time.monotonic() + patience_s
    looks: deque[dict[int, str]] = deque(maxlen=_LOOKS)
    while len(looks) < _LOOKS or any(looks):
        looks.append(_marked(mark))
        if time.monotonic() > deadline and len(looks) == _LOOKS:
            break
        time.sleep(_LOOK_S)
    for pid in looks[-1]:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)
    return {name for look in looks for name in look.values()}


def _marked(mark: str) -> dict[int, str]:
    found: dict[int, str] = {}
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            _, there, name = file.read_text(errors="replace").partition(mark)
            if there:
                found[int(file.parent.name)] = name.strip("\0")
    return found


@cache
def _numbers() -> dict[str, int]:
    column = MACHINES[os.uname().machine].column
    found = {name: numbers[column] for name, numbers in NUMBERS.items()}
    return {name: number for name, number in found.items() if number is not None}


def _line(order: Answer) -> bytes:
    return json.dumps(order | {"numbers": _numbers()}).encode() + b"\n"


def _decoded(line: bytes) -> Answer:
    try:
        answer = json.loads(line)
    except ValueError:
        answer = None
    return answer if isinstance(answer, dict) else {"why": "answered what is no JSON object"}
