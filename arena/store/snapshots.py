"""Snapshots of bots, by digest: what matches refer to, so none is ever changed or removed."""

import hashlib
import json
import sqlite3

from arena.errors import HostFault, RecordError, UsageError
from arena.players.bundle import Bundle, bundle_of
from arena.players.files import File
from arena.store.db import Store, utc_now
from arena.wire.escape import printable


def keep_snapshot(db: sqlite3.Connection, bundle: Bundle) -> None:
    """Keep ``bundle`` within the caller's transaction, unless it is kept already."""
    if db.execute("SELECT 1 FROM snapshot_files WHERE digest = ?", (bundle.digest,)).fetchone():
        return
    db.execute(
        "INSERT INTO snapshots (digest, command, added) VALUES (?, ?, ?)"
        " ON CONFLICT (digest) DO UPDATE SET command = excluded.command, added = excluded.added",
        (bundle.digest, json.dumps(bundle.command, ensure_ascii=False), utc_now()),
    )
    hashed = [(file, hashlib.sha256(file.content).hexdigest()) for file in bundle.files]
    db.executemany(
        "INSERT INTO contents (sha256, bytes) VALUES (?, ?) ON CONFLICT DO NOTHING",
        [(sha256, file.content) for file, sha256 in hashed],
    )
    db.executemany(
        "INSERT INTO snapshot_files (digest, path, mode, sha256) VALUES (?, ?, ?, ?)",
        [(bundle.digest, file.path, file.mode, sha256) for file, sha256 in hashed],
    )


def name_snapshot(db: sqlite3.Connection, digest: str) -> None:
    """Let entries refer to a snapshot that is not here, within the caller's transaction.

    It is kept in full as soon as somebody hands it in.
    """
    db.execute(
        "INSERT INTO snapshots (digest, command, added) VALUES (?, '[]', ?) ON CONFLICT DO NOTHING",
        (digest, utc_now()),
    )


def is_absent(store: Store, digest: str) -> bool:
    """Return whether the snapshot called ``digest`` is known by its name alone."""
    named = store.row("SELECT command FROM snapshots WHERE digest = ?", (digest,))
    return named is not None and named["command"] == "[]"


def load_bundle(store: Store, digest: str, name: str = "") -> Bundle:
    """Return the snapshot called ``digest``, as a bundle called ``name``.

    Raises:
        HostFault: it is not there, or the database no longer holds what was put in.
        UsageError: it came from an export without its files.
    """
    if is_absent(store, digest):
        raise UsageError(
            f"the files of {printable(name or digest, 80)} are not here: what was imported was "
            "exported without --bots"
        )
    rows = store.rows(
        "SELECT path, mode, bytes FROM snapshot_files JOIN contents USING (sha256)"
        " WHERE digest = ? ORDER BY path",
        (digest,),
    )
    try:
        bundle = bundle_of((File(row["path"], row["mode"], row["bytes"]) for row in rows), name)
    except RecordError as error:
        raise HostFault(f"snapshot {printable(digest, 80)} is not kept: {error}") from None
    if bundle.digest != digest:
        raise HostFault(f"snapshot {printable(digest, 80)} is damaged in {store.path}")
    return bundle
