import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from arena.cli.pools import category_names
from arena.games import games
from arena.store.db import Store, open_store
from tests.command_line import CommandLine
from tests.league import duel, held


@pytest.fixture
def store(arena: CommandLine) -> Iterator[Store]:
    """The home's store, with three tournaments of one deal, a month apart."""
    with open_store(arena.home) as store:
        for month, name in enumerate(("one", "two", "three"), start=1):
            held(store, name, duel("a", "b"), created=f"2026-0{month}-01T12:00:00Z")
        yield store


def matches(arena: CommandLine, *words: str) -> int:
    """Return how many matches the one table has that ``words`` ask for."""
    answer = arena("leaderboard", *words, "--format", "json")
    assert answer.status == 0, answer.err
    (board,) = json.loads(answer.out)
    return int(board["matches"])


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize(
    ("words", "played"),
    [
        ("", 2),
        ("-t one", 2),
        ("-t one -t three", 4),
        ("-t one -t one", 2),
        ("-t all", 6),
        ("-t all -t one", 6),
        ("--since 2026-02-01", 4),
        ("--since 2026-02-01T12:00", 4),
        ("--since 2026-02-01T12:00:01", 2),
        ("--since 2026-02-01T13:30+01:00", 2),
        ("--since 2026-02-01T13:00+01:00", 4),
        ("--since 0001-01-01 -t all", 6),
    ],
)
def test_tournaments_are_pooled_as_asked(words: str, played: int, arena: CommandLine) -> None:
    assert matches(arena, *words.split()) == played


@pytest.mark.usefixtures("store")
def test_a_pool_is_said_to_be_one(arena: CommandLine) -> None:
    assert arena("leaderboard", "-t", "all").line == "3 tournaments: 6 of 6 matches played"
    assert arena("leaderboard").line == "three: 2 of 2 matches played"


BLOCKS = {
    "one": [],
    "one two": ["processes kept for up to 5 deals"],
    "two three": ["processes kept for up to 9 deals"],
    "one other": [],
}


@pytest.mark.parametrize(("names", "said"), BLOCKS.items())
def test_a_table_says_for_how_many_deals_processes_were_kept(
    names: str, said: list[str], arena: CommandLine
) -> None:
    table = {"game": "donburiko", "variant": "standard", "mode": "table", "players": 2, "deals": 1}
    with open_store(arena.home) as store:
        held(store, "one", duel("a", "b"), categories=[table])
        held(store, "two", duel("a", "b"), categories=[table], keep_alive=5)
        held(store, "three", duel("a", "b"), categories=[table], keep_alive=9)
        other = [{**table, "players": 3}]
        held(store, "other", duel("a", "b"), categories=other, keep_alive=5)

    out = arena("leaderboard", *(f"-t{name}" for name in names.split())).out

    assert re.findall(r"processes kept [\w ]+", out) == said
    assert "tier none, processes" in out if said else "tier none, unrated" in out


MISTAKES = [
    ("--since yesterday", "--since takes a date or a time, UTC, as in 2026-11-30 or"),
    ("--since 2026-13-01", "not '2026-13-01'"),
    ("--since 9999-12-31T23:59-05:00", "--since takes a date"),
    (
        "--since 2027-01-01",
        "no tournament was begun since 2027-01-01T00:00:00Z; the newest is three",
    ),
    ("--since 2026-01-01 -t one", "leave out --tournament, or say all"),
    ("-t four", "no tournament is called 'four'"),
    ("-c donburiko-5p", "no category is called 'donburiko-5p'; did you mean 'donburiko-"),
    ("-c couperation-2p", "did you mean 'couperation-"),
    ("-c \x1b[2J", "no category is called '\\x1b[2J'"),
]


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize(("words", "why"), MISTAKES)
def test_a_mistake_is_one_line(words: str, why: str, arena: CommandLine) -> None:
    assert why in arena.refuses("leaderboard", *words.split())


def test_all_tournaments_are_those_that_were_played_as_such(
    store: Store, arena: CommandLine
) -> None:
    held(store, "single", duel("a", "b")[:1], single=["a", "b"])
    held(store, "against", duel("a", "b"), comparison={"bots": ["a", "b"]})

    assert matches(arena, "-t", "all") == 6
    assert matches(arena, "-t", "all", "-t", "single") == 7
    assert matches(arena, "-t", "against") == 2


