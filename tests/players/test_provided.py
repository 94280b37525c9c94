import subprocess
import sys
from pathlib import Path

import pytest

from arena.players.bundle import argv, unpack
from arena.players.files import EXECUTABLE, PLAIN, File
from arena.players.provided import provided
from arena.players.submission import read_bundle

PYTHON = ("python", "bot.py")


def added(
    *files: tuple[str, str], command: tuple[str, ...] = PYTHON, rules: bool = False
) -> set[str]:
    given = {path: File(path, PLAIN, text.encode()) for path, text in files}
    return {file.path for file in provided(command, given, rules=rules)}


def test_a_python_bot_gets_the_sdk_and_no_more() -> None:
    assert added(("bot.py", "from arena_bot import run")) == {"arena_bot.py"}


def test_a_bot_in_another_language_gets_nothing() -> None:
    assert added(("bot.js", "arena"), command=("node", "bot.js")) == set()


def test_a_program_gets_the_sdk_if_its_first_line_names_python() -> None:
    program = File("bot", EXECUTABLE, b"#!/usr/bin/env python3\n")

    assert [file.path for file in provided(("bot",), {"bot": program})] == ["arena_bot.py"]


def test_what_the_bot_brings_itself_is_not_replaced() -> None:
    assert added(("bot.py", ""), ("arena_bot.py", "mine")) == set()
    assert added(("bot.py", ""), ("arena_bot/__init__.py", "mine")) == set()
    assert "msgspec/__init__.py" not in added(
        ("bot.py", "import arena"), ("msgspec/__init__.py", "mine")
    )
    assert added(("bot.py", ""), ("arena_bot.txt", "notes")) == {"arena_bot.py"}


@pytest.mark.parametrize(
    "text",
    [
        "import arena.games",
        "import os, arena",
        "from arena.games import get_game",
        "try:\n    from arena import games\nexcept ImportError:\n    games = None",
        "def choose():\n    import arena.games.donburiko as rules",
    ],
)
def test_a_bot_that_imports_the_rules_gets_them_and_what_they_need(text: str) -> None:
    paths = added(("bot.py", "import helper"), ("helper.py", text))

    assert {"arena/__init__.py", "arena/errors.py", "arena/games/base.py"} <= paths
    assert "msgspec/__init__.py" in paths
    assert any(path.startswith("msgspec/_core.") for path in paths)
    assert not [path for path in paths if "referee" in path or path.endswith((".md", ".pyc"))]


@pytest.mark.parametrize(
    "text",
    [
        "# import arena",
        "'from arena import games'",
        "from .arena import games",
        "import arena_bot, arenas",
        "import arena if",
        "arena = '\\d'",
        "arena = " + "-" * 100_000 + "1",
        "arena = a" + ".b" * 100_000,
        "arena\0",
        "import arena" + " " * 1_100_000,
    ],
)
def test_a_bot_that_does_not_import_the_rules_does_not_get_them(text: str) -> None:
    assert added(("bot.py", text)) == {"arena_bot.py"}


def test_rules_can_be_asked_for_where_no_import_shows_it() -> None:
    assert "arena/games/__init__.py" in added(("bot.py", ""), rules=True)


def test_all_lies_beside_the_script_where_python_looks_first() -> None:
    paths = added(("src/bot.py", "import arena"), command=("python", "src/bot.py"))

    assert "src/arena_bot.py" in paths
    assert all(path.startswith("src/") for path in paths)


@pytest.mark.slow
def test_the_rules_work_from_the_snapshot_alone(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(
        "import arena, msgspec, arena_bot\nfrom arena.games import get_game\n"
        "print(arena.__file__, msgspec.__file__, arena_bot.__file__)\n"
        "print(*get_game('donburiko').variants)"
    )
    folder = tmp_path / "unpacked"
    bundle = read_bundle(tmp_path / "bot.py")
    unpack(bundle, folder)

    program, *words = argv(bundle.command, folder)
    # -S: nothing that is installed can be meant.
    line = subprocess.run(
        [program, "-S", *words], env={}, capture_output=True, text=True, check=False, cwd="/"
    )

    assert line.stderr == ""
    assert line.stdout.split() == [
        f"{folder}/arena/__init__.py",
        f"{folder}/msgspec/__init__.py",
        f"{folder}/arena_bot.py",
        "standard",
    ]
    assert program == sys.executable
