import csv
import io
import json
import os
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.bundled import bundled
from arena.cli.bots import COLUMNS
from arena.store.bots import find_bot, get_bot, list_bots
from arena.store.db import open_store
from arena.wire.escape import printable
from tests.command_line import NO_TIER, Answer, CommandLine, contents
from tests.tiny_bots import HONEST

SECOND_MOVE = """
ready()
acted = acts()
answer(next(acted))
message = next(acted)
"""


def submit(arena: CommandLine, path: Path, *words: str) -> Answer:
    return arena("submit", path, *words, *NO_TIER)


def refused(arena: CommandLine, path: Path, *words: str) -> list[str]:
    """Return the lines with which a bot is refused, and check that nothing was changed.

    The first says what is wrong, and those after it are the end of what the bot logged.
    """
    before = contents(arena.home)
    answer = submit(arena, path, *words)

    assert (answer.status, answer.out) == (2, "")
    first, *tail = answer.err.splitlines()
    assert first.startswith("arena: ")
    assert [line for line in tail if not line.startswith("  | ")] == []
    assert printable(answer.err, lines=True) == answer.err
    assert contents(arena.home) == before
    return [first.removeprefix("arena: "), *(line.removeprefix("  | ") for line in tail)]


# What is submitted


def test_a_bot_that_is_accepted_is_told_of_in_one_row(arena: CommandLine) -> None:
    answer = submit(arena, arena.script())

    heads, _, row = answer.out.splitlines()
    assert answer.status == 0
    assert answer.err.startswith("limits: 10000 ms to start, 1000 ms a move")
    assert heads.split() == list(COLUMNS)
    assert row.split()[:3] == ["mybot", "1", "all"]


def test_a_bot_says_which_games_it_plays(arena: CommandLine) -> None:
    script = arena.script(HONEST.replace("ready()", "ready(games=['couperation', 'chess'])"))

    (row,) = json.loads(submit(arena, script, "--format", "json").out)

    assert (row["bot"], row["games"]) == ("mybot", ["couperation"])


def test_the_snapshot_is_kept_and_the_file_no_longer_matters(arena: CommandLine) -> None:
    script = arena.script()
    submit(arena, script)
    script.write_text("raise SystemExit('changed')")

    played = arena("match", "couperation", "mybot", "mybot", *NO_TIER, "--format", "json")

    assert json.loads(played.out)["faults"] == []
    script.unlink()
    assert json.loads(arena("bots", "-f", "json").out)[0]["version"] == 1


def test_the_same_content_again_changes_nothing_and_says_so(arena: CommandLine) -> None:
    script = arena.script()
    first = submit(arena, script)
    before = contents(arena.home)

    again = submit(arena, script)

    assert (again.status, again.out) == (0, first.out)
    assert again.err.startswith("mybot is registered with this very content: nothing changed\n")
    assert contents(arena.home) == before


def test_other_content_is_the_next_version(arena: CommandLine) -> None:
    submit(arena, arena.script())
    answer = submit(arena, arena.script(HONEST + "# better"))

    assert answer.out.splitlines()[2].split()[:2] == ["mybot", "2"]
    assert len(json.loads(arena("bots", "-f", "json").out)) == 1
    assert re.match(
        r"mybot: version 2; version 1 was submitted [-0-9T:]*Z \(another bot\? give it a --name\)",
        answer.err,
    )


def test_files_that_were_submitted_before_are_told_by_their_version(arena: CommandLine) -> None:
    for body in (HONEST, HONEST + "# better"):
        submit(arena, arena.script(body))

    answer = submit(arena, arena.script())

    assert answer.err.startswith("mybot: version 3, with the files of version 1; version 2 was")


def authored(arena: CommandLine, author: str) -> Path:
    """Write a bot that names its author, and return its folder."""
    folder = arena.folder / "mine"
    folder.mkdir(exist_ok=True)
    arena.script(name="mine/bot.py")
    (folder / "bot.toml").write_text(f'author = "{author}"\n')
    return folder


def test_what_a_bot_says_of_itself_may_change_without_its_files(arena: CommandLine) -> None:
    submit(arena, authored(arena, "Ada"))

    answer = submit(arena, authored(arena, "Grace"))

    said = "mine: version 1 says something else of itself now; its files are the same\n"
    assert answer.err.startswith(said)
    assert answer.out.splitlines()[2].split()[:4] == ["mine", "1", "all", "Grace"]


