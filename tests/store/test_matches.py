import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import RecordError, UsageError
from arena.referee.fixture import Fixture
from arena.store.db import Store, open_store
from arena.store.fixtures import open_fixtures
from arena.store.matches import (
    add_matches,
    add_void,
    categories,
    get_match,
    mean_ms,
    records,
    void_attempts,
)
from tests.kept import DUELS, TABLES, TWO, planned, record_of


def test_a_record_comes_back_byte_by_byte_with_what_can_be_asked_of_it(store: Store) -> None:
    planned(store)
    record = record_of("spring", DUELS[0], ms=12.5)

    assert add_matches(store, "spring", [record]) == 1

    match = get_match(store, DUELS[0].match)
    assert match.record == record
    assert (match.tournament, match.match, match.category, match.deal) == (
        "spring",
        "donburiko-2p/0/a+b",
        "donburiko-2p",
        0,
    )
    (row,) = store.rows("SELECT faults, attempt, ms FROM matches")
    assert tuple(row) == (1, 1, 12.5)


def test_a_match_that_is_delivered_again_changes_nothing(store: Store) -> None:
    planned(store)
    first = record_of("spring", DUELS[0], ms=1)
    add_matches(store, "spring", [first])

    assert add_matches(store, "spring", [first]) == 0
    assert add_matches(store, "spring", [record_of("spring", DUELS[0], ms=2)]) == 0
    assert add_matches(store, "spring", [record_of("spring", DUELS[1]), first]) == 1

    assert get_match(store, DUELS[0].match).record == first


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (b"{}", "not a match record"),
        (b"\xff", "not a match record"),
        (record_of("spring", DUELS[1]).replace(b'"rounds"', b'"\xff"'), "not a match record"),
        (record_of("autumn", DUELS[1]), "is of the tournament autumn, not spring"),
        (record_of("spring", TABLES[0]), "is not on the schedule of spring"),
        (
            record_of("spring", DUELS[1]).replace(b'"deal":0', b'"deal":1'),
            "is not on the schedule of spring",
        ),
    ],
)
def test_a_record_that_is_none_or_of_no_fixture_is_refused_with_all_that_came_with_it(
    record: bytes, reason: str, store: Store
) -> None:
    planned(store)

    with pytest.raises(RecordError, match=reason):
        add_matches(store, "spring", [record_of("spring", DUELS[0]), record])

    assert open_fixtures(store, "spring") == list(DUELS)


@given(order=st.permutations([*DUELS, *TABLES]), sizes=st.lists(st.integers(1, 3), max_size=6))
@settings(max_examples=20)
def test_records_come_in_the_schedules_order_whatever_order_they_were_stored_in(
    order: list[Fixture], sizes: list[int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    schedule = [*DUELS, *TABLES]
    with open_store(tmp_path_factory.mktemp("home")) as store:
        planned(store, fixtures=schedule)
        left = [record_of("spring", fixture) for fixture in order]
        for size in [*sizes, len(left)]:
            add_matches(store, "spring", left[:size])
            left = left[size:]

        expected = [record_of("spring", fixture) for fixture in schedule]
        assert list(records(store, ["spring"])) == expected
        assert list(records(store, ["spring"], "donburiko-3p")) == expected[len(DUELS) :]


def test_records_of_several_tournaments_are_pooled_in_the_order_asked(store: Store) -> None:
    for id_ in ("spring", "autumn"):
        planned(store, id_)
        add_matches(store, id_, [record_of(id_, DUELS[0])])

    expected = [record_of("autumn", DUELS[0]), record_of("spring", DUELS[0])]
    assert list(records(store, ["autumn", "spring"])) == expected
    assert categories(store, ["autumn", "spring"]) == {"donburiko-2p": 2}


def test_more_records_than_a_page_are_all_read_while_others_are_added(store: Store) -> None:
    fixtures = [Fixture(TWO, deal, ("a", "b")) for deal in range(450)]
    planned(store, fixtures=fixtures)
    add_matches(store, "spring", [record_of("spring", fixture) for fixture in fixtures[:420]])

    reading = records(store, ["spring"])
    first = next(reading)
    add_matches(store, "spring", [record_of("spring", fixture) for fixture in fixtures[420:]])

    assert [first, *reading] == [record_of("spring", fixture) for fixture in fixtures]


def test_a_match_is_found_by_its_id_and_by_the_beginning_of_it(store: Store) -> None:
    planned(store, fixtures=[*DUELS, *TABLES])
    add_matches(store, "spring", [record_of("spring", f) for f in (*DUELS, TABLES[0])])

    assert get_match(store, "donburiko-3p").match == "donburiko-3p/0/a+b+c"
    assert get_match(store, "donburiko-2p/1/b", "spring").match == "donburiko-2p/1/b+a"
    with pytest.raises(
        UsageError, match=r"several matches begin with 'donburiko-2p/0': donburiko-2p/0/a\+b, don"
    ):
        get_match(store, "donburiko-2p/0")


def test_an_unknown_match_is_refused_with_the_closest(store: Store) -> None:
    planned(store)
    with pytest.raises(UsageError, match="none was played yet"):
        get_match(store, "donburiko")
    add_matches(store, "spring", [record_of("spring", DUELS[0])])

    with pytest.raises(UsageError, match=r"did you mean 'donburiko-2p/0/a\+b'"):
        get_match(store, "donburiko-2p/0/a+c")
    with pytest.raises(UsageError, match=r"'\\x1b'; the last was 'donburiko-2p/0/a\+b'"):
        get_match(store, "\x1b")
    with pytest.raises(UsageError, match="no match is called"):
        get_match(store, DUELS[0].match, "autumn")


def test_of_several_tournaments_with_a_match_the_one_played_last_counts(store: Store) -> None:
    for id_ in ("spring", "autumn"):
        planned(store, id_)
    for id_ in ("autumn", "spring"):
        add_matches(store, id_, [record_of(id_, DUELS[0])])

    assert get_match(store, DUELS[0].match).tournament == "spring"
    assert get_match(store, DUELS[0].match, "autumn").tournament == "autumn"


def test_the_mean_time_of_a_match_is_known_by_category(store: Store) -> None:
    planned(store)
    for fixture, ms in ((DUELS[0], 10.0), (DUELS[1], 30.0)):
        add_matches(store, "spring", [record_of("spring", fixture, ms)])

    assert mean_ms(store) == {"donburiko-2p": 20.0}


def test_attempts_that_the_host_spoilt_are_counted_by_match(store: Store) -> None:
    planned(store)

    assert add_void(store, "spring", DUELS[0].match, "disk full") == 1
    assert add_void(store, "spring", DUELS[0].match, "disk full") == 2
    assert add_void(store, "spring", DUELS[1].match, "loaded") == 1

    assert void_attempts(store, "spring") == {DUELS[0].match: 2, DUELS[1].match: 1}
    assert open_fixtures(store, "spring") == list(DUELS)
