import math
from statistics import NormalDist

import pytest
import trueskill as package
from hypothesis import assume, given
from hypothesis import strategies as st

from arena.ratings.trueskill import BETA, Rating, update

ratings = st.builds(Rating, st.floats(0, 50), st.floats(0.5, 25 / 3))
sides_and_ranks = st.lists(
    st.tuples(st.lists(ratings, min_size=1, max_size=3), st.integers(0, 3)),
    min_size=2,
    max_size=5,
)


def printed(sides: tuple[tuple[Rating, ...], ...]) -> list[tuple[float, float]]:
    return [(round(bot.mu, 4), round(bot.sigma, 4)) for side in sides for bot in side]


def test_vector_1_a_win_between_two_newcomers() -> None:
    after = update([[Rating()], [Rating()]], [0, 1], 0.10)

    assert printed(after) == [(29.3956, 7.1711), (20.6044, 7.1711)]


def test_vector_2_a_draw_draws_the_two_together() -> None:
    after = update([[Rating(28, 2)], [Rating(24, 3)]], [0, 0], 0.25)

    assert printed(after) == [(27.6729, 1.9165), (24.7360, 2.7100)]


def test_vector_3_a_free_for_all_with_a_tie() -> None:
    before = [[Rating(27, 4)], [Rating(25, 5)], [Rating(24, 3)], [Rating(22, 6)]]

    assert printed(update(before, [1, 0, 1, 2], 0.10)) == [
        (25.8907, 3.2861),
        (28.3298, 4.1391),
        (24.2386, 2.6794),
        (18.7468, 4.8859),
    ]


def test_vector_4_a_team_shares_what_it_wins_by_how_little_is_known_of_each() -> None:
    before = [[Rating(27, 4), Rating(25, 5)], [Rating(24, 3), Rating(22, 6)]]

    assert printed(update(before, [0, 1], 0.10)) == [
        (27.7230, 3.8870),
        (26.1297, 4.7775),
        (23.5933, 2.9526),
        (20.3733, 5.6114),
    ]


def test_a_bot_that_counts_twice_plays_for_two() -> None:
    """Its performance has twice the mean and twice the deviation."""
    ((winner,), (one, other)) = update([[Rating()], [Rating()] * 2], [0, 1], 0.10, [2, 1])

    assert winner.mu - 25 > 25 - one.mu > 0
    assert one == other


@given(ratings, ratings, st.floats(0.01, 0.8))
def test_a_duel_follows_the_closed_form(one: Rating, other: Rating, p: float) -> None:
    """Herbrich and others, 2006: mu + sigma^2 / c * v, sigma^2 (1 - sigma^2 / c^2 * w)."""
    normal = NormalDist()
    c = math.sqrt(one.sigma**2 + other.sigma**2 + 2 * BETA**2)
    x = (one.mu - other.mu) / c - normal.inv_cdf((1 + p) / 2) * math.sqrt(2) * BETA / c
    assume(x > -4)  # further out the cdf of `statistics` loses digits
    v = normal.pdf(x) / normal.cdf(x)
    ((after,), _) = update([[one], [other]], [1, 2], p)

    assert after.mu == pytest.approx(one.mu + one.sigma**2 / c * v, abs=1e-7)
    assert after.sigma**2 == pytest.approx(
        one.sigma**2 * (1 - one.sigma**2 / c**2 * v * (v + x)), abs=1e-7
    )


@given(sides_and_ranks, st.floats(0.01, 0.8))
def test_it_is_the_package_s_own_update(match: list[tuple[list[Rating], int]], p: float) -> None:
    sides, ranks = zip(*match, strict=True)
    env = package.TrueSkill(25, 25 / 3, 25 / 6, 0, p)
    expected = env.rate(
        [[env.create_rating(bot.mu, bot.sigma) for bot in side] for side in sides],
        list(ranks),
        min_delta=1e-6,
    )
    after = update(sides, ranks, p)

    # The package's own normal distribution is exact to 1e-7.
    assert [bot.mu for side in after for bot in side] == pytest.approx(
        [bot.mu for side in expected for bot in side], abs=1e-4
    )


@pytest.mark.parametrize("ranks", [(1, 2), (2, 1), (1, 1)])
def test_no_result_is_an_error_however_far_the_ratings_are_apart(ranks: tuple[int, int]) -> None:
    after = update([[Rating(-400, 1)], [Rating(900, 2)]], ranks, 0.005)

    assert all(math.isfinite(bot.mu) and bot.sigma > 0 for side in after for bot in side)


@pytest.mark.parametrize(
    ("sides", "ranks"),
    [([[Rating()]], [1]), ([[Rating()], [Rating()]], [1]), ([[Rating()], []], [1, 2])],
)
def test_what_is_no_match_is_refused(sides: list[list[Rating]], ranks: list[int]) -> None:
    with pytest.raises(ValueError, match=r"ranks|rating"):
        update(sides, ranks, 0.1)


def test_the_conservative_figure_is_three_deviations_below() -> None:
    assert Rating(27, 2).conservative == 21
