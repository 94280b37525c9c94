import errno
import re
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.players.seccomp import (
    ALLOW,
    FAKE,
    FAKED,
    KILL,
    MACHINES,
    MISS,
    MISSING,
    REFUSE,
    REFUSED,
    STRICTLY_REFUSED,
    Machine,
    Rule,
    assembled,
    rules,
)
from arena.players.syscalls import NEWEST, NUMBERS

X86, ARM = MACHINES["x86_64"], MACHINES["aarch64"]
HEADERS = {
    X86: Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    ARM: Path("/usr/include/asm-generic/unistd.h"),
}
INTERESTING = sorted(
    {0, 1, 2, 6, 7, 16, 17, 18, 20, 21, 36, 41, 57, 62, 0x5401, 0x5412, 0x20, 0x21, 0x22, 0x100}
    | {0x40000, 0x10000000, 0x10000011, 0x1011, 1024, 1030, 1031, 1036, 2**32 - 1, 2**32 + 1}
)

machines = st.sampled_from(sorted(MACHINES.values()))
arguments = st.lists(
    st.one_of(st.sampled_from(INTERESTING), st.integers(0, 2**64 - 1)), min_size=6, max_size=6
)


def answered(filter_: bytes, audit: int, number: int, words: list[int]) -> int:
    """Run ``filter_`` as the kernel would (Documentation/networking/filter.rst)."""
    seen = struct.pack("<IIQ6Q", number, audit, 0, *words)
    program = list(struct.iter_unpack("HBBI", filter_))
    at = held = 0
    while True:
        operation, if_true, if_false, operand = program[at]
        at += 1
        match operation:
            case 0x20:  # load a word
                (held,) = struct.unpack_from("<I", seen, operand)
            case 0x54:  # and
                held &= operand
            case 0x05:  # go to
                at += operand
            case 0x15:  # if equal
                at += if_true if held == operand else if_false
            case 0x35:  # if at least
                at += if_true if held >= operand else if_false
            case 0x06:  # return
                return int(operand)
            case _:
                pytest.fail(f"no such operation: {operation:#x}")


def meant(machine: Machine, strict: bool, number: int, words: list[int]) -> int:
    """Return what the rules say, without any program."""
    if machine.foreign_from is not None and number >= machine.foreign_from:
        return KILL
    if number > NEWEST:
        return MISS
    rule = rules(machine, strict=strict).get(number, Rule(ALLOW))
    for case in rule.cases:
        if words[case.argument] & case.mask in case.values:
            return case.answer
    return rule.otherwise


@given(machine=machines, strict=st.booleans(), number=st.integers(0, 500), words=arguments)
def test_the_program_answers_as_the_rules_say(
    machine: Machine, strict: bool, number: int, words: list[int]
) -> None:
    filter_ = assembled(machine, rules(machine, strict=strict))

    assert answered(filter_, machine.audit, number, words) == meant(machine, strict, number, words)


@pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES)
def test_every_call_is_found_whatever_its_number(machine: Machine) -> None:
    filter_ = assembled(machine, rules(machine))

    wrong = [
        number
        for number in range(NEWEST + 20)
        if answered(filter_, machine.audit, number, [0] * 6)
        != meant(machine, False, number, [0] * 6)
    ]

    assert wrong == []


@given(machine=machines, audit=st.integers(0, 2**32 - 1), number=st.integers(0, 2**32 - 1))
def test_calls_of_another_architecture_end_the_process(
    machine: Machine, audit: int, number: int
) -> None:
    filter_ = assembled(machine, rules(machine))

    if audit != machine.audit:
        assert answered(filter_, audit, number, [0] * 6) == KILL
    # x32 has the name of x86-64, and numbers of its own.
    assert answered(filter_, X86.audit, 0x40000000 | number, [0] * 6) == KILL


