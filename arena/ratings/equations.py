"""The update of one match in plain floats: what `arena.ratings.trueskill` computes, much faster.

The same messages are passed over the same factor graph as in the package, so the two agree to
rounding. Ratings that settle over all matches of a category need hundreds of thousands of updates;
that is what this form is for.

A normal distribution is kept as `Natural`: precision pi = 1 / variance and tau = pi * mean.
Combining two beliefs is adding them, and knowing nothing is (0, 0).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from arena.ratings import truncation
from arena.ratings.trueskill import BETA, draw_margin

Natural = tuple[float, float]
"""(pi, tau) of a belief, or of a message that changes one."""

LUCK = BETA**2
"""Variance of one performance."""

_ROUNDS = 50
_SETTLED = 1e-12
"""Relative to the largest message; the package stops there after ten rounds or so."""


@dataclass(frozen=True, slots=True)
class Form:
    """What does not hang on beliefs in an update: how many bots a side has, and who tied."""

    sizes: tuple[int, ...]
    weights: tuple[float, ...]
    """By side, how much each of its bots counts (`weights`)."""

    margins: tuple[float, ...]
    """By pair of neighbours, how close the performances of two sides are that tie."""

    confine: tuple[truncation.Confine, ...]
    """By pair of neighbours, what its result says about the difference of performances."""


@lru_cache(maxsize=4096)
def form(sizes: tuple[int, ...], ranks: tuple[int, ...], draw_probability: float) -> Form:
    """Return the form of a match.

    Args:
        sizes: bots of each side, best side first.
        ranks: one for each side, ascending; equal numbers are ties.
        draw_probability: of two equal sides of one bot each.
    """
    return Form(
        sizes,
        weights(sizes),
        tuple(draw_margin(draw_probability, one + other) for one, other in pairwise(sizes)),
        tuple(truncation.draw if a == b else truncation.win for a, b in pairwise(ranks)),
    )


def weights(sizes: Sequence[int]) -> tuple[float, ...]:
    """Return for each side how much the performance of each of its bots counts.

    A side performs as the sum of its bots. One that lacks bots would be expected to lose, and a
    bot that is last alone, because of its fault, would be told next to nothing by that; so its
    bots stand in for those that lack.
    """
    return tuple(max(sizes) / size for size in sizes)


def messages(
    sides: Sequence[Sequence[Natural]], ranks: Sequence[int], draw_probability: float
) -> list[list[Natural]]:
    """Return what a result says about each bot, in the shape of ``sides``.

    Added to the belief that went in, a message gives the belief after the match.

    Args:
        sides: two or more sides of one or more bots, best side first; beliefs about the bots.
        ranks: one for each side, ascending; equal numbers are ties.
        draw_probability: of two equal sides of one bot each.
    """
    of = form(tuple(map(len, sides)), tuple(ranks), draw_probability)
    normals = [performance(side, weight) for side, weight in zip(sides, of.weights, strict=True)]
    pis = [1 / variance for _, variance in normals]
    taus = [mean / variance for mean, variance in normals]
    back = [0.0] * len(of.margins), [0.0] * len(of.margins)
    said = pass_along(pis, taus, of, *back)
    for _ in range(_ROUNDS):
        before, said = said, pass_along(pis, taus, of, *back)
        if _close(before[0], said[0]) and _close(before[1], said[1]):
            break
    return [
        share(pi, tau, side, weight)
        for pi, tau, side, weight in zip(*said, sides, of.weights, strict=True)
    ]


def performance(side: Sequence[Natural], weight: float) -> Natural:
    """Return mean and variance of the performance of ``side``, whose bots count ``weight`` each."""
    return (
        weight * sum(tau / pi for pi, tau in side),
        weight**2 * sum(1 / pi + LUCK for pi, _ in side),
    )


def share(pi: float, tau: float, side: Sequence[Natural], weight: float) -> list[Natural]:
    """Return what the message (pi, tau) about a side's performance means for each of its bots.

    Args:
        pi: 0 or more.
        tau: any number.
        side: the beliefs about its bots before.
        weight: how much each of them counts.
    """
    mean, variance = performance(side, weight)
    said = []
    for bot_pi, bot_tau in side:
        others = variance - weight**2 / bot_pi
        rest = mean - weight * bot_tau / bot_pi
        scale = 1 + pi * others
        said.append((weight**2 * pi / scale, weight * (tau - pi * rest) / scale))
    return said


def pass_along(
    pis: Sequence[float],
    taus: Sequence[float],
    of: Form,
    back_pis: list[float],
    back_taus: list[float],
) -> tuple[list[float], list[float]]:
    """Pass messages along the sides of a match once, from best to worst and back.

    Comparison i stands between side i and side i + 1.

    Args:
        pis: precisions of the sides' performances before.
        taus: precision times mean of the same.
        of: the form of the match.
        back_pis: by comparison, what it last told the side on its left; zeros at first. It is
            brought up to date. Once it does not change any more, the update is complete.
        back_taus: the same of tau.

    Returns:
        What the comparisons together say about each side's performance: pis and taus.
    """
    last = len(of.margins) - 1
    # Beliefs about the left side of each comparison by all but the comparison.
    left_pis, left_taus = [pis[0]], [taus[0]]
    said_pis, said_taus = [0.0], [0.0]
    for at in range(last):
        _, _, pi, tau = _compare(
            left_pis[at],
            left_taus[at],
            pis[at + 1] + back_pis[at + 1],
            taus[at + 1] + back_taus[at + 1],
            of.margins[at],
            of.confine[at],
        )
        said_pis.append(pi)
        said_taus.append(tau)
        left_pis.append(pis[at + 1] + pi)
        left_taus.append(taus[at + 1] + tau)
    right_pi, right_tau = pis[last + 1], taus[last + 1]
    for at in range(last, -1, -1):
        back_pi, back_tau, pi, tau = _compare(
            left_pis[at], left_taus[at], right_pi, right_tau, of.margins[at], of.confine[at]
        )
        if at == last:
            said_pis.append(pi)
            said_taus.append(tau)
        back_pis[at], back_taus[at] = back_pi, back_tau
        said_pis[at] += back_pi
        said_taus[at] += back_tau
        right_pi, right_tau = pis[at] + back_pi, taus[at] + back_tau
    return said_pis, said_taus


def _compare(
    left_pi: float,
    left_tau: float,
    right_pi: float,
    right_tau: float,
    margin: float,
    confine: truncation.Confine,
) -> tuple[float, float, float, float]:
    """Return what a result tells the left side and the right one: (pi, tau, pi, tau).

    With d = left - right, the result confines d; the left side is the right one plus d. These are
    the two messages of that, worked out so that nothing is divided by a w of 0.
    """
    left_variance, right_variance = 1 / left_pi, 1 / right_pi
    left, right = left_tau * left_variance, right_tau * right_variance
    variance = left_variance + right_variance
    spread = math.sqrt(variance)
    v, w = confine((left - right) / spread, margin / spread)
    to_left, to_right = variance - left_variance * w, variance - right_variance * w
    pull = spread * v
    return (
        w / to_left,
        (w * left + pull) / to_left,
        w / to_right,
        (w * right - pull) / to_right,
    )


def _close(before: Sequence[float], after: Sequence[float]) -> bool:
    moved = max(abs(one - other) for one, other in zip(before, after, strict=True))
    return moved <= _SETTLED * max(map(abs, after))
