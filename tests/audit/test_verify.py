import pickle
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from arena.audit import verify
from arena.audit.account import Kept, Verified
from arena.audit.imports import Export, records_in
from arena.audit.verify import _Chunks, _Said, verify_account, verify_records
from arena.errors import Difference, RecordError, UsageError
from arena.referee.category import Category, Mode
from arena.referee.fixture import Fixture
from arena.store.cache import CachedRatings, load_ratings, save_ratings
from arena.store.db import FILE_NAME, open_store
from arena.store.tournaments import get_tournament
from arena.wire.escape import printable
from tests import checker
from tests.audit.altered import ALTERED, in_record, rewritten
from tests.command_line import NO_TIER, CommandLine
from tests.whole_arena import FIRST, bot

pytestmark = pytest.mark.slow


def found(export: Path, jobs: int = 1) -> str:
    """Return the difference that verifying ``export`` finds."""
    with pytest.raises(Difference) as caught:
        verify_account(Export(export), jobs=jobs)
    return printable(str(caught.value))


def test_an_export_is_verified_and_the_checker_agrees(export: Path, spring: str) -> None:
    done = verify_account(Export(export))

    assert (done.tournament, done.matches, done.unchecked) == (spring, done.scheduled, [])
    assert done.head == Export(export).facts.head
    assert checker.first_difference(export) is None


@pytest.mark.parametrize("what", ALTERED)
def test_whatever_is_altered_in_an_export_is_named(what: str, export: Path, spring: str) -> None:
    alter, named, named_by_checker = ALTERED[what]
    alter(export)

    line = found(export)
    try:
        checked = checker.first_difference(export)
    except ValueError:
        checked = "ERROR"

    assert named in line
    assert line.startswith(f"{spring}: ") or what == "the id"
    if named_by_checker is None:
        assert checked is None
    else:
        assert checked is not None
        assert checked.endswith(named_by_checker)


def check_block(*played: tuple[int, tuple[int, ...]]) -> None:
    """Check the records of a block of four deals: each its deal, and what it says of `after`."""
    chunks, duel = _Chunks(4), Category("donburiko", "standard", Mode.TABLE, 2)
    for deal, after in played:
        chunks.check(Fixture(duel, deal, ("a", "b")), _Said(after=after))


def test_a_match_of_a_block_that_was_played_last_stands_between_those_it_does_not_belong_to() -> (
    None
):
    check_block((0, ()), (1, ()), (2, (0,)), (3, (0, 2)))


@pytest.mark.parametrize("last", [(3, (0,)), (3, (1,)), (3, (0, 1))])
def test_matches_follow_what_others_left_and_no_two_follow_the_same(
    last: tuple[int, tuple[int, ...]],
) -> None:
    with pytest.raises(Difference, match="after"):
        check_block((0, ()), (1, (0,)), (2, (0, 1)), last)


def test_what_was_measured_may_differ(export: Path) -> None:
    in_record(lambda record: record["measured"].update(ms=1.5, started="never"))(export)

    assert verify_account(Export(export)).unchecked == []
    assert checker.first_difference(export) is None


