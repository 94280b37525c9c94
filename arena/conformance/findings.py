"""What an examination of a bot comes to: checks, and findings with the lines that show them."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum


class Severity(StrEnum):
    """How much a finding matters, worst first."""

    FAULT = "fault"
    """It breaks a *must* of the specification: a seat is closed, or a later version would do it."""

    WARNING = "warning"
    """It breaks a *should*, or will be a fault on a bad day."""

    TIP = "tip"
    """It is allowed, and there is a better way."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a bot does, with the lines that show it."""

    check: str
    severity: Severity
    text: str
    """One sentence."""

    tip: str = ""
    """What to do about it, in a few words; empty where the text says it all."""

    where: str = ""
    """The game, the number of seats and the decision, from 1; empty where it is not of a match."""

    sent: bytes = b""
    """The line that it was sent last, LF left out."""

    back: bytes = b""
    """What it wrote then, as far as there is anything."""

    log: bytes = b""
    """Its standard error, as it is kept; empty where that tells nothing."""

    times: int = 1
    """In how many matches it was found."""


@dataclass(frozen=True, slots=True)
class Check:
    """Something that was looked at."""

    name: str
    text: str
    """What was seen; or why nothing was, where it was `skipped`."""

    findings: tuple[Finding, ...] = ()
    skipped: bool = False

    @property
    def verdict(self) -> str:
        """The worst severity of its findings; ``ok`` if there are none, or ``skipped``."""
        if self.skipped:
            return "skipped"
        there = {finding.severity for finding in self.findings}
        return next((severity.value for severity in Severity if severity in there), "ok")


@dataclass(frozen=True, slots=True)
class Report:
    """All that was looked at, in that order."""

    bot: str
    checks: tuple[Check, ...]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings, worst first."""
        found = [finding for check in self.checks for finding in check.findings]
        order = list(Severity)
        return tuple(sorted(found, key=lambda finding: order.index(finding.severity)))

    def count(self, severity: Severity) -> int:
        """Return how many findings matter so much."""
        return sum(finding.severity is severity for finding in self.findings)


_PARTICULAR = re.compile(r"'.*'|\d+")
"""What of a text is of a single match: what it quotes, and numbers."""


def merged(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return ``findings`` with those that say the same in one, the first that was found."""
    kept: dict[tuple[str, Severity, str], Finding] = {}
    for finding in findings:
        key = finding.check, finding.severity, _PARTICULAR.sub("", finding.text)
        first = kept.get(key)
        kept[key] = replace(first, times=first.times + finding.times) if first else finding
    return tuple(kept.values())
