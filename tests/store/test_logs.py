from itertools import islice

import pytest

from arena.errors import UsageError
from arena.referee.fixture import Fixture
from arena.store.db import Store
from arena.store.logs import records_of
from arena.store.matches import add_matches
from tests.kept import DUELS, TABLES, TWO, planned, record_of


def matches(
    store: Store, bot: str, tournament: str | None = None, *, faulty: bool = False
) -> list[str]:
    return [record.match for record in records_of(store, bot, tournament, faulty=faulty)]


def test_the_matches_of_a_bot_come_newest_first(store: Store) -> None:
    planned(store, fixtures=(*DUELS, *TABLES))
    for fixture in (DUELS[2], TABLES[0], DUELS[0]):
        add_matches(store, "spring", [record_of("spring", fixture)])

    assert matches(store, "a") == [DUELS[0].match, TABLES[0].match, DUELS[2].match]
    assert matches(store, "c") == [TABLES[0].match]


def test_a_tournament_can_be_asked_for(store: Store) -> None:
    for name in ("spring", "autumn"):
        planned(store, name)
        add_matches(store, name, [record_of(name, DUELS[0])])

    assert [record.tournament for record in records_of(store, "a")] == ["autumn", "spring"]
    assert [record.tournament for record in records_of(store, "a", "spring")] == ["spring"]


def test_only_faults_of_the_bot_itself_count(store: Store) -> None:
    planned(store)
    add_matches(store, "spring", [record_of("spring", duel) for duel in DUELS])

    # In each of them the last seat was at fault.
    assert matches(store, "b", faulty=True) == [DUELS[2].match, DUELS[0].match]


def test_records_are_read_as_they_are_asked_for(store: Store) -> None:
    planned(store)
    add_matches(store, "spring", [record_of("spring", duel) for duel in DUELS])
    with store.atomic() as db:
        db.execute("UPDATE matches SET record = '' WHERE match = ?", (DUELS[0].match,))

    assert len(list(islice(records_of(store, "a"), 3))) == 3


def test_a_name_that_is_part_of_another_is_a_name_of_its_own(store: Store) -> None:
    fixtures = (Fixture(TWO, 0, ("a", "b")), Fixture(TWO, 0, ("b", "c")))
    planned(store, fixtures=fixtures)
    add_matches(store, "spring", [record_of("spring", one) for one in fixtures])

    assert matches(store, "c") == [fixtures[1].match]
    for part in ("", '"', "a+b", "%", "_", "A"):
        with pytest.raises(UsageError):
            matches(store, part)


def test_a_bot_that_took_part_in_nothing_is_a_mistake(store: Store) -> None:
    with pytest.raises(UsageError, match=r"^no bot is called 'x' in any tournament or match$"):
        matches(store, "x")
    planned(store)
    with pytest.raises(UsageError, match="'x' in spring; there is a, b, c"):
        matches(store, "x", "spring")
    assert matches(store, "a") == []
