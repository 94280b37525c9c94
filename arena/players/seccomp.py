"""The system calls that a sandboxed bot may not make, as a filter for the kernel.

The filter allows by default and names what is refused: each entry closes a way out of the
sandbox, a way to talk to another bot, or a way around a limit (protocol/SECURITY.md says which).
Calls that are newer than this list do not exist for a bot. Of calls that do many things, `ioctl`,
`fcntl` and sockets, it is the other way round: what is named is all that works.
"""

import errno
import os
import struct
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from arena.players.syscalls import NEWEST, NUMBERS

# linux/seccomp.h
ALLOW = 0x7FFF0000
KILL = 0x80000000
_ERRNO = 0x00050000

REFUSE = _ERRNO | errno.EPERM
MISS = _ERRNO | errno.ENOSYS
FAKE = _ERRNO

REFUSED: tuple[str, ...] = (
    # other processes, and the kernel itself
    "ptrace", "process_vm_readv", "process_vm_writev", "kcmp", "pidfd_getfd", "bpf",
    "perf_event_open", "userfaultfd", "io_uring_setup", "io_uring_enter", "io_uring_register",
    "init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "acct",
    "reboot", "swapon", "swapoff", "syslog", "iopl", "ioperm", "settimeofday", "clock_settime",
    "adjtimex", "clock_adjtime", "sethostname", "setdomainname", "vhangup", "uselib",
    "lookup_dcookie", "nfsservctl",
    # other file systems and namespaces
    "mount", "umount2", "pivot_root", "move_mount", "open_tree", "fsopen", "fsmount", "fsconfig",
    "fspick", "mount_setattr", "chroot", "setns", "unshare", "name_to_handle_at",
    "open_by_handle_at", "quotactl", "quotactl_fd", "ustat",
    # mailboxes that two sandboxes could share, and counters of the whole machine
    "keyctl", "add_key", "request_key", "inotify_init", "inotify_init1", "inotify_add_watch",
    "fanotify_init", "fanotify_mark", "mincore", "sysinfo", "shmget", "shmat", "shmctl", "shmdt",
    "semget", "semop", "semctl", "semtimedop", "msgget", "msgsnd", "msgrcv", "msgctl", "mq_open",
    "mq_unlink", "mq_timedsend", "mq_timedreceive", "mq_notify", "mq_getsetattr", "move_pages",
    "migrate_pages", "process_madvise", "process_mrelease",
    # memory that RLIMIT_DATA does not count
    "memfd_create", "memfd_secret",
)  # fmt: skip
"""Fail with EPERM."""

MISSING = (
    "clone3", "preadv2", "pidfd_open", "futex_waitv", "timer_create",
    "io_setup", "io_destroy", "io_submit", "io_cancel", "io_getevents", "io_pgetevents",
)  # fmt: skip
"""Fail with ENOSYS, so that a runtime falls back on what the filter can look into."""

FAKED = (
    # what marks a file for whoever else sees it; refusing locks would break SQLite and the like
    "flock", "utime", "utimes", "futimesat", "utimensat", "fadvise64", "readahead",
    # what makes all of the machine wait for its disks
    "sync", "syncfs", "fsync", "fdatasync", "sync_file_range",
    # a bot is held to the cores that it was started on, and to the group by which it is stopped
    "sched_setaffinity", "setsid", "setpgid",
)  # fmt: skip
"""Report success and do nothing."""

STRICTLY_REFUSED = ("pipe", "pipe2", "socket", "socketpair")
"""Fail with EPERM in the strict filter: whoever makes one sees how many were made by anybody."""

# fcntl.h
_F_GETLK, _F_SETLK, _F_SETLKW, _F_OFD_GETLK, _F_OFD_SETLK, _F_OFD_SETLKW = 5, 6, 7, 36, 37, 38
_F_DUPFD_TO_SETFL = (0, 1, 2, 3, 4)
_F_SETOWN, _F_GETOWN, _F_GETSIG, _F_SETOWN_EX, _F_GETOWN_EX = 8, 9, 11, 15, 16
_F_DUPFD_CLOEXEC, _F_GETPIPE_SZ, _F_ADD_SEALS, _F_GET_SEALS = 1030, 1032, 1033, 1034
# sched.h: CLONE_NEWTIME would hide in the signal, so clone does not know it; CLONE_NEWNS,
# NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET, and CLONE_PIDFD, whose number counts all.
_CLONE = 0x20000 | 0x2000000 | 0x4000000 | 0x8000000 | 0x10000000 | 0x20000000 | 0x40000000 | 0x1000
# asm-generic/ioctls.h: TCGETS, TCSETS*, TIOCGPGRP, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX,
# FIOCLEX, FIOASYNC; TCGETS2 is newer.
_IOCTLS = (
    0x5401, 0x5402, 0x5403, 0x5404, 0x540F, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451, 0x5452,
    0x802C542A,
)  # fmt: skip
# sys/mman.h: MADV_MERGEABLE, MADV_COLD, MADV_PAGEOUT, MADV_COLLAPSE
_ADVICE = (12, 20, 21, 25)
_MAP_SHARED_ANONYMOUS = 0x01 | 0x20
_MAP_GROWSDOWN, _MAP_HUGETLB = 0x100, 0x40000
# sys/socket.h: SO_COOKIE, SO_NETNS_COOKIE, SO_PEERPIDFD; SO_SNDBUF and SO_RCVBUF; those two by
# force, SO_ATTACH_FILTER and its kin, SO_PASSPIDFD
_AF_UNIX = 1
_TELLING_OPTIONS = (57, 71, 77)
_SIZES, _SETTING_OPTIONS = (7, 8), (26, 32, 33, 50, 51, 52, 76)
# linux/prctl.h: PR_SCHED_CORE, PR_SET_MEMORY_MERGE; PR_SET_PDEATHSIG
_PROCESS_CONTROLS, _WHEN_PARENT_DIES = (62, 67), 1
# signal.h
_SIGCHLD, _SIGCONT, _EXIT_SIGNAL = 17, 18, 0xFF
# linux/futex.h
_FUTEX_PRIVATE, _FUTEX_COMMAND, _FUTEX_WAIT, _FUTEX_WAIT_BITSET = 128, 127, 0, 9
_WORD = 0xFFFFFFFF


