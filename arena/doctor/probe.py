"""What a probe is: an attack of a few lines, and what came of it in a sandbox and without one."""

from dataclasses import dataclass
from enum import StrEnum

from arena.players.tier import Tier


class Seats(StrEnum):
    """Who takes part in an attack, and how its success shows."""

    ONE = "one"
    """``attack()`` returns the decoy's secret or `attacker.GOT`, or the decoy notices that it was
    reached, or a process with the secret in its command line outlives the bot.
    """

    ALONE = "alone"
    """Likewise, in a sandbox of its own, which may end by it."""

    LATER = "later"
    """``attack()`` leaves something behind that ``find()`` returns in a later sandbox."""

    AWAY = "away"
    """``hold()`` starts something, of which ``sense()``, asked of the same process after a while,
    returns `attacker.GOT` if it ran in between.
    """

    TWO = "two"
    """``hold()`` and ``drop()`` in one sandbox change what ``sense()`` returns in another."""


class Kept(StrEnum):
    """Where arena says that an attack fails."""

    EVERYWHERE = "everywhere"
    SANDBOXED = "sandboxed"
    BY_ROOT = "by root"
    """In sandboxes that root makes, because each has a user of its own; and in strict ones."""

    STRICTLY = "strictly"
    """In strict sandboxes alone."""

    NOWHERE = "nowhere"

    def promised(self, tier: Tier, *, root: bool) -> bool:
        """Return whether the attack is to fail in ``tier``, made by root or by somebody else."""
        match self:
            case Kept.EVERYWHERE:
                return True
            case Kept.SANDBOXED:
                return tier is not Tier.NONE
            case Kept.BY_ROOT:
                return tier is Tier.STRICT or (tier is Tier.BWRAP and root)
            case Kept.STRICTLY:
                return tier is Tier.STRICT
            case Kept.NOWHERE:
                return False


class Verdict(StrEnum):
    """What a probe shows about a tier on this host."""

    CLOSED = "closed"
    """The attack works without a sandbox, and fails in the tier."""

    OPEN = "OPEN"
    """It works in the tier, against what the tier promises."""

    LEFT_OPEN = "left open"
    """It works in the tier, which promises nothing else."""

    HELD = "held"
    """It fails in the tier; whether it works at all was not tried."""

    NOT_SHOWN = "not shown"
    """It fails in the tier, but without a sandbox, too, so that this host proves nothing."""


@dataclass(frozen=True, slots=True)
class Probe:
    """One attack, as data."""

    name: str
    threats: tuple[str, ...]
    """Entries of the list in protocol/SECURITY.md, the most fitting one first."""

    tries: str
    """What it does, in one sentence without a subject."""

    code: str
    """Python for `arena.doctor.attacker`: the standard library, and what that module defines."""

    seats: Seats = Seats.ONE
    kept: Kept = Kept.SANDBOXED
    quick: bool = True
    """Whether it is part of the short form."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one run of an attack."""

    got: bool
    why: str = ""
    """What it ran into, if anything."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a probe shows."""

    probe: Probe
    verdict: Verdict
    why: str = ""
    """What the attack ran into: in the tier, or without it where that shows nothing."""


def judged(
    probe: Probe, held: Outcome, control: Outcome | None, tier: Tier, *, root: bool
) -> Finding:
    """Return what an attack shows.

    Args:
        probe: the attack.
        held: what came of it in the tier.
        control: what came of it without; ``None`` where that was not tried.
        tier: where it was made.
        root: whether root made the sandbox.
    """
    if held.got:
        promised = probe.kept.promised(tier, root=root)
        return Finding(probe, Verdict.OPEN if promised else Verdict.LEFT_OPEN)
    if control is None:
        return Finding(probe, Verdict.HELD, held.why)
    if not control.got:
        return Finding(probe, Verdict.NOT_SHOWN, control.why)
    return Finding(probe, Verdict.CLOSED, held.why)
