"""What every bot finds around it, in each tier: its environment, and limits of the kernel."""

import contextlib
import resource

import msgspec

from arena.referee.limits import Limits, told

_MIB = 1024 * 1024


def environment(home: str, limits: Limits | None) -> dict[str, str]:
    """Return the whole environment of a bot: nothing of the operator's, nothing of the match.

    Args:
        home: a folder that it may write in.
        limits: what it is held to; it is told all but the time for its decisions.
    """
    held = told(limits)
    amounts = {} if held is None else msgspec.structs.asdict(held)
    return {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": home,
        "TMPDIR": home,
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": "1",
        **{f"ARENA_{name.upper()}": str(amount) for name, amount in amounts.items()},
    }


def resources(limits: Limits | None) -> dict[str, int]:
    """Return the kernel's limits for each process of a bot, by the name that prlimit(1) uses."""
    if limits is None:
        return {}
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


def limit(pid: int, limits: Limits | None) -> None:
    """Hold the process ``pid``, and all that it starts from now on, to ``limits``."""
    for name, amount in resources(limits).items():
        kind = getattr(resource, f"RLIMIT_{name.upper()}")
        with contextlib.suppress(ProcessLookupError):
            _, most = resource.prlimit(pid, kind)
            held = amount if most == resource.RLIM_INFINITY else min(amount, most)
            resource.prlimit(pid, kind, (held, held))
