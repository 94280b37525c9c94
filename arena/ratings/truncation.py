"""What winning, losing or drawing says about a difference of performances.

A difference is normal with mean t and variance 1 before the result is known; the result confines
it to values above the draw margin (a win) or within it (a draw). A confined normal has mean t + v
and variance 1 - w. The formulas hold for any t: far out, where a textbook ``pdf / cdf`` is 0 / 0,
the ratio is taken from its continued fraction, so that no result, however surprising, is an error.

Source:
    R. Herbrich, T. Minka, T. Graepel, "TrueSkill: A Bayesian Skill Rating System", NIPS 19, 2006;
    Laplace's continued fraction: M. Abramowitz, I. Stegun, "Handbook of Mathematical Functions",
    26.2.14.
"""

import math
from collections.abc import Callable

Confine = Callable[[float, float], tuple[float, float]]
"""(t, margin) -> (v, w): `win` or `draw`."""

TAIL = 10.0
"""Further out than this the continued fraction takes over; both are exact to 1e-12 there."""

_TERMS = 40
_ALMOST_ONE = 1.0 - 1e-12
_ROOT_2 = math.sqrt(2.0)
_ROOT_2_PI = math.sqrt(2.0 * math.pi)
_ROOT_HALF = math.sqrt(0.5)
_ROOT_2_OVER_PI = math.sqrt(2.0 / math.pi)


def pdf(x: float) -> float:
    """Return the density of the standard normal distribution at ``x``."""
    return math.exp(-0.5 * x * x) / _ROOT_2_PI


def cdf(x: float) -> float:
    """Return the probability below ``x``, exact in relative terms in the lower tail too."""
    return 0.5 * math.erfc(-x / _ROOT_2)


def win(t: float, margin: float) -> tuple[float, float]:
    """Return (v, w) of a difference with mean ``t`` that came out above ``margin``."""
    x = t - margin
    if x < -TAIL:
        excess = _excess(-x)
        return excess - x, min((excess - x) * excess, _ALMOST_ONE)
    # pdf(x) / cdf(x), without the calls: nothing runs more often in a fit.
    v = _ROOT_2_OVER_PI * math.exp(-0.5 * x * x) / math.erfc(-x * _ROOT_HALF)
    w = v * (v + x)
    return v, w if 0.0 <= w <= _ALMOST_ONE else min(max(w, 0.0), _ALMOST_ONE)


def draw(t: float, margin: float) -> tuple[float, float]:
    """Return (v, w) of a difference with mean ``t`` that came out within ``margin`` of 0.

    Args:
        t: any number.
        margin: above 0.
    """
    near, far = margin - abs(t), -margin - abs(t)
    if near < -TAIL:
        # All densities relative to that at the near edge, which may be too small for a float.
        at_far = math.exp(-2.0 * margin * abs(t))
        inside = 1.0 / (_excess(-near) - near) - at_far / (_excess(-far) - far)
        v = (at_far - 1.0) / inside
        w = v * v + (near - far * at_far) / inside
    else:
        inside = cdf(near) - cdf(far)
        v = (pdf(far) - pdf(near)) / inside
        w = v * v + (near * pdf(near) - far * pdf(far)) / inside
    return (v if t >= 0 else -v), min(max(w, 0.0), _ALMOST_ONE)


def _excess(x: float) -> float:
    """Return pdf(x) / cdf(-x) - x for a large ``x``: how far beyond x the tail's mean lies."""
    fraction = x
    for term in range(_TERMS, 1, -1):
        fraction = x + term / fraction
    return 1.0 / fraction
