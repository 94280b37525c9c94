"""A tournament as it lies in the file, for whoever checks it, and one that comes from elsewhere.

Nothing here is taken for granted: the file may have been altered by anybody.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from arena.errors import RecordError, UsageError
from arena.players.bundle import Bundle
from arena.referee.category import Category, Mode
from arena.referee.fixture import Fixture
from arena.store.db import Store
from arena.store.drops import Drop, insert_drop
from arena.store.matches import insert_match
from arena.store.rulings import Rulings
from arena.store.snapshots import keep_snapshot, name_snapshot
from arena.store.tournaments import Entry, Tournament, insert_tournament

_PAGE = 500


@dataclass(frozen=True, slots=True)
class KeptMatch:
    """A row of the table of matches."""

    match: str
    record: bytes
    """As it lies there; perhaps not even text."""

    columns: Mapping[str, str | int | float]
    """What stands beside the record, by name: it repeats what the record says."""


def kept_schedule(store: Store, tournament: str) -> Iterator[str]:
    """Yield the ids of the matches that ``tournament`` (an id) is to have, in order.

    Raises:
        RecordError: a fixture is not what its id says.
    """
    last = -1
    while rows := store.rows(
        "SELECT * FROM fixtures WHERE tournament = ? AND position > ? ORDER BY position LIMIT ?",
        (tournament, last, _PAGE),
    ):
        for row in rows:
            try:
                category = Category(row["game"], row["variant"], Mode(row["mode"]), row["players"])
                bots = tuple(json.loads(row["bots"]))
                made = Fixture(category, row["deal"], bots).match
                fits = (made, category.name) == (row["match"], row["category"])
            except (ValueError, TypeError, UsageError):
                made, fits = "", False
            if not fits:
                raise RecordError(f"schedule: fixture {row['position']} is not what it is called")
            yield made
        last = rows[-1]["position"]


def kept_matches(store: Store, tournament: str) -> Iterator[KeptMatch]:
    """Yield the matches of ``tournament`` (an id) in the schedule's order.

    Raises:
        RecordError: there is one that is not on the schedule.
    """
    stray = store.row(
        "SELECT match FROM matches m WHERE tournament = ? AND NOT EXISTS (SELECT 1 FROM fixtures f"
        " WHERE f.tournament = m.tournament AND f.match = m.match)",
        (tournament,),
    )
    if stray:
        raise RecordError(f"{stray['match']}: it has a record, and is not on the schedule")
    last = -1
    while rows := store.rows(
        "SELECT f.position, m.match, m.category, m.deal, m.faults, m.attempt, m.ms,"
        " CAST(m.record AS BLOB) AS record FROM fixtures f JOIN matches m"
        " USING (tournament, match) WHERE f.tournament = ? AND f.position > ?"
        " ORDER BY f.position LIMIT ?",
        (tournament, last, _PAGE),
    ):
        for row in rows:
            names = ("category", "deal", "faults", "attempt", "ms")
            yield KeptMatch(row["match"], row["record"], {name: row[name] for name in names})
        last = rows[-1]["position"]


def import_tournament(  # noqa: PLR0917 - the parts of a tournament
    store: Store,
    tournament: Tournament,
    entries: Sequence[Entry],
    bundles: Iterable[Bundle],
    fixtures: Iterable[Fixture],
    records: Iterable[bytes],
    drops: Iterable[Drop] = (),
) -> None:
    """Store a tournament that was played elsewhere, with all of its records or not at all.

    Args:
        store: an open home.
        tournament: as it was stored there.
        entries: its bots.
        bundles: their snapshots, as far as they came along.
        fixtures: the whole schedule, in order, with what was played instead of dropped deals.
        records: of the matches that were played, in any order.
        drops: in the order in which they were made.

    Raises:
        UsageError: there is a tournament with its id already.
        RecordError: a record is none, or not on the schedule.
    """
    with store.atomic() as db:
        if db.execute("SELECT 1 FROM tournaments WHERE id = ?", (tournament.id,)).fetchone():
            raise UsageError(
                f"there is a tournament {tournament.id} already: choose another --home"
            )
        for bundle in bundles:
            keep_snapshot(db, bundle)
        for entry in entries:
            name_snapshot(db, entry.digest)
        insert_tournament(db, tournament, entries, fixtures)
        for record in records:
            insert_match(db, tournament.id, record)
        for drop in drops:
            insert_drop(db, tournament.id, drop)
        if tournament.ruled:
            Rulings(tournament.id).settle(db)
