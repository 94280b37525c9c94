"""The update of one match in plain floats: what `arena.ratings.trueskill` computes, much faster.

The same messages are passed over the same factor graph in the same order as in the package, so
the two agree to rounding. Ratings that settle over all matches of a category need hundreds of
thousands of updates; that is what this form is for.

A normal distribution is kept as `Natural`: precision pi = 1 / variance and tau = pi * mean.
Combining two beliefs is adding them, and knowing nothing is (0, 0).
"""

import math
from collections.abc import Sequence
from itertools import pairwise

from arena.ratings import truncation
from arena.ratings.trueskill import BETA, MIN_DELTA, draw_margin

Natural = tuple[float, float]
"""(pi, tau) of a belief, or of a message that changes one."""

NOTHING: Natural = (0.0, 0.0)

_ROUNDS = 10
_LUCK = BETA**2


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
    # A side performs as the sum of its bots: each its skill and the luck of one match.
    means = [sum(tau / pi for pi, tau in side) for side in sides]
    variances = [sum(1 / pi + _LUCK for pi, _ in side) for side in sides]
    row = _Row(
        [(1 / variance, mean / variance) for mean, variance in zip(means, variances, strict=True)],
        [draw_margin(draw_probability, len(a) + len(b)) for a, b in pairwise(sides)],
        [truncation.draw if a == b else truncation.win for a, b in pairwise(ranks)],
    )
    row.settle()
    return [
        [_share(row.said_of(at), bot, means[at], variances[at]) for bot in side]
        for at, side in enumerate(sides)
    ]


def _share(said: Natural, bot: Natural, mean: float, variance: float) -> Natural:
    """Return what ``said`` about a side means for one of its bots.

    Args:
        said: the message about the side's performance.
        bot: the belief about the bot before.
        mean: the side's performance before.
        variance: of the same.
    """
    if said[0] == 0:
        return NOTHING
    others = variance - (1 / bot[0] + _LUCK)
    pi = 1 / (1 / said[0] + others + _LUCK)
    return pi, pi * (said[1] / said[0] - (mean - bot[1] / bot[0]))


class _Row:
    """The sides of a match from best to worst, each pair of neighbours compared.

    Comparison i stands between side i and side i + 1.
    """

    def __init__(
        self,
        priors: list[Natural],
        margins: list[float],
        confine: list[truncation.Confine],
    ) -> None:
        self._priors = priors
        self._margins = margins
        self._confine = confine
        self._last = len(margins) - 1
        # By comparison: what its result says about the difference, and what it has told the
        # side on its left and the one on its right.
        self._said = [NOTHING] * len(margins)
        self._to_left = [NOTHING] * len(margins)
        self._to_right = [NOTHING] * len(margins)

    def settle(self) -> None:
        """Pass messages along the row, to and fro, until none moves."""
        if self._last == 0:
            self._compare(0)
        else:
            for _ in range(_ROUNDS):
                delta = 0.0
                for at in range(self._last):
                    delta = max(delta, self._compare(at))
                    self._tell_right(at)
                for at in range(self._last, 0, -1):
                    delta = max(delta, self._compare(at))
                    self._tell_left(at)
                if delta <= MIN_DELTA:
                    break
        self._tell_left(0)
        self._tell_right(self._last)

    def said_of(self, side: int) -> Natural:
        """Return all that the comparisons say about a side's performance."""
        pi, tau = self._to_right[side - 1] if side > 0 else NOTHING
        if side <= self._last:
            pi, tau = pi + self._to_left[side][0], tau + self._to_left[side][1]
        return pi, tau

    def _left_of(self, at: int) -> tuple[float, float]:
        """Return mean and variance of the left side by all but comparison ``at``."""
        pi, tau = self._priors[at]
        if at > 0:
            pi, tau = pi + self._to_right[at - 1][0], tau + self._to_right[at - 1][1]
        return tau / pi, 1 / pi

    def _right_of(self, at: int) -> tuple[float, float]:
        """Return mean and variance of the right side by all but comparison ``at``."""
        pi, tau = self._priors[at + 1]
        if at < self._last:
            pi, tau = pi + self._to_left[at + 1][0], tau + self._to_left[at + 1][1]
        return tau / pi, 1 / pi

    def _compare(self, at: int) -> float:
        """Apply the result of comparison ``at``; return how far its message moved."""
        left, left_variance = self._left_of(at)
        right, right_variance = self._right_of(at)
        pi = 1 / (left_variance + right_variance)
        root = math.sqrt(pi)
        v, w = self._confine[at]((left - right) * root, self._margins[at] * root)
        rest = 1 - w
        said = (pi * w / rest, (pi * (left - right) * w + root * v) / rest)
        before = self._said[at]
        self._said[at] = said
        return max(abs(said[1] - before[1]), math.sqrt(abs(said[0] - before[0])))

    def _tell_left(self, at: int) -> None:
        """The left side is the right one plus the difference."""
        pi, tau = self._said[at]
        if pi > 0:
            mean, variance = self._right_of(at)
            told = 1 / (variance + 1 / pi)
            self._to_left[at] = (told, told * (mean + tau / pi))

    def _tell_right(self, at: int) -> None:
        """The right side is the left one less the difference."""
        pi, tau = self._said[at]
        if pi > 0:
            mean, variance = self._left_of(at)
            told = 1 / (variance + 1 / pi)
            self._to_right[at] = (told, told * (mean - tau / pi))
