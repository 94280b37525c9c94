"""The command line over a fresh home, and over one in which a tournament was played."""

import shutil
from pathlib import Path

import pytest

from arena.cli.app import run
from tests.command_line import BOTS, NO_TIER, CommandLine
from tests.whole_arena import bot, named, suite


@pytest.fixture
def arena(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> CommandLine:
    """The command line over a home that is not there yet, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    command_line = CommandLine(tmp_path, capsys)
    monkeypatch.setenv("ARENA_HOME", str(command_line.home))
    return command_line


@pytest.fixture(scope="session")
def tournament_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which the four fast bots have played a tournament called ``cup``."""
    folder = tmp_path_factory.mktemp("played")
    bots = [bot(body, folder / name) for name, body in BOTS.items()]
    short = suite(
        folder / "short.toml", "donburiko table 2", "couperation self 2", "couperation mixed 2"
    )
    words = ["--bots", named(bots), "--suite", str(short), "--name", "cup", *NO_TIER]
    assert run(["tournament", *words, "--home", str(folder / "home")]) == 0
    return folder / "home"


@pytest.fixture
def played(arena: CommandLine, tournament_home: Path) -> CommandLine:
    """The command line over a copy of the home in which ``cup`` was played."""
    shutil.copytree(tournament_home, arena.home)
    return arena
