"""Ways for two seats to talk by which pages of files they use, and by load: B3, B4 and B5."""

from arena.doctor.probe import Kept, Probe, Seats

_FILE = """
import mmap, os, resource
SIZE = 65536
file = os.open("data", os.O_RDONLY)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int,
                      ctypes.c_int, ctypes.c_long]
libc.munmap.argtypes = libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
def mapped():
    at = libc.mmap(None, SIZE, 1, 1, file, 0)
    ctypes.string_at(at, SIZE)
    return at
def drop():
    os.pread(file, SIZE, 0)
"""
"""A file that both see: `drop` brings it into memory."""

_EVICT = """
def hold():
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
"""

_FAULT = """
def sense():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_inblock
    os.pread(file, SIZE, 0)
    return resource.getrusage(resource.RUSAGE_SELF).ru_inblock > before
"""

_MAPPED = """
import mmap
file = os.open("/usr/bin/env", os.O_RDONLY)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int,
                      ctypes.c_int, ctypes.c_long]
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
PAGE = 20480
made = []
def mapped():
    at = libc.mmap(None, 4096, 1, 1, file, PAGE)
    ctypes.string_at(at, 1)
    return at
def hold():
    made.append(mapped())
def drop():
    while made:
        libc.munmap(made.pop(), 4096)
"""
"""A page of a file that both see: `hold` maps it."""

_LOAD = """
import os, signal, time
made = []
more = []
def hold():
    for role in spin, spin, *more:
        made.append(os.fork())
        if made[-1] == 0:
            try:
                role()
            finally:
                os._exit(0)
def drop():
    while made:
        os.kill(made[-1], signal.SIGKILL)
        os.waitpid(made.pop(), 0)
def spin():
    begin()
    until = time.monotonic() + 4
    while time.monotonic() < until:
        pass
def begin():
    pass
def sense():
    used = 0
    while made:
        os.kill(made[-1], signal.SIGKILL)
        used += os.wait4(made.pop(), 0)[2].ru_utime
    return GOT if used > 0.1 else None
"""
"""Two processes that keep the core busy, for as long as they are let."""


def _cache(name: str, tries: str, code: str) -> Probe:
    return Probe(f"cache-{name}", ("B4",), tries, _FILE + code, seats=Seats.TWO, quick=False)


def _mapped(name: str, tries: str, code: str, kept: Kept = Kept.SANDBOXED) -> Probe:
    return Probe(
        f"count-{name}", ("B3",), tries, _MAPPED + code, seats=Seats.TWO, kept=kept, quick=False
    )


def _load(name: str, tries: str, code: str) -> Probe:
    return Probe(name, ("B5", "C4"), tries, _LOAD + code, seats=Seats.AWAY, quick=False)


PROBES: tuple[Probe, ...] = (
    _cache(
        "mincore",
        "drops a page of a file, which the other then misses among those in memory",
        _EVICT
        + """
def sense():
    at = libc.mmap(None, SIZE, 1, 1, file, 0)
    try:
        found = ctypes.create_string_buffer(16)
        call("mincore", ctypes.c_void_p(at), SIZE, found)
        return found.raw[0] & 1
    finally:
        libc.munmap(at, SIZE)
""",
    ),
    _cache(
        "preadv2",
        "drops a page of a file, which the other then cannot read without waiting",
        _EVICT
        + """
def sense():
    try:
        return os.preadv(file, [bytearray(SIZE)], 0, os.RWF_NOWAIT) > 0
    except BlockingIOError:
        return False
""",
    ),
    _cache(
        "cachestat",
        "drops a page of a file, which the other then misses in the count of its pages",
        _EVICT
        + """
def sense():
    found = (ctypes.c_uint64 * 5)()
    call(451, file, (ctypes.c_uint64 * 2)(0, SIZE), found, 0)
    return found[0]
""",
    ),
    _cache(
        "faults",
        "drops a page of a file, for which the other then has to wait for the disk",
        _EVICT + _FAULT,
    ),
    _cache(
        "pageout",
        "drops a page by advice on a mapping, for which the other then has to wait",
        """
def hold():
    at = mapped()
    libc.madvise(at, SIZE, 21)
    libc.munmap(at, SIZE)
"""
        + _FAULT,
    ),
    _cache(
        "process-advice",
        "drops a page by advice to itself as if to another process",
        """
class Part(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]
def hold():
    at = mapped()
    try:
        there = call("pidfd_open", os.getpid(), 0)
        try:
            call("process_madvise", there, ctypes.byref(Part(at, SIZE)), 1, 21, 0)
        finally:
            os.close(there)
    finally:
        libc.munmap(at, SIZE)
"""
        + _FAULT,
    ),
    _mapped(
        "shared-pages",
        "maps a page of a file, of which the other sees how often it is mapped",
        """
def sense():
    at = mapped()
    try:
        text = open("/proc/self/smaps").read().split(f"{at:x}-")[1].split("VmFlags")[0]
        lines = [line.split() for line in text.splitlines() if line.endswith("kB")]
        return {line[0]: int(line[1]) for line in lines}
    finally:
        libc.munmap(at, 4096)
""",
        Kept.STRICTLY,
    ),
    _mapped(
        "page-map",
        "maps a page of a file, which the other sees in the map of its own pages",
        """
import struct
def sense():
    at = mapped()
    try:
        with open("/proc/self/pagemap", "rb", 0) as pages:
            pages.seek(at // 4096 * 8)
            return struct.unpack("Q", pages.read(8))[0] >> 56 & 1
    finally:
        libc.munmap(at, 4096)
""",
        Kept.STRICTLY,
    ),
    _mapped(
        "moved-pages",
        "maps a page of a file, which the other then cannot move",
        """
def sense():
    at = mapped()
    try:
        status = ctypes.c_int(1)
        call("move_pages", 0, 1, ctypes.byref(ctypes.c_void_p(at)), ctypes.byref(ctypes.c_int(0)),
             ctypes.byref(status), 2)
        return status.value
    finally:
        libc.munmap(at, 4096)
""",
    ),
    _load("load", "keeps the core busy when it is not its turn", ""),
    _load(
        "load-session",
        "does so in a session of its own, in which nobody looks for it",
        """
def begin():
    os.setsid()
""",
    ),
    _load(
        "load-continue",
        "does so and lets its processes go on as soon as they are stopped",
        """
def wake():
    os.setsid()
    until = time.monotonic() + 4
    while time.monotonic() < until:
        for child in made[:2]:
            os.kill(child, signal.SIGCONT)
more = [wake]
""",
    ),
    _load(
        "load-timer",
        "does so and has a timer of the kernel let them go on",
        """
class Event(ctypes.Structure):
    _fields_ = [("value", ctypes.c_void_p), ("signal", ctypes.c_int), ("kind", ctypes.c_int),
                ("rest", ctypes.c_int * 12)]
def timer():
    made = ctypes.c_void_p()
    event = Event(None, signal.SIGCONT, 0)
    if libc.timer_create(1, ctypes.byref(event), ctypes.byref(made)):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return made
timer()
def begin():
    libc.timer_settime(timer(), 0, (ctypes.c_long * 4)(0, 1000000, 0, 1000000), None)
""",
    ),
)
