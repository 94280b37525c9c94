from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena.store.cache import CachedRatings, load_ratings, save_ratings
from arena.store.db import Store, open_store
from arena.store.matches import add_matches
from arena.tournament.leaderboards import leaderboards
from tests.kept import DUELS, TABLES, planned, record_of


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "home") as opened:
        planned(opened, fixtures=[*DUELS, *TABLES])
        add_matches(opened, "spring", [record_of("spring", DUELS[0])])
        yield opened


def cached(store: Store, category: str = "donburiko-2p") -> CachedRatings:
    found = load_ratings(store, ["spring"], category)
    assert found is not None
    return found


def change(store: Store, **fields: Any) -> None:
    """Keep other ratings than those that were computed."""
    kept = cached(store)
    payload = msgspec.json.decode(kept.payload)
    payload.update(fields)
    changed = CachedRatings(kept.units, msgspec.json.encode(payload))
    save_ratings(store, ["spring"], "donburiko-2p", changed)


OTHERS = {"a": {"mu": 1.0, "sigma": 1.0}, "b": {"mu": 2.0, "sigma": 1.0}}


def test_there_is_a_leaderboard_of_every_category_played(store: Store) -> None:
    add_matches(store, "spring", [record_of("spring", TABLES[0])])

    boards = leaderboards(store, ["spring"])

    assert [board.category.name for board in boards] == ["donburiko-2p", "donburiko-3p"]
    assert [row.bot for row in boards[0].rows] == ["a", "b"]  # b was at fault


def test_before_the_first_match_there_is_none(store: Store) -> None:
    planned(store, "empty")

    assert leaderboards(store, ["empty"]) == []


def test_games_can_be_chosen(store: Store) -> None:
    assert leaderboards(store, ["spring"], {"couperation"}) == []
    assert len(leaderboards(store, ["spring"], {"donburiko", "couperation"})) == 1


def test_ratings_that_were_kept_are_used(store: Store) -> None:
    leaderboards(store, ["spring"])
    change(store, ratings=OTHERS)

    (board,) = leaderboards(store, ["spring"])

    assert {row.bot: row.rating.mu for row in board.rows} == {"a": 1.0, "b": 2.0}


def test_what_is_kept_makes_no_difference(store: Store) -> None:
    first = leaderboards(store, ["spring"])

    assert leaderboards(store, ["spring"]) == first


def test_another_match_makes_them_stale(store: Store) -> None:
    (before,) = leaderboards(store, ["spring"])
    add_matches(store, "spring", [record_of("spring", DUELS[1])])

    (after,) = leaderboards(store, ["spring"])

    assert (before.matches, after.matches) == (1, 2)
    assert after.batch.digest == cached(store).units != before.batch.digest


@pytest.mark.parametrize(
    "fields",
    [
        {"method": 0},
        {"ratings": {"a": {"mu": 1.0, "sigma": 1.0}}},
        {"ratings": {"a": "strong"}},
        {"sweeps": None},
    ],
)
def test_what_another_version_kept_is_computed_anew(store: Store, fields: dict[str, Any]) -> None:
    expected = leaderboards(store, ["spring"])
    kept = cached(store)
    change(store, **{"ratings": OTHERS, **fields})

    assert leaderboards(store, ["spring"]) == expected
    assert cached(store) == kept


def test_what_is_kept_is_whatever_bytes_there_are(store: Store) -> None:
    expected = leaderboards(store, ["spring"])
    for payload in (b"", b"{", b"null", b"\x00"):
        save_ratings(store, ["spring"], "donburiko-2p", CachedRatings("sha256:0", payload))

        assert leaderboards(store, ["spring"]) == expected


def test_several_tournaments_are_rated_as_a_pool(store: Store) -> None:
    planned(store, "summer", "other")
    add_matches(store, "summer", [record_of("summer", DUELS[0])])

    (pool,) = leaderboards(store, ["summer", "spring"])

    assert pool.matches == 2
    assert load_ratings(store, ["spring", "summer"], "donburiko-2p") is not None
    assert leaderboards(store, ["spring", "summer"]) == [pool]
