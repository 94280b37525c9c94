"""The system calls that a sandboxed bot may not make, as a filter for the kernel.

The filter allows by default and names what is refused: each entry closes a way out of the
sandbox, a way to talk to another bot, or a way around a limit (protocol/SECURITY.md says which).
"""

import errno
import tempfile
from functools import cache

REFUSED: tuple[str, ...] = (
    # other processes, and the kernel itself
    "ptrace", "process_vm_readv", "process_vm_writev", "kcmp", "pidfd_getfd", "bpf",
    "perf_event_open", "userfaultfd", "io_uring_setup", "io_uring_enter", "io_uring_register",
    "init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "acct",
    "reboot", "swapon", "swapoff", "syslog", "iopl", "ioperm", "settimeofday", "clock_settime",
    "adjtimex", "clock_adjtime", "sethostname", "setdomainname", "vhangup",
    # other file systems and namespaces
    "mount", "umount2", "pivot_root", "move_mount", "open_tree", "fsopen", "fsmount", "fsconfig",
    "fspick", "mount_setattr", "chroot", "setns", "unshare", "name_to_handle_at",
    "open_by_handle_at", "quotactl", "quotactl_fd",
    # mailboxes that two sandboxes could share, and counters of the whole machine
    "keyctl", "add_key", "request_key", "inotify_init", "inotify_init1", "inotify_add_watch",
    "fanotify_init", "fanotify_mark", "mincore", "sysinfo", "shmget", "shmat", "shmctl", "shmdt",
    "semget", "semop", "semctl", "semtimedop", "msgget", "msgsnd", "msgrcv", "msgctl", "mq_open",
    "mq_unlink", "mq_timedsend", "mq_timedreceive", "mq_notify", "mq_getsetattr",
    # memory that RLIMIT_DATA does not count
    "memfd_create", "memfd_secret",
)  # fmt: skip
"""Fail with EPERM."""

MISSING = ("clone3", "preadv2", "cachestat", "pidfd_open")
"""Fail with ENOSYS, so that a runtime falls back on what the filter can look into."""

FAKED = ("flock", "fadvise64", "readahead")
"""Report success and do nothing: refusing locks would break SQLite and the like."""

# fcntl.h
_F_SETLK, _F_SETLKW, _F_OFD_SETLK, _F_OFD_SETLKW = 6, 7, 37, 38
_F_SETLEASE, _F_GETLEASE, _F_NOTIFY = 1024, 1025, 1026
# sched.h: CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
_NAMESPACES = (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000)
# asm-generic/ioctls.h
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
# sys/mman.h
_MADV_COLD, _MADV_PAGEOUT = 20, 21
_MAP_SHARED_ANONYMOUS = 0x01 | 0x20
# sys/socket.h
_AF_INET, _AF_INET6 = 2, 10
_WORD = 0xFFFFFFFF

# Since Linux 5.1 a new call has one number on every architecture; for those that the installed
# libseccomp is too old to know by name.
_NUMBERS = {"quotactl_fd": 443, "memfd_secret": 447, "cachestat": 451}


class NoSeccomp(Exception):
    """The filter cannot be made on this machine; the text says what is missing."""


@cache
def program() -> bytes:
    """Return the filter as the kernel takes it: an array of ``struct sock_filter``.

    A call of a foreign architecture is answered with the end of the process.

    Raises:
        NoSeccomp: pyseccomp or the system's libseccomp is missing.
    """
    try:
        # Imported late: it loads the system's library at once, and other tiers do without.
        import pyseccomp  # noqa: PLC0415
    except (ImportError, OSError, RuntimeError) as error:
        raise NoSeccomp(f"no seccomp filter can be made: {error}") from None
    made = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    refuse = pyseccomp.ERRNO(errno.EPERM)
    fake = pyseccomp.ERRNO(0)
    for answer, names in (
        (refuse, REFUSED),
        (pyseccomp.ERRNO(errno.ENOSYS), MISSING),
        (fake, FAKED),
    ):
        for name in names:
            number = pyseccomp.resolve_syscall(pyseccomp.system_arch(), name)
            if number < 0:
                # Not a call of this architecture, or newer than the library.
                number = _NUMBERS.get(name, -1)
            if number >= 0:
                made.add_rule(answer, number)
    for name, argument, answer, values in (
        ("fcntl", 1, fake, (_F_SETLK, _F_SETLKW, _F_OFD_SETLK, _F_OFD_SETLKW)),
        ("fcntl", 1, refuse, (_F_SETLEASE, _F_GETLEASE, _F_NOTIFY)),
        ("ioctl", 1, refuse, (_TIOCSTI, _TIOCLINUX)),
        ("madvise", 2, fake, (_MADV_COLD, _MADV_PAGEOUT)),
        ("socket", 0, refuse, range(_AF_INET + 1, _AF_INET6)),
        ("socketpair", 0, refuse, range(_AF_INET + 1, _AF_INET6)),
    ):
        for value in values:
            # The kernel looks at the low word of these arguments; so must the filter.
            low = pyseccomp.Arg(argument, pyseccomp.MASKED_EQ, _WORD, value)
            made.add_rule(answer, name, low)
    for name in ("socket", "socketpair"):
        made.add_rule(refuse, name, pyseccomp.Arg(0, pyseccomp.GT, _AF_INET6))
    for flag in _NAMESPACES:
        made.add_rule(refuse, "clone", pyseccomp.Arg(0, pyseccomp.MASKED_EQ, flag, flag))
    shared = pyseccomp.Arg(3, pyseccomp.MASKED_EQ, _MAP_SHARED_ANONYMOUS, _MAP_SHARED_ANONYMOUS)
    made.add_rule(refuse, "mmap", shared)
    with tempfile.TemporaryFile() as file:
        made.export_bpf(file)
        file.seek(0)
        return file.read()
