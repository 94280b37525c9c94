"""The build step of a bot: commands that make its program out of its sources, in a sandbox.

They run in a writable copy of the bot's files, without network, so whatever they need lies among
those files. What they leave there is taken by the rules that hold for every bot's files.
"""

import contextlib
import errno
import os
import posixpath
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Self

from arena.errors import HostFault, UsageError
from arena.players import strays
from arena.players.files import EXECUTABLE, File, discard, read_folder
from arena.players.sandbox import Sandbox
from arena.players.surroundings import environment, limit
from arena.players.tail import TAIL, Tail, last_lines
from arena.players.tier import Tier
from arena.referee.limits import Limits
from arena.wire.escape import printable

LIMITS = Limits(memory_mb=2_048, processes=256, file_mb=64, tmp_mb=512, open_files=1_024)
"""What each command is held to, in the place of a bot's own limits."""

LONGEST_S = 120.0
"""Of all commands together."""

MOST_BYTES = 512 * 1024 * 1024
MOST_FILES = 20_000
"""While it is built; what is left at the end has to be no more than any bot's files."""

_MOST_LOST = 2 * 1024 * 1024 * 1024
"""How much less free space the disk may have: a file that is removed but open is not seen."""

_NOT_A_PROGRAM = frozenset({errno.EACCES, errno.ENOENT, errno.ENOEXEC})
_TIED = ("/usr/bin/setpriv", "--pdeathsig", "KILL", "--")
"""What starts a command so that it is killed when this process dies, as a sandbox is."""

SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"
"""Where a step finds programs that are neither the bot's own nor an interpreter of this machine."""

_LOOK_S = 0.1
_GONE_S = 5.0
_ECHO = 80
_KEPT_BYTES = 16 * 1024


def build(
    files: Iterable[File], steps: Sequence[Sequence[str]], tier: Tier, where: str
) -> list[File]:
    """Return what the commands ``steps`` make of ``files``, themselves included, sorted by path.

    Args:
        files: what the bot was submitted as.
        steps: each begins with ``python``, ``node``, a file of the bot or a program of the system.
        tier: how the commands are kept apart from the machine.
        where: what messages call the bot.

    Raises:
        UsageError: a command is not there, fails, or goes beyond a limit, with the end of what it
            wrote; or it leaves what is no part of a bot.
        HostFault: the machine has no room for it.
    """
    root = Path(tempfile.mkdtemp(prefix="arena-build-"))
    try:
        folder, home = root / "bot", root / "home"
        _lay_out(files, folder)
        home.mkdir()
        deadline = time.monotonic() + LONGEST_S
        for number, step in enumerate(steps, start=1):
            said = f"{where}: build step {number} ({printable(' '.join(step), _ECHO)})"
            argv = _argv(step, folder, said)
            why, wrote = _run(argv, folder, home, tier, deadline)
            if why:
                # The author knows the bot's files by their own paths, not by those of the copy.
                lines = last_lines(wrote.replace(f"{folder}/".encode(), b""))
                tail = "".join(f"{TAIL}{line}" for line in lines)
                raise UsageError(f"{said} {why}{tail}")
        try:
            return read_folder(folder)
        except UsageError as error:
            text = str(error).replace(str(folder), where)
            raise UsageError(f"what the build left is no bot: {text}") from None
    except OSError as error:
        raise HostFault(f"a bot could not be built: {error.strerror}") from None
    finally:
        discard(root)


def _lay_out(files: Iterable[File], folder: Path) -> None:
    """Write ``files`` so that any user may change them; nobody else gets to ``folder``."""
    folder.mkdir()
    for file in files:
        path = folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.content)
        # In a sandbox that root makes, the commands run as another user.
        path.chmod(0o777 if file.mode == EXECUTABLE else 0o666)
    for inner, _, _ in os.walk(folder):
        Path(inner).chmod(0o777)


def _argv(step: Sequence[str], folder: Path, said: str) -> list[str]:
    program, *words = step
    if program == "python":
        return [sys.executable, "-s", "-B", *words]
    path = posixpath.normpath(program)
    if not path.startswith(("/", "..")) and (folder / path).is_file():
        return [str(folder / path), *words]
    found = shutil.which(program) if program == "node" else None
    if found is None and "/" not in program:
        found = shutil.which(program, path=SYSTEM_PATH)
    if found is None:
        raise UsageError(f"{said} begins with what is neither a file of the bot nor installed here")
    return [found, *words]


def _run(
    argv: Sequence[str], folder: Path, home: Path, tier: Tier, deadline: float
) -> tuple[str, bytes]:
    """Run a command; return what went wrong, empty if nothing did, and what it wrote."""
    try:
        with _Step(argv, folder, home, tier) as running:
            return running.wait(deadline), running.said
    except OSError as error:
        if tier is Tier.NONE and error.errno in _NOT_A_PROGRAM:
            return f"could not be started: {error.strerror}", b""
        raise


