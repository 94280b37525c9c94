import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import RecordError
from arena.ratings.batch import rate
from arena.ratings.leaderboard import Leaderboard, Row, Share, leaderboard, leaderboards_of
from arena.ratings.result import Result
from arena.ratings.retiring import Retired
from arena.ratings.statistics import wilson
from arena.ratings.units import units
from tests.ratings.made import (
    MIXED,
    SELF,
    THREE,
    TWO,
    alone,
    result,
    self_play,
    tables,
    team,
)


def by_bot(board: Leaderboard) -> dict[str, Row]:
    return {row.bot: row for row in board.rows}


def duplicates(deals: int, wins: int) -> list[Result]:
    """Return A against B in both seatings of each deal; A wins both on the first ``wins``."""
    return [
        result(TWO, bots, [3, 1] if (bots[0] == "A") == (deal < wins) else [1, 3], deal=deal)
        for deal in range(deals)
        for bots in ("A B", "B A")
    ]


def test_a_table_of_duplicates() -> None:
    board = leaderboard(TWO, duplicates(deals=40, wins=30))
    best = board.rows[0]

    assert (board.matches, board.deals, board.left_out) == (80, 40, 0)
    assert board.deff == 2
    assert (best.bot, best.place, best.tied, best.places) == ("A", 1, False, (1, 1))
    assert best.p_next == board.p_better(*board.rows)
    assert best.won == Share(0.75, *wilson(30, 40))
    assert (best.points, best.seat_points, best.score) == (0.75, (0.75, 0.75), 2.5)
    assert (best.matches, best.deals, best.faults, best.provisional) == (80, 40, 0, False)
    assert best.score_half_width is None


def test_the_interval_is_the_rating_s_in_the_pool_with_the_design_effect() -> None:
    row = leaderboard(TWO, duplicates(deals=40, wins=30)).rows[0]

    assert row.half_width == pytest.approx(1.96 * row.rating.sigma / 2 * 2**0.5)
    assert row.elo > 0


def test_the_last_row_is_better_than_nobody() -> None:
    last = leaderboard(TWO, duplicates(deals=40, wins=30)).rows[-1]

    assert (last.bot, last.place, last.p_next, last.tied) == ("B", 2, None, False)


def test_equal_bots_are_tied_in_order_of_name() -> None:
    board = leaderboard(TWO, duplicates(deals=40, wins=20))

    assert [(row.bot, row.tied, row.places) for row in board.rows] == [
        ("A", True, (1, 2)),
        ("B", False, (1, 2)),
    ]
    assert all(row.provisional for row in board.rows)


def test_few_deals_are_provisional_however_clear() -> None:
    assert all(row.provisional for row in leaderboard(TWO, duplicates(29, 29)).rows)
    assert not any(row.provisional for row in leaderboard(TWO, duplicates(30, 30)).rows)


def test_a_self_play_table() -> None:
    board = leaderboard(SELF, self_play({"A": [28, 24, 28], "B": [20, 22, 24], "C": [20, 10, 3]}))
    rows = by_bot(board)

    assert [row.bot for row in board.rows] == ["A", "B", "C"]
    assert (board.deals, board.matches, board.deff) == (3, 9, 1)
    assert rows["A"].won == Share(2 / 3, *wilson(2, 3))
    assert (rows["B"].score, rows["B"].score_half_width) == pytest.approx((22, 1.96 * 2 / 3**0.5))
    assert rows["B"].points == pytest.approx((0.25 + 0.5 + 0.5) / 3)
    assert rows["B"].seat_points == ()


def test_a_mixed_table() -> None:
    played = [
        [team("A B", 28), team("C D", 20)],
        [team("A C", 26, deal=1), team("B D", 20, deal=1)],
        [team("A D", 24, deal=2), team("B C", 20, deal=2)],
    ]
    board = leaderboard(MIXED, [one for deal in played for one in deal])
    rows = by_bot(board)

    assert board.rows[0].bot == "A"
    assert rows["A"].score == pytest.approx((4 + 3 + 2) / 3)
    assert rows["A"].team_score == (28 + 26 + 24) / 3
    assert rows["D"].score == pytest.approx((-4 - 3 + 2) / 3)
    assert rows["A"].won == Share(1 / 3, *wilson(1, 3))


def test_a_bot_whose_partner_always_faults_is_listed_with_nothing_told_of_it() -> None:
    board = leaderboard(MIXED, [team("A B", 9, faults=[0]), team("C D", 20), team("E F", 22)])
    row = by_bot(board)["B"]

    assert (row.matches, row.deals, row.faults) == (1, 0, 0)
    assert (row.won, row.points, row.score) == (None, None, None)
    assert (row.rating.mu, row.provisional) == (25, True)
    assert board.batch.components == (("A", "C", "D", "E", "F"), ("B",))


