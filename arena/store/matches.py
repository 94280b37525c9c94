"""Matches that were played: their records, and the attempts that the host spoilt."""

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from arena.errors import RecordError, UsageError
from arena.games import closest
from arena.referee.record import decode_record
from arena.store.db import Store, utc_now
from arena.store.rulings import Rulings
from arena.wire.escape import printable

_PAGE = 200
_ECHO = 80
_SHOWN = 5
_COMPARED = 2_000


@dataclass(frozen=True, slots=True)
class StoredMatch:
    """A match as it is kept."""

    tournament: str
    match: str
    category: str
    deal: int
    finished: str
    """When it was stored, UTC."""

    record: bytes
    """One line of JSON, see `arena.referee.record`."""


def add_matches(
    store: Store, tournament: str, records: Iterable[bytes], rulings: Rulings | None = None
) -> int:
    """Store the ``records`` of matches of ``tournament`` (an id), durably, all or none.

    Each is one line as the referee makes it. A match that is stored already stays as it is, so that
    a repeated delivery changes nothing. With ``rulings``, these are brought up to date.

    Returns:
        How many of them were new.

    Raises:
        RecordError: one of them is no record, of another tournament, or not on the schedule.
    """
    rows = [_row(tournament, record) for record in records]
    with store.atomic() as db:
        new = sum(_insert(db, row) for row in rows)
        if rulings:
            rulings.advance(db)
    return new


def insert_match(db: sqlite3.Connection, tournament: str, record: bytes) -> None:
    """Store one ``record`` within the caller's transaction, as `add_matches` does."""
    _insert(db, _row(tournament, record))


def _insert(db: sqlite3.Connection, row: Mapping[str, str | int | float]) -> int:
    """Insert ``row``, and return how many rows are new: none, or one."""
    # The schedule decides the category; a match that is not on it adds no row.
    new = db.execute(
        "INSERT INTO matches (tournament, match, category, deal, faults, attempt, ms,"
        " finished, record) SELECT tournament, match, category, deal, :faults, :attempt,"
        " :ms, :finished, :record FROM fixtures WHERE tournament = :tournament"
        " AND match = :match AND deal = :deal ON CONFLICT (tournament, match) DO NOTHING",
        row,
    ).rowcount
    stored = db.execute(
        "SELECT 1 FROM matches WHERE tournament = :tournament AND match = :match",
        {"tournament": row["tournament"], "match": row["match"]},
    ).fetchone()
    if stored is None:
        raise RecordError(
            f"{printable(str(row['match']), _ECHO)} is not on the schedule of {row['tournament']}"
        )
    return new


def _row(tournament: str, record: bytes) -> dict[str, str | int | float]:
    parsed = decode_record(record)
    try:
        text = record.decode()  # its raw parts are not checked by the decoder
    except UnicodeDecodeError as error:
        raise RecordError(f"not a match record: {error.reason}") from None
    if parsed.tournament != tournament:
        raise RecordError(
            f"the record of {printable(parsed.match, _ECHO)} is of the tournament "
            f"{printable(parsed.tournament, _ECHO)}, not {tournament}"
        )
    return {
        "tournament": tournament,
        "match": parsed.match,
        "deal": parsed.deal,
        "faults": len(parsed.faults),
        "attempt": parsed.measured.attempt,
        "ms": parsed.measured.ms,
        "finished": utc_now(),
        "record": text,
    }


def records(
    store: Store,
    tournaments: Sequence[str],
    category: str | None = None,
    *,
    counted: bool = False,
) -> Iterator[bytes]:
    """Yield the records of ``tournaments`` (ids), each tournament's in the schedule's order.

    With the name of a ``category``, only those; with ``counted``, nothing that was played of a
    dropped deal, or with a bot that was retired before. They are read a page at a time, so that
    they need not fit in memory and no writer waits for the reader.
    """
    for tournament in tournaments:
        last = -1
        while True:
            rows = store.rows(
                "SELECT f.position, m.record FROM fixtures f JOIN matches m USING"
                " (tournament, match) WHERE f.tournament = :tournament AND f.position > :last"
                " AND (:category IS NULL OR f.category = :category)"
                " AND NOT (:counted AND EXISTS (SELECT 1 FROM excused e"
                " WHERE e.tournament = f.tournament AND e.match = f.match))"
                " ORDER BY f.position LIMIT :page",
                {
                    "tournament": tournament,
                    "last": last,
                    "category": category,
                    "counted": counted,
                    "page": _PAGE,
                },
            )
            for row in rows:
                yield row["record"].encode()
            if len(rows) < _PAGE:
                break
            last = rows[-1]["position"]


