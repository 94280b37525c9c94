"""Seats that are not to move do not run, whatever they try."""

import json
import os
import signal
import time
from collections.abc import Callable
from textwrap import dedent

import pytest

from arena.errors import BotFault
from arena.players import strays
from arena.players.process import BotProcess
from tests.bot_processes import Start, comes_true, cpu_s, descendants, running, states
from tests.tiny_bots import program

pytestmark = pytest.mark.slow

QUESTION = b'{"type":"act","id":7}\n'
WATCHED_S = 0.06
STILL_S = 0.0003
"""Coming to a stop takes less processor time than this."""

SOON_S = 0.01
"""What has run for longer than this was not stopped."""

FAITHFUL = "for message in acts(): say()"

BUSY = {
    "a thread": """
        import threading
        def work():
            while True: pass
        threading.Thread(target=work, daemon=True).start()
        """,
    "a child": """
        if os.fork() == 0:
            while True: pass
        """,
    "children of children": """
        for _ in range(4):
            if os.fork() == 0:
                os.fork()
                while True: pass
        """,
    "a child in another group": """
        child = os.fork()
        if child == 0:
            while True: pass
        os.setpgid(child, child)
        """,
    "a child in another session, with children": """
        if os.fork() == 0:
            os.setsid()
            os.fork()
            while True: pass
        """,
    "a child in another session whose end sends SIGCONT": """
        import ctypes
        libc = ctypes.CDLL(None)
        clone = {"x86_64": 56}.get(os.uname().machine, 220)
        for delay in (0.01, 0.02, 0.03, 0.04):
            if libc.syscall(clone, int(signal.SIGCONT), None, None, None, None) == 0:
                os.setsid()
                time.sleep(delay)
                os._exit(0)
        import threading
        def work():
            while True: pass
        threading.Thread(target=work, daemon=True).start()
        """,
}
"""What keeps working while nobody asks; run before the bot is first asked."""

SLIPPERY = {
    "another session": """
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                while True: pass
            os._exit(0)
        os.wait()
        """,
    "a timer that sends SIGCONT": """
        import ctypes
        libc = ctypes.CDLL(None)
        signal.signal(signal.SIGCONT, lambda *_: None)
        event = (ctypes.c_int * 16)(0, 0, int(signal.SIGCONT), 0)
        timer = ctypes.c_void_p()
        if libc.timer_create(1, event, ctypes.byref(timer)) == 0:
            soon = (ctypes.c_long * 4)(0, 1_000_000, 0, 1_000_000)
            libc.timer_settime(timer, 0, soon, None)
        """
    + BUSY["a thread"],
    "a pipe that sends SIGCONT": """
        import fcntl
        signal.signal(signal.SIGIO, signal.SIG_IGN)
        fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid())
        try:
            fcntl.fcntl(0, fcntl.F_SETSIG, int(signal.SIGCONT))
        except OSError:
            pass
        fcntl.fcntl(0, fcntl.F_SETFL, os.O_ASYNC)
        """
    + BUSY["a thread"],
}
"""Ways out of the stop that work where nothing but the process group holds a bot."""

STUBBORN = {
    "children that wake each other": """
        pids = [*range(2, 8), os.getpid()]
        for _ in range(3):
            if os.fork() == 0:
                while True:
                    for pid in pids:
                        try:
                            os.kill(pid, signal.SIGCONT)
                        except OSError:
                            pass
        """,
    "each child starts the next and ends": """
        if os.fork() == 0:
            while True:
                try:
                    if os.fork() != 0:
                        os._exit(0)
                except OSError:
                    pass
        """,
    "a first thread that waits for its child": """
        import ctypes, threading
        def serve():
            for _ in acts(): say()
        def work():
            while True: pass
        for role in (serve, work):
            threading.Thread(target=role, daemon=True).start()
        clone = {"x86_64": 56}.get(os.uname().machine, 220)
        vfork = 0x4000 | int(signal.SIGCHLD)
        while True:
            if ctypes.CDLL(None).syscall(clone, vfork, None, None, None, None) == 0:
                time.sleep(0.02)
                os._exit(0)
            os.wait()
        """,
    "a child that comes after the answer": """
        def say(say=say):
            say()
            if os.fork() == 0:
                while True: pass
        """,
    "an alarm": """
        def work(*_):
            until = time.process_time() + 0.001
            while time.process_time() < until: pass
        signal.signal(signal.SIGALRM, work)
        signal.setitimer(signal.ITIMER_REAL, 0.005, 0.005)
        """,
    "a child on another core": "os.sched_setaffinity(0, range(64))\n" + dedent(BUSY["a child"]),
}


def ran_s(meanwhile: Callable[[], object] = lambda: None) -> float:
    """Return how long processes of bots ran in a while, in which ``meanwhile`` is done, too."""
    family = descendants(os.getpid())
    before = cpu_s(family)
    until = time.monotonic() + WATCHED_S
    while time.monotonic() < until:
        meanwhile()
        time.sleep(WATCHED_S / 8)
    # Whatever has come since was running.
    return cpu_s(family) - before + len(descendants(os.getpid()) - family)


