"""``arena check``: what is wrong with a bot, and why, before it is submitted."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from textwrap import wrap
from typing import Annotated

import typer

from arena.cli.isolation import isolation_wanted
from arena.cli.options import (
    HOME,
    As,
    Home,
    MoveMs,
    StartMs,
    TierName,
    browsed,
    complete_bot,
    settings_at,
)
from arena.cli.remarks import counted, remark
from arena.cli.render import WIDTH, Format, Value, render
from arena.cli.waiting import Waiting
from arena.conformance.examine import examine
from arena.conformance.findings import Check, Finding, Report, Severity
from arena.errors import UsageError
from arena.players.bundle import Bundle
from arena.players.files import typed
from arena.players.sandbox import Isolation
from arena.players.submission import read_bundle
from arena.players.tail import last_lines
from arena.tournament.entrants import named
from arena.wire.escape import printable

COLUMNS = ("check", "verdict", "text")
NOT_READY = 1
"""The exit status where the bot has a fault."""

_SHOWN, _TOLD = 320, 8_000
"""How much of a line is shown to people, and to programs, in characters."""

_INDENT = 8
_ECHO = 60

PathOrName = Annotated[
    str,
    typer.Argument(
        metavar="BOT",
        help="A script, an executable file, a folder, a .zip or a .tar.gz; or else the name "
        "of a bot.",
        autocompletion=complete_bot,
    ),
]
NameOfPath = Annotated[
    str | None,
    typer.Option("--name", metavar="NAME", help="What to call the bot at that path."),
]


def register(app: typer.Typer) -> None:
    """Add the command of this module to ``app``."""
    app.command(epilog="Example: arena check mybot.py")(check)


def check(  # noqa: PLR0917 - a command's options
    bot: PathOrName,
    name: NameOfPath = None,
    home: Home = HOME,
    move_ms: MoveMs = None,
    start_ms: StartMs = None,
    tier: TierName = None,
    form: As = Format.TABLE,
) -> None:
    """Examine a bot, and say what breaks the protocol, with the lines that show it.

    It plays whole matches of its games, is sent what a later version may send, sees others fail,
    and is told to quit; that takes some seconds, or minutes if it is slow. A *fault* breaks what
    the specification demands, a *warning* what it recommends or what is close to a fault, and a
    *tip* could be better. Exit status 1 if there is a fault. Nothing is kept.
    """
    settings = settings_at(home)
    limits = settings.limits_with(move_ms=move_ms, start_ms=start_ms)
    isolated = isolation_wanted(tier, settings)
    with Waiting() as waiting:
        waiting.told(f"reading {printable(bot)}, and building it if its bot.toml says so")
        bundle = _bundle(bot, name, home, isolated)
        report = examine(bundle, limits, isolated.tier, waiting.told)
    if form is Format.TABLE:
        rows = [_row(one) for one in report.checks]
        typer.echo(render(rows, form, fitted="text"), nl=False)
        for block in _blocks(report.findings):
            typer.echo(f"\n{block}")
        typer.echo(f"\n{verdict(report)}")
    else:
        typer.echo(render([row for one in report.checks for row in _rows(one)], form), nl=False)
        remark(verdict(report))
    if report.count(Severity.FAULT):
        raise typer.Exit(NOT_READY)


def _bundle(bot: str, name: str | None, home: Path, isolated: Isolation) -> Bundle:
    """Return the bot at a path, or of a name where there is no such path."""
    there = False
    with suppress(OSError, ValueError):
        there = typed(bot).exists()
    if there:
        return read_bundle(typed(bot), name, isolated.build_in)
    if name is not None:
        raise UsageError(f"{printable(bot, _ECHO)} is no path, so --name has nothing to name")
    with browsed(home) as store:
        (found,) = named(store, [bot], None, isolated.tier, isolated.build_in)
    return found.bundle


def verdict(report: Report) -> str:
    """Return what an examination comes to, in one line."""
    faults = report.count(Severity.FAULT)
    if faults:
        where = dict.fromkeys(
            one.check for one in report.findings if one.severity is Severity.FAULT
        )
        said = f"{counted(faults, 'fault', 'faults')}: {', '.join(where)}"
    else:
        said = "ready to submit"
    warnings, tips = report.count(Severity.WARNING), report.count(Severity.TIP)
    more = [counted(warnings, "warning", "warnings")] if warnings else []
    more += [counted(tips, "tip", "tips")] if tips else []
    return printable(f"{report.bot}: {said}" + (f" ({', '.join(more)})" if more else ""))


def _row(one: Check) -> dict[str, Value]:
    worst = next((it.text for it in one.findings if it.severity.value == one.verdict), one.text)
    return {"check": one.name, "verdict": one.verdict, "text": worst}


def _rows(one: Check) -> list[dict[str, Value]]:
    """Return a row for each finding, or one that says that there is none."""
    found = one.findings or (Finding(one.name, Severity.TIP, one.text, times=0),)
    return [
        {
            "check": one.name,
            "verdict": it.severity.value if one.findings else one.verdict,
            "text": it.text,
            "where": it.where or None,
            "times": it.times or None,
            "tip": it.tip or None,
            "sent": printable(it.sent, _TOLD, cut="middle") or None,
            "back": printable(it.back, _TOLD, cut="middle") or None,
            "log": printable(it.log, _TOLD, cut="start", lines=True) or None,
        }
        for it in found
    ]


def _blocks(findings: Sequence[Finding]) -> Iterator[str]:
    """Yield each finding as lines for people; one that is like another is shown in short."""
    shown: dict[tuple[str, ...], str] = {}
    for finding in findings:
        end = last_lines(finding.log)[-1:]
        like = shown.setdefault((finding.text, finding.tip, *end), finding.check)
        yield _block(finding, like if like != finding.check else "")


def _block(finding: Finding, like: str) -> str:
    """Return a finding as lines for people; ``like`` is the check that the same was found in."""
    head = f"{finding.severity.value} in {finding.check}: {finding.text}"
    if finding.where:
        times = f", {finding.times} times in all" if finding.times > 1 else ""
        head += f" ({finding.where}{times})"
    parts = [f"  {'as':<{_INDENT - 2}}in {like}, above"] if like else _parts(finding)
    return "\n".join([*wrap(printable(head), WIDTH), *parts])


def _parts(finding: Finding) -> Iterator[str]:
    for name, line in (("sent", finding.sent), *(("back", it) for it in _lines(finding.back))):
        if line:
            yield f"  {name:<{_INDENT - 2}}{printable(line, _SHOWN, cut='middle')}"
    for number, said in enumerate(last_lines(finding.log)):
        yield f"  {'' if number else 'log':<{_INDENT - 2}}{said}"
    indent = " " * _INDENT
    for number, said in enumerate(wrap(printable(finding.tip), WIDTH - _INDENT)):
        yield f"{indent}{said}" if number else f"  {'tip':<{_INDENT - 2}}{said}"


def _lines(back: bytes) -> list[bytes]:
    """Return what came back, line by line; what is no line was empty."""
    return back.removesuffix(b"\n").split(b"\n")[:2]
