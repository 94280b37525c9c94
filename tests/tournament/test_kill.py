"""A tournament whose runner is killed, or asked to stop, goes on as if nothing had been."""

import json
import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from arena.players.sandbox import isolation
from arena.store.db import open_store
from arena.store.tournaments import Progress, Stage, list_tournaments
from tests.whole_arena import (
    DICE,
    FAULTY,
    LAST,
    Arena,
    bot,
    children,
    holds,
    killed_at_last,
    named,
    suite,
)

pytestmark = pytest.mark.slow

HOOK = """
import json, os, pathlib, signal, sqlite3, threading, time

plan = json.loads(os.environ["KILL_AT"])
seen = {"after": not plan["after"], "times": 0}

def strike():
    until = time.monotonic() + plan["delay"]
    while time.monotonic() < until:
        pass
    if plan["whom"] == "a worker":
        tasks = pathlib.Path("/proc/self/task").glob("*/children")
        for child in (child for task in tasks for child in task.read_text().split()):
            if b"guard.py" not in pathlib.Path("/proc", child, "cmdline").read_bytes():
                os.kill(int(child), signal.SIGKILL)
                break
        time.sleep(0.2)  # and then the runner, which has begun to make up for it
    os.kill(0 if plan["whom"] == "its group" else os.getpid(), signal.SIGKILL)

def trace(statement):
    seen["after"] = seen["after"] or statement.startswith(plan["after"])
    if seen["after"] and statement.startswith(plan["at"]):
        seen["times"] += 1
        if seen["times"] == plan["times"]:
            if plan["delay"] or plan["whom"] == "a worker":
                threading.Thread(target=strike, daemon=True).start()
            else:
                strike()

def connect(*arguments, connect=sqlite3.connect, **named):
    opened = connect(*arguments, **named)
    opened.set_trace_callback(trace)
    return opened

sqlite3.connect = connect
"""
"""What Python imports as it starts: kills the process at one of its SQL statements."""

NOTING = """
note({path!r}, "started")
play(lambda number, legal: 0)
"""


@dataclass(frozen=True)
class Moment:
    """When a runner is killed: as it begins a statement, or a little later."""

    at: str
    after: str = ""
    """What it must have begun before."""

    times: int = 1
    """How often it has begun ``at`` since."""

    delay: float = 0.0
    """Seconds from then on; the runner goes on meanwhile."""

    whom: str = "the runner"
    """Or its group, or a worker and soon after that the runner."""


BOTS_START = Moment("a bot notes that it starts")


def moments(dice: random.Random) -> list[Moment]:
    match = Moment("COMMIT", "INSERT INTO matches")
    reveal = Moment("COMMIT", "UPDATE tournaments SET finished")
    rating = Moment("SELECT f.position, m.record")
    return [
        Moment("PRAGMA synchronous", delay=dice.uniform(0.001, 0.2)),  # while it plans
        Moment("COMMIT", "INSERT INTO tournaments", whom="its group"),
        Moment("COMMIT", "INSERT INTO tournaments", delay=dice.uniform(0, 0.002)),
        BOTS_START,
        replace(match, delay=dice.uniform(0, 0.002), whom="its group"),
        replace(match, times=2, whom="a worker"),
        Moment("BEGIN", "INSERT INTO matches"),  # between matches
        replace(match, times=2, delay=dice.uniform(0, 0.1), whom="its group"),
        reveal,
        replace(reveal, delay=dice.uniform(0, 0.002), whom="its group"),
        replace(rating, delay=dice.uniform(0.001, 0.01)),
        Moment("COMMIT", "INSERT INTO ratings", delay=dice.uniform(0, 0.002)),
    ]


PLANNING = 3
"""Of these moments, those before the tournament is stored."""


