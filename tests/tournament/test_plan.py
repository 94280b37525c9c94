import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.errors import UsageError
from arena.games import get_game
from arena.players.tier import Tier
from arena.referee.category import Category, Mode
from arena.referee.fixture import Fixture
from arena.referee.limits import Limits
from arena.store.db import Store, open_store
from arena.store.fixtures import extents, list_fixtures
from arena.store.matches import add_matches
from arena.store.tournaments import get_tournament, list_entries
from arena.tournament.entrants import Candidate
from arena.tournament.key import canonical_json, parameters_digest, tournament_key
from arena.tournament.plan import Plan, expected_s, plan, plan_match, schedule_of
from arena.tournament.suite import Suite
from tests.kept import record_of, snapshot

DUEL = Category("donburiko", "standard", Mode.TABLE, 2)
THREE = Category("donburiko", "standard", Mode.TABLE, 3)
FOUR = Category("donburiko", "standard", Mode.TABLE, 4)
MIXED = Category("couperation", "standard", Mode.MIXED, 2)
ALONE = Category("couperation", "standard", Mode.SELF, 2)
PUBLISHED = Suite("spring", bytes(range(32)), {DUEL: 2})


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "home") as opened:
        yield opened


def candidates(names: str = "abc", **more: Any) -> list[Candidate]:
    return [Candidate(name, snapshot(name), **{"games": None, **more}) for name in names]


def planned(**more: Any) -> Plan:
    """Return a plan over a published key, but for ``more``."""
    asked = {
        "candidates": candidates(),
        "categories": {DUEL: 2},
        "limits": Limits(),
        "tier": Tier.BWRAP,
        "suite": PUBLISHED,
        **more,
    }
    return plan(**asked)


def test_everybody_meets_everybody_and_what_cannot_be_played_is_said() -> None:
    made = planned(categories={DUEL: 2, FOUR: 1, ALONE: 1})

    assert len(made.fixtures) == 3 * 2 * 2 + 3
    assert {fixture.category for fixture in made.fixtures} == {DUEL, ALONE}
    assert made.left_out == ("donburiko-4p: 4 bots needed, 3 entered",)


def test_bots_of_one_author_are_kept_apart_and_it_is_said() -> None:
    bots = [*candidates("a", author="Ada"), *candidates("b", author=" ADA"), *candidates("cd")]

    made = planned(candidates=bots, categories={DUEL: 1, THREE: 1, FOUR: 1})

    assert {frozenset(one.bots) for one in made.fixtures if one.category == THREE} == {
        frozenset("acd"),
        frozenset("bcd"),
    }
    assert made.tournament.parameters["authors"] == {"a": "ada", "b": "ada"}
    assert made.remarks == (
        "kept apart at tables and in teams of three and more: 2 of one author (a b)",
    )
    (left_out,) = made.left_out
    assert left_out.startswith(
        "donburiko-4p: bots by 4 authors needed, and those entered are by 3 (--same-author"
    )


def test_a_limit_of_matches_is_heeded_and_what_it_came_to_is_said() -> None:
    made = planned(categories={DUEL: 9, ALONE: 9}, matches_each=8)

    assert made.tournament.parameters["matches_each"] == 8
    extents = "couperation-self-2p 8 deals, donburiko-2p 2 deals"
    assert made.remarks == (f"at most 8 matches of a bot in a category: {extents}",)


def test_bots_that_the_schedule_keeps_from_meeting_are_remarked_on() -> None:
    made = planned(candidates=candidates("abcd"), matches_each=2)

    assert made.remarks[-1] == (
        "donburiko-2p: its bots fall into 2 groups that never meet: raise --games"
    )


def test_a_deal_that_somebody_sits_out_is_not_enough() -> None:
    made = planned(candidates=candidates("abcde"), categories={MIXED: 1})

    assert made.remarks == (
        "couperation-mixed-2p: its bots fall into 2 groups that never meet: play more deals",
    )


