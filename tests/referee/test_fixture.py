from arena.referee.category import Category, Mode
from arena.referee.fixture import Fixture


def test_a_match_is_named_by_its_category_deal_and_seating() -> None:
    category = Category("donburiko", "standard", Mode.TABLE, 3)

    assert Fixture(category, 17, ("c", "a", "b")).match == "donburiko-3p/17/c+a+b"