@pytest.mark.parametrize("body", BUSY.values(), ids=BUSY)
def test_a_bot_does_not_work_unless_it_is_asked(start: Start, body: str) -> None:
    bot = start(dedent(body) + FAITHFUL)

    for _ in range(3):
        bot.ask(QUESTION, 5000)
        assert ran_s() < STILL_S


@pytest.mark.parametrize("body", (SLIPPERY | STUBBORN).values(), ids=SLIPPERY | STUBBORN)
def test_in_a_sandbox_no_bot_can_escape_that(start_isolated: Start, body: str) -> None:
    bot = start_isolated(dedent(body) + FAITHFUL)

    for _ in range(4):
        bot.ask(QUESTION, 5000)
        # It is told something, which is what happens to it between questions.
        assert ran_s(lambda: bot.tell(b'{"type":"note"}\n')) < STILL_S
        found = {pid: states(pid) for pid in descendants(bot.pid)}
        # One that waits in the kernel, as for a vfork, uses no processor either.
        assert {state for seen in found.values() for state in seen} <= set("DTZ")


@pytest.mark.parametrize("body", SLIPPERY.values(), ids=SLIPPERY)
def test_without_a_sandbox_a_bot_can_escape_it(start_unheld: Start, body: str) -> None:
    def escapes() -> bool:
        bot = start_unheld(dedent(body) + FAITHFUL)
        bot.ask(QUESTION, 5000)
        return comes_true(lambda: ran_s(lambda: bot.tell(b'{"type":"note"}\n')) > SOON_S, 2)

    # A stop that comes just after the timer's signal ends the timer, so one try may fail.
    assert any(escapes() for _ in range(4))


LONG_CALL = """
import ctypes, threading
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
size, private_anonymous_populated = 300 << 20, 0x8022
def fill():
    while True:
        found = libc.mmap(None, ctypes.c_size_t(size), 3, private_anonymous_populated, -1, 0)
        libc.munmap(ctypes.c_void_p(found), ctypes.c_size_t(size))
threading.Thread(target=fill, daemon=True).start()
"""
"""Keeps the kernel busy for long, in calls that go on when their process is stopped."""


LATER_CALL = (
    LONG_CALL.replace("while True:", "if True:").rpartition("threading.Thread")[0]
    + """
def say(say=say):
    say()
    fill()
"""
)
"""A single thread that keeps the kernel busy once it has answered."""


@pytest.mark.parametrize("body", [LONG_CALL, LATER_CALL])
def test_in_a_sandbox_a_bot_that_was_caught_going_on_in_the_kernel_is_waited_for(
    start_isolated: Start, body: str
) -> None:
    bot = start_isolated(body + FAITHFUL)
    if not any(bot.ask(QUESTION, 5000) and ran_s() >= STILL_S for _ in range(200)):
        pytest.skip("not shown on this host: its kernel is done at once")

    assert [ran_s() < STILL_S for _ in range(8) if bot.ask(QUESTION, 5000)] == [True] * 8


HELPED = """
reads, writes = os.pipe()
back, forth = os.pipe()
for number, message in enumerate(acts()):
    if number == {when} and os.fork() == 0:
        while True:
            os.write(forth, os.read(reads, 1))
    if number >= {when}:
        os.write(writes, b"x")
        os.read(back, 1)
    say(number=number)
"""
"""Has a helper from question ``when`` on, without which it does not answer."""


@pytest.mark.parametrize("when", [0, 2])
def test_what_a_bot_has_started_helps_it_when_it_is_asked(start: Start, when: int) -> None:
    bot = start(HELPED.format(when=when))

    answers = [json.loads(bot.ask(QUESTION, 5000))["number"] for _ in range(6)]

    assert answers == list(range(6))


LET_GO = """
reads, writes = os.pipe()
back, forth = os.pipe()
if os.fork() == 0:
    if os.fork() == 0:
        while True:
            os.write(forth, os.read(reads, 1))
    os._exit(0)
os.wait()
for number, message in enumerate(acts()):
    os.write(writes, b"x")
    os.read(back, 1)
    say(number=number)
"""
"""Has a helper that is none of its children any more."""


def test_what_a_bot_has_let_go_helps_it_when_it_is_asked(start: Start) -> None:
    bot = start(LET_GO)

    answers = [json.loads(bot.ask(QUESTION, 5000))["number"] for _ in range(4)]

    assert answers == list(range(4))


SEES_IT_GONE = """
for message in acts():
    reads, writes = os.pipe()
    if os.fork() == 0:
        if os.fork() == 0:
            os.write(writes, str(os.getpid()).encode())
            os._exit(0)
        os._exit(0)
    os.wait()
    child = int(os.read(reads, 20))
    while os.path.exists(f"/proc/{child}"):
        time.sleep(0.001)
    say()
"""


