"""The tiers: how far bots are kept apart."""

from enum import StrEnum


class Tier(StrEnum):
    """How bots are kept apart from the machine and from each other."""

    BWRAP = "bwrap"
    """Each seat in a sandbox of its own, made by bubblewrap."""

    STRICT = "strict"
    """Likewise, without /proc, pipes and sockets, which not every runtime bears."""

    NONE = "none"
    """Processes of their own, and no more."""
