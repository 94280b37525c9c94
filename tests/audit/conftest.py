"""Tournaments that were played once, for tests that alter them."""

import shutil
from pathlib import Path

import pytest

from arena.cli.app import run
from arena.store.db import open_store
from arena.store.tournaments import list_tournaments
from tests.command_line import NO_TIER, CommandLine
from tests.whole_arena import DICE, FAULTY, FIRST, bot, named


@pytest.fixture(scope="session")
def audited(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder: three bots have played ``spring`` in ``home``, and it was exported to ``export``.

    One of them is at fault now and then.
    """
    folder = tmp_path_factory.mktemp("audited")
    bodies = {"first": FIRST, "dice": DICE, "faulty": FAULTY}
    bots = named(bot(body, folder / name) for name, body in bodies.items())
    home, export = str(folder / "home"), str(folder / "export")
    words = ["--bots", bots, "--players", "2,3", "--deals", "1", "--name", "spring", *NO_TIER]
    assert run(["tournament", *words, "--home", home, "-j", "1"]) == 0
    assert run(["export", "spring", export, "--bots", "--home", home]) == 0
    return folder


@pytest.fixture
def home(audited: Path, tmp_path: Path) -> Path:
    """A copy of the home."""
    shutil.copytree(audited / "home", tmp_path / "home")
    return tmp_path / "home"


@pytest.fixture
def export(audited: Path, tmp_path: Path) -> Path:
    """A copy of the export."""
    shutil.copytree(audited / "export", tmp_path / "export")
    return tmp_path / "export"


@pytest.fixture(scope="session")
def spring(audited: Path) -> str:
    """The id of the tournament."""
    with open_store(audited / "home", create=False) as store:
        (only,) = list_tournaments(store)
    return only.tournament.id


@pytest.fixture
def arena(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> CommandLine:
    """The command line over `home`, or over none where a test does not ask for that."""
    monkeypatch.chdir(tmp_path)
    command_line = CommandLine(tmp_path, capsys)
    monkeypatch.setenv("ARENA_HOME", str(command_line.home))
    return command_line
