from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import permutations
from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena.errors import RecordError, UsageError
from arena.ratings.leaderboard import Leaderboard
from arena.referee.category import Category, Mode
from arena.store.cache import CachedRatings, load_ratings, save_ratings
from arena.store.db import Store, open_store
from arena.store.matches import add_matches
from arena.tournament.leaderboards import PAIRS, TABLES, _Pool, leaderboards, pair_matrices
from tests.kept import DUELS, planned, record_of
from tests.kept import TABLES as THREES
from tests.league import Outcome, duel, held, record, team


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "home") as opened:
        planned(opened, fixtures=[*DUELS, *THREES])
        add_matches(opened, "spring", [record_of("spring", DUELS[0])])
        yield opened


def cached(store: Store, category: str = "donburiko-2p") -> CachedRatings:
    found = load_ratings(store, ["spring"], category)
    assert found is not None
    return found


def forget(store: Store, *names: str) -> None:
    """Remove from the cache what is kept under ``names``."""
    with store.atomic() as db:
        db.executemany("DELETE FROM ratings WHERE category = ?", [(name,) for name in names])


def change(store: Store, **fields: Any) -> None:
    """Keep other ratings than those that were computed, and no table."""
    kept = cached(store)
    payload = msgspec.json.decode(kept.payload)
    payload.update(fields)
    changed = CachedRatings(kept.units, msgspec.json.encode(payload))
    save_ratings(store, ["spring"], "donburiko-2p", changed)
    forget(store, TABLES)


def printed(boards: Sequence[Leaderboard]) -> list[list[str]]:
    """Return what is printed of the ratings."""
    return [
        [f"{row.bot} {row.rating.mu:.2f} {row.half_width:.2f} {row.places}" for row in board.rows]
        for board in boards
    ]


@contextmanager
def queries(store: Store) -> Iterator[list[str]]:
    """Note what the database is asked for the length of the context."""
    heard: list[str] = []
    store._db.set_trace_callback(heard.append)
    yield heard
    store._db.set_trace_callback(None)


OTHERS = {"a": {"mu": 1.0, "sigma": 1.0}, "b": {"mu": 2.0, "sigma": 1.0}}


def test_there_is_a_leaderboard_of_every_category_played(store: Store) -> None:
    add_matches(store, "spring", [record_of("spring", THREES[0])])

    boards = leaderboards(store, ["spring"])

    assert [board.category.name for board in boards] == ["donburiko-2p", "donburiko-3p"]
    assert [row.bot for row in boards[0].rows] == ["a", "b"]  # b was at fault


def test_before_the_first_match_there_is_none(store: Store) -> None:
    planned(store, "empty")

    assert leaderboards(store, ["empty"]) == []
    assert pair_matrices(store, ["empty"]) == []


def test_games_can_be_chosen(store: Store) -> None:
    assert leaderboards(store, ["spring"], {"couperation"}) == []
    assert len(leaderboards(store, ["spring"], {"donburiko", "couperation"})) == 1


# What is kept


def test_what_is_kept_makes_no_difference(store: Store) -> None:
    first = leaderboards(store, ["spring"])

    assert leaderboards(store, ["spring"]) == first
    assert pair_matrices(store, ["spring"]) == pair_matrices(store, ["spring"])


def test_no_record_is_read_while_no_match_is_added(store: Store) -> None:
    with queries(store) as first:
        leaderboards(store, ["spring"])
        pair_matrices(store, ["spring"])
    with queries(store) as again:
        leaderboards(store, ["spring"])
        pair_matrices(store, ["spring"])

    assert any("m.record" in query for query in first)
    assert not any("record" in query or "INSERT" in query for query in again)


