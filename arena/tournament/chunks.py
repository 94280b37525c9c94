"""Which matches the same processes play, where a tournament keeps processes alive.

The schedule decides that: a block is so many deals in a row of one line-up in one seating. What is
open of a block when it is begun is a chunk, which is played by one set of processes, deal by deal,
and stored as a whole. After a match with a fault the rest of a chunk has fresh processes.
"""

from dataclasses import dataclass

from arena.referee.category import Category
from arena.referee.fixture import Fixture


@dataclass(frozen=True, slots=True)
class Block:
    """Deals in a row of one line-up in one seating."""

    category: Category
    bots: tuple[str, ...]
    """By seat."""

    deals: range

    def fixtures(self) -> list[Fixture]:
        """Return a fixture for each deal, whether it is on a schedule or not."""
        return [Fixture(self.category, deal, self.bots) for deal in self.deals]


def block_of(fixture: Fixture, size: int) -> Block:
    """Return the block of ``size`` deals, 1 or more, that ``fixture`` is in."""
    first = fixture.deal - fixture.deal % size
    return Block(fixture.category, fixture.bots, range(first, first + size))