@pytest.mark.parametrize(
    ("call", "words", "answer"),
    [
        ("ptrace", [], REFUSE),
        ("clone3", [], MISS),
        ("flock", [3, 2], FAKE),
        ("clone", [0x01200011], ALLOW),  # fork
        ("clone", [0x003D0F00], ALLOW),  # a thread
        ("clone", [0x10000011], REFUSE),  # a user namespace
        ("clone", [0x1011], REFUSE),  # a pidfd
        ("clone", [18], REFUSE),  # SIGCONT at its end
        ("ioctl", [1, 0x5401], ALLOW),  # isatty
        ("ioctl", [1, 0x5412], 0x50000 | errno.ENOTTY),  # TIOCSTI
        ("ioctl", [1, 0x7_0000_5412], 0x50000 | errno.ENOTTY),  # the kernel drops the high word
        ("fcntl", [3, 1030], ALLOW),  # F_DUPFD_CLOEXEC
        ("fcntl", [3, 6], FAKE),  # F_SETLK
        ("fcntl", [3, 1024], REFUSE),  # F_SETLEASE
        ("fcntl", [3, 1036], REFUSE),  # F_SET_RW_HINT
        ("socket", [1, 1], ALLOW),  # AF_UNIX
        ("socket", [2, 1], 0x50000 | errno.EAFNOSUPPORT),  # AF_INET
        ("socket", [40, 1], 0x50000 | errno.EAFNOSUPPORT),  # AF_VSOCK
        ("mmap", [0, 4096, 3, 0x22], ALLOW),  # private
        ("mmap", [0, 4096, 3, 0x21], REFUSE),  # shared and anonymous
        ("mmap", [0, 4096, 3, 0x122], REFUSE),  # growing downwards
        ("kill", [1, 15], ALLOW),
        ("kill", [1, 18], FAKE),  # SIGCONT
        ("madvise", [0, 4096, 21], FAKE),  # MADV_PAGEOUT
        ("madvise", [0, 4096, 4], ALLOW),  # MADV_DONTNEED
    ],
)
def test_what_a_call_is_answered(call: str, words: list[int], answer: int) -> None:
    for machine in (X86, ARM):
        number = NUMBERS[call][machine.column]
        assert number is not None
        filter_ = assembled(machine, rules(machine))

        assert answered(filter_, machine.audit, number, [*words, *[0] * 6][:6]) == answer


def test_the_strict_filter_refuses_pipes_sockets_and_waking_others() -> None:
    filter_ = assembled(ARM, rules(ARM, strict=True))
    calls = {name: NUMBERS[name][ARM.column] for name in ("pipe2", "socketpair", "futex")}
    assert None not in calls.values()

    def answer(name: str, *words: int) -> int:
        return answered(filter_, ARM.audit, calls[name] or 0, [*words, *[0] * 6][:6])

    assert (answer("pipe2"), answer("socketpair", 1)) == (REFUSE, REFUSE)
    assert (answer("futex", 0, 1), answer("futex", 0, 129)) == (FAKE, ALLOW)  # FUTEX_WAKE
    assert (answer("futex", 0, 0), answer("futex", 0, 265)) == (ALLOW, ALLOW)  # FUTEX_WAIT


def test_all_calls_that_are_named_have_a_number() -> None:
    named = {*REFUSED, *MISSING, *FAKED, *STRICTLY_REFUSED}

    assert named - NUMBERS.keys() == set()
    assert len(named) == len(REFUSED) + len(MISSING) + len(FAKED) + len(STRICTLY_REFUSED)


@pytest.mark.parametrize("machine", HEADERS, ids=["x86-64", "generic"])
def test_numbers_are_those_of_the_kernel(machine: Machine) -> None:
    if not HEADERS[machine].exists():
        pytest.skip("the kernel's headers are not installed")
    text = HEADERS[machine].read_text("ascii")
    known = dict(re.findall(r"^#define __NR(?:3264)?_(\w+)\s+(\d+)$", text, re.MULTILINE))
    wrong = {
        name: (numbers[machine.column], known[name])
        for name, numbers in NUMBERS.items()
        if name in known and str(numbers[machine.column]) != known[name]
    }

    assert wrong == {}
    assert len(NUMBERS.keys() & known.keys()) > 100
