import fcntl
import os
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st

from arena import __version__
from arena.cli.app import app, run
from arena.wire.escape import printable
from tests import tuck_game
from tests.command_line import NO_TIER, CommandLine
from tests.whole_arena import ROOT, Arena, holds, killed_at_last

MUTE = "import time\ntime.sleep(60)\n"


def paths(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield every command that there is, by the words that call it."""
    yield path
    for name, below in getattr(command, "commands", {}).items():
        yield from paths(below, (*path, name))


ROOT_COMMAND: Any = typer.main.get_command(app)
PATHS = sorted(paths(ROOT_COMMAND))


def at(path: tuple[str, ...]) -> Any:
    """Return the command that the words ``path`` call."""
    command = ROOT_COMMAND
    for word in path:
        command = command.commands[word]
    return command


# Help


def test_these_are_the_commands() -> None:
    assert [" ".join(path) for path in PATHS] == [
        "",
        "bots",
        "bots remove",
        "check",
        "compare",
        "doctor",
        "export",
        "games",
        "import",
        "leaderboard",
        "logs",
        "match",
        "matches",
        "new",
        "play",
        "replay",
        "submit",
        "tournament",
        "tournaments",
        "verify",
    ]


@pytest.mark.parametrize("path", PATHS, ids=" ".join)
def test_every_help_ends_in_an_example_that_can_be_typed(
    path: tuple[str, ...], arena: CommandLine
) -> None:
    answer = arena(*path, "--help")

    *_, last = answer.out.strip().splitlines()
    assert (answer.status, answer.err) == (0, "")
    assert last.startswith(f"  Example: arena {' '.join(path)}".rstrip())
    words = last.split()[2:]
    called = max(path for path in PATHS if path == tuple(words[: len(path)]))
    assert at(called).make_context("arena", words[len(called) :])


@pytest.mark.parametrize("path", PATHS, ids=" ".join)
def test_every_command_and_option_has_help(path: tuple[str, ...], arena: CommandLine) -> None:
    text = arena(*path, "-h").out

    assert at(path).help
    for param in at(path).params:
        assert param.help
        assert all(name in text for name in param.opts if name.startswith("--"))


def test_without_a_command_there_is_help(arena: CommandLine) -> None:
    answer = arena()

    assert (answer.status, answer.err) == (0, "")
    assert answer.out.startswith("Usage: arena [OPTIONS] COMMAND")


def test_the_version_is_said(arena: CommandLine) -> None:
    assert arena("--version") == (0, f"arena {__version__}\n", "")


# Mistakes


MISTAKES = [
    ("submot", "no such command: submot; did you mean 'submit'?"),
    ("--versoin", "no such option: --versoin; did you mean '--version'?"),
    ("--home x bots", "no such option: --home; it goes behind bots: arena bots --home"),
    ("bots remve x", "no such command: remve; did you mean 'remove'?"),
    ("bots remove", "NAME"),
    ("bots --format xml", "'xml' is not one of 'table', 'github', 'csv', 'json'"),
    ("submit", "PATH"),
    ("submit a b", "b"),
    ("submit a --nmae b", "did you mean '--name'?"),
    ("submit a --move-ms 0", "'--move-ms'"),
    ("submit a --start-ms soon", "'--start-ms'"),
    ("games --home x", "no such option: --home"),
    ("games chess", "chess"),
    ("match", "GAME"),
    ("match donburiko", "BOT"),
    ("match donburico a b", "no game is called 'donburico'; did you mean 'donburiko'?"),
    ("match donburiko first_legal", "donburiko takes 2, 3 or 4 bots, one for each seat, not 1"),
    ("match donburiko a a a a a", "donburiko takes 2, 3 or 4 bots, one for each seat, not 5"),
    ("match donburiko first_legal fist_legal", "did you mean 'first_legal'?"),
    ("match donburiko first_legal nosuch.py", "there is no file or folder nosuch.py"),
    ("match donburiko first_legal ./nosuch", "there is no file or folder nosuch"),
    ("match donburiko a a --deal -1", "'--deal'"),
    ("match donburiko a a --deal x", "'--deal'"),
    ("match donburiko a a --suite devlopment", "did you mean 'development'?"),
    ("match donburiko a a --suite ./no.toml", "no.toml: no such file"),
    ("replay", "MATCH"),
    ("replay x --tournament", "'--tournament' requires an argument (see `arena replay --help`)"),
    ("leaderboard donburko", "did you mean 'donburiko'?"),
    ("leaderboard --format", "requires an argument (see `arena leaderboard --help`)"),
    ("tournament chess", "no game is called 'chess'; there is couperation, donburiko"),
    ("tournament --deals 0", "'--deals'"),
    ("tournament --deals many", "'--deals'"),
    ("tournament --dealz 3", "did you mean '--deals'?"),
    ("tournament --players 5", "nothing is played by 5 players; there is 2, 3, 4"),
    (
        "tournament --players two",
        "--players takes numbers with commas between them, or a range as in 2-4, not 'two'",
    ),
    ("tournament --bots ,", "--bots is empty"),
    ("tournament --bots gredy", "did you mean 'greedy'?"),
    ("tournament --bots nosuch.py", "there is no file or folder nosuch.py"),
    ("tournament --suite nosuch", "no suite is called 'nosuch'; there is"),
    ("tournament --suite nosuch.toml", "nosuch.toml: no such file"),
    ("tournament --name a/b", "a tournament cannot be called 'a/b'"),
    ("tournament -j 0", "'--jobs'"),
    ("tournament --suite development --public-value x", "leave out --suite"),
    ("tournament --resume x --deals 2 donburiko", "leave out GAME, --deals"),
    ("tournament --tier jail", "'none'"),
]


@pytest.mark.parametrize(("words", "why"), MISTAKES, ids=[words for words, _ in MISTAKES])
def test_a_mistake_is_one_line_that_names_what_is_wrong(
    words: str, why: str, arena: CommandLine
) -> None:
    assert why in arena.refuses(*words.split())
    assert list(arena.folder.iterdir()) == []


PLACES = [
    ("{}",),
    ("--{}",),
    ("bots", "remove", "{}"),
    ("bots", "--format", "{}"),
    ("leaderboard", "{}"),
    ("leaderboard", "-t", "{}"),
    ("match", "{}", "a", "b"),
    ("match", "donburiko", "a", "b", "--deal", "{}"),
    ("match", "donburiko", "a", "b", "--suite", "{}"),
    ("replay", "{}"),
    ("submit", "nosuch/{}"),
    ("submit", "nosuch.py", "--name", "{}"),
    ("tournament", "--players", "{}"),
    ("tournament", "--name", "?{}"),
    ("tournament", "--resume", "{}"),
    ("tournament", "--bots", "nosuch/{}"),
]


# What a shell can hand on: no NUL, and surrogates for bytes that are not UTF-8.
CHARACTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\0") | st.just("\udcff")
TYPED = st.text(CHARACTERS, min_size=1) | st.text(CHARACTERS, min_size=700)


@pytest.mark.parametrize("place", PLACES, ids=" ".join)
def test_whatever_is_typed_comes_back_as_one_line_that_cannot_act_on_a_terminal(
    place: tuple[str, ...], tournament_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    @settings(max_examples=6)
    @given(TYPED)
    def check(text: str) -> None:
        words = [word.format(text) for word in place]
        home = [] if place[0].startswith(("{", "-")) else ["--home", str(tournament_home)]
        status = run([*words, *home])
        said = capsys.readouterr()

        assert status in {0, 2}
        assert printable(said.err, lines=True) == said.err
        if status:
            (line,) = said.err.splitlines()
            assert (line[:7], len(line) < 700) == ("arena: ", True)

    check()


# Failures


def damage(home: Path) -> None:
    """Overwrite all but the first page of the database in ``home``."""
    with closing(sqlite3.connect(home / "arena.db")) as db:
        db.execute("PRAGMA journal_mode = DELETE")
    path = home / "arena.db"
    path.write_bytes(path.read_bytes()[:4096].ljust(path.stat().st_size, b"\xa5"))


def test_a_damaged_home_is_one_line_and_no_mistake_of_the_user(played: CommandLine) -> None:
    damage(played.home)

    answer = played("bots")

    assert (answer.status, answer.out) == (70, "")
    assert answer.line.endswith("arena.db: the file is damaged; restore a copy")


def test_the_traceback_is_there_for_those_who_ask(
    played: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    damage(played.home)
    monkeypatch.setenv("ARENA_DEBUG", "1")

    answer = played("bots")

    first, *_, last = answer.err.splitlines()
    assert first.startswith("Traceback")
    assert last.startswith("arena: ")


def test_a_record_that_is_no_match_has_a_status_of_its_own(played: CommandLine) -> None:
    with closing(sqlite3.connect(played.home / "arena.db")) as db, db:
        db.execute("""UPDATE matches SET record = replace(record, '"seat":0', '"seat":1')""")

    answer = played("replay", "donburiko-2p/0/first+last", "--format", "csv")

    assert (answer.status, answer.out) == (1, "")
    assert re.match(r"arena: action 0: seat \d is not to act", answer.line)


@pytest.fixture
def broken(tmp_path: Path) -> Arena:
    """The command line beside a third party's game whose rules divide by zero."""
    site = tuck_game.install(tmp_path / "site")
    rules = site / "tuck_game.py"
    rules.write_text(rules.read_text().replace("    left = tuple(", "    1 / 0\n    left = tuple("))
    return Arena(tmp_path / "home", site)


@pytest.mark.slow
def test_a_broken_game_is_an_internal_error_of_one_line(broken: Arena) -> None:
    words = ("match", "tuck", "first_legal", "first_legal", *NO_TIER)

    out, said = broken.run(*words, status=70)

    assert out == ""
    assert said == (
        "arena: internal error: ZeroDivisionError: division by zero "
        "(ARENA_DEBUG=1 shows where; please report it)\n"
    )


@pytest.mark.slow
def test_a_broken_game_stops_a_tournament_that_says_how_to_go_on(broken: Arena) -> None:
    words = ("--bots", "first_legal,random_legal", "--players", "2", "--deals", "1", *NO_TIER)

    out, said = broken.run("tournament", "tuck", *words, status=70)

    *_, way_on, last = said.splitlines()
    assert out == ""
    assert way_on.startswith(
        "what was played is kept; go on with: arena tournament --resume arena-"
    )
    assert way_on.endswith(f" --home {broken.home}")
    assert last.endswith("was void 3 times: ZeroDivisionError: division by zero")
    assert "Traceback" not in said


# Signals and streams, in processes of their own


def start(*words: str | Path, home: Path, **streams: Any) -> "subprocess.Popen[str]":
    """Start a command over ``home``."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(
        [sys.executable, "-c", "from arena.cli.app import main; main()", *map(str, words)],
        env={**os.environ, "PYTHONPATH": str(ROOT), "ARENA_HOME": str(home)},
        stdin=subprocess.DEVNULL,
        text=True,
        **pipes | streams,
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "status", "said"),
    [(signal.SIGINT, 130, "arena: interrupted\n"), (signal.SIGTERM, 143, "")],
)
def test_a_signal_ends_a_command_and_its_bot(
    number: signal.Signals, status: int, said: str, tmp_path: Path
) -> None:
    mute = tmp_path / "mute.py"
    mute.write_text(f"open({str(tmp_path / 'started')!r}, 'w')\n{MUTE}")

    with killed_at_last(start("submit", mute, *NO_TIER, home=tmp_path / "home")) as running:
        assert holds((tmp_path / "started").exists)
        running.send_signal(number)
        out, err = running.communicate(timeout=20)

    assert (running.returncode, out, err) == (status, "", said)
    assert holds(lambda: not _running("mute.py"))
    assert not (tmp_path / "home").exists()


def _running(name: str) -> list[int]:
    found = []
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if name.encode() in process.read_bytes():
                found.append(int(process.parent.name))
        except OSError:
            continue
    return found


@pytest.mark.slow
def test_a_reader_that_has_enough_is_no_error(tournament_home: Path) -> None:
    words = ("replay", "couperation-self-2p/0/first+first")
    reader, writer = os.pipe()
    # Less room than the match takes: it cannot be through before the reader leaves.
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    with start(*words, home=tournament_home, stdout=writer) as running:
        os.close(writer)
        assert os.read(reader, 1) != b""
        os.close(reader)
        assert running.stderr is not None
        told = running.stderr.read().splitlines()
        assert [line.partition(" in cup-")[0] for line in told] == [words[1]]

    assert running.returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize(("words", "status"), [("bots", 0), ("nonsense", 2)])
def test_that_nobody_reads_the_remarks_changes_no_status(
    words: str, status: int, tmp_path: Path
) -> None:
    with start(words, home=tmp_path) as running:
        assert running.stderr is not None
        running.stderr.close()

    assert running.returncode == status


@pytest.mark.slow
def test_a_disk_that_is_full_under_the_output_is_one_line(tournament_home: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        running = start("games", home=tournament_home, stdout=full)
        _, err = running.communicate(timeout=20)

    assert (running.returncode, err) == (70, "arena: No space left on device\n")


@pytest.mark.slow
def test_a_terminal_that_lacks_a_character_has_it_spelt_out(
    tournament_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "koi8-r")

    running = start("leaderboard", "donburiko", home=tournament_home)
    out, _ = running.communicate(timeout=20)

    assert (running.returncode, "\\xb1" in out) == (0, True)


@pytest.mark.slow
@pytest.mark.parametrize("closed", [1, 2])
def test_a_stream_that_is_closed_is_done_without(closed: int, tmp_path: Path) -> None:
    running = start("bots", home=tmp_path, preexec_fn=lambda: os.close(closed))
    out, err = running.communicate(timeout=20)

    assert running.returncode == 0
    assert (out == "", err == "") == (closed == 1, closed == 2)


@pytest.mark.slow
def test_the_log_is_shown_on_request_with_what_workers_say(tmp_path: Path) -> None:
    words = ("--bots", "first_legal,random_legal", "--players", "2", "--deals", "1", *NO_TIER)

    _, said = Arena(tmp_path).run("--verbose", "tournament", "donburiko", *words)

    assert re.search(r"DEBUG \S+ arena\.tournament\.workers: worker 0 runs", said)


# Completion


def completed(arena: CommandLine, monkeypatch: pytest.MonkeyPatch, *words: str) -> list[str]:
    """Return what bash would offer for the last of ``words``."""
    monkeypatch.setenv("_ARENA_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", " ".join(["arena", *words]))
    monkeypatch.setenv("COMP_CWORD", str(len(words)))
    answer = arena()
    assert (answer.status, answer.err) == (0, "")
    return answer.out.split()


COMPLETIONS = [
    (["tour"], ["tournament", "tournaments"]),
    (["match", "don"], ["donburiko"]),
    (["match", "donburiko", "fir"], ["first_legal"]),
    (["match", "--sui"], ["--suite"]),
    (["tournament", "--suite", "dev"], ["development"]),
    (["bots", "--format", "j"], ["json"]),
    (["bots", "remove", "x"], []),
]


@pytest.mark.parametrize(("words", "offered"), COMPLETIONS)
def test_the_shell_completes(
    words: list[str], offered: list[str], arena: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert completed(arena, monkeypatch, *words) == offered
    assert not arena.home.exists()


def test_the_shell_completes_what_is_kept_in_the_home(
    played: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    (offered,) = completed(played, monkeypatch, "leaderboard", "--tournament", "cu")

    assert re.fullmatch("cup-[0-9a-f]{8}", offered)


@pytest.mark.parametrize("words", [[], ["--home", "~/home"]], ids=["variable", "option"])
def test_the_shell_completes_what_is_kept_in_a_home_with_a_tilde(
    words: list[str], played: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(played.folder))
    monkeypatch.setenv("ARENA_HOME", "elsewhere" if words else "~/home")

    (offered,) = completed(played, monkeypatch, "leaderboard", *words, "--tournament", "cu")

    assert offered.startswith("cup-")


def test_there_is_a_script_for_bash(arena: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_ARENA_COMPLETE", "source_bash")

    assert "complete -o default -F _arena_completion arena" in arena().out
