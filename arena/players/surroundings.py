"""What every bot finds around it, in each tier: its environment, and limits of the kernel."""

import contextlib
import resource

from arena.referee.limits import Limits

_MIB = 1024 * 1024


def environment(home: str, limits: Limits) -> dict[str, str]:
    """Return the whole environment of a bot: nothing of the operator's, nothing of the match.

    Args:
        home: a folder that it may write in.
        limits: what it is held to.
    """
    return {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": home,
        "TMPDIR": home,
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": "1",
        "ARENA_MEMORY_MB": str(limits.memory_mb),
    }


def resources(limits: Limits) -> dict[str, int]:
    """Return the kernel's limits for each process of a bot, by the name that prlimit(1) uses."""
    return {
        # Not the address space: runtimes that reserve much of it (Node, Java) would not start.
        "data": limits.memory_mb * _MIB,
        "fsize": limits.file_mb * _MIB,
        "nofile": limits.open_files,
        "core": 0,
        "memlock": 0,
        "msgqueue": 0,
        "nice": 0,
        "rtprio": 0,
    }


def limit(pid: int, limits: Limits) -> None:
    """Hold the process ``pid``, and all that it starts from now on, to ``limits``."""
    for name, amount in resources(limits).items():
        kind = getattr(resource, f"RLIMIT_{name.upper()}")
        with contextlib.suppress(ProcessLookupError):
            _, most = resource.prlimit(pid, kind)
            held = amount if most == resource.RLIM_INFINITY else min(amount, most)
            resource.prlimit(pid, kind, (held, held))