@dataclass(frozen=True)
class Cup:
    """A tournament that can be begun in many homes."""

    folder: Path
    bots: tuple[Path, ...]
    more: tuple[str, ...] = ()
    tier: str = "none"
    secret: bool = False
    """Whether its key is drawn, and published at its end."""

    def arena(self, home: str) -> Arena:
        return Arena(self.folder / home)

    def begin(self) -> tuple[str, ...]:
        players = ("--bots", named(self.bots), "--tier", self.tier)
        if self.secret:
            return ("tournament", *players, "--players", "2", "--deals", "1", "-j", "2")
        wanted = ("donburiko table 2", "donburiko table 4", "couperation self 2")
        chosen = self.folder / "suite.toml"
        if not chosen.exists():
            suite(chosen, *wanted, "couperation mixed 2")
        return ("tournament", *players, "--suite", str(chosen), "-j", "2", *self.more)

    def go_on(self, arena: Arena) -> tuple[str, ...]:
        """Return what to run next: as a user would, who looks what there is."""
        there = progress(arena)
        if there is None:
            return self.begin()
        return ("tournament", "--resume", there.tournament.id, "-j", "2")


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file to which one of the bots adds a line whenever it starts."""
    return tmp_path_factory.mktemp("notes") / "started"


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory, started: Path) -> Cup:
    folder = tmp_path_factory.mktemp("cup")
    bodies = {"dice": DICE, "faulty": FAULTY, "last": LAST}
    bodies["noting"] = NOTING.format(path=str(started))
    return Cup(folder, tuple(bot(body, folder / name) for name, body in bodies.items()))


@dataclass(frozen=True)
class Outcome:
    """What comes of a tournament."""

    table: str
    played: Mapping[str, Any]
    ratings: Mapping[str, bytes]


@pytest.fixture(scope="module")
def undisturbed(cup: Cup) -> Outcome:
    arena = cup.arena("undisturbed")
    table, _ = arena.run(*cup.begin())
    return Outcome(table, arena.played(), arena.ratings())


def outcome(cup: Cup, arena: Arena) -> Outcome:
    """Play what is left in ``arena`` and return what came of it."""
    table, _ = arena.run(*cup.go_on(arena))
    return Outcome(table, arena.played(), arena.ratings())


def verified(arena: Arena) -> str:
    """Check all that is on record in ``arena``, and return what is said of it."""
    said, _ = arena.run("verify")
    return said


@pytest.fixture(scope="module")
def sealed(cup: Cup) -> Arena:
    """Return a home whose one tournament has a secret, and no match yet."""
    arena = cup.arena("sealed")
    begun = hooked(arena, Moment("COMMIT", "INSERT INTO matches"))
    with killed_at_last(begun.start(*replace(cup, secret=True).begin())) as runner:
        said = runner.communicate(timeout=20)
    there = progress(arena)
    assert there is not None, said
    assert (there.stage, there.tournament.sealed) == (Stage.PLANNED, True)
    return arena


def copied(cup: Cup, sealed: Arena, home: str) -> Arena:
    """Return another home that begins where ``sealed`` stands."""
    arena = cup.arena(home)
    shutil.copytree(sealed.home, arena.home)
    return arena


@pytest.fixture(scope="module")
def opened(cup: Cup, sealed: Arena) -> Outcome:
    """Return what comes of the tournament with a secret if nothing disturbs it."""
    return outcome(cup, copied(cup, sealed, "opened"))


def progress(arena: Arena) -> Progress | None:
    if not (arena.home / "arena.db").exists():
        return None
    with open_store(arena.home) as store:
        return next(iter(list_tournaments(store)), None)


def played(arena: Arena) -> Mapping[str, Any]:
    return arena.played() if progress(arena) else {}


def lines(path: Path) -> int:
    return len(path.read_text().splitlines()) if path.exists() else 0


def longer(path: Path, than: int) -> bool:
    return lines(path) > than


def hooked(arena: Arena, moment: Moment) -> Arena:
    """Return ``arena`` with what is to be killed at ``moment``."""
    site = arena.home.parent / "hook"
    site.mkdir(exist_ok=True)
    (site / "sitecustomize.py").write_text(HOOK)
    return replace(arena, site=site, environment={"KILL_AT": json.dumps(vars(moment))})


def strike(runner: "subprocess.Popen[str]", number: signal.Signals, *, group: bool) -> None:
    (os.killpg if group else os.kill)(runner.pid, number)


@pytest.mark.parametrize("key", ["published", "secret"])
def test_a_killed_tournament_ends_as_an_undisturbed_one(
    cup: Cup, started: Path, request: pytest.FixtureRequest, key: str
) -> None:
    dice = random.Random(7)  # noqa: S311 - repeatable
    arena, left = cup.arena(f"killed-{key}"), moments(dice)
    if key == "secret":
        copied(cup, request.getfixturevalue("sealed"), f"killed-{key}")
        left = left[PLANNING:]
    whole: Outcome = request.getfixturevalue("opened" if key == "secret" else "undisturbed")
    kept: Mapping[str, Any] = {}

    for moment in left:
        so_far = lines(started)
        watched = moment is BOTS_START
        begun = arena if watched else hooked(arena, moment)
        with killed_at_last(begun.start(*cup.go_on(arena))) as runner:
            if watched:
                assert holds(partial(longer, started, so_far))
                strike(runner, signal.SIGKILL, group=False)
            said = runner.communicate(timeout=20)
        assert runner.returncode == -signal.SIGKILL, (moment, said)
        assert arena.all_gone(), arena.running()
        if watched or "matches" in moment.after:
            assert holds(lambda: not list(arena.scratch.glob("arena-run-*")))
        before, kept = kept, played(arena)
        assert before.items() <= kept.items() <= whole.played.items()

    assert outcome(cup, arena) == whole
    assert "not checked" not in verified(arena)


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("key", ["published", "secret"])
def test_a_tournament_killed_a_hundred_times_ends_as_an_undisturbed_one(
    cup: Cup, request: pytest.FixtureRequest, key: str
) -> None:
    dice = random.Random(11)  # noqa: S311 - repeatable
    whole: Outcome = request.getfixturevalue("opened" if key == "secret" else "undisturbed")
    kills = homes = 0
    while kills < 100:
        arena = cup.arena(f"hundred-{key}-{(homes := homes + 1)}")
        if key == "secret":
            copied(cup, request.getfixturevalue("sealed"), arena.home.name)
        kept: Mapping[str, Any] = {}
        workers = 0
        while len(kept) < len(whole.played):
            with killed_at_last(arena.start(*cup.go_on(arena))) as runner:
                try:
                    runner.wait(dice.uniform(0, 1))
                except subprocess.TimeoutExpired:
                    # A match that has lost its worker three times is dropped.
                    # Before there is a tournament, its children are bots on trial.
                    found = set(children(runner.pid)) & set(arena.running("main()"))
                    if found and workers < 2 and dice.random() < 0.3:
                        workers += 1
                        with suppress(ProcessLookupError):
                            os.kill(min(found), signal.SIGKILL)
                        time.sleep(dice.uniform(0, 0.5))
                    strike(runner, signal.SIGKILL, group=dice.random() < 0.5)
                said = runner.communicate(timeout=20)
            assert runner.returncode in {0, -signal.SIGKILL}, said
            kills += runner.returncode == -signal.SIGKILL
            assert arena.all_gone(), arena.running()
            before, kept = kept, played(arena)
            assert before.items() <= kept.items() <= whole.played.items()
        assert outcome(cup, arena) == whole
        assert "not checked" not in verified(arena)


@pytest.mark.long
@pytest.mark.timeout(900)
def test_a_tournament_interrupted_anywhere_can_go_on(cup: Cup, undisturbed: Outcome) -> None:
    dice = random.Random(13)  # noqa: S311 - repeatable
    for home in range(30):
        arena = cup.arena(f"interrupted-{home}")
        with killed_at_last(arena.start(*cup.begin())) as runner:
            assert holds(lambda arena=arena: progress(arena))  # type: ignore[misc]
            moments = sorted(dice.uniform(0, 0.7) for _ in range(dice.choice([1, 2, 5])))
            began = time.monotonic()
            for moment in moments:
                with suppress(subprocess.TimeoutExpired):
                    runner.wait(max(0.0, began + moment - time.monotonic()))
                    break
                asking = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
                strike(runner, dice.choice(asking), group=True)
            _, remarks = runner.communicate(timeout=5)
        # Negative: it came when the program had done all, and was about to end.
        assert runner.returncode in {0, 130, 143, -signal.SIGINT, -signal.SIGTERM}, remarks
        assert "Traceback" not in remarks
        assert arena.all_gone(0.5), arena.running()
        assert not list(arena.scratch.glob("arena-run-*"))
        assert outcome(cup, arena) == undisturbed


def test_where_everything_of_arena_is_killed_at_once_bots_end_by_themselves(
    cup: Cup, started: Path
) -> None:
    arena = cup.arena("swept")
    with killed_at_last(arena.start(*cup.begin())) as runner:
        assert holds(lambda: played(arena))
        so_far = lines(started)
        assert holds(partial(longer, started, so_far))
        for process in [runner.pid, *children(runner.pid)]:
            os.kill(process, signal.SIGKILL)

        assert arena.all_gone(), arena.running()


@pytest.mark.parametrize(
    ("number", "group"),
    [(signal.SIGINT, True), (signal.SIGTERM, False), (signal.SIGHUP, True)],
    ids=["Ctrl-C", "TERM", "HUP"],
)
def test_asked_to_stop_a_tournament_finishes_what_is_in_play_and_can_go_on(
    cup: Cup, undisturbed: Outcome, number: signal.Signals, group: bool
) -> None:
    arena = cup.arena(f"stopped-{number.name}")
    with killed_at_last(arena.start(*cup.begin())) as runner:
        assert holds(lambda: played(arena))
        strike(runner, number, group=group)
        _, remarks = runner.communicate(timeout=20)

    assert runner.returncode == 130, remarks
    there = progress(arena)
    assert there is not None
    assert 0 < there.played < there.total
    assert f"stopped after {there.played} of {there.total} matches" in remarks
    assert f"go on with: arena tournament --resume {there.tournament.id}" in remarks
    assert arena.all_gone(0.5), arena.running()
    assert outcome(cup, arena) == undisturbed


DEAF = """
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
def choose(number, legal):
    note({path!r}, "asked")
    time.sleep(600)
