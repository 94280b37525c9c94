from hypothesis import given
from hypothesis import strategies as st

from arena.referee.fixture import Fixture
from arena.tournament.turns import Turns
from tests.kept import TWO

FIXTURES = [Fixture(TWO, deal, ("a", "b")) for deal in range(8)]
LINES = {fixture: fixture.match.encode() for fixture in FIXTURES}


@given(st.permutations(FIXTURES), st.integers(1, 8))
def test_records_come_in_the_order_of_the_schedule_whatever_order_matches_end_in(
    ended: list[Fixture], together: int
) -> None:
    turns = Turns(FIXTURES)
    parts = [ended[at : at + together] for at in range(0, len(ended), together)]

    taken = [line for part in parts for line in turns.take((one, LINES[one]) for one in part)]

    assert taken == list(LINES.values())


def test_what_waits_for_others_is_held() -> None:
    turns = Turns(FIXTURES)

    assert list(turns.take([(FIXTURES[1], b"1")])) == []
    assert [turns.holds(fixture) for fixture in FIXTURES[:3]] == [False, True, False]
    assert list(turns.take([(FIXTURES[0], b"0")])) == [b"0", b"1"]
    assert not turns.holds(FIXTURES[1])


def test_what_nobody_asks_for_any_more_stays_held() -> None:
    turns = Turns(FIXTURES)
    turned = turns.take([(fixture, LINES[fixture]) for fixture in FIXTURES[:3]])

    assert next(turned) == LINES[FIXTURES[0]]
    assert turns.holds(FIXTURES[1])