def test_workers_find_the_same_as_one_process(
    export: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = verify_account(Export(export))
    monkeypatch.setattr(verify, "FEW", 4)
    counts: list[int] = []

    assert verify_account(Export(export), jobs=2, told=counts.append) == alone
    assert counts == list(range(1, alone.matches + 1))
    rewritten(export / "records.jsonl", lambda lines: lines.pop(-2))
    ALTERED["a score"][0](export)
    assert "scores: (" in found(export, jobs=2)


def test_what_waits_for_workers_is_bounded_by_its_length(
    export: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = verify_account(Export(export))
    monkeypatch.setattr(verify, "_BATCH_BYTES", 1)

    assert verify_account(Export(export), jobs=2) == alone


def test_time_outs_are_believed_and_it_is_said(arena: CommandLine) -> None:
    slow = bot("play(lambda number, legal: __import__('time').sleep(9))", arena.folder / "slow")
    first = bot(FIRST, arena.folder / "first")
    arena("match", "donburiko", first, slow, "--move-ms", "300", *NO_TIER)

    assert "not checked: time-outs (1, by the operator's clock)" in arena("verify").out


def test_a_difference_comes_through_between_processes() -> None:
    error = Difference("scores", "1", "2").within("spring", "a/0/b")

    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own

    assert str(again) == "spring: a/0/b: scores: 1 is recorded, 2 follows"


# One match, and records alone


def test_one_match_is_verified_by_itself(export: Path) -> None:
    ALTERED["a score"][0](export)
    matches = (export / "schedule.txt").read_text().splitlines()

    assert verify_account(Export(export), only=matches[1]).matches == 1
    with pytest.raises(Difference, match="scores"):
        verify_account(Export(export), only=matches[0])
    with pytest.raises(UsageError, match="no match with a record is called 'x'"):
        verify_account(Export(export), only="x")


def test_records_alone_are_verified_one_by_one(export: Path) -> None:
    path = export / "records.jsonl"
    count = verify_records(records_in(path))
    rewritten(path, lambda lines: lines.insert(4, lines[2]))

    assert count == Export(export).total
    with pytest.raises(Difference, match="it stands there twice"):
        verify_records(records_in(path))


# A home


def verified(home: Path, *, opened: bool = True) -> Verified:
    with open_store(home, create=False) as store:
        (one,) = [get_tournament(store, "spring").tournament]
        return verify_account(Kept(store, one), opened=opened)


IN_HOME = {
    "UPDATE tournaments SET key = zeroblob(32)": "key: 0000",
    "UPDATE tournaments SET secret = zeroblob(32)": "commitment: ",
    "UPDATE tournaments SET secret = x'00'": "secret: ",
    "UPDATE tournaments SET commitment = 'x'": "commitment: x is recorded",
    "UPDATE tournaments SET public_value = 'x'": "key: ",
    "UPDATE tournaments SET suite = 'x'": "suite: secret is recorded, x follows",
    "UPDATE tournaments SET unrated = '[]'": "unrated: [] is recorded",
    "UPDATE tournaments SET parameters = '{'": "parameters and unrated are not as they were stored",
    "UPDATE tournaments SET parameters = '[]'": "parameters and unrated are not as they",
    "UPDATE tournaments SET head = 'x'": "head of the chain: x is recorded",
    "UPDATE entries SET digest = 'x' WHERE position = 0": "entries: first: x is recorded",
    "DELETE FROM entries WHERE position = 0": "entries: first: none is recorded",
    "UPDATE contents SET bytes = x'00'": "snapshot of ",
    "DELETE FROM snapshot_files": "snapshot of ",
    "UPDATE fixtures SET bots = '[1]' WHERE position = 0": "schedule: fixture 0 is not what",
    "UPDATE fixtures SET deal = 7 WHERE position = 0": "schedule: fixture 0 is not what",
    "UPDATE fixtures SET position = 99 WHERE position = 0": "schedule: match 0: ",
    "DELETE FROM fixtures WHERE position = 0": "it has a record, and is not on the schedule",
    "DELETE FROM matches WHERE rowid = 1": "record: ",
    "UPDATE matches SET deal = 9 WHERE rowid = 1": "column deal: 9 is recorded, 0 follows",
    "UPDATE matches SET faults = 9 WHERE rowid = 1": "column faults: 9 is recorded",
    "UPDATE matches SET ms = 0.5 WHERE rowid = 1": "column ms: 0.5 is recorded",
    "UPDATE matches SET record = (SELECT max(record) FROM matches)": "match: ",
    "UPDATE matches SET record = CAST(x'ff' || CAST(record AS BLOB) AS TEXT)": "record: not a ",
    'UPDATE matches SET record = replace(record, \'"sent":"\', \'"sent":"z\')': "sent something",
}


@pytest.mark.parametrize("statement", IN_HOME)
def test_whatever_is_altered_in_a_home_is_named(statement: str, home: Path, spring: str) -> None:
    with closing(sqlite3.connect(home / FILE_NAME)) as db, db:
        db.execute(statement)

    with pytest.raises(RecordError) as caught:
        verified(home)

    assert IN_HOME[statement] in printable(str(caught.value))
    assert str(caught.value).startswith(f"{spring}: ")


def test_a_leaderboard_that_is_kept_and_says_something_else_is_named(
    home: Path, spring: str
) -> None:
    with open_store(home, create=False) as store:
        kept = load_ratings(store, [spring], "tables")
        assert kept is not None
        forged = kept.payload.replace(b'"faults":', b'"faults":9', 1)
        save_ratings(store, [spring], "tables", CachedRatings(kept.units, forged))

    with pytest.raises(Difference, match="standings: donburiko-2p: place 1: faults: 9"):
        verified(home)


def test_what_is_not_finished_is_verified_as_far_as_it_goes(home: Path) -> None:
    with closing(sqlite3.connect(home / FILE_NAME)) as db, db:
        db.execute("UPDATE tournaments SET finished = NULL, head = NULL, secret = zeroblob(32)")
        db.execute("DELETE FROM matches WHERE rowid IN (2, 3)")

    done = verified(home, opened=False)

    assert done.unchecked[0] == "deals (the secret is not opened yet)"
    assert done.unchecked[1] == "2 matches (they have no record yet)"
    with pytest.raises(Difference, match="commitment"):
        verified(home, opened=True)


def test_what_an_older_arena_planned_is_for_that_arena_to_verify(home: Path) -> None:
    with closing(sqlite3.connect(home / FILE_NAME)) as db, db:
        db.execute("UPDATE tournaments SET parameters = json_set(parameters, '$.parameters', 1)")

    with pytest.raises(UsageError, match="its parameters have version 1, and this one knows 2"):
        verified(home)


def test_a_home_of_before_has_no_head_to_compare(home: Path) -> None:
    with closing(sqlite3.connect(home / FILE_NAME)) as db, db:
        db.execute("UPDATE tournaments SET head = NULL")

    assert verified(home).unchecked == ["head of the chain (it was not kept)"]


GONE = "play(lambda number, legal: sys.exit())"


def test_a_comparison_lacks_matches_only_once_it_is_decided(arena: CommandLine) -> None:
    bots = [bot(body, arena.folder / name) for name, body in (("a", FIRST), ("b", GONE))]
    words = ["--game", "donburiko", "--players", "2", "--name", "spring", *NO_TIER]
    assert arena("compare", *bots, *words).status == 0
    arena("export", "spring", "out")

    done = verified(arena.home)
    with closing(sqlite3.connect(arena.home / FILE_NAME)) as db, db:
        db.execute("UPDATE tournaments SET head = NULL")
        db.execute("DELETE FROM matches WHERE rowid > 10")

    assert 0 < done.matches < done.scheduled
    assert checker.first_difference(arena.folder / "out") is None
    with pytest.raises(Difference, match="record: none is recorded, its own follows"):
        verified(arena.home)
