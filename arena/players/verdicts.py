"""What a bot's end is put down to: the limit that it hit, told from its status and its last words.

The kernel refuses what goes beyond a limit, and a program then ends in the way of its runtime. The
texts are for the bot's author. They hold no measured number, so they repeat with the match.
"""

import re
import signal
from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from arena.errors import BotFault, FaultCode
from arena.referee.limits import Limits


class Held(StrEnum):
    """A limit that the kernel holds, by what it is a limit of."""

    MEMORY = "memory"
    PROCESSES = "processes"
    OPEN_FILES = "open files"
    FILE_SIZE = "file size"
    DISK = "disk"


PHRASES: Mapping[Held, tuple[str, ...]] = MappingProxyType(
    {
        Held.MEMORY: (
            r"MemoryError",  # Python, and NumPy's own
            r"std::bad_alloc",  # C++
            r"heap out of memory",  # Node
            r"Array buffer allocation failed",  # Node
            r"java\.lang\.OutOfMemoryError",
            r"insufficient memory for the Java Runtime",
            r"memory allocation of \d+ bytes failed",  # Rust
            r"runtime: out of memory",  # Go
            r"[Cc]annot allocate memory",  # the C library, for ENOMEM
        ),
        Held.PROCESSES: (
            r"can't start new thread",  # Python
            r"BlockingIOError: \[Errno 11\]",  # Python, of fork
            r"what\(\):\s+Resource temporarily unavailable",  # C++
            r"[Ff]ork\b.{0,40}: Resource temporarily unavailable",  # C, and shells
            r"[Cc]annot fork",  # shells
            r"unable to create native thread",  # Java, as an OutOfMemoryError
            r"spawn \S+ EAGAIN|Error: EAGAIN\s|uv_thread_create",  # Node
            r"failed to spawn thread",  # Rust
            r"failed to create new OS thread",  # Go
        ),
        Held.OPEN_FILES: (r"[Tt]oo many open files", r"\bEMFILE\b"),
        Held.FILE_SIZE: (r"[Ff]ile too large", r"\bEFBIG\b", r"[Ff]ile size limit exceeded"),
        Held.DISK: (r"[Nn]o space left on device", r"\bENOSPC\b"),
    }
)
"""What runtimes write to standard error when they are refused something, as regular expressions."""

_PATTERNS = {
    held: re.compile("|".join(phrases).encode(), re.DOTALL) for held, phrases in PHRASES.items()
}

# What the programs that start a bot say where they cannot, and the status they exit with.
_NOT_STARTED = re.compile(rb"(?:prlimit|setpriv): failed to execute .*: ([A-Za-z ]{1,60})\n?")
_NOT_STARTED_STATUSES = (126, 127)


def not_started(status: int, stderr: bytes) -> str:
    """Return why a bot's program could not be executed at all; empty if it was."""
    said = _NOT_STARTED.fullmatch(stderr) if status in _NOT_STARTED_STATUSES else None
    # The system's own words alone: the file's name is a path of the operator's machine.
    return f"could not be started: {said[1].decode()}" if said else ""


def limit_hit(status: int, stderr: bytes) -> Held | None:
    """Return the limit that a bot ended by, as far as it says so.

    Args:
        status: as `subprocess` has it: minus the signal that ended it, or its exit status.
        stderr: what it wrote to standard error. What it wrote last counts.
    """
    if status == 0:
        return None
    if status == -signal.SIGXFSZ:
        return Held.FILE_SIZE
    found = [
        (match.end(), held)
        for held, pattern in _PATTERNS.items()
        for match in pattern.finditer(stderr)
    ]
    return max(found)[1] if found else None


def exit_fault(
    status: int, held: Held | None, limits: Limits | None, offending: bytes, *, isolated: bool
) -> BotFault:
    """Return the fault of a bot that ended before its answer was complete.

    Args:
        status: as `limit_hit` has it.
        held: the limit that it hit.
        limits: what it was held to; ``None`` where limits were off.
        offending: what it had written of its answer.
        isolated: whether it was in a sandbox, where more is held.
    """
    how = f"exited with status {status}" if status >= 0 else f"was ended by {signal_name(-status)}"
    if held is None or limits is None:
        return BotFault(FaultCode.EXITED, how, offending)
    if held is Held.MEMORY:
        text = f"ran out of memory ({limits.memory_mb} MiB) and {how}"
        return BotFault(FaultCode.OUT_OF_MEMORY, text, offending)
    amount = _amount(held, limits, isolated=isolated)
    text = f"{how} at its limit of {amount}" if amount else how
    return BotFault(FaultCode.EXITED, text, offending)


def too_much_memory(limits: Limits) -> BotFault:
    """Return the fault of a bot whose processes together held more memory than they may."""
    text = f"ran out of memory ({limits.memory_mb} MiB), all of its processes together"
    return BotFault(FaultCode.OUT_OF_MEMORY, text)


def _amount(held: Held, limits: Limits, *, isolated: bool) -> str:
    """Return how much of it there was, empty where it was the machine that had no more."""
    match held:
        case Held.MEMORY:
            return f"{limits.memory_mb} MiB of memory"
        case Held.OPEN_FILES:
            return f"{limits.open_files} open files"
        case Held.FILE_SIZE:
            return f"a file of {limits.file_mb} MiB"
        case Held.PROCESSES:
            return f"{limits.processes} processes" if isolated else ""
        case Held.DISK:
            return f"{limits.tmp_mb} MiB of files" if isolated else ""


def signal_name(number: int) -> str:
    """Return what the signal ``number`` is called."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
