"""Records that wait for their turn, so that what is kept of a schedule has no gap.

A comparison is over as soon as a block decides it, and what lies beyond counts nowhere: neither in
its chain of records nor in what is shown of it. With several workers some of that is played all
the same. It is held back until all before it is kept, and dropped with the process once the
comparison is over; so one worker and many leave the same behind.
"""

from collections.abc import Iterable, Iterator

from arena.referee.fixture import Fixture


class Turns:
    """The records of what is to be played of one schedule, by match."""

    def __init__(self, fixtures: Iterable[Fixture]) -> None:
        """Take ``fixtures``, all that have no record yet, in the order of the schedule."""
        self._order = iter(fixtures)
        self._next = next(self._order, None)
        self._held: dict[str, bytes] = {}

    def holds(self, fixture: Fixture) -> bool:
        """Return whether ``fixture`` was played, and its record waits for others."""
        return fixture.match in self._held

    def take(self, played: Iterable[tuple[Fixture, bytes]]) -> Iterator[bytes]:
        """Take in records, and yield those whose turn it is now; what is not asked for waits on."""
        self._held.update((fixture.match, line) for fixture, line in played)
        while self._next and self._next.match in self._held:
            line = self._held.pop(self._next.match)
            self._next = next(self._order, None)
            yield line
