"""Ways for two seats to talk by files that both see: threat B2."""

from arena.doctor.probe import Probe, Seats

_SHARED = """
import os
SHARED = "/usr/bin/env"
"""
"""A file that both see, and neither may write."""


def _channel(name: str, threats: str, tries: str, code: str) -> Probe:
    return Probe(name, tuple(threats.split()), tries, code, seats=Seats.TWO)


PROBES: tuple[Probe, ...] = (
    _channel(
        "seats-flock",
        "B2",
        "locks a file that both see, as a whole",
        _SHARED
        + """
import fcntl
file = os.open(SHARED, os.O_RDONLY)
def hold():
    fcntl.flock(file, fcntl.LOCK_EX)
def drop():
    fcntl.flock(file, fcntl.LOCK_UN)
def sense():
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        fcntl.flock(file, fcntl.LOCK_UN)
        return True
    except BlockingIOError:
        return False
""",
    ),
    *(
        _channel(
            f"seats-{kind}-lock",
            "B2",
            f"locks bytes of a file that both see, by {said}",
            _SHARED
            + f"""
import fcntl, struct
file = os.open(SHARED, os.O_RDONLY)
def lock(kind):
    return struct.pack("hhqqi4x", kind, 0, 0, 100, 0)
def hold():
    fcntl.fcntl(file, {set_lock}, lock(0))
def drop():
    fcntl.fcntl(file, {set_lock}, lock(2))
def sense():
    return struct.unpack("hhqqi4x", fcntl.fcntl(file, {get_lock}, lock(1)))[0]
""",
        )
        for kind, set_lock, get_lock, said in (
            ("posix", 6, 5, "its process"),
            ("ofd", 37, 36, "its open file"),
        )
    ),
    _channel(
        "seats-lease",
        "B2",
        "has a file open, for which the other then gets no lease",
        """
import fcntl
made = []
def hold():
    made.append(os.open("data", os.O_RDONLY))
def drop():
    while made:
        os.close(made.pop())
def sense():
    file = os.open("data", os.O_RDONLY)
    try:
        fcntl.fcntl(file, 1024, 1)
        return True
    except BlockingIOError:
        return False
    finally:
        os.close(file)
""",
    ),
    _channel(
        "seats-write-hint",
        "B2",
        "gives a file that both see a hint about how long it will live",
        """
import fcntl, struct
file = os.open("data", os.O_RDONLY)
def hold():
    fcntl.fcntl(file, 1036, struct.pack("Q", 5))
def drop():
    fcntl.fcntl(file, 1036, struct.pack("Q", 2))
def sense():
    return struct.unpack("Q", fcntl.fcntl(file, 1035, struct.pack("Q", 0)))[0]
""",
    ),
    *(
        _channel(
            f"seats-{name}",
            "B2",
            f"opens a file that both see, of which the other is told by {name}",
            _SHARED
            + code
            + """
def hold():
    with open(SHARED, "rb") as file:
        file.read(1)
def drop():
    pass
""",
        )
        for name, code in (
            (
                "inotify",
                """
watch = None
def sense():
    global watch
    if watch is None:
        watch = call("inotify_init1", os.O_NONBLOCK)
        call("inotify_add_watch", watch, SHARED.encode(), 0x20)
    try:
        return len(os.read(watch, 4096)) > 0
    except BlockingIOError:
        return False
""",
            ),
            (
                "fanotify",
                """
watch = None
def sense():
    global watch
    if watch is None:
        watch = call("fanotify_init", 0x202, 0)
        call("fanotify_mark", watch, 1, 0x20, -100, SHARED.encode())
    try:
        return len(os.read(watch, 4096)) > 0
    except BlockingIOError:
        return False
""",
            ),
            (
                "dnotify",
                """
import fcntl, signal
heard = []
watch = None
def sense():
    global watch
    if watch is None:
        signal.signal(signal.SIGIO, lambda *_: heard.append(1))
        watch = os.open(os.path.dirname(SHARED), os.O_RDONLY)
        fcntl.fcntl(watch, 1026, 0x80000001)
    got, heard[:] = bool(heard), []
    return got
""",
            ),
        )
    ),
    _channel(
        "seats-access-time",
        "B2",
        "reads a file, whose time of access the other looks at",
        """
path = os.path.join(os.getcwd(), "attacker.py")
def hold():
    with open(path) as file:
        file.read(1)
def drop():
    pass
def sense():
    seen = os.stat(path).st_atime_ns
    # The system writes it once a day, or when it is older than the file.
    os.utime(path, ns=(0, os.stat(path).st_mtime_ns))
    return seen
""",
    ),
    _channel(
        "seats-device-time",
        "B2",
        "sets the time of a device file that both have",
        """
import time
def hold():
    time.sleep(0.005)
    os.utime("/dev/null")
def drop():
    pass
last = [0]
def sense():
    before, last[0] = last[0], os.stat("/dev/null").st_mtime_ns
    return before != last[0]
""",
    ),
    _channel(
        "seats-bundle-pipe",
        "B2 D2",
        "uses a named pipe that was among the files of the bot",
        """
held = []
path = os.path.join(os.getcwd(), "pipe")
def hold():
    held.append(os.open(path, os.O_RDWR | os.O_NONBLOCK))
def drop():
    while held:
        os.close(held.pop())
def sense():
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
        return True
    except OSError as error:
        if error.errno != 6:
            raise
        return False
""",
    ),
    _channel(
        "seats-futex",
        "B2",
        "sleeps on a word of a file that both have mapped, and is counted when woken",
        _SHARED
        + """
import mmap, threading, time
page = mmap.mmap(os.open(SHARED, os.O_RDONLY), 4096, flags=1, prot=1)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int,
                      ctypes.c_int, ctypes.c_long]
at = libc.mmap(None, 4096, 1, 1, os.open(SHARED, os.O_RDONLY), 0)
word = ctypes.c_uint32.from_address(at).value
def wait():
    class Span(ctypes.Structure):
        _fields_ = [("s", ctypes.c_long), ("ns", ctypes.c_long)]
    try:
        call("futex", ctypes.c_void_p(at), 0, word, ctypes.byref(Span(0, 50000000)), 0, 0)
    except OSError:
        pass
def hold():
    threading.Thread(target=wait, daemon=True).start()
    time.sleep(0.01)
def drop():
    pass
def sense():
    return call("futex", ctypes.c_void_p(at), 1, 100, 0, 0, 0) > 0
""",
    ),
)
