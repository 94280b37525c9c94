"""Tournaments: what they were made of, who entered, what is to be played, and how far they are."""

import json
import re
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from arena.errors import RecordError, UsageError
from arena.games import closest
from arena.players.bundle import Bundle
from arena.players.names import fold
from arena.referee.chain import head
from arena.referee.fixture import Fixture
from arena.store.db import Store, utc_now
from arena.store.fixtures import fixture_row
from arena.store.lock import is_held
from arena.store.matches import records
from arena.store.snapshots import keep_snapshot
from arena.wire.escape import printable

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_ECHO = 60
_SOME = 5

RULED_FROM = 2
"""Version of the parameters from which on deals can be dropped, and bots retired."""

SINGLE = "a single match"
"""Why a tournament of one match that somebody asked for is unrated.

Below version `RULED_FROM` of the parameters, nothing else tells that it is one.
"""


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

    head: str | None = None
    """Last link of the chain over its records (`arena.referee.chain`), once it is finished."""

    @property
    def rated(self) -> bool:
        """Whether its results are rated as such."""
        return not self.unrated

    @property
    def sealed(self) -> bool:
        """Whether its deals are still played on, so that cards and secret are not to be shown."""
        return self.secret is not None and self.finished is None

    @property
    def comparison(self) -> Mapping[str, Any] | None:
        """Which bots are compared, and how; ``None`` for what is no comparison."""
        found: Mapping[str, Any] | None = self.parameters.get("comparison")
        return found

    @property
    def single(self) -> bool:
        """Whether it is one single match that somebody asked for."""
        older = self._version < RULED_FROM
        return "single" in self.parameters or (older and SINGLE in self.unrated)

    @property
    def keep_alive(self) -> int:
        """How many deals of one line-up in one seating the same processes play; mostly 1."""
        found: int = self.parameters.get("keep_alive", 1)
        return found

    @property
    def ruled(self) -> bool:
        """Whether a deal can be dropped, and a bot be retired: see `arena.store.rulings`.

        Not in what somebody asked for match by match: a comparison, or a single match.
        """
        return self._version >= RULED_FROM and self.comparison is None and not self.single

    @property
    def _version(self) -> int:
        version = self.parameters.get("parameters")
        return version if isinstance(version, int) else 0


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
    """Matches with a record."""

    total: int
    """Matches that have a record or need one."""

    dropped: int = 0
    """Deals that the host spoilt again and again, and that others were played instead of."""

    retirements: tuple[str, ...] = ()
    """Bots that kept failing, by name; one that did in two categories stands there twice."""

    uncounted: int = 0
    """Matches that have a record and do not count, because of either."""

    @property
    def retired(self) -> int:
        """How many bots kept failing; in two categories a bot counts twice."""
        return len(self.retirements)

    @property
    def decided(self) -> bool:
        """Whether it ended before its schedule did: a comparison, once it is decided."""
        return self.stage is Stage.FINISHED and self.played < self.total


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
        for _, bundle in entries:
            keep_snapshot(db, bundle)
        insert_tournament(
            db, tournament, [Entry(name, bundle.digest) for name, bundle in entries], fixtures
        )


def insert_tournament(
    db: sqlite3.Connection,
    tournament: Tournament,
    entries: Sequence[Entry],
    fixtures: Iterable[Fixture],
) -> None:
    """Insert a tournament within the caller's transaction; its snapshots are there already."""
    _insert_tournament(db, tournament)
    db.executemany(
        "INSERT INTO entries (tournament, position, bot, digest) VALUES (?, ?, ?, ?)",
        (
            (tournament.id, position, entry.bot, entry.digest)
            for position, entry in enumerate(entries)
        ),
    )
    db.executemany(
        "INSERT INTO fixtures VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (tournament.id, position, *fixture_row(fixture))
            for position, fixture in enumerate(fixtures)
        ),
    )


def list_tournaments(store: Store) -> list[Progress]:
    """Return all tournaments with what was played of them, oldest first.

    Those whose row cannot be read are left out: see `damaged_tournaments`.
    """
    return _progress(store)


def damaged_tournaments(store: Store) -> list[str]:
    """Return the ids of the tournaments whose row is not as it was stored, oldest first."""
    rows = store.rows("SELECT * FROM tournaments ORDER BY created, rowid")
    return [row["id"] for row in rows if _is_damaged(row)]


def get_tournament(store: Store, text: str) -> Progress:
    """Return the tournament that ``text`` means.

    It is an id, the name of one tournament alone, or what the id of one alone begins with.

    Raises:
        UsageError: there is none (with the closest), or there are several (with their ids).
        RecordError: its row is not as it was stored.
    """
    _check_rows(store, text)
    there = list_tournaments(store)
    for fits in (
        [one for one in there if one.tournament.id == text],
        [one for one in there if one.tournament.name == text],
        [one for one in there if text and one.tournament.id.startswith(text)],
    ):
        if len(fits) == 1:
            return fits[0]
        if fits:
            ids = ", ".join(one.tournament.id for one in fits[-_SOME:])
            older = "…, " * (len(fits) > _SOME)
            raise UsageError(
                f"'{printable(text, _ECHO)}' means several tournaments: {older}{ids}; "
                "give the whole id"
            )
    if text:
        _check_rows(store, text, begins=True)
    if not there:
        raise UsageError("no tournament was played yet: `arena tournament` plays one")
    raise UsageError(f"no tournament is called '{printable(text, _ECHO)}'{_hint(text, there)}")


