"""The exact posterior of skills, by Gibbs sampling: what `arena.ratings.batch` approximates.

It shares no code with the ratings. A side performs with mean w * (its bots' skills added up) and
variance w² * (its bots) * beta², w the bots of the largest side over its own; the result of a match
confines each performance between its neighbours. In turn are drawn

- the performances of each match, given the skills: all moved together first, which no result
  forbids, then one by one;
- all skills at once, given the differences of performances within matches.
"""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

from arena.ratings.units import Unit

MU0, SIGMA0, BETA = 25.0, 25.0 / 3, 25.0 / 6
_NORMAL = NormalDist()


@dataclass
class _Match:
    """A match, best side first."""

    counts: list[list[float]]
    """By side, how much each bot's skill counts."""

    variances: list[float]
    margins: list[float]
    """By pair of neighbours."""

    tied: list[bool]
    shown: list[float]
    """The performances."""

    pulls: dict[int, list[float]]
    """By bot of the match: how much it is pulled up by each performance. That is the precision
    with which the performance shows its skill, less what is common to all of the match.
    """

    def draw(self, skills: Sequence[float], rng: random.Random) -> None:
        means = [_dot(counts, skills) for counts in self.counts]
        pi = sum(1 / variance for variance in self.variances)
        off = zip(means, self.shown, self.variances, strict=True)
        shift = rng.gauss(sum((m - shown) / v for m, shown, v in off) / pi, pi**-0.5)
        self.shown = [shown + shift for shown in self.shown]
        for at, (mean, variance) in enumerate(zip(means, self.variances, strict=True)):
            self.shown[at] = _between(mean, math.sqrt(variance), *self._bounds(at), rng)

    def _bounds(self, at: int) -> tuple[float, float]:
        low, high = -math.inf, math.inf
        if at > 0:
            above, margin = self.shown[at - 1], self.margins[at - 1]
            low = above - margin if self.tied[at - 1] else low
            high = above + margin if self.tied[at - 1] else above - margin
        if at < len(self.margins):
            below, margin = self.shown[at + 1], self.margins[at]
            low = max(low, below - margin if self.tied[at] else below + margin)
            high = min(high, below + margin) if self.tied[at] else high
        return low, high


def posterior_means(
    units: Sequence[Unit], draw_probability: float, sweeps: int, seed: int
) -> dict[str, float]:
    """Return the posterior mean of each bot's skill; a tenth of ``sweeps`` is thrown away first.

    Args:
        units: ordered.
        draw_probability: of two equal sides of one bot each.
        sweeps: draws of all skills.
        seed: of the draws.
    """
    rng = random.Random(seed)  # noqa: S311 - a simulation
    names = sorted({bot for unit in units for bot in unit.bots})
    matches = [_match(unit, names, draw_probability) for unit in units]
    bots = range(len(names))
    lower = _cholesky(
        [
            [
                (one == other) / SIGMA0**2
                + sum(
                    pull * counts[other]
                    for match in matches
                    for pull, counts in zip(match.pulls.get(one, []), match.counts, strict=False)
                )
                for other in bots
            ]
            for one in bots
        ]
    )
    skills = [MU0 for _ in bots]
    totals = [0.0 for _ in bots]
    for sweep in range(-(sweeps // 10), sweeps):
        for match in matches:
            match.draw(skills, rng)
        pulls = [MU0 / SIGMA0**2 for _ in bots]
        for match in matches:
            for bot, own in match.pulls.items():
                pulls[bot] += _dot(own, match.shown)
        skills = _normal(lower, pulls, rng)
        if sweep >= 0:
            totals = [total + skill for total, skill in zip(totals, skills, strict=True)]
    # Results say nothing of where all skills lie, so their mean is known exactly.
    shift = MU0 - sum(totals) / sweeps / len(names)
    return {name: total / sweeps + shift for name, total in zip(names, totals, strict=True)}


def _match(unit: Unit, names: list[str], draw_probability: float) -> _Match:
    most = max(map(len, unit.sides))
    sizes = [len(side) for side in unit.sides]
    pairs = range(len(sizes) - 1)
    quantile = _NORMAL.inv_cdf((1 + draw_probability) / 2)
    margins = [quantile * math.sqrt(sizes[at] + sizes[at + 1]) * BETA for at in pairs]
    counts = [[most / len(side) * (name in side) for name in names] for side in unit.sides]
    variances = [(most / size) ** 2 * size * BETA**2 for size in sizes]
    pi = sum(1 / variance for variance in variances)
    pulls = {}
    for bot in [names.index(name) for name in unit.bots]:
        own = [count[bot] / variance for count, variance in zip(counts, variances, strict=True)]
        pulls[bot] = [w - sum(own) / v / pi for w, v in zip(own, variances, strict=True)]
    return _Match(
        counts=counts,
        variances=variances,
        margins=margins,
        tied=[unit.ranks[at] == unit.ranks[at + 1] for at in pairs],
        # To begin with, anything that fits the result.
        shown=[most * MU0 - 2 * max(margins) * rank for rank in unit.ranks],
        pulls=pulls,
    )


def _between(mean: float, deviation: float, low: float, high: float, rng: random.Random) -> float:
    """Return a normal number that lies between ``low`` and ``high``."""
    a, b = (low - mean) / deviation, (high - mean) / deviation
    if a > 0:
        # The lower tail is the one that floats can hold.
        return 2 * mean - _between(mean, deviation, 2 * mean - high, 2 * mean - low, rng)
    below, above = 0.5 * math.erfc(-a / math.sqrt(2)), 0.5 * math.erfc(-b / math.sqrt(2))
    chance = below + (above - below) * rng.random()
    return mean + deviation * _NORMAL.inv_cdf(min(max(chance, 1e-300), 1 - 1e-16))


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def _cholesky(matrix: Sequence[Sequence[float]]) -> list[list[float]]:
    """Return the lower triangle whose product with its own transpose is ``matrix``."""
    lower: list[list[float]] = []
    for at, row in enumerate(matrix):
        new: list[float] = []
        for on in range(at):
            new.append((row[on] - _dot(new, lower[on][:on])) / lower[on][on])
        new.append(math.sqrt(row[at] - _dot(new, new)))
        lower.append(new)
    return lower


def _normal(
    lower: Sequence[Sequence[float]], pulls: list[float], rng: random.Random
) -> list[float]:
    """Return a draw of the normal with precision lower * lower' and precision * mean ``pulls``."""
    half: list[float] = []
    for at, pull in enumerate(pulls):
        half.append((pull - _dot(half, lower[at][:at])) / lower[at][at])
    wanted = [value + rng.gauss() for value in half]
    drawn = [0.0] * len(pulls)
    for at in reversed(range(len(pulls))):
        known = sum(lower[below][at] * drawn[below] for below in range(at + 1, len(pulls)))
        drawn[at] = (wanted[at] - known) / lower[at][at]
    return drawn
