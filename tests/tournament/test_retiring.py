"""Bots that keep failing leave a tournament at one point, however it is played."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from arena.audit.account import Kept
from arena.audit.export import export
from arena.audit.imports import Export, import_export
from arena.audit.verify import verify_account
from arena.errors import Difference
from arena.ratings.leaderboard import Leaderboard
from arena.referee.category import Category, Mode
from arena.store.db import open_store
from arena.store.rulings import excused_matches, list_retired
from arena.store.tournaments import Progress, Stage, get_tournament
from arena.tournament.leaderboards import leaderboards
from tests.tournament.test_runner import Cup, Heard
from tests.whole_arena import DICE, FIRST, LAST, Arena, bot

pytestmark = pytest.mark.slow

DUEL = Category("donburiko", "standard", Mode.TABLE, 2)
ALONE = Category("couperation", "standard", Mode.SELF, 2)
MIXED = Category("couperation", "standard", Mode.MIXED, 2)

CATEGORIES = {DUEL: 3, ALONE: 22, MIXED: 6}

NOW_AND_THEN = """
import hashlib
asked = False
def choose(number, legal):
    global asked
    if not asked and hashlib.sha256(repr(legal).encode()).digest()[0] % 5 == 0:
        sys.exit(3)
    asked = True
    return number % len(legal)