def test_an_author_is_shown_in_every_list(arena: CommandLine) -> None:
    submit(arena, authored(arena, "Ada"))

    for form in ("table", "github", "csv", "json"):
        assert "Ada" in arena("bots", "-f", form).out


def test_the_same_content_may_have_two_names(arena: CommandLine) -> None:
    script = arena.script()
    for name in ("one", "two"):
        assert submit(arena, script, "--name", name).status == 0

    one, two = json.loads(arena("bots", "-f", "json").out)
    assert one["digest"] == two["digest"]


@pytest.mark.parametrize("name", ['it\'s $(id) "my" bot.py', "a;b&c|d.py", "-x.py", "ünï ❤.py"])
def test_a_path_may_have_any_characters(name: str, arena: CommandLine) -> None:
    script = arena.script(name=name)

    assert submit(arena, script, "--name", "odd").status == 0
    assert sorted(path.name for path in arena.folder.iterdir()) == sorted([name, "home"])


def test_a_bot_that_prints_by_the_sdk_is_no_matter(arena: CommandLine) -> None:
    script = arena.folder / "chatty.py"
    script.write_text(
        "from arena_bot import run\n"
        "def choose(_observation, legal):\n    print('thinking')\n    return legal[0]\n"
        "run('chatty', choose)\n"
    )

    assert submit(arena, script).status == 0


def test_a_bot_that_floods_its_log_is_accepted(arena: CommandLine) -> None:
    script = arena.script(
        "ready()\nfor message in acts():\n    os.write(2, b'x' * 200_000)\n    answer(message)\n"
    )

    assert submit(arena, script).status == 0


def test_a_bot_is_tried_out_on_one_core_as_matches_are_played(arena: CommandLine) -> None:
    """On several, one that keeps them busy could take for itself the time that others may have."""
    before = os.sched_getaffinity(0)
    counts = "assert len(os.sched_getaffinity(0)) == 1\n"

    assert submit(arena, arena.script(counts + HONEST)).status == 0
    assert os.sched_getaffinity(0) == before


# What is refused


def _folder(arena: CommandLine, *names: str) -> Path:
    folder = arena.folder / "folder"
    folder.mkdir()
    for name in names:
        (folder / name).write_text("pass")
    return folder.relative_to(arena.folder)


def _empty(arena: CommandLine) -> Path:
    path = arena.folder / "mybot.py"
    path.touch()
    return path


def _link(arena: CommandLine) -> Path:
    (arena.folder / "link.py").symlink_to(arena.script())
    return arena.folder / "link.py"


MISTAKES: list[tuple[str, Callable[[CommandLine], Path], str]] = [
    ("a missing file", lambda arena: Path("nosuch.py"), "there is no file or folder nosuch.py"),
    ("an empty folder", _folder, "it needs a bot.py or a bot.toml"),
    (
        "a folder without an entry point",
        lambda arena: _folder(arena, "readme.txt"),
        "folder has no entry point: it needs bot.py, main.py, bot.js, an executable called bot",
    ),
    (
        "a folder with two entry points",
        lambda arena: _folder(arena, "bot.py", "main.py"),
        "several entry points",
    ),
    (
        "no script, not executable",
        lambda arena: arena.script(name="mybot"),
        "is neither a .py or .js script nor executable: rename it or chmod +x it",
    ),
    ("a device", lambda arena: Path("/dev/null"), "/dev/null is a device"),
    ("an empty script", _empty, "the bot's script mybot.py is empty"),
    ("a link", _link, "is a link"),
    ("an escape", lambda arena: Path("\x1b[2J\u202e.py"), "folder \\x1b[2J\\u202e.py"),
]


@pytest.mark.parametrize(
    ("make", "why"),
    [pytest.param(make, why, id=name) for name, make, why in MISTAKES],
)
def test_what_is_no_bot_is_refused_in_one_line(
    make: Callable[[CommandLine], Path], why: str, arena: CommandLine
) -> None:
    (line,) = refused(arena, make(arena))

    assert why in line
    assert not arena.home.exists()


NAMES = [
    pytest.param("a/b", "'a/b'", id="a slash"),
    pytest.param("a\x1b[2Jb", r"'a\\x1b\[2Jb'", id="a control character"),
    pytest.param("a\nb", r"'a\\nb'", id="a line feed"),
    pytest.param("x" * 200, "'x{39}…'", id="200 characters"),
    pytest.param("a\u202eb", r"'a\\u202eb'", id="text that runs backwards"),
    pytest.param("<b>", "'<b>'", id="markup"),
    pytest.param("=1+1", r"'=1\+1'", id="a formula"),
    pytest.param("..", r"'\.\.'", id="dots"),
    pytest.param("\u0430rena", "'\u0430rena'", id="a homoglyph"),
    pytest.param("a ", "'a '", id="a space"),
]


