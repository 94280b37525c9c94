"""Attacks on limits, and processes that outlive their bot: threats C1, C3 and C4."""

from arena.doctor.probe import Kept, Probe, Seats

_HOLD = """
import mmap, time
LIMIT = decoy["memory"] << 20
def touched(made):
    step = 4096
    for start in range(0, len(made), step):
        made[start] = 1
    return made
def attack():
    made = fill()
    # For so long that whoever looks now and then must notice.
    time.sleep(decoy["patience"])
    return GOT if made else None
"""
"""Holds three times the memory that it is allowed, for long enough that it could be noticed."""


def _memory(name: str, tries: str, fill: str, kept: Kept = Kept.SANDBOXED) -> Probe:
    return Probe(
        f"memory-{name}", ("C1",), tries, _HOLD + fill, seats=Seats.ALONE, kept=kept, quick=False
    )


_OUTLIVING = """
import subprocess, sys, time
SLEEP = "import time; time.sleep(30)"
def mark():
    return decoy["mark"] + name
def started():
    until = time.monotonic() + 2
    while time.monotonic() < until:
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                if mark() in open(f"/proc/{pid}/cmdline").read() and int(pid) != os.getpid():
                    return
            except OSError:
                pass
"""

PROBES: tuple[Probe, ...] = (
    _memory(
        "private",
        "fills three times the memory it may have",
        """
def fill():
    return [touched(mmap.mmap(-1, LIMIT, flags=0x22)) for _ in range(3)]
""",
        Kept.EVERYWHERE,
    ),
    _memory(
        "shared",
        "fills memory that is shared, and so counted nowhere",
        """
def fill():
    return [touched(mmap.mmap(-1, LIMIT, flags=0x21)) for _ in range(3)]
""",
    ),
    _memory(
        "zero",
        "fills shared memory by way of /dev/zero",
        """
def fill():
    device = os.open("/dev/zero", os.O_RDWR)
    return [touched(mmap.mmap(device, LIMIT, flags=0x01)) for _ in range(3)]
""",
    ),
    _memory(
        "memfd",
        "fills files in memory that have no name",
        """
def fill():
    made = os.memfd_create("x")
    os.ftruncate(made, 3 * LIMIT)
    return touched(mmap.mmap(made, 3 * LIMIT))
""",
    ),
    _memory(
        "sysv",
        "fills shared memory of System V",
        """
def fill():
    there = call("shmget", 0, 3 * LIMIT, 0o1600)
    libc.shmat.restype = ctypes.c_void_p
    at = libc.shmat(there, None, 0)
    call("shmctl", there, 0, 0)
    ctypes.memset(at, 1, 3 * LIMIT)
    return True
""",
    ),
    _memory(
        "stack",
        "fills a mapping that grows downwards, as a stack does",
        """
def fill():
    return [touched(mmap.mmap(-1, LIMIT, flags=0x122)) for _ in range(3)]
""",
    ),
    _memory(
        "recursion",
        "raises the limit on its stack, and fills that",
        """
import resource, sys
PROGRAM = '''
import ctypes, sys
line = next(line for line in open("/proc/self/maps") if "[stack]" in line)
end = int(line.split()[0].split("-")[1], 16)
for at in range(end - 4096, end - int(sys.argv[1]), -4096):
    ctypes.memset(at, 1, 1)
'''
def fill():
    most = resource.getrlimit(resource.RLIMIT_STACK)[1]
    resource.setrlimit(resource.RLIMIT_STACK, (4 * LIMIT, most))
    child = os.fork()
    if child == 0:
        os.execv(sys.executable, [sys.executable, "-I", "-S", "-c", PROGRAM, str(3 * LIMIT)])
    return os.waitpid(child, 0)[1] == 0
""",
    ),
    _memory(
        "children",
        "fills what it may have in each of six processes",
        """
def fill():
    made = []
    for _ in range(6):
        made.append(os.fork())
        if made[-1] == 0:
            filled = touched(mmap.mmap(-1, LIMIT // 2, flags=0x22))
            time.sleep(2)
            os._exit(0 if filled else 1)
    time.sleep(0.4 + decoy["patience"])
    try:
        return all(os.waitpid(child, os.WNOHANG) == (0, 0) for child in made)
    finally:
        for child in made:
            os.kill(child, 9)
""",
    ),
    _memory(
        "files",
        "fills /tmp and /dev/shm",
        """
def fill():
    written = 0
    made = []
    try:
        for folder in "/tmp", "/dev/shm":
            for number in range(30):
                made.append(f"{folder}/arena-doctor-{decoy['mark'][:8]}-{number}")
                with open(made[-1], "wb") as file:
                    written += file.write(bytes(3 << 20))
    except OSError:
        pass
    finally:
        for path in made:
            os.path.exists(path) and os.unlink(path)
    return written > LIMIT
""",
    ),
    _memory(
        "names",
        "makes so many empty files that their names are more than it may have",
        """
import shutil
def fill():
    folder = f"/dev/shm/arena-doctor-{decoy['mark'][:8]}-names"
    os.mkdir(folder)
    try:
        # Each takes about a kibibyte of the kernel's memory, and nothing of the disk.
        for number in range(LIMIT >> 10):
            os.close(os.open(f"{folder}/{number}", os.O_CREAT | os.O_WRONLY))
        time.sleep(decoy["patience"])
        return True
    finally:
        shutil.rmtree(folder)
""",
    ),
    _memory(
        "huge-pages",
        "takes huge pages, of which the machine has few",
        """
def fill():
    return [mmap.mmap(-1, 2 << 20, flags=0x40022)]
""",
    ),
    _memory(
        "page-tables",
        "maps little memory so often that the tables of its pages are more than it may have",
        """
def fill():
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int,
                          ctypes.c_int, ctypes.c_long]
    size = 3 * LIMIT // 4096 << 21
    at = libc.mmap(None, size, 1, 0x4022, -1, 0)
    if at in (None, ctypes.c_void_p(-1).value):
        return None
    sum(ctypes.c_char.from_address(at + start).value == b"x" for start in range(0, size, 1 << 21))
    return True
""",
    ),
    _memory(
        "sockets",
        "leaves more in sockets than it may have",
        """
import socket
def left_in(ends):
    for end in ends:
        end.setblocking(False)
        try:
            while True:
                yield end.send(bytes(65536))
        except BlockingIOError:
            pass
def fill():
    left, holders = 0, []
    try:
        for _ in range(4):
            ends = [end for _ in range(110) for end in socket.socketpair()]
            left += sum(left_in(ends))
            # A child holds them open, so that there is room for more here.
            holders.append(os.fork())
            if holders[-1] == 0:
                time.sleep(3)
                os._exit(0)
            for end in ends:
                end.close()
        return left > 1.2 * LIMIT
    finally:
        for child in holders:
            os.kill(child, 9)
""",
    ),
    Probe(
        "processes",
        ("C1",),
        "runs more processes than it may",
        """
import time
def attack():
    made = []
    try:
        for _ in range(80):
            child = os.fork()
            if child == 0:
                time.sleep(5)
                os._exit(0)
            made.append(child)
        return GOT
    finally:
        for child in made:
            os.kill(child, 9)
            os.waitpid(child, 0)
""",
    ),
    Probe(
        "threads",
        ("C1",),
        "runs more threads than it may",
        """
import threading
def attack():
    done = threading.Event()
    made = []
    try:
        for _ in range(80):
            made.append(threading.Thread(target=done.wait))
            made[-1].start()
        return GOT
    finally:
        done.set()
""",
    ),
    Probe(
        "file-size",
        ("C1",),
        "writes a larger file than it may",
        """
import signal
def attack():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    path = os.environ.get("TMPDIR", "/tmp") + f"/arena-doctor-{decoy['mark'][:8]}"
    try:
        with open(path, "wb") as file:
            file.write(bytes(6 << 20))
        return GOT
    finally:
        os.unlink(path)
""",
        kept=Kept.EVERYWHERE,
    ),
    Probe(
        "open-files",
        ("C1",),
        "opens more files than it may, after raising the limit as far as it can",
        """
import resource
def attack():
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    for _ in range(400):
        os.dup(0)
    return GOT
""",
        kept=Kept.EVERYWHERE,
    ),
    Probe(
        "core-dump",
        ("C1",),
        "makes the kernel write its memory to disk",
        """
import resource
def attack():
    most = resource.getrlimit(resource.RLIMIT_CORE)[1]
    resource.setrlimit(resource.RLIMIT_CORE, (most, most))
    return GOT if most else None
""",
        kept=Kept.EVERYWHERE,
    ),
    Probe(
        "locked-memory",
        ("C1",),
        "locks memory, so that the machine has to swap others out",
        """
import mmap
def attack():
    made = mmap.mmap(-1, 65536)
    at = ctypes.addressof(ctypes.c_char.from_buffer(made))
    if libc.mlock(ctypes.c_void_p(at), ctypes.c_size_t(65536)):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return GOT
""",
    ),
    Probe(
        "priority",
        ("C1", "A8"),
        "runs before everybody else",
        """
def attack():
    try:
        os.setpriority(os.PRIO_PROCESS, 0, -5)
    except OSError:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    return GOT
""",
        kept=Kept.SANDBOXED,
    ),
    Probe(
        "last-to-die",
        ("C1",),
        "has the kernel kill others before it when memory runs out",
        """
def attack():
    before = open("/proc/self/oom_score_adj").read()
    with open("/proc/self/oom_score_adj", "w") as setting:
        setting.write(str(int(before) - 100))
    return GOT
""",
    ),
    Probe(
        "aio",
        ("C1", "B3"),
        "takes requests of asynchronous input and output, of which the machine has few",
        """
def attack():
    call("io_setup", 64, ctypes.byref(ctypes.c_ulong(0)))
    return GOT
""",
    ),
    Probe(
        "flush-disks",
        ("A8", "C1"),
        "makes the whole machine wait for its disks",
        """
def attack():
    # What is not there is not flushed: a filter that only says so does not look.
    return GOT if libc.syncfs(-1) == -1 else None
""",
    ),
    Probe(
        "more-cores",
        ("C4",),
        "runs on more cores than it was given",
        """
def attack():
    given = os.sched_getaffinity(0)
    os.sched_setaffinity(0, range(os.cpu_count() or 1))
    return GOT if os.sched_getaffinity(0) > given else None
""",
    ),
    Probe(
        "orphan",
        ("C3",),
        "leaves a process behind, in a session of its own",
        _OUTLIVING
        + """
def attack():
    subprocess.Popen([sys.executable, "-I", "-S", "-c", SLEEP, mark()], start_new_session=True)
    started()
""",
        kept=Kept.EVERYWHERE,
    ),
    Probe(
        "double-fork",
        ("C3",),
        "leaves a process behind whose parent is gone",
        _OUTLIVING
        + """
def attack():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execv(sys.executable, [sys.executable, "-I", "-S", "-c", SLEEP, mark()])
        os._exit(0)
    os.wait()
    started()
""",
        kept=Kept.EVERYWHERE,
    ),
    Probe(
        "re-forking",
        ("C3",),
        "leaves a process behind that changes its number all the time",
        _OUTLIVING
        + """
def attack():
    again = (
        "import os, time\\n"
        "for _ in range(100):\\n"
        "    time.sleep(0.03)\\n"
        "    if os.fork(): os._exit(0)\\n"
    )
    subprocess.Popen([sys.executable, "-I", "-S", "-c", again, mark()], start_new_session=True)
    started()
""",
        kept=Kept.EVERYWHERE,
    ),
)
