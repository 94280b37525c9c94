"""A comparison in text: how it goes, on a terminal, and what it came to."""

import math
import shutil
import sys
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import typer

from arena.cli.options import at_home
from arena.cli.remarks import counted, duration, remark
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
_WORSE = "{b} is better than {a}"
_EQUAL = "{a} and {b} did equally well in every block"

_PLAIN_EVERY_S = 30.0


class Live:
    """The report of a comparison: on a terminal one line, written anew with every block.

    Elsewhere it is a plain line now and then.
    """

    def __init__(self, done: int) -> None:
        """Begin with ``done`` blocks that were played before."""
        self._done = done
        self._began = self._said = time.monotonic()
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
        now = time.monotonic()
        each = (now - self._began) / max(1, blocks.evidence.blocks - self._done)
        text = f"{_so_far(blocks)}, {_block_s(each)}"
        if self._terminal:
            columns = shutil.get_terminal_size().columns
            # That nobody reads it is no reason to stop what is being done.
            with suppress(OSError):
                typer.echo(f"\r{text[: columns - 1]}\x1b[K", err=True, nl=False)
            self._shown = True
        elif now - self._said >= _PLAIN_EVERY_S:
            self._said = now
            remark(text)

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
        return f"{counted(evidence.blocks, 'block', 'blocks')}, the first look is at {FIRST_LOOK}"
    return (
        f"{evidence.blocks} of at most {wanted.blocks} blocks, "
        f"LLR {evidence.llr(wanted.relevant):.2f} ({-BOUND:.2f} to {BOUND:.2f}), "
        f"mean {evidence.mean:+.3f} ± {evidence.half_width:.3f}"
    )


def _block_s(seconds: float) -> str:
    """Return how long a block takes, as people say it."""
    return f"{seconds:.1f} s a block" if seconds < 10 else f"{duration(seconds)} a block"  # noqa: PLR2004 - two digits suffice


def size(comparison: str, blocks: Blocks, workers: int, expected_s: float | None) -> str:
    """Return what is played, and how far it is, before the first match.

    Args:
        comparison: its id.
        blocks: those that were played.
        workers: how many there are.
        expected_s: how long a block takes, in seconds; ``None`` if nobody knows yet.
    """
    wanted, done = blocks.comparison, blocks.evidence.blocks
    matches = counted(len(wanted.line_ups), "match", "matches")
    said = [
        f"{wanted.a} against {wanted.b}",
        wanted.category.name,
        f"at most {counted(wanted.blocks, 'block', 'blocks')} of {matches}",
        *([f"{done} played"] if done else []),
        *([f"about {_block_s(expected_s)}"] if expected_s is not None else []),
        f"with {counted(workers, 'worker', 'workers')}",
    ]
    return f"{comparison}: {', '.join(said)}"


def print_result(comparison: str, blocks: Blocks, form: Format) -> Verdict:
    """Print the result of ``comparison`` (an id), say it in words, and return the verdict."""
    wanted = blocks.comparison
    verdict, evidence = blocks.verdict or Verdict.UNDECIDED, blocks.evidence
    head = wanted.category.name
    table = render([_shown(blocks)], form, right=("mean", "LLR", "Elo"))
    match form:
        case Format.JSON | Format.CSV:
            typer.echo(render([_numbers(comparison, blocks)], form), nl=False)
        case Format.GITHUB:
            typer.echo(f"### {for_markdown(head)}\n\n{table}", nl=False)
        case Format.TABLE:
            typer.echo(f"{printable(head)}\n{table}", nl=False)
    said = _SENTENCES[verdict]
    if verdict is Verdict.NOT_BETTER and evidence.worse:
        said = _WORSE
    elif evidence.tied == evidence.blocks:
        said = _EQUAL
    remark(said.format(a=wanted.a, b=wanted.b))
    return verdict


def tell_faults(comparison: str, blocks: Blocks, home: Path) -> None:
    """Say how to see the faults there were, if there were any."""
    for bot, faults in blocks.faults.items():
        if faults:
            words = f"arena logs {bot} --faults -t {comparison}{at_home(home)}"
            remark(f"{bot} was at fault in {counted(faults, 'match', 'matches')}: {words}")


def _shown(blocks: Blocks) -> dict[str, Value]:
    """Return the result for people."""
    wanted, evidence = blocks.comparison, blocks.evidence
    interval = evidence.interval
    return {
        "A": wanted.a,
        "B": wanted.b,
        "A is": blocks.verdict.value if blocks.verdict else None,
        "blocks": evidence.blocks,
        "won": evidence.won,
        "tied": evidence.tied,
        "lost": evidence.lost,
        "mean": f"{evidence.mean:+.3f}",
        "95%": f"{interval[0]:+.3f} to {interval[1]:+.3f}",
        "LLR": f"{evidence.llr(wanted.relevant):.2f}",
        "Elo": f"{_elo(blocks):+.0f}",
        "matches": blocks.matches,
        "faults": f"{blocks.faults[wanted.a]} / {blocks.faults[wanted.b]}",
    }


def _numbers(comparison: str, blocks: Blocks) -> dict[str, Value]:
    """Return the result for programs: every number as it is, ``None`` for one without bound."""
    wanted, evidence = blocks.comparison, blocks.evidence
    values = (
        *(comparison, wanted.category.name, wanted.a, wanted.b, wanted.field),
        blocks.verdict.value if blocks.verdict else None,
        *(evidence.blocks, evidence.won, evidence.tied, evidence.lost),
        *map(_rounded, (evidence.mean, *evidence.interval)),
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
