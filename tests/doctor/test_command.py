import json
import os
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest

from arena.doctor import decoy_process
from arena.doctor.host import facts
from arena.players.sandbox import isolation
from tests.terminals import terminal
from tests.whole_arena import FIRST, bot, holds

MODULES = os.pathsep.join([str(Path(__file__).resolve().parents[2]), *sys.path])
RUN = "import sys; from arena.cli.app import run; sys.exit(run(sys.argv[1:]))"
PRETENDER = f"""#!{sys.executable} -IS
import json, os, sys

words = sys.argv[1:]
if words == ["--version"]:
    print("bubblewrap 0.11.0")
    sys.exit()
there = words.index("/bot", words.index("/bot") + 1)
options = dict(zip(words, words[1:]))
command = words[len(words) - words[::-1].index("--") :]
command = [word.replace("/bot/", words[there - 1] + "/") for word in command]
def ended(child):
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return status if status >= 0 else 128 - status
first = os.fork()
if first == 0:
    os.setsid()
    os.chdir(words[there - 1])
    bot = os.fork()
    if bot == 0:
        os.execv(command[0], command)
    os._exit(ended(bot))
os.write(int(options["--json-status-fd"]), json.dumps({{"child-pid": first}}).encode())
sys.exit(ended(first))
"""
"""A bubblewrap that starts what it is given, and keeps it from nothing."""

pytestmark = pytest.mark.slow


class Said(NamedTuple):
    status: int
    output: str
    remarks: str


def arena(*words: str, folder: Path, path: str = os.environ["PATH"]) -> Said:
    """Run arena by itself: what a machine gives is found out once for each process."""
    home = ["--home", str(folder / "home")]
    ended = subprocess.run(
        [sys.executable, "-c", RUN, *words, *home],
        env={"PATH": path, "PYTHONPATH": MODULES, "PYTHONDONTWRITEBYTECODE": "1"},
        cwd=folder,
        capture_output=True,
        check=False,
        text=True,
    )
    return Said(ended.returncode, ended.stdout, ended.stderr)


@pytest.fixture
def pretender(tmp_path: Path) -> str:
    """A PATH on which bubblewrap isolates nothing."""
    folder = tmp_path / "path"
    folder.mkdir()
    (folder / "bwrap").write_text(PRETENDER)
    (folder / "bwrap").chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


def test_the_short_form_is_one_table_and_one_line(tmp_path: Path) -> None:
    if lacking := isolation().lacking:
        pytest.skip(lacking)

    said = arena("doctor", "--short", "--format", "json", folder=tmp_path)

    rows = json.loads(said.output)
    assert said.status == 0
    assert {row["verdict"] for row in rows} == {"held"}
    assert rows[0].keys() == {"check", "threats", "verdict", "text"}
    assert said.remarks.startswith("bwrap, as ")
    assert "nothing OPEN" in said.remarks
    assert said.remarks.count("\n") == 1


def test_a_sandbox_that_keeps_nothing_is_found_out(pretender: str, tmp_path: Path) -> None:
    said = arena("doctor", "--short", "--format", "json", folder=tmp_path, path=pretender)

    verdicts = {row["check"]: row["verdict"] for row in json.loads(said.output)}
    assert said.status == 1
    broken = ("home-file", "ptrace", "tcp", "notes-tmp", "seats-proc", "seats-abstract-socket")
    assert {name: verdicts[name] for name in broken} == dict.fromkeys(broken, "OPEN")
    assert " OPEN" in said.remarks


def test_a_rated_tournament_refuses_a_sandbox_that_keeps_nothing(
    pretender: str, tmp_path: Path
) -> None:
    words = ("tournament", "donburiko", "--players", "2", "--deals", "1", "--format", "json")

    said = arena(*words, folder=tmp_path, path=pretender)

    assert said.status == 2
    assert said.output == ""
    last = said.remarks.splitlines()[-1]
    assert last.startswith("arena: bots are not kept apart here as --tier bwrap promises (")
    assert not (tmp_path / "home").exists()


