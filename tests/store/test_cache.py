import pytest

from arena.store.cache import CachedRatings, extent, load_ratings, save_ratings
from arena.store.db import Store
from arena.store.matches import add_matches
from tests.kept import DUELS, planned, record_of


def test_ratings_are_kept_for_a_pool_whatever_its_order_and_replaced(store: Store) -> None:
    save_ratings(store, ["b", "a"], "donburiko-2p", CachedRatings("d1", b'{"x":1}'))
    save_ratings(store, ["a", "b"], "donburiko-2p", CachedRatings("d2", b'{"x":2}'))

    assert load_ratings(store, ["b", "a"], "donburiko-2p") == CachedRatings("d2", b'{"x":2}')
    assert load_ratings(store, ["a"], "donburiko-2p") is None
    assert load_ratings(store, ["a", "b"], "donburiko-3p") is None


DAMAGE = [
    "UPDATE ratings SET payload = '{\"x\":2}'",
    "UPDATE ratings SET units = 'd2'",
    "UPDATE ratings SET units = 'd2 payload '",
]


@pytest.mark.parametrize("statement", DAMAGE)
def test_what_is_no_longer_as_it_was_saved_counts_for_nothing(statement: str, store: Store) -> None:
    save_ratings(store, ["a"], "donburiko-2p", CachedRatings("d1", b'{"x":1}'))
    with store.atomic() as db:
        db.execute(statement)

    assert load_ratings(store, ["a"], "donburiko-2p") is None


def test_the_extent_of_a_pool_is_another_whenever_a_match_is_added(store: Store) -> None:
    for name in ("spring", "summer"):
        planned(store, name, name)
    seen = [extent(store, ["spring", "summer"])]
    for name, fixture in (("spring", DUELS[0]), ("summer", DUELS[1]), ("spring", DUELS[2])):
        add_matches(store, name, [record_of(name, fixture)])
        seen.append(extent(store, ["summer", "spring", "summer"]))

    assert [[row[:2] for row in one] for one in (seen[0], seen[-1])] == [
        [("spring", 0), ("summer", 0)],
        [("spring", 2), ("summer", 1)],
    ]
    assert all(one not in seen[:at] for at, one in enumerate(seen))


@pytest.mark.parametrize("removed", [0, 1])
def test_the_extent_is_another_when_a_match_was_played_again(removed: int, store: Store) -> None:
    planned(store)
    add_matches(store, "spring", [record_of("spring", fixture) for fixture in DUELS[:2]])
    before = extent(store, ["spring"])
    with store.atomic() as db:
        db.execute("DELETE FROM matches WHERE match = ?", (DUELS[removed].match,))
    add_matches(store, "spring", [record_of("spring", DUELS[removed], ms=2.5)])

    assert extent(store, ["spring"])[0][1] == before[0][1] == 2
    assert extent(store, ["spring"]) != before


def test_the_extent_is_read_from_an_index_alone(store: Store) -> None:
    plan = store.rows(
        "EXPLAIN QUERY PLAN SELECT count(*), sum(rowid), max(rowid) FROM matches"
        " WHERE tournament = 'x'"
    )

    assert "COVERING INDEX" in plan[0]["detail"]
