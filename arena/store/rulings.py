"""What of a tournament does not count, and why: its deal was dropped, or a bot of it was retired.

All of it follows from the schedule, the records and the drops. It is kept beside them so that every
query can heed it without reading a record; `Rulings` brings it up to date.
"""

import sqlite3
from collections.abc import Iterable, Sequence
from enum import StrEnum

from arena.ratings.retiring import Retired, Retirement
from arena.referee.fixture import Fixture
from arena.referee.record import decode_record
from arena.store.db import Store
from arena.store.drops import Drop, Key, add_drop, covered, drops_of, key_of
from arena.store.fixtures import fixture_of

_PAGE = 16
"""How many fixtures are looked at at a time: mostly the next few are known."""

_QUERY = (
    "SELECT f.*, m.faults, CASE WHEN m.faults > 0 THEN m.record END AS record FROM fixtures f"
    " LEFT JOIN matches m ON m.tournament = f.tournament AND m.match = f.match"
    " WHERE f.tournament = ? AND f.position > ? ORDER BY f.position LIMIT ?"
)


class Excuse(StrEnum):
    """Why a match does not count, and need not be played."""

    DROPPED = "dropped"
    """Its deal was."""

    RETIRED = "retired"
    """One of its bots was before."""


class Rulings:
    """The rulings on a tournament, as far as its matches are known without a gap.

    A match is known if it has a record, or needs none. What comes behind the first one that is not
    cannot be ruled upon yet: that match could retire a bot.
    """

    def __init__(self, tournament: str) -> None:
        self.tournament = tournament
        """Its id."""

        self.excused = 0
        """So many matches are known to need no record."""

        self._dropped: frozenset[Key] = frozenset()
        self._retirement = Retirement()
        self._position = -1

    def excuses(self, fixture: Fixture) -> bool:
        """Return whether it is certain by now that ``fixture`` need not be played.

        It is asked of matches that have no ruling yet: that its deal was dropped, or that a bot of
        it was retired, holds for all of them.
        """
        return key_of(fixture) in self._dropped or self._retirement.excuses(fixture)

    def drop(self, store: Store, fixture: Fixture, reason: str) -> Drop | None:
        """Drop the deal of ``fixture``, see `arena.store.drops.add_drop`, and rule on it all again.

        What was played of the deal may have retired a bot, which it does no longer.
        """
        with store.atomic() as db:
            drop = add_drop(db, self.tournament, fixture, reason)
            if drop:
                self.settle(db)
        return drop

    def settle(self, db: sqlite3.Connection) -> None:
        """Rule on everything again within the caller's transaction."""
        self.excused, self._position, self._retirement = 0, -1, Retirement()
        drops = drops_of(db, self.tournament)
        self._dropped = frozenset(drop.key for drop in drops)
        db.execute("DELETE FROM excused WHERE tournament = ?", (self.tournament,))
        db.execute("DELETE FROM retired WHERE tournament = ?", (self.tournament,))
        # Dropped deals count for nothing wherever they stand in the schedule.
        for drop in drops:
            for fixture in covered(db, self.tournament, drop):
                self._excuse(db, fixture, Excuse.DROPPED)
        self.advance(db)

    def advance(self, db: sqlite3.Connection) -> list[Retired]:
        """Rule on what has become known, within the caller's transaction; return who is retired.

        Raises:
            RecordError: a fixture or a record is damaged.
        """
        found: list[Retired] = []
        while True:
            page = db.execute(_QUERY, (self.tournament, self._position, _PAGE)).fetchall()
            for row in page:
                fixture = fixture_of(row)
                if key_of(fixture) in self._dropped:
                    pass  # it has its ruling
                elif self._retirement.excuses(fixture):
                    self._excuse(db, fixture, Excuse.RETIRED)
                elif row["faults"] is None:
                    return found
                else:
                    record = row["record"]
                    faults = decode_record(record.encode()).faults if record else ()
                    now = self._retirement.take(fixture, faults)
                    self._retire(db, fixture, now)
                    found += now
                self._position = row["position"]
            if len(page) < _PAGE:
                return found

    def _excuse(self, db: sqlite3.Connection, fixture: Fixture, why: Excuse) -> None:
        db.execute(
            "INSERT INTO excused (tournament, match, why) VALUES (?, ?, ?)",
            (self.tournament, fixture.match, why.value),
        )
        self.excused += 1

    def _retire(self, db: sqlite3.Connection, fixture: Fixture, now: Iterable[Retired]) -> None:
        db.executemany(
            "INSERT INTO retired (tournament, category, bot, match, matches, faults,"
            " could_not_start) VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                (
                    *(self.tournament, one.category, one.bot, fixture.match),
                    *(one.matches, one.faults, int(one.could_not_start)),
                )
                for one in now
            ],
        )


def excused_matches(store: Store, tournament: str) -> set[str]:
    """Return the matches of ``tournament`` (an id) that need no record, and whose do not count."""
    rows = store.rows("SELECT match FROM excused WHERE tournament = ?", (tournament,))
    return {row["match"] for row in rows}


def list_retired(store: Store, tournaments: Sequence[str]) -> dict[str, list[Retired]]:
    """Return who was retired in each of ``tournaments`` (ids), by category and name."""
    return {
        tournament: [
            Retired(
                row["category"],
                row["bot"],
                row["matches"],
                row["faults"],
                could_not_start=bool(row["could_not_start"]),
            )
            for row in store.rows(
                "SELECT * FROM retired WHERE tournament = ? ORDER BY category, bot", (tournament,)
            )
        ]
        for tournament in tournaments
    }
