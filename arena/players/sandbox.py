"""The sandbox of a bot: which tier this machine can give, and the command that enters it.

In the tier ``bwrap`` a process sees the interpreter, the system's libraries and its own snapshot,
all for reading only, and nothing of the machine, the network, the referee or another seat.
"""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Self

from arena.errors import UsageError
from arena.players import seccomp
from arena.players.surroundings import environment, resources
from arena.players.uids import Uid
from arena.referee.limits import Limits
from arena.wire.escape import printable


class Tier(StrEnum):
    """How bots are kept apart from the machine and from each other."""

    BWRAP = "bwrap"
    """Each seat in a sandbox of its own, made by bubblewrap."""

    STRICT = "strict"
    """Likewise, without /proc, pipes and sockets, which not every runtime bears."""

    NONE = "none"
    """Processes of their own, and no more."""


_TMP = "/tmp"  # noqa: S108 - the sandbox's own, private and empty
_SHM = "/dev/shm"  # noqa: S108 - likewise
INSIDE = Path("/bot")
"""Where a bot finds its snapshot."""

_MIB = 1024 * 1024
_TRIAL_S = 10.0
_SHOWN = 200
_PRLIMIT = Path("/usr/bin/prlimit")
_SETPRIV = Path("/usr/bin/setpriv")
_CHILD = re.compile(rb'"child-pid": *(\d+)')
_OF_THE_SYSTEM = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_ETC = ("ld.so.cache", "alternatives", "localtime")
_DEVICES = ("null", "zero", "full", "random", "urandom")

_PROC_FILES = (
    "stat", "meminfo", "vmstat", "loadavg", "uptime", "diskstats", "interrupts", "softirqs",
    "schedstat", "buddyinfo", "zoneinfo", "pagetypeinfo", "slabinfo", "locks", "swaps", "keys",
    "key-users", "kallsyms", "timer_list", "kcore", "partitions",
)  # fmt: skip
_PROC_FOLDERS = (
    "pressure", "sys", "sysvipc", "fs", "irq", "bus", "driver", "scsi", "acpi", "tty",
    "dynamic_debug",
)  # fmt: skip
"""What tells of the whole machine: counters that two sandboxes could talk through."""


@dataclass(frozen=True, slots=True)
class Isolation:
    """The tier that is used, and why it is no better one."""

    tier: Tier
    lacking: str = ""
    """One line: what stands in the way of ``bwrap``, and what to do."""

    @property
    def build_in(self) -> Tier | None:
        """The tier that bots are built in; ``None``: none is, since nobody said to do it so."""
        return None if self.lacking else self.tier


@cache
def isolation(wanted: Tier | None = None) -> Isolation:
    """Return the tier that bots are played in, found by trying.

    Args:
        wanted: the tier that it has to be; ``None`` takes the best there is.

    Raises:
        UsageError: the wanted tier cannot be had; the line says what to do.
    """
    if wanted is Tier.NONE:
        return Isolation(Tier.NONE)
    lacking = _try_bwrap()
    if lacking and wanted is Tier.BWRAP:
        raise UsageError(f"bots cannot be isolated here: {lacking}")
    return Isolation(Tier.NONE if lacking else Tier.BWRAP, lacking)


@cache
def find_bwrap() -> str | None:
    """Return the path of bubblewrap: the system's, or the one beside this interpreter."""
    beside = Path(sys.executable).with_name("bwrap")
    return shutil.which("bwrap") or (str(beside) if os.access(beside, os.X_OK) else None)


