"""Ways for two seats to talk beside the table, by what both can reach: threats B1, B2 and B9."""

from arena.doctor.probe import Kept, Probe, Seats

_SHARED = """
import os
SHARED = "/usr/bin/env"
"""
"""A file that both see, and neither may write."""


def _channel(name: str, threats: str, tries: str, code: str, kept: Kept = Kept.SANDBOXED) -> Probe:
    return Probe(name, tuple(threats.split()), tries, code, seats=Seats.TWO, kept=kept)


PROBES: tuple[Probe, ...] = (
    _channel(
        "seats-abstract-socket",
        "B1",
        "listens on an abstract unix socket, to which the other connects",
        """
import socket
made = []
def hold():
    drop()
    made.append(socket.socket(socket.AF_UNIX))
    made[-1].bind("\\0arena-doctor-" + decoy["mark"])
    made[-1].listen()
def drop():
    while made:
        made.pop().close()
def sense():
    with socket.socket(socket.AF_UNIX) as other:
        return other.connect_ex("\\0arena-doctor-" + decoy["mark"]) == 0
""",
    ),
    _channel(
        "seats-loopback",
        "B1",
        "listens on a port of the loopback",
        """
import socket
made = []
def hold():
    drop()
    made.append(socket.create_server(("127.0.0.1", decoy["tcp"] ^ 1)))
def drop():
    while made:
        made.pop().close()
def sense():
    with socket.socket() as other:
        return other.connect_ex(("127.0.0.1", decoy["tcp"] ^ 1)) == 0
""",
    ),
    *(
        _channel(
            f"seats-file-{place}",
            "B1",
            f"makes a file in {said}, which the other sees",
            f"""
path = os.path.join({folder}, "arena-doctor-" + decoy["mark"][:9])
def hold():
    open(path, "w").close()
def drop():
    if os.path.exists(path):
        os.unlink(path)
def sense():
    return os.path.exists(path)
""",
        )
        for place, folder, said in (
            ("tmp", "'/tmp'", "/tmp"),  # noqa: S108 - the sandbox's own, or nobody's
            ("shm", "'/dev/shm'", "/dev/shm"),  # noqa: S108 - the sandbox's own, or nobody's
            ("bot", "os.getcwd()", "the folder of the bot"),
        )
    ),
    _channel(
        "seats-proc",
        "B1",
        "names a thread, which the other finds in /proc",
        """
name = decoy["mark"][:12]
def hold():
    open("/proc/self/comm", "w").write(name)
def drop():
    open("/proc/self/comm", "w").write("python")
def sense():
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if open(f"/proc/{pid}/comm").read().strip() == name:
                return True
        except OSError:
            pass
    return False
""",
    ),
    _channel(
        "seats-signal",
        "B1",
        "sends a signal to the other",
        """
import signal
count = [0]
def heard(*_):
    count[0] += 1
signal.signal(signal.SIGUSR2, heard)
def hold():
    os.kill(peer, signal.SIGUSR2)
def drop():
    pass
def sense():
    heard, count[0] = count[0], 0
    return heard > 0
""",
    ),
    _channel(
        "seats-shared-memory",
        "B1",
        "makes shared memory of System V, which the other finds by its key",
        """
key = int(decoy["mark"][:7], 16)
def hold():
    call("shmget", key, 4096, 0o1600)
def drop():
    try:
        call("shmctl", call("shmget", key, 0, 0), 0, 0)
    except FileNotFoundError:
        pass
def sense():
    try:
        return call("shmget", key, 0, 0) >= 0
    except FileNotFoundError:
        return False
""",
    ),
    _channel(
        "seats-message-queue",
        "B1",
        "makes a message queue of System V, which the other finds by its key",
        """
key = int(decoy["mark"][:7], 16)
def hold():
    call("msgget", key, 0o1600)
def drop():
    try:
        call("msgctl", call("msgget", key, 0), 0, 0)
    except FileNotFoundError:
        pass
def sense():
    try:
        return call("msgget", key, 0) >= 0
    except FileNotFoundError:
        return False
""",
    ),
    _channel(
        "seats-semaphore",
        "B1",
        "makes a semaphore of System V, which the other finds by its key",
        """
key = int(decoy["mark"][:7], 16)
def hold():
    call("semget", key, 1, 0o1600)
def drop():
    try:
        call("semctl", call("semget", key, 0, 0), 0, 0)
    except FileNotFoundError:
        pass
def sense():
    try:
        return call("semget", key, 0, 0) >= 0
    except FileNotFoundError:
        return False
""",
    ),
    _channel(
        "seats-posix-queue",
        "B1",
        "makes a POSIX message queue, which the other opens by its name",
        """
name = b"arena-" + decoy["mark"][:8].encode()
def hold():
    os.close(call("mq_open", name, 0o102, 0o600, 0))
def drop():
    try:
        call("mq_unlink", name)
    except FileNotFoundError:
        pass
def sense():
    try:
        os.close(call("mq_open", name, 0, 0, 0))
        return True
    except FileNotFoundError:
        return False
""",
    ),
    _channel(
        "seats-keyring",
        "B1",
        "keeps a key in the keyring of its user, where the other looks for it",
        """
name = b"arena-" + decoy["mark"][:8].encode()
def hold():
    call("add_key", b"user", name, b"x", 1, -4)
def drop():
    try:
        call("keyctl", 9, call("keyctl", 10, -4, b"user", name, 0), -4)
    except OSError:
        pass
def sense():
    try:
        return call("keyctl", 10, -4, b"user", name, 0) > 0
    except OSError as error:
        if error.errno == 1:
            raise
        return False
""",
    ),
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
    _channel(
        "seats-stderr",
        "B9",
        "writes to standard error, which the other reads",
        """
def hold():
    os.write(2, b"x")
def drop():
    pass
last = [0]
def sense():
    before, last[0] = last[0], os.fstat(2).st_size
    return before != last[0]
""",
        Kept.EVERYWHERE,
    ),
)
