import pytest

from arena.ratings.cooperation import TeamRow, TeamTable, side_by_side
from arena.ratings.leaderboard import leaderboard
from arena.ratings.result import Result
from tests.ratings.made import MIXED, SELF, TWO, alone, result, self_play, team

DEALS = 42
TEAMS = (
    {"host x": 24, "hermit y": 9},
    {"host y": 23, "hermit x": 8},
    {"host hermit": 11, "x y": 13},
)


def hermit_and_host() -> list[Result]:
    """Return results in which ``hermit`` is good with itself alone, and ``host`` with everyone."""
    scores = {"hermit": [28, 26] * 20, "host": [22, 21] * 20, "x": [12, 11] * 20}
    mixed = [
        team(bots, score + deal % 2, deal=deal)
        for deal in range(DEALS)
        for bots, score in TEAMS[deal % 3].items()
    ]
    return [*self_play(scores), *mixed]


def table(results: list[Result]) -> TeamTable:
    (found,) = side_by_side([leaderboard(SELF, results), leaderboard(MIXED, results)])
    assert isinstance(found, TeamTable)
    return found


def test_who_is_good_with_itself_alone_and_who_with_everyone_swap_places() -> None:
    found = table(hermit_and_host())

    assert found.mixed is not None
    assert [row.bot for row in found.alone.rows] == ["hermit", "host", "x"]
    order = [row.bot for row in found.mixed.rows]
    assert order[0] == "host"
    assert order.index("hermit") > order.index("x")
    assert found.mixed.p_better(found.mixed.rows[0], found.mixed.rows[order.index("hermit")]) > 0.99


def test_the_gap_is_what_a_bot_s_own_kind_is_worth_to_it() -> None:
    gaps = {row.bot: row.gap for row in table(hermit_and_host()).rows}

    # The mean of a bot's own scores less that of its teams, which have half a card more by deal.
    assert gaps["hermit"] == pytest.approx(27 - (9 + 8 + 11) / 3 - 0.5)
    assert gaps["host"] == pytest.approx(21.5 - (24 + 23 + 11) / 3 - 0.5)
    assert gaps["y"] is None


def test_the_rows_are_those_of_self_play_and_then_the_others() -> None:
    rows = table(hermit_and_host()).rows

    assert [row.bot for row in rows] == ["hermit", "host", "x", "y"]
    assert rows[-1].alone is None


def test_scores_of_matches_with_a_fault_are_not_in_the_gap() -> None:
    played = [
        *self_play({"A": [20, 20], "B": [10, 10]}),
        *(alone("A", 0, deal=2, faults=[0]), team("A B", 12), team("C D", 5)),
        *(team("A D", 3, deal=1, faults=[0]), team("B C", 9, deal=1)),
    ]
    gaps = {row.bot: row.gap for row in table(played).rows}

    assert gaps == {"A": 8, "B": -0.5, "C": None, "D": None}


def test_a_table_without_its_partner_stands_alone() -> None:
    duel = leaderboard(TWO, [result(TWO, "A B", [2, 1])])
    own = leaderboard(SELF, self_play({"A": [20], "B": [21]}))
    mixed = leaderboard(MIXED, [team("A B", 20), team("C D", 21)])

    assert side_by_side([duel, own]) == [duel, TeamTable(own, None)]
    assert side_by_side([duel, mixed]) == [duel, mixed]
    assert side_by_side([duel, own, mixed]) == [duel, TeamTable(own, mixed)]
    assert TeamTable(own, None).rows[0] == TeamRow("B", own.rows[0], None)
    assert TeamRow("B", own.rows[0], None).gap is None
