import multiprocessing
import os
import signal
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from arena.errors import HostFault, UsageError
from arena.games import games
from arena.players.submission import read_bundle
from arena.players.tier import Tier
from arena.referee.category import Category, Mode
from arena.referee.limits import Limits
from arena.referee.record import MatchRecord, decode_record, unmeasured
from arena.store.db import open_store
from arena.store.drops import FEW, list_drops
from arena.store.fixtures import open_fixtures
from arena.store.lock import hold
from arena.store.matches import get_match, records
from arena.store.tournaments import Stage, get_tournament
from arena.tournament.entrants import Candidate
from arena.tournament.leaderboards import leaderboards
from arena.tournament.plan import plan
from arena.tournament.runner import Stop, run
from arena.tournament.suite import Suite
from arena.tournament.tasks import match_task, play_tasks
from tests import tuck_game
from tests.whole_arena import (
    DICE,
    FAULTY,
    FIRST,
    LAST,
    Arena,
    bot,
    children,
    named,
    suite,
)

pytestmark = pytest.mark.slow

KEY = bytes(range(32))
DUEL = Category("donburiko", "standard", Mode.TABLE, 2)
TUCK = Category("tuck", "standard", Mode.TABLE, 2)

# Tuck, but for what happens at the second turn, until a file is there.
HOLES = """
import dataclasses, pathlib
from arena.errors import IllegalAction
from tests import tuck_game

class Unspeakable(Exception):
    def __str__(self):
        raise ValueError

def apply(state, action, chance):
    if len(state.row) == 1 and not pathlib.Path({mended!r}).exists():
        {hole}
    return tuck_game.apply(state, action, chance)

def scores(state):
    return tuck_game.scores(state)

TUCK = dataclasses.replace(tuck_game.TUCK, apply=apply, scores=lambda state: scores(state))
"""


class Heard:
    """A report that remembers, and asks to stop after so many matches."""

    def __init__(self, after: int = 0) -> None:
        self.stop = Stop()
        self.matches: list[str] = []
        self.remarks: list[str] = []
        self._after = after

    def played(self, record: MatchRecord, done: int, total: int) -> None:
        assert done <= total
        self.matches.append(record.match)
        self.stop.asked |= done == self._after

    def remark(self, text: str) -> None:
        self.remarks.append(text)


class Cup:
    """A tournament in a home of its own."""

    def __init__(
        self, home: Path, bots: Mapping[str, Path], categories: Mapping[Category, int]
    ) -> None:
        self.home = home
        candidates = [Candidate(name, read_bundle(path), None) for name, path in bots.items()]
        published = Suite("short", KEY, categories)
        made = plan(candidates, categories, Limits(), Tier.NONE, suite=published)
        self.id = made.tournament.id
        self.fixtures = made.fixtures
        self.total = len(made.fixtures)
        with open_store(home) as store:
            made.store(store)

    def store(self) -> Any:
        return open_store(self.home)

    def play(self, jobs: int = 1, heard: Heard | None = None) -> Heard:
        heard = heard or Heard()
        with self.store() as store:
            run(store, self.id, jobs, heard, heard.stop)
        return heard

    def records(self) -> list[dict[str, Any]]:
        with self.store() as store:
            return [unmeasured(decode_record(line)) for line in records(store, [self.id])]

    def counted(self) -> list[dict[str, Any]]:
        """Return the records that count."""
        with self.store() as store:
            lines = records(store, [self.id], counted=True)
            return [unmeasured(decode_record(line)) for line in lines]


@pytest.fixture
def bots(tmp_path: Path) -> dict[str, Path]:
    bodies = {"dice": DICE, "first": FIRST, "last": LAST}
    return {name: bot(body, tmp_path / "bots" / name) for name, body in bodies.items()}


