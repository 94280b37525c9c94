"""Fair clocks, with bots that share a core and bots that get in their own way."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.tiny_bots import program

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]

ASKS = """
import json, os, sys, time
from pathlib import Path
from arena.errors import BotFault
from arena.players.process import BotProcess, Program
from arena.referee.limits import Limits

argv, folder, budget_ms = json.loads(sys.argv[1])
bot = BotProcess(Program(tuple(argv), Path(folder)), Limits())
bot.ask(b"first\\n", 20_000)
began = time.monotonic()
try:
    said = bot.ask(b"second\\n", budget_ms).decode()
except BotFault as fault:
    said = fault.code.value
took = time.monotonic() - began
print(json.dumps([said, took, bot.excused_ns() / 1e9]))
bot.stop(0)
"""
"""Asks two questions as a worker does, the second with a limit."""

ONCE_READY = """
import os, signal, sys, time
def work(seconds):
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass
for line in sys.stdin:
    if line == "second\\n":
        {then}
    print("done", flush=True)
"""

IGNORES_ITS_CHILDREN = """signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        began = time.monotonic()
        while time.monotonic() - began < 2:
            for _ in range(3):
                if os.fork() == 0:
                    work(0.02)
                    os._exit(0)
            work(0.02)"""
IS_NICE = """time.sleep(0.14)
        child = os.fork()
        if child == 0:
            os.nice(19)
            work(60)
        work(2)
        os.kill(child, 9)"""
LETS_GO = """for _ in range(4):
            if os.fork() == 0:
                os.setsid()
                if os.fork() == 0:
                    work(1)
                os._exit(0)
            os.wait()
        work(0.4)"""
CHILDREN = """for _ in range(4):
            if os.fork() == 0:
                work(1)
                os._exit(0)
        work(0.3)"""


@contextmanager
def crowd(others: int) -> Iterator[list[str]]:
    """Keep one core busy, and yield the beginning of a command that runs on that core."""
    core = ["taskset", "--cpu-list", str(max(os.sched_getaffinity(0)))]
    busy = [
        subprocess.Popen([*core, sys.executable, "-c", "while True: pass"]) for _ in range(others)
    ]
    try:
        yield core
    finally:
        for one in busy:
            one.kill()
            one.wait()


def asked(
    folder: Path, then: str, budget_ms: int, others: int, *, pinned: bool = True
) -> tuple[Any, ...]:
    """Return what a bot said within its time, how long that took, and what was excused of it.

    Others are on one core, as is the bot if it is ``pinned``.
    """
    started = program(ONCE_READY.format(then=then), folder)
    words = json.dumps([started.argv, str(started.folder), budget_ms])
    with crowd(others) as core:
        done = subprocess.run(
            [*(core if pinned else ()), sys.executable, "-c", ASKS, words],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            check=True,
            timeout=60,
        )
    return tuple(json.loads(done.stdout))


def test_a_bot_that_has_to_share_its_core_gets_all_of_its_time(tmp_path: Path) -> None:
    said, took, excused = asked(tmp_path, "work(0.5)", 800, others=3)

    assert said == "done"
    assert took > 0.8
    assert excused > 0.1


@pytest.mark.parametrize("then", ["work(2)", "time.sleep(1.2)"], ids=["works", "sleeps"])
def test_a_bot_that_takes_too_long_is_charged_also_in_a_crowd(tmp_path: Path, then: str) -> None:
    said, _, _ = asked(tmp_path, then, 500, others=2)

    assert said == "timeout"


@pytest.mark.parametrize(
    "then",
    [CHILDREN, LETS_GO, IGNORES_ITS_CHILDREN, IS_NICE],
    ids=["children", "let go", "ignored", "nice"],
)
def test_a_bot_cannot_buy_time_by_getting_in_its_own_way(tmp_path: Path, then: str) -> None:
    # Somebody else is busy, wherever the system has it run.
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        said, took, _ = asked(tmp_path, then, 500, others=0)
    finally:
        busy.kill()
        busy.wait()

    assert said == "timeout"
    assert took < 1.9


MANY = """for _ in range(8):
            if os.fork() == 0:
                work(60)
        work(60)"""


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="has a single core")
def test_nor_by_having_more_processes_than_cores(tmp_path: Path) -> None:
    said, took, _ = asked(tmp_path, MANY, 300, others=1, pinned=False)

    assert said == "timeout"
    assert took < 1.9
