"""Attacks on the limit of memory: threat C1."""

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
        time.sleep(decoy["patience"])
        return left > 1.2 * LIMIT
    finally:
        for child in holders:
            os.kill(child, 9)
""",
    ),
)