def test_a_bot_that_only_faults_is_last_and_the_others_scores_stay_out_of_means() -> None:
    played = [
        result(THREE, bots, [5, 7, 9], deal=deal, ranks=ranks, faults=[bots.split().index("X")])
        for deal in range(4)
        for bots, ranks in (("A B X", [2, 1, 3]), ("X A B", [3, 2, 1]), ("B X A", [1, 3, 2]))
    ]
    last = leaderboard(THREE, played).rows[-1]

    assert (last.bot, last.faults, last.score, last.points) == ("X", 12, None, 0)


def test_a_bot_that_only_faults_is_last_in_self_play_too() -> None:
    played = [
        *self_play({"A": [0, 3], "B": [1, 0]}),
        *(alone("X", 28, deal=deal, faults=[0]) for deal in (0, 1)),
    ]
    last = leaderboard(SELF, played).rows[-1]

    assert (last.bot, last.faults, last.deals) == ("X", 2, 2)
    assert last.won == Share(0, *wilson(0, 2))


@settings(max_examples=20)  # two whole tables each
@given(tables(), st.randoms(use_true_random=False))
def test_the_order_of_results_changes_nothing_at_all(
    results: list[Result], rng: random.Random
) -> None:
    shuffled = list(results)
    rng.shuffle(shuffled)

    assert leaderboard(THREE, shuffled) == leaderboard(THREE, results)


@settings(max_examples=20)  # a whole table each
@given(tables())
def test_rows_are_in_order_of_rating(results: list[Result]) -> None:
    board = leaderboard(THREE, results)
    mus = [row.rating.mu for row in board.rows]

    assert mus == pytest.approx(sorted(mus, reverse=True), abs=1e-4)
    assert [row.place for row in board.rows] == list(range(1, len(mus) + 1))
    assert {row.bot for row in board.rows} == {bot for one in results for bot in one.bots}


def test_line_ups_that_cannot_be_rated_are_counted_and_left_out() -> None:
    board = leaderboard(TWO, [*duplicates(2, 1), result(TWO, "C C", [1, 2])])

    assert board.left_out == 1
    assert set(by_bot(board)) == {"A", "B"}


def test_a_bot_alone_in_its_category_keeps_the_prior() -> None:
    (row,) = leaderboard(SELF, self_play({"A": [20, 28]})).rows

    assert (row.rating.mu, row.places, row.p_next) == (25, (1, 1), None)
    assert row.half_width == pytest.approx(1.96 * 25 / 3)
    assert (row.score, row.points, row.provisional) == (24, None, True)


def test_a_category_that_nobody_played_has_no_rows() -> None:
    board = leaderboard(SELF, duplicates(2, 1))

    assert (board.rows, board.matches, board.rated) == ((), 0, False)


def test_times_are_a_median_and_a_99th_percentile() -> None:
    one, *others = duplicates(2, 1)
    timed = replace(one, action_ms=(tuple(float(ms) for ms in range(200, 0, -1)), ()))
    rows = by_bot(leaderboard(TWO, [timed, *others]))

    assert rows["A"].action_ms == (100, 198)
    assert rows["B"].action_ms is None


def test_a_pool_takes_the_weakest_condition() -> None:
    rated, *others = (replace(one, rated=True, tier="bwrap") for one in duplicates(2, 1))
    unrated = replace(rated, rated=False, tier="none")

    assert leaderboard(TWO, [rated, *others]).rated
    assert leaderboard(TWO, [unrated, *others]).tiers == ("bwrap", "none")
    assert not leaderboard(TWO, [unrated, *others]).rated


def test_kept_ratings_are_used_for_the_same_units_only() -> None:
    played = duplicates(4, 3)
    kept = rate(units(TWO, played), bots=["A", "B"])
    marked = replace(kept, sweeps=999)

    assert leaderboard(TWO, played, kept) == leaderboard(TWO, played)
    assert leaderboard(TWO, played, marked).batch.sweeps == 999
    assert leaderboard(TWO, played[:-1], marked).batch.sweeps < 999
    assert leaderboard(TWO, played, replace(marked, method=0)).batch.sweeps < 999


def test_a_match_that_is_there_twice_is_refused() -> None:
    played = duplicates(2, 1)

    with pytest.raises(RecordError, match="twice"):
        leaderboard(TWO, [*played, played[0]])


def test_a_bot_without_a_row_counts_in_the_ratings_of_all_others() -> None:
    played = [
        result(TWO, bots, [2, 1], deal=deal) for deal in range(9) for bots in ("A B", "B C", "A C")
    ]
    whole, part = leaderboard(TWO, played), leaderboard(TWO, played, hidden=["B", "never"])
    first, last = part.rows

    assert (part.hidden, part.matches, part.batch) == (("B",), whole.matches, whole.batch)
    assert [first.rating, last.rating] == [whole.rows[0].rating, whole.rows[2].rating]
    assert first.half_width == whole.rows[0].half_width
    assert (first.elo, first.won) == (whole.rows[0].elo, whole.rows[0].won)


