"""Tournaments: what they were made of, who entered, what is to be played, and how far they are."""

import json
import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from arena.errors import UsageError
from arena.games import closest
from arena.players.bundle import Bundle
from arena.players.names import fold
from arena.referee.category import Category, Mode
from arena.referee.fixture import Fixture
from arena.store.db import Store, utc_now
from arena.store.lock import is_held
from arena.store.snapshots import keep_snapshot
from arena.wire.escape import printable

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_ECHO = 60
_PAGE = 200


class Stage(StrEnum):
    """How far a tournament is."""

    PLANNED = "planned"
    """No match was played yet."""

    RUNNING = "running"
    """A process is playing it."""

    STOPPED = "stopped"
    """Nobody is playing it; it can be resumed."""

    FINISHED = "finished"


@dataclass(frozen=True, slots=True)
class Tournament:
    """What a tournament is made of, apart from its entries and fixtures."""

    id: str
    """Letters, digits and ``. _ -``, at most 100."""

    name: str
    created: str
    """UTC, ISO 8601."""

    parameters: Mapping[str, Any]
    """JSON data: all that its schedule was made of, and its limits."""

    suite: str
    key: bytes = field(repr=False)
    """32 bytes; whoever holds it knows every card."""

    commitment: str | None = None
    """Hex SHA-256 of the secret, printed before the first match."""

    secret: bytes | None = field(default=None, repr=False)
    """``None`` where the key was published beforehand."""

    public_value: str | None = None
    unrated: tuple[str, ...] = ()
    """The reasons why it is not rated."""

    finished: str | None = None
    """When its last match had been played; from then on the secret may be shown."""

    @property
    def rated(self) -> bool:
        """Whether its results are rated as such."""
        return not self.unrated


@dataclass(frozen=True, slots=True)
class Entry:
    """A bot in a tournament."""

    bot: str
    digest: str


@dataclass(frozen=True, slots=True)
class Progress:
    """A tournament and how far it is."""

    tournament: Tournament
    stage: Stage
    played: int
    total: int


def add_tournament(
    store: Store,
    tournament: Tournament,
    entries: Sequence[tuple[str, Bundle]],
    fixtures: Sequence[Fixture],
) -> None:
    """Store a tournament with its schedule and the snapshots that enter it, or nothing of it.

    ``entries`` are names and snapshots of bots, registered or not, in the order to keep;
    ``fixtures`` are in the order in which they are to be played.

    Raises:
        UsageError: its id is taken or not of the form that ids have, two entries have one name, or
            there is nothing to play.
    """
    _check(tournament, [name for name, _ in entries], fixtures)
    with store.atomic() as db:
        if db.execute("SELECT 1 FROM tournaments WHERE id = ?", (tournament.id,)).fetchone():
            raise UsageError(
                f"there is a tournament {tournament.id} already: resume it, or give another --name"
            )
        _insert_tournament(db, tournament)
        for position, (name, bundle) in enumerate(entries):
            keep_snapshot(db, bundle)
            db.execute(
                "INSERT INTO entries (tournament, position, bot, digest) VALUES (?, ?, ?, ?)",
                (tournament.id, position, name, bundle.digest),
            )
        db.executemany(
            "INSERT INTO fixtures VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (tournament.id, position, *_fixture_row(fixture))
                for position, fixture in enumerate(fixtures)
            ),
        )


def list_tournaments(store: Store) -> list[Progress]:
    """Return all tournaments with what was played of them, oldest first."""
    return _progress(store)


def get_tournament(store: Store, text: str) -> Progress:
    """Return the tournament that ``text`` means.

    It is an id, the name of one tournament alone, or what the id of one alone begins with.

    Raises:
        UsageError: there is none (with the closest), or there are several (with their ids).
    """
    there = list_tournaments(store)
    for fits in (
        [one for one in there if one.tournament.id == text],
        [one for one in there if one.tournament.name == text],
        [one for one in there if text and one.tournament.id.startswith(text)],
    ):
        if len(fits) == 1:
            return fits[0]
        if fits:
            ids = ", ".join(one.tournament.id for one in fits[-5:])
            raise UsageError(f"'{printable(text, _ECHO)}' means several tournaments: {ids}")
    if not there:
        raise UsageError("no tournament was played yet: `arena tournament` plays one")
    known = [one.tournament.id for one in there] + [one.tournament.name for one in there]
    raise UsageError(f"no tournament is called '{printable(text, _ECHO)}'{_hint(text, known)}")


def list_entries(store: Store, tournament: str) -> list[Entry]:
    """Return the bots of ``tournament`` (an id), in the order in which they were entered."""
    rows = store.rows(
        "SELECT bot, digest FROM entries WHERE tournament = ? ORDER BY position", (tournament,)
    )
    return [Entry(row["bot"], row["digest"]) for row in rows]


