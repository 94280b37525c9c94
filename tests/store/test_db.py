import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from arena.errors import HostFault, UsageError
from arena.store import db as store_db
from arena.store.bots import add_bot, get_bot, list_bots
from arena.store.db import FILE_NAME, Store, open_store
from arena.store.matches import add_matches
from arena.store.schema import MIGRATIONS
from arena.store.tournaments import get_tournament
from tests.kept import DUELS, planned, record_of, snapshot
from tests.together import GATE, ROOT, run_together


@contextmanager
def raw(home: Path) -> Iterator[sqlite3.Connection]:
    """Open the file past the store, as another program would."""
    with closing(sqlite3.connect(home / FILE_NAME, isolation_level=None)) as db:
        yield db


def refusal(home: Path, *, create: bool = True) -> str:
    """Return the one line with which ``home`` is refused."""
    with (
        pytest.raises(UsageError) as caught,
        open_store(home, create=create, wait_s=0.05) as store,
    ):
        list_bots(store)
    assert str(caught.value).isprintable()
    return str(caught.value)


def test_a_home_is_made_with_its_parents_and_read_by_its_owner_alone(tmp_path: Path) -> None:
    home = tmp_path / "a b" / "c'd"
    with open_store(home) as store:
        add_bot(store, "x", snapshot("1"))
        modes = {path.name: path.stat().st_mode & 0o777 for path in home.iterdir()}

    assert modes == {FILE_NAME: 0o600, f"{FILE_NAME}-wal": 0o600, f"{FILE_NAME}-shm": 0o600}
    with open_store(home, create=False) as store:
        assert [bot.name for bot in list_bots(store)] == ["x"]


def test_a_file_that_others_can_read_is_closed_to_them(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        add_bot(store, "x", snapshot("1"))
        for path in tmp_path.iterdir():
            path.chmod(0o664)

        with open_store(tmp_path, create=False):
            modes = {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}

    assert modes == {0o600}


def test_a_home_that_is_not_there_is_not_made_where_that_was_not_asked(tmp_path: Path) -> None:
    assert "nothing is kept in" in refusal(tmp_path / "gone", create=False)
    assert not (tmp_path / "gone").exists()


def test_a_home_that_cannot_be_one_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder" / FILE_NAME).mkdir(parents=True)
    (tmp_path / "pipe").mkdir()
    os.mkfifo(tmp_path / "pipe" / FILE_NAME)

    assert "is not a folder" in refusal(tmp_path / "file")
    assert "is not a folder" in refusal(tmp_path / "file" / "home")
    assert "is a folder where the database should be" in refusal(tmp_path / "folder")
    assert "is no regular file, as the database should be" in refusal(tmp_path / "pipe")
    assert "cannot write in /proc/arena" in refusal(Path("/proc/arena"))
    assert "cannot write in" in refusal(tmp_path / "nul\0")


def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text("Dear diary, " * 100)

    assert "is not a database of arena" in refusal(tmp_path)
    assert (tmp_path / FILE_NAME).read_text().startswith("Dear diary")


def test_another_programs_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    with raw(tmp_path) as db:
        db.execute("CREATE TABLE cookies (name TEXT)")

    assert "is another program's database" in refusal(tmp_path)
    with raw(tmp_path) as db:
        assert db.execute("SELECT name FROM sqlite_schema").fetchall() == [("cookies",)]


def test_a_file_of_a_newer_arena_is_refused_in_one_line(tmp_path: Path) -> None:
    with open_store(tmp_path):
        pass
    with raw(tmp_path) as db:
        db.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")

    assert "was written by a newer arena" in refusal(tmp_path)


def test_a_file_of_an_older_arena_is_brought_up_to_date_and_keeps_what_it_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_store(tmp_path) as store:
        add_bot(store, "x", snapshot("1"))
    newer = (*MIGRATIONS, ("ALTER TABLE bots ADD COLUMN colour TEXT",))
    monkeypatch.setattr(store_db, "MIGRATIONS", newer)

    with open_store(tmp_path) as store:
        assert store.rows("SELECT name, colour FROM bots")[0]["name"] == "x"
        assert store.rows("PRAGMA user_version")[0][0] == len(newer)


def test_a_migration_that_fails_leaves_the_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_store(tmp_path):
        pass
    broken = (*MIGRATIONS, ("CREATE TABLE new (x TEXT) STRICT", "CREATE TABLE bots (x)"))
    with monkeypatch.context() as patch:
        patch.setattr(store_db, "MIGRATIONS", broken)
        with pytest.raises(HostFault, match="already exists"), open_store(tmp_path):
            pass

    with open_store(tmp_path) as store:
        assert store.rows("PRAGMA user_version")[0][0] == len(MIGRATIONS)
        assert store.rows("SELECT 1 FROM sqlite_schema WHERE name = 'new'") == []


def test_an_sqlite_that_is_too_old_is_said_to_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 36, 0))

    assert "is too old: arena needs 3.37" in refusal(tmp_path)


