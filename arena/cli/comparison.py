"""A comparison in text: how it goes, on a terminal, and what it came to."""

import math
import shutil
import sys
from contextlib import suppress
from types import TracebackType
from typing import Self

import typer

from arena.cli.remarks import remark
from arena.cli.render import Format, Value, for_markdown, render
from arena.ratings.sequential import BOUND, FIRST_LOOK, Verdict, elo
from arena.tournament.compare import Blocks
from arena.wire.escape import printable

NUMBERS = (
    *("comparison", "category", "a", "b", "field", "verdict", "blocks", "won", "tied", "lost"),
    *("mean", "low", "high", "llr", "bound", "relevant", "elo", "matches", "faults_a", "faults_b"),
)
"""Heads of the CSV, and names in the JSON."""

_SENTENCES = {
    Verdict.BETTER: "{a} is better than {b}",
    Verdict.NOT_BETTER: "{a} is not better than {b} by a relevant amount",
    Verdict.UNDECIDED: "it is undecided whether {a} is better than {b}",
}


class Live:
    """The report of a comparison: on a terminal one line, written anew with every block."""

    def __init__(self) -> None:
        self._shown = False
        self._terminal = sys.stderr is not None and sys.stderr.isatty()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end_line()

    def counted(self, blocks: Blocks) -> None:
        """Show how far it is."""
        if self._terminal:
            columns = shutil.get_terminal_size().columns
            # That nobody reads it is no reason to stop what is being done.
            with suppress(OSError):
                typer.echo(f"\r{_so_far(blocks)[: columns - 1]}\x1b[K", err=True, nl=False)
            self._shown = True

    def remark(self, text: str) -> None:
        """Say something worth a line."""
        self._end_line()
        remark(text)

    def _end_line(self) -> None:
        if self._shown:
            remark("")
        self._shown = False


def _so_far(blocks: Blocks) -> str:
    evidence, wanted = blocks.evidence, blocks.comparison
    if evidence.blocks < FIRST_LOOK:
        return f"{evidence.blocks} blocks, the first look is at {FIRST_LOOK}"
    return (
        f"{evidence.blocks} of at most {wanted.blocks} blocks, "
        f"LLR {evidence.llr(wanted.relevant):.2f} ({-BOUND:.2f} to {BOUND:.2f}), "
        f"mean {evidence.mean:+.3f} ± {evidence.half_width:.3f}"
    )


def print_result(comparison: str, blocks: Blocks, form: Format) -> Verdict:
    """Print the result of ``comparison`` (an id), say it in words, and return the verdict."""
    wanted = blocks.comparison
    verdict = blocks.verdict or Verdict.UNDECIDED
    head = wanted.category.name
    table = render([_shown(blocks)], form, right=("mean", "LLR", "Elo"))
    match form:
        case Format.JSON | Format.CSV:
            typer.echo(render([_numbers(comparison, blocks)], form), nl=False)
        case Format.GITHUB:
            typer.echo(f"### {for_markdown(head)}\n\n{table}", nl=False)
        case Format.TABLE:
            typer.echo(f"{printable(head)}\n{table}", nl=False)
    remark(_SENTENCES[verdict].format(a=wanted.a, b=wanted.b))
    return verdict


def _shown(blocks: Blocks) -> dict[str, Value]:
    """Return the result for people."""
    wanted, evidence = blocks.comparison, blocks.evidence
    mean, half_width = evidence.mean, evidence.half_width
    return {
        "A": wanted.a,
        "B": wanted.b,
        "A is": blocks.verdict.value if blocks.verdict else None,
        "blocks": evidence.blocks,
        "won": evidence.won,
        "tied": evidence.tied,
        "lost": evidence.lost,
        "mean": f"{mean:+.3f}",
        "95%": f"{mean - half_width:+.3f} to {mean + half_width:+.3f}",
        "LLR": f"{evidence.llr(wanted.relevant):.2f}",
        "Elo": f"{_elo(blocks):+.0f}",
        "matches": blocks.matches,
        "faults": f"{blocks.faults[wanted.a]} / {blocks.faults[wanted.b]}",
    }


def _numbers(comparison: str, blocks: Blocks) -> dict[str, Value]:
    """Return the result for programs: every number as it is, ``None`` for one without bound."""
    wanted, evidence = blocks.comparison, blocks.evidence
    mean, half_width = evidence.mean, evidence.half_width
    values = (
        *(comparison, wanted.category.name, wanted.a, wanted.b, wanted.field),
        blocks.verdict.value if blocks.verdict else None,
        *(evidence.blocks, evidence.won, evidence.tied, evidence.lost),
        *map(_rounded, (mean, mean - half_width, mean + half_width)),
        *map(_rounded, (evidence.llr(wanted.relevant), BOUND)),
        wanted.relevant,
        _rounded(_elo(blocks)),
        *(blocks.matches, blocks.faults[wanted.a], blocks.faults[wanted.b]),
    )
    return dict(zip(NUMBERS, values, strict=True))


def _elo(blocks: Blocks) -> float:
    wanted = blocks.comparison
    return elo(blocks.evidence.score(wanted.category, met=not wanted.field))


def _rounded(value: float) -> float | None:
    return round(value, 4) if math.isfinite(value) else None
