"""Opening a database that cannot be written, for whoever only looks.

A database with a write-ahead log needs two files beside it even to be read. Where they can be
neither found nor made, the file is read alone; and where the log has what the file lacks, both are
copied to where they can be.
"""

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

PRIMARY = 0xFF
"""The low byte of SQLite's error codes is the primary code, the rest refines it."""

_LACKING = {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM}


def writable(path: Path) -> bool:
    """Return whether the database ``path`` can be written, and the files that SQLite puts there."""
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


@contextmanager
def read_only(path: Path, wait_s: float) -> Iterator[sqlite3.Connection]:
    """Yield a connection to the database ``path`` that changes nothing, and nothing beside it.

    Args:
        path: a database.
        wait_s: how long, in seconds, to wait for a process that writes.

    Raises:
        sqlite3.Error: it cannot be read.
    """
    place = path.absolute().as_uri()
    log = path.with_name(f"{path.name}-wal")
    with ExitStack() as stack:
        try:
            db = stack.enter_context(_opened(f"{place}?mode=ro", wait_s))
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & PRIMARY not in _LACKING:
                raise
            if log.exists() and log.stat().st_size:
                folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="arena-"))
                for file in (path, log):
                    shutil.copyfile(file, Path(folder, file.name))
                place = Path(folder, path.name).as_uri()
            else:
                # Nobody writes it at this moment: there would be a log.
                place = f"{place}?immutable=1"
            db = stack.enter_context(_opened(place, wait_s))
        yield db


@contextmanager
def _opened(uri: str, wait_s: float) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(uri, timeout=wait_s, isolation_level=None, uri=True)) as db:
        db.execute("PRAGMA query_only = ON")
        db.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        yield db
