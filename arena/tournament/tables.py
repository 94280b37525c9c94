"""Balanced tables: who sits with whom where not every choice of bots can have a table.

Bots are numbers here, from 0, and so are authors: bots of one author never share a table. The
tables depend on nothing else than what the functions take: whoever makes them again gets the same
ones.
"""

import hashlib
from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from itertools import combinations

Table = tuple[int, ...]
"""Bots that share a table, ascending unless something else is said."""

_DRAWS = 16
_EVEN = 3


def rounds(bots: int, number: int) -> Iterator[Table]:
    """Yield the pairs of the first ``number`` rounds of a round robin, by the circle method.

    In each round everybody meets somebody else, and with an odd number of bots one pauses, a
    different one each time; after ``number`` rounds a bot has met ``number`` others, or one less.

    Args:
        bots: how many there are, at least 2.
        number: 0 to ``bots - 1``, or to ``bots`` where that is odd: then everybody has met
            everybody.
    """
    even = bots + bots % 2
    for turn in range(number):
        around = (
            ((turn + step) % (even - 1), (turn - step) % (even - 1)) for step in range(1, even // 2)
        )
        for one, other in ((turn, even - 1), *around):
            if bots not in {one, other}:  # the number of who is not there
                yield min(one, other), max(one, other)


def count_tables(authors: Sequence[int], size: int) -> int:
    """Return how many tables of ``size`` bots there are, all of different authors.

    Args:
        authors: number of its author, by bot.
        size: bots at a table.
    """
    # The elementary symmetric polynomial of the numbers of bots that the authors have.
    chosen = [1] + [0] * size
    for bots in Counter(authors).values():
        for seats in range(size, 0, -1):
            chosen[seats] += bots * chosen[seats - 1]
    return chosen[size]


def all_tables(authors: Sequence[int], size: int) -> Iterator[Table]:
    """Yield all tables of ``size`` bots, all of different authors, in ascending order."""
    tables = combinations(range(len(authors)), size)
    if len(set(authors)) == len(authors):
        yield from tables
    else:
        yield from (one for one in tables if len({authors[bot] for bot in one}) == size)


def most_tables(open_seats: Collection[int], size: int) -> int:
    """Return how many tables there can be at once, or one after the other, of different authors.

    Args:
        open_seats: by author, how many seats its bots can take; at one table only one of them.
        size: bots at a table, at least 1.
    """
    tables = sum(open_seats) // size
    while sum(min(seats, tables) for seats in open_seats) < size * tables:
        tables -= 1
    return tables


@lru_cache(maxsize=64)
def balanced(authors: tuple[int, ...], size: int, most: int) -> tuple[Table, ...]:
    """Return tables of ``size`` bots, up to ``most`` for each bot, that mix the bots evenly.

    They are made one after the other. The first seat is for the bot with the fewest tables, each
    other one for the bot with the smallest (number of tables, meetings with those seated, draw by
    SHA-256); before them come bots of an author whose bots need a seat at every table that is
    left. No bot gets more than ``most`` tables, and no table is made twice.

    All is drawn anew, up to 16 times, until no further table could be made, and meetings of two
    bots (that may meet) differ by at most 3 between any two pairs. Else the draw with the most
    tables counts, and of those the one in which meetings differ least.

    With 4 to 40 bots of as many authors, tables of 3 or 4, more than 60 of them possible, and 12
    for each bot, all have 12, and their meetings differ by at most 3. Wherever no author has more
    than one in ``size`` of the bots, all have ``most`` tables, but for fewer than ``size`` that
    have one less where the seats do not come out even, and as far as tables that differ can be
    found. Bots of an author who has more share the seats that there are.

    Args:
        authors: number of its author, by bot.
        size: bots at a table, at least 2.
        most: tables of a bot, at least 1.
    """
    possible = most_tables([most * bots for bots in Counter(authors).values()], size)
    best = _Seating(authors, size, most, 0)
    for draw in range(1, _DRAWS):
        if len(best.made) == possible and best.spread <= _EVEN:
            break
        best = min(best, _Seating(authors, size, most, draw), key=_worth)
    return tuple(best.made)


class _Seating:
    """The tables of one draw."""

    def __init__(self, authors: tuple[int, ...], size: int, most: int, draw: int) -> None:
        self._authors = authors
        self._size = size
        self._most = most
        self._draw = draw
        self._entries = [self._entry(bot, 0) for bot in range(len(authors))]
        self._queue = sorted(self._entries)
        """Who can still get a table: (number of tables, draw, bot), ascending."""

        self._met: list[Counter[int]] = [Counter() for _ in authors]
        self._open = Counter({author: most * bots for author, bots in Counter(authors).items()})
        """By author: how many seats its bots still lack."""

        self._waiting = len(self._open)
        """How many authors lack seats."""

        self._shared = [author for author, bots in Counter(authors).items() if bots > 1]
        self.made: dict[Table, None] = {}
        """In the order in which they were made."""

        while (table := self._next()) is not None:
            self._seat(table)

    @property
    def spread(self) -> int:
        """By how much the meetings of two pairs differ, of bots that may meet."""
        meetings = [times for row in self._met for times in row.values()]
        pairs = 2 * count_tables(self._authors, 2)
        least = min(meetings, default=0) if len(meetings) == pairs else 0
        return max(meetings, default=0) - least

    def _next(self) -> Table | None:
        """Return the table to be made now, ``None`` if there is none."""
        # With fewer authors nobody would find a table, and many would look for one.
        while self._waiting >= self._size <= self._open.total():
            urgent = self._urgent()
            first = next(self._ranked((), urgent))
            if (table := self._completed((first,), urgent)) is not None:
                return table
            self._give_up(first)
        return None

    def _entry(self, bot: int, tables: int) -> tuple[int, bytes, int]:
        text = f"{self._draw}/{len(self._authors)}/{self._size}/{tables}/{bot}"
        return tables, hashlib.sha256(text.encode("ascii")).digest(), bot

    def _urgent(self) -> Collection[int]:
        """Return the authors whose bots need a seat at every table that is left."""
        left = self._open.total() // self._size
        # The one bot of an author lacks `most` seats at most.
        asked = self._shared if left > self._most else list(self._open)
        return {author for author in asked if self._open[author] >= left}

    def _ranked(self, seated: Table, urgent: Collection[int]) -> Iterator[int]:
        """Yield who can sit down beside ``seated``, whoever comes first in front."""
        there = {self._authors[bot] for bot in seated}
        for hurried in (True, False) if urgent else (False,):
            fewest, later = 0, list[tuple[int, int, int]]()
            for place, (tables, _, bot) in enumerate(self._queue):
                author = self._authors[bot]
                if author in there or (author in urgent) != hurried:
                    continue
                if tables != fewest:
                    yield from (other for *_, other in sorted(later))
                    fewest, later = tables, []
                if meetings := sum(self._met[bot][other] for other in seated):
                    later.append((meetings, place, bot))
                else:
                    yield bot
            yield from (other for *_, other in sorted(later))

    def _completed(self, seated: Table, urgent: Collection[int]) -> Table | None:
        """Return the first table with ``seated`` at it that was not made yet."""
        if len(seated) == self._size:
            table = tuple(sorted(seated))
            return None if table in self.made else table
        for bot in self._ranked(seated, urgent):
            if (found := self._completed((*seated, bot), urgent)) is not None:
                return found
        return None

    def _seat(self, table: Table) -> None:
        self.made[table] = None
        for one, other in combinations(table, 2):
            self._met[one][other] += 1
            self._met[other][one] += 1
        for bot in table:
            self._close(bot, 1)
            tables = self._leave(bot) + 1
            self._entries[bot] = self._entry(bot, tables)
            if tables < self._most:
                insort(self._queue, self._entries[bot])

    def _give_up(self, bot: int) -> None:
        """Let ``bot`` go without the tables that it lacks: there are no others left for it."""
        self._close(bot, self._most - self._leave(bot))

    def _close(self, bot: int, seats: int) -> None:
        author = self._authors[bot]
        self._open[author] -= seats
        self._waiting -= not self._open[author]

    def _leave(self, bot: int) -> int:
        """Take ``bot`` from the queue; return how many tables it has."""
        entry = self._entries[bot]
        del self._queue[bisect_left(self._queue, entry)]
        return entry[0]


def _worth(seating: _Seating) -> tuple[int, int]:
    """Return what the best of several draws has the least of; the earlier one goes before."""
    return -len(seating.made), seating.spread
