import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

import pytest
import typer

from arena.cli.app import app
from arena.cli.commands import MODULES
from arena.players.files import typed
from tests.command_line import NO_TIER, CommandLine

GROUP: Any = typer.main.get_command(app)


@pytest.mark.parametrize("module", MODULES)
def test_a_module_registers_the_commands_that_are_said_to_be_its_own(module: str) -> None:
    part = typer.Typer()
    import_module(f"arena.cli.{module}").register(part)

    assert tuple(sorted(typer.main.get_group(part).commands)) == tuple(sorted(MODULES[module]))


def test_every_command_can_be_had_by_its_name() -> None:
    assert [GROUP.get_command(None, name).name for name in GROUP.list_commands(None)] == [
        name for names in MODULES.values() for name in names
    ]
    assert GROUP.get_command(None, "nosuch") is None
    assert "nosuch" not in GROUP.commands
    assert len(GROUP.commands) == len(list(GROUP.commands))


EMPTY = [
    ("submit", "PATH"),
    ("submit x --home", "--home"),
    ("submit x --name", "--name"),
    ("check", "BOT"),
    ("new", "NAME"),
    ("bots --home", "--home"),
    ("bots remove", "NAME"),
    ("bots remove x --home", "--home"),
    ("match donburiko greedy", "BOT"),
    ("match donburiko greedy greedy --variant", "--variant"),
    ("play donburiko --vs greedy --vs", "--vs"),
    ("compare greedy", "B"),
    ("compare --resume", "A"),
    ("tournament", "GAME"),
    ("tournament --bots", "--bots"),
    ("tournament --jobs", "--jobs"),
    ("leaderboard -t cup -t", "--tournament"),
    ("matches -t", "--tournament"),
    ("logs x --match", "--match"),
    ("replay", "MATCH"),
    ("verify --records", "--records"),
    ("verify -m", "--match"),
    ("export x", "DIR"),
    ("import", "DIR"),
    ("doctor --home", "--home"),
]


@pytest.mark.parametrize(("words", "what"), EMPTY, ids=[words for words, _ in EMPTY])
def test_an_empty_text_is_refused_wherever_a_value_is_wanted(
    words: str, what: str, arena: CommandLine
) -> None:
    line = arena.refuses(*words.split(), "")

    assert re.fullmatch(rf"arena: {what} is empty \(see `arena [a-z ]+ --help`\)", line)
    assert list(arena.folder.iterdir()) == []


TILDES = [
    ("submit {}", "a.py"),
    ("check {}", "a.py"),
    ("match donburiko greedy {}", "a.py"),
    ("match donburiko greedy greedy --suite {}", "none.toml"),
    ("play donburiko --vs {}", "a.py"),
    ("play donburiko --vs greedy --suite {}", "none.toml"),
    ("compare {} greedy", "a.py"),
    ("compare greedy {}", "a.py"),
    ("compare greedy random_legal --game donburiko --players 3 --field greedy,{}", "a.py"),
    ("compare greedy random_legal --game donburiko --suite {}", "none.toml"),
    ("tournament donburiko --bots greedy,{}", "a.py"),
    ("tournament donburiko --suite {}", "none.toml"),
    ("replay {}", "none.jsonl"),
    ("verify --records {}", "none.jsonl"),
    ("import {}", "none"),
]
"""Commands that are given a path below the user's folder, all of which refuse what is there."""


@pytest.mark.parametrize(("words", "name"), TILDES, ids=[words for words, _ in TILDES])
def test_a_tilde_is_the_folder_of_the_user_in_every_path(
    words: str, name: str, arena: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(arena.folder / "ada"))
    (arena.folder / "ada").mkdir()
    (arena.folder / "ada" / "a.py").touch()

    line = arena.refuses(*words.format(f"~/{name}").split())

    # A long path is cut in the middle.
    assert f"/ada/{name}" in line
    assert "~" not in line
    assert [path.name for path in arena.folder.iterdir()] == ["ada"]


def parameters(part: typer.Typer) -> Iterator[inspect.Parameter]:
    """Yield all parameters of the commands in ``part``."""
    for command in part.registered_commands:
        assert command.callback
        yield from inspect.signature(command.callback).parameters.values()
    for group in part.registered_groups:
        assert group.typer_instance
        yield from parameters(group.typer_instance)
        assert group.typer_instance.registered_callback
        callback = group.typer_instance.registered_callback.callback
        assert callback
        yield from inspect.signature(callback).parameters.values()


@pytest.mark.parametrize("module", MODULES)
def test_what_is_typed_as_a_path_is_read_as_one(module: str) -> None:
    """So that neither a tilde nor ``./~``, which is none, depends on the command."""
    part = typer.Typer()
    import_module(f"arena.cli.{module}").register(part)

    found = 0
    for one in parameters(part):
        kind, *facts = get_args(one.annotation) or (one.annotation,)
        if Path in {kind, *get_args(kind)}:
            found += 1
            assert [fact.parser for fact in facts] == [typed], one
    assert found or module in {"new", "games"}


def test_an_empty_text_is_what_a_public_value_is_by_default(arena: CommandLine) -> None:
    said = arena("tournament", "donburiko", "--public-value", "", "--dry-run", *NO_TIER)

    assert said.status == 0


def test_an_empty_variable_of_the_environment_is_as_good_as_none(
    arena: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_HOME", "")

    assert f"registered in {arena.folder}/results yet" in arena("bots").err


def test_an_empty_word_before_the_one_to_complete_is_no_matter(
    arena: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_ARENA_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "arena match donburiko '' first_l")
    monkeypatch.setenv("COMP_CWORD", "4")

    assert arena().out == "first_legal\n"


def test_a_command_imports_nothing_that_only_others_need() -> None:
    script = (
        "import sys; from arena.cli.app import run; run(['leaderboard', '--help']);"
        "print([name for name in sys.modules if name.startswith('arena.cli.')])"
    )

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)

    assert b"'arena.cli.leaderboard'" in done.stdout
    assert not any(f"arena.cli.{name}'".encode() in done.stdout for name in ("match", "doctor"))
