"""The sandbox of a bot: which tier this machine can give, and the command that enters it.

In the tier ``bwrap`` a process sees the interpreter, the system's libraries and its own snapshot,
all for reading only, and nothing of the machine, the network, the referee or another seat.
"""

import contextlib
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Self

from arena.errors import UsageError
from arena.players import sandbox_files as files
from arena.players import seccomp
from arena.players.surroundings import environment, resources
from arena.players.tier import Tier
from arena.players.uids import Uid
from arena.referee.limits import Limits
from arena.wire.escape import printable

INSIDE = Path("/bot")
"""Where a bot finds its snapshot."""

OLDEST_BWRAP = (0, 8)
"""The first that can forbid user namespaces in a sandbox."""

_MIB = 1024 * 1024
_TRIAL_S = 10.0
_SHOWN = 200
_PRLIMIT = Path("/usr/bin/prlimit")
_SETPRIV = Path("/usr/bin/setpriv")
_CHILD = re.compile(rb'"child-pid": *(\d+)')
_STACK_MB, _MOST_STACK_MB = 8, 64
_MOST_SIGNALS = 1_024


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
        wanted: the tier that it has to be; ``None`` takes `Tier.BWRAP` where it can be had.

    Raises:
        UsageError: the wanted tier cannot be had; the line says what to do.
    """
    if wanted is Tier.NONE:
        return Isolation(Tier.NONE)
    lacking = _try(wanted or Tier.BWRAP)
    if lacking and wanted is not None:
        raise UsageError(f"bots cannot be isolated here: {lacking}")
    return Isolation(Tier.NONE if lacking else wanted or Tier.BWRAP, lacking)


@cache
def find_bwrap() -> str | None:
    """Return the path of bubblewrap: the system's, or the one beside this interpreter.

    Where the system's is too old and the other is not, it is the other.
    """
    beside = str(Path(sys.executable).with_name("bwrap"))
    found = [path for path in (shutil.which("bwrap"), shutil.which(beside)) if path]
    fresh = [path for path in found if (bwrap_version(path) or OLDEST_BWRAP) >= OLDEST_BWRAP]
    return next(iter([*fresh, *found]), None)


@cache
def bwrap_version(path: str) -> tuple[int, ...] | None:
    """Return the version of the bubblewrap at ``path``, if it says one."""
    try:
        said = subprocess.run(
            [path, "--version"], capture_output=True, timeout=_TRIAL_S, check=False, text=True
        ).stdout
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError):
        return None
    found = re.search(r"(\d+)\.(\d+)(?:\.(\d+))?", said)
    return tuple(int(part) for part in found.groups("0")) if found else None


class Sandbox:
    """One sandbox, to be entered once: its descriptors, its user, the command that enters it."""

    def __init__(self, tier: Tier = Tier.BWRAP) -> None:
        """Prepare one.

        Args:
            tier: `Tier.BWRAP` or `Tier.STRICT`.
        """
        self._strict = tier is Tier.STRICT
        self._filter = self._tell_status = self._status = -1
        self._said = b""
        # Under root every seat is a user of its own; else a user namespace makes it one.
        self._uid = Uid() if os.geteuid() == 0 else None
        try:
            self._filter = os.memfd_create("seccomp", os.MFD_CLOEXEC)
            os.write(self._filter, seccomp.program(strict=self._strict))
            os.lseek(self._filter, 0, os.SEEK_SET)
            self._status, self._tell_status = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        except BaseException:
            self.close()
            raise

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

    @property
    def first(self) -> int | None:
        """Process id of its first process, which leads the group of all; known once it runs."""
        return self._inmost()

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
            *files.system(),
            *(files.paper_proc(_inside(argv[0], folder)) if self._strict else files.proc()),
            *files.devices(),
            "--perms", "1777", *_sized(limits), "--tmpfs", files.TMP,
            "--perms", "1777", *_sized(limits), "--tmpfs", files.SHM,
            "--perms", "0755", "--dir", str(INSIDE),
            "--bind" if writable else "--ro-bind", str(folder), str(INSIDE),
            *files.interpreter(argv[0], folder),
            "--chdir", str(INSIDE),
            "--remount-ro", "/",
            *(word for name, value in environment(files.TMP, limits).items()
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


def _try(tier: Tier) -> str:
    """Enter a sandbox once; return what stands in the way, empty if nothing does."""
    if lacking := _missing():
        return lacking
    with tempfile.TemporaryDirectory() as name, Sandbox(tier) as sandbox:
        folder = Path(name)
        folder.chmod(0o755)
        try:
            argv = sandbox.command((sys.executable, "-I", "-S", "-c", ""), folder, Limits())
            ended = subprocess.run(
                argv,
                pass_fds=sandbox.descriptors,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_TRIAL_S,
                check=False,
            )
        except UsageError as error:
            return str(error)
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"bubblewrap does not run: {printable(str(error), _SHOWN)}"
    if ended.returncode == 0:
        return ""
    said = printable(ended.stderr.strip(), _SHOWN) or f"exit status {ended.returncode}"
    return f"{said} ({_remedy()})"


def _missing() -> str:
    found = find_bwrap()
    if found is None:
        return "bubblewrap is missing: install the package bubblewrap, or arena[sandbox]"
    version = bwrap_version(found)
    if version and version < OLDEST_BWRAP:
        shown = ".".join(map(str, version))
        return f"bubblewrap {shown} is too old: install 0.8 or later, or arena[sandbox]"
    for tool in (_PRLIMIT, _SETPRIV):
        if not tool.exists():
            return f"{tool} is missing: install the package util-linux"
    try:
        seccomp.program()
    except seccomp.NoSeccomp as error:
        return str(error)
    return ""


_SETTINGS = (
    ("kernel/apparmor_restrict_unprivileged_userns", "1", "0"),
    ("kernel/unprivileged_userns_clone", "0", "1"),
    ("user/max_user_namespaces", "0", "10000"),
)
"""Settings of the kernel that stand in the way: below /proc/sys, at which value, and a better."""

_CONTAINERS = (Path("/.dockerenv"), Path("/run/.containerenv"))


def _remedy() -> str:
    """Return what would let bubblewrap run, as far as that can be told."""
    for name, bad, good in _SETTINGS:
        with contextlib.suppress(OSError):
            if Path("/proc/sys", name).read_text("ascii").strip() == bad:
                return f"as root: sysctl {name.replace('/', '.')}={good}"
    if any(path.exists() for path in _CONTAINERS):
        return "the container has to allow namespaces; protocol/SECURITY.md says how"
    return "the kernel has to allow user namespaces; protocol/SECURITY.md says how"


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


def _sized(limits: Limits | None) -> list[str]:
    return ["--size", str(limits.tmp_mb * _MIB)] if limits else []


def _limited(limits: Limits | None) -> list[str]:
    if limits is None:
        return []
    # These two are counted for each sandbox alone: its user is not the one who made it.
    amounts = resources(limits) | {"nproc": limits.processes, "sigpending": _MOST_SIGNALS}
    pairs = {name: (amount, amount) for name, amount in amounts.items()}
    # Threads get stacks of the first size; a process may let its own grow to the second.
    pairs["stack"] = (_STACK_MB * _MIB, _MOST_STACK_MB * _MIB)
    words = [str(_PRLIMIT)]
    for name, pair in pairs.items():
        # A limit that is lower already cannot be raised.
        _, there = resource.getrlimit(getattr(resource, f"RLIMIT_{name.upper()}"))
        usual, most = (min(amount, there) if there >= 0 else amount for amount in pair)
        words.append(f"--{name}={usual}:{most}")
    return [*words, "--"]


def _inside(word: str, folder: Path) -> str:
    return str(INSIDE / Path(word).relative_to(folder)) if word.startswith(f"{folder}/") else word
