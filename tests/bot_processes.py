"""Bot processes for the tests, and what runs of them, as /proc has it."""

import contextlib
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from arena.players.process import BotProcess
from arena.players.tier import Tier
from arena.referee.limits import Limits
from tests.tiny_bots import program

PATIENCE_S = 5.0
"""When to give up on what must come to be soon."""


class Start:
    """Starts bots, and remembers those that a test may leave running."""

    def __init__(self, folder: Path, tier: Tier) -> None:
        self._folder = folder
        self.tier = tier
        self.started: list[BotProcess] = []

    def __call__(self, body: str, limits: Limits | None = None) -> BotProcess:
        """Start the bot ``body``, as `tests.tiny_bots` has it, with the usual limits."""
        bot = BotProcess(program(body, self._folder), limits or Limits(), self.tier)
        self.started.append(bot)
        return bot


def descendants(pid: int) -> set[int]:
    """Return all processes below ``pid`` but its guard, orphans that it has adopted included."""
    found: set[int] = set()
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            for child in map(int, task.read_text().split()):
                if b"players/guard.py" not in Path(f"/proc/{child}/cmdline").read_bytes():
                    found |= {child} | descendants(child)
    return found


def running(pid: int) -> bool:
    """Return whether the process ``pid`` is there, and no zombie."""
    return any(state != "Z" for state in states(pid))


def states(pid: int) -> list[str]:
    """Return the state of each thread of the process ``pid``, none if it is gone."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/stat"):
        with contextlib.suppress(OSError):
            found.append(task.read_text().rpartition(") ")[2][0])
    return found


def cpu_s(pids: Iterable[int]) -> float:
    """Return the processor time that ``pids`` have used; those that are gone count nothing."""
    used = 0.0
    for pid in pids:
        with contextlib.suppress(OSError):
            used += time.clock_gettime((~pid << 3) | 2)
    return used


def comes_true(condition: Callable[[], object], within_s: float = PATIENCE_S) -> bool:
    """Return whether ``condition`` comes true soon."""
    until = time.monotonic() + within_s
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.001)
    return True
