"""The page for authors: whoever types what it shows is answered as it shows."""

import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from arena.players.sandbox import isolation

PAGE = Path(__file__).resolve().parents[2] / "protocol" / "AUTHORS.md"
ARENA = Path(sysconfig.get_path("scripts")) / "arena"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.DOTALL | re.MULTILINE)
NAMED = re.compile(r"`(\w+\.py)`:$")

BY_CHANCE = ("arena compare",)
"""Commands that play fresh deals: their figures differ each time."""


def steps() -> list[tuple[str, str, str]]:
    """Return the blocks of the page in order: the language, the text, and what comes before it."""
    text = PAGE.read_text("utf-8")
    found = []
    for block in BLOCK.finditer(text):
        before = text[: block.start()].strip().rpartition("\n")[2]
        found.append((block[1], block[2], before))
    return found


def typed(command: str, folder: Path) -> str:
    """Run a command line of arena in ``folder``; return what it says, both streams in one."""
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
    assert done.returncode in {0, 1}, done.stdout
    return done.stdout


def lasting(command: str, said: str) -> list[str]:
    """Return the lines of ``said`` without what differs from run to run and machine to machine."""
    passing = re.compile(r"\d+ of \d+ matches.*|NOT ISOLATED: .*")
    lines = [line for line in said.splitlines() if not passing.fullmatch(line)]
    changes = [
        (r"\b[0-9a-f]{8,}\b", "DIGEST"),
        (r"\d{4}-\d\d-\d\dT[\d:]+Z", "INSTANT"),
        (r"about [\d.]+ \w+( a block,)? with \d+ workers?", "about SOME TIME"),
        (r"^(time +ok +).*", r"\1TIMES"),
        (r"\S*/(arena/games/\w+/RULES\.md)", r"\1"),
        (r"^-+( +-+)*$", "---"),
    ]
    if command.startswith(BY_CHANCE):
        changes += [(r"[+-]?\d+(\.\d+)?|\+inf", "N"), (r" +", " ")]
    for pattern, instead in changes:
        lines = [re.sub(pattern, instead, line) for line in lines]
    return lines


@pytest.mark.slow
def test_the_session_of_the_page_is_what_arena_says(tmp_path: Path) -> None:
    if lacking := isolation().lacking:
        pytest.skip(lacking)
    stale = []
    for language, text, before in steps():
        if language == "python":
            named = NAMED.search(before)
            assert named, f"{before!r} names no file"
            (tmp_path / named[1]).write_text(text, "utf-8")
            continue
        command, _, shown = text.removeprefix("$ ").partition("\n")
        said = typed(command, tmp_path)
        if lasting(command, said) != lasting(command, shown):
            stale.append(f"$ {command}\n{said}")

    assert stale == [], "the page is stale, arena says now:\n" + "\n".join(stale)


def test_the_page_shows_every_command_that_an_author_needs() -> None:
    shown = {text.split()[2] for language, text, _ in steps() if language == "console"}

    assert shown == {"new", "check", "submit", "tournament", "compare", "match", "logs", "replay"}
