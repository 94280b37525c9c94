"""The SQLite file of a home: opening, transactions, errors.

One connection belongs to one thread of one process, and is not for a process forked from it.
"""

import errno
import os
import sqlite3
import stat
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from arena.errors import ArenaError, HostFault, UsageError
from arena.players.sandbox_files import hide
from arena.store.looking import PRIMARY, read_only, writable
from arena.store.schema import APPLICATION_ID, MIGRATIONS
from arena.wire.escape import printable

FILE_NAME = "arena.db"
OLDEST_SQLITE = (3, 37, 0)
"""The first with STRICT tables."""

Parameters = Sequence[Any] | Mapping[str, Any]

_WAIT_S = 10.0
_LONGEST_PATH = 160
_PAUSE_S = 0.01
_OWNER_ALONE = 0o600
_OTHERS = 0o077


class Store:
    """An open home. What can be asked of it are the functions of this package's modules."""

    def __init__(self, home: Path, db: sqlite3.Connection) -> None:
        self.home = home
        self.path = home / FILE_NAME
        self._db = db

    def rows(self, sql: str, parameters: Parameters = ()) -> list[sqlite3.Row]:
        """Return all rows of a query. For the modules of this package alone."""
        with _explained(self.path):
            return self._db.execute(sql, parameters).fetchall()

    def row(self, sql: str, parameters: Parameters = ()) -> sqlite3.Row | None:
        """Return the first row of a query, if there is one. For this package alone."""
        return next(iter(self.rows(sql, parameters)), None)

    @contextmanager
    def atomic(self) -> Iterator[sqlite3.Connection]:
        """Yield the connection inside a transaction, the only one there is at that time.

        All that is done in it is durable once it is left, or undone if it raises. It takes the
        right to write at once (a deferred BEGIN would fail as soon as another process writes).
        """
        with _explained(self.path), atomic(self._db):
            yield self._db


@contextmanager
def open_store(home: Path, *, create: bool = True, wait_s: float = _WAIT_S) -> Iterator[Store]:
    """Open the home's database for the length of the context, and see that no bot is shown it.

    One that is there and cannot be written is opened for reading, unless it is to be made.

    Args:
        home: folder of the file `FILE_NAME`; made with its parents if it is missing.
        create: make the database if there is none.
        wait_s: how long, in seconds, to wait for another process that writes.

    Raises:
        UsageError: there is none, it is of a newer arena or another program, it is in use, or
            the home cannot be written.
        HostFault: the disk is full, or the file is damaged.
    """
    path = home / FILE_NAME
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        raise UsageError(f"SQLite {sqlite3.sqlite_version} is too old: arena needs 3.37 or newer")
    _check_kind(path)
    looking = not create and path.exists() and not writable(path)
    if not looking:
        _make(path, create=create)
    hide(home)
    with ExitStack() as stack:
        with _explained(path):
            if looking:
                db = stack.enter_context(read_only(path, wait_s))
                _check_read_only(db, path)
            else:
                db = sqlite3.connect(path, timeout=wait_s, isolation_level=None)
                stack.callback(db.close)
                _prepare(db, path, wait_s)
        yield Store(home, db)


@contextmanager
def atomic(db: sqlite3.Connection) -> Iterator[None]:
    """Hold one transaction: committed when left, rolled back on any error."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        # SQLite has rolled back itself after some errors; the first error is the one to tell.
        with suppress(sqlite3.Error):
            db.execute("ROLLBACK")
        raise


def utc_now() -> str:
    """Return the time as the store keeps it: UTC, ISO 8601, whole seconds."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _check_kind(path: Path) -> None:
    """Raise `UsageError` if something else than a file is where the database should be."""
    with suppress(OSError, ValueError):  # which are explained where it is opened
        kind = path.stat().st_mode
        if stat.S_ISDIR(kind):
            raise UsageError(f"{_shown(path)} is a folder where the database should be")
        if not stat.S_ISREG(kind):
            raise UsageError(f"{_shown(path)} is no regular file, as the database should be")


def _make(path: Path, *, create: bool) -> None:
    """Make sure that there is a file at ``path`` that only its owner can read."""
    home = _shown(path.parent)
    if not create and not path.exists():
        raise UsageError(
            f"nothing is kept in {home} yet: `arena submit` or `arena tournament` comes first"
        )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _create(path)
        for suffix in ("", "-wal", "-shm"):
            _close_to_others(path.with_name(path.name + suffix))
    except (FileExistsError, NotADirectoryError):
        raise UsageError(f"{home} is not a folder: choose another --home") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "no possible path"
        raise UsageError(f"cannot write in {home}: {reason}; choose another --home") from None


def _create(path: Path) -> None:
    """Make an empty file at ``path`` if there is none.

    One that is there is not opened: with its closing all locks would be gone that SQLite holds on
    it for this process, and whoever else closes it last would take the log away from under us.
    """
    try:
        # It will hold keys of deals that are still to be played.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _OWNER_ALONE))
    except FileExistsError:
        if not os.access(path, os.R_OK | os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path)) from None


