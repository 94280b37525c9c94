"""Anderson acceleration: the next guess at where a repeated step stops moving.

A step takes x to g(x) and is repeated until g(x) = x. Plain repetition may close the same small
share of the distance each time. Instead, several steps that were taken are mixed such that what
each still moved cancels as far as it can.

Source:
    D. G. Anderson, "Iterative procedures for nonlinear integral equations", Journal of the ACM
    12(4), 1965; H. F. Walker, P. Ni, "Anderson acceleration for fixed-point iterations", SIAM
    Journal on Numerical Analysis 49(4), 2011.
"""

import math
from collections.abc import Sequence
from itertools import pairwise

_RIDGE = 1e-10
"""Relative to each step's own length; keeps steps that repeat each other from dividing by 0."""

_MOST = 1e6
"""Larger shares come of rounding, and nothing would be left of a sum of them."""


def mixture(moved: Sequence[Sequence[float]]) -> list[float]:
    """Return weights of steps, which add up to 1, such that their mixture moves least.

    Args:
        moved: one or more vectors g(x) - x, oldest first.
    """
    latest = moved[-1]
    turns = [
        [new - old for old, new in zip(before, after, strict=True)]
        for before, after in pairwise(moved)
    ]
    products = [[_dot(one, other) for other in turns] for one in turns]
    for at, row in enumerate(products):
        row[at] *= 1 + _RIDGE
    shares = _solved(products, [_dot(turn, latest) for turn in turns])
    if not all(abs(share) <= _MOST for share in shares):
        # Steps so unlike each other in length say nothing of one another.
        shares = [0.0] * len(turns)
    # The latest step, less its share of each turn.
    return [after - before for before, after in pairwise([0.0, *shares, 1.0])]


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    return math.fsum(a * b for a, b in zip(one, other, strict=True))


def _solved(matrix: list[list[float]], right: list[float]) -> list[float]:
    """Return x of matrix x = right, for a symmetric positive semidefinite matrix.

    What the matrix says nothing of is 0. Both arguments are used up.
    """
    size = len(right)
    for at in range(size):
        for below in range(at + 1, size):
            factor = matrix[below][at] / matrix[at][at] if matrix[at][at] > 0 else 0.0
            for column in range(at, size):
                matrix[below][column] -= factor * matrix[at][column]
            right[below] -= factor * right[at]
    solution = [0.0] * size
    for at in reversed(range(size)):
        if matrix[at][at] > 0:
            known = math.fsum(matrix[at][on] * solution[on] for on in range(at + 1, size))
            solution[at] = (right[at] - known) / matrix[at][at]
    return solution
