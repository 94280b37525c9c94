import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.ratings.truncation import TAIL, Confine, cdf, draw, pdf, win

ts = st.floats(-1e4, 1e4)
margins = st.floats(1e-3, 10)


def moments(t: float, low: float, high: float) -> tuple[float, float]:
    """Return (v, w) by Simpson's rule over the part of [low, high] that matters."""
    # Far out in the tail the density falls off within a fraction of 1.
    high = min(high, max(low, t) + min(12, 40 / max(low - t, 1)))
    steps = 4000
    points = [low + (high - low) * at / steps for at in range(steps + 1)]
    peak = max(-0.5 * (x - t) ** 2 for x in points)
    simpson = [1, *[4, 2] * (steps // 2 - 1), 4, 1]
    weights = [
        factor * math.exp(-0.5 * (x - t) ** 2 - peak)
        for factor, x in zip(simpson, points, strict=True)
    ]
    mean = math.fsum(w * x for w, x in zip(weights, points, strict=True)) / math.fsum(weights)
    variance = math.fsum(
        w * (x - mean) ** 2 for w, x in zip(weights, points, strict=True)
    ) / math.fsum(weights)
    return mean - t, 1 - variance


@pytest.mark.parametrize("t", [-25.0, -10.5, -9.5, -3.0, 0.0, 0.4, 4.0])
def test_a_win_is_a_normal_cut_off_below_the_margin(t: float) -> None:
    assert win(t, 0.3) == pytest.approx(moments(t, 0.3, math.inf), abs=1e-9)


@pytest.mark.parametrize("t", [-25.0, -11.0, -9.0, -2.0, 0.0, 0.4, 4.0, 25.0])
@pytest.mark.parametrize("margin", [0.01, 0.7, 2.0])
def test_a_draw_is_a_normal_cut_off_on_both_sides(t: float, margin: float) -> None:
    assert draw(t, margin) == pytest.approx(moments(t, -margin, margin), abs=1e-9)


def test_an_even_match_without_a_margin_has_the_half_normal_s_moments() -> None:
    assert win(0, 0) == pytest.approx((math.sqrt(2 / math.pi), 2 / math.pi), abs=1e-15)


@given(ts, margins, st.sampled_from([win, draw]))
def test_no_result_is_so_surprising_that_it_fails(
    t: float, margin: float, confine: Confine
) -> None:
    v, w = confine(t, margin)

    assert math.isfinite(v)
    assert 0 <= w < 1


@given(ts, margins)
def test_a_draw_says_the_same_of_both_sides(t: float, margin: float) -> None:
    v, w = draw(t, margin)

    assert draw(-t, margin) == ((-v, w) if t else (v, w))


@pytest.mark.parametrize("confine", [win, draw])
def test_the_tail_s_formula_takes_over_without_a_step(confine: Confine) -> None:
    """At a margin of 0.5 both reach the tail at t = -TAIL + 0.5 or so."""
    edge = -TAIL + 0.5 if confine is win else -TAIL - 0.5
    before, after = confine(edge + 1e-11, 0.5), confine(edge - 1e-11, 0.5)

    assert after == pytest.approx(before, rel=1e-10)


def test_the_distribution_function_is_exact_in_its_lower_tail() -> None:
    """Abramowitz and Stegun, table 26.2: -log10 Q(10) = 23.11805."""
    assert -math.log10(cdf(-10)) == pytest.approx(23.11805, abs=5e-6)
    assert pdf(0) == pytest.approx(0.3989422804014327, abs=1e-16)
