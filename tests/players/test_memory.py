import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from arena.errors import BotFault, HostFault
from arena.players import strays
from arena.players.memory import exceeds, oom_kills
from arena.players.process import BotProcess
from arena.referee.limits import Limits
from tests.bot_processes import Start, descendants, running

pytestmark = pytest.mark.slow

QUESTION = b'{"type":"act","id":7}\n'

HOLDING = """
import os, sys, time
held = bytearray({parent_mb} << 20)
for _ in range({children}):
    if os.fork() == 0:
        held = bytearray({child_mb} << 20) if {child_mb} else held
        print(flush=True)
        time.sleep(60)
print(flush=True)
time.sleep(60)
"""


@contextmanager
def holding(parent_mb: int, children: int, child_mb: int) -> Iterator[list[int]]:
    """Yield processes that hold so much by now."""
    body = HOLDING.format(parent_mb=parent_mb, children=children, child_mb=child_mb)
    with ExitStack() as stack:
        started = subprocess.Popen(
            [sys.executable, "-S", "-c", body], stdout=subprocess.PIPE, start_new_session=True
        )
        stack.callback(started.wait)
        stack.callback(lambda: os.killpg(started.pid, 9))
        assert started.stdout
        stack.callback(started.stdout.close)
        for _ in range(children + 1):
            started.stdout.readline()
        yield strays.family(started.pid)


def test_what_processes_hold_is_added_up() -> None:
    with holding(parent_mb=0, children=3, child_mb=30) as family:
        assert len(family) == 4
        assert exceeds(family, 88)
        assert not exceeds(family, 130)
        assert not exceeds(family[:2], 60)


def test_what_processes_share_counts_once() -> None:
    with holding(parent_mb=40, children=4, child_mb=0) as family:
        assert exceeds(family, 38)
        assert not exceeds(family, 90)


def test_processes_that_are_gone_hold_nothing() -> None:
    with holding(parent_mb=20, children=0, child_mb=0) as family:
        pass

    assert not exceeds(family, 1)


MANY = """
hear()
for number in range(6):
    if os.fork() == 0:
        held = bytearray(30 << 20)
        time.sleep(60)
time.sleep(60)
"""

SLOWLY_MANY = """
number = 0
while True:
    hear()
    if os.fork() == 0:
        held = bytearray(30 << 20)
        while True:
            time.sleep(60)
    time.sleep(0.02)
    say()
"""
"""Takes more with each question, none of which is open for long."""

IN_SHARED_FILES = """
import mmap
hear()
held = bytearray(40 << 20)
with open("/dev/shm/bot-" + str(os.getpid()), "wb+") as file:
    os.unlink(file.name)
    file.truncate(60 << 20)
    shared = mmap.mmap(file.fileno(), 60 << 20)
    for start in range(0, 60 << 20, 4096):
        shared[start] = 1
time.sleep(60)
"""


def ask_until_fault(bot: BotProcess) -> None:
    for _ in range(60):
        bot.ask(QUESTION, 10_000)


@pytest.mark.parametrize("body", [MANY, SLOWLY_MANY, IN_SHARED_FILES])
def test_a_bot_whose_processes_hold_too_much_together_is_ended(start: Start, body: str) -> None:
    bot = start(body, Limits(memory_mb=90, file_mb=64))
    began = time.monotonic()

    with pytest.raises(BotFault) as fault:
        ask_until_fault(bot)

    text = "out_of_memory: ran out of memory (90 MiB), all of its processes together"
    assert str(fault.value) == text
    assert time.monotonic() - began < 8
    # In tier `none` too: what it had started is in its group.
    assert [pid for pid in descendants(os.getpid()) if running(pid)] == []


def test_a_bot_may_hold_what_its_limit_says_in_several_processes(start: Start) -> None:
    body = "for _ in range(3):\n if os.fork() == 0: held = bytearray(20 << 20); time.sleep(60)\n"
    bot = start(f"{body}hear(); time.sleep(0.3); say()", Limits(memory_mb=100))

    assert bot.ask(QUESTION, 10_000) == b"{}"


@contextmanager
def little_memory(limit_mb: int) -> Iterator[Path]:
    """Yield the list of members of a new control group that has ``limit_mb`` MiB."""
    root = Path("/sys/fs/cgroup/memory")
    limit = "memory.limit_in_bytes"
    if not root.is_dir():
        root, limit = Path("/sys/fs/cgroup"), "memory.max"
    group = root / f"arena-test-{os.getpid()}"
    try:
        group.mkdir()
    except OSError:
        pytest.skip("no control group can be made here")
    try:
        try:
            (group / limit).write_text(str(limit_mb << 20))
        except OSError:
            pytest.skip("no control group of memory can be made here")
        yield group / "cgroup.procs"
    finally:
        group.rmdir()


def test_a_bot_that_the_kernel_kills_within_its_limit_is_no_fault_of_the_bot(start: Start) -> None:
    with little_memory(48) as members:
        bot = start("say(n=len(hear()))\nhear()\nheld = bytearray(300 << 20)\nsay()")
        bot.ask(QUESTION, 10_000)
        for pid in strays.family(bot.pid):
            members.write_text(str(pid))
        before = oom_kills()

        with pytest.raises(HostFault, match="the machine ran out of memory"):
            bot.ask(QUESTION, 10_000)

        assert oom_kills() == before + 1