play(choose)
"""
"""Never answers, and hears neither SIGTERM nor the end of its input."""


@pytest.fixture
def asked(tmp_path: Path) -> Path:
    """Return the file that is there once a bot that hears nothing was asked."""
    return tmp_path / "asked"


@pytest.fixture
def deaf(tmp_path: Path, asked: Path) -> Cup:
    body = DEAF.format(path=str(asked))
    bots = tuple(bot(body, tmp_path / name) for name in ("deaf", "mute"))
    return Cup(tmp_path, bots, ("--move-ms", "600000"))


@pytest.mark.parametrize(
    ("number", "group"), [(signal.SIGINT, True), (signal.SIGTERM, False)], ids=["Ctrl-C", "TERM"]
)
@pytest.mark.parametrize("times", [2, 5])
def test_asked_twice_it_ends_at_once(
    deaf: Cup, asked: Path, number: signal.Signals, group: bool, times: int
) -> None:
    arena = deaf.arena("home")
    with killed_at_last(arena.start(*deaf.begin())) as runner:
        assert holds(asked.exists)
        strike(runner, number, group=group)
        assert runner.stderr is not None
        assert any("stopping" in line for line in runner.stderr)
        for _ in range(times - 1):
            strike(runner, number, group=group)
        _, remarks = runner.communicate(timeout=3)

        assert (runner.returncode, arena.all_gone(0.5)) == (130, True), remarks
    assert "Traceback" not in remarks
    assert list(arena.scratch.iterdir()) == []
    there = progress(arena)
    assert there is not None
    assert (there.stage, there.played) == (Stage.PLANNED, 0)


def test_a_killed_runner_leaves_not_even_bots_that_hear_nothing(deaf: Cup, asked: Path) -> None:
    arena = deaf.arena("home")
    with killed_at_last(arena.start(*deaf.begin())) as runner:
        assert holds(asked.exists)
        strike(runner, signal.SIGKILL, group=True)

        assert arena.all_gone(), arena.running()
    assert list(arena.scratch.iterdir()) == []


@pytest.mark.parametrize("numbers", [[signal.SIGKILL], [signal.SIGINT, signal.SIGTERM]])
def test_sandboxed_bots_do_not_outlive_their_runner(
    tmp_path: Path, numbers: list[signal.Signals]
) -> None:
    if lacking := isolation().lacking:
        pytest.skip(lacking)
    arena = Arena(tmp_path / "home")
    body = DEAF.format(path="/tmp/asked")  # noqa: S108 - the sandbox's own
    # It is found by a word of its command line, whatever its sandbox shows of it.
    bots = tuple(bot(body, tmp_path / name, str(arena.home)) for name in ("deaf", "mute"))
    cup = Cup(tmp_path, bots, ("--move-ms", "600000"), tier="bwrap")
    with killed_at_last(arena.start(*cup.begin())) as runner:
        in_play = partial(sandboxed, arena, 4)
        assert holds(lambda: in_play() or runner.poll() is not None)
        assert in_play(), runner.communicate()
        for number in numbers:
            strike(runner, number, group=True)
        runner.communicate(timeout=3)

        assert arena.all_gone(), arena.running()


def sandboxed(arena: Arena, bots: int) -> bool:
    return progress(arena) is not None and len(arena.running("bot.py")) >= bots
