import pytest
from hypothesis import given

from arena.ratings.leaderboard import leaderboard
from arena.ratings.matrix import Cell, Pairs, matrices, pairs
from arena.ratings.result import Result
from tests.ratings.made import MIXED, SELF, THREE, TWO, alone, result, tables, team


def cells(found: Pairs) -> dict[str, tuple[float, int]]:
    return {row + column: (cell.value, cell.matches) for row, column, cell in found.cells}


def test_a_pair_has_the_points_of_one_against_the_other() -> None:
    played = [result(THREE, "A B C", [9, 4, 9]), result(THREE, "C A B", [1, 2, 3])]

    found = cells(pairs(THREE, played))

    assert [found[pair] for pair in ("AB", "AC", "BC")] == [(0.5, 2), (0.75, 2), (0.5, 2)]
    assert [found[pair] for pair in ("BA", "CA", "CB")] == [(0.5, 2), (0.25, 2), (0.5, 2)]


def test_a_fault_costs_the_points_that_its_rank_says() -> None:
    played = [result(TWO, "A B", [30, 2], ranks=[2, 1], faults=[0])]

    assert cells(pairs(TWO, played)) == {"AB": (0, 1), "BA": (1, 1)}


def test_partners_share_the_score_of_their_team() -> None:
    played = [team("A B", 20), team("B A", 25, deal=1), team("C D", 8)]

    found = cells(pairs(MIXED, played))

    assert found == {"AB": (22.5, 2), "BA": (22.5, 2), "CD": (8, 1), "DC": (8, 1)}


def test_in_self_play_a_bot_is_its_own_partner() -> None:
    played = [alone("A", 20), alone("A", 28, deal=1), alone("B", 7)]

    assert cells(pairs(SELF, played)) == {"AA": (24, 2), "BB": (7, 1)}


def test_teams_at_fault_and_line_ups_that_cannot_be_rated_stay_out() -> None:
    assert pairs(MIXED, [team("A B", 20, faults=[0]), team("A A", 20)]).cells == ()
    assert pairs(TWO, [result(TWO, "A A", [1, 2]), alone("A", 3)]).cells == ()


@given(tables())
def test_what_one_wins_the_other_loses(results: list[Result]) -> None:
    found = cells(pairs(THREE, results))

    for pair, (value, matches) in found.items():
        other, again = found[pair[::-1]]
        assert other == pytest.approx(1 - value)
        assert again == matches


def test_a_matrix_is_in_the_order_of_its_leaderboard() -> None:
    played = [result(TWO, "A B", [1, 2], deal=deal) for deal in range(3)]

    (found,) = matrices([leaderboard(TWO, played)], [pairs(TWO, played)])

    assert (found.name, found.bots, found.competitive) == ("donburiko-2p", ("B", "A"), True)
    assert found.cells == {("A", "B"): Cell(0, 3), ("B", "A"): Cell(1, 3)}


def test_self_play_is_the_diagonal_of_the_mixed_teams() -> None:
    alone_ones = [alone("A", 20), alone("B", 28)]
    mixed = [team("A C", 10), team("D E", 11)]
    boards = [leaderboard(SELF, alone_ones), leaderboard(MIXED, mixed)]

    (found,) = matrices(boards, [pairs(SELF, alone_ones), pairs(MIXED, mixed)])

    assert found.bots == ("B", "A", "D", "E", "C")
    assert found.cells["B", "B"] == Cell(28, 1)
    assert found.cells["A", "C"] == found.cells["C", "A"] == Cell(10, 1)
    assert ("C", "C") not in found.cells


def test_a_bot_without_a_row_has_none_in_the_matrix_either() -> None:
    played = [result(THREE, "A B C", [3, 2, 1])]

    (found,) = matrices([leaderboard(THREE, played, hidden=["B"])], [pairs(THREE, played)])

    assert found.bots == ("A", "C")
    assert set(found.cells) == {("A", "C"), ("C", "A")}
