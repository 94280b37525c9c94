import os
import re
import sqlite3
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from arena import __version__
from arena.cli.app import app
from tests.sessions import lasting, session, texts, typed

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("arena", "bots", "protocol", "results", "seeds", "tests")
PAGES = sorted(
    [*ROOT.glob("*.md"), *(page for top in FOLDERS for page in ROOT.glob(f"{top}/**/*.md"))]
)


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


each_page = pytest.mark.parametrize("page", PAGES, ids=name)


def prose(page: Path) -> str:
    """Return ``page`` without its fenced blocks."""
    return re.sub(r"^ *```.*?^ *```", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)


def commands(page: Path) -> list[str]:
    """Return what a reader of ``page`` may type: lines after a prompt, and code in the text."""
    shown = re.findall(r"^\$ (.*?)(?:  +#.*)?$", "\n".join(texts(page, "console")), re.MULTILINE)
    return shown + re.findall(r"`([^`]+)`", prose(page))


# Links and paths


def anchors(page: Path) -> set[str]:
    """Return the anchors of the headings of ``page``, as GitHub makes them."""
    heads = re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


@each_page
def test_links_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)\s]+)\)", prose(page))
    dead = []
    for link in links:
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        if ":" not in path and (not target.exists() or (anchor and anchor not in anchors(target))):
            dead.append(link)

    assert dead == []


@each_page
def test_paths_that_are_named_exist(page: Path) -> None:
    words = {word for command in commands(page) for word in command.split()}
    named = {
        word
        for word in words
        if re.fullmatch(rf"({'|'.join(FOLDERS)})/[\w./-]*", word) and "NAME" not in word
    }
    made = {word for word in named if word.startswith("results/")} - {"results/README.md"}

    assert [word for word in sorted(named - made) if not (ROOT / word).exists()] == []


# Targets and versions


def targets() -> set[str]:
    return set(re.findall(r"^([a-z]+):.*##", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))


@each_page
def test_targets_of_make_that_are_named_exist(page: Path) -> None:
    named = {target for it in commands(page) for target in re.findall(r"\bmake ([a-z]+)", it)}

    assert named <= targets()


def test_every_target_of_make_is_explained() -> None:
    text = (ROOT / "Makefile").read_text("utf-8")
    phony = re.findall(r"^\.PHONY:(.*)$", text, re.MULTILINE)

    assert set(" ".join(phony).split()) == targets()


def test_the_check_runs_the_test_command_of_the_readme() -> None:
    check = ROOT / ".ci" / "run"

    assert "`make test`" in prose(ROOT / "README.md")
    assert re.search(r"^make test\b", check.read_text("utf-8"), re.MULTILINE)
    assert os.access(check, os.X_OK)


def test_the_package_has_one_version_and_a_place_for_changes() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    heads = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)

    assert project["version"] == __version__
    assert heads[0] == "Unreleased"


# The command line


def every_command() -> Iterator[tuple[str, Any]]:
    """Yield each command with its path, as in ``arena bots remove``, groups included."""
    waiting: list[tuple[str, Any]] = [("arena", typer.main.get_command(app))]
    while waiting:
        path, command = waiting.pop(0)
        yield path, command
        waiting += [(f"{path} {name}", it) for name, it in getattr(command, "commands", {}).items()]


COMMANDS = dict(every_command())


def misfits(line: str) -> list[str]:
    """Return the options in ``line`` that its command does not have, or what is no command."""
    words = line.split()
    path = words.pop(0)
    while words and (f"{path} {words[0]}" in COMMANDS):
        path += f" {words.pop(0)}"
    command = COMMANDS[path]
    if path == "arena" and words and not words[0].startswith("-"):
        return [words[0]]
    options = {option for param in command.params for option in param.opts} | {"--help", "-h"}
    return [word for word in words if re.match(r"--?[a-z]", word) and word not in options]


@pytest.mark.parametrize("path", COMMANDS)
def test_every_help_ends_in_an_example_that_fits(path: str) -> None:
    text = COMMANDS[path].epilog or ""
    command = re.search(r"Example: (arena .*)", text)

    assert command, f"{path} --help ends in no example"
    assert command[1].startswith(path)
    assert misfits(command[1]) == []


@each_page
def test_commands_of_arena_that_are_named_exist(page: Path) -> None:
    lines = [command for command in commands(page) if re.match(r"arena( |$)", command)]

    assert [line for line in lines if misfits(line)] == []


# What README shows


@pytest.mark.slow
def test_the_session_of_the_readme_is_what_arena_says(tmp_path: Path) -> None:
    """Everything in it but digests and times follows from the suite's key and the bots."""
    command, shown = session(texts(ROOT / "README.md", "console")[0])

    said = typed(command, tmp_path)

    new, old = (lasting(it, [("; bots are not isolated", "")]) for it in (said, shown))
    assert new == old, f"README is stale, it says now:\n{said}"


@pytest.mark.slow
def test_the_bot_of_the_readme_is_submitted_and_ranked(tmp_path: Path) -> None:
    (bot,) = texts(ROOT / "README.md", "python")
    (tmp_path / "mybot.py").write_text(bot, "utf-8")
    shown = texts(ROOT / "README.md", "console")[1].replace("$ ", "").splitlines()

    said = [typed(command, tmp_path) for command in shown]

    rows = re.findall(r"^(\d)[=?]* +(\w+) .* 0$", said[-1], re.MULTILINE)
    assert "\ndonburiko-2p\n" in said[-1]
    assert rows[0] == ("1", "greedy")
    assert {bot for _, bot in rows} == {"greedy", "mybot", "random_legal"}


@pytest.mark.slow
@pytest.mark.skipif(sqlite3.sqlite_version_info < (3, 38), reason="-> came with SQLite 3.38")
def test_the_queries_of_the_results_page_answer(tmp_path: Path) -> None:
    crasher = "from arena_bot import run\n\nrun('crasher', lambda *_: exit('lost my way'))\n"
    (tmp_path / "crasher.py").write_text(crasher, "utf-8")
    bots = "--bots greedy,first_legal,crasher.py --players 2"
    typed(f"arena tournament donburiko {bots} --deals 2 --name first", tmp_path)
    with sqlite3.connect(tmp_path / "results" / "arena.db") as database:
        ((first, key),) = database.execute("SELECT id, lower(hex(key)) FROM tournaments")
    category = '[[category]]\ngame = "donburiko"\nmode = "table"\nplayers = 2\ndeals = 2\n'
    (tmp_path / "again.toml").write_text(f'name = "again"\nkey = "{key}"\n{category}', "utf-8")
    typed(f"arena tournament --suite ./again.toml {bots}", tmp_path)
    ((again,),) = database.execute("SELECT id FROM tournaments WHERE suite = 'again'")

    queries = [
        query.replace("arena-1f0c93ab", first).replace("again-5d2c07e1", again)
        for query in texts(ROOT / "results" / "README.md", "sql")
    ]
    by_category, faults, scores, keys, differing = (
        database.execute(query).fetchall() for query in queries
    )
    database.close()

    assert [row[:3] for row in by_category] == [("donburiko-2p", 12, 8)]
    assert [(row[1], "lost my way" in row[3]) for row in faults] == [("exited", True)] * 8
    assert {row[:2] for row in scores} == {
        ("donburiko-2p", bot) for bot in ("greedy", "first_legal", "crasher")
    }
    assert keys == [(key,)]
    assert differing == []
