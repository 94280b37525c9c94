"""The command line in this very process, for tests of what it says and of what it changes."""

import hashlib
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from typing import NamedTuple

import pytest

from arena.cli.app import run
from arena.wire.escape import printable
from tests.tiny_bots import HONEST, PRELUDE
from tests.whole_arena import DICE, FIRST, LAST, bot, suite

NO_TIER = ("--tier", "none")
"""For tests in which nothing depends on the sandbox: they shall say the same everywhere."""

BOTS = {"first": FIRST, "last": LAST, "dice": DICE, "other": DICE + "\n# another file"}
"""Four bots that start fast, by name; two of them play alike."""


class Answer(NamedTuple):
    """What a command came to."""

    status: int
    out: str
    err: str

    @property
    def line(self) -> str:
        """The one line on standard error."""
        (only,) = self.err.splitlines()
        return only


@dataclass(frozen=True)
class CommandLine:
    """``arena`` with a home of its own, in a folder of its own."""

    folder: Path
    captured: "pytest.CaptureFixture[str]"

    @property
    def home(self) -> Path:
        """Where everything is kept."""
        return self.folder / "home"

    def __call__(self, *words: str | Path) -> Answer:
        """Run a command, and return what it came to."""
        self.captured.readouterr()
        status = run([str(word) for word in words])
        return Answer(status, *self.captured.readouterr())

    def refuses(self, *words: str | Path) -> str:
        """Return the line with which a command is refused as a mistake, and check all else of it.

        Nothing is printed, nothing is changed, and nothing in the line can act on a terminal.
        """
        before = contents(self.home)
        answer = self(*words)

        assert (answer.status, answer.out) == (2, "")
        assert answer.err.startswith("arena: ")
        assert printable(answer.line) == answer.line
        assert contents(self.home) == before
        return answer.line

    def script(self, body: str = HONEST, name: str = "mybot.py", mode: int = 0o644) -> Path:
        """Write a bot that speaks as `tiny_bots` has it, and return its file."""
        path = self.folder / name
        path.write_text(PRELUDE + dedent(body), encoding="utf-8")
        path.chmod(mode)
        return path

    def bots(self, *names: str) -> str:
        """Write some of `BOTS`, and return them as ``--bots`` takes them."""
        return ",".join(str(self.bot(name)) for name in names)

    def bot(self, name: str) -> Path:
        """Write one of `BOTS`, unless it is there, and return its folder."""
        folder = self.folder / "fast" / name
        return folder if folder.exists() else bot(BOTS[name], folder)

    def suite(self, *categories: str, deals: int = 1) -> Path:
        """Write a suite, as `whole_arena.suite` does."""
        return suite(self.folder / "short.toml", *categories, deals=deals)


def contents(home: Path) -> Mapping[str, object]:
    """Return all that is kept in ``home``, by path: tables by their rows, files by their hash."""
    found: dict[str, object] = {}
    for path in sorted(home.rglob("*")) if home.is_dir() else []:
        if path.name == "arena.db":
            with closing(sqlite3.connect(path)) as db:
                found[path.name] = list(db.iterdump())
        elif path.is_file() and not path.name.startswith("arena.db-"):
            found[str(path)] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found
