"""Attacks on what a bot could reach beyond its pipes: threats A5, A7 and A8."""

from arena.doctor.probe import Probe

_CALLER = """
import socket
def reach(kind, address):
    with socket.socket(kind) as made:
        made.settimeout(2)
        made.connect(address)
        return made.recv(100).decode()
"""

PROBES: tuple[Probe, ...] = (
    Probe(
        "tcp",
        ("A5",),
        "connects to a port of the host",
        _CALLER
        + """
def attack():
    return reach(socket.AF_INET, ("127.0.0.1", decoy["tcp"]))
""",
    ),
    Probe(
        "udp",
        ("A5",),
        "sends a datagram to a port of the host, as a query of a name would",
        """
import socket, time
def attack():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made:
        made.sendto(name.encode(), ("127.0.0.1", decoy["udp"]))
    time.sleep(0.05)
""",
    ),
    Probe(
        "abstract-socket",
        ("A5",),
        "connects to an abstract unix socket of the host",
        _CALLER
        + """
def attack():
    return reach(socket.AF_UNIX, "\\0" + decoy["abstract"])
""",
    ),
    Probe(
        "path-socket",
        ("A5",),
        "connects to a unix socket in the file system of the host, as docker.sock is one",
        _CALLER
        + """
def attack():
    return reach(socket.AF_UNIX, decoy["folder"] + "/socket")
""",
    ),
    Probe(
        "named-pipe",
        ("A5",),
        "writes into a named pipe of the host",
        """
import time
def attack():
    descriptor = os.open(decoy["folder"] + "/pipe", os.O_WRONLY | os.O_NONBLOCK)
    os.write(descriptor, name.encode())
    time.sleep(0.05)
""",
    ),
    Probe(
        "interfaces",
        ("A5",),
        "finds a way out of the machine: a network interface beside the loopback",
        """
import socket
def attack():
    names = {line.split(":")[0].strip() for line in open("/proc/self/net/dev").readlines()[2:]}
    return GOT if names - {"lo"} else None
""",
    ),
    Probe(
        "netlink",
        ("A5", "A6"),
        "talks to the kernel's network through a netlink socket",
        """
import socket
def attack():
    socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0).bind((0, 0))
    return GOT
""",
    ),
    Probe(
        "raw-socket",
        ("A5", "A6"),
        "opens a raw socket, or one for packets",
        """
import socket
def attack():
    for family, kind, protocol in (socket.AF_INET, 3, 255), (socket.AF_PACKET, 3, 768):
        try:
            socket.socket(family, kind, protocol)
            return GOT
        except OSError as error:
            last = error
    raise last
""",
    ),
    Probe(
        "other-sockets",
        ("A5", "A6"),
        "opens a socket of a family that no namespace covers: vsock, crypto and the like",
        """
import socket
def attack():
    for family in range(3, 50):
        if family in (socket.AF_INET6, socket.AF_NETLINK, socket.AF_PACKET):
            continue
        for kind in socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET:
            try:
                socket.socket(family, kind)
                return GOT
            except OSError as error:
                last = error
    raise last
""",
    ),
    Probe(
        "terminal",
        ("A7",),
        "types a character into the operator's terminal",
        """
def attack():
    import fcntl
    if child := os.fork():
        return GOT if os.waitpid(child, 0)[1] == 0 else None
    try:
        os.setsid()
        fcntl.ioctl(os.open(decoy["terminal"], os.O_RDWR), 0x5412, b"x")
        os._exit(0)
    finally:
        os._exit(1)
""",
    ),
    Probe(
        "controlling-terminal",
        ("A7",),
        "opens the terminal that arena was started from",
        """
def attack():
    os.close(os.open("/dev/tty", os.O_RDWR))
    return GOT
""",
    ),
    Probe(
        "signal",
        ("A8",),
        "sends a signal to the referee",
        """
def attack():
    import time
    os.kill(decoy["pid"], 10)
    time.sleep(0.05)
""",
    ),
    Probe(
        "stop",
        ("A8",),
        "stops a rival",
        """
def attack():
    import time
    os.kill(decoy["rival"], 19)
    time.sleep(0.05)
""",
    ),
    Probe(
        "renice",
        ("A8",),
        "makes a rival the last to get a processor",
        """
def attack():
    os.setpriority(os.PRIO_PROCESS, decoy["rival"], 19)
    return GOT
""",
    ),
    Probe(
        "limit-others",
        ("A8",),
        "changes the limits of the referee",
        """
def attack():
    import resource
    resource.prlimit(decoy["pid"], resource.RLIMIT_CORE, (0, 0))
    return GOT
""",
    ),
    Probe(
        "affinity-others",
        ("A8",),
        "moves a rival to one processor",
        """
def attack():
    os.sched_setaffinity(decoy["rival"], os.sched_getaffinity(0))
    os.sched_getaffinity(decoy["rival"])
    return GOT
""",
    ),
)
