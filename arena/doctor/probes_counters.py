"""Ways for two seats to talk by what the kernel counts for all: threat B3."""

from arena.doctor.probe import Kept, Probe, Seats


def _counter(
    name: str,
    tries: str,
    code: str,
    kept: Kept = Kept.SANDBOXED,
    *,
    quick: bool = False,
) -> Probe:
    return Probe(name, ("B3",), tries, code, seats=Seats.TWO, kept=kept, quick=quick)


_NUMBERS = """
import re
LEVELS = "meminfo", "buddyinfo", "loadavg", "sys/fs/file-nr", "sys/fs/inode-nr", "pressure/cpu"
SUMS = ("stat", "vmstat", "interrupts", "softirqs", "schedstat", "diskstats", "uptime",
        "self/net/softnet_stat", "self/net/sockstat", "self/net/protocols")
def numbers_in(name):
    try:
        with open("/proc/" + name, "rb") as file:
            text = file.read(16000).decode(errors="replace")
    except OSError:
        return {}
    found = re.findall(r"(?<![0-9.])[0-9]+[.]?[0-9]*(?![0-9.])", text)[:130]
    return {f"{name}:{at}": float(number) for at, number in enumerate(found)}
before = {}
def figures():
    seen = {}
    for name in LEVELS + SUMS:
        now = numbers_in(name)
        if name in SUMS[:7]:
            for key, value in now.items():
                seen[key] = value - before.get(key, 0)
            before.update(now)
        else:
            seen.update(now)
    return seen
def sense():
    return figures()
"""

_LAST = """
last = [0]
def change(number):
    before, last[0] = last[0], number
    return number - before
"""