def test_places_are_those_among_the_rows() -> None:
    played = [
        result(TWO, bots, [2, 1], deal=deal) for deal in range(9) for bots in ("A B", "B C", "A C")
    ]
    first, last = leaderboard(TWO, played, hidden=["A"]).rows
    whole = leaderboard(TWO, played)

    assert [(row.bot, row.place) for row in (first, last)] == [("B", 1), ("C", 2)]
    assert max(first.places[1], last.places[1]) == 2
    assert first.p_next == whole.p_better(whole.rows[1], whole.rows[2])


def test_a_fit_starts_from_what_was_kept_of_other_matches() -> None:
    played = duplicates(40, 30)
    kept = leaderboard(TWO, played[:-1]).batch
    warm, fresh = leaderboard(TWO, played, kept), leaderboard(TWO, played)

    assert warm.batch.sweeps < fresh.batch.sweeps
    for one, other in zip(warm.rows, fresh.rows, strict=True):
        assert f"{one.rating.mu:.2f} {one.half_width:.2f}" == (
            f"{other.rating.mu:.2f} {other.half_width:.2f}"
        )


# Few deals


def test_rotations_of_one_deal_tell_nobody_apart() -> None:
    board = leaderboard(TWO, duplicates(deals=1, wins=1))
    best, last = board.rows

    assert (board.deff, board.deff_is_assumed) == (2, True)
    assert (best.tied, best.places, last.places) == (True, (1, 2), (1, 2))


def test_a_win_rate_is_no_surer_than_its_matches() -> None:
    """Every deal is won by the first seat, so that duplicates cancel."""
    played = [result(TWO, bots, [2, 1], deal=deal) for deal in range(20) for bots in ("A B", "B A")]
    board = leaderboard(TWO, played)

    assert board.deff == 0.25
    assert board.rows[0].won == Share(0.5, *wilson(20, 40))


@pytest.mark.parametrize(("deals", "provisional"), [(99, True), (100, False)])
def test_mixed_teams_need_more_deals(deals: int, provisional: bool) -> None:
    played = [
        team(bots, score, deal=deal)
        for deal in range(deals)
        for bots, score in ((("A B", 20), ("C D", 9)), (("A C", 20), ("B D", 9)))[deal % 2]
    ]
    best = by_bot(leaderboard(MIXED, played))["A"]

    assert best.places == (1, 1)
    assert best.provisional is provisional


# Groups


def two_groups() -> list[Result]:
    """Return A > B > C and X > Y, who never met the others."""
    return [
        result(TWO, bots, [2, 1], deal=deal)
        for deal in range(40)
        for bots in ("A B", "B C", "A C", "X Y")
    ]


def test_groups_that_never_met_have_places_of_their_own() -> None:
    board = leaderboard(TWO, two_groups())

    assert board.groups == 2
    assert [(row.group, row.place, row.bot, row.places) for row in board.rows] == [
        (1, 1, "A", (1, 1)),
        (1, 2, "B", (2, 2)),
        (1, 3, "C", (3, 3)),
        (2, 1, "X", (1, 1)),
        (2, 2, "Y", (2, 2)),
    ]
    assert [row.bot for row in board.rows if row.p_next is None] == ["C", "Y"]
    assert not any(row.tied for row in board.rows)


def test_nothing_is_told_of_bots_of_different_groups() -> None:
    first, *_, last = leaderboard(TWO, two_groups()).rows

    with pytest.raises(ValueError, match="A and Y never met"):
        leaderboard(TWO, two_groups()).p_better(first, last)


def test_a_group_is_rated_as_if_there_were_no_other() -> None:
    whole = leaderboard(TWO, two_groups())
    best, last = whole.rows[3:]

    assert best.half_width == pytest.approx(1.96 * best.rating.sigma / 2 * whole.deff**0.5)
    assert best.elo == pytest.approx(-last.elo)
    assert best.p_next == whole.p_better(best, last)


def test_a_group_without_a_row_has_no_number() -> None:
    board = leaderboard(TWO, two_groups(), hidden=["A", "B", "C"])

    assert [(row.group, row.bot) for row in board.rows] == [(1, "X"), (1, "Y")]
    assert board.groups == 1


def test_whoever_only_met_retired_bots_is_neither_rated_nor_forgotten() -> None:
    out = Retired(TWO.name, "A", 3, 3, could_not_start=True)
    others = [result(TWO, bots, [3, 1], deal=9) for bots in ("C D", "D C")]

    (board,) = leaderboards_of([*duplicates(deals=2, wins=1), *others], {(TWO.name, "A"): out})

    assert set(by_bot(board)) == {"C", "D"}
    assert (board.retired, board.unmatched) == ((out,), ("B",))
