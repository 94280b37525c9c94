"""What the machine does to a tournament, as against what its bots do."""

import os
import signal
import time
from pathlib import Path

import pytest

from arena.errors import FaultCode
from arena.players.sandbox import isolation
from arena.players.tier import Tier
from arena.tournament.machine import cores
from tests.whole_arena import DICE, Arena, bot, children, holds, killed_at_last, named, suite

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

THINKS = """
import time
def choose(number, legal):
    until = time.process_time() + {cpu_s}
    while time.process_time() < until:
        pass
    return number % len(legal)
play(choose)
"""
SLEEPS = """
import time
def choose(number, legal):
    time.sleep({seconds})
    return number % len(legal)
play(choose)
"""
STOPPED_S = 10.0


@pytest.fixture(params=[Tier.BWRAP, Tier.NONE])
def tier(request: pytest.FixtureRequest) -> str:
    found: Tier = request.param
    if found is Tier.BWRAP and (lacking := isolation().lacking):
        pytest.skip(lacking)
    return found.value


def test_a_bot_that_needs_two_fifths_of_its_time_has_it_with_four_matches_a_core(
    tmp_path: Path, tier: str
) -> None:
    bots = [bot(THINKS.format(cpu_s=0.1), tmp_path / name) for name in ("one", "two")]
    cards = suite(tmp_path / "cards.toml", "donburiko table 2", deals=2 * len(cores()))
    arena = Arena(tmp_path / "home")

    jobs = str(4 * len(cores()))
    options = ("--suite", str(cards), "--move-ms", "250", "-j", jobs, "--tier", tier)
    run = arena.start("tournament", "--bots", named(bots), *options)
    _, said = run.communicate(timeout=280)

    assert run.returncode == 0, said
    assert [record["faults"] for record in arena.played().values() if record["faults"]] == []
    assert "would suit" in said


def test_a_bot_that_sleeps_over_its_time_is_charged_each_time_also_then(
    tmp_path: Path, tier: str
) -> None:
    late = bot(SLEEPS.format(seconds=0.3), tmp_path / "late")
    busy = bot(THINKS.format(cpu_s=0.1), tmp_path / "busy")
    cards = suite(tmp_path / "cards.toml", "donburiko table 2", deals=len(cores()))
    arena = Arena(tmp_path / "home")

    jobs = str(4 * len(cores()))
    options = ("--suite", str(cards), "--move-ms", "250", "-j", jobs, "--tier", tier)
    arena.run("tournament", "--bots", named([late, busy]), *options)

    for record in arena.played().values():
        (fault,) = record["faults"]
        assert record["seats"][fault["seat"]]["bot"] == "late"
        assert fault["code"] == FaultCode.TIMEOUT


def test_nobody_is_charged_for_a_runner_that_was_stopped_in_the_midst_of_questions(
    tmp_path: Path, tier: str
) -> None:
    bots = [bot(SLEEPS.format(seconds=0.1), tmp_path / "one"), bot(DICE, tmp_path / "two")]
    cards = suite(tmp_path / "cards.toml", "donburiko table 2", deals=3)
    arena = Arena(tmp_path / "home")
    options = ("--suite", str(cards), "--move-ms", "500", "-j", "2", "--tier", tier)

    with killed_at_last(arena.start("tournament", "--bots", named(bots), *options)) as run:
        assert holds(lambda: len(arena.running("bot.py")) >= 2)
        time.sleep(0.5)
        stopped = arena.running("main()")
        assert {run.pid, *children(run.pid)} <= set(stopped)
        for process in stopped:
            os.kill(process, signal.SIGSTOP)
        time.sleep(STOPPED_S)
        for process in reversed(stopped):
            os.kill(process, signal.SIGCONT)
        _, said = run.communicate(timeout=100)

    assert run.returncode == 0, said
    assert [record["faults"] for record in arena.played().values() if record["faults"]] == []
