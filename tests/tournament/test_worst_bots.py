"""Bots that each do the worst of one kind, in one tournament with four that play."""

import time
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from arena.errors import FaultCode
from arena.players.sandbox import isolation
from arena.players.submission import read_bundle
from arena.players.tier import Tier
from arena.referee.category import Category, Mode
from arena.referee.fixture import Fixture
from arena.referee.limits import Limits
from arena.store.db import open_store
from arena.tournament.entrants import Candidate
from arena.tournament.plan import plan
from arena.tournament.suite import Suite
from tests.whole_arena import DICE, FIRST, LAST, Arena, bot, killed_at_last

pytestmark = pytest.mark.slow

LIMITS = Limits(move_ms=1000, memory_mb=128)
PAIRS = Category("donburiko", "standard", Mode.TABLE, 2)
THREES = Category("donburiko", "standard", Mode.TABLE, 3)
KEY = bytes(range(32))
MORE_MB = 8
"""By how much the memory of a process may differ from one tournament to another."""

PATIENCE_S = 60.0

HONEST = {"dice": DICE, "first": FIRST, "last": LAST, "other": DICE + "\n# another file"}

AT_MOVE = """
import os, signal, sys, time

def choose(number, legal):
{}
    return 0

play(choose)
"""

WORST: Mapping[str, tuple[str, FaultCode | None]] = {
    "forks": (
        """
        while True:
            try:
                os.fork()
            except OSError:
                pass
        """,
        FaultCode.TIMEOUT,
    ),
    "hoards": (
        """
        held = []
        while True:
            held.append(b"x" * 20_000_000)
        """,
        FaultCode.OUT_OF_MEMORY,
    ),
    "floods": (
        """
        while True:
            os.write(1, b"x" * 65_536)
        """,
        FaultCode.BAD_MESSAGE,
    ),
    "chatters": (
        """
        os.write(2, b"y" * 200_000)
        """,
        None,
    ),
    "breeds": (
        """
        if not signal.getsignal(signal.SIGUSR1):
            signal.signal(signal.SIGUSR1, signal.SIG_IGN)
            for _ in range(4):
                if os.fork() == 0:
                    os.setsid()
                    if os.fork():
                        os._exit(0)
                    while True:
                        pass
        """,
        None,
    ),
    "sleeps": (
        """
        time.sleep(600)
        """,
        FaultCode.TIMEOUT,
    ),
    "breaks-off": (
        """
        os.write(1, b'{"type":"action","id":')
        time.sleep(600)
        """,
        FaultCode.TIMEOUT,
    ),
    "leaves": ("sys.exit(3)", FaultCode.START_FAILED),
    "stands": (
        """
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        os.kill(os.getpid(), signal.SIGSTOP)
        """,
        FaultCode.TIMEOUT,
    ),
    "litters": (
        """
        for folder in (".", "/bot", "/tmp", "/var/tmp", "/dev/shm", os.environ["HOME"]):
            try:
                for part in range(8):
                    with open(f"{folder}/{sys.argv[1].replace('/', '-')}{part}", "wb") as file:
                        while file.write(b"z" * 1_000_000):
                            pass
            except OSError:
                pass
        """,
        None,
    ),
    "opens": (
        """
        held = [os.open("/dev/null", os.O_RDONLY) for _ in range(10_000)]
        """,
        FaultCode.EXITED,
    ),
    "confounds": (
        """
        hostile = ["[" * 60_000, '{"a":' * 9_000, '{"id":1e999}', "\\ufeff{}", '{"id":1,"id":2}']
        print(hostile[number % len(hostile)], flush=True)
        time.sleep(600)
        """,
        FaultCode.BAD_MESSAGE,
    ),
}
"""What a bot does when it is asked, or at its start, and which fault that is, if any."""


def indented(deed: str) -> str:
    return deed.replace("\n    ", "\n")


BODIES = HONEST | {
    name: deed if code is FaultCode.START_FAILED else AT_MOVE.format(indented(deed))
    for name, (deed, code) in WORST.items()
}


@dataclass(frozen=True)
class Ended:
    """What a tournament left behind."""

    records: Mapping[str, dict[str, Any]]
    """By match, but for what was measured and for which tournament it was."""

    runner_mb: float
    """The most memory that the main process had while matches were played."""

    worker_mb: float
    """The most that any of its workers had."""

    files: set[str]
    """The names of all files in the home, but for the lock of the tournament."""


