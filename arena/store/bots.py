"""The registered bots: a name, and the versions that were submitted under it."""

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from arena.errors import UsageError
from arena.games import closest
from arena.players.bundle import Bundle
from arena.players.names import check_name, fold
from arena.store.db import Store, utc_now
from arena.store.snapshots import keep_snapshot
from arena.wire.escape import printable

_ECHO = 40


@dataclass(frozen=True, slots=True)
class Bot:
    """One version of a registered bot."""

    name: str
    version: int
    """1, 2, … for each name."""

    digest: str
    """Of its snapshot."""

    command: tuple[str, ...]
    games: tuple[str, ...] | None
    """Names of the games it plays; ``None``: all."""

    submitted: str
    removed: str | None = None
    author: str | None = None
    languages: tuple[str, ...] = ()
    """Author and languages as its ``bot.toml`` said them; they decide nothing."""

    def plays(self, game: str) -> bool:
        """Return whether the bot plays ``game``."""
        return self.games is None or game in self.games


_SELECT = """
    SELECT v.name, v.version, v.digest, s.command, v.games, v.submitted, b.removed, v.author,
        v.languages
    FROM bots b JOIN bot_versions v USING (name) JOIN snapshots s USING (digest)
"""
_CURRENT = "v.version = (SELECT max(version) FROM bot_versions w WHERE w.name = b.name)"


def add_bot(
    store: Store, name: str, bundle: Bundle, games: Sequence[str] | None = None
) -> tuple[Bot, bool]:
    """Register ``bundle`` as the bot ``name`` from now on.

    Other content under a registered name is the next version of it. The same content again
    changes nothing, but brings a removed bot back, and takes what ``games`` says now (names of the
    games that the bot plays, ``None`` for all), and its author and languages.

    Returns:
        The current version, and whether anything was changed.

    Raises:
        UsageError: the name cannot be one, or differs from a registered one only in case.
    """
    said = None if games is None else tuple(sorted(set(games)))
    before = find_bot(store, name, removed=True)
    if before and not before.removed:
        kept = (before.digest, before.games, before.author, before.languages)
        if kept == (bundle.digest, said, bundle.author, bundle.languages):
            return before, False
    with store.atomic() as db:
        _register_name(db, check_name(name))
        last = _current(db, name)
        if last is None or last["digest"] != bundle.digest:
            keep_snapshot(db, bundle)
            version = 1 if last is None else last["version"] + 1
            db.execute(
                "INSERT INTO bot_versions (name, version, digest, submitted) VALUES (?, ?, ?, ?)",
                (name, version, bundle.digest, utc_now()),
            )
        else:
            version = last["version"]
        db.execute(
            "UPDATE bot_versions SET games = ?, author = ?, languages = ?"
            " WHERE name = ? AND version = ?",
            (_list(said), bundle.author, _list(bundle.languages or None), name, version),
        )
    return get_bot(store, name), True


def check_free(store: Store, name: str) -> str:
    """Return ``name`` if a bot can be registered under it, as a new one or as a new version.

    Raises:
        UsageError: the name cannot be one, or differs from a registered one only in case.
    """
    _check_case(
        store.row("SELECT name FROM bots WHERE folded = ?", (fold(check_name(name)),)), name
    )
    return name


def list_bots(store: Store) -> list[Bot]:
    """Return the current version of every bot that was not removed, by name."""
    rows = store.rows(f"{_SELECT} WHERE b.removed IS NULL AND {_CURRENT} ORDER BY b.folded")
    return [_bot(row) for row in rows]


def find_bot(store: Store, name: str, *, removed: bool = False) -> Bot | None:
    """Return the current version of the bot ``name`` if there is one, on request a removed one."""
    row = store.row(f"{_SELECT} WHERE b.name = ? AND {_CURRENT}", (name,))
    return None if row is None or (row["removed"] and not removed) else _bot(row)


def get_bot(store: Store, name: str) -> Bot:
    """Return the current version of the bot ``name``, or raise `UsageError` with the closest."""
    bot = find_bot(store, name)
    if bot is None:
        known = [other.name for other in list_bots(store)]
        raise UsageError(
            f"no bot is called '{printable(name, _ECHO)}'{closest(name[:_ECHO], known)}"
            if known
            else "no bot is registered yet: `arena submit PATH` does it"
        )
    return bot


def bot_versions(store: Store, name: str) -> list[Bot]:
    """Return all versions ever submitted as ``name``, oldest first."""
    rows = store.rows(f"{_SELECT} WHERE b.name = ? ORDER BY v.version", (name,))
    return [_bot(row) for row in rows]


def remove_bot(store: Store, name: str) -> Bot:
    """Take the bot ``name`` off the list; what it played stays, and so does its name.

    Raises:
        UsageError: no bot is called so; the message has the closest name.
    """
    bot = get_bot(store, name)
    with store.atomic() as db:
        db.execute("UPDATE bots SET removed = ? WHERE name = ?", (utc_now(), name))
    return bot


def _register_name(db: sqlite3.Connection, name: str) -> None:
    taken = db.execute("SELECT name FROM bots WHERE folded = ?", (fold(name),)).fetchone()
    _check_case(taken, name)
    db.execute(
        "INSERT INTO bots (name, folded) VALUES (?, ?)"
        " ON CONFLICT (name) DO UPDATE SET removed = NULL",
        (name, fold(name)),
    )


def _check_case(taken: sqlite3.Row | None, name: str) -> None:
    if taken is not None and taken["name"] != name:
        raise UsageError(
            f"the name {name} differs only in case from {taken['name']}, which is taken: "
            "choose another by --name"
        )


def _current(db: sqlite3.Connection, name: str) -> sqlite3.Row | None:
    row: sqlite3.Row | None = db.execute(
        f"{_SELECT} WHERE b.name = ? AND {_CURRENT}", (name,)
    ).fetchone()
    return row


def _list(names: Sequence[str] | None) -> str | None:
    return None if names is None else json.dumps(names, ensure_ascii=False)


def _bot(row: sqlite3.Row) -> Bot:
    return Bot(
        name=row["name"],
        version=row["version"],
        digest=row["digest"],
        command=tuple(json.loads(row["command"])),
        games=None if row["games"] is None else tuple(json.loads(row["games"])),
        submitted=row["submitted"],
        removed=row["removed"],
        author=row["author"],
        languages=tuple(json.loads(row["languages"] or "[]")),
    )
