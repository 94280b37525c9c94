"""How bots are to be kept apart, for the commands that play them: no other needs the sandbox."""

from arena.cli.remarks import remark
from arena.players.sandbox import Isolation, isolation
from arena.players.tier import Tier
from arena.tournament.settings import Settings


def isolation_wanted(tier: Tier | None, settings: Settings) -> Isolation:
    """Return how bots are kept apart: as the user says, or in the best way there is.

    Raises:
        UsageError: this machine cannot give what the user wants.
    """
    found = isolation(tier or settings.tier)
    if found.lacking:
        remark(f"NOT ISOLATED: {found.lacking}")
    return found
