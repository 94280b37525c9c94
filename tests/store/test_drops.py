import pytest

from arena.errors import RecordError
from arena.referee.category import Category, Mode
from arena.referee.fixture import Fixture
from arena.store.db import Store
from arena.store.drops import (
    FEW,
    Drop,
    add_drop,
    key_of,
    list_drops,
    most_drops,
    with_replacements,
)
from arena.store.fixtures import list_fixtures
from tests.kept import planned

DUEL = Category("donburiko", "standard", Mode.TABLE, 2)
MIXED = Category("couperation", "standard", Mode.MIXED, 2)
PAIRS = [("a", "b"), ("b", "a"), ("a", "c"), ("c", "a")]
SCHEDULE = [
    *(Fixture(DUEL, deal, bots) for deal in range(4) for bots in PAIRS),
    *(Fixture(MIXED, deal, bots) for deal in range(2) for bots in PAIRS[:3:2]),
]


def drop(store: Store, fixture: Fixture) -> Drop | None:
    with store.atomic() as db:
        return add_drop(db, "spring", fixture, "void 3 times: why")


def matches(fixtures: list[Fixture]) -> list[str]:
    return [fixture.match for fixture in fixtures]


def test_a_dropped_deal_of_a_table_is_played_on_the_next_one_by_all_of_its_seatings(
    store: Store,
) -> None:
    planned(store, fixtures=SCHEDULE)

    found = drop(store, Fixture(DUEL, 2, ("b", "a")))

    assert found == Drop(DUEL.name, 2, ("a", "b"), 4, "void 3 times: why")
    assert list_drops(store, "spring") == [found]
    schedule = list_fixtures(store, "spring")
    assert schedule[: len(SCHEDULE)] == SCHEDULE
    assert matches(schedule[len(SCHEDULE) :]) == ["donburiko-2p/4/a+b", "donburiko-2p/4/b+a"]
    assert [one for one in schedule if key_of(one) == found.key] == [
        Fixture(DUEL, 2, ("a", "b")),
        Fixture(DUEL, 2, ("b", "a")),
    ]


def test_each_table_has_further_deals_of_its_own_and_a_co_operative_deal_goes_for_all(
    store: Store,
) -> None:
    planned(store, fixtures=SCHEDULE)

    ab, ac = (Fixture(DUEL, 1, bots) for bots in (("a", "b"), ("a", "c")))
    made = [drop(store, one) for one in (ab, ac, Fixture(DUEL, 4, ("b", "a")))]
    shared = drop(store, Fixture(MIXED, 0, ("a", "c")))

    assert [one and (one.deal, one.instead) for one in made] == [(1, 4), (1, 4), (4, 5)]
    assert shared == Drop(MIXED.name, 0, None, 2, "void 3 times: why")
    added = matches(list_fixtures(store, "spring")[len(SCHEDULE) :])
    assert added[-2:] == ["couperation-mixed-2p/2/a+b", "couperation-mixed-2p/2/a+c"]
    assert len(added) == 3 * 2 + 2
    # Whoever has the schedule and the drops makes the same.
    again = with_replacements(SCHEDULE, list_drops(store, "spring"))
    assert list(again) == list_fixtures(store, "spring")


def test_so_many_deals_of_a_category_can_be_dropped_and_no_more(store: Store) -> None:
    planned(store, fixtures=SCHEDULE)

    for deal in range(FEW):
        assert drop(store, Fixture(DUEL, deal, ("a", "b")))
    before = list_fixtures(store, "spring")
    assert drop(store, Fixture(DUEL, 3, ("a", "b"))) is None
    assert list_fixtures(store, "spring") == before
    # The same deal at another table is no further one.
    assert drop(store, Fixture(DUEL, 0, ("a", "c")))
    assert [most_drops(deals) for deals in (1, 39, 40, 100)] == [3, 3, 4, 10]


@pytest.mark.parametrize(
    "drops",
    [
        [Drop(DUEL.name, 7, ("a", "b"), 4, "")],
        [Drop("tuck-2p", 0, ("a", "b"), 4, "")],
        [Drop(DUEL.name, 0, ("b", "c"), 4, "")],
        [Drop(DUEL.name, 0, None, 4, "")],
        [Drop(MIXED.name, 0, ("a", "b"), 2, "")],
        [Drop(DUEL.name, 0, ("a", "b"), 5, "")],
        [Drop(DUEL.name, 0, ("a", "b"), 4, ""), Drop(DUEL.name, 0, ("a", "b"), 5, "")],
        [Drop(DUEL.name, deal, ("a", "b"), 4 + deal, "") for deal in range(FEW + 1)],
    ],
)
def test_drops_that_could_not_have_been_made_are_refused(drops: list[Drop]) -> None:
    with pytest.raises(RecordError, match=r"drop \d: nothing like it could have been made"):
        list(with_replacements(SCHEDULE, drops))


def test_a_drop_that_was_altered_is_named(store: Store) -> None:
    planned(store, fixtures=SCHEDULE)
    drop(store, SCHEDULE[0])
    with store.atomic() as db:
        db.execute("UPDATE drops SET bots = 'x'")

    with pytest.raises(RecordError, match="drop 0: its bots are not as they were stored"):
        list_drops(store, "spring")
