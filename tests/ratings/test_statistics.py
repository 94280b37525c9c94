import hashlib
import hmac
import math
from statistics import NormalDist, fmean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.ratings.statistics import (
    DRAWS,
    _deviates,
    design_effect,
    effective_sigma,
    elo_gap,
    likeness_effect,
    mean_interval,
    outlook,
    p_better,
    rank_intervals,
    share_beaten,
    share_won,
    wilson,
    won_effect,
)
from arena.ratings.trueskill import Rating

places = st.lists(st.integers(1, 4), min_size=2, max_size=6)


@pytest.mark.parametrize(
    ("won", "played", "interval"),
    [(37, 120, (0.2327, 0.3958)), (0, 10, (0, 0.2775)), (10, 10, (0.7225, 1))],
)
def test_vector_7_wilson(won: int, played: int, interval: tuple[float, float]) -> None:
    low, high = wilson(won, played)

    assert (round(low, 4), round(high, 4)) == interval


def test_vector_9_outlook_and_elo_gap() -> None:
    expected = outlook(27 - 25, 0.10)

    assert [round(p, 4) for p in (expected.win, expected.draw, expected.loss)] == [
        0.5846,
        0.0944,
        0.3209,
    ]
    assert round(elo_gap(27 - 25, 0.10), 2) == 93.83


@given(st.floats(0, 500), st.floats(0.1, 500))
def test_wilson_stays_between_0_and_1_and_holds_the_share(won: float, lost: float) -> None:
    low, high = wilson(won, won + lost)

    assert 0 <= low <= won / (won + lost) <= high <= 1


def test_nothing_played_leaves_everything_open() -> None:
    assert wilson(0, 0) == (0, 1)


@given(places)
def test_win_shares_of_a_match_add_up_to_one(ranks: list[int]) -> None:
    assert sum(share_won(ranks)) == pytest.approx(1)


@given(places)
def test_points_of_a_match_are_half_a_point_a_side(ranks: list[int]) -> None:
    assert sum(share_beaten(ranks)) == pytest.approx(len(ranks) / 2)


def test_ties_share() -> None:
    assert share_won([1, 1, 3]) == [0.5, 0.5, 0]
    assert share_beaten([1, 1, 3]) == [0.75, 0.75, 0]


def test_a_mean_comes_with_its_interval() -> None:
    values = [20.0, 24.0, 25.0, 28.0]

    assert mean_interval(values) == pytest.approx((24.25, 1.96 * stdev(values) / 2))
    assert mean_interval([7.0]) == (7, None)


def deals(*outcomes: tuple[float, ...]) -> list[tuple[str, str, float]]:
    """Return what A and B got in duplicates; ``outcomes`` are A's, by deal."""
    return [
        (f"d{deal}", bot, value if bot == "A" else 1 - value)
        for deal, values in enumerate(outcomes)
        for value in values
        for bot in "AB"
    ]


def test_duplicates_that_cancel_lower_the_design_effect_to_its_bound() -> None:
    assert design_effect(deals(*[(1, 0)] * 12), 2) == 0.25


def test_duplicates_that_repeat_each_other_double_it() -> None:
    assert design_effect(deals(*[(1, 1), (0, 0)] * 6), 2) == 2


def test_duplicates_that_are_independent_leave_it_at_one() -> None:
    assert design_effect(deals(*[(1, 1), (1, 0), (0, 1), (0, 0)] * 3), 2) == 1


@pytest.mark.parametrize(
    "values",
    [
        pytest.param(deals(*[(1,), (0,)] * 4), id="few deals without duplicates"),
        pytest.param(deals(*[(1,), (0,)] * 20), id="no duplicates"),
        pytest.param(deals(*[(1, 1)] * 20), id="nothing varies"),
        pytest.param([], id="nothing"),
    ],
)
def test_the_design_effect_is_one_where_there_is_nothing_to_learn_it_from(
    values: list[tuple[str, str, float]],
) -> None:
    assert design_effect(values, 2) == 1


def test_duplicates_of_a_few_deals_count_as_one_match_each() -> None:
    assert design_effect(deals(*[(1, 0)] * 9), 2) == 2
    assert design_effect(deals(*[(1, 0, 1)] * 9), 3) == 3
    assert design_effect(deals(*[(1, 0)] * 10), 2) == 0.25