def played(folder: Path, home: str, wanted: Callable[[Fixture], bool], *names: str) -> Ended:
    """Play what is ``wanted`` of the tournament of the bots ``names``, with two workers."""
    bots = folder / "bots"
    # The folder in their command line tells their processes from others.
    for name in set(names) - {there.name for there in bots.glob("*")}:
        bot(BODIES[name], bots / name, str(folder))
    categories = {PAIRS: 2, THREES: 1}
    candidates = [Candidate(name, read_bundle(bots / name), None) for name in names]
    published = Suite("short", KEY, categories)
    made = plan(candidates, categories, LIMITS, Tier.BWRAP, suite=published)
    made = replace(made, fixtures=tuple(filter(wanted, made.fixtures)))
    arena = Arena(folder / home)
    with open_store(arena.home) as store:
        made.store(store)
    running = arena.start("tournament", "--resume", made.tournament.id, "-j", "2")
    with killed_at_last(running):
        peaks = watched(arena, running.poll, PATIENCE_S + 2 * len(made.fixtures))
        assert running.wait(5) == 0
    # Where root cannot write to /run, the locks for the users of its seats are here.
    assert {path.name for path in arena.scratch.iterdir()} <= {"arena-uids"}
    records = arena.played(made.tournament.id)
    # A bot that kept failing may have been retired, and not have played on.
    honest = {fixture.match for fixture in made.fixtures if honest_only(fixture)}
    assert honest <= records.keys() <= {fixture.match for fixture in made.fixtures}
    return Ended(
        records={
            match: {name: value for name, value in record.items() if name != "tournament"}
            for match, record in records.items()
        },
        runner_mb=peaks.pop(running.pid),
        worker_mb=max(peaks.values()),
        files={path.name for path in arena.home.rglob("*") if path.is_file()}
        - {made.tournament.id},
    )


def watched(arena: Arena, ended: Callable[[], object], within_s: float) -> dict[int, float]:
    """Wait for the end, and return the most memory that each process of the program had, in MiB.

    Only while it plays, for the tables at the end take what they take; and only of processes that
    live for some time, as all of them do but those that are about to become bots.
    """
    seen: dict[int, list[float]] = defaultdict(list)
    until = time.monotonic() + within_s
    while ended() is None:
        assert time.monotonic() < until, "it does not end"
        processes = arena.running("arena.cli.app")
        for process in processes if len(processes) > 1 else []:
            if (peak := peak_mb(process)) is not None:
                seen[process].append(peak)
        time.sleep(0.02)
    return {process: max(peaks) for process, peaks in seen.items() if len(peaks) > 1}


def peak_mb(process: int) -> float | None:
    """Return the most memory that a process has had so far; ``None`` if it is gone."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return None
    found = [int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:")]
    return found[0] / 1024 if found else None


def honest_only(fixture: Fixture) -> bool:
    return set(fixture.bots) <= HONEST.keys()


def few(fixture: Fixture) -> bool:
    """Want each of the worst against one that plays, in both seatings."""
    if fixture.category != PAIRS:
        return False
    worst = [list(WORST).index(name) for name in fixture.bots if name in WORST]
    met = fixture.deal == 0 and bool(worst) and list(HONEST)[worst[0] % 4] in fixture.bots
    return met or not worst


def many(fixture: Fixture) -> bool:
    """Want all pairs, and all tables of three with two that play at least."""
    if fixture.category == THREES:
        return len(HONEST.keys() & set(fixture.bots)) >= 2
    return fixture.deal == 0 or honest_only(fixture)


def check(
    folder: Path, wanted: Callable[[Fixture], bool], worst: Collection[str] = tuple(WORST)
) -> None:
    """Play without the ``worst``, then with them, and compare."""
    if lacking := isolation().lacking:
        pytest.skip(lacking)
    without = played(folder, "without", lambda one: honest_only(one) and wanted(one), *HONEST)

    among = played(folder, "among", wanted, *HONEST, *worst)

    assert {match: among.records[match] for match in without.records} == without.records
    assert verdicts(among.records) == {
        name: {code} - {None} if name in worst else set() for name, (_, code) in WORST.items()
    }
    assert among.runner_mb - without.runner_mb < MORE_MB
    assert among.worker_mb - without.worker_mb < MORE_MB
    assert Arena(folder).all_gone()
    assert among.files == without.files
    assert left(str(folder).replace("/", "-")) == []


def verdicts(records: Mapping[str, dict[str, Any]]) -> dict[str, set[FaultCode]]:
    """Return the codes of the faults of each of the worst; nobody else has any."""
    found: dict[str, set[FaultCode]] = {name: set() for name in WORST}
    for record in records.values():
        for fault in record["faults"]:
            found[record["seats"][fault["seat"]]["bot"]].add(FaultCode(fault["code"]))
    return found


def left(marker: str) -> list[Path]:
    """Return the files outside the home that bots have left."""
    folders = (Path("/tmp"), Path("/var/tmp"), Path("/dev/shm"), Path.home())  # noqa: S108
    return [path for folder in folders for path in folder.glob(f"*{marker}*")]


def test_the_worst_bots_hurt_only_themselves(tmp_path: Path) -> None:
    check(tmp_path, few)


@pytest.mark.long
@pytest.mark.timeout(3_600)
def test_the_worst_bots_hurt_only_themselves_at_every_table(tmp_path: Path) -> None:
    # Few enough at a time for a schedule of all the tables there can be.
    for first in range(0, len(WORST), 4):
        folder = tmp_path / str(first)
        folder.mkdir()
        check(folder, many, list(WORST)[first : first + 4])
