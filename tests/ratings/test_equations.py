import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.ratings.equations import Natural, form, messages, pass_along, weights
from arena.ratings.trueskill import Rating, update

ratings = st.builds(Rating, st.floats(-20, 70), st.floats(0.1, 25 / 3))
plausible = st.builds(Rating, st.floats(10, 40), st.floats(0.5, 25 / 3))


@st.composite
def matches(
    draw: st.DrawFn, bots: st.SearchStrategy[Rating], most_sides: int
) -> tuple[list[list[Rating]], list[int]]:
    sides = draw(st.lists(st.lists(bots, min_size=1, max_size=3), min_size=2, max_size=most_sides))
    ranks = draw(st.lists(st.integers(1, 20), min_size=len(sides), max_size=len(sides)))
    return sides, sorted(ranks)


def natural(rating: Rating) -> Natural:
    return rating.sigma**-2, rating.mu * rating.sigma**-2


@given(
    st.one_of(matches(ratings, 6), matches(plausible, 32)),
    st.sampled_from([0.005, 0.1, 0.3, 0.8]),
)
def test_they_agree_with_the_package(match: tuple[list[list[Rating]], list[int]], p: float) -> None:
    sides, ranks = match
    said = messages([[natural(bot) for bot in side] for side in sides], ranks, p)
    expected = update(sides, ranks, p, weights([len(side) for side in sides]))

    for before, message, after in zip(sides, said, expected, strict=True):
        for bot, (pi, tau), rated in zip(before, message, after, strict=True):
            new_pi, new_tau = natural(bot)[0] + pi, natural(bot)[1] + tau
            assert new_tau / new_pi == pytest.approx(rated.mu, abs=1e-9)
            assert new_pi**-0.5 == pytest.approx(rated.sigma, abs=1e-9)


def test_passing_along_repeats_itself_once_it_has_settled() -> None:
    of = form((1, 1, 1), (1, 1, 3), 0.1)
    back = [0.0, 0.0], [0.0, 0.0]
    said = [pass_along([0.01, 0.02, 0.03], [0.3, 0.4, 0.9], of, *back) for _ in range(20)]

    assert said[0] != said[1]
    assert said[-2][0] == pytest.approx(said[-1][0], rel=1e-14)


def test_a_result_that_was_certain_says_nothing() -> None:
    sure = [[natural(Rating(900, 1))], [natural(Rating(-400, 1))]]

    assert messages(sure, [1, 2], 0.1) == [[(0, 0)], [(0, 0)]]


def test_a_bot_alone_stands_in_for_a_whole_team() -> None:
    """Counted once it would be expected to lose, and the defeat would cost it next to nothing."""
    newcomer = natural(Rating())
    (_, ((pi, tau),)) = messages([[newcomer] * 3, [newcomer]], [1, 2], 0.1)
    (_, (once,)) = update([[Rating()] * 3, [Rating()]], [1, 2], 0.1)

    assert weights([3, 1]) == (1, 3)
    assert (newcomer[1] + tau) / (newcomer[0] + pi) < 21
    assert once.mu > 24