def categories(store: Store, tournaments: Sequence[str]) -> Mapping[str, int]:
    """Return how many matches of each category were played in ``tournaments``, by its name."""
    played: Counter[str] = Counter()
    for tournament in tournaments:
        for row in store.rows(
            "SELECT category, count(*) AS played FROM matches WHERE tournament = ?"
            " GROUP BY category",
            (tournament,),
        ):
            played[row["category"]] += row["played"]
    return dict(sorted(played.items()))


def get_match(store: Store, text: str, tournament: str | None = None) -> StoredMatch:
    """Return the match that ``text`` means: a match's id, or the beginning of one single id.

    It is looked for in ``tournament`` (an id), or else in all; where several tournaments have it,
    the one in which it was played last counts.

    Raises:
        UsageError: there is none (with the closest), or several ids begin so (with some of them).
    """
    rows = store.rows(
        "SELECT match FROM matches WHERE match >= :text AND match < :text || char(1114111)"
        " AND (:tournament IS NULL OR tournament = :tournament) GROUP BY match LIMIT :most",
        {"text": text, "tournament": tournament, "most": _SHOWN + 1},
    )
    ids = [row["match"] for row in rows]
    if text in ids:
        ids = [text]
    if not ids:
        raise UsageError(
            f"no match is called '{printable(text, _ECHO)}'{_hint(store, text, tournament)}"
        )
    if len(ids) > 1:
        some = ", ".join(ids[:_SHOWN]) + (", …" if len(ids) > _SHOWN else "")
        raise UsageError(f"several matches begin with '{printable(text, _ECHO)}': {some}")
    (row,) = store.rows(
        "SELECT * FROM matches WHERE match = :match"
        " AND (:tournament IS NULL OR tournament = :tournament) ORDER BY rowid DESC LIMIT 1",
        {"match": ids[0], "tournament": tournament},
    )
    return StoredMatch(
        tournament=row["tournament"],
        match=row["match"],
        category=row["category"],
        deal=row["deal"],
        finished=row["finished"],
        record=row["record"].encode(),
    )


def _hint(store: Store, text: str, tournament: str | None) -> str:
    rows = store.rows(
        "SELECT match FROM matches WHERE :tournament IS NULL OR tournament = :tournament"
        " ORDER BY rowid DESC LIMIT :most",
        {"tournament": tournament, "most": _COMPARED},
    )
    if not rows:
        return ": none was played yet"
    # All of them would be no hint, so at least one is taken for the closest.
    near = closest(text[:_ECHO], {row["match"] for row in rows})
    return near if near.startswith("; did you mean") else f"; the last was {rows[0]['match']!r}"


def add_void(store: Store, tournament: str, match: str, reason: str) -> int:
    """Keep that the host spoilt an attempt at ``match`` and why; return how often it has by now."""
    with store.atomic() as db:
        (before,) = db.execute(
            "SELECT count(*) FROM voids WHERE tournament = ? AND match = ?", (tournament, match)
        ).fetchone()
        db.execute(
            "INSERT INTO voids (tournament, match, attempt, at, reason) VALUES (?, ?, ?, ?, ?)",
            (tournament, match, before + 1, utc_now(), reason),
        )
    return int(before) + 1


def void_attempts(store: Store, tournament: str) -> Mapping[str, int]:
    """Return how often the host spoilt each match of ``tournament`` (an id), by match id."""
    rows = store.rows(
        "SELECT match, count(*) AS spoilt FROM voids WHERE tournament = ? GROUP BY match",
        (tournament,),
    )
    return {row["match"]: row["spoilt"] for row in rows}


def mean_ms(store: Store) -> Mapping[str, float]:
    """Return how long a match took on average, in milliseconds, by name of its category."""
    rows = store.rows("SELECT category, avg(ms) AS ms FROM matches GROUP BY category")
    return {row["category"]: row["ms"] for row in rows}