@pytest.mark.parametrize(("name", "shown"), NAMES)
def test_a_name_that_cannot_be_one_is_refused(name: str, shown: str, arena: CommandLine) -> None:
    (line,) = refused(arena, arena.script(), "--name", name)

    assert re.match(f"a bot cannot be called {shown}: a name has 1 to 32 of the characters", line)


def test_a_file_whose_name_cannot_be_a_bots_needs_another_one(arena: CommandLine) -> None:
    (line,) = refused(arena, arena.script(name="my bot.py"))

    assert line.startswith("a bot cannot be called 'my bot'")
    assert line.endswith("; rename it, or submit it under another --name")


@pytest.mark.parametrize("words", [("you.py",), ("mybot.py", "--name", "You")], ids=" ".join)
def test_what_a_person_is_called_in_a_match_is_no_name_of_a_bot(
    words: tuple[str, ...], arena: CommandLine
) -> None:
    (line,) = refused(arena, arena.script(name=words[0]), *words[1:])

    assert re.match("a bot cannot be called '(?i:you)': that is what a person is called", line)


def test_who_takes_the_name_of_a_sample_bot_is_told_whom_it_means_now(arena: CommandLine) -> None:
    path = arena.script(name="greedy.py")
    now = "greedy: from now on the name means this bot, and not the sample bot"

    assert now in submit(arena, path).err.splitlines()
    assert now not in submit(arena, path).err.splitlines()
    assert arena("bots", "remove", "greedy").status == 0
    assert now in submit(arena, path).err.splitlines()


def test_of_a_sample_bot_that_is_submitted_itself_nothing_is_said(arena: CommandLine) -> None:
    answer = submit(arena, bundled("bots") / "first_legal.py")

    assert "sample bot" not in answer.err


def test_a_name_that_differs_only_in_case_from_a_taken_one_is_refused(arena: CommandLine) -> None:
    submit(arena, arena.script())

    (line,) = refused(arena, arena.script(HONEST + "# other"), "--name", "MyBot")

    assert line == (
        "the name MyBot differs only in case from mybot, which is taken: choose another by --name"
    )


FAILURES = [
    pytest.param(
        "def f(:\n",
        "mybot was refused: not ready: exited with status 1",
        ['  File "mybot.py", line \\d+', "    def f.:", " +\\^+", "SyntaxError: .*"],
        id="a syntax error",
    ),
    pytest.param(
        "import nonesuch",
        "not ready: exited with status 1",
        [".*", ".*", ".*", "ModuleNotFoundError: No module named 'nonesuch'"],
        id="a missing module",
    ),
    pytest.param("sys.exit(3)", "not ready: exited with status 3", [], id="exits at once"),
    pytest.param("", r"not ready: exited with status 0 \(.*is run\(\) called\?", [], id="is empty"),
    pytest.param("hear(); say(type='hello')", "not ready: expected a message", [], id="greets"),
    pytest.param("hear(); say(type='ready', protocol=2)", "protocol 2", [], id="another protocol"),
    pytest.param("hear(); print('hello')", "not ready: not JSON: .*hello", [], id="prints text"),
    pytest.param("hear(); raw(b'\\xff\\n')", "not ready: not UTF-8", [], id="not UTF-8"),
    pytest.param(
        "ready(games=['chess'])",
        "mybot plays none of the games there are: its ready names 'chess'; there is donburiko, c",
        [],
        id="plays unknown games only",
    ),
    pytest.param(
        SECOND_MOVE + "sys.stderr.write('\\x1b[31mboom\\u202e\\n'); sys.exit(3)",
        "mybot was refused: exited in a match of donburiko: exited with status 3",
        [r"\\x1b\[31mboom\\u202e"],
        id="exits in the trial",
    ),
    pytest.param(
        SECOND_MOVE + "print('thinking')",
        r"bad_message in a match of donburiko: not JSON: .*thinking' \(.* to standard error\)",
        [],
        id="prints text in the trial",
    ),
    pytest.param(
        SECOND_MOVE + "say(type='action', id=message['id'], action={'type': 'claim', 'column': 9})",
        "illegal_action in a match of donburiko: R12: there is no such column "
        r"\(R12 is in .*donburiko/RULES\.md\)",
        [],
        id="acts illegally",
    ),
    pytest.param(
        SECOND_MOVE + "os.kill(os.getpid(), 9)",
        "exited in a match of donburiko: was ended by SIGKILL",
        [],
        id="is killed in the trial",
    ),
    pytest.param(
        "ready(games=['couperation'])\nfor message in acts():\n    sys.exit(4)",
        "exited in a match of couperation: exited with status 4",
        [],
        id="fails in its own game",
    ),
]


