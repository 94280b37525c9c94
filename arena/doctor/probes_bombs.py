"""Attacks on other limits, and processes that outlive their bot: threats C1, C3 and C4."""

from arena.doctor.probe import Kept, Probe

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
