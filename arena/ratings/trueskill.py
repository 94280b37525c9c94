"""The ``trueskill`` package and its model; no other module imports the package."""

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from statistics import NormalDist
from typing import Any

from arena.ratings import truncation

MU0 = 25.0
SIGMA0 = 25.0 / 3
"""Belief about a bot of which nothing is known."""

BETA = 25.0 / 6
"""Deviation of one performance from the skill behind it: the luck of one match."""

TAU = 0.0
"""Bots are fixed programs, so skill does not drift; a new version is a new bot."""

MIN_DELTA = 1e-6
"""Inside one update messages are passed until none moves more than this, ten times at most."""

MIN_SIDES = 2

_ppf = NormalDist().inv_cdf


@dataclass(frozen=True, slots=True)
class Rating:
    """Belief about a bot's skill: normal with mean ``mu`` and deviation ``sigma``."""

    mu: float = MU0
    sigma: float = SIGMA0

    @property
    def conservative(self) -> float:
        """Skill that the bot exceeds with about 99.9 % belief; for display, not for ranking."""
        return self.mu - 3 * self.sigma


@cache
def draw_margin(draw_probability: float, bots: int) -> float:
    """Return how close two sides' performances are in a draw; ``bots`` are those of both sides."""
    return _ppf((draw_probability + 1) / 2) * math.sqrt(bots) * BETA


def update(
    sides: Sequence[Sequence[Rating]],
    ranks: Sequence[int],
    draw_probability: float,
    weights: Sequence[float] | None = None,
    min_delta: float = MIN_DELTA,
) -> tuple[tuple[Rating, ...], ...]:
    """Return the ratings after one match, in the shape of ``sides``.

    Args:
        sides: two or more sides of one or more bots each. The order of sides that are tied
            matters a little: the package compares neighbours only.
        ranks: one place for each side, smallest best; equal numbers are ties.
        draw_probability: of two equal sides of one bot each; between 0 and 1.
        weights: how much the performance of each bot of a side counts, one for each side; 1 by
            default.
        min_delta: what counts as settled inside the update.

    Raises:
        ValueError: fewer than two sides, an empty side, or ``ranks`` of another length.

    Source:
        The factor-graph update of the ``trueskill`` package 0.4.5.
    """
    if len(sides) < MIN_SIDES or len(sides) != len(ranks):
        raise ValueError(f"{len(sides)} sides and {len(ranks)} ranks")
    env = _environment(draw_probability)
    groups = [tuple(env.create_rating(bot.mu, bot.sigma) for bot in side) for side in sides]
    counted = [
        (weight,) * len(side)
        for weight, side in zip(weights or [1.0] * len(sides), sides, strict=True)
    ]
    after = env.rate(groups, ranks=list(ranks), weights=counted, min_delta=min_delta)
    return tuple(tuple(Rating(bot.mu, bot.sigma) for bot in side) for side in after)


@cache
def _environment(draw_probability: float) -> Any:  # noqa: ANN401 - the package is untyped
    """Return the package's model with exact functions instead of its approximations."""
    with warnings.catch_warnings():
        # Version 0.4.5 has an invalid escape, of which Python 3.12 and later warn when compiling.
        warnings.simplefilter("ignore", SyntaxWarning)
        warnings.simplefilter("ignore", DeprecationWarning)
        import trueskill  # noqa: PLC0415 - whoever shows ratings that are kept needs none of it
    env = trueskill.TrueSkill(
        mu=MU0,
        sigma=SIGMA0,
        beta=BETA,
        tau=TAU,
        draw_probability=draw_probability,
        backend=(truncation.cdf, truncation.pdf, _ppf),
    )
    # The package's own raise FloatingPointError on results that its ratings deem impossible.
    env.v_win = lambda t, margin: truncation.win(t, margin)[0]
    env.w_win = lambda t, margin: truncation.win(t, margin)[1]
    env.v_draw = lambda t, margin: truncation.draw(t, margin)[0]
    env.w_draw = lambda t, margin: truncation.draw(t, margin)[1]
    return env
