"""Repeats: matches of a pool that were played before, on the same cards by the same bots.

Tournaments on one published key share their deals. A bot does much the same again on the same
cards, so that a second record of a match tells next to nothing; counted as another match, it would
make ratings look surer than they are.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from arena.ratings.result import Result


@dataclass(frozen=True, slots=True)
class Distinct:
    """Results that tell something new, and how many others there were."""

    results: tuple[Result, ...]
    repeats: int


def distinct(results: Iterable[Result]) -> Distinct:
    """Return ``results`` without those that repeat a match of another tournament.

    It is a repeat if the deal is the same and bots of the same contents sit in the same seats,
    whatever they are called. What a tournament has twice itself, under two names say, it keeps.

    Args:
        results: whose tournaments' order decides which of equal matches counts: the first one.
    """
    found: list[Result] = []
    repeats = 0
    first: dict[tuple[str, tuple[str, ...]], str] = {}
    for result in results:
        match = (result.deal_id, result.digests or result.bots)
        if first.setdefault(match, result.tournament) == result.tournament:
            found.append(result)
        else:
            repeats += 1
    return Distinct(tuple(found), repeats)