@pytest.mark.parametrize(("body", "why", "log"), FAILURES)
def test_a_bot_that_fails_is_refused_with_the_end_of_its_log(
    body: str, why: str, log: list[str], arena: CommandLine
) -> None:
    first, *tail = refused(arena, arena.script(body))

    assert re.search(why, first)
    assert first.endswith(f"mybot.py --tier none --home {arena.home}` says more")
    assert len(tail) == len(log)
    assert [
        line for line, form in zip(tail, log, strict=True) if not re.fullmatch(form, line)
    ] == []


@pytest.mark.parametrize(
    ("name", "words", "command"),
    [
        ("mybot.py", "", "arena check mybot.py"),
        ("my bot.py", "--name mybot", "arena check 'my bot.py' --name mybot"),
        ("-b.py", "--name mybot", "arena check ./-b.py --name mybot"),
        ("~", "--name mybot", "arena check './~' --name mybot"),
        ("x" * 200 + ".py", "--name mybot", f"arena check {'x' * 200}.py --name mybot"),
        (
            "mybot.py",
            "--start-ms 9000 --home ./~/h --move-ms 900",
            "arena check mybot.py --move-ms 900 --start-ms 9000 --home './~/h'",
        ),
    ],
)
def test_a_refusal_says_the_command_that_examines_the_bot(
    name: str, words: str, command: str, arena: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ARENA_HOME")
    arena.script("sys.exit(1)", name, 0o755)
    if name == "~":
        (arena.folder / name).rename(arena.folder / "bot.py")
        (arena.folder / name).mkdir()
        (arena.folder / "bot.py").rename(arena.folder / name / "bot.py")

    line = arena.refuses("submit", *words.split(), *NO_TIER, "--", f"./{name}")

    said = "arena: mybot was refused: not ready: exited with status 1"
    command, *home = command.split(" --home ")
    whole = " --home ".join([f"{command} --tier none", *home])
    assert line == f"{said}; `{whole}` says more"
    examined = arena(*shlex.split(whole)[1:])
    assert (examined.status, examined.err) == (1, "")
    assert "mybot: " in examined.out.splitlines()[-1]


def test_that_command_is_fit_for_a_terminal(arena: CommandLine) -> None:
    arena.script("sys.exit(1)", "$(id)\u202e.py")

    line = arena.refuses("submit", "--name", "mybot", *NO_TIER, "$(id)\u202e.py")

    assert "; `arena check '$(id)\\u202e.py' --name mybot --tier none --home " in line


def test_a_bot_that_answers_nothing_is_refused_when_its_time_is_up(arena: CommandLine) -> None:
    path = arena.folder / "mute"
    path.write_text("#!/bin/sh\necho loading >&2\nsleep 60\n")
    path.chmod(0o755)

    first, *tail = refused(arena, path, "--start-ms", "300")

    assert first.startswith("mute was refused: not ready: wrote nothing in time")
    assert "(it has 300 ms to start: --start-ms, or start_ms in an arena.toml); `arena" in first
    assert tail == ["loading"]


def test_a_bot_that_thinks_for_ever_is_refused_when_its_time_is_up(arena: CommandLine) -> None:
    script = arena.script("ready()\nfor message in acts():\n    time.sleep(60)")

    (line,) = refused(arena, script, "--move-ms", "100")

    assert "timeout in a match of donburiko: wrote nothing in time" in line
    assert "may take 100 ms: --move-ms, or move_ms in an arena.toml, sets it); `arena" in line


def test_a_misspelt_game_beside_another_is_told_of(arena: CommandLine) -> None:
    script = arena.script(HONEST.replace("ready()", "ready(games=['donburiko', 'coperation'])"))

    answer = submit(arena, script)

    assert "'coperation', and no game is called so: did you mean 'couperation'?" in answer.err


def test_no_more_than_the_last_lines_of_a_log_are_shown(arena: CommandLine) -> None:
    noisy = "for number in range(100): print(number, 'x' * 500, file=sys.stderr)\nsys.exit(1)"

    _, *tail = refused(arena, arena.script(noisy))

    assert [line.split()[0] for line in tail] == [str(number) for number in range(92, 100)]
    assert {len(line) for line in tail} == {200}


PROGRAMS = [
    pytest.param("#!/usr/bin/nonesuch\n", "/usr/bin/nonesuch is not installed", id="wrong shebang"),
    pytest.param("#!/bin/sh\r\nexit 1\r\n", "its first line ends in CR LF", id="CR LF"),
    pytest.param("#!/bin/sh\nexit 1\n", "not ready: exited with status 1", id="exits"),
    pytest.param(
        "\x7fELF", "could not be started: Exec format error (no #! line?)", id="no program"
    ),
]


@pytest.mark.parametrize(("text", "why"), PROGRAMS)
def test_a_program_that_cannot_be_started_is_refused(
    text: str, why: str, arena: CommandLine
) -> None:
    path = arena.folder / "mybot"
    path.write_bytes(text.encode())
    path.chmod(0o755)

    (line,) = refused(arena, path)

    assert why in line


def test_nothing_is_left_of_a_bot_that_leaves_children_behind(arena: CommandLine) -> None:
    script = arena.script(
        "subprocess.Popen(['sleep', '68.25'], start_new_session=True)\nready()\nsys.exit(1)"
    )

    refused(arena, script)

    lines = [
        (process / "cmdline").read_bytes()
        for process in Path("/proc").glob("[0-9]*")
        if (process / "cmdline").exists()
    ]
    assert b"sleep\x0068.25\0" not in lines


# The list


def test_bots_without_any_is_an_empty_list_that_says_what_to_do(arena: CommandLine) -> None:
    answer = arena("bots")

    assert (answer.status, answer.out.splitlines()[0].split()) == (0, list(COLUMNS))
    assert answer.line.endswith("yet: `arena submit PATH` does it")
    assert arena("bots", "-f", "json").out == "[]\n"
    assert not arena.home.exists()


def test_bots_in_every_format(arena: CommandLine) -> None:
    submit(arena, arena.script(), "--name", "my_bot")

    (whole,) = json.loads(arena("bots", "-f", "json").out)
    (line,) = csv.DictReader(io.StringIO(arena("bots", "-f", "csv").out))
    assert whole["games"] == ["donburiko", "couperation"]
    assert (line["bot"], line["games"], line["digest"]) == ("my_bot", "all", whole["digest"])
    assert arena("bots", "-f", "github").out.splitlines()[2].startswith("| my\\_bot |")
    assert whole["digest"][:19] in arena("bots").out


def test_all_versions_are_listed_on_request(arena: CommandLine) -> None:
    for body in ("", "# 2"):
        submit(arena, arena.script(f"{HONEST}\n{body}"))

    newest = arena("bots", "-f", "csv").out
    every = arena("bots", "--versions", "-f", "csv").out

    rows = [(row["bot"], row["version"]) for row in csv.DictReader(io.StringIO(every))]
    assert rows == [("mybot", "1"), ("mybot", "2")]
    assert newest.splitlines()[1] == every.splitlines()[2]
    assert "--versions is of the list" in arena.refuses("bots", "--versions", "remove", "mybot")


def test_a_bot_that_is_removed_is_off_the_list_and_its_matches_stay(arena: CommandLine) -> None:
    submit(arena, arena.script())
    arena("match", "couperation", "mybot", "mybot", *NO_TIER)

    answer = arena("bots", "remove", "mybot")

    assert (answer.status, answer.out, answer.line) == (0, "", "mybot is no longer registered")
    with open_store(arena.home) as store:
        assert list_bots(store) == []
        assert find_bot(store, "mybot", removed=True) is not None
    assert arena("replay", "couperation").status == 0
    assert "no bot is registered yet" in arena.refuses("bots", "remove", "mybot")


def test_a_bot_that_was_removed_can_be_submitted_again(arena: CommandLine) -> None:
    submit(arena, arena.script())
    arena("bots", "remove", "mybot")

    answer = submit(arena, arena.script())

    assert answer.err.startswith("mybot: version 1 is back on the list; its files are the same\n")
    with open_store(arena.home) as store:
        assert get_bot(store, "mybot").version == 1


def test_a_misspelt_name_of_a_bot_brings_the_closest(arena: CommandLine) -> None:
    submit(arena, arena.script(), "--name", "clever")

    assert arena.refuses("bots", "remove", "cleever").endswith("did you mean 'clever'?")


def test_a_home_before_remove_is_no_trap(arena: CommandLine) -> None:
    line = arena.refuses("bots", "--home", "elsewhere", "remove", "mybot")

    assert line == "arena: --home goes behind remove: arena bots remove --home"
