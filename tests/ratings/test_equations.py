import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.ratings.equations import NOTHING, Natural, messages
from arena.ratings.trueskill import Rating, update

ratings = st.builds(Rating, st.floats(-20, 70), st.floats(0.1, 25 / 3))


@st.composite
def matches(draw: st.DrawFn) -> tuple[list[list[Rating]], list[int]]:
    sides = draw(st.lists(st.lists(ratings, min_size=1, max_size=3), min_size=2, max_size=6))
    ranks = draw(st.lists(st.integers(1, 4), min_size=len(sides), max_size=len(sides)))
    return sides, sorted(ranks)


def natural(rating: Rating) -> Natural:
    return rating.sigma**-2, rating.mu * rating.sigma**-2


@given(matches(), st.sampled_from([0.005, 0.1, 0.3, 0.8]))
def test_they_agree_with_the_package(match: tuple[list[list[Rating]], list[int]], p: float) -> None:
    sides, ranks = match
    said = messages([[natural(bot) for bot in side] for side in sides], ranks, p)

    for before, message, after in zip(sides, said, update(sides, ranks, p), strict=True):
        for bot, (pi, tau), rated in zip(before, message, after, strict=True):
            new_pi, new_tau = natural(bot)[0] + pi, natural(bot)[1] + tau
            assert new_tau / new_pi == pytest.approx(rated.mu, abs=1e-9)
            assert new_pi**-0.5 == pytest.approx(rated.sigma, abs=1e-9)


def test_a_result_that_was_certain_says_nothing() -> None:
    sure = [[natural(Rating(900, 1))], [natural(Rating(-400, 1))]]

    assert messages(sure, [1, 2], 0.1) == [[NOTHING], [NOTHING]]
