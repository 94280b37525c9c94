"""Attacks on the kernel by its devices, settings and rarely used calls: threat A6."""

from arena.doctor.probe import Probe

PROBES: tuple[Probe, ...] = (
    Probe(
        "device-node",
        ("A6",),
        "makes a node for the disk under / and reads it",
        """
import stat
def attack():
    node = f"/tmp/arena-doctor-{decoy['mark'][:8]}"
    os.mknod(node, stat.S_IFCHR | 0o600, os.makedev(1, 11))
    try:
        os.close(os.open(node, os.O_RDONLY | os.O_NONBLOCK))
        return GOT
    finally:
        os.unlink(node)
""",
    ),
    Probe(
        "devices",
        ("A6",),
        "opens a device of the host: log, terminals, virtual machines, disks",
        """
import stat
def attack():
    known = {"null", "zero", "full", "random", "urandom"}
    for name in os.listdir("/dev"):
        path = "/dev/" + name
        if name in known or os.path.islink(path):
            continue
        if stat.S_IFMT(os.stat(path).st_mode) in (stat.S_IFCHR, stat.S_IFBLK):
            try:
                os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))
                return GOT
            except OSError:
                pass
""",
    ),
    Probe(
        "kernel-settings",
        ("A6",),
        "opens a setting of the kernel for writing: the core pattern, the SysRq key",
        """
def attack():
    for path in "sys/kernel/core_pattern", "sysrq-trigger", "sys/vm/drop_caches":
        try:
            os.close(os.open("/proc/" + path, os.O_WRONLY))
            return GOT
        except OSError as error:
            last = error
    raise last
""",
    ),
    Probe(
        "read-settings",
        ("A6", "B3"),
        "reads the settings and counters of the kernel in /proc/sys",
        """
def attack():
    return GOT if open("/proc/sys/fs/file-nr").read() else None
""",
    ),
    Probe(
        "control-groups",
        ("A6",),
        "writes into the control groups of the host",
        """
def attack():
    for top, _, names in os.walk("/sys/fs/cgroup"):
        for name in names:
            if name in ("cgroup.procs", "release_agent"):
                os.close(os.open(f"{top}/{name}", os.O_WRONLY))
                return GOT
""",
    ),
    Probe(
        "io-uring",
        ("A6",),
        "sets up io_uring, by which calls are made that no filter sees",
        """
def attack():
    call("io_uring_setup", 1, ctypes.create_string_buffer(120))
    return GOT
""",
    ),
    Probe(
        "foreign-calls",
        ("A6",),
        "makes a 32-bit system call, whose number means another one",
        """
import mmap
def attack():
    if os.uname().machine != "x86_64":
        return None
    page = mmap.mmap(-1, 4096, prot=7, flags=0x22)
    page.write(b"\\xb8\\x14\\x00\\x00\\x00\\xcd\\x80\\xc3")
    code = ctypes.addressof(ctypes.c_char.from_buffer(page))
    return GOT if ctypes.CFUNCTYPE(ctypes.c_int)(code)() > 0 else None
""",
    ),
    Probe(
        "x32-calls",
        ("A6",),
        "makes a system call by the numbers of x32",
        """
def attack():
    return GOT if call(0x40000000 + 39) > 0 else None
""",
    ),
    Probe(
        "kernel-doors",
        ("A6",),
        "calls into rarely used parts of the kernel: bpf, perf, userfaultfd, modules, kexec, swap",
        """
def attack():
    bad = ctypes.c_void_p(1)
    for words in (
        ("bpf", 0, bad, 4), ("perf_event_open", bad, 0, -1, -1, 0), ("userfaultfd", 1),
        ("init_module", bad, 0, bad), ("kexec_load", 0, 0, bad, -1), ("swapon", bad, 0),
        ("acct", bad), ("quotactl", 0x800000, 0, 0, 0), ("lookup_dcookie", 0, bad, 0),
        ("reboot", 0, 0, 0, 0), ("iopl", 3), ("uselib", bad), ("clock_settime", 0, bad),
        ("settimeofday", bad, 0), ("sethostname", bad, 1), ("setdomainname", bad, 1),
    ):
        try:
            call(*words)
        except KeyError:
            continue
        except OSError as error:
            last = error
            if error.errno in (1, 38):
                continue
        return GOT
    raise last
""",
    ),
    Probe(
        "newest-calls",
        ("A6",),
        "makes a system call that is younger than the filter",
        """
def attack():
    for number in range(451, 480):
        try:
            call(number, -1, -1, -1, -1, -1, -1)
        except OSError as error:
            last = error
            if error.errno in (1, 38):
                continue
        return GOT
    raise last
""",
    ),
    Probe(
        "processor-figures",
        ("B3", "B5"),
        "reads how fast each processor of the host runs",
        """
def attack():
    return GOT if "MHz" in open("/proc/cpuinfo").read() else None
""",
    ),
    Probe(
        "kernel-log",
        ("A6", "B3"),
        "reads the log of the kernel",
        """
def attack():
    try:
        call("syslog", 3, ctypes.create_string_buffer(100), 100)
    except OSError:
        os.read(os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK), 8192)
    return GOT
""",
    ),
    Probe(
        "keyring",
        ("A6", "B1"),
        "keeps a key in the kernel",
        """
def attack():
    call("add_key", b"user", b"arena-doctor", b"x", 1, -1)
    return GOT
""",
    ),
    Probe(
        "host-name",
        ("A6", "B1"),
        "learns the name of the host",
        """
def attack():
    return GOT if os.uname().nodename != "bot" else None
""",
    ),
)