def list_fixtures(store: Store, tournament: str) -> list[Fixture]:
    """Return the whole schedule of ``tournament`` (an id), in order."""
    rows = store.rows(
        "SELECT * FROM fixtures WHERE tournament = ? ORDER BY position", (tournament,)
    )
    return [_fixture(row) for row in rows]


def open_fixtures(store: Store, tournament: str) -> list[Fixture]:
    """Return what is still to be played of ``tournament`` (an id), in the schedule's order."""
    return list(iter_open_fixtures(store, tournament))


def iter_open_fixtures(store: Store, tournament: str) -> Iterator[Fixture]:
    """Yield the same, a page at a time, so that a long schedule need not fit in memory.

    Each fixture is yielded once; one that is played meanwhile, if its page was read before.
    """
    last = -1
    while rows := store.rows(
        "SELECT * FROM fixtures f WHERE tournament = :tournament AND position > :last"
        " AND NOT EXISTS (SELECT 1 FROM matches m WHERE m.tournament = f.tournament"
        " AND m.match = f.match) ORDER BY position LIMIT :page",
        {"tournament": tournament, "last": last, "page": _PAGE},
    ):
        yield from map(_fixture, rows)
        last = rows[-1]["position"]


def finish(store: Store, tournament: str) -> Tournament:
    """Mark ``tournament`` (an id) as played to the end, so that its secret may be shown.

    A second time changes nothing.

    Raises:
        UsageError: matches are still open: the secret would spoil them.
    """
    with store.atomic() as db:
        (left,) = db.execute(
            "SELECT (SELECT count(*) FROM fixtures WHERE tournament = :id)"
            " - (SELECT count(*) FROM matches WHERE tournament = :id)",
            {"id": tournament},
        ).fetchone()
        if left:
            raise UsageError(f"tournament {tournament} has {left} matches still to play")
        db.execute(
            "UPDATE tournaments SET finished = ? WHERE id = ? AND finished IS NULL",
            (utc_now(), tournament),
        )
    return get_tournament(store, tournament).tournament


def _check(tournament: Tournament, names: Sequence[str], fixtures: Sequence[Fixture]) -> None:
    if not _ID.fullmatch(tournament.id):
        raise UsageError(
            f"a tournament's id cannot be '{printable(tournament.id, _ECHO)}': it is made of "
            "letters, digits and . _ -"
        )
    if not fixtures:
        raise UsageError("there is no match to play in this tournament")
    spellings: dict[str, str] = {}
    for name in names:
        if fold(name) in spellings:
            raise UsageError(
                f"two bots of the tournament have one name: {spellings[fold(name)]} and {name}"
            )
        spellings[fold(name)] = name


def _insert_tournament(db: sqlite3.Connection, tournament: Tournament) -> None:
    db.execute(
        "INSERT INTO tournaments (id, name, created, parameters, suite, key, commitment, secret,"
        " public_value, unrated, finished) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            tournament.id,
            tournament.name,
            tournament.created,
            json.dumps(dict(tournament.parameters), ensure_ascii=False, allow_nan=False),
            tournament.suite,
            tournament.key,
            tournament.commitment,
            tournament.secret,
            tournament.public_value,
            json.dumps(tournament.unrated, ensure_ascii=False),
            tournament.finished,
        ),
    )


def _progress(store: Store) -> list[Progress]:
    rows = store.rows(
        "SELECT *, (SELECT count(*) FROM fixtures f WHERE f.tournament = t.id) AS total,"
        " (SELECT count(*) FROM matches m WHERE m.tournament = t.id) AS played"
        " FROM tournaments t ORDER BY created, rowid"
    )
    return [
        Progress(_tournament(row), _stage(store, row), row["played"], row["total"]) for row in rows
    ]


def _stage(store: Store, row: sqlite3.Row) -> Stage:
    if row["finished"]:
        return Stage.FINISHED
    if is_held(store, row["id"]):
        return Stage.RUNNING
    return Stage.STOPPED if row["played"] else Stage.PLANNED


def _tournament(row: sqlite3.Row) -> Tournament:
    return Tournament(
        id=row["id"],
        name=row["name"],
        created=row["created"],
        parameters=json.loads(row["parameters"]),
        suite=row["suite"],
        key=row["key"],
        commitment=row["commitment"],
        secret=row["secret"],
        public_value=row["public_value"],
        unrated=tuple(json.loads(row["unrated"])),
        finished=row["finished"],
    )


def _fixture_row(fixture: Fixture) -> tuple[str | int, ...]:
    category = fixture.category
    return (
        fixture.match,
        category.name,
        category.game,
        category.variant,
        category.mode.value,
        category.players,
        fixture.deal,
        json.dumps(fixture.bots),
    )


def _fixture(row: sqlite3.Row) -> Fixture:
    return Fixture(
        category=Category(row["game"], row["variant"], Mode(row["mode"]), row["players"]),
        deal=row["deal"],
        bots=tuple(json.loads(row["bots"])),
    )


def _hint(text: str, known: Sequence[str]) -> str:
    return closest(text[:_ECHO], set(known))
