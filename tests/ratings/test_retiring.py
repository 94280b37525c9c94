import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import FaultCode, RecordError
from arena.ratings.retiring import (
    ENOUGH_MATCHES,
    FAILED_STARTS,
    Retired,
    Retirement,
    has_retired,
)
from arena.referee.category import Category, Mode
from arena.referee.fixture import Fixture
from arena.referee.record import FaultRecord

DUEL = Category("donburiko", "standard", Mode.TABLE, 2)
ALONE = Category("couperation", "standard", Mode.SELF, 3)
MIXED = Category("couperation", "standard", Mode.MIXED, 2)


def fault(seat: int = 0, code: str = FaultCode.EXITED) -> FaultRecord:
    return FaultRecord(seat=seat, at=0, code=code, text="")


def taken(
    faults: list[str | None], category: Category = DUEL, bots: tuple[str, ...] = ("a", "b")
) -> Retirement:
    """Take in matches in which the bot in seat 0 has a fault of some code, or none."""
    found = Retirement()
    for deal, code in enumerate(faults):
        found.take(Fixture(category, deal, bots), [fault(code=code)] if code else [])
    return found


def test_a_bot_at_fault_in_more_than_a_tenth_of_its_matches_is_retired_by_the_next_fault() -> None:
    tenth: list[str | None] = ["exited", "timeout", *[None] * 18]

    assert taken(tenth).retired == {}
    found = taken([*tenth, None, None, "exited"]).retired
    assert found == {(DUEL.name, "a"): Retired(DUEL.name, "a", 23, 3, could_not_start=False)}
    assert found[DUEL.name, "a"].reason == "retired after 23 matches: faults in 3 of 23"


def test_a_bot_is_given_twenty_matches_however_it_does() -> None:
    assert taken(["exited"] * (ENOUGH_MATCHES - 1)).retired == {}
    assert taken(["exited"] * ENOUGH_MATCHES).retired[DUEL.name, "a"].matches == ENOUGH_MATCHES


def test_a_bot_that_cannot_start_three_times_in_a_row_is_retired_at_once() -> None:
    start = FaultCode.START_FAILED.value

    assert taken([start, start, None, start, start, "exited", start]).retired == {}
    retired = taken([None, *[start] * FAILED_STARTS]).retired[DUEL.name, "a"]
    assert (retired.matches, retired.faults) == (4, 3)
    assert retired.reason == "could not start 3 times in a row"


def test_a_match_of_a_bot_that_was_retired_before_charges_nobody() -> None:
    found = taken([FaultCode.START_FAILED] * FAILED_STARTS)
    later = Fixture(DUEL, 9, ("b", "a"))

    assert found.excuses(later)
    assert not found.excuses(Fixture(ALONE, 9, ("a", "a", "a")))
    for _ in range(FAILED_STARTS):
        assert found.take(later, [fault(0, FaultCode.START_FAILED)]) == []
    assert list(found.retired) == [(DUEL.name, "a")]


def test_in_self_play_a_match_is_one_for_the_bot_and_one_fault_at_most() -> None:
    found = Retirement()
    for deal in range(ENOUGH_MATCHES):
        found.take(Fixture(ALONE, deal, ("a",) * 3), [fault(0), fault(1)] if deal < 3 else [])

    assert found.retired[ALONE.name, "a"] == Retired(ALONE.name, "a", 20, 3, could_not_start=False)


def test_in_mixed_teams_the_bot_at_fault_is_charged_alone() -> None:
    found = taken([FaultCode.START_FAILED] * FAILED_STARTS, MIXED)

    assert list(found.retired) == [(MIXED.name, "a")]
    assert has_retired(found.retired, MIXED.name, ("b", "a"))
    assert not has_retired(found.retired, MIXED.name, ("b", "c"))
    assert not has_retired(found.retired, DUEL.name, ("b", "a"))


def test_two_bots_can_be_retired_by_one_match() -> None:
    found, now = Retirement(), []
    both = [fault(0, FaultCode.START_FAILED), fault(1, FaultCode.START_FAILED)]
    for deal in range(FAILED_STARTS):
        now = found.take(Fixture(DUEL, deal, ("a", "b")), both)

    assert [one.bot for one in now] == ["a", "b"]


def test_a_fault_of_a_seat_that_is_not_there_is_refused() -> None:
    with pytest.raises(RecordError, match="a fault of a seat that is not there"):
        Retirement().take(Fixture(DUEL, 0, ("a", "b")), [fault(2)])


@given(
    st.lists(
        st.tuples(
            st.sampled_from([DUEL, MIXED]),
            st.permutations("abc").map(lambda bots: tuple(bots[:2])),
            st.sampled_from(["", "exited", "start_failed"]),
        ),
        max_size=120,
    )
)
def test_categories_do_not_depend_on_how_they_are_interleaved(
    matches: list[tuple[Category, tuple[str, ...], str]],
) -> None:
    def retired(
        order: list[tuple[Category, tuple[str, ...], str]],
    ) -> dict[tuple[str, str], Retired]:
        found = Retirement()
        for deal, (category, bots, code) in enumerate(order):
            found.take(Fixture(category, deal, bots), [fault(code=code)] if code else [])
        return found.retired

    one_by_one = sorted(matches, key=lambda match: match[0].name)

    assert retired(matches) == retired(one_by_one)
