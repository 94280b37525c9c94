"""No sample bot is ever at fault: whole tournaments of all of them, on a machine that is busy."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.whole_arena import Arena

MOVE_MS = "100"
HOG = "while True: pass"


@contextmanager
def busy(hogs: int) -> Iterator[None]:
    """Have so many processes use what they get of the processors."""
    with ExitStack() as stack:
        for _ in range(hogs):
            hog = subprocess.Popen([sys.executable, "-I", "-S", "-c", HOG])
            stack.callback(hog.wait)
            stack.callback(hog.kill)
        yield


def faults(home: Path, deals: int, timeout_s: float) -> tuple[int, list[str]]:
    """Play all sample bots in both games; return how many matches there were, and all faults."""
    arena = Arena(home)
    running = arena.start("tournament", "--deals", str(deals), "--move-ms", MOVE_MS)
    _, said = running.communicate(timeout=timeout_s)
    assert running.returncode == 0, said
    played = arena.played()
    found = [
        f"{match}: {record['seats'][fault['seat']]['bot']}: {fault['text']}"
        for match, record in played.items()
        for fault in record["faults"]
    ]
    return len(played), found


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_no_sample_bot_is_at_fault_in_200_matches(tmp_path: Path) -> None:
    matches, found = faults(tmp_path / "home", 3, 350)

    assert matches >= 200
    assert found == []


@pytest.mark.long
@pytest.mark.timeout(0)
def test_no_sample_bot_is_at_fault_in_2000_matches_on_a_busy_machine(tmp_path: Path) -> None:
    with busy(len(os.sched_getaffinity(0))):
        matches, found = faults(tmp_path / "home", 24, 3600)

    assert matches >= 2000
    assert found == []