class _Step:
    """One command that runs; when the context is left, nothing of it does."""

    def __init__(self, argv: Sequence[str], folder: Path, home: Path, tier: Tier) -> None:
        self._folder = folder
        self._free = _free_bytes(folder)
        self._kept = Tail.of(_KEPT_BYTES)
        self._sandbox = None if tier is Tier.NONE else Sandbox()
        strays.adopt()
        try:
            self._process = self._started(argv, home)
        except BaseException:
            if self._sandbox:
                self._sandbox.close()
            raise
        strays.live[self._process.pid] = ""
        if self._sandbox:
            self._sandbox.entered()
        else:
            limit(self._process.pid, LIMITS)

    def _started(self, argv: Sequence[str], home: Path) -> "subprocess.Popen[bytes]":
        cwd, env = self._folder, environment(str(home), LIMITS)
        inherited: tuple[int, ...] = ()
        if self._sandbox:
            argv = self._sandbox.command(argv, self._folder, LIMITS, writable=True)
            cwd, env, inherited = Path("/"), {}, self._sandbox.descriptors
        elif os.access(argv[0], os.X_OK) and os.access(_TIED[0], os.X_OK):
            # What cannot be executed is better told by its own attempt.
            argv = (*_TIED, *argv)
        return subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            bufsize=0,
            cwd=cwd,
            env=env,
            pass_fds=inherited,
            start_new_session=True,
        )

    def __enter__(self) -> Self:
        return self

    @property
    def said(self) -> bytes:
        """What it wrote to standard output and error, capped."""
        return self._kept.text()

    def wait(self, deadline: float) -> str:
        """Return what went wrong by ``deadline``, in a few words; empty if nothing did."""
        output = self._process.stdout.fileno() if self._process.stdout else -1
        os.set_blocking(output, False)
        gone = os.pidfd_open(self._process.pid)
        poll = select.poll()
        poll.register(output, select.POLLIN)
        poll.register(gone, select.POLLIN)
        try:
            while (left := deadline - time.monotonic()) > 0:
                ready = {descriptor for descriptor, _ in poll.poll(min(left, _LOOK_S) * 1000)}
                if output in ready and not self._read(output):
                    poll.unregister(output)
                if gone in ready:
                    self._read(output)
                    return self._ended()
                if too_much := self._too_much():
                    return too_much
        finally:
            os.close(gone)
        return f"was not done when the {LONGEST_S:g} s were over that a build may take"

    def _read(self, output: int) -> bool:
        """Keep what the command wrote; return whether it may write more."""
        try:
            chunk = os.read(output, _KEPT_BYTES)
        except BlockingIOError:
            return True
        self._kept.add(chunk)
        return bool(chunk)

    def _ended(self) -> str:
        self._end()
        status = self._process.returncode
        if self._sandbox and not self._sandbox.was_entered:
            raise HostFault(f"a sandbox could not be entered: {printable(self.said, _ECHO)}")
        # Bubblewrap exits as a shell would: with 128 and the signal that ended its command.
        if status == 0:
            return ""
        return f"exited with status {status}" if status > 0 else f"was ended by signal {-status}"

    def _too_much(self) -> str:
        used, count = _used(self._folder)
        if used > MOST_BYTES or self._free - _free_bytes(self._folder) > _MOST_LOST:
            return f"wrote more than {MOST_BYTES // 1024**2} MiB"
        return f"made more than {MOST_FILES:,} files" if count > MOST_FILES else ""

    def _end(self) -> None:
        pid = self._process.pid
        if self._sandbox:
            self._sandbox.end(pid)
        # The group outlives its leader until that is reaped: this reaches the children left.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
        self._process.wait(_GONE_S)

    def __exit__(self, *_: object) -> None:
        if self._process.returncode is None:
            self._end()
        if self._process.stdout:
            self._process.stdout.close()
        strays.live.pop(self._process.pid, None)
        if self._sandbox:
            self._sandbox.reap()
            self._sandbox.close()
        strays.end()


def _free_bytes(folder: Path) -> int:
    facts = os.statvfs(folder)
    return facts.f_bavail * facts.f_frsize


def _used(folder: Path) -> tuple[int, int]:
    """Return how many bytes of the disk ``folder`` takes, and how many names; enough to judge."""
    used = count = 0
    waiting = [os.fspath(folder)]
    while waiting and used <= MOST_BYTES and count <= MOST_FILES:
        # What is looked at is being written: any of it can vanish.
        with contextlib.suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                count += 1
                used += entry.stat(follow_symlinks=False).st_blocks * 512
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
    return used, count