@pytest.fixture
def tuck(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Install Tuck; its module can be replaced until it is first asked for."""
    site = tuck_game.install(tmp_path / "site")
    monkeypatch.syspath_prepend(site)
    monkeypatch.delitem(sys.modules, "holes", raising=False)
    games.cache_clear()
    yield site
    games.cache_clear()


def test_a_tournament_is_the_same_whenever_it_is_played_and_by_however_many_workers(
    tmp_path: Path, bots: dict[str, Path]
) -> None:
    bots["faulty"] = bot(FAULTY, tmp_path / "bots" / "faulty")
    categories = ("donburiko table 2", "donburiko table 4", "couperation self 2")
    chosen = suite(tmp_path / "s.toml", *categories, "couperation mixed 2")
    arguments = ("--bots", named(bots.values()), "--suite", str(chosen), "--tier", "none")
    outcomes = []
    for home, jobs in [("a", "1"), ("b", "4"), ("c", "1"), ("d", "4")]:
        arena = Arena(tmp_path / home)
        table, _ = arena.run("tournament", *arguments, "-j", jobs)
        outcomes.append((arena.played(), table, arena.ratings()))
    rows = [Arena(tmp_path / home).run("leaderboard", "--format", "json")[0] for home in "ad"]

    assert len(outcomes[0][0]) == 22
    faults = {fault["text"] for one in outcomes[0][0].values() for fault in one["faults"]}
    assert {"was ended by SIGKILL", "exited with status 3"} < faults
    assert all(outcome == outcomes[0] for outcome in outcomes[1:])
    assert rows[0] == rows[1]


def test_every_match_is_stored_before_it_is_told(tmp_path: Path, bots: dict[str, Path]) -> None:
    cup = Cup(tmp_path / "home", bots, {DUEL: 1})

    class Curious(Heard):
        def played(self, record: MatchRecord, done: int, total: int) -> None:
            super().played(record, done, total)
            with cup.store() as other:
                assert get_match(other, record.match).match == record.match
                assert get_tournament(other, cup.id).played >= done

    assert len(cup.play(2, Curious()).matches) == cup.total == 6


def test_a_stopped_tournament_goes_on_where_it_stopped(
    tmp_path: Path, bots: dict[str, Path]
) -> None:
    whole, cup = (Cup(tmp_path / home, bots, {DUEL: 2}) for home in ("whole", "parts"))
    everything = whole.play().matches

    first = cup.play(2, Heard(after=3)).matches
    with cup.store() as store:
        assert len(open_fixtures(store, cup.id)) == cup.total - len(first) > 0
    second = cup.play(2).matches

    assert sorted(first + second) == sorted(everything)
    assert cup.records() == whole.records()


def test_a_tournament_that_nobody_wants_to_begin_is_not_begun(
    tmp_path: Path, bots: dict[str, Path]
) -> None:
    cup = Cup(tmp_path / "home", bots, {DUEL: 1})
    heard = Heard()
    heard.stop.asked = True

    assert cup.play(1, heard).matches == []


def test_a_finished_tournament_is_left_as_it_is(tmp_path: Path, bots: dict[str, Path]) -> None:
    cup = Cup(tmp_path / "home", bots, {DUEL: 1})
    cup.play()
    with cup.store() as store:
        finished = get_tournament(store, cup.id)

    assert cup.play().matches == []
    with cup.store() as store:
        assert get_tournament(store, cup.id) == finished
    assert finished.tournament.finished


def test_only_one_runner_plays_a_tournament(tmp_path: Path, bots: dict[str, Path]) -> None:
    cup = Cup(tmp_path / "home", bots, {DUEL: 1})

    with cup.store() as store, hold(store, cup.id):
        _, remarks = Arena(tmp_path / "home").run("tournament", "--resume", cup.id, status=2)

    refused = f"arena: tournament {cup.id} is being played by another arena: process {os.getpid()}"
    assert remarks.splitlines()[-1].startswith(f"{refused} on ")
    assert len(cup.play().matches) == cup.total


def test_a_bot_that_always_crashes_loses_its_matches_and_stops_nothing(
    tmp_path: Path, bots: dict[str, Path]
) -> None:
    bots["broken"] = bot("play(lambda number, legal: 1 // 0)", tmp_path / "bots" / "broken")
    cup = Cup(tmp_path / "home", bots, {DUEL: 1})

    assert len(cup.play(2).matches) == cup.total
    with cup.store() as store:
        (board,) = leaderboards(store, [cup.id])
    assert [row.faults for row in board.rows] == [0, 0, 0, 6]
    assert board.rows[-1].bot == "broken"


def by_match(found: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {record["match"]: record for record in found}


def holed(site: Path, hole: str, mended: Path) -> None:
    """Let Tuck be one with a ``hole`` until the file ``mended`` is there."""
    (site / "holes.py").write_text(HOLES.format(mended=str(mended), hole=hole))
    points = site / "tuck-1.0.dist-info" / "entry_points.txt"
    points.write_text("[arena.games]\ntuck = holes:TUCK\n")


@pytest.mark.parametrize(
    ("hole", "said"),
    [
        ("raise ZeroDivisionError('by nought')", "ZeroDivisionError: by nought"),
        ("raise IllegalAction('T2: no')", "tuck offered Play(card="),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("raise Unspeakable", "holes.Unspeakable: <exception str() failed>"),
        ("raise ValueError('\\ud800\\x1b[2J')", r"ValueError: \ud800\x1b[2J"),
        ("return apply(state, action, chance)", "RecursionError: maximum recursion depth"),
        (
            "globals().update(scores=lambda _: (0.5, 1))",
            "arena.errors.RecordError: not a match record: Expected `int`",
        ),
        ("globals().update(scores=lambda _: (object(), 1))", "TypeError: Encoding objects"),
    ],
)
def test_whatever_a_game_does_wrong_voids_the_match(
    tmp_path: Path, bots: dict[str, Path], tuck: Path, hole: str, said: str
) -> None:
    holed(tuck, hole, tmp_path / "mended")
    cup = Cup(tmp_path / "home", bots, {TUCK: 1})
    with cup.store() as store:
        task = match_task(store, get_tournament(store, cup.id).tournament, cup.fixtures[0])

    with pytest.raises(HostFault) as fault:
        play_tasks([task])

    assert str(fault.value).startswith(said)


class Mending(Heard):
    """A report that mends a hole as soon as it hears of it."""

    def __init__(self, mended: Path) -> None:
        super().__init__()
        self._mended = mended

    def remark(self, text: str) -> None:
        super().remark(text)
        self._mended.touch()


def test_a_match_that_arena_spoils_is_void_and_played_again(
    tmp_path: Path, bots: dict[str, Path], tuck: Path
) -> None:
    holed(tuck, "raise ValueError('a hole')", tmp_path / "mended")
    cup = Cup(tmp_path / "home", bots, {TUCK: 1})
    spoilt = cup.fixtures[0].match

    heard = cup.play(1, Mending(tmp_path / "mended"))

    assert heard.remarks[0] == f"{spoilt} is void and played again: ValueError: a hole"
    assert len(heard.matches) == cup.total
    with cup.store() as store:
        record = decode_record(get_match(store, spoilt).record)
    assert (record.measured.attempt, record.reason) == (2, "finished")


def test_a_deal_that_arena_spoils_three_times_is_dropped_and_the_next_one_played_instead(
    tmp_path: Path, bots: dict[str, Path], tuck: Path
) -> None:
    # Deal 6 alone is one.
    hole = "if state.deck[:2] == (8, 5): raise ValueError('a hole')\n        "
    holed(tuck, hole, tmp_path / "never")
    cups = [Cup(tmp_path / home, bots, {TUCK: 10}) for home in ("one", "four")]
    heard = [cup.play(jobs) for jobs, cup in zip((1, 4), cups, strict=True)]

    with cups[0].store() as store:
        progress = get_tournament(store, cups[0].id)
        drops = list_drops(store, cups[0].id)
        (board,) = leaderboards(store, [cups[0].id])
    assert progress.tournament.finished
    assert (progress.dropped, board.dropped) == (3, 3)
    assert {(drop.deal, drop.instead) for drop in drops} == {(6, 10)}
    assert {drop.reason for drop in drops} == {"void 3 times: ValueError: a hole"}
    assert len(cups[0].counted()) == cups[0].total == board.matches
    assert sum("is dropped, and deal 10 played" in said for said in heard[0].remarks) == 3
    assert by_match(cups[1].counted()) == by_match(cups[0].counted())


def test_a_category_in_which_hardly_a_deal_can_be_played_ends_the_run_at_its_end(
    tmp_path: Path, bots: dict[str, Path], tuck: Path
) -> None:
    holed(tuck, "raise ValueError('a hole')", mended := tmp_path / "mended")
    cup = Cup(tmp_path / "home", bots, {TUCK: 1, DUEL: 1})
    with pytest.raises(HostFault, match="was void 3 times: ValueError: a hole"):
        cup.play(1)

    with cup.store() as store:
        assert get_tournament(store, cup.id).dropped == 3 * FEW
        assert {one.category for one in open_fixtures(store, cup.id)} == {TUCK}

    mended.touch()
    cup.play(2)
    with cup.store() as store:
        assert get_tournament(store, cup.id).stage is Stage.FINISHED
    assert len(cup.counted()) == cup.total


REWRITER = """
import os
def choose(number, legal):
    try:
        open({flag!r}, "x").close()
    except FileExistsError:
        return number % len(legal)
    os.chmod(".", 0o700)
    os.chmod("bot.py", 0o600)
    with open("bot.py", "a") as script:
        script.write("# changed")
    return number % len(legal)
play(choose)
"""
"""Changes its own files, once."""


def test_what_plays_is_the_snapshot_also_when_its_files_were_changed(
    tmp_path: Path, bots: dict[str, Path]
) -> None:
    body = REWRITER.format(flag=str(tmp_path / "flag"))
    entered = {"first": bots["first"], "rewriter": bot(body, tmp_path / "bots" / "rewriter")}
    cup = Cup(tmp_path / "home", entered, {DUEL: 2})

    heard = cup.play()

    assert len(heard.matches) == cup.total
    assert heard.remarks
    assert all("was changed or removed" in said for said in heard.remarks)


KILLER = """
import os, signal, time
def choose(number, legal):
    try:
        open({flag!r}, "x").write(str(os.getpid()))
    except FileExistsError:
        return number % len(legal)
    os.kill(os.getppid(), signal.SIGKILL)
    {then}
    return number % len(legal)
play(choose)
"""
"""Kills the worker that plays it, at the first question of all."""

DEAF = "signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"


@pytest.mark.parametrize("then", ["pass", DEAF])
def test_what_a_killed_worker_was_playing_is_played_again(
    tmp_path: Path, bots: dict[str, Path], then: str
) -> None:
    flag = tmp_path / "flag"
    bots["killer"] = bot(KILLER.format(flag=str(flag), then=then), tmp_path / "bots" / "killer")
    cup, whole = (Cup(tmp_path / home, bots, {DUEL: 1}) for home in ("home", "whole"))

    heard = cup.play(2)

    (remark,) = heard.remarks
    assert remark.endswith(" is void and played again: its worker was ended by SIGKILL")
    assert "killer" in remark
    assert len(heard.matches) == len(set(heard.matches)) == cup.total
    assert not Path("/proc", flag.read_text()).exists()
    whole.play()
    assert cup.records() == whole.records()


class Killing(Heard):
    """A report that kills a worker after every few matches."""

    def played(self, record: MatchRecord, done: int, total: int) -> None:
        super().played(record, done, total)
        if done % 5 == 0:
            os.kill(children()[0], signal.SIGKILL)


def test_workers_may_be_killed_time_and_again(tmp_path: Path, bots: dict[str, Path]) -> None:
    cup, whole = (Cup(tmp_path / home, bots, {DUEL: 4}) for home in ("home", "whole"))

    heard = cup.play(2, Killing())

    assert len(heard.matches) == len(set(heard.matches)) == cup.total == 24
    whole.play(2)
    assert cup.records() == whole.records()


SOMETIMES = """
import hashlib, os
asked = False
def choose(number, legal):
    global asked
    if not asked and hashlib.sha256(repr(legal).encode()).digest()[0] % 7 == 0:
        os.kill(os.getppid(), {number})
    asked = True
    return number % len(legal)
play(choose)
"""
"""Kills the worker that plays it, on one of the deals 0 to 4, whenever that is played."""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_match_that_kills_its_workers_is_dropped_and_ends_no_tournament(
    tmp_path: Path, bots: dict[str, Path], number: signal.Signals
) -> None:
    body = SOMETIMES.format(number=int(number))
    entered = {"first": bots["first"], "killer": bot(body, tmp_path / "bots" / "killer")}
    cup = Cup(tmp_path / "home", entered, {DUEL: 5})

    cup.play(2)

    with cup.store() as store:
        progress = get_tournament(store, cup.id)
        reasons = {drop.reason for drop in list_drops(store, cup.id)}
    assert (progress.stage, progress.dropped) == (Stage.FINISHED, 1)
    assert reasons == {f"void 3 times: its worker was ended by {number.name}"}
    assert len(cup.counted()) == cup.total


def test_bots_that_always_kill_their_worker_end_the_run_when_all_else_was_played(
    tmp_path: Path, bots: dict[str, Path]
) -> None:
    del bots["dice"]
    bots["killer"] = bot("import os; os.kill(os.getppid(), 9)", tmp_path / "bots" / "killer")
    cup = Cup(tmp_path / "home", bots, {DUEL: 1})

    with pytest.raises(HostFault, match="void 3 times: its worker was ended by SIGKILL"):
        cup.play(2)

    played = {record["match"] for record in cup.records()}
    assert len(played) == 2
    assert not any("killer" in match for match in played)


def test_a_full_disk_ends_the_run_and_what_was_stored_is_kept(
    tmp_path: Path, bots: dict[str, Path]
) -> None:
    cup, whole = (Cup(tmp_path / home, bots, {DUEL: 2}) for home in ("home", "whole"))
    heard = Heard()
    with cup.store() as store:
        (pages,) = store.row("PRAGMA page_count")
        store.row(f"PRAGMA max_page_count = {pages + 8}")
        with pytest.raises(HostFault, match="the disk is full; what was stored is kept"):
            run(store, cup.id, 1, heard, heard.stop)
        assert multiprocessing.active_children() == []

    assert 0 < len(heard.matches) == len(cup.records()) < cup.total
    cup.play()
    whole.play()
    assert cup.records() == whole.records()


def test_a_bot_that_cannot_be_laid_out_any_more_is_a_mistake_of_the_user(
    tmp_path: Path, bots: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "js.js"
    script.write_text("// nothing")
    cup = Cup(tmp_path / "home", {**bots, "js": script}, {DUEL: 1})
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(UsageError, match="node is not installed"):
        cup.play()


def test_log_records_of_workers_reach_standard_error(tmp_path: Path, bots: dict[str, Path]) -> None:
    cup = Cup(tmp_path / "home", bots, {DUEL: 1})

    _, remarks = Arena(tmp_path / "home").run("-v", "tournament", "--resume", cup.id, "-j", "2")

    lines = [line for line in remarks.splitlines() if " runs as process " in line]
    assert len(lines) == 2
    assert all("arena.tournament.workers: worker " in line for line in lines)


def resident_kb() -> int:
    (line,) = [
        line for line in Path("/proc/self/status").read_text().splitlines() if "VmRSS" in line
    ]
    return int(line.split()[1])


class Measuring(Heard):
    """A report that looks at what the runner holds."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: dict[int, tuple[int, int, int]] = {}

    def played(self, record: MatchRecord, done: int, total: int) -> None:
        if done % 200 == 0:
            files = len(list(Path("/proc/self/fd").iterdir()))
            self.seen[done] = (resident_kb(), files, len(children()))


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_a_long_run_takes_no_more_than_a_short_one(
    tmp_path: Path, bots: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    cup = Cup(tmp_path / "home", bots, {DUEL: 334})
    heard = Measuring()

    cup.play(2, heard)

    with capsys.disabled():
        for done, (memory, files, processes) in heard.seen.items():
            sys.stdout.write(
                f"\n{done} matches: {memory} KiB, {files} files, {processes} processes"
            )
    first, *later = heard.seen.values()
    assert len(later) >= 9
    for memory, files, processes in later:
        assert (files, processes) == first[1:]
        assert memory < first[0] + 8 * 1024
