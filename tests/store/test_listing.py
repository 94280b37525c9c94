from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import UsageError
from arena.referee.fixture import Fixture
from arena.store.db import Store, open_store
from arena.store.listing import check_entered, match_ids, newest_matches, tournaments_of
from arena.store.matches import add_matches
from tests.kept import DUELS, TWO, planned, record_of

MANY = [Fixture(TWO, deal, bots) for deal in range(60) for bots in (("a", "b"), ("b", "c"))]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Two tournaments, one of them of more matches than a page has."""
    with open_store(tmp_path_factory.mktemp("home")) as opened:
        for id_, fixtures in (("spring", MANY), ("summer", DUELS)):
            planned(opened, id_, id_, fixtures)
            add_matches(opened, id_, [record_of(id_, fixture) for fixture in fixtures])
        yield opened


def test_all_pages_come_newest_first(store: Store) -> None:
    found = [(one.tournament, one.match) for one in newest_matches(store)]

    everything = [("spring", one.match) for one in MANY] + [("summer", one.match) for one in DUELS]
    assert found == everything[::-1]


@given(bot=st.sampled_from(["a", "b", "c", None]), id_=st.sampled_from(["spring", "summer", None]))
def test_a_choice_is_what_filtering_the_whole_comes_to(
    store: Store, bot: str | None, id_: str | None
) -> None:
    found = [one.match for one in newest_matches(store, id_, bot)]

    assert found == [
        one.match
        for one in newest_matches(store)
        if id_ in {None, one.tournament} and (bot is None or bot in one.match.split("/")[2])
    ]


def test_ids_are_those_with_a_beginning_each_once(store: Store) -> None:
    assert match_ids(store, "donburiko-2p/0/", None, 9) == [
        "donburiko-2p/0/a+b",
        "donburiko-2p/0/b+a",
        "donburiko-2p/0/b+c",
    ]
    assert match_ids(store, "donburiko-2p/0/", "spring", 1) == ["donburiko-2p/0/a+b"]
    assert match_ids(store, "x", None, 9) == []


def test_the_tournaments_of_a_match_come_newest_first(store: Store) -> None:
    assert tournaments_of(store, "donburiko-2p/0/a+b") == ["summer", "spring"]
    assert tournaments_of(store, "donburiko-2p/0/b+c") == ["spring"]


def test_a_bot_that_did_not_enter_is_named(store: Store) -> None:
    check_entered(store, "a", None)
    with pytest.raises(UsageError, match="no bot is called 'd\\\\x1b' in summer"):
        check_entered(store, "d\x1b", "summer")