def _close_to_others(path: Path) -> None:
    """Take from all but its owner what they may do with the file ``path``, if it is there."""
    with suppress(FileNotFoundError, PermissionError):
        if path.stat().st_mode & _OTHERS:
            path.chmod(_OWNER_ALONE)


def _begin(db: sqlite3.Connection, path: Path) -> None:
    db.row_factory = sqlite3.Row
    # In this order: another process that makes the tables at this moment sets both at once.
    (tables,) = db.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    (application,) = db.execute("PRAGMA application_id").fetchone()
    if tables and application != APPLICATION_ID:
        raise UsageError(f"{_shown(path)} is another program's database: choose another --home")
    # The file may come from somebody else: no code in its schema.
    db.execute("PRAGMA trusted_schema = OFF")


def _check_read_only(db: sqlite3.Connection, path: Path) -> None:
    _begin(db, path)
    if _version(db, path) < len(MIGRATIONS):
        raise UsageError(
            f"{_shown(path)} was written by an older arena, and cannot be brought up to date: make "
            "it writable, or copy it"
        )
    _check_columns(db, path)


def _prepare(db: sqlite3.Connection, path: Path, wait_s: float) -> None:
    _begin(db, path)
    _use_wal(db, wait_s)
    # FULL: a match that was announced must outlive a power failure.
    db.execute("PRAGMA synchronous = FULL")
    db.execute("PRAGMA foreign_keys = ON")
    while _version(db, path) < len(MIGRATIONS):
        with atomic(db):
            # Asked again: another process may have been faster.
            version = _version(db, path)
            if version == len(MIGRATIONS):
                break
            for statement in MIGRATIONS[version]:
                db.execute(statement)
            db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            db.execute(f"PRAGMA user_version = {version + 1}")
    _check_columns(db, path)


def _check_columns(db: sqlite3.Connection, path: Path) -> None:
    """Raise `HostFault` if a column of ours is not there: its name may have been damaged."""
    if not _columns().issubset(map(tuple, db.execute(_COLUMNS))):
        raise HostFault(f"{_shown(path)}: {_HOST[sqlite3.SQLITE_CORRUPT]}")


@cache
def _columns() -> frozenset[tuple[str, str]]:
    """Return (table, column) for all that a database of this arena has."""
    with closing(sqlite3.connect(":memory:")) as db:
        for migration in MIGRATIONS:
            for statement in migration:
                db.execute(statement)
        return frozenset(map(tuple, db.execute(_COLUMNS)))


def _use_wal(db: sqlite3.Connection, wait_s: float) -> None:
    """Have the file keep a write-ahead log; waits here, since for this SQLite does not."""
    until = time.monotonic() + wait_s
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            code = error.sqlite_errorcode & PRIMARY
            if code != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(_PAUSE_S)
        else:
            return


def _version(db: sqlite3.Connection, path: Path) -> int:
    version: int = db.execute("PRAGMA user_version").fetchone()[0]
    if version > len(MIGRATIONS):
        raise UsageError(
            f"{_shown(path)} was written by a newer arena (schema {version}, this one knows "
            f"{len(MIGRATIONS)}): update arena"
        )
    return version


_USAGE = {
    sqlite3.SQLITE_BUSY: "is in use by another arena: try again when that has ended",
    sqlite3.SQLITE_LOCKED: "is in use by another arena: try again when that has ended",
    sqlite3.SQLITE_NOTADB: "is not a database of arena: move it away or choose another --home",
    sqlite3.SQLITE_READONLY: "cannot be written: mend its permissions or choose another --home",
    sqlite3.SQLITE_PERM: "cannot be opened: mend its permissions or choose another --home",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened: mend its permissions or choose another --home",
}
_COLUMNS = "SELECT s.name, c.name FROM sqlite_schema s JOIN pragma_table_info(s.name) c"

_NO_TEXT = "Could not decode to UTF-8"
"""What Python says, without a code, of text in the file that is none."""

_HOST = {
    sqlite3.SQLITE_FULL: "the disk is full; what was stored is kept, make room and go on",
    sqlite3.SQLITE_CORRUPT: "the file is damaged; restore a copy",
}


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into one line each."""
    try:
        yield
    except UnicodeEncodeError as error:  # a lone surrogate, from an argument that was not UTF-8
        raise UsageError(f"'{printable(error.object, 60)}' is not UTF-8") from None
    except UnicodeDecodeError:  # what was kept as text is none
        raise HostFault(f"{_shown(path)}: {_HOST[sqlite3.SQLITE_CORRUPT]}") from None
    except sqlite3.Error as error:
        raise _explanation(error, path) from error


def _explanation(error: sqlite3.Error, path: Path) -> ArenaError:
    code = getattr(error, "sqlite_errorcode", 0) & PRIMARY
    if not code and str(error).startswith(_NO_TEXT):
        code = sqlite3.SQLITE_CORRUPT
    if code in _USAGE:
        return UsageError(f"{_shown(path)} {_USAGE[code]}")
    return HostFault(f"{_shown(path)}: {_HOST.get(code, printable(str(error), 200))}")


def _shown(path: Path) -> str:
    return printable(str(path), _LONGEST_PATH, cut="middle")
