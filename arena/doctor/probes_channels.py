"""Ways for two seats to talk by what systems offer for that: threats B1 and B9."""

from arena.doctor.probe import Kept, Probe, Seats


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