def test_what_is_committed_is_synced_in_full_and_references_are_checked(store: Store) -> None:
    assert store.rows("PRAGMA journal_mode")[0][0] == "wal"
    assert store.rows("PRAGMA synchronous")[0][0] == 2
    assert store.rows("PRAGMA foreign_keys")[0][0] == 1
    assert store.rows("PRAGMA foreign_key_check") == []


def test_a_transaction_that_raises_leaves_nothing_behind(store: Store) -> None:
    def interrupted() -> None:
        with store.atomic() as db:
            db.execute("INSERT INTO bots (name, folded) VALUES ('x', 'x')")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()

    assert store.rows("SELECT * FROM bots") == []
    add_bot(store, "x", snapshot("1"))


def test_opening_a_home_twice_takes_no_lock_from_whoever_has_it_open(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        add_bot(store, "first", snapshot("first"))
        with open_store(tmp_path):
            pass
        other = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('PRAGMA user_version')"
        subprocess.run([sys.executable, "-c", other, str(store.path)], check=True)

        # Whoever closes a database last removes its log, and that was not the other process.
        assert store.path.with_name(f"{FILE_NAME}-wal").exists()


def test_a_store_that_another_process_writes_to_is_waited_for_and_then_refused(
    tmp_path: Path,
) -> None:
    with open_store(tmp_path, wait_s=0.05) as store:
        with raw(tmp_path) as db:
            db.execute("BEGIN IMMEDIATE")
            assert list_bots(store) == []
            with pytest.raises(UsageError, match="is in use by another arena"):
                add_bot(store, "x", snapshot("1"))
            db.execute("ROLLBACK")
        add_bot(store, "x", snapshot("1"))


def test_a_full_disk_is_a_fault_of_the_host_and_the_file_stays_good(store: Store) -> None:
    id_ = planned(store)
    add_matches(store, id_, [record_of(id_, DUELS[0])])
    (pages,) = store.rows("PRAGMA page_count")[0]
    store.rows(f"PRAGMA max_page_count = {pages}")

    with pytest.raises(HostFault, match="the disk is full"):
        add_bot(store, "big", snapshot("x" * 1_000_000))

    assert get_tournament(store, id_).played == 1
    store.rows("PRAGMA max_page_count = 1000000")
    add_matches(store, id_, [record_of(id_, fixture) for fixture in DUELS])
    assert get_tournament(store, id_).played == 4
    assert store.rows("PRAGMA integrity_check")[0][0] == "ok"


def test_a_damaged_file_is_a_fault_of_the_host_in_one_line(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        add_bot(store, "x", snapshot("1"))
    with (tmp_path / FILE_NAME).open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * 100_000)

    with (
        pytest.raises(HostFault, match="damaged") as caught,
        open_store(tmp_path) as store,
    ):
        list_bots(store)
    assert str(caught.value).isprintable()


def test_text_that_is_not_utf_8_is_refused_in_one_line(store: Store) -> None:
    with pytest.raises(UsageError, match=r"'\\udcff' is not UTF-8"):
        get_bot(store, "\udcff")


OPENER = f"""
import sys
from pathlib import Path
sys.path.append("tests")
from arena.store.bots import add_bot
from arena.store.db import open_store
from tests.kept import snapshot
{GATE}
with open_store(Path(sys.argv[1])) as store:
    add_bot(store, sys.argv[2], snapshot(sys.argv[2]))
"""


def test_many_processes_may_make_the_same_home_at_once(tmp_path: Path) -> None:
    assert run_together(OPENER, *([str(tmp_path), name] for name in "abcd")) == [0, 0, 0, 0]

    with open_store(tmp_path) as store:
        assert [bot.name for bot in list_bots(store)] == ["a", "b", "c", "d"]


WRITER = """
import sys
from pathlib import Path
sys.path.append("tests")
from arena.referee.fixture import Fixture
from arena.store.db import open_store
from arena.store.matches import add_matches
from tests.kept import TWO, planned, record_of
fixtures = [Fixture(TWO, deal, ("a", "b")) for deal in range(500)]
with open_store(Path(sys.argv[1])) as store:
    planned(store, fixtures=fixtures)
    for fixture in fixtures:
        add_matches(store, "spring", [record_of("spring", fixture)])
        print(fixture.match, flush=True)
"""


@pytest.mark.parametrize("announced", [1, 7, 40])
def test_a_match_that_was_announced_outlives_the_process_that_is_killed(
    announced: int, tmp_path: Path
) -> None:
    command = [sys.executable, "-c", WRITER, str(tmp_path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        seen = [writer.stdout.readline().strip() for _ in range(announced)]
        os.kill(writer.pid, signal.SIGKILL)

    with open_store(tmp_path) as store:
        kept = [row["match"] for row in store.rows("SELECT match FROM matches ORDER BY rowid")]
        assert kept[:announced] == seen
        assert store.rows("PRAGMA integrity_check")[0][0] == "ok"
