import re
import subprocess
import sys
from pathlib import Path

import pytest

from arena.cli.new import Lang
from arena.players.scaffold import LANGUAGES
from arena.players.tier import Tier
from tests.command_line import NO_TIER, CommandLine
from tests.protocol.conftest import IN_CPP, needs_node

EACH = [
    "python",
    pytest.param("js", marks=needs_node),
    pytest.param("cpp", marks=IN_CPP),
]


def test_the_languages_are_those_there_are_templates_for() -> None:
    assert list(Lang) == list(LANGUAGES)


def test_a_new_bot_is_a_folder_whose_files_are_printed(arena: CommandLine) -> None:
    answer = arena("new", "clever")

    assert answer.status == 0
    assert answer.out.splitlines() == sorted(map(str, Path("clever").iterdir()))
    assert answer.line == "next: arena check clever; arena submit clever"
    assert not arena.home.exists()


def test_a_folder_that_is_there_is_a_mistake_of_the_user(arena: CommandLine) -> None:
    arena("new", "clever")
    before = Path("clever/main.py").read_bytes()

    assert "clever is there already" in arena.refuses("new", "clever", "--lang", "js")
    assert Path("clever/main.py").read_bytes() == before
    assert not Path("clever/main.js").exists()


@pytest.mark.parametrize("name", ["../up", "a b", "a\x1b[31mb", "é", "you"])
def test_a_name_that_no_bot_can_have_is_refused(arena: CommandLine, name: str) -> None:
    assert "a bot cannot be called" in arena.refuses("new", name)
    assert list(Path().iterdir()) == []


def test_a_language_that_there_is_none_of_is_refused(arena: CommandLine) -> None:
    assert "'python', 'js', 'cpp'" in arena.refuses("new", "clever", "--lang", "rust")


def test_what_the_machine_lacks_for_a_language_is_said(
    arena: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")

    answer = arena("new", "clever", "--lang", "js")

    assert answer.status == 0
    assert "node, which bots in JavaScript run on, is not installed" in answer.err
    assert Path("clever/main.js").exists()


@pytest.mark.slow
def test_a_new_bot_runs_by_hand(arena: CommandLine) -> None:
    arena("new", "clever")

    done = subprocess.run(
        [sys.executable, "main.py"],
        cwd="clever",
        input=b'{"type":"hello","protocol":1,"arena":"0","limits":null}\n{"type":"quit"}\n',
        capture_output=True,
        check=True,
    )

    assert b'"name":"clever"' in done.stdout
    assert done.stderr == b""


@pytest.mark.slow
@pytest.mark.parametrize("language", EACH)
def test_it_is_three_commands_from_nothing_to_the_leaderboard(
    arena: CommandLine, language: str
) -> None:
    assert arena("new", "clever", "--lang", language).status == 0
    assert arena("submit", "clever", *NO_TIER).status == 0
    played = arena(
        *("tournament", "--bots", "clever,random_legal", "--players", "2", "--deals", "2"), *NO_TIER
    )

    assert played.status == 0
    tables = dict(re.findall(r"^(\S+-2p)\n#.*\n-.*\n1[=?]* +(\w+) ", played.out, re.MULTILINE))
    assert tables["couperation-self-2p"] == tables["donburiko-2p"] == "clever"
    assert re.findall(r" clever .* (\d+)$", played.out, re.MULTILINE) == ["0"] * len(tables)


@pytest.mark.slow
@pytest.mark.parametrize("language", EACH)
def test_a_new_bot_has_nothing_to_mend(arena: CommandLine, language: str) -> None:
    arena("new", "clever", "--lang", language)

    answer = arena("check", "clever", "--tier", Tier.NONE)

    assert answer.out.endswith("\nclever: ready to submit\n")
    assert answer.status == 0
