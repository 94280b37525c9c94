"""Retiring: bots that keep failing are taken out of a category, by one rule for everybody.

Whether a bot is retired, and after which of its matches, follows from the results of a category in
the order of its schedule, and from nothing else: not from the order in which they were played.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from arena.errors import FaultCode, RecordError
from arena.referee.fixture import Fixture
from arena.referee.record import FaultRecord

ENOUGH_MATCHES = 20
"""A bot with fewer is not retired for a share of faults."""

MOST_PERCENT = 10
"""With faults in a larger part of its matches than this, a bot is retired."""

FAILED_STARTS = 3
"""A bot that cannot start so often in a row is retired, however few its matches are."""

Seat = tuple[str, str]
"""(name of a category, bot): what can be retired."""


@dataclass(frozen=True, slots=True)
class Retired:
    """A bot that was taken out of a category."""

    category: str
    """Its name."""

    bot: str
    matches: int
    """How many matches the bot had in the category by then, the last one included."""

    faults: int
    """In how many of them a seat of it was closed."""

    could_not_start: bool
    """Whether it is for failed starts in a row, and not for the share of faults."""

    tournament: str | None = None
    """In a pool, the id of the tournament in which it was."""

    @property
    def reason(self) -> str:
        """Why it was retired, in words."""
        if self.could_not_start:
            return f"could not start {FAILED_STARTS} times in a row"
        return f"retired after {self.matches} matches: faults in {self.faults} of {self.matches}"


class Retirement:
    """Who is retired, after the matches that were taken in so far.

    They are taken in by the schedule's order, those of different categories in any.
    """

    def __init__(self) -> None:
        self.retired: dict[Seat, Retired] = {}
        """In the order in which they were."""

        self._matches: Counter[Seat] = Counter()
        self._faults: Counter[Seat] = Counter()
        self._failed_starts: Counter[Seat] = Counter()

    def excuses(self, fixture: Fixture) -> bool:
        """Return whether ``fixture`` is not to be played, or does not count if it was."""
        return has_retired(self.retired, fixture.category.name, fixture.bots)

    def take(self, fixture: Fixture, faults: Sequence[FaultRecord]) -> list[Retired]:
        """Take in that ``fixture`` was played with ``faults``; return who is retired by it.

        Raises:
            RecordError: a fault is of a seat that is not there.
        """
        if self.excuses(fixture):
            return []
        if any(fault.seat not in range(len(fixture.bots)) for fault in faults):
            raise RecordError(f"{fixture.match}: a fault of a seat that is not there")
        at_fault = {fixture.bots[fault.seat] for fault in faults}
        unstarted = {
            fixture.bots[fault.seat] for fault in faults if fault.code == FaultCode.START_FAILED
        }
        found = []
        # A bot in all seats has one match, and one fault at most.
        for bot in dict.fromkeys(fixture.bots):
            seat = (fixture.category.name, bot)
            self._matches[seat] += 1
            self._faults[seat] += bot in at_fault
            self._failed_starts[seat] = self._failed_starts[seat] + 1 if bot in unstarted else 0
            if retired := self._judged(seat):
                self.retired[seat] = retired
                found.append(retired)
        return found

    def _judged(self, seat: Seat) -> Retired | None:
        matches, faults = self._matches[seat], self._faults[seat]
        unable = self._failed_starts[seat] >= FAILED_STARTS
        often = matches >= ENOUGH_MATCHES and 100 * faults > MOST_PERCENT * matches
        return Retired(*seat, matches, faults, could_not_start=unable) if unable or often else None


def has_retired(retired: Collection[Seat], category: str, bots: Iterable[str]) -> bool:
    """Return whether one of ``bots`` is among those ``retired`` from ``category`` (a name)."""
    return bool(retired) and any((category, bot) in retired for bot in bots)
