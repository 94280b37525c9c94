"""The table of Donburiko as the operator sees it."""

from arena.games.base import Seat
from arena.games.donburiko import DONBURIKO, picture
from tests.games.donburiko_tables import table


def test_the_whole_table_is_drawn() -> None:
    state = table(
        ["2 (loach):1 4:0", None, "5"],
        ["3 1/5", "", "-2 loach"],
        [9, 14, 5],
        turn=2,
        in_round=(True, False, True),
        number=2,
        set_aside="-1",
    )

    assert DONBURIKO.draw(state) == (
        "round 2, bank 21, set aside -1\n"
        "  column 0   1 on it   2 (loach):1 4:0\n"
        "  column 1  claimed\n"
        "  column 2   0 on it   5\n"
        "  seat 0     9 tokens  3 1/5\n"
        "  seat 1    14 tokens  no cards, out of the round\n"
        "> seat 2     5 tokens  -2 loach"
    )


def test_the_last_round_is_marked() -> None:
    state = table(["1", "2"], ["3", "4"], [4, 4], number=50)

    assert DONBURIKO.draw(state).startswith("round 50, the last, bank 42\n")


def test_a_seat_sees_its_own_cards_and_no_hidden_ones() -> None:
    state = table(
        ["2 (loach):1 (4):0", None],
        ["3 1/5", "5", "", "-2 loach"],
        [9, 14, 5, 2],
        in_round=(True, True, False, True),
        number=2,
        set_aside="-1",
    )

    assert picture.draw_observation(DONBURIKO.observe(state, Seat(0))) == (
        "round 2, bank 18, 1 set aside\n"
        "  column 0   2 on it   2 (?):1 (4):0\n"
        "  column 1  claimed\n"
        "> seat 0     9 tokens  3 1/5\n"
        "  seat 1    14 tokens  1 card\n"
        "  seat 2     5 tokens  no cards, out of the round\n"
        "  seat 3     2 tokens  2 cards"
    )
