"""The registered bots: a name, and the versions that were submitted under it.

A version that is not the current one takes part in tournaments as ``name@version``.
"""

import json
import re
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec

from arena.errors import RecordError, UsageError
from arena.games import closest
from arena.players.bundle import Bundle
from arena.players.names import check_bot_name, fold
from arena.store.db import Store, utc_now
from arena.store.snapshots import keep_snapshot
from arena.wire.escape import printable

_ECHO = 40
_VERSION = re.compile(r"([^@]+)@([1-9][0-9]{0,8})")


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
    """Author and languages as its ``bot.toml`` said them; bots of one author are kept apart."""

    damaged: bool = False
    """Its row is not as it was stored. Only a list shows such a bot, which plays nothing."""

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
        _register_name(db, check_bot_name(name))
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
        store.row("SELECT name FROM bots WHERE folded = ?", (fold(check_bot_name(name)),)), name
    )
    return name


def list_bots(store: Store) -> list[Bot]:
    """Return the current version of every bot that was not removed, by name.

    Those whose row cannot be read are marked as damaged.
    """
    rows = store.rows(f"{_SELECT} WHERE b.removed IS NULL AND {_CURRENT} ORDER BY b.folded")
    return [_listed(row) for row in rows]


def find_bot(store: Store, name: str, *, removed: bool = False) -> Bot | None:
    """Return the current version of the bot ``name`` if there is one, on request a removed one.

    Raises:
        RecordError: its row is not as it was stored.
    """
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
    """Return all versions ever submitted as ``name``, oldest first, the damaged ones marked."""
    rows = store.rows(f"{_SELECT} WHERE b.name = ? ORDER BY v.version", (name,))
    return [_listed(row) for row in rows]


def list_versions(store: Store) -> list[Bot]:
    """Return the same with all versions of each bot, oldest first."""
    rows = store.rows(f"{_SELECT} WHERE b.removed IS NULL ORDER BY b.folded, v.version")
    return [_listed(row) for row in rows]


def find_version(store: Store, text: str) -> Bot | None:
    """Return the version that ``text``, as in ``greedy@2``, means.

    ``None`` if it is not of that form, or no registered bot is called so.

    Raises:
        UsageError: the bot has no such version.
        RecordError: the row of that version is not as it was stored.
    """
    said = _VERSION.fullmatch(text)
    if said is None or find_bot(store, said[1]) is None:
        return None
    versions = bot_versions(store, said[1])
    for bot in versions:
        if bot.version == int(said[2]):
            return _readable(bot)
    there = "only version 1" if len(versions) == 1 else f"versions 1 to {versions[-1].version}"
    raise UsageError(f"{said[1]} has {there}, no {said[2]}: see `arena bots --versions`")


def entry_name(store: Store, bot: Bot) -> str:
    """Return the name under which a version takes part in a tournament.

    It is the bot's own name for what is its current content, and else ``name@version``, with the
    highest version that has this content.
    """
    versions = bot_versions(store, bot.name)
    if versions[-1].digest == bot.digest:
        return bot.name
    return f"{bot.name}@{max(one.version for one in versions if one.digest == bot.digest)}"


def plain_name(entry: str) -> str:
    """Return the name of the bot that takes part as ``entry``."""
    return entry.partition("@")[0]


def version_labels(store: Store, tournaments: Sequence[str]) -> dict[tuple[str, str], str]:
    """Return what to call the bots of ``tournaments`` (ids) where they stand in one table.

    A bot that was changed between tournaments is several players. Of all that took part under a
    name, the newest content has the plain name, unless it took part as ``name@version`` alone; any
    other is ``name@N``, with N the version under which it is registered, else the one as which it
    took part, else a number by the order in which the tournaments of the home were created.

    Returns:
        The label by id of the tournament and name in it; for equal ids and content always the
        same one, whatever their order.
    """
    entries = store.rows(
        "SELECT e.tournament, e.bot, e.digest, t.created FROM entries e"
        " JOIN tournaments t ON t.id = e.tournament ORDER BY t.created, t.rowid, e.position"
    )
    versions = {
        (row["name"], row["digest"]): (row["submitted"], row["version"])
        for row in store.rows("SELECT * FROM bot_versions ORDER BY name, version")
    }
    numbers = _numbers(entries, {content: version for content, (_, version) in versions.items()})
    # What is not registered is as old as the first tournament in which it took part.
    ages = {content: (*version, 0) for content, version in versions.items()}
    for at, row in enumerate(entries):
        ages.setdefault(_content(row), (row["created"], 0, at))
    pool = set(tournaments)
    there = [row for row in entries if row["tournament"] in pool]
    newest: dict[str, tuple[str, str]] = {}
    for content in sorted(set(map(_content, there)), key=ages.__getitem__):
        newest[content[0]] = content
    plain = {_content(row) for row in there if "@" not in row["bot"]} & set(newest.values())
    labels = {}
    for row in there:
        content = _content(row)
        label = content[0] if content in plain else f"{content[0]}@{numbers[content]}"
        labels[row["tournament"], row["bot"]] = label
    return labels


def _content(row: sqlite3.Row) -> tuple[str, str]:
    """Return what an entry stands for: a bot's name, and a digest."""
    return plain_name(row["bot"]), row["digest"]


def _numbers(
    entries: Sequence[sqlite3.Row], versions: Mapping[tuple[str, str], int]
) -> dict[tuple[str, str], int]:
    """Return a number for each content that took part under a name; no two have the same one."""
    numbers = dict(versions)
    taken = {(name, number) for (name, _), number in numbers.items()}
    for said in (True, False):
        for row in entries:
            name, _, version = row["bot"].partition("@")
            content = _content(row)
            if content in numbers or bool(version) != said:
                continue
            number = int(version) if said and version.isdecimal() else 1
            while (name, number) in taken:
                number += 1
            numbers[content] = number
            taken.add((name, number))
    return numbers


def remove_bot(store: Store, name: str) -> Bot:
    """Take the bot ``name`` off the list; what it played stays, and so does its name.

    Raises:
        UsageError: no bot is called so; the message has the closest name.
    """
    damaged = (one for one in list_bots(store) if one.damaged and one.name == name)
    bot = next(damaged, None) or get_bot(store, name)
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
    return _readable(_listed(row))


def _readable(bot: Bot) -> Bot:
    if bot.damaged:
        raise RecordError(
            f"{bot.name}: version {bot.version}: its games, languages or command are not as they "
            "were stored: restore a copy of the database, or submit it under another --name and "
            f"`arena bots remove {bot.name}`"
        )
    return bot


def _listed(row: sqlite3.Row) -> Bot:
    try:
        lists = [_names(row[name]) for name in ("command", "games", "languages")]
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        lists = None
    command, games, languages = lists or ((), (), ())
    return Bot(
        name=row["name"],
        version=row["version"],
        digest=row["digest"],
        command=command or (),
        games=games,
        submitted=row["submitted"],
        removed=row["removed"],
        author=row["author"],
        languages=languages or (),
        damaged=lists is None,
    )


def _names(text: str | None) -> tuple[str, ...] | None:
    return None if text is None else msgspec.json.decode(text, type=tuple[str, ...])