def test_another_match_makes_it_all_stale(store: Store) -> None:
    (before,) = leaderboards(store, ["spring"])
    assert len(pair_matrices(store, ["spring"])[0].cells) == 2
    add_matches(store, "spring", [record_of("spring", THREES[0])])
    add_matches(store, "spring", [record_of("spring", DUELS[1])])

    after, _ = leaderboards(store, ["spring"])

    assert (before.matches, after.matches) == (1, 2)
    assert after.batch.digest == cached(store).units != before.batch.digest
    assert [len(found.cells) for found in pair_matrices(store, ["spring"])] == [2, 6]


def test_ratings_that_were_kept_are_used(store: Store) -> None:
    leaderboards(store, ["spring"])
    change(store, ratings=OTHERS)

    (board,) = leaderboards(store, ["spring"])

    assert {row.bot: row.rating.mu for row in board.rows} == {"a": 1.0, "b": 2.0}


@pytest.mark.parametrize(
    "fields",
    [
        {"method": 0},
        {"ratings": {"a": {"mu": 1.0, "sigma": 1.0}}},
        {"ratings": {"a": "strong"}},
        {"sweeps": None},
        {"messages": {"marks": "", "values": "AAAA"}, "method": 0},
        {"messages": "none"},
    ],
)
def test_what_another_version_kept_is_computed_anew(store: Store, fields: dict[str, Any]) -> None:
    expected = leaderboards(store, ["spring"])
    change(store, **{"ratings": OTHERS, **fields})

    assert printed(leaderboards(store, ["spring"])) == printed(expected)
    forget(store, TABLES)
    assert printed(leaderboards(store, ["spring"])) == printed(expected)


@pytest.mark.parametrize("payload", [b"", b"{", b"null", b"\x00", b"[]", b"[" * 100_000])
def test_what_is_kept_is_whatever_bytes_there_are(payload: bytes, store: Store) -> None:
    expected = leaderboards(store, ["spring"]), pair_matrices(store, ["spring"])
    for name in (TABLES, PAIRS, "donburiko-2p"):
        # An empty list is a good one of no tables; only that of other matches is none.
        units = "sha256:0" if payload == b"[]" else cached(store, name).units
        save_ratings(store, ["spring"], name, CachedRatings(units, payload))

    assert (leaderboards(store, ["spring"]), pair_matrices(store, ["spring"])) == expected


def test_a_table_that_was_changed_by_hand_is_not_shown(store: Store) -> None:
    expected = leaderboards(store, ["spring"])
    with store.atomic() as db:
        db.execute("UPDATE ratings SET payload = replace(payload, '\"b\"', '\"evil\"')")

    assert leaderboards(store, ["spring"]) == expected


def test_after_some_more_matches_the_fit_starts_from_what_it_had(tmp_path: Path) -> None:
    pairs = list(permutations("abcd", 2))
    outcomes = [one for deal in range(60) for one in duel(*pairs[deal * 7 % 12], deal=deal)]
    with open_store(tmp_path / "warm") as store:
        held(store, "cup", outcomes[:-2], open_ones=outcomes[-2:])
        leaderboards(store, ["cup"])
        add_matches(store, "cup", [record("cup", outcome) for outcome in outcomes[-2:]])
        warm = leaderboards(store, ["cup"])
    with open_store(tmp_path / "fresh") as store:
        held(store, "cup", outcomes)
        fresh = leaderboards(store, ["cup"])

    assert printed(warm) == printed(fresh)
    assert warm[0].batch.sweeps < fresh[0].batch.sweeps
    assert warm[0].batch.digest == fresh[0].batch.digest


def test_what_cannot_be_kept_is_shown_all_the_same(store: Store) -> None:
    expected = leaderboards(store, ["spring"])
    forget(store, TABLES, "donburiko-2p")
    store._db.execute("PRAGMA query_only = ON")

    assert leaderboards(store, ["spring"]) == expected
    assert load_ratings(store, ["spring"], TABLES) is None


# Records that are not what they should be


