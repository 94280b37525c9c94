from collections import Counter
from itertools import combinations, islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tournament.teams import Teams, teams

SIZES = [(bots, size) for size in (2, 3, 4) for bots in range(2 * size, 13)]


def spread(counts: list[int]) -> int:
    return max(counts) - min(counts)


def partners(drawn: list[Teams], bots: int) -> list[int]:
    met = Counter(pair for deal in drawn for team in deal for pair in combinations(sorted(team), 2))
    return [met[pair] for pair in combinations(range(bots), 2)]


def deals_played(drawn: list[Teams], bots: int) -> list[int]:
    played = Counter(bot for deal in drawn for team in deal for bot in team)
    return [played[bot] for bot in range(bots)]


def seats(drawn: list[Teams], bots: int, size: int) -> list[list[int]]:
    taken = Counter((bot, seat) for deal in drawn for team in deal for seat, bot in enumerate(team))
    return [[taken[bot, seat] for seat in range(size)] for bot in range(bots)]


def check_balance(bots: int, size: int, deals: list[int]) -> None:
    drawn = list(islice(teams(bots, size), max(deals)))
    for number in deals:
        so_far = drawn[:number]
        assert spread(partners(so_far, bots)) <= size
        assert spread(deals_played(so_far, bots)) <= 1
        assert max(map(spread, seats(so_far, bots, size))) <= 3


@pytest.mark.parametrize(("bots", "size"), SIZES)
def test_partners_seats_and_deals_sat_out_are_balanced(bots: int, size: int) -> None:
    check_balance(bots, size, [1, 2, 3, 5, 10, 20, 50, 100])


@pytest.mark.long
@pytest.mark.parametrize(("bots", "size"), SIZES)
def test_the_balance_holds_at_every_moment_of_a_thousand_deals(bots: int, size: int) -> None:
    check_balance(bots, size, list(range(1, 1001)))


@given(size=st.integers(1, 6), more=st.integers(0, 14), deals=st.integers(1, 12))
def test_each_deal_has_as_many_disjoint_teams_as_there_can_be(
    size: int, more: int, deals: int
) -> None:
    bots = size + more

    for drawn in islice(teams(bots, size), deals):
        playing = [bot for team in drawn for bot in team]
        assert {len(team) for team in drawn} == {size}
        assert len(drawn) == bots // size
        assert len(set(playing)) == len(playing)
        assert set(playing) <= set(range(bots))


def test_all_partners_come_round_in_the_fewest_deals_for_nine_bots_in_threes() -> None:
    assert partners(list(islice(teams(9, 3), 4)), 9) == [1] * 36


def test_teams_are_the_same_ones_for_everybody() -> None:
    """Who plays with whom is published and made again by others: it must never drift."""
    assert list(islice(teams(7, 3), 4)) == [
        ((4, 1, 6), (0, 2, 5)),
        ((2, 6, 1), (5, 4, 3)),
        ((2, 5, 4), (1, 3, 0)),
        ((6, 0, 5), (3, 4, 2)),
    ]


@pytest.mark.parametrize(("bots", "size"), [(0, 0), (3, 0), (2, 3)])
def test_a_team_needs_enough_bots(bots: int, size: int) -> None:
    with pytest.raises(ValueError, match="no team of"):
        next(teams(bots, size))
