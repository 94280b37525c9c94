"""Attacks on what bots may not know, and on other processes: threats A1 to A4, A7 and A8."""

from arena.doctor.probe import Kept, Probe, Seats

_PARENT = """
def parent():
    return open(f"/proc/{os.getppid()}/stat").read().rpartition(")")[2].split()[1]
"""

PROBES: tuple[Probe, ...] = (
    Probe(
        "proc-mem",
        ("A1",),
        "reads the referee's memory through /proc",
        """
def attack():
    with open(f"/proc/{decoy['pid']}/mem", "rb", 0) as memory:
        memory.seek(decoy["address"])
        return memory.read(decoy["length"]).decode()
""",
    ),
    Probe(
        "proc-environ",
        ("A1",),
        "reads the referee's environment through /proc",
        """
def attack():
    return open(f"/proc/{decoy['pid']}/environ").read()
""",
    ),
    Probe(
        "proc-cmdline",
        ("A1",),
        "reads the referee's command line through /proc",
        """
def attack():
    return open(f"/proc/{decoy['pid']}/cmdline").read()
""",
    ),
    Probe(
        "proc-fd",
        ("A1",),
        "reads a file that the referee has open, through /proc",
        """
def attack():
    return open(f"/proc/{decoy['pid']}/fd/{decoy['descriptor']}").read()
""",
    ),
    Probe(
        "proc-forge",
        ("A1",),
        "writes into the output of a rival through /proc",
        """
def attack():
    with open(f"/proc/{decoy['rival']}/fd/{decoy['output']}", "w") as output:
        output.write(name)
""",
    ),
    Probe(
        "proc-all",
        ("A1",),
        "looks through the environment and command line of every process there is",
        """
def attack():
    seen = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        for file in "environ", "cmdline":
            try:
                seen.append(open(f"/proc/{pid}/{file}").read())
            except OSError:
                pass
    return "".join(seen)
""",
    ),
    Probe(
        "parent-memory",
        ("A1",),
        "searches the memory of the process that started it",
        _PARENT
        + """
import re
def attack():
    found = set()
    with open(f"/proc/{parent()}/mem", "rb", 0) as memory:
        for line in open(f"/proc/{parent()}/maps").read().splitlines():
            start, end = (int(word, 16) for word in line.split()[0].split("-"))
            if " rw-p " in line and end - start < 1 << 26:
                memory.seek(start)
                try:
                    found.update(re.findall(b"ARENA_DOCTOR=([0-9a-f]+)", memory.read(end - start)))
                except OSError:
                    pass
    return b" ".join(found).decode()
""",
    ),
    Probe(
        "parent-root",
        ("A2", "A1"),
        "goes to the host's files through the root of the process that started it",
        _PARENT
        + """
def attack():
    return open(f"/proc/{parent()}/root{decoy['folder']}/arena.db").read()
""",
    ),
    Probe(
        "ptrace",
        ("A1",),
        "attaches to the referee as a debugger and reads its memory",
        """
def attack():
    pid = decoy["pid"]
    call("ptrace", 16, pid, 0, 0)
    try:
        os.waitpid(pid, 0x40000000)
        word = ctypes.c_long()
        words = b""
        for offset in range(0, decoy["length"], 8):
            call("ptrace", 2, pid, decoy["address"] + offset, ctypes.byref(word))
            words += word.value.to_bytes(8, "little", signed=True)
        return words.decode()
    finally:
        call("ptrace", 17, pid, 0, 0)
""",
    ),
    Probe(
        "process-vm-readv",
        ("A1",),
        "copies the referee's memory by one system call",
        """
def attack():
    class Part(ctypes.Structure):
        _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]

    here = ctypes.create_string_buffer(decoy["length"])
    mine = Part(ctypes.addressof(here), decoy["length"])
    other = Part(decoy["address"], decoy["length"])
    call("process_vm_readv", decoy["pid"], ctypes.byref(mine), 1, ctypes.byref(other), 1, 0)
    return here.raw.decode()
""",
    ),
    Probe(
        "pidfd-getfd",
        ("A1",),
        "takes a descriptor out of the referee",
        """
def attack():
    there = call("pidfd_open", decoy["pid"], 0)
    taken = call("pidfd_getfd", there, decoy["descriptor"], 0)
    return os.pread(taken, 100, 0).decode()
""",
    ),
    Probe(
        "home-file",
        ("A2",),
        "reads the database in arena's home",
        """
def attack():
    return open(decoy["folder"] + "/arena.db").read()
""",
    ),
    Probe(
        "other-bot",
        ("A2",),
        "reads the files of another bot",
        """
def attack():
    return open(decoy["folder"] + "/bots/other/bot.py").read()
""",
    ),
    Probe(
        "home-write",
        ("A2",),
        "writes into the database in arena's home",
        """
def attack():
    open(decoy["folder"] + "/arena.db", "a").close()
    return GOT
""",
    ),
    Probe(
        "host-files",
        ("A2",),
        "reads files of the host: accounts, settings, logs, devices",
        """
def attack():
    for path in "/etc/passwd", "/etc/hostname", "/etc/resolv.conf", "/var", "/run", "/boot", "/sys":
        try:
            if os.listdir(path) if os.path.isdir(path) else open(path).read():
                return GOT
        except OSError as error:
            last = error
    raise last
""",
    ),
    Probe(
        "descriptors",
        ("A3",),
        "reads whatever descriptors it was handed by mistake",
        """
def attack():
    seen = b""
    for descriptor in range(3, 256):
        try:
            seen += os.pread(descriptor, 1000, 0)
        except OSError:
            pass
    return seen.decode(errors="replace")
""",
        kept=Kept.EVERYWHERE,
    ),
    Probe(
        "environment",
        ("A3",),
        "reads the environment that it was started with",
        """
def attack():
    return os.environ.get(decoy["variable"])
""",
        kept=Kept.EVERYWHERE,
    ),
    *(
        Probe(
            f"notes-{place}",
            ("A4", "B8"),
            f"leaves a note in {said} for a later process",
            f"""
path = os.path.join({folder}, "arena-doctor-" + decoy["mark"][:8])
def attack():
    with open(path, "w") as note:
        note.write("got " + "it")
def find():
    try:
        return open(path).read()
    finally:
        os.unlink(path)
""",
            seats=Seats.LATER,
        )
        for place, folder, said in (
            ("bot", "os.getcwd()", "its own folder"),
            ("home", "os.environ['HOME']", "its home"),
            ("tmp", "'/tmp'", "/tmp"),
            ("shm", "'/dev/shm'", "/dev/shm"),
            ("var", "'/var/tmp'", "/var/tmp"),
        )
    ),
    Probe(
        "write-usr",
        ("A4", "A2"),
        "writes into the programs and settings of the system",
        """
def attack():
    for folder in "/usr", "/usr/bin", "/etc", "/":
        path = f"{folder}/arena-doctor-{decoy['mark'][:8]}"
        try:
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY))
        except OSError as error:
            last = error
        else:
            os.unlink(path)
            return GOT
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
        "makes the referee the last to get a processor",
        """
def attack():
    os.setpriority(os.PRIO_PROCESS, decoy["pid"], 19)
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
        "moves the referee to one processor",
        """
def attack():
    os.sched_setaffinity(decoy["rival"], os.sched_getaffinity(0))
    os.sched_getaffinity(decoy["rival"])
    return GOT
""",
    ),
)
