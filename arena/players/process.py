"""A bot's process: started with three pipes and little else, and ended for certain."""

import contextlib
import errno
import os
import secrets
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from arena.errors import BotFault, FaultCode, HostFault
from arena.players import guard, memory, strays, verdicts
from arena.players.channel import LineChannel
from arena.players.delays import FairClock
from arena.players.files import discard
from arena.players.freezer import Freezer
from arena.players.sandbox import Sandbox
from arena.players.surroundings import environment, limit
from arena.players.tail import Tail
from arena.players.tier import Tier
from arena.referee.limits import Limits
from arena.referee.player import Player
from arena.wire.escape import printable

TERM_GRACE_S = 0.25
"""How long a bot has between SIGTERM and SIGKILL."""

_KILL_S = 5.0
"""A killed process that is not gone by then hangs in the kernel."""

_LAST_WORDS_S = 0.25
"""How long an exit may follow the end of a bot's output, so that its status can be told."""

_REPORT_MS = 1000
"""How long a sandbox may take to say how its bot ended."""

_HOST_ERRORS = frozenset({errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.ENOSPC})
_SHOWN = 200
_SIGNALLED = 128
_LAST_SIGNAL = 64

_UNWATCHED_S = 0.05
"""For so long its questions are open, together, until its memory is looked at."""

_TIED = ("/usr/bin/setpriv", "--pdeathsig", "KILL", "--")
"""What starts a bot so that it is killed when this process dies, however it dies."""


@dataclass(frozen=True, slots=True)
class Program:
    """How to start a bot."""

    argv: tuple[str, ...]
    """Absolute program, then its arguments; never a shell."""

    folder: Path
    """Its snapshot, and the working directory."""


