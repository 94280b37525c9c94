"""Units: what is rated as one. A match of a competitive game, a deal of a co-operative one.

A co-operative table has no opponent in the room; its opponents are the others that played the
same deal.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise

import msgspec

from arena.errors import RecordError
from arena.ratings.result import Result
from arena.referee.category import Category, Mode

MIN_SIDES = 2

Side = tuple[str, ...]
"""The bots that were rated together, by name."""


@dataclass(frozen=True, slots=True)
class Unit:
    """Sides that were compared, and how they came out."""

    id: str
    """Readable, derived from content, and unique within a category."""

    sides: tuple[Side, ...]
    """Two or more sides, each of one or more bots; no bot stands in two of them."""

    ranks: tuple[int, ...]
    """By side, smallest best; equal numbers are ties."""

    def __post_init__(self) -> None:
        bots = [bot for side in self.sides for bot in side]
        if len(self.sides) < MIN_SIDES or not all(self.sides) or len(set(bots)) != len(bots):
            raise ValueError(f"unit {self.id}: sides {self.sides}")
        if len(self.ranks) != len(self.sides):
            raise ValueError(f"unit {self.id}: {len(self.sides)} sides, ranks {self.ranks}")

    @property
    def bots(self) -> tuple[str, ...]:
        """All bots of the unit, side by side."""
        return tuple(bot for side in self.sides for bot in side)


class Ordered(list[Unit]):
    """Units in the order of `ordered`, which need not be put in order again."""

    __slots__ = ()


def ordered(units: Iterable[Unit]) -> Ordered:
    """Return ``units`` by id, and inside each the bots by name and the sides by rank.

    An update compares neighbouring sides only, so the order of tied sides matters a little. It is
    by a hash that changes from unit to unit: an order by name, say, would favour the same bots
    time and again.

    Raises:
        RecordError: two units have one id.
    """
    if isinstance(units, Ordered):
        return units
    listed = sorted(units, key=lambda unit: unit.id)
    for one, other in pairwise(listed):
        if one.id == other.id:
            raise RecordError(f"two units are called {one.id}")
    return Ordered(_ordered(unit) for unit in listed)


def _ordered(unit: Unit) -> Unit:
    sides = [side if len(side) == 1 else tuple(sorted(side)) for side in unit.sides]
    ranks = unit.ranks
    # Hashes where there are ties only: they are most of the work.
    if len(set(ranks)) == len(ranks):
        order = sorted(range(len(ranks)), key=ranks.__getitem__)
    else:
        hashes = [sha256(f"{unit.id}|{'+'.join(side)}".encode()).hexdigest() for side in sides]
        order = sorted(range(len(ranks)), key=lambda at: (ranks[at], hashes[at]))
    if order == list(range(len(ranks))) and tuple(sides) == unit.sides:
        return unit
    return Unit(unit.id, tuple(sides[at] for at in order), tuple(ranks[at] for at in order))


def digest(units: Iterable[Unit]) -> str:
    """Return ``sha256:`` and the hex digest of the units, whatever order they come in.

    It is taken over compact JSON: the list of [id, sides, ranks], in the order of `ordered`.
    """
    listed = [[unit.id, unit.sides, unit.ranks] for unit in ordered(units)]
    return f"sha256:{sha256(msgspec.json.encode(listed)).hexdigest()}"


def units(category: Category, results: Iterable[Result]) -> Ordered:
    """Return the units of ``category`` in ``results``, ordered; other categories are passed over.

    Left out are line-ups that cannot be rated (`Result.ratable`) and deals that only one side
    played. Ranks already hold what faults mean in a competitive game; in a co-operative one, a bot
    at fault is a side of its own that comes last, and its partners have no result.

    Raises:
        RecordError: two results of a tournament have one match id.
    """
    rated = sorted(
        (result for result in results if result.category == category and result.ratable),
        key=lambda result: (result.tournament, result.match),
    )
    for one, other in pairwise(rated):
        if (one.tournament, one.match) == (other.tournament, other.match):
            raise RecordError(f"match {one.match} of tournament {one.tournament} is there twice")
    if category.mode is Mode.TABLE:
        return ordered(_match_unit(result) for result in rated)
    deals: dict[str, list[Result]] = defaultdict(list)
    for result in rated:
        deals[result.deal_id].append(result)
    return ordered(unit for deal, played in deals.items() for unit in _deal_units(deal, played))


def _match_unit(result: Result) -> Unit:
    sides = tuple((bot,) for bot in result.bots)
    return Unit(f"{result.tournament}/{result.match}", sides, result.ranks)


def _deal_units(deal: str, played: Iterable[Result]) -> Iterator[Unit]:
    """Yield the units of one deal: more than one only where a bot played the deal repeatedly."""
    layers: list[list[Result]] = []
    for result in played:
        for layer in layers:
            if not any(set(result.bots) & set(other.bots) for other in layer):
                layer.append(result)
                break
        else:
            layers.append([result])
    for number, layer in enumerate(layers):
        sides = [side for result in layer for side in deal_sides(result)]
        if len(sides) >= MIN_SIDES:
            # Below every score, also below one of 0, is a fault.
            worth = [(score is not None, score or 0) for _, score in sides]
            yield Unit(
                f"{deal}#{number}" if number else deal,
                tuple(side for side, _ in sides),
                tuple(1 + sum(other > own for other in worth) for own in worth),
            )


def deal_sides(result: Result) -> list[tuple[Side, int | None]]:
    """Return the sides of a co-operative match on its deal, each with its score.

    The score is ``None`` for a bot at fault, which is a side alone; its partners are none.
    """
    if result.faults:
        return [((bot,), None) for bot in sorted(result.at_fault)]
    return [(tuple(sorted(set(result.bots))), result.scores[0])]
