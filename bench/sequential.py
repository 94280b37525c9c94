"""How often the sequential test of `arena compare` is wrong, and how many blocks it takes.

    python bench/sequential.py [--runs 1000] [--seed 1]

Blocks are drawn from three distributions that look like real ones: few values, in steps, and many
ties, because the luck of a deal decides most blocks. Each is bent until its mean is t standard
deviations, with t = 0 (equal bots) and with t the advantage that matters.
"""

import argparse
import math
import random
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product

from arena.ratings.sequential import FINE, MOST_BLOCKS, RELEVANT, Evidence, Verdict

Weights = Mapping[Fraction, float]
"""How probable each value of a block is, symmetric around 0 and not yet bent."""

DUEL: Weights = {
    Fraction(steps, 2): weight
    for steps, weight in zip(range(-2, 3), (4, 13, 66, 13, 4), strict=True)
}
"""Two players: mostly each wins once, from the better seat."""


def _of_three() -> Weights:
    """Three players: six seatings, of which each is won, shared or lost; or all by luck alone."""
    sums: Counter[Fraction] = Counter()
    for signs in product((-1, 0, 1), repeat=6):
        sums[Fraction(sum(signs), 8)] += 1
    return {value: number / 3**6 + (value == 0) for value, number in sums.items()}


THREE = _of_three()
TEAM: Weights = {
    Fraction(points, 28): math.exp(-abs(points) / 3) + 0.003 * (abs(points) > 8)  # noqa: PLR2004
    for points in range(-20, 21)
}
"""A co-operative game: mostly a few cards more or less, sometimes a tower that came down."""

SHAPES: Mapping[str, Weights] = {"duel": DUEL, "three": THREE, "team": TEAM}


def bent(weights: Weights, target: float) -> tuple[list[Fraction], list[float]]:
    """Return values and weights whose mean is ``target`` standard deviations.

    Weights are multiplied by e^(c x), x the value, with the c that makes it so: the distribution
    that is closest to the given one, among all with that mean.
    """
    values = sorted(weights)
    low, high = 0.0, 50.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if _t(weights, values, middle) < target else (low, middle)
    return values, [weights[value] * math.exp(low * value) for value in values]


def _t(weights: Weights, values: Sequence[Fraction], bend: float) -> float:
    shares = [weights[value] * math.exp(bend * value) for value in values]
    mean = sum(share * value for share, value in zip(shares, values, strict=True)) / sum(shares)
    square = sum(share * value**2 for share, value in zip(shares, values, strict=True))
    return mean / math.sqrt(square / sum(shares) - mean**2)


def ended(
    dice: random.Random, values: Sequence[Fraction], weights: Sequence[float], relevant: float
) -> tuple[Verdict, Evidence]:
    """Return what a comparison came to whose blocks are drawn from ``values``."""
    evidence = Evidence()
    for value in dice.choices(values, weights, k=MOST_BLOCKS):
        evidence = evidence.plus(value)
        if verdict := evidence.verdict(relevant):
            return verdict, evidence
    raise AssertionError("a test ends with its last block")


def wrong(shape: str, relevant: float, *, equal: bool, runs: int, seed: int) -> tuple[float, float]:
    """Return how often comparisons end wrongly, and after how many blocks on average.

    Args:
        shape: one of `SHAPES`.
        relevant: the advantage that the test looks for.
        equal: whether the bots are equal, so that "better" is wrong; or else one is better by just
            that advantage, so that anything but "better" is.
        runs: how many comparisons.
        seed: of the dice.
    """
    values, weights = bent(SHAPES[shape], 0.0 if equal else relevant)
    dice = random.Random(f"{seed}/{shape}/{relevant}/{equal}")  # noqa: S311 - dice, not keys
    outcomes = [ended(dice, values, weights, relevant) for _ in range(runs)]
    errors = sum((verdict is Verdict.BETTER) == equal for verdict, _ in outcomes)
    return errors / runs, sum(evidence.blocks for _, evidence in outcomes) / runs


def main() -> None:
    """Print a row for each distribution and advantage."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    print(f"{asked.runs} comparisons each; blocks are means")
    print("values   t1   equal: false 'better'  blocks   better by t1: missed  blocks")
    began = time.perf_counter()
    for relevant, shape in product((RELEVANT, FINE), SHAPES):
        cells = [
            wrong(shape, relevant, equal=equal, runs=asked.runs, seed=asked.seed)
            for equal in (True, False)
        ]
        (false, blocks), (missed, more) = cells
        print(f"{shape:6} {relevant:4}  {false:21.1%} {blocks:7.0f}  {missed:20.1%} {more:7.0f}")
    print(f"{time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
