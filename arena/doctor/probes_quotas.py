"""Ways for two seats to talk by taking up what one user or the machine has little of: threat B3."""

from arena.doctor.probe import Kept, Probe, Seats


def _quota(
    name: str,
    tries: str,
    code: str,
    kept: Kept = Kept.SANDBOXED,
    *,
    quick: bool = False,
) -> Probe:
    return Probe(name, ("B3",), tries, code, seats=Seats.TWO, kept=kept, quick=quick)


PROBES: tuple[Probe, ...] = (
    _quota(
        "count-pipe-pages",
        "takes up what pipes of one user may hold, which makes those of the other small",
        """
import fcntl, signal, time
made = []
def hold():
    drop()
    for _ in range(12):
        made.append(os.fork())
        if made[-1] == 0:
            try:
                for _ in range(110):
                    os.pipe()
                time.sleep(5)
            finally:
                os._exit(0)
    time.sleep(0.02)
def drop():
    while made:
        os.kill(made[-1], signal.SIGKILL)
        os.waitpid(made.pop(), 0)
def sense():
    ends = os.pipe()
    try:
        return fcntl.fcntl(ends[0], 1032)
    finally:
        os.close(ends[0]), os.close(ends[1])
""",
        Kept.BY_ROOT,
    ),
    _quota(
        "count-passed-files",
        "leaves descriptors in a socket, until the other may pass none on",
        """
import socket, array
made = []
def passed(count):
    here, there = socket.socketpair()
    here.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0] * count))])
    return here, there
def hold():
    try:
        for _ in range(40):
            made.append(passed(250))
    except OSError:
        pass
def drop():
    while made:
        for end in made.pop():
            end.close()
def sense():
    try:
        for end in passed(1):
            end.close()
        return 1
    except OSError as error:
        if error.errno != 109:
            raise
        return 0
""",
        Kept.BY_ROOT,
    ),
    _quota(
        "count-queued-signals",
        "queues signals, until the other can queue none",
        """
import resource, signal
signal.pthread_sigmask(signal.SIG_BLOCK, [40])
# What counts is the user's, but each process compares it with a limit of its own.
PENDING = resource.RLIMIT_SIGPENDING
resource.setrlimit(PENDING, (900, resource.getrlimit(PENDING)[1]))
def queued(count):
    for _ in range(count):
        if libc.sigqueue(os.getpid(), 40, 0):
            raise BlockingIOError
def hold():
    try:
        queued(2000)
    except BlockingIOError:
        pass
def drop():
    while signal.sigtimedwait([40], 0):
        pass
def sense():
    try:
        queued(1)
        return 1
    except BlockingIOError:
        return 0
    finally:
        drop()
""",
    ),
    _quota(
        "count-aio",
        "takes all of the requests for asynchronous input and output that the machine has",
        """
made = []
def setup(count):
    it = ctypes.c_ulong(0)
    call("io_setup", count, ctypes.byref(it))
    return it
def hold():
    drop()
    most = int(open("/proc/sys/fs/aio-max-nr").read())
    made.append(setup(most - 2000))
def drop():
    while made:
        call("io_destroy", made.pop())
def sense():
    try:
        call("io_destroy", setup(4000))
        return True
    except BlockingIOError:
        return False
""",
        quick=True,
    ),
)