def test_a_record_of_another_category_than_was_scheduled_is_refused(store: Store) -> None:
    with store.atomic() as db:
        db.execute("UPDATE fixtures SET category = 'donburiko-3p'")
        db.execute("UPDATE matches SET category = 'donburiko-3p'")

    with pytest.raises(RecordError, match="of donburiko-2p is stored as one of donburiko-3p"):
        leaderboards(store, ["spring"])


def test_a_record_of_a_variant_that_there_is_not_is_refused(store: Store) -> None:
    with store.atomic() as db:
        db.execute("UPDATE matches SET record = replace(record, 'standard', 'x\\u001b[2J')")

    with pytest.raises(RecordError, match="a record of donburiko-2p: donburiko has no variant"):
        leaderboards(store, ["spring"])


def test_a_game_that_is_not_installed_is_named(store: Store) -> None:
    with store.atomic() as db:
        db.execute("""UPDATE matches SET record = replace(record, '"donburiko"', '"tuck"')""")

    with pytest.raises(UsageError, match="no game is called 'tuck'"):
        leaderboards(store, ["spring"])


# Pools


def test_several_tournaments_are_rated_as_a_pool(store: Store) -> None:
    held(store, "summer", duel("a", "b")[:1])

    (pool,) = leaderboards(store, ["summer", "spring"])

    assert pool.matches == 2
    assert load_ratings(store, ["spring", "summer"], "donburiko-2p") is not None
    assert leaderboards(store, ["spring", "summer"]) == [pool]


KEY = bytes(range(32))


@pytest.fixture
def one_key(tmp_path: Path) -> Iterator[Store]:
    """A home with three tournaments on one key, the second of which has another bot."""
    with open_store(tmp_path / "one key") as store:
        played = [one for deal in range(12) for one in duel("a", "b", deal)]
        more = [one for deal in range(12) for one in duel("a", "c", deal)]
        held(store, "z-first", played, key=KEY)
        held(store, "more", [*played, *more], key=KEY, created="2026-02-01T00:00:00Z")
        held(store, "again", played, key=KEY, created="2026-03-01T00:00:00Z")
        yield store


def test_matches_on_one_key_count_once_in_a_pool(one_key: Store) -> None:
    (once,) = leaderboards(one_key, ["z-first"])
    (pool,) = leaderboards(one_key, ["z-first", "again"])

    assert (once.repeats, pool.repeats, pool.matches) == (0, 24, 24)
    assert printed([pool]) == printed([once])
    assert [row.provisional for row in pool.rows] == [row.provisional for row in once.rows]
    assert pair_matrices(one_key, ["z-first", "again"]) == pair_matrices(one_key, ["z-first"])


def test_the_earliest_tournament_is_the_one_that_counts(one_key: Store) -> None:
    found = dict(_Pool(one_key, ["again", "z-first"])._results())

    assert {one.tournament for played in found.values() for one in played.results} == {"z-first"}


def test_other_bots_on_the_deals_of_a_key_add_no_deals(one_key: Store) -> None:
    (pool,) = leaderboards(one_key, ["z-first", "more", "again"])

    assert (pool.deals, pool.matches, pool.repeats) == (12, 48, 48)
    assert {row.bot: row.deals for row in pool.rows} == {"a": 12, "b": 12, "c": 12}
    assert printed([pool]) == printed(leaderboards(one_key, ["more"]))


def test_teams_of_several_tournaments_are_compared_on_the_deals_of_a_key(tmp_path: Path) -> None:
    with open_store(tmp_path / "teams") as store:
        for name, bots in (("one", "ab"), ("two", "bc")):
            held(store, name, [team(bot * 2, 20 - ord(bot) % 9) for bot in bots], key=KEY)
        (board,) = leaderboards(store, ["one", "two"])

    assert (board.groups, board.deals, board.matches, board.repeats) == (1, 1, 3, 1)
    assert [row.points for row in board.rows] == [1, 0.5, 0]