def test_what_a_bot_has_let_go_is_reaped_while_it_waits_for_that(start_isolated: Start) -> None:
    bot = start_isolated(SEES_IT_GONE)

    assert [bot.ask(QUESTION, 5000) for _ in range(3)] == [b"{}"] * 3


@pytest.mark.parametrize(
    "then", ["hear()\nwhile True: pass", "hear()\nos.close(1)\nwhile True: pass"]
)
def test_a_bot_that_fails_does_not_run_until_it_is_ended(start: Start, then: str) -> None:
    bot = start(then)

    with pytest.raises(BotFault):
        bot.ask(QUESTION, 300)

    assert ran_s() < STILL_S


def test_a_line_that_does_not_fit_does_not_leave_a_bot_running(start: Start) -> None:
    bot = start(dedent(BUSY["a child"]) + "say(n=len(hear()))\nsay(n=len(hear()['text']))")
    bot.ask(QUESTION, 5000)

    bot.tell(b'{"text":"' + b"x" * 200_000 + b'"}\n')

    assert ran_s() < STILL_S


def test_a_shell_around_a_bot_does_no_harm(start: Start) -> None:
    bot = start("if os.fork(): os._exit(os.waitstatus_to_exitcode(os.wait()[1]))\n" + FAITHFUL)

    assert [bot.ask(QUESTION, 5000) for _ in range(5)] == [b"{}"] * 5


def test_a_bot_that_stops_itself_is_not_let_go_on(start: Start) -> None:
    bot = start("say(n=len(hear()))\nhear()\nos.kill(os.getpid(), signal.SIGSTOP)\nsay()")
    bot.ask(QUESTION, 5000)

    with pytest.raises(BotFault, match="timeout: wrote nothing"):
        bot.ask(QUESTION, 300)


def test_telling_a_bot_that_is_stopped_blocks_nobody_and_loses_nothing(start: Start) -> None:
    bot = start("say(n=len(hear()))\nfor n in range(50): hear()\nsay(n=n)")
    bot.ask(QUESTION, 5000)
    began = time.monotonic()

    for _ in range(49):
        bot.tell(b'{"text":"' + b"x" * 1000 + b'"}\n')

    assert time.monotonic() - began < 0.1
    assert bot.ask(QUESTION, 5000) == b'{"n":49}'


def test_a_line_that_does_not_fit_lets_a_bot_go_on_to_read_it(start: Start) -> None:
    bot = start("say(n=len(hear()))\nsay(n=len(hear()['text']))")
    bot.ask(QUESTION, 5000)

    bot.tell(b'{"text":"' + b"x" * 200_000 + b'"}\n')

    assert bot.ask(QUESTION, 5000) == b'{"n":200000}'


def test_a_bot_that_is_stopped_can_be_ended_at_once(start: Start) -> None:
    bot = start(dedent(BUSY["children of children"]) + FAITHFUL)
    bot.ask(QUESTION, 5000)
    family = descendants(os.getpid())
    began = time.monotonic()

    bot.stop(0)

    assert time.monotonic() - began < 1
    assert [pid for pid in family if running(pid)] == []


def test_a_bot_that_is_to_quit_hears_of_it(start: Start) -> None:
    bot = start("say(n=len(hear()))\nhear()\nos.write(2, b'heard')\nsys.exit(0)")
    bot.ask(QUESTION, 5000)
    bot.tell(b'{"type":"quit"}\n')

    bot.stop(5000)

    assert bot.stderr == b"heard"


@pytest.mark.parametrize("helper", ["", dedent(BUSY["a child"])])
def test_how_a_bot_ends_is_told_as_if_it_had_never_been_stopped(start: Start, helper: str) -> None:
    bot = start(
        f"{helper}\nfor number, _ in enumerate(acts()):\n if number == 3: sys.exit(5)\n say()"
    )
    for _ in range(3):
        bot.ask(QUESTION, 5000)

    with pytest.raises(BotFault, match="exited with status 5"):
        bot.ask(QUESTION, 5000)


def test_a_bot_that_is_killed_while_it_is_stopped_is_found_at_its_question(start: Start) -> None:
    bot = start(FAITHFUL)
    bot.ask(QUESTION, 5000)
    # The last of its family is the bot itself, also in a sandbox.
    os.kill(strays.family(bot.pid)[-1], signal.SIGKILL)

    with pytest.raises(BotFault, match="was ended by SIGKILL"):
        bot.ask(QUESTION, 5000)


def test_without_limits_a_bot_is_never_stopped(start: Start) -> None:
    folder = start._folder
    bot = BotProcess(program(dedent(BUSY["a thread"]) + FAITHFUL, folder), None, start.tier)
    start.started.append(bot)

    bot.ask(QUESTION, 5000)

    assert comes_true(lambda: ran_s() > SOON_S)