def test_there_may_be_single_matches_alone(arena: CommandLine) -> None:
    with open_store(arena.home) as store:
        held(store, "single", duel("a", "b")[:1], single=["a", "b"])

    assert "no tournament was played yet" in arena.refuses("leaderboard", "-t", "all")
    assert "no tournament was played yet" in arena.refuses("leaderboard", "--since", "2026-01-01")
    assert matches(arena, "-t", "single") == 1


def test_a_tournament_of_one_match_is_one_all_the_same(store: Store, arena: CommandLine) -> None:
    held(store, "small", duel("a", "b")[:1], created="2026-04-01T12:00:00Z")

    assert matches(arena) == 1


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize(
    ("column", "text"), [("parameters", "[]"), ("parameters", "7"), ("unrated", "{")]
)
def test_a_damaged_tournament_is_named_and_stops_no_other(
    column: str, text: str, arena: CommandLine
) -> None:
    with closing(sqlite3.connect(arena.home / "arena.db")) as db, db:
        db.execute(
            "UPDATE tournaments SET parameters = iif(:column = 'parameters', :text, parameters),"
            " unrated = iif(:column = 'unrated', :text, unrated) WHERE id = 'two'",
            {"column": column, "text": text},
        )

    assert matches(arena, "-t", "one") == 2
    assert "two is left out: its row" in arena("leaderboard", "-t", "all").err
    listed = arena("tournaments")
    assert (listed.status, "two is left out: its row" in listed.err) == (0, True)
    asked = arena("leaderboard", "-t", "two")
    assert (asked.status, asked.line) == (
        1,
        "arena: two: parameters and unrated are not as they were stored",
    )


def test_matches_by_different_rules_are_not_rated_together(
    store: Store, arena: CommandLine
) -> None:
    newer = {"donburiko": 2, "couperation": 1}
    held(store, "newer", duel("a", "b"), rules_versions=newer, created="2026-04-01T00:00:00Z")

    assert arena.refuses("leaderboard", "-t", "all") == (
        "arena: donburiko had rules 1 in one and rules 2 in newer: they cannot be pooled"
    )
    assert arena("leaderboard", "couperation", "-t", "all").status == 0
    assert matches(arena, "-t", "newer") == 2


def test_other_conditions_are_pooled_and_said_to_differ(store: Store, arena: CommandLine) -> None:
    held(
        *(store, "faster", duel("a", "b")),
        limits={"move_ms": 50, "extra_ms": 9},
        tier="bwrap",
        created="2026-04-01T00:00:00Z",
    )
    held(store, "odd", duel("a", "b"), limits=None, rules_versions=7)

    remarks = arena("leaderboard", "-t", "one", "-t", "faster").err.splitlines()

    assert remarks[0] == (
        "pooled although conditions differ: tier none and bwrap, move_ms 1000 and 50"
    )
    assert arena("leaderboard", "-t", "one", "-t", "odd").status == 0


def test_a_pool_that_goes_on_is_rated_so_far(store: Store, arena: CommandLine) -> None:
    held(store, "going", duel("a", "b"), open_ones=duel("a", "b", 1))

    answer = arena("leaderboard", "-t", "going", "-t", "one")

    assert answer.line == "2 tournaments: 4 of 6 matches played so far"


def test_the_categories_are_those_of_all_games() -> None:
    names = category_names()

    assert len(set(names)) == len(names)
    assert {"donburiko-4p", "couperation-mixed-2p", "couperation-finish-self-3p"} <= set(names)
    assert {name.split("-")[0] for name in names} == set(games())


def test_a_category_that_nobody_played_is_said_to_be_so(store: Store, arena: CommandLine) -> None:
    answer = arena("leaderboard", "-c", "donburiko-4p", "-c", "couperation-self-2p")

    assert (answer.status, answer.out) == (0, "")
    assert answer.err.splitlines()[-1] == (
        "no match of couperation-self-2p, donburiko-4p was played yet"
    )
