"""Comparisons from the text of protocol/SPEC.md alone."""

import math
from collections.abc import Sequence

Match = tuple[tuple[str, ...], tuple[int, ...]]
"""(bots by seat, ranks by seat)."""


def rotations(circle: Sequence[str]) -> list[tuple[str, ...]]:
    return [(*circle[at:], *circle[:at]) for at in range(len(circle))]


def block(a: str, b: str, seats: int, field: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the bots by seat in the matches of a block, in mode ``table``."""
    if field:
        return rotations([a, *field]) + rotations([b, *field])
    circles = [[a, b][n % 2] for n in range(seats)], [[b, a][n % 2] for n in range(seats)]
    if seats % 2:
        return rotations(circles[0]) + rotations(circles[1])
    return [tuple(circle) for circle in circles]


def value(a: str, b: str, matches: Sequence[Match]) -> float:
    """Return by how much A did better in a block."""

    def mean(bot: str, bots: Sequence[str], ranks: Sequence[int]) -> float:
        own = [rank for name, rank in zip(bots, ranks, strict=True) if name == bot]
        points = [
            (sum(rank < it for it in ranks) + (ranks.count(rank) - 1) / 2) / (len(ranks) - 1)
            for rank in own
        ]
        return sum(points) / len(points) if points else 0.0

    apart = sum(mean(a, *match) - mean(b, *match) for match in matches)
    return apart / sum(a in bots for bots, _ in matches)


def verdict(values: Sequence[float], relevant: float, most: int) -> str | None:
    """Return what the values of the first blocks decide, at the first number of them that does."""
    for n in range(16, len(values) + 1):
        mean = sum(values[:n]) / n
        variance = sum(it * it for it in values[:n]) / n - mean**2
        if n - max(values[:n].count(value) for value in values[:n]) < 5:
            variance = max(variance, 3 / n)
        ratio = n * relevant * (2 * mean / math.sqrt(variance) - relevant) / 2
        if abs(ratio) >= math.log(19):
            return "better" if ratio > 0 else "not better"
    return "undecided" if len(values) >= most else None