class Sandbox:
    """One sandbox, to be entered once: its descriptors, its user, the command that enters it."""

    def __init__(self) -> None:
        # Under root every seat is a user of its own; else a user namespace makes it one.
        self._uid = Uid() if os.geteuid() == 0 else None
        self._filter = os.memfd_create("seccomp", os.MFD_CLOEXEC)
        os.write(self._filter, seccomp.program())
        os.lseek(self._filter, 0, os.SEEK_SET)
        self._status, self._tell_status = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self._said = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def descriptors(self) -> tuple[int, int]:
        """What bubblewrap has to inherit; it hands neither on."""
        return self._filter, self._tell_status

    def entered(self) -> None:
        """Close what bubblewrap has inherited by now."""
        for descriptor in self.descriptors:
            os.close(descriptor)
        self._filter = self._tell_status = -1

    @property
    def was_entered(self) -> bool:
        """Whether the sandbox was made; if not, it is no matter of the bot."""
        return self._inmost() is not None

    def end(self, outer: int) -> None:
        """Kill the sandbox's first process, and so, at once, all others in it.

        Args:
            outer: process id of bubblewrap, the parent of that process; not reaped yet.
        """
        inmost = self._inmost()
        # As long as it is a child of one of the two, nobody else can have its number.
        if inmost is not None and _parent(inmost) in {outer, os.getpid()}:
            with contextlib.suppress(ProcessLookupError):
                os.kill(inmost, signal.SIGKILL)

    def reap(self) -> float:
        """Return the seconds of processor time in the sandbox that bubblewrap did not count.

        It is called once bubblewrap itself was reaped, which does not always wait for its child:
        then that has become a child of this process.
        """
        inmost = self._inmost()
        try:
            _, _, usage = os.wait4(inmost, 0) if inmost is not None else (0, 0, None)
        except ChildProcessError:
            usage = None
        return usage.ru_utime + usage.ru_stime if usage else 0.0

    def _inmost(self) -> int | None:
        with contextlib.suppress(BlockingIOError):
            self._said += os.read(self._status, 4096)
        found = _CHILD.search(self._said)
        return int(found[1]) if found else None

    def close(self) -> None:
        """Give everything back; nothing may run in the sandbox any more."""
        for descriptor in (self._filter, self._tell_status, self._status):
            if descriptor >= 0:
                os.close(descriptor)
        self._filter = self._tell_status = self._status = -1
        if self._uid:
            self._uid.close()

    def command(
        self, argv: Sequence[str], folder: Path, limits: Limits | None, *, writable: bool = False
    ) -> list[str]:
        """Return the argument list that runs ``argv`` in the sandbox.

        Args:
            argv: absolute program and its arguments; what lies in ``folder`` is found in `INSIDE`.
            folder: the bot's snapshot.
            limits: what its processes are held to.
            writable: whether they may write in ``folder``; everybody must be allowed to.

        Raises:
            UsageError: the interpreter lies where showing it would show too much.
        """
        return [
            find_bwrap() or "bwrap",
            *_namespaces(root=self._uid is not None),
            "--hostname", "bot", "--die-with-parent", "--new-session", "--clearenv",
            *_system(),
            *_proc(),
            *_devices(),
            "--perms", "1777", *_sized(limits), "--tmpfs", _TMP,
            "--perms", "1777", *_sized(limits), "--tmpfs", _SHM,
            "--perms", "0755", "--dir", str(INSIDE),
            "--bind" if writable else "--ro-bind", str(folder), str(INSIDE),
            *_interpreter(argv[0], folder),
            "--chdir", str(INSIDE),
            "--remount-ro", "/",
            *(word for name, value in environment(_TMP, limits).items()
              for word in ("--setenv", name, value)),
            "--seccomp", str(self._filter), "--json-status-fd", str(self._tell_status),
            "--", *_limited(limits), *(self._uid.becoming() if self._uid else ()),
            *(_inside(word, folder) for word in argv),
        ]  # fmt: skip


def _parent(pid: int) -> int | None:
    try:
        facts = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return None
    # The command's name, in parentheses, may hold anything; the state and the parent follow it.
    return int(facts.rpartition(b")")[2].split()[1])


