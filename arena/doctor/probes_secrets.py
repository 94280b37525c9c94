"""Attacks on what bots may neither read nor write: threats A1 to A4, and B8."""

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
            ("tmp", "'/tmp'", "/tmp"),  # noqa: S108 - the sandbox's own, or nobody's
            ("shm", "'/dev/shm'", "/dev/shm"),  # noqa: S108 - the sandbox's own, or nobody's
            ("var", "'/var/tmp'", "/var/tmp"),  # noqa: S108 - the sandbox's own, or nobody's
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
)
