"""An A/A test: one bot under two names, which must come out equal on every deal.

If it does not, names, seats or the order of matches reach the bots or the cards, and no other
comparison can be trusted either.
"""

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from arena.players.bundle import Bundle
from arena.players.files import discard
from arena.players.tier import Tier
from arena.ratings.sequential import FIRST_LOOK, Evidence
from arena.referee.category import Category
from arena.referee.limits import Limits
from arena.store.db import open_store
from arena.tournament.compare import Blocks, Comparison, plan_comparison, play
from arena.tournament.entrants import Candidate
from arena.tournament.runner import Stop

NAMES = ("a", "b")
MOST_DEALS = FIRST_LOOK - 1
"""With more, the sequential test could stop before the last one."""


@dataclass(frozen=True, slots=True)
class Mirrored:
    """How a bot came out against itself."""

    category: Category
    evidence: Evidence
    faults: int

    @property
    def equal(self) -> bool:
        """Whether it came out equal on every deal, and never was at fault."""
        return self.evidence.tied == self.evidence.blocks and not self.faults


def against_itself(
    bundle: Bundle,
    categories: Sequence[Category],
    deals: int,
    limits: Limits,
    tier: Tier,
    jobs: int,
) -> Iterator[Mirrored]:
    """Play a bot against itself, as ``a`` and ``b``, and yield each category once it was played.

    It is to be a bot that repeats itself: one whose dice are seeded by the match, or without any.
    Nothing is kept of the matches, whose deals are fresh ones.

    Args:
        bundle: the bot.
        categories: what it plays; modes ``table`` and ``self``.
        deals: of each, at most `MOST_DEALS`.
        limits: of every seat.
        tier: how the bots are kept apart.
        jobs: matches at a time.

    Raises:
        UsageError, HostFault: as `arena.tournament.compare.play` does.
    """
    bots = [Candidate(name, bundle, None) for name in NAMES]
    home = Path(tempfile.mkdtemp(prefix="arena-mirror-"))
    try:
        with open_store(home) as store:
            for category in categories:
                wanted = Comparison(*NAMES, category, blocks=min(deals, MOST_DEALS))
                made = plan_comparison(bots, wanted, limits, tier)
                made.store(store)
                blocks = play(store, made.tournament, jobs, _Silence(), Stop())
                yield Mirrored(category, blocks.evidence, blocks.faults.total())
    finally:
        discard(home)


class _Silence:
    def counted(self, blocks: Blocks) -> None:
        pass

    def remark(self, text: str) -> None:
        pass