@pytest.fixture
def versions(tmp_path: Path) -> Iterator[Store]:
    """A home with two tournaments, between which the bot ``a`` was changed for the better."""
    with open_store(tmp_path / "versions") as store:
        before = [
            one for deal in range(9) for one in (*duel("b", "a", deal), *duel("c", "b", deal))
        ]
        after = [one for deal in range(9) for one in (*duel("a", "b", deal), *duel("a", "c", deal))]
        held(store, "first", before, contents={"a": "weak"})
        held(store, "second", after, contents={"a": "strong"}, created="2026-02-01T00:00:00Z")
        yield store


def rows(boards: Sequence[Leaderboard]) -> list[str]:
    return [f"{row.place} {row.bot}" for board in boards for row in board.rows]


def test_an_older_version_is_a_player_of_its_own_without_a_row(versions: Store) -> None:
    (board,) = leaderboards(versions, ["first", "second"])

    assert rows([board]) == ["1 a", "2 c", "3 b"]
    assert board.hidden == ("a@1",)
    assert set(board.batch.ratings) == {"a", "a@1", "b", "c"}
    assert board.matches == 72


def test_it_has_a_row_on_request_and_changes_no_rating(versions: Store) -> None:
    (part,) = leaderboards(versions, ["first", "second"])
    (whole,) = leaderboards(versions, ["first", "second"], versions=True)

    assert rows([whole]) == ["1 a", "2 c", "3 b", "4 a@1"]
    assert (whole.hidden, whole.batch) == ((), part.batch)
    assert leaderboards(versions, ["second", "first"]) == [part]
    assert leaderboards(versions, ["second", "first"], versions=True) == [whole]


def test_in_its_own_tournament_it_is_what_it_was(versions: Store) -> None:
    assert rows(leaderboards(versions, ["first"])) == ["1 c", "2 b", "3 a"]
    assert leaderboards(versions, ["first"]) == leaderboards(versions, ["first"], versions=True)


def test_the_pairs_of_a_pool_are_of_those_that_have_a_row(versions: Store) -> None:
    (part,) = pair_matrices(versions, ["first", "second"])
    (whole,) = pair_matrices(versions, ["first", "second"], versions=True)

    assert part.bots == ("a", "c", "b")
    assert whole.bots == ("a", "c", "b", "a@1")
    assert whole.cells["a@1", "b"].value == 0
    assert ("a@1", "b") not in part.cells


def test_categories_of_a_matrix_can_be_chosen(tmp_path: Path) -> None:
    mixed = Category("couperation", "standard", Mode.MIXED, 2)
    played = [team("aa", 20), team("bb", 21), team("ab", 9), team("cd", 10), *duel("a", "b")]
    with open_store(tmp_path / "all") as store:
        held(store, "cup", played)
        every = pair_matrices(store, ["cup"])
        (one,) = pair_matrices(store, ["cup"], {mixed})

    assert [found.name for found in every] == [
        "donburiko-2p",
        "couperation-self-2p and couperation-mixed-2p",
    ]
    assert (one.name, one.bots) == ("couperation-mixed-2p", ("c", "d", "a", "b"))


def test_faults_count_where_they_were_made(tmp_path: Path) -> None:
    two = Category("donburiko", "standard", Mode.TABLE, 2)
    with open_store(tmp_path / "faults") as store:
        held(store, "cup", [Outcome(two, 0, ("a", "b"), (30, 20), faults=(0,))])
        (board,) = leaderboards(store, ["cup"])

    assert [(row.bot, row.faults) for row in board.rows] == [("b", 0), ("a", 1)]


def test_a_record_that_is_stored_under_another_tournament_is_named(store: Store) -> None:
    held(store, "one", duel("a", "b"))
    with store.atomic() as db:
        db.execute("UPDATE matches SET record = replace(record, '\"one\"', '\"two\"')")

    with pytest.raises(RecordError, match="its record is of the tournament two, under which"):
        leaderboards(store, ["one"])
