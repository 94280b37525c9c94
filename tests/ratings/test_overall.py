from dataclasses import replace

import pytest

from arena.ratings.leaderboard import Leaderboard, leaderboard
from arena.ratings.overall import overall, p_scores
from arena.ratings.trueskill import Rating
from tests.ratings.made import MIXED, SELF, THREE, TWO, result, self_play, team


def duels(bots: str) -> Leaderboard:
    """Return a table on which each bot has beaten all that are named after it."""
    played = [
        result(TWO, f"{one} {other}", [2, 1], deal=deal)
        for deal in range(3)
        for at, one in enumerate(bots)
        for other in bots[at + 1 :]
    ]
    return leaderboard(TWO, played)


def alone(bots: str) -> Leaderboard:
    return leaderboard(
        SELF, self_play({bot: [28 - 5 * at, 20 - 5 * at] for at, bot in enumerate(bots)})
    )


VECTOR_6 = {
    "A": ([28, 24, 19, 28, 22], Rating(30.4756, 2.6416), 0.9477),
    "B": ([26, 24, 15, 28, 20], Rating(26.8079, 2.5327), 0.6259),
    "C": ([28, 20, 17, 25, 14], Rating(24.5806, 2.5963), 0.4124),
    "D": ([21, 17, 12, 23, 16], Rating(18.1358, 3.1784), 0.0140),
}
"""Scores, rating and P-score by bot: computed with the package and checked with other libraries.

The ratings go with units called s0 to s4, since ids decide the order of tied sides.
"""


def vector_6() -> Leaderboard:
    return leaderboard(SELF, self_play({bot: scores for bot, (scores, _, _) in VECTOR_6.items()}))


def test_ratings_and_p_scores_of_vector_6() -> None:
    board = vector_6()

    assert board.batch.draw_probability == pytest.approx(0.08)
    assert [row.bot for row in board.rows] == list(VECTOR_6)
    for row in board.rows:
        _, rating, _ = VECTOR_6[row.bot]
        assert (row.rating.mu, row.rating.sigma) == pytest.approx(
            (rating.mu, rating.sigma), abs=0.01
        )
    expected = {bot: score for bot, (_, _, score) in VECTOR_6.items()}
    assert p_scores(board) == pytest.approx(expected, abs=2e-3)


def test_p_scores_of_vector_6_to_the_last_digit() -> None:
    board = vector_6()
    rows = tuple(replace(row, rating=VECTOR_6[row.bot][1]) for row in board.rows)

    table = overall([replace(board, rows=rows)])

    assert [row.bot for row in table.rows] == list(VECTOR_6)
    assert [f"{(row.overall or 0) / 100:.4f}" for row in table.rows] == [
        f"{score:.4f}" for _, _, score in VECTOR_6.values()
    ]


def test_p_scores_of_a_table_average_one_half() -> None:
    assert sum(p_scores(duels("ABCD")).values()) == pytest.approx(2)
    assert p_scores(duels("")) == p_scores(alone("A")) == {}


def test_games_weigh_the_same_however_many_categories_they_have() -> None:
    three = leaderboard(THREE, [result(THREE, "A B C", [3, 2, 1], deal=deal) for deal in range(3)])
    boards = [duels("ABC"), three, alone("CBA")]
    scores = [p_scores(board) for board in boards]
    found = {row.bot: row for row in overall(boards).rows}

    for bot in "ABC":
        two, more, own = (score[bot] for score in scores)
        assert found[bot].overall == pytest.approx(100 * ((two + more) / 2 + own) / 2, abs=1e-4)
        assert found[bot].p_scores == (two, more, own)


def test_rows_are_best_first() -> None:
    table = overall([duels("ABC"), alone("ABC")])

    assert [(row.place, row.bot) for row in table.rows] == [(1, "A"), (2, "B"), (3, "C")]
    assert table.categories == (TWO, SELF)


def test_bots_with_equal_figures_share_a_place() -> None:
    assert [row.place for row in overall([duels("AB"), alone("BA")]).rows] == [1, 2]
    same = leaderboard(SELF, self_play({"A": [20, 20], "B": [20, 20]}))

    assert [(row.place, row.overall) for row in overall([same]).rows] == [(1, 50), (1, 50)]


def test_a_bot_that_is_missing_in_a_category_is_listed_unranked() -> None:
    rows = overall([duels("ABC"), alone("BA")]).rows
    (missing,) = (row for row in rows if row.place is None)

    assert rows[-1] == missing
    assert (missing.bot, missing.overall, missing.p_scores[1]) == ("C", None, None)


def test_mixed_teams_and_tables_of_one_do_not_count() -> None:
    mixed = leaderboard(MIXED, [team("A B", 20), team("C D", 22)])
    table = overall([mixed, alone("A"), duels("AB")])

    assert table.categories == (TWO,)
    assert [row.bot for row in table.rows] == ["A", "B"]


def test_nothing_gives_an_empty_table() -> None:
    assert overall([]).rows == ()


def apart() -> Leaderboard:
    """Return a table on which A has beaten B, and C has beaten D."""
    return leaderboard(THREE, [result(THREE, bots, [3, 2, 1]) for bots in ("A B E", "C D F")])


def test_a_p_score_is_over_the_bot_s_own_group() -> None:
    found = p_scores(apart())

    assert sum(found[bot] for bot in "ABE") == pytest.approx(1.5)
    assert found["A"] == pytest.approx(found["C"])


def test_a_category_whose_bots_never_met_does_not_count() -> None:
    table = overall([duels("ABCD"), apart(), alone("ABCD")])

    assert [category.name for category in table.categories] == ["donburiko-2p", SELF.name]
    assert [category.name for category in table.apart] == ["donburiko-3p"]
    assert [row.place for row in table.rows] == [1, 2, 3, 4]