play(choose)
"""
"""Exits at its first question, on some deals whenever they are played."""

BODIES = {
    "dice": DICE,
    "first": FIRST,
    "last": LAST,
    "broken": "sys.exit(1)",
    "flaky": NOW_AND_THEN,
}


class Played:
    """A tournament that was played, and what came of it."""

    def __init__(self, cup: Cup) -> None:
        self.cup = cup
        with cup.store() as store:
            self.progress = get_tournament(store, cup.id)
            self.retired = list_retired(store, [cup.id])[cup.id]
            self.excused = excused_matches(store, cup.id)
            self.boards = leaderboards(store, [cup.id])

    def same(self) -> tuple[Any, ...]:
        """Return what does not depend on how it was played."""
        counted = {record["match"]: record for record in self.cup.counted()}
        return self.retired, self.excused, counted, [rows(board) for board in self.boards]


def rows(board: Leaderboard) -> list[Any]:
    shown = [(row.bot, row.place, row.rating.mu, row.matches, row.faults) for row in board.rows]
    return [board.category.name, board.matches, board.retired, *shown]


@pytest.fixture(scope="module")
def bots(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    folder = tmp_path_factory.mktemp("bots")
    return {name: bot(body, folder / name) for name, body in BODIES.items()}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, bots: Mapping[str, Path]) -> Played:
    cup = Cup(tmp_path_factory.mktemp("whole") / "home", bots, CATEGORIES)
    cup.play(1)
    return Played(cup)


def test_who_keeps_failing_is_retired_and_rates_nobody(whole: Played) -> None:
    reasons = {(one.category, one.bot): one.reason for one in whole.retired}

    for category in CATEGORIES:
        assert reasons[category.name, "broken"] == "could not start 3 times in a row"
    assert reasons[ALONE.name, "flaky"].startswith("retired after 2")
    for board in whole.boards:
        out = {one.bot for one in board.retired}
        assert out == {name for category, name in reasons if category == board.category.name}
        assert {row.bot for row in board.rows} == BODIES.keys() - out
    duels = next(board for board in whole.boards if board.category == DUEL)
    assert all(row.faults == 0 for row in duels.rows if row.bot != "flaky")


def test_what_is_excused_is_not_played_and_all_counts_agree(whole: Played) -> None:
    progress = whole.progress
    assert progress.stage is Stage.FINISHED
    assert not progress.decided
    assert progress.played == progress.total < whole.cup.total
    assert progress.retired == len(whole.retired)
    assert len(whole.excused) - progress.uncounted == whole.cup.total - progress.total
    assert progress.uncounted <= 2  # what the worker had before it
    assert len(whole.cup.counted()) == progress.played - progress.uncounted


@pytest.mark.parametrize("way", ["four workers", "stopped and resumed"])
def test_neither_workers_nor_stops_change_who_is_retired_or_what_counts(
    tmp_path: Path, bots: Mapping[str, Path], whole: Played, way: str
) -> None:
    cup = Cup(tmp_path / "home", bots, CATEGORIES)
    if way == "four workers":
        cup.play(4)
    else:
        for done in (9, 50, 80):
            cup.play(2, Heard(after=done))
        cup.play(1)
    again = Played(cup)

    assert again.same() == whole.same()
    assert (again.progress.stage, again.progress.played) == (Stage.FINISHED, again.progress.total)


def test_a_tournament_with_retired_bots_is_verified_exported_and_imported(
    tmp_path: Path, whole: Played
) -> None:
    with whole.cup.store() as store:
        kept = Kept(store, whole.progress.tournament)
        assert verify_account(kept).matches == whole.progress.played
        export(store, whole.progress.tournament, tmp_path / "export", bots=True)
    told = Export(tmp_path / "export")
    done = verify_account(told)
    assert (done.matches, done.scheduled) == (whole.progress.played, whole.cup.total)

    with open_store(tmp_path / "other") as store:
        import_export(store, told, done.head)
        there = get_tournament(store, whole.cup.id)
        assert list_retired(store, [whole.cup.id])[whole.cup.id] == whole.retired
        assert excused_matches(store, whole.cup.id) == whole.excused
        found = [rows(board) for board in leaderboards(store, [whole.cup.id])]
    assert (there.played, there.total) == (whole.progress.played, whole.progress.total)
    assert found == [rows(board) for board in whole.boards]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE retired SET faults = faults + 1",
        "DELETE FROM retired",
        "INSERT OR IGNORE INTO excused SELECT tournament, match, 'retired' FROM matches LIMIT 40",
    ],
)
def test_a_home_that_says_otherwise_of_who_is_retired_is_found_out(
    tmp_path: Path, bots: Mapping[str, Path], whole: Played, statement: str
) -> None:
    export_of = tmp_path / "export"
    with whole.cup.store() as store:
        export(store, whole.progress.tournament, export_of)
    with open_store(tmp_path / "home") as store:
        told = Export(export_of)
        import_export(store, told, verify_account(told).head)
        with store.atomic() as db:
            db.execute(statement)
        there = get_tournament(store, whole.cup.id).tournament

        with pytest.raises(Difference, match=r"standings|excused"):
            verify_account(Kept(store, there))


def test_whoever_was_retired_stands_under_the_table_with_the_reason(whole: Played) -> None:
    arena = Arena(whole.cup.home)
    table, remarks = arena.run("leaderboard", "-c", DUEL.name)
    rows_of, _ = arena.run("leaderboard", "--format", "json")
    lines = table.splitlines()

    assert "- broken: could not start 3 times in a row" in lines
    assert not any(line.split()[1:2] == ["broken"] for line in lines[1:6] if line[0] != "-")
    assert "broken retired from 3 categories, flaky retired from 1 category" in remarks
    (duels,) = (one for one in json.loads(rows_of) if one["category"] == DUEL.name)
    assert duels["retired"][0] == {
        "bot": "broken",
        "matches": 3,
        "faults": 3,
        "reason": "could not start 3 times in a row",
    }
    listed, _ = arena.run("tournaments", "--format", "json")
    (row,) = json.loads(listed)
    progress: Progress = whole.progress
    assert (row["matches"], row["of"], row["retired"], row["dropped"]) == (
        *(progress.played, progress.total),
        *(progress.retired, 0),
    )


def test_whoever_only_met_retired_bots_is_listed_as_unrated(
    tmp_path: Path, bots: Mapping[str, Path]
) -> None:
    cup = Cup(tmp_path / "home", {name: bots[name] for name in ("broken", "first")}, {DUEL: 3})
    cup.play(2)

    with cup.store() as store:
        (board,) = leaderboards(store, [cup.id])
    table, _ = Arena(cup.home).run("leaderboard")

    assert (board.rows, board.unmatched) == ((), ("first",))
    assert table.splitlines()[:5] == [
        "donburiko-2p",
        "no match of it can be rated",
        "- broken: could not start 3 times in a row",
        "- first: no rated opponent, for all that it met were retired",
        "donburiko-2p: 0 deals, 0 matches, unrated: no match is left",
    ]


def test_in_a_pool_a_bot_leaves_the_tournament_in_which_it_was_retired(
    tmp_path: Path, bots: Mapping[str, Path]
) -> None:
    short, long = (Cup(tmp_path / "home", bots, {ALONE: deals}) for deals in (2, 22))
    short.play(2)
    long.play(2)
    with short.store() as store:
        (board,) = leaderboards(store, [short.id, long.id])
        (alone,) = leaderboards(store, [short.id])

    assert [(one.bot, one.tournament) for one in board.retired] == [
        ("broken", long.id),
        ("flaky", long.id),
    ]
    shown = {row.bot: row.matches for row in board.rows}
    # Both were played on one published key, and what was played twice counts once.
    assert shown == {"dice": 22, "first": 22, "last": 22, "broken": 2, "flaky": 2}
    assert alone.retired == ()
