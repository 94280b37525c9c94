import pytest
from hypothesis import given

from arena.ratings.result import Result
from arena.ratings.tally import Tally, tally
from arena.ratings.units import units
from tests.ratings.made import MIXED, SELF, THREE, TWO, alone, result, tables, team


def counts(results: list[Result]) -> dict[str, Tally]:
    category = results[0].category
    return tally(category, results, units(category, results))


def test_a_competitive_match_counts_by_its_ranks() -> None:
    found = counts([result(THREE, "A B C", [9, 4, 9]), result(THREE, "C A B", [1, 2, 3])])["A"]

    assert (found.matches, found.faults) == (2, 0)
    assert found.deals == {"cup/donburiko-3p/0"}
    assert found.points == [("cup/donburiko-3p/0", 0.75), ("cup/donburiko-3p/0", 0.5)]
    assert found.won == [("cup/donburiko-3p/0", 0.5), ("cup/donburiko-3p/0", 0)]
    assert found.scores == [9, 2]
    assert found.seat_points == {0: [0.75], 1: [0.5]}


def test_scores_of_a_match_with_a_fault_stay_out_but_its_ranks_count() -> None:
    found = counts([result(TWO, "A B", [30, 2], ranks=[2, 1], faults=[0])])

    assert [own.scores for own in found.values()] == [[], []]
    assert [own.faults for own in found.values()] == [1, 0]
    assert [own.won[0][1] for own in found.values()] == [0, 1]


def test_self_play_is_won_with_the_best_score_there_is() -> None:
    found = counts([alone("A", 28), alone("B", 27), alone("A", 20, deal=1)])

    assert found["A"].won == [("cup/couperation-self-2p/0", 1), ("cup/couperation-self-2p/1", 0)]
    assert found["A"].scores == [28, 20]
    assert found["A"].points == [("cup/couperation-self-2p/0", 1)]
    assert found["B"].won == [("cup/couperation-self-2p/0", 0)]


def test_a_self_play_deal_with_a_fault_is_not_won_whatever_its_score() -> None:
    found = counts([alone("A", 28, faults=[0, 1]), alone("B", 1)])["A"]

    assert found.faults == 1
    assert found.scores == []
    assert [won for _, won in found.won] == [0]
    assert [points for _, points in found.points] == [0]


def test_a_mixed_team_s_score_is_held_against_its_deal() -> None:
    found = counts([team("A B", 20), team("C D", 28), team("E F", 18)])

    assert [found[bot].scores for bot in "ABCDEF"] == [[-2], [-2], [6], [6], [-4], [-4]]
    assert [found[bot].won[0][1] for bot in "BC"] == [0, 1]
    assert [found[bot].team_scores for bot in "ACE"] == [[20], [28], [18]]


def test_the_partner_of_a_bot_at_fault_played_but_has_no_result() -> None:
    found = counts([team("A B", 20, faults=[0]), team("C D", 28), team("E F", 18)])

    assert (found["A"].matches, len(found["A"].deals), found["A"].faults) == (1, 1, 1)
    assert found["B"] == Tally(matches=1)
    assert [found[bot].scores for bot in "ACE"] == [[], [5], [-5]]


def test_a_team_alone_on_its_deal_has_no_score_to_be_held_against() -> None:
    found = counts([team("A B", 20), team("C D", 9, faults=[0])])

    assert (found["A"].scores, found["A"].team_scores) == ([], [20])
    assert found["A"].points == [("cup/couperation-mixed-2p/0", 1)]


def test_times_are_gathered_over_all_seats_of_a_bot() -> None:
    one = Result("cup", "m", SELF, 0, ("A", "A"), (3, 3), (1, 1), action_ms=((1.0,), (2.0, 3.0)))

    assert list(tally(SELF, [one], [])["A"].action_ms) == [1.0, 2.0, 3.0]


@given(tables())
def test_every_match_hands_out_one_win_and_half_a_point_a_seat(results: list[Result]) -> None:
    found = counts(results)

    assert sum(own.matches for own in found.values()) == 3 * len(results)
    assert sum(won for own in found.values() for _, won in own.won) == pytest.approx(len(results))
    assert sum(points for own in found.values() for _, points in own.points) == pytest.approx(
        1.5 * len(results)
    )


def test_mixed_teams_are_no_category_of_seats() -> None:
    assert tally(MIXED, [team("A B", 3)], [])["A"].seat_points == {}
