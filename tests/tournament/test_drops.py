"""Deals that the host spoils again and again: what is played instead, and what is said of it."""

import json
from pathlib import Path

import pytest

from arena.audit.account import Kept
from arena.audit.export import export
from arena.audit.imports import Export, import_export
from arena.audit.verify import verify_account
from arena.errors import RecordError
from arena.referee.category import Category, Mode
from arena.store.db import Store, open_store
from arena.store.drops import list_drops
from arena.store.rulings import excused_matches
from arena.store.tournaments import Stage, get_tournament
from arena.tournament.leaderboards import leaderboards
from tests.tournament.test_runner import SOMETIMES, Cup
from tests.whole_arena import FIRST, LAST, Arena, bot

pytestmark = pytest.mark.slow

DUEL = Category("donburiko", "standard", Mode.TABLE, 2)
ALONE = Category("couperation", "standard", Mode.SELF, 2)


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Cup:
    """A tournament with a bot that kills its workers on some of the deals; it was played."""
    folder = tmp_path_factory.mktemp("cup")
    bodies = {"first": FIRST, "killer": SOMETIMES.format(number=9), "last": LAST}
    bots = {name: bot(body, folder / name) for name, body in bodies.items()}
    played = Cup(folder / "home", bots, {DUEL: 5, ALONE: 7})
    played.play(2)
    return played


def imported(cup: Cup, folder: Path, store: Store) -> None:
    """Bring ``cup`` into another home by an export."""
    with cup.store() as there:
        export(there, get_tournament(there, cup.id).tournament, folder, bots=True)
    told = Export(folder)
    import_export(store, told, verify_account(told).head)


def test_deals_are_dropped_at_a_table_or_for_all_and_every_count_agrees(cup: Cup) -> None:
    with cup.store() as store:
        progress = get_tournament(store, cup.id)
        drops = list_drops(store, cup.id)
        boards = leaderboards(store, [cup.id])

    assert progress.stage is Stage.FINISHED
    assert progress.dropped == len(drops) == 2
    assert {drop.category: drop.table is None for drop in drops} == {
        DUEL.name: False,
        ALONE.name: True,
    }
    assert len(cup.counted()) == cup.total == progress.played - progress.uncounted
    assert sum(board.dropped for board in boards) == len(drops)
    assert {board.category: board.matches for board in boards} == {DUEL: 30, ALONE: 21}


def test_it_is_verified_exported_and_imported_with_its_drops(cup: Cup, tmp_path: Path) -> None:
    with cup.store() as store:
        progress = get_tournament(store, cup.id)
        done = verify_account(Kept(store, progress.tournament))
        assert done.unchecked == [f"why deals were dropped ({progress.dropped}, by the host)"]
        drops, excused = list_drops(store, cup.id), excused_matches(store, cup.id)

    with open_store(tmp_path / "home") as other:
        imported(cup, tmp_path / "export", other)
        assert list_drops(other, cup.id) == drops
        assert excused_matches(other, cup.id) == excused
        assert get_tournament(other, cup.id) == progress


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM drops",
        "UPDATE drops SET instead = instead + 1",
        "UPDATE drops SET deal = deal - 1",
        "INSERT INTO drops SELECT tournament, 2, category, 0, bots, 6, at, '' FROM drops LIMIT 1",
        "UPDATE drops SET bots = NULL",
        "DELETE FROM excused",
    ],
)
def test_drops_that_are_altered_are_found_out(cup: Cup, tmp_path: Path, statement: str) -> None:
    with open_store(tmp_path / "home") as store:
        imported(cup, tmp_path / "export", store)
        with store.atomic() as db:
            db.execute(statement)
        told = get_tournament(store, cup.id).tournament

        with pytest.raises(RecordError):
            verify_account(Kept(store, told))


def test_drops_are_said_under_the_table_and_in_the_list(cup: Cup) -> None:
    arena = Arena(cup.home)
    table, remarks = arena.run("leaderboard")
    listed, _ = arena.run("tournaments", "--format", "json")
    found, _ = arena.run("leaderboard", "--format", "json")
    verified, _ = arena.run("verify")

    with cup.store() as store:
        dropped = get_tournament(store, cup.id).dropped
    assert f"{dropped} deals dropped and replaced" in remarks
    assert "30 matches, 1 deal dropped, tier none" in table
    assert json.loads(listed)[0]["dropped"] == dropped
    assert sum(board.get("dropped", 0) for board in json.loads(found)) == dropped
    assert f"not checked: why deals were dropped ({dropped}, by the host)" in verified