def _try_bwrap() -> str:
    """Enter a sandbox once; return what stands in the way, empty if nothing does."""
    if lacking := _missing():
        return lacking
    with tempfile.TemporaryDirectory() as folder, Sandbox() as sandbox:
        Path(folder).chmod(0o755)
        try:
            ended = subprocess.run(
                sandbox.command(("/usr/bin/true",), Path(folder), Limits()),
                pass_fds=sandbox.descriptors,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_TRIAL_S,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"bubblewrap does not run: {printable(str(error), _SHOWN)}"
    if ended.returncode == 0:
        return ""
    said = printable(ended.stderr.strip(), _SHOWN)
    if Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns").exists():
        return f"{said} (set kernel.apparmor_restrict_unprivileged_userns to 0)"
    return f"{said} (the kernel must allow user namespaces, and a container must not forbid them)"


def _missing() -> str:
    if find_bwrap() is None:
        return "bubblewrap is missing: install the package bubblewrap, or arena[sandbox]"
    for tool in (_PRLIMIT, _SETPRIV):
        if not tool.exists():
            return f"{tool} is missing: install the package util-linux"
    try:
        seccomp.program()
    except seccomp.NoSeccomp as error:
        return f"{error}: install arena[sandbox], and the package libseccomp2"
    return ""


def _namespaces(*, root: bool) -> list[str]:
    words = [
        "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try",
        "--cap-drop", "ALL",
    ]  # fmt: skip
    if root:
        # Just what setpriv needs to become another user, who then has nothing.
        for name in ("SETUID", "SETGID", "SETPCAP"):
            words += ["--cap-add", f"CAP_{name}"]
        return words
    return ["--unshare-user", "--disable-userns", "--uid", "1000", "--gid", "1000", *words]


@cache
def _system() -> tuple[str, ...]:
    """Return how /usr, what is merged into it, and a little of /etc are shown."""
    words = ["--ro-bind", "/usr", "/usr"]
    for name in _OF_THE_SYSTEM:
        path = Path("/", name)
        if path.is_symlink():
            words += ["--symlink", str(path.readlink()), str(path)]
        elif path.is_dir():
            words += ["--ro-bind", str(path), str(path)]
    words += ["--perms", "0755", "--dir", "/etc"]
    for name in _ETC:
        words += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    return tuple(words)


@cache
def _proc() -> tuple[str, ...]:
    """Return how /proc is shown: the sandbox's own processes, without what tells of the machine."""
    words = ["--proc", "/proc"]
    for name in _PROC_FILES:
        if Path("/proc", name).exists():
            words += ["--ro-bind", "/dev/null", f"/proc/{name}"]
    for name in _PROC_FOLDERS:
        if Path("/proc", name).is_dir():
            words += ["--size", "4096", "--tmpfs", f"/proc/{name}", "--remount-ro", f"/proc/{name}"]
    return tuple(words)


@cache
def _devices() -> tuple[str, ...]:
    words = ["--perms", "0755", "--dir", "/dev"]
    for name in _DEVICES:
        words += ["--dev-bind", f"/dev/{name}", f"/dev/{name}"]
    for name, target in (("fd", ""), ("stdin", "/0"), ("stdout", "/1"), ("stderr", "/2")):
        words += ["--symlink", f"/proc/self/fd{target}", f"/dev/{name}"]
    return tuple(words)


def _interpreter(program: str, folder: Path) -> Iterator[str]:
    """Yield how the interpreter's prefixes are shown, those outside /usr."""
    made: set[Path] = set()
    for prefix in sorted(_prefixes(program, folder)):
        hidden = (Path("/"), Path.home(), folder)
        if any(secret == prefix or secret.is_relative_to(prefix) for secret in hidden):
            raise UsageError(
                f"bots cannot be isolated with the interpreter {printable(program, _SHOWN)}: its "
                f"folder {printable(str(prefix), _SHOWN)} holds more than the interpreter"
            )
        for parent in reversed(prefix.parents[:-1]):
            # Left to bubblewrap, a missing parent would be open to root alone.
            if parent not in made and parent != Path(_TMP):
                made.add(parent)
                yield from ("--perms", "0755", "--dir", str(parent))
        yield from ("--ro-bind", str(prefix), str(prefix))


def _prefixes(program: str, folder: Path) -> set[Path]:
    path = Path(program)
    if path.is_relative_to(folder):
        return set()
    if program == sys.executable:
        found = {Path(sys.prefix), Path(sys.base_prefix), Path(sys.executable).resolve().parent}
    else:
        found = {path.parent, path.resolve().parent}
    # An interpreter's libraries lie beside the folder of its programs.
    found = {prefix.parent if prefix.name == "bin" else prefix for prefix in found}
    return {prefix for prefix in found if not prefix.is_relative_to("/usr")}


def _sized(limits: Limits | None) -> list[str]:
    return ["--size", str(limits.tmp_mb * _MIB)] if limits else []


def _limited(limits: Limits | None) -> list[str]:
    if limits is None:
        return []
    amounts = resources(limits) | {"nproc": limits.processes}
    return [
        str(_PRLIMIT),
        *(f"--{name}={amount}:{amount}" for name, amount in amounts.items()),
        "--",
    ]


def _inside(word: str, folder: Path) -> str:
    return str(INSIDE / Path(word).relative_to(folder)) if word.startswith(f"{folder}/") else word