def test_without_a_sandbox_the_doctor_says_so_and_promises_little(tmp_path: Path) -> None:
    said = arena("doctor", "--short", "--tier", "none", "--format", "json", folder=tmp_path)

    assert said.status == 0
    assert {row["verdict"] for row in json.loads(said.output)} == {"held"}
    assert said.remarks.startswith("none, as ")


def test_a_bot_that_plays_itself_under_two_names_ties_and_that_is_one_line(tmp_path: Path) -> None:
    said = arena("doctor", "--aa", "--tier", "none", folder=tmp_path)

    assert said.status == 0
    assert re.fullmatch(
        r"equal: random_legal as a and as b, 10 of 10 deals tied in donburiko-2p, "
        r"10 of 10 deals tied in couperation-self-2p \(none, \d+ s\)\n",
        said.output,
    )
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize("words", [("--short",), ("--format", "json")])
def test_options_of_the_attacks_are_none_of_the_other_test(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    said = arena("doctor", "--aa", *words, folder=tmp_path)

    assert said.status == 2
    assert said.remarks == (
        f"arena: --aa says one line and attacks nothing: leave out {words[0]}\n"
    )


def decoys() -> list[Path]:
    """Return the processes that stand for a referee, by their folders in /proc."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if b"decoy_process.py" in file.read_bytes():
                found.append(file.parent)
    return found


@pytest.mark.parametrize("words", [["--short"], []], ids=str)
def test_an_interrupt_is_one_line_and_leaves_no_process_behind(
    words: list[str], tmp_path: Path
) -> None:
    """A Ctrl-C goes to all processes in the foreground of the terminal."""
    before = decoys()
    with terminal(["doctor", "--tier", "none", *words], tmp_path) as opened:
        opened.until("attacking the sandbox", whole=False)
        assert holds(lambda: len(set(decoys()) - set(before)) >= 2)
        opened.type("\x03")
        opened.until("interrupted", whole=False)

        assert opened.left(130).endswith("\r\x1b[Karena: interrupted\r\n")
        assert "Traceback" not in opened.text
    assert holds(lambda: not set(decoys()) - set(before))


def test_an_interrupt_of_the_check_before_a_tournament_is_one_line_and_keeps_nothing(
    tmp_path: Path,
) -> None:
    if lacking := isolation().lacking:
        pytest.skip(lacking)
    for name in ("one", "two"):
        said = arena("submit", str(bot(FIRST, tmp_path / name)), folder=tmp_path)
        assert said.status == 0, said.remarks
    before = decoys()

    words = ["tournament", "donburiko", "--players", "2", "--deals", "1"]
    with terminal(words, tmp_path / "home") as opened:
        opened.until("checking the sandbox", whole=False)
        assert holds(lambda: set(decoys()) - set(before))
        opened.type("\x03")

        assert opened.left(130).endswith("\r\x1b[Karena: interrupted\r\n")
        assert "Traceback" not in opened.text
        assert "SHA-256" not in opened.text
    assert "no tournament" in arena("tournaments", folder=tmp_path).remarks


def test_the_table_says_what_its_verdicts_mean(tmp_path: Path) -> None:
    said = arena("doctor", "--short", "--tier", "none", folder=tmp_path).output.splitlines()

    assert said[-2] == "held: failed here; whether it works without a sandbox was not tried"
    assert said[-1].startswith("threats: A secrets and the host, B talk between seats, C ")


def test_facts_of_the_host_come_first() -> None:
    found = {fact.name: fact.text for fact in facts()}

    assert list(found)[:3] == ["arena", "python", "system"]
    assert found.keys() >= {"isolation", "bubblewrap", "user namespaces", "seccomp", "cgroup"}
    assert found.keys() >= {"cores", "clock", "node", "temporary folder"}
    assert all(text and "\n" not in text for text in found.values())


def test_a_decoy_that_finds_nothing_where_it_was_to_be_ends_without_a_word(tmp_path: Path) -> None:
    """Whoever was interrupted in the midst of starting it has removed the folder."""
    words = [sys.executable, "-I", "-S", decoy_process.__file__, str(tmp_path / "gone"), "secret"]

    done = subprocess.run(words, capture_output=True, input=b"", timeout=60, check=False)

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
