import os
import signal
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.referee.category import Category, Mode
from arena.referee.fixture import Fixture
from arena.tournament.chunks import block_of
from tests.whole_arena import DICE, FIRST, Arena, bot, holds, killed_at_last, named, suite

pytestmark = pytest.mark.slow

DUEL = Category("donburiko", "standard", Mode.TABLE, 2)
DEALS = 5

# What they do depends on all that their process was asked.
ELEPHANT = """
asked = 0
def choose(number, legal):
    global asked
    asked += 1
    return asked % len(legal)
play(choose)
"""
ONCE = """
asked = 0
def choose(number, legal):
    global asked
    asked += 1
    if asked == 12:
        sys.exit(3)
    return 0
play(choose)
"""
NOTING = """
import os, pathlib
with open({path!r}, "a") as file:
    file.write("x")
play(lambda number, legal: 0)
"""


def tournament(home: Path, *bots: Path, keep: int = 3, deals: int = DEALS) -> list[str]:
    cards = suite(home.with_name("cards.toml"), "donburiko table 2", deals=deals)
    words = ["--suite", str(cards), "--bots", named(bots), "--tier", "none"]
    return ["tournament", *words, "--keep-alive", str(keep)]


@pytest.fixture
def two(tmp_path: Path) -> list[Path]:
    return [bot(ELEPHANT, tmp_path / "elephant"), bot(DICE, tmp_path / "dice")]


def after(played: dict[str, dict[str, Any]]) -> dict[str, list[int]]:
    """Return what the processes had played before each match, by match."""
    return {match: record.get("after", []) for match, record in played.items()}


@given(deal=st.integers(0, 10**6), size=st.integers(1, 100))
def test_a_block_is_so_many_deals_in_a_row_and_every_deal_is_in_one(deal: int, size: int) -> None:
    fixture = Fixture(DUEL, deal, ("a", "b"))

    block = block_of(fixture, size)

    assert len(block.deals) == size
    assert fixture in block.fixtures()
    assert {block_of(one, size) for one in block.fixtures()} == {block}


def test_the_deals_of_a_block_are_played_by_the_same_processes(tmp_path: Path) -> None:
    starts = tmp_path / "starts"
    bots = [bot(NOTING.format(path=str(starts)), tmp_path / "noting"), bot(FIRST, tmp_path / "f")]
    arena = Arena(tmp_path / "home")

    arena.run(*tournament(arena.home, *bots))

    by_seating = {
        seating: [deals for match, deals in after(arena.played()).items() if seating in match]
        for seating in ("f+noting", "noting+f")
    }
    assert by_seating == {seating: [[], [0], [0, 1], [], [3]] for seating in by_seating}
    # Two blocks of two seatings; before them, bots that are named by a path are tried once.
    assert len(starts.read_text()) - len(by_seating) * 2 in {1, 2}


def test_without_it_no_process_plays_twice(tmp_path: Path, two: list[Path]) -> None:
    arena = Arena(tmp_path / "home")

    arena.run(*tournament(arena.home, *two, keep=1))

    assert set(map(tuple, after(arena.played()).values())) == {()}


def test_workers_stops_and_kills_do_not_change_what_is_played(
    tmp_path: Path, two: list[Path]
) -> None:
    whole, parts = Arena(tmp_path / "whole"), Arena(tmp_path / "parts")
    whole.run(*tournament(whole.home, *two, deals=12))

    with killed_at_last(parts.start(*tournament(parts.home, *two, deals=12), "-j", "2")) as running:
        assert holds(lambda: _stored(parts.home) >= 3)
        os.kill(running.pid, signal.SIGKILL)
    assert parts.all_gone()
    (resumed,) = {record["tournament"] for record in parts.played().values()}
    parts.run("tournament", "--resume", resumed, "-j", "2")

    assert parts.played() == whole.played()
    parts.run("verify")


def _stored(home: Path) -> int:
    if not (home / "arena.db").exists():
        return 0
    with closing(sqlite3.connect(home / "arena.db")) as db:
        try:
            return int(db.execute("SELECT count(*) FROM matches").fetchone()[0])
        except sqlite3.OperationalError:  # no such table yet
            return 0


def test_after_a_fault_the_rest_of_a_block_has_fresh_processes(tmp_path: Path) -> None:
    arena = Arena(tmp_path / "home")
    bots = [bot(ONCE, tmp_path / "once"), bot(FIRST, tmp_path / "first")]

    arena.run(*tournament(arena.home, *bots, keep=DEALS))

    played = arena.played()
    by_deal = [played[f"donburiko-2p/{deal}/once+first"] for deal in range(DEALS)]
    at_fault = [bool(record["faults"]) for record in by_deal]
    assert any(at_fault[:-1])
    for faulty, following in zip(at_fault, by_deal[1:], strict=False):
        assert ("after" not in following) == faulty
    arena.run("verify")


def test_bots_that_remember_repeat_themselves_when_they_are_played_again_as_they_were(
    tmp_path: Path, two: list[Path]
) -> None:
    arena = Arena(tmp_path / "home")
    arena.run(*tournament(arena.home, *two))

    _, said = arena.run("verify", "--replay-bots")
    _, one = arena.run("verify", "--replay-bots", "--match", "donburiko-2p/1/elephant+dice")

    assert "20 seats played again, 0 differ" in said
    assert "4 seats played again, 0 differ" in one


@pytest.mark.parametrize("claimed", ["[]", "[1]", "[0,1]", "[7]"])
def test_what_processes_had_played_before_cannot_be_made_up(
    claimed: str, tmp_path: Path, two: list[Path]
) -> None:
    arena = Arena(tmp_path / "home")
    arena.run(*tournament(arena.home, *two))
    with closing(sqlite3.connect(arena.home / "arena.db")) as db, db:
        changed = db.execute(
            "UPDATE matches SET record = replace(record, '\"after\":[0],', ?) WHERE match = ?",
            (f'"after":{claimed},', "donburiko-2p/1/dice+elephant"),
        ).rowcount
    assert changed == 1

    _, said = arena.run("verify", status=1)

    assert "donburiko-2p/1/dice+elephant: " in said


def test_a_tournament_that_keeps_no_processes_has_no_match_after_another(
    tmp_path: Path, two: list[Path]
) -> None:
    arena = Arena(tmp_path / "home")
    arena.run(*tournament(arena.home, *two, keep=1))
    with closing(sqlite3.connect(arena.home / "arena.db")) as db, db:
        db.execute(
            "UPDATE matches SET record = replace(record, ?, ?) WHERE deal = 1",
            ('"measured"', '"after":[0],"measured"'),
        )

    _, said = arena.run("verify", status=1)

    assert "after: [0] is recorded, nothing follows" in said


def test_how_long_processes_are_kept_is_settled_with_the_tournament(
    tmp_path: Path, two: list[Path]
) -> None:
    arena = Arena(tmp_path / "home")
    arena.run(*tournament(arena.home, *two))
    (made,) = {record["tournament"] for record in arena.played().values()}

    _, said = arena.run("tournament", "--resume", made, "--keep-alive", "2", status=2)

    assert "leave out --keep-alive" in said
