from dataclasses import replace

import pytest

from arena.errors import RecordError, UsageError
from arena.referee.chain import head
from arena.store.bots import list_bots
from arena.store.db import Store
from arena.store.fixtures import list_fixtures, open_fixtures
from arena.store.lock import hold
from arena.store.matches import add_matches, records
from arena.store.snapshots import load_bundle
from arena.store.tournaments import (
    Entry,
    Progress,
    Stage,
    add_tournament,
    damaged_tournaments,
    finish,
    get_tournament,
    list_entries,
    list_tournaments,
)
from tests.kept import DUELS, TABLES, planned, record_of, snapshot, tournament


def test_a_tournament_is_stored_with_its_entries_schedule_and_snapshots(store: Store) -> None:
    entries = [(bot, snapshot(bot)) for bot in "cab"]

    add_tournament(store, tournament(), entries, [*DUELS, *TABLES])

    assert get_tournament(store, "spring") == Progress(tournament(), Stage.PLANNED, 0, 6)
    assert list_entries(store, "spring") == [Entry(bot, snapshot(bot).digest) for bot in "cab"]
    assert list_fixtures(store, "spring") == [*DUELS, *TABLES]
    assert load_bundle(store, snapshot("a").digest, "bot") == snapshot("a")
    assert list_bots(store) == []


def test_a_published_key_needs_no_secret(store: Store) -> None:
    published = replace(
        tournament(unrated=("published key",)), secret=None, commitment=None, public_value=None
    )
    add_tournament(store, published, [("a", snapshot("a"))], DUELS)

    stored = get_tournament(store, "spring").tournament
    assert stored == published
    assert not stored.rated
    assert store.rows("SELECT rated FROM tournaments")[0]["rated"] == 0


def test_a_secret_is_not_printed_by_accident() -> None:
    assert "x00" not in repr(tournament())


def test_an_id_is_taken_once_and_a_refused_tournament_leaves_nothing(store: Store) -> None:
    planned(store)

    with pytest.raises(UsageError, match="there is a tournament spring already"):
        add_tournament(store, tournament(), [("new", snapshot("new"))], TABLES)

    assert list_fixtures(store, "spring") == list(DUELS)
    assert store.rows("SELECT count(*) FROM snapshots")[0][0] == 3


@pytest.mark.parametrize("id_", ["", "a/b", "..", "a b", "x" * 101, "\x1b"])
def test_an_id_is_fit_for_a_path_and_a_terminal(id_: str, store: Store) -> None:
    with pytest.raises(UsageError, match="a tournament's id cannot be"):
        planned(store, id_)


def test_two_entries_of_one_name_and_an_empty_schedule_are_refused(store: Store) -> None:
    entries = [("Greedy", snapshot("1")), ("greedy", snapshot("2"))]

    with pytest.raises(UsageError, match="have one name: Greedy and greedy"):
        add_tournament(store, tournament(), entries, DUELS)
    with pytest.raises(UsageError, match="no match to play"):
        planned(store, fixtures=())


def test_what_has_no_record_is_still_to_be_played_in_order(store: Store) -> None:
    planned(store)
    add_matches(store, "spring", [record_of("spring", DUELS[2]), record_of("spring", DUELS[0])])

    assert open_fixtures(store, "spring") == [DUELS[1], DUELS[3]]
    progress = get_tournament(store, "spring")
    assert (progress.stage, progress.played, progress.total) == (Stage.STOPPED, 2, 4)


def test_a_tournament_is_running_while_a_process_holds_it(store: Store) -> None:
    planned(store)
    with hold(store, "spring"):
        assert get_tournament(store, "spring").stage is Stage.RUNNING
    assert get_tournament(store, "spring").stage is Stage.PLANNED


def test_a_tournament_is_finished_once_and_only_when_all_was_played(store: Store) -> None:
    planned(store)
    add_matches(store, "spring", [record_of("spring", fixture) for fixture in DUELS[1:]])
    with pytest.raises(UsageError, match="spring has 1 matches still to play"):
        finish(store, "spring")
    assert get_tournament(store, "spring").tournament.finished is None

    add_matches(store, "spring", [record_of("spring", DUELS[0])])
    finished = finish(store, "spring")

    assert finished.finished is not None
    assert finished.head == head("spring", records(store, ["spring"]))
    assert finish(store, "spring") == finished
    assert get_tournament(store, "spring").stage is Stage.FINISHED


def test_finishing_what_does_not_exist_is_refused(store: Store) -> None:
    with pytest.raises(UsageError, match="no tournament was played yet"):
        finish(store, "spring")


def test_a_tournament_is_found_by_id_by_name_and_by_the_beginning_of_its_id(store: Store) -> None:
    for id_, name in (("spring-1", "cup"), ("spring-12", "league"), ("autumn", "cup")):
        planned(store, id_, name)

    def found(text: str) -> str:
        return get_tournament(store, text).tournament.id

    assert [found(text) for text in ("spring-1", "league", "au", "spring-12")] == [
        "spring-1",
        "spring-12",
        "autumn",
        "spring-12",
    ]
    with pytest.raises(UsageError, match="'cup' means several tournaments: spring-1, autumn"):
        found("cup")
    with pytest.raises(UsageError, match="'spr' means several tournaments: spring-1, spring-12"):
        found("spr")
    for number in range(5):
        planned(store, f"summer-{number}", "league")
    ids = "…, summer-0, summer-1, summer-2, summer-3, summer-4; give the whole id"
    with pytest.raises(UsageError, match=f"'league' means several tournaments: {ids}"):
        found("league")
    with pytest.raises(UsageError, match="no tournament is called 'autum2'; did you mean 'autumn'"):
        found("autum2")
    with pytest.raises(UsageError, match="is called 'legua'; did you mean 'league'"):
        found("legua")
    with pytest.raises(UsageError, match="is called 'xyz'; there is autumn, spring-1, spring-12, "):
        found("xyz")
    with pytest.raises(UsageError, match="no tournament is called ''"):
        found("")


def test_tournaments_are_listed_oldest_first(store: Store) -> None:
    for id_, created in (("b", "2026-02-02T00:00:00Z"), ("a", "2026-03-03T00:00:00Z")):
        add_tournament(store, replace(tournament(id_), created=created), [], DUELS)

    assert [one.tournament.id for one in list_tournaments(store)] == ["b", "a"]


def test_a_single_match_is_told_by_its_parameters_and_before_them_by_what_was_said() -> None:
    usual = tournament(unrated=("a single match",))

    assert replace(usual, parameters={"parameters": 2, "single": ["a", "b"]}).single
    assert not replace(usual, parameters={"parameters": 2}).single
    assert replace(usual, parameters={"parameters": 1}).single
    assert not replace(tournament(), parameters={"parameters": 1}).single


@pytest.mark.parametrize("text", ["spring", "cup", "spr"])
def test_a_damaged_row_is_named_where_it_is_asked_for(text: str, store: Store) -> None:
    planned(store)
    planned(store, "autumn", "fall")
    with store.atomic() as db:
        db.execute("UPDATE tournaments SET unrated = '{' WHERE id = 'spring'")

    assert [one.tournament.id for one in list_tournaments(store)] == ["autumn"]
    assert damaged_tournaments(store) == ["spring"]
    with pytest.raises(RecordError, match="spring: parameters and unrated are not as they were"):
        get_tournament(store, text)
