from collections import Counter
from itertools import combinations
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tournament.tables import (
    Table,
    all_tables,
    balanced,
    count_tables,
    most_tables,
    rounds,
)
from tests import spec_schedule

CHOSEN = [(bots, size) for size in (3, 4) for bots in range(4, 41) if comb(bots, size) > 60]
"""Numbers of bots that have more than 60 tables."""

authors_of = st.lists(st.integers(0, 6), min_size=3, max_size=14)


def tables_each(tables: list[Table], bots: int) -> list[int]:
    count = Counter(bot for table in tables for bot in table)
    return [count[bot] for bot in range(bots)]


def meetings(tables: list[Table], authors: list[int]) -> list[int]:
    """Return how often those met who may, in order of the pairs."""
    met = Counter(pair for table in tables for pair in combinations(table, 2))
    may = combinations(range(len(authors)), 2)
    return [met[one, other] for one, other in may if authors[one] != authors[other]]


def spread(counts: list[int]) -> int:
    return max(counts) - min(counts)


# Everybody an author


@pytest.mark.parametrize(("bots", "size"), CHOSEN)
def test_all_bots_have_twelve_tables_and_meet_about_as_often(bots: int, size: int) -> None:
    tables = list(balanced(tuple(range(bots)), size, 12))

    assert tables_each(tables, bots) == [12] * bots
    assert spread(meetings(tables, list(range(bots)))) <= 3


@pytest.mark.parametrize("most", [1, 2, 5, 7, 11])
def test_where_seats_do_not_come_out_even_a_few_bots_have_one_table_less(most: int) -> None:
    for bots, size in CHOSEN:
        each = tables_each(list(balanced(tuple(range(bots)), size, most)), bots)

        assert each.count(most - 1) == bots * most % size
        assert each.count(most) == bots - bots * most % size


def test_twelve_bots_at_tables_of_four() -> None:
    tables = list(balanced(tuple(range(12)), 4, 12))

    assert len(tables) == 36
    assert spread(meetings(tables, list(range(12)))) == 3


def test_tables_are_the_same_ones_for_everybody() -> None:
    """They are published and made again by others, so they must never drift."""
    assert balanced(tuple(range(9)), 4, 2) == (
        (0, 2, 3, 8),
        (1, 5, 6, 7),
        (0, 2, 4, 5),
        (3, 4, 7, 8),
    )


# Authors


@given(authors=authors_of, size=st.integers(2, 4), most=st.integers(1, 12))
def test_tables_differ_and_nobody_sits_with_a_bot_of_the_same_author(
    authors: list[int], size: int, most: int
) -> None:
    tables = list(balanced(tuple(authors), size, most))

    assert len(set(tables)) == len(tables)
    assert all(list(table) == sorted(table) for table in tables)
    assert all(len({authors[bot] for bot in table}) == size for table in tables)
    assert max(tables_each(tables, len(authors))) <= most


@given(authors=authors_of, size=st.integers(3, 4), most=st.integers(1, 12))
def test_tables_are_those_of_the_specification(authors: list[int], size: int, most: int) -> None:
    if len(set(authors)) >= size:
        again = spec_schedule.balanced(authors, size, most)

        assert list(balanced(tuple(authors), size, most)) == again


@pytest.mark.parametrize(
    ("authors", "size"),
    [
        ([0, 0, 0, 0, *range(4, 16)], 4),
        ([0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8], 3),
        ([0, 0, 0, 3, 3, 5, 6, 7, 8, 9], 3),
    ],
)
def test_an_author_with_up_to_one_in_so_many_bots_costs_nobody_a_table(
    authors: list[int], size: int
) -> None:
    assert tables_each(list(balanced(tuple(authors), size, 12)), len(authors)) == (
        [12] * len(authors)
    )


def test_the_bots_of_an_author_with_more_share_the_seats_that_there_are() -> None:
    """Seven others can be at 28 tables of four, each with one of the author's five bots."""
    each = tables_each(list(balanced((0, 0, 0, 0, 0, *range(5, 12)), 4, 12)), 12)

    assert each[5:] == [12] * 7
    assert sorted(each[:5]) == [5, 5, 6, 6, 6]


def test_many_bots_of_few_authors_do_not_look_for_tables_for_long() -> None:
    """Only one bot is of a fourth author: there are twelve tables, and then nothing to try."""
    authors = tuple(sorted([0, 1, 2] * 100))

    assert len(balanced((*authors, 3), 4, 12)) == 12


def test_too_few_authors_make_no_table() -> None:
    assert balanced((0, 0, 0, 1, 1, 1), 3, 12) == ()
    assert most_tables([36, 36], 3) == 0


# All tables, and pairs


@given(authors=authors_of, size=st.integers(1, 5))
def test_all_tables_are_counted_without_being_made(authors: list[int], size: int) -> None:
    tables = list(all_tables(authors, size))

    assert count_tables(authors, size) == len(tables) == len(set(tables))
    assert tables == sorted(tables)
    assert all(len({authors[bot] for bot in table}) == size for table in tables)


@given(bots=st.integers(2, 30), data=st.data())
def test_in_each_round_everybody_meets_somebody_else(bots: int, data: st.DataObject) -> None:
    number = data.draw(st.integers(0, bots - 1 + bots % 2))

    pairs = list(rounds(bots, number))

    assert len(set(pairs)) == len(pairs) == number * (bots // 2)
    each = tables_each(pairs, bots)
    assert max(each) <= number
    assert spread(each) <= bots % 2


@pytest.mark.parametrize("bots", [2, 3, 8, 9])
def test_all_rounds_are_all_pairs(bots: int) -> None:
    assert sorted(rounds(bots, bots - 1 + bots % 2)) == list(combinations(range(bots), 2))
