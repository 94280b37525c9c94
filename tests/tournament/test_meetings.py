import pytest

from arena.referee.category import Category, Mode
from arena.tournament.meetings import groups
from arena.tournament.schedule import Conditions, schedule
from tests.ratings.made import MIXED, SELF, THREE, TWO


def sizes(
    category: Category, bots: int, deals: int = 9, most: int | None = None, authors: int = 9
) -> list[int]:
    """Return how large the groups are; each of so many ``authors`` has every so manieth bot."""
    names = [f"b{number}" for number in range(bots)]
    of = {name: f"author {number % authors}" for number, name in enumerate(names)}
    made = schedule({category: deals}, dict.fromkeys(names), Conditions(of, most))
    (section,) = made.sections
    found = groups(section)
    assert sorted(bot for group in found for bot in group) == list(section.bots)
    return [len(group) for group in found]


@pytest.mark.parametrize("category", [TWO, THREE, SELF, MIXED])
def test_in_a_whole_schedule_everybody_can_be_compared(category: Category) -> None:
    assert sizes(category, 8) == [8]


def test_a_single_round_is_pairs_that_never_meet_the_others() -> None:
    assert sizes(TWO, 6, most=2) == [2, 2, 2]
    assert sizes(TWO, 6, most=4) == [6]


def test_a_bot_without_a_table_is_a_group_of_its_own() -> None:
    assert sizes(THREE, 7, most=3) == [3, 3, 1]


def test_who_sits_out_the_only_deal_meets_nobody() -> None:
    assert sizes(MIXED, 5, deals=1) == [4, 1]
    assert sizes(MIXED, 5, deals=2) == [5]


def test_authors_that_are_kept_apart_are_compared_by_way_of_others() -> None:
    four = Category("donburiko", "standard", Mode.TABLE, 4)

    assert sizes(four, 12, authors=4) == [12]
