"""What a host gives to bots and to whoever plays them, each in one line."""

import contextlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from arena import __version__
from arena.players import seccomp
from arena.players.sandbox import bwrap_version, find_bwrap, isolation
from arena.players.tier import Tier
from arena.wire.escape import printable

_PATIENCE_S = 5.0
_TICKS = 2_000
_SHOWN = 200
_MIB = 1024 * 1024
_UNSHARE = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
print(os.strerror(ctypes.get_errno()) if libc.unshare(0x10000000) else "allowed")
"""
"""Tries to enter a user namespace (CLONE_NEWUSER of sched.h)."""


class Fact(NamedTuple):
    """One thing about this host."""

    name: str
    text: str


def facts() -> list[Fact]:
    """Return what there is here, in the order in which it matters."""
    return [
        Fact("arena", __version__),
        Fact("python", f"{platform.python_version()}, {sys.executable}"),
        Fact("system", f"{platform.system()} {platform.release()} {platform.machine()}"),
        Fact("user", "root" if os.geteuid() == 0 else f"ordinary, id {os.geteuid()}"),
        Fact("isolation", _isolation()),
        Fact("bubblewrap", _bubblewrap()),
        Fact("user namespaces", _said([sys.executable, "-I", "-S", "-c", _UNSHARE])),
        Fact("seccomp", _seccomp()),
        Fact("cgroup", _cgroup()),
        Fact("cores", _cores()),
        Fact("clock", _clock()),
        Fact("node", _node()),
        Fact("temporary folder", _temporary()),
    ]


def _isolation() -> str:
    found = isolation()
    return f"none: {found.lacking}" if found.tier is Tier.NONE else found.tier.value


def _bubblewrap() -> str:
    path = find_bwrap()
    if path is None:
        return "missing"
    version = bwrap_version(path)
    return f"{'.'.join(map(str, version)) if version else 'of unknown version'}, {path}"


def _seccomp() -> str:
    try:
        size = len(seccomp.program()) // seccomp.INSTRUCTION_BYTES
    except seccomp.NoSeccomp as error:
        return str(error)
    with contextlib.suppress(OSError):
        actions = Path("/proc/sys/kernel/seccomp/actions_avail").read_text("ascii").split()
        if {"kill_process", "errno"} <= set(actions):
            return f"filters; ours has {size} instructions"
    return "the kernel does not say that it has filters"


def _cgroup() -> str:
    top = Path("/sys/fs/cgroup")
    with contextlib.suppress(OSError):
        if (top / "cgroup.controllers").exists():
            has = "memory" in (top / "cgroup.controllers").read_text("ascii").split()
            kind = f"version 2, {'with' if has else 'without'} memory"
        elif (top / "memory").is_dir():
            kind = "version 1, with memory"
        else:
            return "none"
        return f"{kind}, {'writable' if os.access(top, os.W_OK) else 'not writable'}"
    return "none"


def _cores() -> str:
    if hasattr(os, "sched_getaffinity"):
        return f"{len(os.sched_getaffinity(0))} of {os.cpu_count()}"
    return str(os.cpu_count())


def _clock() -> str:
    steps = []
    for _ in range(_TICKS):
        began = time.perf_counter_ns()
        while (now := time.perf_counter_ns()) == began:
            pass
        steps.append(now - began)
    resolution = time.get_clock_info("monotonic").resolution
    return f"monotonic, resolution {resolution * 1e9:.0f} ns, seen to step by {min(steps)} ns"


def _node() -> str:
    path = shutil.which("node")
    return f"{_said([path, '--version'])}, {path}" if path else "missing"


def _temporary() -> str:
    folder = tempfile.gettempdir()
    free = shutil.disk_usage(folder).free // _MIB
    return f"{folder}, {free} MiB free"


def _said(argv: list[str]) -> str:
    """Return the first line that a command writes, or why there is none."""
    try:
        ended = subprocess.run(
            argv, capture_output=True, timeout=_PATIENCE_S, check=False, process_group=0
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return printable(str(error), _SHOWN)
    lines = (ended.stdout or ended.stderr).splitlines()
    return printable(lines[0], _SHOWN) if lines else f"exit status {ended.returncode}"
