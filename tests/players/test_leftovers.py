"""However a run ends, nothing of a bot is left 3 seconds later: not in any tier, of any bot."""

import os
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from arena.players.sandbox import isolation
from arena.players.tier import Tier
from tests.bot_processes import descendants, running
from tests.whole_arena import Arena, bot, children, holds, killed_at_last, named, suite

pytestmark = pytest.mark.slow

WITHIN_S = 3.0
KINDS = 5
"""Processes of the bot below, but for those that come and go."""

STUBBORN = """
import os, signal, time

# Not for ever, should nobody end it: a machine would soon be out of process ids.
until = time.monotonic() + 40

def stay():
    while (left := until - time.monotonic()) > 0:
        time.sleep(left)
    os._exit(0)

def relay():
    while time.monotonic() < until:
        time.sleep(0.01)
        try:
            if os.fork():
                break
        except OSError:
            pass
    os._exit(0)

def stop():
    os.kill(os.getpid(), signal.SIGSTOP)
    stay()

def leave(then):
    os.setsid()
    if os.fork() == 0:
        then()
    os._exit(0)

for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
    signal.signal(number, signal.SIG_IGN)
# In its group and in sessions of their own, waiting, stopped, and for ever new.
for start in (stay, stop, relay, lambda: leave(stay), lambda: leave(stop), lambda: leave(relay)):
    if os.fork() == 0:
        start()

asked = 0
def choose(number, legal):
    global asked
    asked += 1
    if asked == 3 and sys.argv[2] == "faults":
        os._exit(3)
    if asked == 3 and sys.argv[2] == "hangs":
        stay()
    return number % len(legal)

play(choose)
stay()
"""
"""Leaves behind what it can, and goes neither at ``quit`` nor at the end of its input."""


def stubborn(arena: Arena, name: str, conduct: str) -> Path:
    """Write the bot, which plays, is at fault or hangs at its third question."""
    folder = bot(STUBBORN, arena.home.parent / name)
    # The home, by which its processes are known, in every tier and whatever they become.
    command = ["python", "-I", "-S", "bot.py", f"{arena.home}-bots", conduct]
    (folder / "bot.toml").write_text(f"command = {command}\n")
    return folder


def begin(arena: Arena, tier: Tier, conduct: str, deals: int) -> "subprocess.Popen[str]":
    """Start a tournament of two stubborn bots."""
    bots = [stubborn(arena, name, conduct) for name in ("one", "two")]
    chosen = suite(arena.home.with_suffix(".toml"), "donburiko table 2", deals=deals)
    clocks = ("--move-ms", "600000", "-j", "2", "--tier", tier.value)
    return arena.start("tournament", "--bots", named(bots), "--suite", str(chosen), *clocks)


def playing(arena: Arena, seats: int) -> bool:
    """Return whether bots in so many seats have come to play soon, with what they leave."""
    return holds(lambda: len(arena.running("-bots")) >= seats * KINDS)


def end(run: "subprocess.Popen[str]", *signals: signal.Signals) -> None:
    """Send ``signals`` to the runner, if any, the last one until it heeds it, and wait for it."""
    for number in signals:
        run.send_signal(number)
        time.sleep(0.02)
    # Signals that come together may be one.
    while len(signals) > 1 and not holds(lambda: run.poll() is not None, 1.0):
        run.send_signal(signals[-1])
    run.communicate(timeout=30)


INT, TERM, KILL = signal.SIGINT, signal.SIGTERM, signal.SIGKILL
WAYS = {
    "the end": ("plays", 1, ()),
    "faults": ("faults", 1, ()),
    "Ctrl-C": ("plays", 60, (INT,)),
    "Ctrl-C twice": ("hangs", 2, (INT, INT)),
    "SIGTERM": ("plays", 60, (TERM,)),
    "SIGTERM twice": ("hangs", 2, (TERM, TERM)),
    "SIGKILL": ("hangs", 2, (KILL,)),
}
"""What the bots do, how many deals there are, and what is sent to the runner in the midst."""


@pytest.fixture(params=[Tier.BWRAP, Tier.NONE])
def tier(request: pytest.FixtureRequest) -> Tier:
    found: Tier = request.param
    if found is Tier.BWRAP and (lacking := isolation().lacking):
        pytest.skip(lacking)
    return found


@pytest.mark.parametrize(("conduct", "deals", "signals"), WAYS.values(), ids=WAYS)
def test_nothing_of_a_bot_is_left_when_a_run_has_ended(
    tmp_path: Path, tier: Tier, conduct: str, deals: int, signals: Sequence[signal.Signals]
) -> None:
    arena = Arena(tmp_path / "home")

    with killed_at_last(begin(arena, tier, conduct, deals)) as run:
        assert not signals or playing(arena, 2)
        end(run, *signals)

        assert arena.all_gone(WITHIN_S), arena.running()


def test_nothing_of_a_bot_is_left_when_its_worker_was_killed(tmp_path: Path, tier: Tier) -> None:
    arena = Arena(tmp_path / "home")

    with killed_at_last(begin(arena, tier, "hangs", 2)) as run:
        assert playing(arena, 4)
        worker = next(pid for pid in children(run.pid) if descendants(pid))
        assert holds(lambda: len(descendants(worker)) >= 2 * KINDS, 10)
        bots = descendants(worker)
        os.kill(worker, KILL)

        assert holds(lambda: not any(map(running, bots)), WITHIN_S)
        end(run, KILL)
        assert arena.all_gone(WITHIN_S), arena.running()


@pytest.mark.parametrize("command", ["tournament", "match"])
def test_nothing_of_a_bot_is_left_when_all_of_arena_is_killed_at_once(
    tmp_path: Path, tier: Tier, command: str
) -> None:
    arena = Arena(tmp_path / "home")
    if command == "tournament":
        run = begin(arena, tier, "hangs", 2)
    else:
        bots = [str(stubborn(arena, name, "hangs")) for name in ("one", "two")]
        clocks = ("--move-ms", "600000", "--tier", tier.value)
        run = arena.start("match", "donburiko", *bots, *clocks)

    with killed_at_last(run):
        assert playing(arena, 2)
        for pid in arena.running("arena.cli.app"):
            os.kill(pid, KILL)
        end(run)

        assert arena.all_gone(WITHIN_S), arena.running()