class Case(NamedTuple):
    """An answer for calls whose argument, as far as ``mask`` shows it, is one of ``values``."""

    argument: int
    values: tuple[int, ...]
    answer: int
    mask: int = _WORD
    """Of the low word: the kernel, too, looks at no more of these arguments."""


class Rule(NamedTuple):
    """What is answered to a call: the first case that fits, else ``otherwise``."""

    otherwise: int
    cases: tuple[Case, ...] = ()


_BY_ARGUMENT: dict[str, Rule] = {
    "clone": Rule(REFUSE, (Case(0, (0, _SIGCHLD), ALLOW, _CLONE | _EXIT_SIGNAL),)),
    "fcntl": Rule(
        REFUSE,
        (
            Case(1, (_F_SETLK, _F_SETLKW, _F_OFD_SETLK, _F_OFD_SETLKW), FAKE),
            Case(1, (*_F_DUPFD_TO_SETFL, _F_DUPFD_CLOEXEC, _F_GETLK, _F_OFD_GETLK), ALLOW),
            Case(1, (_F_SETOWN, _F_GETOWN, _F_GETSIG, _F_SETOWN_EX, _F_GETOWN_EX), ALLOW),
            Case(1, (_F_GETPIPE_SZ, _F_ADD_SEALS, _F_GET_SEALS), ALLOW),
        ),
    ),
    "getsockopt": Rule(ALLOW, (Case(2, _TELLING_OPTIONS, REFUSE),)),
    "ioctl": Rule(_ERRNO | errno.ENOTTY, (Case(1, _IOCTLS, ALLOW),)),
    "madvise": Rule(ALLOW, (Case(2, _ADVICE, FAKE),)),
    # Moving pages tells whether somebody else has them mapped, too.
    "mbind": Rule(REFUSE, (Case(5, (0,), ALLOW),)),
    "mmap": Rule(
        REFUSE,
        (
            Case(3, (_MAP_SHARED_ANONYMOUS,), REFUSE, _MAP_SHARED_ANONYMOUS),
            Case(3, (0,), ALLOW, _MAP_GROWSDOWN | _MAP_HUGETLB),
        ),
    ),
    "prctl": Rule(
        ALLOW,
        (
            Case(0, _PROCESS_CONTROLS, _ERRNO | errno.EINVAL),
            Case(0, (_WHEN_PARENT_DIES,), FAKE),
        ),
    ),
    "setsockopt": Rule(ALLOW, (Case(2, _SIZES, FAKE), Case(2, _SETTING_OPTIONS, REFUSE))),
    "socket": Rule(_ERRNO | errno.EAFNOSUPPORT, (Case(0, (_AF_UNIX,), ALLOW),)),
    "socketpair": Rule(_ERRNO | errno.EAFNOSUPPORT, (Case(0, (_AF_UNIX,), ALLOW),)),
}

# A seat that is stopped is let go on by nobody but us.
_BY_ARGUMENT |= {
    name: Rule(ALLOW, (Case(argument, (_SIGCONT,), FAKE),))
    for name, argument in (
        ("kill", 1), ("tkill", 1), ("tgkill", 2), ("rt_sigqueueinfo", 1), ("rt_tgsigqueueinfo", 2),
        ("pidfd_send_signal", 1),
    )
}  # fmt: skip

_PRIVATE_FUTEX = Rule(
    FAKE,
    (
        Case(1, (_FUTEX_PRIVATE,), ALLOW, _FUTEX_PRIVATE),
        # Whoever joins a thread waits so; it is the kernel that wakes.
        Case(1, (_FUTEX_WAIT, _FUTEX_WAIT_BITSET), ALLOW, _FUTEX_COMMAND),
    ),
)
"""Waking across processes reaches whoever has the same file mapped, and says how many waited."""


