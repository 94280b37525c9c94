import hashlib
import random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import RecordError
from arena.ratings.result import Result
from arena.ratings.units import Unit, digest, ordered, units
from tests.ratings.made import (
    MIXED,
    SELF,
    THREE,
    TWO,
    alone,
    duel,
    duels,
    free_for_all,
    result,
    team,
)


def places(found: list[Unit]) -> list[dict[str, int]]:
    """Return the ranks of each unit by side, as in {"A+B": 1}."""
    return [
        {"+".join(side): rank for side, rank in zip(unit.sides, unit.ranks, strict=True)}
        for unit in found
    ]


def test_every_match_of_a_competitive_game_is_a_unit() -> None:
    found = units(
        THREE,
        [
            result(THREE, "A B C", [5, 9, 5]),
            result(THREE, "C A B", [1, 2, 3]),
            result(TWO, "A B", [1, 2]),
        ],
    )

    assert [unit.id for unit in found] == ["cup/donburiko-3p/0/A+B+C", "cup/donburiko-3p/0/C+A+B"]
    assert places(found) == [{"A": 2, "B": 1, "C": 2}, {"A": 2, "B": 1, "C": 3}]


def test_a_closed_seat_ranks_as_the_record_says_not_by_its_tokens() -> None:
    closed = result(THREE, "A B C", [9, 1, 2], ranks=[3, 2, 1], faults=[0])

    assert places(units(THREE, [closed])) == [{"A": 3, "B": 2, "C": 1}]


def test_a_competitive_match_with_one_bot_in_two_seats_is_left_out() -> None:
    assert units(THREE, [result(THREE, "A B A", [1, 2, 3])]) == []


def test_a_self_play_deal_is_a_unit_of_all_that_played_it() -> None:
    found = units(SELF, [alone("A", 24), alone("B", 28), alone("C", 24), alone("A", 3, deal=1)])

    assert [unit.id for unit in found] == ["cup/couperation-self-2p/0"]
    assert places(found) == [{"A": 2, "B": 1, "C": 2}]


def test_a_self_play_deal_with_a_fault_is_last_even_below_a_score_of_zero() -> None:
    found = units(SELF, [alone("A", 0), alone("B", 28, faults=[1]), alone("C", 4)])

    assert places(found) == [{"A": 2, "B": 3, "C": 1}]


def test_self_play_deals_with_a_fault_tie_for_last() -> None:
    faulty = [alone("A", 9, faults=[0, 1]), alone("B", 28, faults=[1]), alone("C", 4)]

    assert places(units(SELF, faulty)) == [{"A": 2, "B": 2, "C": 1}]


def test_a_mixed_deal_is_a_unit_of_its_teams() -> None:
    found = units(MIXED, [team("B A", 20), team("C D", 26), team("F E", 20)])

    assert places(found) == [{"A+B": 2, "C+D": 1, "E+F": 2}]


def test_a_bot_at_fault_is_last_alone_and_its_partner_has_no_result() -> None:
    found = units(MIXED, [team("A B", 20, faults=[1]), team("C D", 26), team("E F", 0)])

    assert places(found) == [{"B": 3, "C+D": 1, "E+F": 2}]


@pytest.mark.parametrize(
    ("played", "expected"),
    [
        pytest.param(
            [team("A B", 0, faults=[0, 1]), team("C D", 1)],
            [{"A": 2, "B": 2, "C+D": 1}],
            id="both of a team: each alone, tied",
        ),
        pytest.param(
            [team("A B", 0, faults=[0, 1])],
            [{"A": 1, "B": 1}],
            id="both of the only team",
        ),
        pytest.param(
            [team("A B", 0, faults=[0]), team("C D", 0, faults=[1])],
            [{"A": 1, "D": 1}],
            id="one of each team",
        ),
        pytest.param([team("A B", 0, faults=[0])], [], id="one side remains: no unit"),
        pytest.param([team("A B", 28)], [], id="one team alone: no unit"),
        pytest.param([team("A A", 28), team("C D", 1)], [], id="a team of one bot is left out"),
    ],
)
def test_faults_in_mixed_teams(played: list[Result], expected: list[dict[str, int]]) -> None:
    assert places(units(MIXED, played)) == expected


def test_deals_of_different_tournaments_are_not_compared() -> None:
    spring = result(SELF, "A A", [20, 20], tournament="spring")
    autumn = result(SELF, "B B", [22, 22], tournament="autumn")

    assert units(SELF, [spring, autumn]) == []


def test_a_deal_that_bots_played_twice_is_two_units() -> None:
    found = units(
        MIXED,
        [team("A B", 20), team("B A", 22), team("C D", 26), team("D C", 18), team("B C", 9)],
    )

    assert [unit.id for unit in found] == [
        "cup/couperation-mixed-2p/0",
        "cup/couperation-mixed-2p/0#1",
    ]
    assert places(found) == [{"A+B": 2, "C+D": 1}, {"A+B": 1, "C+D": 2}]


def test_a_match_that_is_there_twice_is_refused() -> None:
    twice = [result(TWO, "A B", [1, 2]), result(TWO, "A B", [2, 1])]

    with pytest.raises(RecordError, match="donburiko-2p/0/A"):
        units(TWO, twice)


def test_tied_sides_stand_in_an_order_that_changes_from_unit_to_unit() -> None:
    tied = ordered(free_for_all(f"u{number}", "ABCD", (1, 1, 1, 1)) for number in range(40))
    first = [unit.sides[0][0] for unit in tied]

    assert set(first) == set("ABCD")
    for unit in tied:
        keys = [hashlib.sha256(f"{unit.id}|{side[0]}".encode()).hexdigest() for side in unit.sides]
        assert keys == sorted(keys)


@given(duels(), st.randoms(use_true_random=False))
def test_units_come_in_one_order_with_one_digest(listed: list[Unit], rng: random.Random) -> None:
    shuffled = list(listed)
    rng.shuffle(shuffled)
    turned = [Unit(unit.id, unit.sides[::-1], unit.ranks[::-1]) for unit in shuffled]

    assert ordered(turned) == ordered(listed)
    assert digest(turned) == digest(listed)


def test_the_digest_is_taken_over_compact_json() -> None:
    text = b'[["g1",[["A"],["B"]],[1,2]]]'

    assert digest([duel("g1", "B", "A", (2, 1))]) == f"sha256:{hashlib.sha256(text).hexdigest()}"
    assert msgspec.json.decode(text) == [["g1", [["A"], ["B"]], [1, 2]]]


def test_two_units_with_one_id_are_refused() -> None:
    with pytest.raises(RecordError, match="g1"):
        ordered([duel("g1", "A", "B"), duel("g1", "A", "C")])


@pytest.mark.parametrize(
    ("sides", "ranks"),
    [
        ((("A",),), (1,)),
        ((("A",), ()), (1, 2)),
        ((("A",), ("B", "A")), (1, 2)),
        ((("A",), ("B",)), (1, 2, 3)),
    ],
    ids=["one side", "an empty side", "a bot on both sides", "too many ranks"],
)
def test_what_compares_nothing_is_no_unit(
    sides: tuple[tuple[str, ...], ...], ranks: tuple[int, ...]
) -> None:
    with pytest.raises(ValueError, match="unit u"):
        Unit("u", sides, ranks)
