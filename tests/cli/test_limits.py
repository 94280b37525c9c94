"""Limits on the command line: options, the home's settings, what bots are told, and none at all."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import NO_TIER, CommandLine

TELL = """
told = hear()
say(type="ready", protocol=1)
print(json.dumps(told["limits"]), os.environ.get("ARENA_PROCESSES"), file=sys.stderr)
for message in acts():
    answer(message)
"""


def settings(arena: CommandLine, text: str) -> None:
    arena.home.mkdir(exist_ok=True)
    (arena.home / "arena.toml").write_text(text)


def record(arena: CommandLine, *words: str | Path) -> Any:
    """Play a match and return its record."""
    answer = arena("match", "donburiko", *words, *NO_TIER, "--format", "json")
    assert answer.status == 0, answer.err
    return json.loads(answer.out)


def test_a_move_may_have_five_milliseconds(arena: CommandLine) -> None:
    first, last = arena.bot("first"), arena.bot("last")

    played = record(arena, first, last, "--move-ms", "5", "--extra-ms", "60000")

    assert (played["limits"]["move_ms"], played["limits"]["extra_ms"]) == (5, 60_000)
    assert played["faults"] == []
    assert "not a whole number" in arena.refuses(
        "match", "donburiko", first, last, "--move-ms", "0.5"
    )


def test_questions_come_on_a_beat_if_that_is_wanted(arena: CommandLine) -> None:
    first, last = arena.bot("first"), arena.bot("last")

    played = record(arena, first, last, "--move-ms", "50", "--slot", "50")

    assert played["limits"]["slot_ms"] == 50
    assert played["measured"]["ms"] >= 50 * len(played["actions"])
    for command in ("match", "tournament"):
        bots = (first, last) if command == "match" else ("--bots", f"{first},{last}")
        line = arena.refuses(command, "donburiko", *bots, "--slot", "500")
        assert "a slot of 500 ms is shorter than a decision may be (1000 ms" in line


def test_settings_of_the_home_hold_unless_a_command_says_otherwise(arena: CommandLine) -> None:
    settings(arena, "[limits]\nmove_ms = 2000\nstart_ms = 9000\nprocesses = 5\n")
    bots = (arena.bot("first"), arena.bot("last"))

    by_settings, by_command = record(arena, *bots), record(arena, *bots, "--move-ms", "3000")

    assert by_settings["limits"] | {"move_ms": 3000} == by_command["limits"]
    assert [by_settings["limits"][name] for name in ("move_ms", "start_ms", "processes")] == [
        *(2000, 9000, 5)
    ]


def test_a_tournament_keeps_to_the_limits_that_it_began_with(
    arena: CommandLine,
) -> None:
    settings(arena, 'jobs = 1\ntier = "none"\n[limits]\nmemory_mb = 300\n')
    words = ("--bots", arena.bots("first", "last"), "--players", "2", "--deals", "1")

    answer = arena("tournament", "donburiko", *words)
    settings(arena, "[limits]\nmemory_mb = 400\n")
    replayed = arena("replay", "donburiko-2p/0/first+last", "--format", "json")

    assert answer.status == 0, answer.err
    assert "with 1 worker" in answer.err
    assert json.loads(replayed.out)["limits"]["memory_mb"] == 300
    assert json.loads(replayed.out)["tier"] == "none"


@pytest.mark.parametrize("words", ["match donburiko greedy greedy", "tournament", "submit bot.py"])
def test_settings_that_cannot_be_are_one_line(words: str, arena: CommandLine) -> None:
    settings(arena, "[limits]\nmove_msec = 5\n")

    assert arena.refuses(*words.split()).endswith(
        "/arena.toml: unknown key 'limits.move_msec'; did you mean 'move_ms'?"
    )


def test_a_bot_is_told_its_limits(arena: CommandLine) -> None:
    settings(arena, "[limits]\nprocesses = 7\n")

    played = record(arena, arena.script(TELL), "greedy")

    said, by_environment = played["measured"]["stderr"][0].rsplit(" ", 1)
    assert json.loads(said) == {
        name: played["limits"][name]
        for name in (
            *("start_ms", "memory_mb", "processes", "file_mb", "tmp_mb", "open_files"),
            "stderr_kb",
        )
    }
    assert by_environment.strip() == "7"


def test_the_author_of_a_bot_is_told_its_limits(arena: CommandLine) -> None:
    settings(arena, "[limits]\nprocesses = 1\n")

    answer = arena("submit", arena.script(), "--move-ms", "900", *NO_TIER)

    assert " ".join(answer.err.splitlines()) == (
        "limits: 10000 ms to start, 900 ms a move, 0 ms extra a match; 512 MiB of "
        "memory, 1 process, 256 open files each; 16 MiB a file, 64 MiB of files; 8 KiB of standard "
        "error are kept"
    )


def test_without_limits_a_match_is_unrated_and_says_what_to_attach_to(arena: CommandLine) -> None:
    pid = TELL + "print(os.getpid(), file=sys.stderr)\n"
    slow = pid.replace("told = hear()", "told = hear(); time.sleep(0.3)")
    settings(arena, "[limits]\nmove_ms = 1\nstart_ms = 1\n")
    words = ("match", "donburiko", arena.script(slow), "greedy", "--no-limits", *NO_TIER)

    answer = arena(*words, "--format", "json")

    played = json.loads(answer.out)
    said, seen, process = played["measured"]["stderr"][0].split()
    assert (played["limits"], played["faults"], played["rated"]) == (None, [], False)
    assert (said, seen) == ("null", "None")
    assert f"seat 0 mybot: process {process}\n" in answer.err
    listed = json.loads(arena("tournaments", "--format", "json").out)
    assert "limits are off" in listed[0]["unrated"]


def test_without_limits_a_clock_cannot_be_set(arena: CommandLine) -> None:
    words = ("match", "donburiko", "greedy", "greedy", "--no-limits")

    assert "leave out --move-ms, --start-ms" in arena.refuses(
        *words, "--start-ms", "5", "--move-ms", "5"
    )


def test_a_bot_comes_as_an_archive_and_may_be_played_from_it(arena: CommandLine) -> None:
    packed = arena.folder / "packed"
    packed.mkdir()
    shutil.move(arena.script(), packed / "bot.py")
    (packed / "bot.toml").write_text('author = "Ada"\nlanguages = ["Python"]\n')
    archive = shutil.make_archive("ada", "gztar", packed)

    submitted = arena("submit", archive, "--format", "json", *NO_TIER)
    (row,) = json.loads(submitted.out)
    played = record(arena, "ada", Path(archive))

    assert (row["bot"], row["author"], row["languages"]) == ("ada", "Ada", ["Python"])
    assert json.loads(arena("bots", "--format", "json").out) == [row]
    assert {seat["digest"] for seat in played["seats"]} == {row["digest"]}


def test_a_build_that_fails_is_one_line_and_the_end_of_what_it_wrote(arena: CommandLine) -> None:
    folder = arena.folder / "b"
    folder.mkdir()
    (folder / "bot.toml").write_text('build = [["python", "-c", "print(1); exit(2)"]]\n')

    answer = arena("submit", "b", *NO_TIER)

    assert answer.status == 2
    assert answer.err.splitlines() == [
        "arena: b: build step 1 (python -c print(1); exit(2)) exited with status 2",
        "  | 1",
    ]
    assert not arena.home.exists()