@pytest.mark.parametrize("matches_each", [None, 7])
def test_a_schedule_follows_from_the_parameters_alone(matches_each: int | None) -> None:
    bots = [
        *candidates("ab", author="Ada"),
        *candidates("cde", games=("donburiko",)),
        *candidates("fgh", author="Bob"),
    ]
    categories = {DUEL: 2, THREE: 2, ALONE: 2, MIXED: 2}

    made = planned(candidates=bots, categories=categories, matches_each=matches_each)

    again = schedule_of(json.loads(canonical_json(dict(made.tournament.parameters))))
    assert tuple(again.fixtures()) == made.fixtures
    assert again.left_out == made.left_out


def test_a_schedule_by_other_rules_is_not_made_again() -> None:
    parameters = dict(planned().tournament.parameters)

    with pytest.raises(UsageError, match="by version 1 of its rules, and this arena has version 2"):
        schedule_of(parameters | {"parameters": 1})


def test_bots_play_only_what_they_say_they_play() -> None:
    made = planned(
        candidates=[*candidates("ab"), *candidates("c", games=("donburiko",))],
        categories={ALONE: 1},
    )

    assert {bot for fixture in made.fixtures for bot in fixture.bots} == {"a", "b"}


@pytest.mark.parametrize(
    ("more", "line"),
    [
        (
            {"candidates": candidates("a")},
            "there is no match to play: donburiko-2p: 2 bots needed, 1 entered",
        ),
        (
            {"candidates": [], "categories": {DUEL: 1, ALONE: 1}},
            "there is no match to play: couperation-self-2p: 1 bot needed, 0 entered; donburiko-2p",
        ),
        ({"categories": {}}, "there is no match to play: no category is left"),
        ({"candidates": candidates("aba")}, "a is entered twice: name each bot once"),
        ({"name": "../cup"}, "a tournament cannot be called '../cup'"),
        ({"categories": {DUEL: 1_000_000}}, "that makes 6,000,000 matches, and 5,000,000 is the"),
    ],
)
def test_what_cannot_be_planned_is_refused(more: dict[str, Any], line: str) -> None:
    with pytest.raises(UsageError) as refusal:
        planned(**more)

    assert str(refusal.value).startswith(line)


def test_equal_tournaments_have_equal_ids_and_schedules() -> None:
    one, other = planned(), planned(candidates=candidates("cab"))

    assert replace(one.tournament, created="") == replace(other.tournament, created="")
    assert one.fixtures == other.fixtures
    assert one.tournament.id.startswith("spring-")


@pytest.mark.parametrize(
    "more",
    [
        {"name": "summer"},
        {"candidates": candidates("ab")},
        {"candidates": [*candidates("ab"), replace(candidates("c")[0], bundle=snapshot("d"))]},
        {"categories": {DUEL: 3}},
        {"candidates": candidates("abc", author="Ada")},
        {"matches_each": 2},
        {"limits": Limits(move_ms=999)},
        {"tier": Tier.NONE},
        {"suite": replace(PUBLISHED, key=bytes(32))},
        {"suite": None},
    ],
)
def test_another_tournament_has_another_id(more: dict[str, Any]) -> None:
    assert planned().tournament.id != planned(**more).tournament.id


def test_a_published_key_is_played_with_as_it_is() -> None:
    tournament = planned().tournament

    assert (tournament.suite, tournament.key) == ("spring", PUBLISHED.key)
    assert (tournament.secret, tournament.commitment) == (None, None)


def test_a_fresh_secret_is_committed_to_and_makes_the_key() -> None:
    tournament = planned(suite=None, public_value="lottery 7").tournament

    assert tournament.secret is not None
    assert tournament.commitment == hashlib.sha256(tournament.secret).hexdigest()
    digest = parameters_digest(tournament.parameters)
    assert tournament.key == tournament_key(tournament.secret, digest, "lottery 7")
    assert (tournament.suite, tournament.public_value) == ("secret", "lottery 7")


def test_no_secret_is_drawn_twice() -> None:
    assert len({planned(suite=None).tournament.secret for _ in range(20)}) == 20


