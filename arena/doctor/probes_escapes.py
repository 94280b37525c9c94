"""Attacks by namespaces, mounts and privileges: threat A6."""

from arena.doctor.probe import Probe

PROBES: tuple[Probe, ...] = (
    Probe(
        "user-namespace",
        ("A6",),
        "makes a user namespace, in which it is root",
        """
def attack():
    call("unshare", 0x10000000)
    return GOT
""",
    ),
    Probe(
        "namespaces",
        ("A6",),
        "makes a namespace of any other kind",
        """
def attack():
    for flag in 0x20000, 0x2000000, 0x4000000, 0x8000000, 0x20000000, 0x40000000, 0x80:
        try:
            call("unshare", flag)
            return GOT
        except OSError as error:
            last = error
    raise last
""",
    ),
    Probe(
        "clone-namespace",
        ("A6",),
        "starts a child in a user namespace of its own",
        """
def attack():
    child = call("clone", 0x10000000 | 17, 0, 0, 0, 0)
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return GOT
""",
    ),
    Probe(
        "clone3-namespace",
        ("A6",),
        "does so by the newer system call, whose flags no filter can see",
        """
import struct
def attack():
    words = ctypes.create_string_buffer(struct.pack("8Q", 0x10000000, 0, 0, 0, 17, 0, 0, 0))
    child = call("clone3", words, 64)
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return GOT
""",
    ),
    Probe(
        "setns",
        ("A6",),
        "enters a namespace by its file in /proc",
        """
def attack():
    call("setns", os.open("/proc/self/ns/uts", os.O_RDONLY), 0)
    return GOT
""",
    ),
    Probe(
        "mount",
        ("A6",),
        "mounts a file system, as root of a new namespace if it can become that",
        """
def attack():
    for flags in 0x10000000 | 0x20000, 0x20000, 0:
        try:
            flags and call("unshare", flags)
            flags and call("mount", b"none", b"/", 0, 0x44000, 0)
            call("mount", b"none", b"/dev/shm", b"tmpfs", 0, 0)
            return GOT if flags or not os.listdir("/dev/shm") else None
        except OSError as error:
            last = error
    raise last
""",
    ),
    Probe(
        "remount",
        ("A6", "A2"),
        "makes /usr writable by mounting it anew",
        """
def attack():
    for flags in 0x10000000 | 0x20000, 0x20000:
        try:
            call("unshare", flags)
            call("mount", b"none", b"/", 0, 0x44000, 0)
            call("mount", b"/usr", b"/usr", 0, 0x1000, 0)
            call("mount", b"none", b"/usr", 0, 0x1021, 0)
        except OSError as error:
            last = error
        else:
            break
    try:
        call("mount", b"none", b"/usr", 0, 0x1020, 0)
    except OSError as error:
        last = error
    if os.statvfs("/usr").f_flag & 1:
        raise last
    return GOT
""",
    ),
    Probe(
        "new-mount-calls",
        ("A6",),
        "opens a file system by the newer calls",
        """
def attack():
    for flags in 0x10000000 | 0x20000, 0x20000, 0:
        try:
            flags and call("unshare", flags)
            call("fsopen", b"tmpfs", 0)
            return GOT
        except OSError as error:
            last = error
    raise last
""",
    ),
    Probe(
        "chroot",
        ("A6",),
        "takes another root, as the first step out of its own",
        """
def attack():
    os.chroot("/usr")
    return GOT
""",
    ),
    Probe(
        "file-handle",
        ("A6", "A2"),
        "asks for the handle of a file, by which any file of a disk can be opened",
        """
import struct
def attack():
    handle = ctypes.create_string_buffer(struct.pack("Ii", 128, 0), 136)
    call("name_to_handle_at", -100, b"/usr", handle, ctypes.byref(ctypes.c_int()), 0)
    return GOT
""",
    ),
    Probe(
        "become-root",
        ("A6",),
        "becomes root",
        """
def attack():
    os.setuid(0)
    return GOT if os.geteuid() == 0 else None
""",
    ),
    Probe(
        "setuid-program",
        ("A6",),
        "runs a program that runs as root whoever starts it",
        """
import subprocess, time
def attack():
    if os.geteuid() == 0:
        os.setuid(65534)
    for program in "/usr/bin/su", "/usr/bin/passwd", "/usr/bin/mount":
        if not os.path.exists(program):
            continue
        made = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL)
        until = time.monotonic() + 0.3
        while made.poll() is None and time.monotonic() < until:
            words = open(f"/proc/{made.pid}/status").read().split("Uid:")[1].split()
            if words[1] == "0":
                return GOT
        made.kill()
        made.wait()
""",
    ),
    Probe(
        "capabilities",
        ("A6",),
        "has a capability, or can get one by running a program",
        """
def attack():
    lines = dict(line.split(":\\t", 1) for line in open("/proc/self/status").read().splitlines())
    sets = [int(lines[name], 16) for name in ("CapEff", "CapPrm", "CapInh", "CapAmb")]
    return GOT if any(sets) or (int(lines["CapBnd"], 16) and lines["NoNewPrivs"] == "0") else None
""",
    ),
)
