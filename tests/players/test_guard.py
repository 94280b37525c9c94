"""What is left of bots when the process that started them is killed."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.players import guard
from tests.bot_processes import comes_true, running

pytestmark = pytest.mark.slow

# Has no mark until it becomes another program.
LATE = """
import os, sys, time
print(os.getpid(), flush=True)
time.sleep(0.2)
os.execve(sys.executable, [sys.executable, "-c", "import time; time.sleep(30)"], {"MARK": "late"})
"""
STARTS = """
import subprocess, sys
sys.path.insert(0, {root!r})
from arena.players import guard

def start(mark, told):
    name, value = mark.split("=")
    # Once out of its parent's sight, and out of its session.
    body = "import os; os.setsid(); print(os.fork() or os.getpid(), flush=True)"
    body += "; import time; time.sleep(0 if os.getsid(0) == os.getpid() else 30)"
    made = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", body], env={{name: value}}, stdout=subprocess.PIPE
    )
    if told:
        guard.watch(mark, made.pid)
    made.wait()
    print(*{{int(line) for line in (made.stdout.readline(), made.stdout.readline())}})

def starts(program):
    command = [sys.executable, "-I", "-S", "-c", program]
    made = subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True)
    print(int(made.stdout.readline()))

{body}
print("done", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def killed(tmp_path: Path) -> Iterator["Killed"]:
    one = Killed(tmp_path)
    yield one
    for pid in one.started:
        if running(pid):
            os.kill(pid, signal.SIGKILL)


class Killed:
    """A process that starts others, and is killed."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "arena-bot-1"
        self.started: list[int] = []

    def __call__(self, body: str) -> None:
        root = str(Path(guard.__file__).parents[2])
        with subprocess.Popen(
            [sys.executable, "-c", STARTS.format(root=root, body=body)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as starter:
            assert starter.stdout
            while (line := starter.stdout.readline()) != "done\n":
                self.started += map(int, line.split())
            starter.kill()


def test_what_has_a_mark_is_ended_however_it_has_hidden(killed: Killed) -> None:
    killed("start('MARK=1', True); start('MARK=2', True)")

    assert len(killed.started) == 2
    assert comes_true(lambda: not any(map(running, killed.started)), within_s=3)


def test_what_was_just_being_started_is_ended_although_it_has_its_mark_late(
    killed: Killed,
) -> None:
    killed(f"guard.watch('MARK=late')\nstarts({LATE!r})")

    (late,) = killed.started
    assert comes_true(lambda: not running(late), within_s=3)


def test_nothing_else_is_ended(killed: Killed) -> None:
    killed("start('MARK=1', True); start('MARK=2', True); start('MARK=11', False)")
    first, second, other = killed.started

    assert comes_true(lambda: not running(first) and not running(second), within_s=3)
    assert running(other)


def test_what_was_forgotten_is_left_alone(killed: Killed) -> None:
    killed("start('MARK=1', True); start('MARK=2', True); guard.forget('MARK=1')")
    forgotten, ended = killed.started

    assert comes_true(lambda: not running(ended), within_s=3)
    assert running(forgotten)


def test_a_home_is_removed_with_whom_it_belonged_to(killed: Killed) -> None:
    killed.home.mkdir()

    killed(f"start('HOME={killed.home}', True)")

    assert comes_true(lambda: not killed.home.exists(), within_s=3)
    assert comes_true(lambda: not any(map(running, killed.started)), within_s=1)


def test_a_fork_has_a_guard_of_its_own(tmp_path: Path) -> None:
    guard.watch("MARK=parent")
    before = dict(guard._pipes)
    child = os.fork()
    if child == 0:
        guard.watch("MARK=child")
        os._exit(0 if guard._pipes.keys() == {os.getpid()} else 1)

    _, status = os.waitpid(child, 0)

    assert status == 0
    assert guard._pipes == before
