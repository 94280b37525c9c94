"""The schedule: who meets whom, on which deals, in which seats.

A schedule follows from the categories, their numbers of deals and the names of the bots that play
them, and from nothing else: no key, no clock, no order of entry. It can therefore be published
before the first match, and made again by anybody.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from math import comb

from arena.errors import UsageError
from arena.referee.category import Category, Mode
from arena.referee.fixture import Fixture
from arena.tournament.teams import teams

MOST_MATCHES = 5_000_000
"""A larger schedule is a mistake: at a second a match it takes two months on one core."""


@dataclass(frozen=True, slots=True)
class Section:
    """A category of a schedule, with its deals and the bots that play it."""

    category: Category
    deals: int
    bots: tuple[str, ...]
    """Ascending."""

    @property
    def count(self) -> int:
        """How many matches it has."""
        size = self.category.players
        match self.category.mode:
            case Mode.TABLE:
                return comb(len(self.bots), size) * size * self.deals
            case Mode.SELF:
                return len(self.bots) * self.deals
            case Mode.MIXED:
                return len(self.bots) // size * self.deals

    def seatings(self) -> Iterator[tuple[tuple[str, ...], ...]]:
        """Yield, deal by deal from deal 0, the bots by seat of each of its matches.

        - Mode ``table``: every choice of bots plays the deal once in each rotation of the table.
          The circle in which the bots of a table sit changes from deal to deal, through all that
          there are: with three bots A, B, C and A, C, B in turn, with four bots six circles.
        - Mode ``self``: every bot plays the deal in all seats.
        - Mode ``mixed``: the teams of `arena.tournament.teams`.
        """
        size = self.category.players
        match self.category.mode:
            case Mode.TABLE:
                for deal in range(self.deals):
                    tables = (_circle(table, deal) for table in combinations(self.bots, size))
                    yield tuple(seating for table in tables for seating in _rotations(table))
            case Mode.SELF:
                for _ in range(self.deals):
                    yield tuple((bot,) * size for bot in self.bots)
            case Mode.MIXED:
                for drawn in islice(teams(len(self.bots), size), self.deals):
                    yield tuple(tuple(self.bots[bot] for bot in team) for team in drawn)


@dataclass(frozen=True, slots=True)
class Schedule:
    """All the matches of a tournament, and the categories that it has to do without."""

    sections: tuple[Section, ...]
    left_out: tuple[str, ...]
    """A line for each category with too few bots."""

    @property
    def count(self) -> int:
        """How many matches there are; known without making them."""
        return sum(section.count for section in self.sections)

    def fixtures(self) -> Iterator[Fixture]:
        """Yield the matches in the order in which they are to be played.

        Deal 0 of every category comes first, then deal 1 of every category that has it, and so
        on, so a tournament that is stopped early is a balanced one with fewer deals. The
        rotations of a table stand side by side.
        """
        seatings = [section.seatings() for section in self.sections]
        for deal in range(max((section.deals for section in self.sections), default=0)):
            for section, deals in zip(self.sections, seatings, strict=True):
                for bots in next(deals, ()):
                    yield Fixture(section.category, deal, bots)


def schedule(
    categories: Mapping[Category, int], bots: Mapping[str, Collection[str] | None]
) -> Schedule:
    """Return the schedule of a tournament.

    Args:
        categories: number of deals by category; their order does not matter.
        bots: names of the games that a bot plays, ``None`` for all, by name of the bot; their
            order does not matter.

    Raises:
        UsageError: there would be more than 5,000,000 matches.
    """
    sections = []
    left_out = []
    for category in sorted(categories):
        entered = sorted(
            bot for bot, plays in bots.items() if plays is None or category.game in plays
        )
        needed = bots_needed(category)
        if len(entered) < needed:
            noun = "bot" if needed == 1 else "bots"
            left_out.append(f"{category.name}: {needed} {noun} needed, {len(entered)} entered")
        else:
            sections.append(Section(category, categories[category], tuple(entered)))
    made = Schedule(tuple(sections), tuple(left_out))
    if made.count > MOST_MATCHES:
        raise UsageError(
            f"that makes {made.count:,} matches, and {MOST_MATCHES:,} is the most: "
            "take fewer bots, deals or sizes of table"
        )
    return made


def bots_needed(category: Category) -> int:
    """Return with how many bots ``category`` can be played.

    A table needs one for each seat, self-play a single one, and mixed teams two teams: there is
    nothing to compare a single team with.
    """
    match category.mode:
        case Mode.TABLE:
            return category.players
        case Mode.SELF:
            return 1
        case Mode.MIXED:
            return 2 * category.players


def _circle(table: Sequence[str], number: int) -> tuple[str, ...]:
    """Return the bots of ``table`` in circle ``number``, counted round and round.

    The first bot stays and the others take all their orders, one a number, so that in the long
    run nobody plays after the same rival more often than after another.
    """
    first, *rest = table
    circle = [first]
    while rest:
        number, at = divmod(number, len(rest))
        circle.append(rest.pop(at))
    return tuple(circle)


def _rotations(circle: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for start in range(len(circle)):
        yield circle[start:] + circle[:start]
