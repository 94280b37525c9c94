"""A bot's process: started with three pipes and little else, and ended for certain."""

import contextlib
import errno
import os
import resource
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from arena.errors import BotFault, FaultCode, HostFault
from arena.players import strays
from arena.players.channel import LineChannel
from arena.referee.limits import Limits

TERM_GRACE_S = 0.25
"""How long a bot has between SIGTERM and SIGKILL."""

_KILL_S = 5.0
"""A killed process that is not gone by then hangs in the kernel."""

_LAST_WORDS_S = 0.25
"""How long an exit may follow the end of a bot's output, so that its status can be told."""

_HOST_ERRORS = frozenset({errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.ENOSPC})
_MIB = 1024 * 1024
_NEAR = 0.9
_REFUSED = (
    b"MemoryError",
    b"bad_alloc",
    b"heap out of memory",
    b"Cannot allocate memory",
    b"Out of memory",
)
"""What runtimes say when they are refused memory."""


@dataclass(frozen=True, slots=True)
class Program:
    """How to start a bot."""

    argv: tuple[str, ...]
    """Absolute program, then its arguments; never a shell."""

    folder: Path
    """Its snapshot, and the working directory."""


class BotProcess:
    """The process that holds one seat of one match; an `arena.referee.player.Player`.

    A program that cannot even be started is kept as a fault, which the first question raises:
    so one broken bot is no different from one that exits at once.
    """

    def __init__(self, program: Program, limits: Limits) -> None:
        """Start ``program``.

        Raises:
            HostFault: the machine has no room for one more process.
        """
        self._limits = limits
        self._failed = ""
        self._pid = 0
        self._status: int | None = None
        self._cpu_s = 0.0
        self._peak_mb = 0.0
        strays.adopt()
        self._scratch = tempfile.mkdtemp(prefix="arena-bot-")
        try:
            self._start(program)
        except OSError as error:
            if error.errno in _HOST_ERRORS:
                self.stop(0)
                raise HostFault(f"a bot could not be started: {error.strerror}") from error
            # `strerror` alone: the file's name is a path of the operator's machine.
            self._failed = f"could not be started: {error.strerror}"

    def _start(self, program: Program) -> None:
        self._process = subprocess.Popen(
            program.argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd=program.folder,
            env=environment(self._scratch, self._limits),
            start_new_session=True,
        )
        self._pid = self._process.pid
        strays.live[self._pid] = self._scratch
        self._gone = os.pidfd_open(self._pid)
        limit(self._pid, self._limits)
        pipes = (self._process.stdin, self._process.stdout, self._process.stderr)
        to_bot, from_bot, log = (os.dup(pipe.fileno()) for pipe in pipes if pipe)
        for pipe in pipes:
            if pipe:
                pipe.close()
        self._channel = LineChannel(to_bot, from_bot, log, self._gone)

    def ask(self, line: bytes, budget_ms: int) -> bytes:
        """Send ``line`` and return the answer, as `Player.ask` has it."""
        if not self._running:
            raise BotFault(FaultCode.START_FAILED, self._failed)
        try:
            return self._channel.ask(line, budget_ms)
        except BotFault as fault:
            if fault.code is not FaultCode.EXITED:
                raise
            raise self._exited(fault) from None

    def tell(self, line: bytes) -> None:
        """Send ``line``, to which there is no answer."""
        if self._running:
            self._channel.tell(line)

    def unasked(self) -> bytes:
        """Return what the bot has written without being asked."""
        return self._channel.unasked() if self._running else b""

    def stop(self, grace_ms: int) -> None:
        """End the process and all of its group; after this nothing of it runs.

        It may exit by itself within ``grace_ms``, then within `TERM_GRACE_S` of SIGTERM.
        """
        try:
            if self._running:
                self._end(grace_ms)
        finally:
            shutil.rmtree(self._scratch, ignore_errors=True)

    @property
    def cpu_ms(self) -> float:
        """Processor time of the bot and of its children that it waited for; known once stopped."""
        return round(self._cpu_s * 1000, 1)

    @property
    def stderr(self) -> bytes:
        """What it wrote to standard error, capped."""
        return self._channel.stderr.text() if self._pid else self._failed.encode()

    @property
    def _running(self) -> bool:
        return self._pid > 0 and self._status is None

    def _end(self, grace_ms: int) -> None:
        self._channel.end_input()
        now = time.monotonic
        if not self._channel.drain(now() + grace_ms / 1000):
            _signal_group(self._pid, signal.SIGTERM)
            self._channel.drain(now() + TERM_GRACE_S)
        # The group outlives its leader until that is reaped: this reaches the children left.
        _signal_group(self._pid, signal.SIGKILL)
        self._channel.drain(now() + _KILL_S)
        _, self._status, usage = os.wait4(self._pid, 0)
        self._cpu_s = usage.ru_utime + usage.ru_stime
        self._peak_mb = usage.ru_maxrss / 1024
        # Popen would otherwise warn of a child that it believes to be running.
        self._process.returncode = os.waitstatus_to_exitcode(self._status)
        self._channel.close()
        os.close(self._gone)
        strays.live.pop(self._pid, None)
        strays.end()

    def _exited(self, fault: BotFault) -> BotFault:
        """Return ``fault`` with how the process ended, as far as that can be told."""
        if not self._channel.drain(time.monotonic() + _LAST_WORDS_S):
            return fault
        self._end(grace_ms=0)
        status = self._process.returncode
        if status == 0:
            return BotFault(FaultCode.EXITED, "exited with status 0", fault.offending)
        text = f"exited with status {status}" if status > 0 else f"was ended by {_name(-status)}"
        if not self._ran_out_of_memory():
            return BotFault(FaultCode.EXITED, text, fault.offending)
        text = f"ran out of memory ({self._limits.memory_mb} MiB) and {text}"
        return BotFault(FaultCode.OUT_OF_MEMORY, text, fault.offending)

    def _ran_out_of_memory(self) -> bool:
        # Held to a limit, a process is refused memory rather than killed, and dies in its own way.
        words = self._channel.stderr.text()
        near = self._peak_mb >= _NEAR * self._limits.memory_mb
        return near or any(phrase in words for phrase in _REFUSED)


def environment(scratch: str, limits: Limits) -> dict[str, str]:
    """Return the whole environment of a bot: nothing of the operator's, nothing of the match."""
    return {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": scratch,
        "TMPDIR": scratch,
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": "1",
        "ARENA_MEMORY_MB": str(limits.memory_mb),
    }


def limit(pid: int, limits: Limits) -> None:
    """Hold the process ``pid``, and all that it starts from now on, to ``limits``."""
    for kind, amount in (
        # Not RLIMIT_AS: runtimes that reserve address space (Node, Java) would not start.
        (resource.RLIMIT_DATA, limits.memory_mb * _MIB),
        (resource.RLIMIT_FSIZE, limits.file_mb * _MIB),
        (resource.RLIMIT_NOFILE, limits.open_files),
        (resource.RLIMIT_CORE, 0),
    ):
        with contextlib.suppress(ProcessLookupError):
            _, most = resource.prlimit(pid, kind)
            held = amount if most == resource.RLIM_INFINITY else min(amount, most)
            resource.prlimit(pid, kind, (held, held))


def stop_all(players: Sequence[BotProcess], grace_ms: int = 1000) -> None:
    """Stop ``players``, who have been told to quit; the grace is theirs together."""
    deadline = time.monotonic() + grace_ms / 1000
    for player in players:
        player.stop(max(0, int((deadline - time.monotonic()) * 1000)))


def _signal_group(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
