"""The table of Donburiko as the operator sees it."""

from arena.games.donburiko import DONBURIKO
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
