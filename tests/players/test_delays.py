"""Fair clocks: whose time it was."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.errors import BotFault, FaultCode, HostFault
from arena.players.delays import FairClock, Thread, Times, excused_ns, starves, times
from arena.players.process import BotProcess
from arena.referee.limits import Limits
from tests.tiny_bots import program

MS = 1_000_000
NOTHING = Times(0, {}, ready=False)


def one(ran_ms: int, waited_ms: int, *, used_ms: int | None = None) -> Times:
    """Return the times of a bot with one thread, beside which others may have used some."""
    used = ran_ms if used_ms is None else used_ms
    return Times(used * MS, {7: Thread(ran_ms * MS, waited_ms * MS)}, ready=True)


def test_time_that_others_had_the_processor_is_excused() -> None:
    assert excused_ns(one(10, 5), one(30, 85)) == 80 * MS


def test_time_asleep_is_not_excused() -> None:
    assert excused_ns(one(10, 5), one(10, 5)) == 0


def test_time_that_other_threads_of_the_bot_used_is_not_excused() -> None:
    assert excused_ns(one(10, 5), one(30, 85, used_ms=95)) == 15 * MS


def test_time_that_ended_processes_of_the_bot_used_is_not_excused() -> None:
    assert excused_ns(one(0, 0), one(20, 80, used_ms=500)) == 0


def test_a_thread_that_came_later_is_excused_for_all_it_waited() -> None:
    assert excused_ns(NOTHING, one(1, 40)) == 40 * MS


def test_time_for_which_arena_was_away_is_excused_but_for_what_the_bot_did() -> None:
    assert excused_ns(one(0, 0), one(300, 0), absent_ns=1000 * MS) == 700 * MS


def test_a_bot_that_is_ready_and_does_not_run_starves() -> None:
    assert starves(one(10, 5), one(10, 5))
    assert not starves(one(10, 5), one(11, 5))
    assert not starves(NOTHING, NOTHING)


def test_the_kernel_tells_what_a_process_had() -> None:
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        before = times([busy.pid])
        while times([busy.pid]).used - before.used < 30 * MS:
            time.sleep(0.005)
        now = times([busy.pid])
    finally:
        busy.kill()
        busy.wait()

    assert now.ready
    assert now.threads[busy.pid].ran > before.threads.get(busy.pid, Thread(0, 0)).ran


def test_a_process_that_is_gone_has_had_nothing() -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()

    assert times([gone.pid]) == NOTHING


@contextmanager
def crowded(processes: int) -> Iterator[None]:
    """Keep this test's core busy with others, who have as much right to it as a bot."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    others = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(processes)
    ]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()
        os.sched_setaffinity(0, before)


BUSY = """
import sys, time
for line in sys.stdin:
    until = time.process_time() + {cpu_s}
    while time.process_time() < until:
        pass
    print("done", flush=True)
"""
SLEEPS = """
import sys, time
for line in sys.stdin:
    time.sleep(0.6)
    print("done", flush=True)
"""
THREADS = """
import os, sys, time
for line in sys.stdin:
    for _ in range(4):
        if os.fork() == 0:
            until = time.process_time() + 1
            while time.process_time() < until:
                pass
            os._exit(0)
    until = time.process_time() + 0.3
    while time.process_time() < until:
        pass
    print("done", flush=True)
"""
STOPS = """
import os, signal, sys, time
time.sleep(0.3)
os.kill(int(sys.argv[1]), signal.SIGSTOP)
time.sleep(1.5)
os.kill(int(sys.argv[1]), signal.SIGCONT)
"""


@pytest.mark.slow
def test_a_bot_that_has_to_share_its_core_gets_all_of_its_time(tmp_path: Path) -> None:
    bot = BotProcess(program(BUSY.format(cpu_s=0.2), tmp_path), Limits())
    with crowded(4):
        try:
            assert bot.ask(b"\n", 300) == b"done"
            assert bot.excused_ns() > 50 * MS
        finally:
            bot.stop(0)


@pytest.mark.slow
@pytest.mark.parametrize("code", [BUSY.format(cpu_s=1.5), SLEEPS], ids=["works", "sleeps"])
def test_a_bot_that_takes_too_long_is_charged_also_in_a_crowd(tmp_path: Path, code: str) -> None:
    bot = BotProcess(program(code, tmp_path), Limits())
    with crowded(2):
        try:
            with pytest.raises(BotFault) as caught:
                bot.ask(b"\n", 400)
        finally:
            bot.stop(0)

    assert caught.value.code is FaultCode.TIMEOUT


@pytest.mark.slow
def test_a_bot_cannot_buy_time_by_getting_in_its_own_way(tmp_path: Path) -> None:
    bot = BotProcess(program(THREADS, tmp_path), Limits())
    with crowded(0):
        try:
            with pytest.raises(BotFault) as caught:
                bot.ask(b"\n", 500)
        finally:
            bot.stop(0)

    assert caught.value.code is FaultCode.TIMEOUT


@pytest.mark.slow
def test_an_answer_that_came_while_arena_was_stopped_is_in_time(tmp_path: Path) -> None:
    bot = BotProcess(program(SLEEPS, tmp_path), Limits())
    watch = subprocess.Popen([sys.executable, "-c", STOPS, str(os.getpid())])
    try:
        assert bot.ask(b"\n", 900) == b"done"
    finally:
        bot.stop(0)
        watch.wait()


def test_where_no_question_may_take_longer_a_bot_that_was_kept_waiting_voids_the_match() -> None:
    clock = FairClock(os.getpid(), fixed=True)

    with pytest.raises(HostFault, match="too busy"):
        clock.more_s(0.1, 0.15, absent_s=0.1)


def test_a_question_that_takes_ten_times_its_time_voids_the_match() -> None:
    clock = FairClock(os.getpid(), fixed=False)

    with pytest.raises(HostFault, match="too busy"):
        clock.more_s(0.1, 50.0, absent_s=50.0)


@pytest.mark.slow
def test_what_a_bot_has_let_go_is_no_excuse_either(tmp_path: Path) -> None:
    body = """
    import os, sys, time
    for line in sys.stdin:
        for _ in range(4):
            if os.fork() == 0:
                os.setsid()
                if os.fork() == 0:
                    time.sleep(0)
                    until = time.process_time() + 1
                    while time.process_time() < until:
                        pass
                os._exit(0)
            os.wait()
        until = time.process_time() + 0.4
        while time.process_time() < until:
            pass
        print("done", flush=True)
    """
    bot = BotProcess(program(body, tmp_path), Limits())
    with crowded(0):
        try:
            with pytest.raises(BotFault) as caught:
                bot.ask(b"\n", 500)
        finally:
            bot.stop(0)

    assert caught.value.code is FaultCode.TIMEOUT