PROBES: tuple[Probe, ...] = (
    _counter(
        "count-proc-memory",
        "fills memory, which the other reads off the host's files in /proc",
        _NUMBERS
        + """
made = []
def hold():
    made[:] = [bytes([1]) * (40 << 20)]
def drop():
    made.clear()
""",
    ),
    _counter(
        "count-proc-processes",
        "starts processes, which the other reads off the host's files in /proc",
        _NUMBERS
        + """
def hold():
    for _ in range(30):
        child = os.fork()
        if child == 0:
            os._exit(0)
        os.waitpid(child, 0)
def drop():
    pass
""",
    ),
    _counter(
        "count-sysinfo",
        "runs processes, which the other reads off the system's figures",
        """
import os, signal, time
made = []
def hold():
    for _ in range(50):
        made.append(os.fork())
        if made[-1] == 0:
            time.sleep(5)
            os._exit(0)
def drop():
    while made:
        os.kill(made[-1], signal.SIGKILL)
        os.waitpid(made.pop(), 0)
def sense():
    words = (ctypes.c_ushort * 64)()
    call("sysinfo", words)
    return words[40]
""",
    ),
    _counter(
        "count-pids",
        "starts processes, which the other sees in the number of its own next one",
        _LAST
        + """
def started():
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return child
def hold():
    for _ in range(30):
        started()
def drop():
    pass
def sense():
    return change(started())
""",
        quick=True,
    ),
    _counter(
        "count-disk",
        "fills a disk, of which the other asks how much is free",
        """
path = f"/tmp/arena-doctor-{decoy['mark'][:8]}"
def hold():
    with open(path, "wb") as file:
        file.write(bytes(3 << 20))
        file.flush()
        os.fsync(file.fileno())
def drop():
    if os.path.exists(path):
        os.unlink(path)
def sense():
    seen = {}
    for at in "/", "/usr", "/tmp", "/dev/shm", "/dev", os.getcwd(), "/proc":
        it = os.statvfs(at)
        seen[at] = it.f_bfree
        seen[at + "#"] = it.f_ffree
    return seen
""",
        quick=True,
    ),
    _counter(
        "count-pipes",
        "makes pipes, which the other sees in the number of its own next one",
        _LAST
        + """
def made():
    ends = os.pipe()
    number = os.fstat(ends[0]).st_ino
    os.close(ends[0]), os.close(ends[1])
    return number
def hold():
    for _ in range(400):
        made()
def drop():
    pass
def sense():
    return change(made())
""",
        Kept.STRICTLY,
    ),
    _counter(
        "count-sockets",
        "makes sockets, which the other sees in the number of its own next one",
        _LAST
        + """
import socket
def made():
    with socket.socket(socket.AF_UNIX) as one:
        return os.fstat(one.fileno()).st_ino
def hold():
    for _ in range(400):
        made()
def drop():
    pass
def sense():
    return change(made())
""",
        Kept.STRICTLY,
    ),
    _counter(
        "count-cookies",
        "asks for the cookies of sockets, which the kernel counts for all",
        _LAST
        + """
import socket, struct
def made():
    with socket.socket(socket.AF_UNIX) as one:
        return struct.unpack("Q", one.getsockopt(socket.SOL_SOCKET, 57, 8))[0]
def hold():
    for _ in range(400):
        made()
def drop():
    pass
def sense():
    return change(made())
""",
        quick=True,
    ),
    _counter(
        "count-pidfds",
        "makes descriptors of processes, whose numbers the kernel counts for all",
        _LAST
        + """
def made():
    it = call("pidfd_open", os.getpid(), 0)
    number = os.fstat(it).st_ino
    os.close(it)
    return number
def started():
    child = os.fork()
    if child == 0:
        os._exit(0)
    number = made()
    os.waitpid(child, 0)
def hold():
    for _ in range(30):
        started()
def drop():
    pass
def sense():
    child = os.fork()
    if child == 0:
        os._exit(0)
    it = call("pidfd_open", child, 0)
    number = os.fstat(it).st_ino
    os.close(it)
    os.waitpid(child, 0)
    return change(number)
""",
        quick=True,
    ),
    _counter(
        "count-clone-pidfds",
        "starts processes with a descriptor each, whose numbers the kernel counts for all",
        _LAST
        + """
def started():
    it = ctypes.c_int(-1)
    child = call("clone", 0x1000 | 17, 0, ctypes.byref(it), 0, 0)
    if child == 0:
        os._exit(0)
    number = os.fstat(it.value).st_ino
    os.close(it.value)
    os.waitpid(child, 0)
    return number
def hold():
    for _ in range(30):
        started()
def drop():
    pass
def sense():
    return change(started())
""",
        quick=True,
    ),
    _counter(
        "count-eventfds",
        "makes descriptors of events, whose numbers the other finds taken",
        """
made = []
def number():
    it = os.eventfd(0)
    try:
        words = open(f"/proc/self/fdinfo/{it}").read()
        return int(words.split("eventfd-id:")[1].split()[0])
    finally:
        os.close(it)
def hold():
    drop()
    made.extend(os.eventfd(0) for _ in range(60))
def drop():
    while made:
        os.close(made.pop())
def sense():
    return number()
""",
        Kept.STRICTLY,
    ),
    _counter(
        "count-network",
        "opens sockets and sends through the loopback, which the other reads in /proc/net",
        _NUMBERS
        + """
import socket
made = []
def hold():
    drop()
    for _ in range(40):
        try:
            made.append(socket.socket())
        except OSError:
            made.extend(socket.socketpair())
            made[-1].send(b"x" * 1000)
            continue
        try:
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
                one.sendto(b"x", ("127.0.0.1", 9))
        except OSError:
            pass
def drop():
    while made:
        made.pop().close()
""",
    ),
    _counter(
        "count-autobind",
        "has the kernel name sockets, by a number that it counts for all",
        _LAST
        + """
import socket
def made():
    with socket.socket(socket.AF_UNIX) as one:
        one.bind("")
        return int(one.getsockname()[1:], 16)
def hold():
    for _ in range(50):
        made()
def drop():
    pass
def sense():
    return change(made())
""",
        Kept.STRICTLY,
    ),
)
