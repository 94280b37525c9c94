"""The bots that `arena new` begins with: one bot, in each language."""

import json
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from arena.players.scaffold import scaffold
from arena.referee.lines import lines_of
from tests.conversation import Heard, converse
from tests.protocol.conftest import IN_CPP, WARNINGS, needs_node
from tests.records import KEY, played_record

pytestmark = pytest.mark.slow

MATCHES = [
    ("donburiko", "standard", 3),
    ("donburiko", "standard", 4),
    ("couperation", "standard", 2),
    ("couperation", "finish", 2),
]


@cache
def lines(game: str, variant: str, players: int) -> tuple[bytes, ...]:
    """Return what seat 1 is sent in a match that was played at random."""
    return tuple(lines_of(played_record(game, variant, players, 0, {}), 1, key=KEY))


def in_python(folder: Path) -> list[str]:
    scaffold("clever", "python", folder)
    return [sys.executable, "-S", str(folder / "clever" / "main.py")]


def in_javascript(folder: Path) -> list[str]:
    scaffold("clever", "js", folder)
    return ["node", str(folder / "clever" / "main.js")]


def in_cpp(folder: Path) -> list[str]:
    """Compile it without a single warning."""
    home = folder / "clever"
    scaffold("clever", "cpp", folder)
    command = ["g++", "-std=c++17", *WARNINGS, str(home / "main.cpp"), "-o", str(home / "bot")]
    subprocess.run(command, check=True, timeout=100)
    return [str(home / "bot")]


@pytest.fixture(
    scope="module",
    params=[
        in_python,
        pytest.param(in_javascript, marks=needs_node),
        pytest.param(in_cpp, marks=IN_CPP),
    ],
    ids=lambda it: it.__name__,
)
def command(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Return what starts the bot in one of the languages."""
    made: list[str] = request.param(tmp_path_factory.mktemp("new"))
    return made


def actions(heard: Heard) -> list[object]:
    return [json.loads(line)["action"] for line in heard.lines[1:]]


@pytest.mark.parametrize(("game", "variant", "players"), MATCHES)
def test_it_answers_as_the_one_in_python_does(
    game: str, variant: str, players: int, command: list[str], tmp_path: Path
) -> None:
    said = lines(game, variant, players)

    heard = converse(command, said)

    assert (heard.status, heard.log) == (0, "")
    assert actions(heard) == actions(converse(in_python(tmp_path), said))
    assert len(heard.lines) - 1 == sum(b'"type":"act"' in line for line in said) > 0


def test_it_says_its_name_and_both_games(command: list[str]) -> None:
    heard = converse(command, lines("donburiko", "standard", 3)[:1])

    ready = json.loads(heard.lines[0])
    assert ready["name"] == "clever"
    assert ready["games"] == ["donburiko", "couperation"]