class NoSeccomp(Exception):
    """The filter cannot be made on this machine; the text says why."""


class Machine(NamedTuple):
    """An architecture: its name for the kernel's audit, its column in the table of numbers."""

    audit: int
    column: int
    foreign_from: int | None = None
    """Numbers from here on are calls of another one that shares its name: x32."""


# linux/audit.h
MACHINES = {
    "x86_64": Machine(0xC000003E, 0, foreign_from=0x40000000),
    "aarch64": Machine(0xC00000B7, 1),
    "riscv64": Machine(0xC00000F3, 1),
}


@cache
def program(*, strict: bool = False) -> bytes:
    """Return the filter as the kernel takes it: an array of ``struct sock_filter``.

    A call of a foreign architecture is answered with the end of the process.

    Args:
        strict: also refuse pipes, sockets and waking across processes.

    Raises:
        NoSeccomp: arena does not know the calls of this machine.
    """
    name = os.uname().machine
    if name not in MACHINES or struct.calcsize("P") != struct.calcsize("Q"):
        raise NoSeccomp(f"arena has no filter of system calls for {name}")
    return assembled(MACHINES[name], rules(MACHINES[name], strict=strict))


def rules(machine: Machine, *, strict: bool = False) -> dict[int, Rule]:
    """Return what is answered to each call that is not simply allowed, by its number."""
    named: dict[str, Rule] = dict(_BY_ARGUMENT)
    if strict:
        named["futex"] = _PRIVATE_FUTEX
    for answer, names in (
        (REFUSE, REFUSED),
        (MISS, MISSING),
        (FAKE, FAKED),
        (REFUSE, STRICTLY_REFUSED if strict else ()),
    ):
        named |= dict.fromkeys(names, Rule(answer))
    found = ((NUMBERS[name][machine.column], rule) for name, rule in named.items())
    return {number: rule for number, rule in found if number is not None}


# linux/bpf_common.h: BPF_LD|BPF_W|BPF_ABS, BPF_ALU|BPF_AND|BPF_K, BPF_JMP|BPF_JA, BPF_JMP|BPF_JEQ,
# BPF_JMP|BPF_JGE, BPF_RET
_LOAD, _AND, _GOTO, _IF_EQUAL, _IF_LEAST, _RETURN = 0x20, 0x54, 0x05, 0x15, 0x35, 0x06
# struct seccomp_data; the words of an argument are in the order of the machine, which is little
# endian on all of them.
_AT_NUMBER, _AT_ARCHITECTURE, _AT_ARGUMENTS, _ARGUMENT = 0, 4, 16, 8
_FEW = 3
"""So many numbers are gone through; more are halved first."""

INSTRUCTION_BYTES = 8
Instruction = tuple[int, int, int, int]
"""Operation, jump if true, jump if false, operand."""


def assembled(machine: Machine, answers: dict[int, Rule]) -> bytes:
    """Return ``answers`` as a program for ``machine``."""
    made: list[Instruction] = [
        (_LOAD, 0, 0, _AT_ARCHITECTURE),
        *_if(_IF_EQUAL, machine.audit, (), [_return(KILL)]),
        (_LOAD, 0, 0, _AT_NUMBER),
    ]
    if machine.foreign_from is not None:
        made += _if(_IF_LEAST, machine.foreign_from, [_return(KILL)], ())
    made += _if(_IF_LEAST, NEWEST + 1, [_return(MISS)], ())
    made += _search(sorted(answers.items()))
    return b"".join(struct.pack("HBBI", *instruction) for instruction in made)


def _search(answers: Sequence[tuple[int, Rule]]) -> list[Instruction]:
    """Return instructions that find the call's number among ``answers``, which are sorted."""
    if len(answers) > _FEW:
        middle = len(answers) // 2
        low, high = _search(answers[:middle]), _search(answers[middle:])
        return [(_IF_LEAST, 0, 1, answers[middle][0]), (_GOTO, 0, 0, len(low)), *low, *high]
    made: list[Instruction] = []
    for number, rule in answers:
        made += _if(_IF_EQUAL, number, _answer(rule), ())
    return [*made, _return(ALLOW)]


def _answer(rule: Rule) -> list[Instruction]:
    made: list[Instruction] = []
    for case in rule.cases:
        made.append((_LOAD, 0, 0, _AT_ARGUMENTS + _ARGUMENT * case.argument))
        if case.mask != _WORD:
            made.append((_AND, 0, 0, case.mask))
        for value in case.values:
            made += _if(_IF_EQUAL, value, [_return(case.answer)], ())
    return [*made, _return(rule.otherwise)]


def _if(
    test: int, operand: int, then: Sequence[Instruction], otherwise: Sequence[Instruction]
) -> list[Instruction]:
    """Return a test, what follows where it holds, and what where it does not; one may go on."""
    return [(test, 0 if then else len(otherwise), len(then), operand), *then, *otherwise]


def _return(answer: int) -> Instruction:
    return (_RETURN, 0, 0, answer)
