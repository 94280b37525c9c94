"""What a sandbox shows of the machine's files: arguments for bubblewrap.

All of it is for reading only, and none of it can tell one sandbox what is done in another: files
that count for the whole machine are covered, and the devices are the five that remember nothing.
"""

import os
import pwd
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

from arena.errors import UsageError
from arena.wire.escape import printable

TMP = "/tmp"  # noqa: S108 - the sandbox's own, private and empty
SHM = "/dev/shm"  # noqa: S108 - likewise

_SHOWN = 200
_OF_THE_SYSTEM = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_ETC = ("ld.so.cache", "alternatives", "localtime")
# Not `zero`: mapped, it is memory that no limit counts.
_DEVICES = ("null", "full", "random", "urandom")
_PROC_FILES = (
    "stat", "meminfo", "vmstat", "loadavg", "uptime", "diskstats", "interrupts", "softirqs",
    "schedstat", "buddyinfo", "zoneinfo", "pagetypeinfo", "slabinfo", "locks", "swaps", "keys",
    "key-users", "kallsyms", "timer_list", "kcore", "partitions", "cpuinfo", "vmallocinfo",
    "allocinfo", "sched_debug", "latency_stats", "lock_stat", "lockdep_stats", "mdstat", "mtrr",
    "consoles", "kmsg", "kpagecount", "kpageflags", "kpagecgroup", "sysrq-trigger", "cgroups",
    "iomem", "ioports", "dma", "modules", "execdomains", "page_owner", "profile",
)  # fmt: skip
"""What tells of the whole machine: counters that two sandboxes could talk through."""

_PROC_FOLDERS = (
    "pressure", "sys", "sysvipc", "fs", "irq", "bus", "driver", "scsi", "acpi", "tty",
    "dynamic_debug", "ide", "mpt", "asound",
)  # fmt: skip
_BROAD = frozenset(
    Path("/", name)
    for name in (
        "", "tmp", "var", "var/tmp", "home", "root", "etc", "opt", "srv", "run", "mnt", "media",
        "dev", "proc", "sys", "boot",
    )
)  # fmt: skip
"""Folders that hold more than an interpreter, whatever lies in their ``bin``."""

_hidden: set[Path] = set()


def hide(folder: Path) -> None:
    """See to it that no sandbox of this process and its forks shows ``folder`` from now on."""
    _hidden.add(folder.resolve())


@cache
def system() -> tuple[str, ...]:
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
def proc() -> tuple[str, ...]:
    """Return how /proc is shown: the sandbox's own processes, without what tells of the machine."""
    words = ["--proc", "/proc"]
    for name in _PROC_FILES:
        if Path("/proc", name).exists():
            words += ["--ro-bind", "/dev/null", f"/proc/{name}"]
    for name in _PROC_FOLDERS:
        if Path("/proc", name).is_dir():
            words += ["--size", "4096", "--tmpfs", f"/proc/{name}", "--remount-ro", f"/proc/{name}"]
    return tuple(words)


def paper_proc(program: str) -> tuple[str, ...]:
    """Return how a /proc is made up that has one link, by which runtimes find their own files."""
    return (
        *("--perms", "0755", "--dir", "/proc", "--perms", "0755", "--dir", "/proc/self"),
        *("--symlink", program, "/proc/self/exe"),
    )


@cache
def devices() -> tuple[str, ...]:
    """Return how /dev is made."""
    words = ["--perms", "0755", "--dir", "/dev"]
    for name in _DEVICES:
        words += ["--dev-bind", f"/dev/{name}", f"/dev/{name}"]
    for name, target in (("fd", ""), ("stdin", "/0"), ("stdout", "/1"), ("stderr", "/2")):
        words += ["--symlink", f"/proc/self/fd{target}", f"/dev/{name}"]
    return tuple(words)


def interpreter(program: str, folder: Path) -> Iterator[str]:
    """Yield how the prefixes of ``program`` are shown, those outside /usr.

    Args:
        program: absolute path of an interpreter, or of a file in ``folder``.
        folder: the bot's snapshot.

    Raises:
        UsageError: showing it would show more than an interpreter, or it is no interpreter.
    """
    made: set[Path] = set()
    for prefix in sorted(_prefixes(program, folder)):
        _check(prefix, program, folder)
        for parent in reversed(prefix.parents[:-1]):
            # Left to bubblewrap, a missing parent would be open to root alone.
            if parent not in made and parent != Path(TMP):
                made.add(parent)
                yield from ("--perms", "0755", "--dir", str(parent))
        yield from ("--ro-bind", str(prefix), str(prefix))


def _check(prefix: Path, program: str, folder: Path) -> None:
    """Raise `UsageError` if ``prefix`` may not be shown."""
    named = f"bots cannot be isolated with the interpreter {printable(program, _SHOWN)}"
    if prefix.name == "shims":
        raise UsageError(
            f"{named}: it only finds another one (pyenv and its kin); put that first in PATH"
        )
    secrets = (*_homes(), folder, *_hidden)
    if prefix in _BROAD or any(
        secret.is_relative_to(place) for secret in secrets for place in (prefix, prefix.resolve())
    ):
        raise UsageError(
            f"{named}: its folder {printable(str(prefix), _SHOWN)} holds more than the interpreter"
        )


def _homes() -> tuple[Path, ...]:
    found = [Path.home()]
    with suppress(KeyError):
        # Whatever the environment says.
        found.append(Path(pwd.getpwuid(os.geteuid()).pw_dir))
    # Of a user without a home it is said to be / or one that does not exist.
    return tuple({path for home in found for path in (home, home.resolve())} - {Path("/")})


def _prefixes(program: str, folder: Path) -> set[Path]:
    """Return the folders that ``program`` needs, beside /usr."""
    path = Path(program)
    if path.is_relative_to(folder):
        return set()
    found: set[Path] = set()
    for place in _on_the_way(path):
        # An interpreter's libraries lie beside the folder of its programs.
        prefix = place.parent.parent if place.parent.name == "bin" else place.parent
        found |= {prefix, prefix.resolve()}
        found |= _base_of_environment(prefix)
    return {prefix for prefix in found if not prefix.is_relative_to("/usr")}


def _on_the_way(path: Path) -> Iterator[Path]:
    """Yield ``path`` and what it links to, link after link."""
    yield path
    for _ in range(40):  # as many as the kernel follows
        if not path.is_symlink():
            break
        path = Path(os.path.normpath(path.parent / path.readlink()))
        yield path
    yield path.resolve()


def _base_of_environment(prefix: Path) -> set[Path]:
    """Return the prefix of the Python that the virtual environment ``prefix`` was made from."""
    try:
        lines = (prefix / "pyvenv.cfg").read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return set()
    for line in lines:
        key, _, value = line.partition("=")
        if key.strip() == "home":
            base = Path(value.strip())
            return {(base.parent if base.name == "bin" else base).resolve()}
    return set()
