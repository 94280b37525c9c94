"""Schedules as they are kept: their fixtures in order, and which of them are still to be played."""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from arena.errors import RecordError
from arena.referee.category import Category, Mode
from arena.referee.fixture import Fixture
from arena.store.db import Store

_PAGE = 200


@dataclass(frozen=True, slots=True)
class Extent:
    """How much of a category there is to play."""

    category: Category
    bots: frozenset[str]
    deals: int
    matches: int


def list_fixtures(store: Store, tournament: str) -> list[Fixture]:
    """Return the whole schedule of ``tournament`` (an id), in order."""
    rows = store.rows(
        "SELECT * FROM fixtures WHERE tournament = ? ORDER BY position", (tournament,)
    )
    return [fixture_of(row) for row in rows]


def open_fixtures(store: Store, tournament: str) -> list[Fixture]:
    """Return what is still to be played of ``tournament`` (an id), in the schedule's order."""
    return list(iter_open_fixtures(store, tournament))


def iter_open_fixtures(store: Store, tournament: str) -> Iterator[Fixture]:
    """Yield the same, a page at a time, so that a long schedule need not fit in memory.

    Each fixture is yielded once; one that is played meanwhile, if its page was read before.
    """
    last = -1
    while rows := store.rows(
        "SELECT * FROM open_fixtures WHERE tournament = :tournament AND position > :last"
        " ORDER BY position LIMIT :page",
        {"tournament": tournament, "last": last, "page": _PAGE},
    ):
        yield from map(fixture_of, rows)
        last = rows[-1]["position"]


def open_among(store: Store, tournament: str, fixtures: Sequence[Fixture]) -> list[Fixture]:
    """Return those of ``fixtures`` that are still to be played, in the schedule's order.

    Args:
        store: an open home.
        tournament: an id.
        fixtures: some that may be on its schedule, or not.
    """
    matches = json.dumps([fixture.match for fixture in fixtures])
    rows = store.rows(
        "SELECT * FROM open_fixtures WHERE tournament = ? AND match IN"
        " (SELECT value FROM json_each(?)) ORDER BY position",
        (tournament, matches),
    )
    return [fixture_of(row) for row in rows]


def open_extents(store: Store, tournament: str) -> list[Extent]:
    """Return how much is still to be played of each category of ``tournament`` (an id).

    The categories stand in the order in which the schedule has them.
    """
    bots: defaultdict[str, set[str]] = defaultdict(set)
    for row in store.rows(
        "SELECT DISTINCT category, bots FROM open_fixtures WHERE tournament = ?", (tournament,)
    ):
        bots[row["category"]].update(_bots(row["bots"], row["category"]))
    rows = store.rows(
        "SELECT *, min(position) AS position, count(*) AS matches, count(DISTINCT deal) AS deals"
        " FROM open_fixtures WHERE tournament = ? GROUP BY category ORDER BY min(position)",
        (tournament,),
    )
    return [
        Extent(
            fixture_of(row).category,
            frozenset(bots[row["category"]]),
            row["deals"],
            row["matches"],
        )
        for row in rows
    ]


def bots_of_matches(store: Store, tournament: str, category: str) -> set[str]:
    """Return the bots that have a record in a category (its name) of ``tournament`` (an id).

    Matches on deals that were dropped are passed over.
    """
    rows = store.rows(
        "SELECT DISTINCT f.bots FROM fixtures f JOIN matches m USING (tournament, match)"
        " LEFT JOIN excused e ON e.tournament = m.tournament AND e.match = m.match"
        " WHERE f.tournament = ? AND f.category = ? AND e.why IS NOT 'dropped'",
        (tournament, category),
    )
    return {bot for row in rows for bot in _bots(row["bots"], category)}


def extents(fixtures: Iterable[Fixture]) -> list[Extent]:
    """Return how much of each category ``fixtures`` are, the categories as they come."""
    sections: dict[Category, list[Fixture]] = {}
    for fixture in fixtures:
        sections.setdefault(fixture.category, []).append(fixture)
    return [
        Extent(
            category,
            frozenset(bot for fixture in section for bot in fixture.bots),
            len({fixture.deal for fixture in section}),
            len(section),
        )
        for category, section in sections.items()
    ]


def fixture_row(fixture: Fixture) -> tuple[str | int, ...]:
    """Return the row of ``fixture``, from its match on. For this package alone."""
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


def fixture_of(row: sqlite3.Row) -> Fixture:
    """Return the fixture in a row. For this package alone.

    Raises:
        RecordError: it is not as it was stored.
    """
    where = f"fixture {row['position']}"
    try:
        category = Category(row["game"], row["variant"], Mode(row["mode"]), row["players"])
    except ValueError:
        raise RecordError(f"schedule: {where} is not as it was stored") from None
    return Fixture(category, row["deal"], _bots(row["bots"], where))


def _bots(text: str, where: str) -> tuple[str, ...]:
    try:
        return tuple(map(str, json.loads(text)))
    except (ValueError, TypeError):
        raise RecordError(f"schedule: the bots of {where} are not as they were stored") from None
