"""Deals that were dropped because the host spoilt a match of them again and again.

The deal goes for all seatings of its table, in co-operative games for all teams, since they are
compared on it. The same seatings play the next deal instead, at the end of the schedule: the one
after those that everybody has, then the one after that.
"""

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from arena.errors import RecordError
from arena.referee.category import Mode
from arena.referee.fixture import Fixture
from arena.store.db import Store, utc_now
from arena.store.fixtures import fixture_of, fixture_row

Key = tuple[str, int, tuple[str, ...] | None]
"""(name of a category, deal, table or ``None`` for everybody): what can be dropped."""

FEW = 3
"""So many deals of a category can be dropped, at whatever tables, however few it has."""

DEALS_A_DROP = 10
"""Of so many deals, one can be dropped."""


@dataclass(frozen=True, slots=True)
class Drop:
    """A deal that was dropped, and what is played instead."""

    category: str
    """Its name."""

    deal: int
    table: tuple[str, ...] | None
    """Names of the bots whose deal it was, ascending; ``None``: it was everybody's."""

    instead: int
    """Number of the deal that the same seatings play."""

    reason: str
    """What spoilt the match."""

    @property
    def key(self) -> Key:
        """What was dropped."""
        return self.category, self.deal, self.table

    def replaced(self, fixture: Fixture) -> Fixture:
        """Return what is played instead of ``fixture``."""
        return Fixture(fixture.category, self.instead, fixture.bots)


def most_drops(deals: int) -> int:
    """Return how many deals can be dropped in a category that was to have ``deals`` of them."""
    return max(FEW, deals // DEALS_A_DROP)


def with_replacements(fixtures: Iterable[Fixture], drops: Sequence[Drop]) -> Iterator[Fixture]:
    """Yield a schedule, and behind it what is played instead of what was dropped of it.

    Args:
        fixtures: the schedule.
        drops: in the order in which they were made.

    Raises:
        RecordError: one of ``drops`` is none that could have been made.
    """
    deals: dict[str, int] = defaultdict(int)
    gone: dict[Key, list[Fixture]] = {drop.key: [] for drop in drops}
    for fixture in fixtures:
        yield fixture
        deals[fixture.category.name] = max(deals[fixture.category.name], fixture.deal + 1)
        gone.get(key_of(fixture), []).append(fixture)
    made: Counter[tuple[str, tuple[str, ...] | None]] = Counter()
    dropped: dict[str, set[int]] = defaultdict(set)
    for number, drop in enumerate(drops):
        of, whose = deals[drop.category], (drop.category, drop.table)
        dropped[drop.category].add(drop.deal)
        # Each once: what is gone is gone.
        replaced = list(map(drop.replaced, gone.pop(drop.key, ())))
        if (
            not replaced
            or drop.instead != of + made[whose]
            or len(dropped[drop.category]) > most_drops(of)
        ):
            raise RecordError(f"drop {number}: nothing like it could have been made")
        made[whose] += 1
        for fixture in replaced:
            yield fixture
            gone.get(key_of(fixture), []).append(fixture)


def add_drop(db: sqlite3.Connection, tournament: str, fixture: Fixture, reason: str) -> Drop | None:
    """Drop the deal of ``fixture`` and put what is played instead on the schedule.

    It is done within the caller's transaction.

    Returns:
        The drop; ``None`` if its category has too many by now, and nothing was changed.
    """
    drops = drops_of(db, tournament)
    category, _, table = key_of(fixture)
    (deals,) = db.execute(
        "SELECT coalesce((SELECT min(instead) FROM drops WHERE tournament = :id"
        " AND category = :name), (SELECT max(deal) + 1 FROM fixtures WHERE tournament = :id"
        " AND category = :name))",
        {"id": tournament, "name": category},
    ).fetchone()
    drop = Drop(category, fixture.deal, table, _instead(drops, category, table, deals), reason)
    if _too_many([*drops, drop], category, deals):
        return None
    insert_drop(db, tournament, drop)
    (last,) = db.execute(
        "SELECT max(position) FROM fixtures WHERE tournament = ?", (tournament,)
    ).fetchone()
    db.executemany(
        "INSERT INTO fixtures VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (tournament, position, *fixture_row(drop.replaced(gone)))
            for position, gone in enumerate(covered(db, tournament, drop), start=last + 1)
        ),
    )
    return drop


def insert_drop(db: sqlite3.Connection, tournament: str, drop: Drop) -> None:
    """Store ``drop`` within the caller's transaction; the schedule stays as it is."""
    db.execute(
        "INSERT INTO drops (tournament, number, category, deal, bots, instead, at, reason)"
        " SELECT ?, count(*), ?, ?, ?, ?, ?, ? FROM drops WHERE tournament = ?",
        (
            *(tournament, drop.category, drop.deal),
            None if drop.table is None else json.dumps(drop.table),
            *(drop.instead, utc_now(), drop.reason, tournament),
        ),
    )


def list_drops(store: Store, tournament: str) -> list[Drop]:
    """Return the drops of ``tournament`` (an id), in the order in which they were made.

    Raises:
        RecordError: one of them is not as it was stored.
    """
    rows = store.rows("SELECT * FROM drops WHERE tournament = ? ORDER BY number", (tournament,))
    return list(map(_drop, rows))


def count_drops(store: Store, tournaments: Sequence[str], category: str) -> int:
    """Return how many deals of ``category`` (a name) were dropped in ``tournaments`` (ids)."""
    found = (list_drops(store, tournament) for tournament in tournaments)
    return sum(drop.category == category for drops in found for drop in drops)


def drops_of(db: sqlite3.Connection, tournament: str) -> list[Drop]:
    """Return the same within the caller's transaction."""
    rows = db.execute("SELECT * FROM drops WHERE tournament = ? ORDER BY number", (tournament,))
    return list(map(_drop, rows))


def covered(db: sqlite3.Connection, tournament: str, drop: Drop) -> list[Fixture]:
    """Return what ``drop`` takes away of the schedule, in its order."""
    rows = db.execute(
        "SELECT * FROM fixtures WHERE tournament = ? AND category = ? AND deal = ?"
        " ORDER BY position",
        (tournament, drop.category, drop.deal),
    ).fetchall()
    return [fixture for fixture in map(fixture_of, rows) if key_of(fixture) == drop.key]


def key_of(fixture: Fixture) -> Key:
    """Return what would be dropped with ``fixture``."""
    # In the other modes all are compared on the deal.
    table = tuple(sorted(set(fixture.bots))) if fixture.category.mode is Mode.TABLE else None
    return fixture.category.name, fixture.deal, table


def _instead(
    drops: Iterable[Drop], category: str, table: tuple[str, ...] | None, deals: int
) -> int:
    """Return the deal that ``table`` plays next, after ``drops``: each has its own further ones."""
    return deals + sum((drop.category, drop.table) == (category, table) for drop in drops)


def _too_many(drops: Iterable[Drop], category: str, deals: int) -> bool:
    return len({drop.deal for drop in drops if drop.category == category}) > most_drops(deals)


def _drop(row: sqlite3.Row) -> Drop:
    try:
        table = None if row["bots"] is None else tuple(map(str, json.loads(row["bots"])))
    except (ValueError, TypeError):
        raise RecordError(f"drop {row['number']}: its bots are not as they were stored") from None
    return Drop(row["category"], row["deal"], table, row["instead"], row["reason"])