@pytest.mark.parametrize(
    ("more", "reasons"),
    [
        ({"suite": None}, ()),
        ({}, ("the key is published",)),
        ({"suite": None, "tier": Tier.NONE}, ("bots are not isolated",)),
        (
            {"suite": None, "candidates": candidates("ab", by_path=True)},
            ("played from a path: a, b",),
        ),
    ],
)
def test_why_a_tournament_is_not_rated_is_said(more: dict[str, Any], reasons: tuple[str]) -> None:
    assert planned(**more).tournament.unrated == reasons


def test_a_plan_is_stored_whole_and_once(store: Store) -> None:
    made = planned(candidates=candidates("cab"))

    made.store(store)

    progress = get_tournament(store, "spring")
    assert (progress.tournament, progress.total) == (made.tournament, 12)
    assert [entry.bot for entry in list_entries(store, made.tournament.id)] == ["c", "a", "b"]
    assert tuple(list_fixtures(store, made.tournament.id)) == made.fixtures
    with pytest.raises(UsageError, match="resume it, or give another --name"):
        made.store(store)


def single(store: Store, game: str, names: str, **more: Any) -> Plan:
    seats = [Candidate(name, snapshot(name), None) for name in names]
    return plan_match(store, get_game(game), seats, Limits(), Tier.NONE, **more)


@pytest.mark.parametrize(
    ("game", "names", "mode"),
    [
        ("donburiko", "ab", Mode.TABLE),
        ("donburiko", "aaa", Mode.TABLE),
        ("couperation", "aa", Mode.SELF),
        ("couperation", "ab", Mode.MIXED),
        ("couperation", "aba", Mode.MIXED),
    ],
)
def test_the_mode_of_a_single_match_follows_from_its_seats(
    store: Store, game: str, names: str, mode: Mode
) -> None:
    (fixture,) = single(store, game, names, deal=5).fixtures

    category = Category(game, "standard", mode, len(names))
    assert fixture == Fixture(category, 5, tuple(names))


def test_a_single_match_enters_each_bot_once_and_is_never_rated(store: Store) -> None:
    made = single(store, "couperation", "aba")

    assert [name for name, _ in made.entries] == ["a", "b"]
    assert made.tournament.unrated == ("bots are not isolated", "a single match")
    assert made.tournament.single
    assert made.tournament.parameters["single"] == ["a", "b", "a"]


def test_no_tournament_has_more_bots_than_can_be_paired() -> None:
    many = [Candidate(f"b{number}", snapshot("a"), None) for number in range(1_001)]

    with pytest.raises(UsageError, match="1,001 bots are entered, and 1,000 is the most"):
        planned(candidates=many)


def test_single_matches_are_numbered(store: Store) -> None:
    planned(categories={DUEL: 1}).store(store)

    for number in (1, 2, 3):
        made = single(store, "donburiko", "ab")
        assert made.tournament.name == f"match-{number}"
        made.store(store)


@pytest.mark.parametrize(
    ("game", "names", "more", "line"),
    [
        ("donburiko", "a", {}, "donburiko has no game for 1: 2, 3, 4 players"),
        ("donburiko", "abcde", {}, "donburiko has no game for 5: 2, 3, 4 players"),
        ("donburiko", "ab", {"variant": "finish"}, "donburiko has no variant 'finish'"),
    ],
)
def test_a_match_that_there_is_not_is_refused(
    store: Store, game: str, names: str, more: dict[str, Any], line: str
) -> None:
    with pytest.raises(UsageError, match=line):
        single(store, game, names, **more)


def test_a_bot_that_does_not_play_the_game_gets_no_seat(store: Store) -> None:
    seats = candidates("ab", games=("couperation",))

    with pytest.raises(UsageError, match="a does not play donburiko"):
        plan_match(store, get_game("donburiko"), seats, Limits(), Tier.NONE)


def test_how_long_it_takes_is_guessed_and_then_known(store: Store) -> None:
    made = planned()
    made.store(store)
    guess = expected_s(store, extents(made.fixtures), 1)
    assert expected_s(store, extents(made.fixtures), 4) == guess / 4 > 0

    lines = [record_of(made.tournament.id, fixture, ms=500) for fixture in made.fixtures[:2]]
    add_matches(store, made.tournament.id, lines)

    assert expected_s(store, extents(made.fixtures), 1) == 12 * 0.5
    assert expected_s(store, (), 2) == 0
