"""The table of Couperation as the operator sees it."""

from arena.games.base import Seat
from arena.games.couperation import COUPERATION as GAME
from arena.games.couperation import picture
from arena.games.couperation.cards import FINISH
from tests.games.couperation_tables import down, table, up


def test_the_whole_table_is_drawn() -> None:
    state = table(
        tower={(0, 0): up(7), (0, 1): down(14), (0, 3): up(25), (1, 0): up(FINISH)},
        hands=((3, 12, 47), (), (8, 9)),
        reserve=(1, 19, 50),
        deck=(31, 32),
        seat=2,
    )

    assert GAME.draw(state).splitlines() == [
        "                    .",
        "                 .     .",
        "              .     .     .",
        "           .     .     .     .",
        "        .     .     .     .     .",
        "     F     .     .     .     .     .",
        "  7    (14)   .     25    .     .     .",
        "  seat 0   3 12 47",
        "  seat 1   no cards",
        "> seat 2   8 9",
        "  reserve  1 19 50",
        "  removed  no cards",
        "  deck     2 left",
    ]


def test_the_finish_card_is_shown_in_front_of_its_player() -> None:
    state = table(hands=((3,), ()), front=1, variant="finish")

    assert "\n  seat 1   no cards, Finish in front\n" in GAME.draw(state)


def test_a_seat_sees_its_own_cards_and_no_hidden_ones() -> None:
    state = table(
        tower={(0, 0): up(7), (0, 1): down(14, by=0), (0, 2): down(16, by=1), (0, 3): up(25)},
        hands=((3, 12, 47), (), (8,)),
        reserve=(1, 19, 50),
        deck=(31, 32),
        front=2,
        variant="finish",
    )

    assert picture.draw_observation(GAME.observe(state, Seat(0))).splitlines()[6:] == [
        "  7    (14)  (?)    25    .     .     .",
        "> seat 0   3 12 47",
        "  seat 1   no cards",
        "  seat 2   1 card, Finish in front",
        "  reserve  1 19 50",
        "  removed  no cards",
        "  deck     2 left",
    ]