def _check_rows(store: Store, text: str, *, begins: bool = False) -> None:
    """Raise `RecordError` if the row of a tournament that ``text`` means cannot be read.

    It is its id or name, or with ``begins`` what its id begins with.
    """
    rows = store.rows(
        "SELECT * FROM tournaments WHERE :text IN (id, name)"
        " OR (:begins AND substr(id, 1, length(:text)) = :text)",
        {"text": text, "begins": begins},
    )
    for row in rows:
        _tournament(row)


def list_entries(store: Store, tournament: str) -> list[Entry]:
    """Return the bots of ``tournament`` (an id), in the order in which they were entered."""
    rows = store.rows(
        "SELECT bot, digest FROM entries WHERE tournament = ? ORDER BY position", (tournament,)
    )
    return [Entry(row["bot"], row["digest"]) for row in rows]


def finish(store: Store, tournament: str, *, early: bool = False) -> Tournament:
    """Mark ``tournament`` (an id) as played to the end, so that its secret may be shown.

    With ``early`` it has come to its end before its schedule did, and what is open stays unplayed.
    A second time changes nothing.

    Raises:
        UsageError: matches are still open: the secret would spoil them.
    """
    # Records never change and none is added after the last, so this can be done beforehand.
    chained = head(tournament, records(store, [tournament]))
    with store.atomic() as db:
        (left,) = db.execute(
            "SELECT count(*) FROM open_fixtures WHERE tournament = ?", (tournament,)
        ).fetchone()
        if left and not early:
            raise UsageError(f"tournament {tournament} has {left} matches still to play")
        db.execute(
            "UPDATE tournaments SET finished = ?, head = ? WHERE id = ? AND finished IS NULL",
            (utc_now(), chained, tournament),
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
        " public_value, unrated, finished, head) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
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
            tournament.head,
        ),
    )


def _progress(store: Store) -> list[Progress]:
    rows = store.rows(
        "SELECT *, (SELECT count(*) FROM fixtures f WHERE f.tournament = t.id) AS scheduled,"
        " (SELECT count(*) FROM matches m WHERE m.tournament = t.id) AS played,"
        " (SELECT count(*) FROM excused e WHERE e.tournament = t.id) AS excused,"
        " (SELECT count(*) FROM excused e JOIN matches m USING (tournament, match)"
        " WHERE e.tournament = t.id) AS uncounted,"
        " (SELECT count(*) FROM drops d WHERE d.tournament = t.id) AS dropped,"
        " (SELECT json_group_array(r.bot) FROM retired r WHERE r.tournament = t.id) AS retired"
        " FROM tournaments t ORDER BY created, rowid"
    )
    return [
        Progress(
            tournament=_tournament(row),
            stage=_stage(store, row),
            played=row["played"],
            total=row["scheduled"] - row["excused"] + row["uncounted"],
            dropped=row["dropped"],
            retirements=tuple(sorted(json.loads(row["retired"]))),
            uncounted=row["uncounted"],
        )
        for row in rows
        if not _is_damaged(row)
    ]


def _is_damaged(row: sqlite3.Row) -> bool:
    try:
        _tournament(row)
    except RecordError:
        return True
    return False


def _stage(store: Store, row: sqlite3.Row) -> Stage:
    if row["finished"]:
        return Stage.FINISHED
    if is_held(store, row["id"]):
        return Stage.RUNNING
    return Stage.STOPPED if row["played"] else Stage.PLANNED


def _tournament(row: sqlite3.Row) -> Tournament:
    try:
        parameters = msgspec.json.decode(row["parameters"], type=dict[str, Any])
        unrated = msgspec.json.decode(row["unrated"], type=tuple[str, ...])
        msgspec.convert(parameters.get("comparison"), dict[str, Any] | None)
        msgspec.convert(parameters.get("keep_alive", 1), Annotated[int, Meta(ge=1)])
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        raise RecordError(
            f"{printable(row['id'], _ECHO)}: parameters and unrated are not as they were stored"
        ) from None
    return Tournament(
        id=row["id"],
        name=row["name"],
        created=row["created"],
        parameters=parameters,
        suite=row["suite"],
        key=row["key"],
        commitment=row["commitment"],
        secret=row["secret"],
        public_value=row["public_value"],
        unrated=unrated,
        finished=row["finished"],
        head=row["head"],
    )


def _hint(text: str, there: Sequence[Progress]) -> str:
    """Return the id or the name that comes closest, or else ids alone: many may have one name."""
    ids = {one.tournament.id for one in there}
    near = closest(text[:_ECHO], ids | {one.tournament.name for one in there})
    return near if "did you mean" in near else closest(text[:_ECHO], ids)