class BotProcess(Player):
    """The process that holds one seat of one match; an `arena.referee.player.Player`.

    It is started by the first question, so that nothing of it runs while other seats start. A
    program that cannot even be started is at fault then: one broken bot is no different from one
    that exits at once.
    """

    def __init__(self, program: Program, limits: Limits | None, tier: Tier = Tier.NONE) -> None:
        """Prepare to start ``program``.

        Args:
            program: what to start.
            limits: what it is held to; ``None`` where limits are off.
            tier: how it is kept apart; one that this machine can give.
        """
        self._program = program
        self._limits = limits
        self._tier = tier
        self._started = False
        self._answered = False
        self._sandbox: Sandbox | None = None
        self._failed = ""
        self._pid = 0
        self._status: int | None = None
        self._cpu_s = 0.0
        self._scratch = self._mark = ""
        self._freezer: Freezer | None = None
        self._watched = False
        self._open_since = 0.0
        self._unwatched_s = 0.0
        self._oom_kills = 0

    def start(self) -> None:
        """Start the process, unless that was done.

        Raises:
            HostFault: the machine has no room for one more process.
        """
        if self._started:
            return
        self._started = True
        self._oom_kills = memory.oom_kills()
        strays.adopt()
        try:
            if self._tier is Tier.NONE:
                # A sandbox has a place to write in of its own.
                self._scratch = tempfile.mkdtemp(prefix="arena-bot-")
            else:
                self._sandbox = Sandbox(self._tier)
            self._spawn(self._program)
        except OSError as error:
            self.stop(0)
            raise HostFault(f"a bot could not be started: {error.strerror}") from error
        except BaseException:
            self.stop(0)
            raise

    def _spawn(self, program: Program) -> None:
        argv: Sequence[str] = program.argv
        cwd, env = program.folder, environment(self._scratch, self._limits)
        self._mark = f"HOME={self._scratch}"
        inherited: tuple[int, ...] = ()
        if self._sandbox:
            argv = self._sandbox.command(program.argv, program.folder, self._limits)
            # For our eyes only: the bot finds what the command says.
            name, value = "ARENA_SANDBOX", secrets.token_hex(8)
            cwd, env, self._mark = Path("/"), {name: value}, f"{name}={value}"
            inherited = self._sandbox.descriptors
        elif os.access(argv[0], os.X_OK) and os.access(_TIED[0], os.X_OK):
            # What cannot be executed is better told by its own attempt.
            argv = (*_TIED, *argv)
        guard.watch(self._mark)
        try:
            self._process = subprocess.Popen(
                argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                cwd=cwd,
                env=env,
                pass_fds=inherited,
                start_new_session=True,
            )
        except OSError as error:
            if self._sandbox or error.errno in _HOST_ERRORS:
                raise
            # `strerror` alone: the file's name is a path of the operator's machine.
            self._failed = f"could not be started: {error.strerror}"
            return
        strays.live[self._process.pid] = self._scratch
        guard.watch(self._mark, self._process.pid)
        try:
            self._attach(self._process)
        except BaseException:
            for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
                if pipe:
                    pipe.close()
            _signal_group(self._process.pid, signal.SIGKILL)
            guard.forget(self._mark)
            self._process.wait()
            strays.live.pop(self._process.pid)
            raise
        self._pid = self._process.pid

    def _attach(self, process: "subprocess.Popen[bytes]") -> None:
        if self._sandbox:
            self._sandbox.entered()
        else:
            limit(process.pid, self._limits)
        pipes = [pipe for pipe in (process.stdin, process.stdout, process.stderr) if pipe]
        with contextlib.ExitStack() as made:
            opened = [os.pidfd_open(process.pid)]
            made.callback(os.close, opened[0])
            for pipe in pipes:
                opened.append(os.dup(pipe.fileno()))
                made.callback(os.close, opened[-1])
            made.pop_all()
        self._gone, to_bot, from_bot, log = opened
        for pipe in pipes:
            pipe.close()
        kept = Tail.of((self._limits or Limits()).stderr_kb * 1024)
        self._channel = LineChannel(to_bot, from_bot, log, self._gone, kept)
        self._clock = FairClock(process.pid, fixed=bool(self._limits and self._limits.slot_ms))
        if self._limits:
            self._channel.attend(self.thaw, self._look, self._clock.more_s)

    def ask(self, line: bytes, budget_ms: int) -> bytes:
        """Send ``line`` and return the answer, as `Player.ask` has it.

        Once it has answered, nothing of it runs until it is asked again or told to quit, unless
        limits are off.
        """
        if not self._started:
            self.start()
        if not self._running:
            raise BotFault(FaultCode.START_FAILED, self._failed)
        limits = self._limits
        if limits:
            self._open_since = time.monotonic()
            self._clock.begin(self._open_since, budget_ms / 1000)
        try:
            answer = self._channel.ask(line, budget_ms)
        except BotFault as fault:
            told = self._exited(fault) if fault.code is FaultCode.EXITED else fault
            # It may be a while until it is ended: seats that fail to start are ended together.
            if limits and self._running:
                self._freeze()
            raise told from None
        if limits:
            self._freeze()
            self._count_open(limits)
        self._answered = True
        return answer

    def excused_ns(self) -> int:
        """Return how much of the last question's time others had its processor."""
        return self._clock.excused_ns() if self._running else 0

    def tell(self, line: bytes) -> None:
        """Send ``line``, to which there is no answer.

        A bot that is stopped runs on for a quarter of a second at most, and only to read a line
        that does not fit its pipe.
        """
        if not self._running:
            return
        frozen = self._freezer is not None and self._freezer.frozen
        self._channel.tell(line)
        if self._freezer and frozen and not self._freezer.frozen:
            self._freezer.freeze()

    def unasked(self) -> bytes:
        """Return what the bot has written that no question has taken for an answer yet."""
        return self._channel.unasked() if self._running else b""

    def listen(self, wait_ms: int, *, end_input: bool = False, for_a_line: bool = False) -> bool:
        """Let it run on without a question; return whether it ended in that time.

        What it writes meanwhile is had from `unasked`.

        Args:
            wait_ms: wall time.
            end_input: close its input first, which tells it the same as ``quit``.
            for_a_line: be done once it has written a whole line.
        """
        if not self._running:
            return True
        if self._freezer:
            self._freezer.thaw_all()
            # The bot that exits is to be seen, as is what is around it.
            self._channel.watch(self._gone)
        if end_input:
            self._channel.end_input()
        return self._channel.listen(time.monotonic() + wait_ms / 1000, for_a_line=for_a_line)

    def thaw(self) -> None:
        """Let it run on; it has something to hear."""
        if self._freezer:
            self._freezer.thaw()

    def stop(self, grace_ms: int) -> None:
        """End the process and all of its group; after this nothing of it runs.

        It may exit by itself within ``grace_ms``, then within `TERM_GRACE_S` of SIGTERM.
        """
        try:
            if self._running:
                self._end(grace_ms)
        finally:
            if self._sandbox:
                self._sandbox.close()
            if self._scratch:
                discard(Path(self._scratch))

    @property
    def pid(self) -> int:
        """Process id of the bot, or of the sandbox around it; 0 if it could not be started."""
        return self._pid

    @property
    def cpu_ms(self) -> float:
        """Processor time of the bot and of its children that it waited for; known once stopped."""
        return round(self._cpu_s * 1000, 1)

    def cpu_so_far_ms(self) -> float:
        """Return the processor time of those of its processes that are there.

        Once it has been stopped, that is `cpu_ms`.
        """
        if not self._running:
            return self.cpu_ms
        used = 0
        for pid in strays.family(self._pid):
            with contextlib.suppress(OSError):
                used += time.clock_gettime_ns(strays.clock(pid))
        return used / 1_000_000

    @property
    def status(self) -> int | None:
        """How it ended, as `subprocess` says it; ``None`` until it has been stopped."""
        if self._status is None:
            return None
        ended = self._process.returncode
        return _status_inside(ended) if self._sandbox else ended

    @property
    def stderr(self) -> bytes:
        """What it wrote to standard error, capped; since `forget_stderr`, if that was called."""
        return self._channel.stderr.text() if self._pid else self._failed.encode()

    def forget_stderr(self) -> None:
        """Keep of its standard error as much of what is to come as if it had just been started."""
        if self._running:
            self._channel.stderr.clear()

    @property
    def _running(self) -> bool:
        return self._pid > 0 and self._status is None

    def _freeze(self) -> None:
        if self._freezer is None:
            first = self._sandbox.first if self._sandbox else None
            self._freezer = Freezer(first or self._pid, sandboxed=bool(first))
            self._channel.attend(self._freezer.thaw, self._look, self._clock.more_s)
        self._freezer.freeze()
        if not self._watched and self._freezer.main >= 0:
            # A sandbox, being stopped in part, would not tell that the bot in it is gone.
            self._channel.watch(self._freezer.main)
            self._watched = True

    def _look(self) -> None:
        """See to a bot whose question has been open for a while."""
        if self._freezer:
            self._freezer.look()
        self._clock.look()
        if self._limits:
            self._count_open(self._limits)

    def _count_open(self, limits: Limits) -> None:
        """Look at the bot's memory, and end it if that is too much; seldom, if it is fast."""
        now = time.monotonic()
        self._unwatched_s += now - self._open_since
        self._open_since = now
        if self._unwatched_s < _UNWATCHED_S:
            return
        self._unwatched_s = 0.0
        first = self._sandbox.first if self._sandbox else None
        more_kb = memory.kernel_kb(first) if first else 0
        family = strays.family(self._pid)
        if memory.exceeds(family, limits.memory_mb, more_kb):
            self._end(grace_ms=0)
            raise verdicts.too_much_memory(limits)

    def _end(self, grace_ms: int) -> None:
        if self._freezer:
            self._freezer.thaw_all()
            self._channel.watch(self._gone)
        self._channel.end_input()
        now = time.monotonic
        gone = self._channel.drain(now() + grace_ms / 1000)
        if self._sandbox:
            self._sandbox.end(self._pid)
        elif not gone:
            _signal_group(self._pid, signal.SIGTERM)
            self._channel.drain(now() + TERM_GRACE_S)
        # The group outlives its leader until that is reaped: this reaches the children left.
        _signal_group(self._pid, signal.SIGKILL)
        self._channel.drain(now() + _KILL_S)
        # While its number is still its own.
        guard.forget(self._mark)
        _, self._status, usage = os.wait4(self._pid, 0)
        self._cpu_s = usage.ru_utime + usage.ru_stime
        if self._sandbox:
            self._cpu_s += self._sandbox.reap()
        # Popen would otherwise warn of a child that it believes to be running.
        self._process.returncode = os.waitstatus_to_exitcode(self._status)
        self._channel.close()
        os.close(self._gone)
        if self._freezer:
            self._freezer.close()
        strays.live.pop(self._pid, None)
        strays.end()

    def _exited(self, fault: BotFault) -> BotFault:
        """Return ``fault`` with how the process ended, as far as that can be told."""
        if not self._channel.drain(time.monotonic() + _LAST_WORDS_S):
            return fault
        self._end(grace_ms=_REPORT_MS if self._sandbox else 0)
        status = self._process.returncode
        log = self._channel.stderr.text()
        if self._sandbox:
            if not self._sandbox.was_entered:
                said = printable(log, _SHOWN)
                raise HostFault(f"a sandbox could not be entered: {said}")
            status = _status_inside(status)
        # Only before its first answer: later, the bot itself may have said the same.
        if not self._answered and (why := verdicts.not_started(status, log)):
            return BotFault(FaultCode.START_FAILED, why)
        self._check_machine(status)
        held = verdicts.limit_hit(status, log)
        isolated = self._sandbox is not None
        return verdicts.exit_fault(status, held, self._limits, fault.offending, isolated=isolated)

    def _check_machine(self, status: int) -> None:
        """Raise `HostFault` if the system killed the bot because the machine had no memory left.

        The kernel tells neither whom it killed nor, of a sandbox, a kill from an exit with status
        137. So a bot that exits with it at a moment at which something else was killed for want of
        memory gets the match played again; on a machine that has enough, it gets nothing.
        """
        if status == -signal.SIGKILL and memory.oom_kills() > self._oom_kills:
            raise HostFault(
                "the machine ran out of memory, and its system killed a bot that was within its "
                "limit: play fewer matches at a time (-j), or set a smaller memory_mb"
            )


def stop_all(players: Sequence[BotProcess], grace_ms: int = 1000) -> None:
    """Stop ``players``, who have been told to quit; the grace is theirs together."""
    deadline = time.monotonic() + grace_ms / 1000
    for player in players:
        player.thaw()
    for player in players:
        player.stop(max(0, int((deadline - time.monotonic()) * 1000)))


def _signal_group(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)


def _status_inside(status: int) -> int:
    """Return how a sandboxed process ended, as `subprocess` says it.

    Bubblewrap exits as a shell would: with 128 and the signal that ended its command.
    """
    return _SIGNALLED - status if _SIGNALLED < status <= _SIGNALLED + _LAST_SIGNAL else status
