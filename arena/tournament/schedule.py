"""The schedule: who meets whom, on which deals, in which seats.

A schedule follows from the categories with their numbers of deals, from the names of the bots that
play them, from the authors that are kept apart and from the most matches of a bot, and from
nothing else: no key, no clock, no order of entry. It can therefore be published before the first
match, and made again by anybody: protocol/SPEC.md has its rules.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from arena.errors import UsageError
from arena.referee.category import Category, Mode
from arena.referee.fixture import Fixture
from arena.tournament.tables import (
    Table,
    all_tables,
    balanced,
    count_tables,
    most_tables,
    rounds,
)
from arena.tournament.teams import teams

MOST_MATCHES = 5_000_000
"""A larger schedule is a mistake: at a second a match it takes two months on one core."""

MOST_TABLES = 60
"""So many tables of three bots or more are all played; out of more than that some are chosen."""

TABLES_EACH = 12
"""How many tables a bot has then."""

_PAIR = 2

_NAMED = 2
"""So many bots are named that do not play a game; of more their number is said."""

APART = 3
"""From so many seats on, bots of one author are kept apart."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """What a schedule has to heed besides categories and bots."""

    authors: Mapping[str, str] = field(default_factory=dict)
    """By name of the bot, only of those that say one; equal texts are one author."""

    matches_each: int | None = None
    """The most matches of a bot in each category; ``None``: as many as there are."""


@dataclass(frozen=True, slots=True)
class Section:
    """A category of a schedule, with its deals and the bots that play it."""

    category: Category
    deals: int
    bots: tuple[str, ...]
    """Ascending."""

    authors: tuple[int, ...]
    """By bot, a number: those with one number are kept apart."""

    tables_each: int | None = None
    """How many tables a bot has, if they are chosen; ``None``: all there are."""

    @property
    def count(self) -> int:
        """How many matches it has."""
        size = self.category.players
        match self.category.mode:
            case Mode.TABLE if self.tables_each is None:
                return count_tables(self.authors, size) * size * self.deals
            case Mode.TABLE:
                return sum(1 for _ in self._tables()) * size * self.deals
            case Mode.SELF:
                return len(self.bots) * self.deals
            case Mode.MIXED:
                return most_tables(Counter(self.authors).values(), size) * self.deals

    def seatings(self) -> Iterator[tuple[tuple[str, ...], ...]]:
        """Yield, deal by deal from deal 0, the bots by seat of each of its matches.

        - Mode ``table``: every table plays the deal once in each rotation. The tables are all
          there are, or those of `arena.tournament.tables`. The circle in which the bots of a table
          sit changes from deal to deal, and from table to table if they are chosen, through all
          circles: with three bots A, B, C and A, C, B in turn, with four bots six circles.
        - Mode ``self``: every bot plays the deal in all seats.
        - Mode ``mixed``: the teams of `arena.tournament.teams`.
        """
        size = self.category.players
        match self.category.mode:
            case Mode.TABLE:
                for deal in range(self.deals):
                    circles = (
                        _circle(table, deal if self.tables_each is None else deal + number)
                        for number, table in enumerate(self._tables())
                    )
                    yield tuple(
                        seating for circle in circles for seating in _rotations(self._named(circle))
                    )
            case Mode.SELF:
                for _ in range(self.deals):
                    yield tuple((bot,) * size for bot in self.bots)
            case Mode.MIXED:
                for drawn in islice(teams(len(self.bots), size, self.authors), self.deals):
                    yield tuple(map(self._named, drawn))

    def limited(self, most: int) -> "Section | None":
        """Return what is left of it if no bot may have more than ``most`` matches.

        These are its first deals. Where one deal at all tables is too much already, fewer tables
        play that one deal, chosen so that all bots have as many. ``None`` if a bot would have too
        many matches at a single table.
        """
        size = self.category.players
        if self.category.mode is not Mode.TABLE:
            # A bot plays a deal once; and both modes go on playing the same deals.
            return replace(self, deals=min(self.deals, most))
        if self.tables_each is None and size == _PAIR:
            each = len(self.bots) - 1
        else:
            each = max(Counter(bot for table in self._tables() for bot in table).values())
        if each * size <= most:
            return replace(self, deals=min(self.deals, most // (each * size)))
        fewer = most // size
        return replace(self, deals=1, tables_each=fewer) if fewer else None

    @property
    def extent(self) -> str:
        """How much of the category is played, in words."""
        of = "" if self.tables_each is None else f" of {self.tables_each} tables a bot"
        return f"{self.category.name} {self.deals} {'deal' if self.deals == 1 else 'deals'}{of}"

    def _tables(self) -> Iterator[Table]:
        size = self.category.players
        if self.tables_each is None:
            return all_tables(self.authors, size)
        if size == _PAIR:
            return rounds(len(self.bots), self.tables_each)
        return iter(balanced(self.authors, size, self.tables_each))

    def _named(self, seating: Table) -> tuple[str, ...]:
        return tuple(self.bots[bot] for bot in seating)


@dataclass(frozen=True, slots=True)
class Schedule:
    """All the matches of a tournament, and the categories that it has to do without."""

    sections: tuple[Section, ...]
    left_out: tuple[str, ...]
    """A line for each category that cannot be played with these bots."""

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

    def apart(self) -> tuple[tuple[str, ...], ...]:
        """Return the bots that are kept apart in some category, those of an author together."""
        found: set[tuple[str, ...]] = set()
        for section in self.sections:
            of: defaultdict[int, list[str]] = defaultdict(list)
            for bot, author in zip(section.bots, section.authors, strict=True):
                of[author].append(bot)
            found.update(tuple(bots) for bots in of.values() if len(bots) > 1)
        return tuple(sorted(found))


def schedule(
    categories: Mapping[Category, int],
    bots: Mapping[str, Collection[str] | None],
    conditions: Conditions | None = None,
) -> Schedule:
    """Return the schedule of a tournament.

    Args:
        categories: number of deals by category; their order does not matter.
        bots: names of the games that a bot plays, ``None`` for all, by name of the bot; their
            order does not matter.
        conditions: what to heed besides.

    Raises:
        UsageError: there would be more than 5,000,000 matches.
    """
    heeded = conditions or Conditions()
    sections = []
    left_out = []
    for category in sorted(categories):
        entered = sorted(
            bot for bot, plays in bots.items() if plays is None or category.game in plays
        )
        made = _section(category, categories[category], entered, heeded)
        if isinstance(made, str):
            elsewhere = _elsewhere(category, bots, entered)
            left_out.append(f"{category.name}: {made}{elsewhere}")
        else:
            sections.append(made)
    whole = Schedule(tuple(sections), tuple(left_out))
    if whole.count > MOST_MATCHES:
        raise UsageError(
            f"that makes {whole.count:,} matches, and {MOST_MATCHES:,} is the most: "
            "take fewer bots, deals or sizes of table"
        )
    return whole


def _section(
    category: Category, deals: int, entered: Sequence[str], conditions: Conditions
) -> Section | str:
    """Return the section of ``category``, or why there is none."""
    needed = bots_needed(category)
    if len(entered) < needed:
        noun = "bot" if needed == 1 else "bots"
        return f"{needed} {noun} needed, {len(entered)} entered"
    section = Section(category, deals, tuple(entered), _numbers(category, entered, conditions))
    if lacking := _lacking(section):
        return f"{lacking} (--same-author lets those of one author meet)"
    if (
        category.mode is Mode.TABLE
        and category.players >= APART
        and count_tables(section.authors, category.players) > MOST_TABLES
    ):
        section = replace(section, tables_each=TABLES_EACH)
    most = conditions.matches_each
    if most is None:
        return section
    return section.limited(most) or (
        f"a bot has {category.players} matches at a table, and {most} is the most"
    )


def _elsewhere(category: Category, bots: Collection[str], entered: Sequence[str]) -> str:
    """Return which of ``bots`` did not enter ``category``, empty if all did."""
    others = sorted(set(bots) - set(entered))
    if not others:
        return ""
    names = " and ".join(others) if len(others) <= _NAMED else f"{len(others)} bots"
    verb = "does" if len(others) == 1 else "do"
    return f"; {names} {verb} not play {category.game}"


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


def _numbers(category: Category, entered: Sequence[str], conditions: Conditions) -> tuple[int, ...]:
    """Return the number of its author for each bot: the number of the author's first bot.

    A bot without an author, or in a category that keeps none apart, has a number of its own.
    """
    if category.players < APART or category.mode is Mode.SELF:
        return tuple(range(len(entered)))
    first: dict[str, int] = {}
    return tuple(
        number
        if (author := conditions.authors.get(bot)) is None
        else first.setdefault(author, number)
        for number, bot in enumerate(entered)
    )


def _lacking(section: Section) -> str | None:
    """Return why the authors of its bots leave no table, or no two teams at a time."""
    size = section.category.players
    shared = Counter(section.authors)
    match section.category.mode:
        case Mode.TABLE if len(shared) < size:
            return f"bots by {size} authors needed, and those entered are by {len(shared)}"
        case Mode.MIXED if most_tables(shared.values(), size) <= 1:
            return f"no two teams can be made that have bots by {size} authors each"
        case _:
            return None


def _circle(table: Table, number: int) -> Table:
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
