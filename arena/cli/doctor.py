"""``arena doctor``: what this host gives, and whether bots are kept apart as is said."""

import os
import time
from collections import Counter
from collections.abc import Sequence
from typing import Annotated

import typer

from arena.bundled import sample_bots
from arena.cli.isolation import isolation_wanted
from arena.cli.options import (
    HOME,
    As,
    Home,
    TierName,
    given,
    workers_wanted,
)
from arena.cli.remarks import counted, remark
from arena.cli.render import Format, Value, render
from arena.cli.waiting import Waiting
from arena.doctor import host
from arena.doctor.probe import Finding, Verdict
from arena.doctor.run import examine, glance, short
from arena.errors import UsageError
from arena.games import BUILT_IN
from arena.games.base import AnyGame, Kind
from arena.players.submission import read_bundle
from arena.players.tier import Tier
from arena.referee.category import Category, Mode
from arena.tournament.mirror import against_itself
from arena.tournament.settings import Settings, read_settings

COLUMNS = ("check", "threats", "verdict", "text")
OPEN = 1
"""The exit status where something is open that the tier promises to close."""

_MIRROR_BOT = "random_legal"
"""A sample bot that plays every game of the house, by dice that the match seeds: whatever differs
between two seats of it shows."""

_MIRROR_DEALS = 10

_MEANINGS = {
    Verdict.CLOSED: "works only without a sandbox",
    Verdict.OPEN: "works, though the tier promises otherwise",
    Verdict.LEFT_OPEN: "works, and the tier promises nothing else",
    Verdict.HELD: "failed here; whether it works without a sandbox was not tried",
    Verdict.NOT_SHOWN: "fails without a sandbox, too, so it proves nothing",
}
_THREATS = (
    "threats: A secrets and the host, B talk between seats, C limits of a seat "
    "(protocol/SECURITY.md)"
)

Short = Annotated[
    bool,
    typer.Option("--short", help="Only the quick attacks, without the control; a few seconds."),
]
AgainstItself = Annotated[
    bool,
    typer.Option(
        "--aa",
        help="Instead, play a sample bot against itself under two names, and expect ties; "
        "half a minute at most.",
    ),
]


def register(app: typer.Typer) -> None:
    """Add the command of this module to ``app``."""
    app.command(epilog="Example: arena doctor --short")(doctor)


def doctor(
    context: typer.Context,
    tier: TierName = None,
    short_form: Short = False,
    against_self: AgainstItself = False,
    home: Home = HOME,
    form: As = Format.TABLE,
) -> None:
    """Attack the sandbox in all known ways, and say which ones work; takes half a minute or so.

    Each attack is made in a sandbox and, as a control, without one: *closed* is what works only
    without, *OPEN* what works in spite of it, *left open* what the tier does not promise to close,
    *not shown* what does not work on this host at all; *held*, with --short, what fails in the
    sandbox and was not tried without. Threats are numbered as in protocol/SECURITY.md. Exit status
    1 if anything is OPEN, or with --aa if the bot does not tie with itself.
    """
    began = time.monotonic()
    settings = read_settings(home)
    if against_self:
        _mirror(context, settings, tier)
        return
    chosen = isolation_wanted(tier, settings).tier
    rows: list[dict[str, Value]] = []
    if not short_form:
        rows += [_row(fact.name, text=fact.text) for fact in host.facts()]
    with Waiting() as waiting:
        waiting.told("attacking the sandbox")
        findings = glance(chosen) if short_form else examine(chosen)
    rows += [_told(finding) for finding in findings]
    typer.echo(render(rows, form, COLUMNS), nl=False)
    if form is Format.TABLE:
        for line in _legend(findings):
            typer.echo(line)
    remark(_summary(chosen, findings, time.monotonic() - began))
    if any(finding.verdict is Verdict.OPEN for finding in findings):
        raise typer.Exit(OPEN)


def _mirror(context: typer.Context, settings: Settings, tier: Tier | None) -> None:
    """Play a sample bot against itself, and say in one line how it came out."""
    if others := given(context, ("short_form", "form")):
        raise UsageError(f"--aa says one line and attacks nothing: leave out {', '.join(others)}")
    began = time.monotonic()
    chosen = isolation_wanted(tier, settings).tier
    (path,) = (path for path in sample_bots() if path.stem == _MIRROR_BOT)
    played = list(
        against_itself(
            read_bundle(path),
            [_mirror_category(game) for game in BUILT_IN],
            _MIRROR_DEALS,
            settings.limits,
            chosen,
            workers_wanted(None, settings),
        )
    )
    counts = ", ".join(
        f"{one.evidence.tied} of {one.evidence.blocks} deals tied in {one.category.name}"
        + (f" with {counted(one.faults, 'fault', 'faults')}" if one.faults else "")
        for one in played
    )
    equal = all(one.equal for one in played)
    finding = "equal" if equal else "NOT EQUAL"
    typer.echo(
        f"{finding}: {_MIRROR_BOT} as a and as b, {counts} "
        f"({chosen.value}, {time.monotonic() - began:.0f} s)"
    )
    if not equal:
        raise typer.Exit(OPEN)


def _mirror_category(game: AnyGame) -> Category:
    mode = Mode.TABLE if game.kind is Kind.COMPETITIVE else Mode.SELF
    return Category(game.name, game.variants[0], mode, game.player_counts[0])


def check_isolation(tier: Tier) -> None:
    """Raise `UsageError` if ``tier`` does not keep bots apart here as it promises to."""
    with Waiting() as waiting:
        waiting.told("checking the sandbox")
        broken = short(tier)
    if broken:
        names = ", ".join(probe.name for probe in broken[:3]) + (", ..." if broken[3:] else "")
        raise UsageError(
            f"bots are not kept apart here as --tier {tier.value} promises ({names}): `arena "
            "doctor` says more, and --tier none plays unrated"
        )


def _legend(findings: Sequence[Finding]) -> list[str]:
    """Return what the verdicts and the threats in a table mean."""
    there = {finding.verdict for finding in findings}
    said = [f"{verdict.value}: {text}" for verdict, text in _MEANINGS.items() if verdict in there]
    return [*said, _THREATS]


def _told(finding: Finding) -> dict[str, Value]:
    probe = finding.probe
    text = probe.tries
    if finding.why and finding.verdict in {Verdict.OPEN, Verdict.NOT_SHOWN}:
        text = f"{text} ({finding.why})"
    return _row(probe.name, probe.threats, finding.verdict.value, text)


def _row(
    check: str, threats: tuple[str, ...] = (), verdict: str | None = None, text: str = ""
) -> dict[str, Value]:
    return {"check": check, "threats": threats, "verdict": verdict, "text": text}


def _summary(tier: Tier, findings: Sequence[Finding], took_s: float) -> str:
    """Return all verdicts in one line."""
    counts = Counter(finding.verdict for finding in findings)
    said = [f"{counts[verdict]} {verdict.value}" for verdict in Verdict if counts[verdict]]
    if not counts[Verdict.OPEN]:
        said.append(f"nothing {Verdict.OPEN.value}")
    user = "as root" if os.geteuid() == 0 else "as an ordinary user"
    return f"{tier.value}, {user}: {', '.join(said)}; {took_s:.0f} s"
