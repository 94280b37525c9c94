"""Databases that are only read; where nothing can be written beside them, see tests/cli."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from arena.store.bots import add_bot
from arena.store.db import FILE_NAME, open_store
from arena.store.looking import read_only, writable
from tests.kept import snapshot


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a database in which one bot is registered."""
    with open_store(tmp_path / "a home") as store:
        add_bot(store, "x", snapshot("1"))
    return tmp_path / "a home" / FILE_NAME


def names(path: Path) -> list[str]:
    with read_only(path, 0.05) as db:
        return [name for (name,) in db.execute("SELECT name FROM bots ORDER BY name")]


def test_a_database_can_be_written_if_it_and_its_folder_are_there(path: Path) -> None:
    assert writable(path)
    assert not writable(path.with_name("gone"))


def test_nothing_is_written_through_it(path: Path) -> None:
    before = path.read_bytes()

    with read_only(path, 0.05) as db, pytest.raises(sqlite3.OperationalError, match="readonly"):
        db.execute("DELETE FROM bots")
    assert path.read_bytes() == before


def test_what_stands_only_in_the_log_is_seen_too(path: Path) -> None:
    copy = path.with_name("copy.db")
    with closing(sqlite3.connect(path)) as db:
        db.execute("INSERT INTO bots (name, folded) VALUES ('y', 'y')")
        db.commit()
        for suffix in ("", "-wal"):
            shutil.copyfile(f"{path}{suffix}", f"{copy}{suffix}")

    assert names(copy) == ["x", "y"]


def test_a_process_that_writes_is_no_hindrance(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("BEGIN IMMEDIATE")
        db.execute("DELETE FROM bots WHERE name = 'y'")

        assert names(path) == ["x"]


def test_what_is_no_database_is_said_by_sqlite(tmp_path: Path) -> None:
    (tmp_path / "note").write_text("not one" * 1000)

    with pytest.raises(sqlite3.DatabaseError, match="not a database"):
        names(tmp_path / "note")