def test_win_rates_are_never_surer_than_their_matches() -> None:
    assert won_effect(0.25) == 1
    assert won_effect(2) == 2


def test_sigma_is_corrected_for_the_pool_and_the_design() -> None:
    assert effective_sigma(3, 4, 1) == 2.25
    assert effective_sigma(3, 4, 4) == 4.5
    assert effective_sigma(3, 1, 1) == 3


def test_bots_that_are_far_apart_have_no_likeness_effect_to_speak_of() -> None:
    assert likeness_effect([Rating(mu, 1) for mu in (0, 25, 50)]) == pytest.approx(1, abs=0.01)


def test_half_chance_doubles_variances() -> None:
    """Ratings vary by 4; of that 3 * 2 / 3 is chance."""
    assert likeness_effect([Rating(mu, 3**0.5) for mu in (23, 25, 27)]) == pytest.approx(2)


@pytest.mark.parametrize(("mus", "effect"), [((25, 25, 25.1), 4), ((20, 30), 1), ((), 1)])
def test_the_likeness_effect_has_bounds(mus: tuple[float, ...], effect: float) -> None:
    assert likeness_effect([Rating(mu, 2) for mu in mus]) == effect


def test_p_scores_of_vector_6() -> None:
    ratings = [
        Rating(30.4756, 2.6416),
        Rating(26.8079, 2.5327),
        Rating(24.5806, 2.5963),
        Rating(18.1358, 3.1784),
    ]
    scores = [
        fmean(p_better(own, other, 4, 1) for other in ratings if other is not own)
        for own in ratings
    ]

    assert [round(score, 4) for score in scores] == [0.9477, 0.6259, 0.4124, 0.0140]


@given(st.floats(0, 50), st.floats(0, 50))
def test_one_of_two_is_better(one: float, other: float) -> None:
    a, b = Rating(one, 2), Rating(other, 3)

    assert p_better(a, b, 5, 0.7) + p_better(b, a, 5, 0.7) == pytest.approx(1)


def test_places_are_certain_where_ratings_are_far_apart() -> None:
    assert rank_intervals([40, 30, 20], [1, 1, 1]) == [(1, 1), (2, 2), (3, 3)]


def test_places_are_open_where_ratings_are_equal() -> None:
    assert rank_intervals([25] * 4, [2] * 4) == [(1, 4)] * 4


def test_places_of_two_bots_open_when_the_worse_one_is_better_in_one_draw_of_forty() -> None:
    """The gap is 1.96 standard deviations of the difference at that point."""
    near, far = 1.90 * math.sqrt(2), 2.02 * math.sqrt(2)

    assert rank_intervals([near, 0], [1, 1]) == [(1, 2), (1, 2)]
    assert rank_intervals([far, 0], [1, 1]) == [(1, 1), (2, 2)]


def test_the_draws_are_the_same_on_every_machine() -> None:
    """Found again from HMAC-SHA256 alone, as `_deviates` describes them."""
    key = hashlib.sha256(b"arena rank interval").digest()
    block = hmac.digest(key, b"3/0", "sha256")
    word = int.from_bytes(block[4:8], "big")

    assert _deviates(3)[1] == NormalDist().inv_cdf((word + 0.5) / 2**32)
    assert len(set(_deviates(3))) == DRAWS
    assert fmean(_deviates(3)) == pytest.approx(0, abs=0.05)
    assert stdev(_deviates(3)) == pytest.approx(1, abs=0.05)


@given(st.floats(-150, 150), st.floats(0.005, 0.8))
def test_an_outlook_is_a_distribution_and_turns_with_the_gap(gap: float, p: float) -> None:
    ahead, behind = outlook(gap, p), outlook(-gap, p)

    assert ahead.win + ahead.draw + ahead.loss == pytest.approx(1)
    assert (ahead.win, ahead.loss) == (behind.loss, behind.win)
    assert elo_gap(gap, p) == pytest.approx(-elo_gap(-gap, p))


def test_between_equals_a_draw_is_as_likely_as_the_category_s_draws() -> None:
    assert outlook(0, 0.25).draw == pytest.approx(0.25)
    assert elo_gap(0, 0.25) == 0


def test_an_elo_gap_beyond_all_floats_is_infinite() -> None:
    assert elo_gap(300, 0.1) == math.inf
    assert elo_gap(-300, 0.1) == -math.inf
