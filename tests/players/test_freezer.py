"""Seats that are not to move do not run, whatever they try."""

import json
import os
import signal
import time
from collections.abc import Callable

import pytest

from arena.errors import BotFault
from arena.players.process import BotProcess
from arena.referee.limits import Limits
from tests.bot_processes import Start, comes_true, cpu_s, descendants, states
from tests.tiny_bots import program

pytestmark = pytest.mark.slow

QUESTION = b'{"type":"act","id":7}\n'
WATCHED_S = 0.08
STILL_S = 0.001
"""So much processor time is what coming to a stop takes."""

FAITHFUL = "while hear(): say()"

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
    "a child that is born after the answer": """
        def say(more=say):
            more()
            if os.fork() == 0:
                time.sleep(0.0005)
                while True: pass
        """,
}
"""What keeps working while nobody asks; run before the bot is asked for the first time."""

SLIPPERY = {
    "another session": """
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                while True: pass
            os._exit(0)
        """,
    "another group": """
        if os.fork() == 0:
            os.setpgid(0, 0)
            while True: pass
        """,
    "children that wake each other": """
        main = os.getpid()
        pids = [main]
        for _ in range(3):
            child = os.fork()
            if child == 0:
                while True:
                    for pid in [*pids, *range(2, 8)]:
                        try: os.kill(pid, signal.SIGCONT)
                        except OSError: pass
            pids.append(child)
        """,
    "each child forks the next and ends": """
        if os.fork() == 0:
            while True:
                try:
                    if os.fork() != 0: os._exit(0)
                except OSError: pass
        """,
    "an alarm": """
        def work(*_):
            until = time.process_time() + 0.01
            while time.process_time() < until: pass
        signal.signal(signal.SIGALRM, work)
        signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
        """,
    "a timer that sends SIGCONT": """
        import ctypes
        libc = ctypes.CDLL(None)
        event = (ctypes.c_int * 16)(0, 0, int(signal.SIGCONT), 0)
        timer = ctypes.c_void_p()
        libc.timer_create(1, event, ctypes.byref(timer))
        libc.timer_settime(timer, 0, (ctypes.c_long * 4)(0, 1_000_000, 0, 1_000_000), None)
        """ + BUSY["a thread"],
    "a pipe that sends SIGCONT": """
        import fcntl
        for descriptor in (0, 1, 2):
            fcntl.fcntl(descriptor, fcntl.F_SETOWN, os.getpid())
            try: fcntl.fcntl(descriptor, fcntl.F_SETSIG, int(signal.SIGCONT))
            except OSError: pass
            fcntl.fcntl(descriptor, fcntl.F_SETFL, os.O_ASYNC)
        """ + BUSY["a thread"],
    "all cores": "os.sched_setaffinity(0, range(64))\n" + BUSY["a child"].replace("        ", ""),
}
"""Ways out of the stop; what they need is not there in a sandbox."""


def ran_s(bot: BotProcess, act: Callable[[], object] = lambda: None) -> float:
    """Return how long processes of ``bot`` ran in a while, in which ``act`` is done as well."""
    family = descendants(bot.pid) or {bot.pid}
    before = cpu_s(family)
    until = time.monotonic() + WATCHED_S
    while time.monotonic() < until:
        act()
        time.sleep(WATCHED_S / 8)
    # A process that has come since was running.
    return cpu_s(family) - before + 1.0 * len(descendants(bot.pid) - family)


@pytest.mark.parametrize("body", BUSY.values(), ids=BUSY)
def test_a_bot_does_not_work_unless_it_is_asked(start: Start, body: str) -> None:
    bot = start(f"{program_text(body)}\n{FAITHFUL}")

    for _ in range(3):
        bot.ask(QUESTION, 5000)
        assert ran_s(bot) < STILL_S


@pytest.mark.parametrize("body", SLIPPERY.values(), ids=SLIPPERY)
def test_in_a_sandbox_a_bot_cannot_escape_that(start_isolated: Start, body: str) -> None:
    bot = start_isolated(f"{program_text(body)}\n{FAITHFUL}")

    for _ in range(3):
        bot.ask(QUESTION, 5000)
        # It is told something, and its log is read: what else happens to it between questions.
        assert ran_s(bot, lambda: bot.tell(b'{"type":"note"}\n')) < STILL_S
        assert {state for pid in descendants(bot.pid) for state in states(pid)} <= set("TZS")


def program_text(body: str) -> str:
    """Return ``body`` as lines that begin at the margin."""
    lines = body.split("\n")
    return "\n".join(line.removeprefix("        ") for line in lines)
