"""Pages with terminal sessions: what their blocks show, and what arena says to whoever types it."""

import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import NamedTuple

ARENA = Path(sysconfig.get_path("scripts")) / "arena"

Changes = Iterable[tuple[str, str]]
"""Regular expressions, and what stands instead of what they match."""

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.DOTALL | re.MULTILINE)
_PASSING = re.compile(r"\d+ of \d+ matches.*|NOT ISOLATED: .*")
_CHANCE = (
    (r"\b[0-9a-f]{8,}\b", "DIGEST"),
    (r"about [\d.]+ \w+( a block,)? with \d+ workers?", "about SOME TIME"),
)


class Block(NamedTuple):
    """A fenced block of a page."""

    language: str
    text: str
    """What is between the fences."""

    before: str
    """The last line before it that is not empty."""


def blocks(page: Path) -> list[Block]:
    """Return the fenced blocks of ``page`` that name their language, in order."""
    text = page.read_text("utf-8")
    return [
        Block(block[1], block[2], text[: block.start()].strip().rpartition("\n")[2])
        for block in _BLOCK.finditer(text)
    ]


def texts(page: Path, language: str) -> list[str]:
    """Return what is in the blocks of ``page`` in one language."""
    return [block.text for block in blocks(page) if block.language == language]


def session(text: str) -> tuple[str, str]:
    """Return the command that the block ``text`` begins with, and what is shown to follow it."""
    command, _, shown = text.removeprefix("$ ").partition("\n")
    return command, shown


def typed(command: str, folder: Path, statuses: Collection[int] = (0,)) -> str:
    """Run a command line of arena in ``folder``; return what it says, both streams in one.

    It has to exit with one of ``statuses``.
    """
    program, *words = command.split()
    assert program == "arena"
    environment = {key: it for key, it in os.environ.items() if not key.startswith("ARENA_")}
    done = subprocess.run(
        [sys.executable, ARENA, *words],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode in statuses, done.stdout
    return done.stdout


def lasting(said: str, more: Changes = ()) -> list[str]:
    """Return the lines of ``said`` without what differs from run to run and machine to machine.

    Args:
        said: by arena, or by a page.
        more: what else differs in it.
    """
    lines = [line for line in said.splitlines() if not _PASSING.fullmatch(line)]
    for pattern, instead in (*_CHANCE, *more):
        lines = [re.sub(pattern, instead, line) for line in lines]
    return lines
