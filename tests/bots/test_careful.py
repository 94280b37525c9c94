import pytest

from bots.careful import Careful, couperation
from tests.bots.in_process import couperation_table, outcome, place


@pytest.mark.parametrize(("card", "best"), [(3, 0), (22, 2), (28, 4), (48, 6)])
def test_careful_places_a_card_where_it_leaves_room_on_both_sides(card: int, best: int) -> None:
    value = couperation(couperation_table(None, None, None, 25, None, None, None))
    fitting = range(3) if card < 25 else range(4, 7)

    assert max(fitting, key=lambda slot: value(place(card, 0, slot))) == best


def test_careful_places_a_card_face_down_only_to_keep_room() -> None:
    value = couperation(couperation_table(None, None, None, 25, None, None, None))

    assert value(place(16, 0, 2)) > value(place(16, 0, 2, up=False))
    assert value(place(24, 0, 0)) < value(place(24, 0, 0, up=False))


def test_careful_discards_what_fits_nowhere() -> None:
    value = couperation(couperation_table(2, 8, 16, 25, 34, 42, 49))

    assert value({"type": "discard", "card": 50}) > value({"type": "discard", "card": 20})


def test_careful_draws_when_it_may() -> None:
    value = couperation(couperation_table(None, None, None, 25, None, None, None))

    assert value({"type": "draw", "count": 1}) > value({"type": "draw", "count": 0})


@pytest.mark.parametrize(("players", "least"), [(2, 23), (3, 24), (4, 25)])
def test_a_team_of_careful_builds_most_of_the_tower(players: int, least: int) -> None:
    deals = 8
    scores = [
        outcome("couperation", number, [Careful() for _ in range(players)]).scores[0]
        for number in range(deals)
    ]

    assert sum(scores) / deals >= least
