from collections import Counter
from collections.abc import Collection
from itertools import combinations, islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tournament.teams import Teams, teams

SIZES = [(bots, size) for size in (2, 3, 4) for bots in range(2 * size, 41)]
SMALL = [(bots, size) for bots, size in SIZES if bots <= 12]


def spread(counts: Collection[int]) -> int:
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


def check_balance(bots: int, size: int, deals: Collection[int]) -> None:
    """Check, after so many ``deals``, how often bots were partners, sat out, and had a seat."""
    pairs = dict.fromkeys(combinations(range(bots), 2), 0)
    taken = [[0] * size for _ in range(bots)]
    for number, drawn in enumerate(islice(teams(bots, size), max(deals)), start=1):
        for team in drawn:
            for seat, bot in enumerate(team):
                taken[bot][seat] += 1
            for pair in combinations(sorted(team), 2):
                pairs[pair] += 1
        if number in deals:
            assert spread(pairs.values()) <= size
            assert spread(list(map(sum, taken))) <= 1
            assert max(map(spread, taken)) <= 4


@pytest.mark.parametrize(("bots", "size"), SMALL)
def test_partners_seats_and_deals_sat_out_are_balanced(bots: int, size: int) -> None:
    check_balance(bots, size, range(1, 101))


@pytest.mark.parametrize("size", [2, 3, 4])
def test_so_they_are_with_up_to_forty_bots(size: int) -> None:
    for bots in range(13, 41):
        check_balance(bots, size, [1, 4, 12, 30])


@pytest.mark.long
@pytest.mark.parametrize(("bots", "size"), SIZES)
def test_the_balance_holds_at_every_moment_of_a_thousand_deals(bots: int, size: int) -> None:
    check_balance(bots, size, range(1, 1001))


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


@given(
    authors=st.lists(st.integers(0, 5), min_size=1, max_size=14),
    size=st.integers(1, 4),
    deals=st.integers(1, 9),
)
def test_partners_are_of_different_authors_and_no_team_more_could_be_made(
    authors: list[int], size: int, deals: int
) -> None:
    if len(set(authors)) < size:
        with pytest.raises(ValueError, match="no team of"):
            next(teams(len(authors), size, authors))
        return
    bots = Counter(authors).values()
    # One team more would need bots that are not there, or two of one author in it.
    most = max(t for t in range(15) if sum(min(own, t) for own in bots) >= size * t)

    for drawn in islice(teams(len(authors), size, authors), deals):
        playing = [bot for team in drawn for bot in team]
        assert len(drawn) == most
        assert len(set(playing)) == len(playing)
        assert all(len({authors[bot] for bot in team}) == len(team) == size for team in drawn)


def test_bots_of_authors_that_are_no_bottleneck_play_as_often_as_others() -> None:
    authors = [0, 0, 0, 1, 1, 2, 3, 4, 5, 6, 7]
    drawn = list(islice(teams(11, 3, authors), 60))

    assert spread(deals_played(drawn, 11)) <= 1
    assert max(map(spread, seats(drawn, 11, 3))) <= 4
    met = Counter(pair for deal in drawn for team in deal for pair in combinations(sorted(team), 2))
    may = [pair for pair in combinations(range(11), 2) if authors[pair[0]] != authors[pair[1]]]
    assert met.keys() == set(may)


def test_bots_of_an_author_with_too_many_take_turns() -> None:
    """Four of them and five others make two teams of three at a time, with one of them each."""
    drawn = list(islice(teams(9, 3, [0, 0, 0, 0, 0, 1, 2, 3, 4]), 50))

    played = deals_played(drawn, 9)
    assert played[5:] == [50] * 4
    assert sorted(played[:5]) == [20] * 5


def test_where_no_two_bots_are_of_one_author_the_authors_change_nothing() -> None:
    assert list(islice(teams(9, 4, range(9)), 20)) == list(islice(teams(9, 4), 20))
