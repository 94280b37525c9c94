"""Matches that were played, looked at; on a terminal that is in `test_terminal.py`."""

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.command_line import CommandLine, contents

MATCH = "donburiko-2p/0/first+last"


@pytest.fixture
def exported(played: CommandLine) -> Path:
    """A file with the record of a match that was played."""
    path = played.folder / "one.json"
    path.write_text(played("replay", MATCH, "-f", "json").out)
    return path


def turns(text: str) -> list[str]:
    return [line for line in text.splitlines() if ". seat " in line]


def test_without_a_terminal_every_turn_is_printed_and_then_how_it_ended(
    played: CommandLine,
) -> None:
    answer = played("replay", MATCH)

    record = json.loads(played("replay", MATCH, "-f", "json").out)
    assert len(turns(answer.out)) == len(record["actions"])
    assert turns(answer.out)[0].startswith("0. seat ")
    assert answer.out.count("bank ") == len(record["actions"])
    assert answer.out.splitlines()[-3].startswith("----")
    assert played("replay", MATCH, "--all") == answer


def test_of_a_seat_only_its_own_turns_are_printed_as_it_saw_them(played: CommandLine) -> None:
    record = json.loads(played("replay", MATCH, "-f", "json").out)
    for seat, bot in enumerate(("first", "last")):
        answer = played("replay", MATCH, "--seat", str(seat))

        own = [action for action in record["actions"] if action["seat"] == seat]
        assert len(turns(answer.out)) == len(own)
        assert all(f". seat {seat} {bot}: " in line for line in turns(answer.out))
        assert answer.out.count("bank ") == len(own)
        assert re.search(rf"^  seat {1 - seat} +\d+ tokens  \d cards$", answer.out, re.MULTILINE)


def test_a_match_is_found_by_the_beginning_of_its_id(played: CommandLine) -> None:
    assert played("replay", "couperation-self-2p/0/d", "-f", "csv").status == 0
    assert "several matches begin with 'couperation-'" in played.refuses("replay", "couperation-")
    assert "did you mean" in played.refuses("replay", "donburiko-2p/0/first+lost")
    assert "cup-" in played.refuses("replay", "donburiko", "-t", "pu")


@pytest.mark.parametrize("view", [[], ["--all"], ["-f", "csv"], ["--lines", "0"]], ids=str)
def test_it_is_always_told_which_tournament_a_match_is_of_and_which_others_have_it(
    view: list[str], played: CommandLine
) -> None:
    (cup,) = (row["tournament"] for row in json.loads(played("tournaments", "-f", "json").out))
    assert played("replay", MATCH, *view).err.splitlines()[0] == f"{MATCH} in {cup}"

    assert played("match", "donburiko", *bots_of(played), "--tier", "none").status == 0

    assert re.fullmatch(
        rf"{re.escape(MATCH)} in match-1-\w+ \(also in {cup}: -t chooses\)",
        played("replay", MATCH, *view).err.splitlines()[0],
    )
    chosen = played("replay", MATCH, "-t", "cup", *view)
    assert chosen.err.splitlines()[0] == f"{MATCH} in {cup}"
    assert re.search(
        r"\(also in cup-\w+: -t chooses\)", played("logs", "last", "--match", MATCH).err
    )


def bots_of(arena: CommandLine) -> list[Path]:
    return [arena.bot("first"), arena.bot("last")]


def test_the_signs_of_the_tables_are_explained_once(played: CommandLine) -> None:
    whole, seat = (played("replay", MATCH, *view).out for view in ([], ["--seat", "1"]))

    assert whole.startswith("> to act; 3 on it: tokens of a column; 4:0 a card of seat 0 face up")
    assert whole.count("> to act") == 1
    assert seat.splitlines()[1] == "+ what the seat was told since it was asked before"


@pytest.mark.parametrize("view", [[], ["--seat", "0"], ["-f", "json"]], ids=str)
def test_the_cards_of_a_tournament_that_goes_on_are_for_the_operator(
    view: list[str], played: CommandLine
) -> None:
    with closing(sqlite3.connect(played.home / "arena.db")) as db, db:
        db.execute("UPDATE tournaments SET finished = NULL, secret = key, commitment = ''")
    before = contents(played.home)

    line = played.refuses("replay", MATCH, *view)
    answer = played("replay", MATCH, "--operator", *view)

    assert line.endswith(
        "is not finished, and its deals are still to be played on: --operator shows them"
    )
    assert (answer.status, MATCH in answer.err) == (0, True)
    assert contents(played.home) == before


def test_a_file_shows_what_the_home_that_it_is_from_shows(
    exported: Path, played: CommandLine
) -> None:
    for words in ((), ("--seat", "1"), ("-f", "json"), ("-f", "csv")):
        assert played("replay", exported, *words) == played("replay", MATCH, *words)


def test_a_file_needs_no_home_and_makes_none(exported: Path, played: CommandLine) -> None:
    assert played("replay", exported, "--home", played.folder / "none").status == 0
    assert not (played.folder / "none").exists()


def test_one_match_of_an_export_is_chosen_by_its_id(exported: Path, played: CommandLine) -> None:
    other = "couperation-self-2p/0/dice+dice"
    path = played.folder / "records.jsonl"
    path.write_text(exported.read_text() + played("replay", other, "-f", "json").out)

    assert f"--match says which: {MATCH}, {other}" in played.refuses("replay", path)
    assert played("replay", path, "--match", "coup") == played("replay", other)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([MATCH, "--seat", "2"], "arena: --seat 2: this match has seats 0 to 1"),
        ([MATCH, "--seat", "-1"], "'--seat'"),
        ([MATCH, "--seat", "0", "-f", "json"], "--format json prints no turns: leave out --seat"),
        ([MATCH, "--all", "-f", "csv"], "--format csv prints no turns: leave out --all"),
        ([MATCH, "--match", "x"], "--match chooses from a file of records: leave it out"),
        (["x.json", "-t", "cup"], "a file of records is of no home: leave out --tournament"),
        (["x.json"], "x.json cannot be read: No such file or directory"),
    ],
    ids=str,
)
def test_a_mistake_is_one_line(words: list[str], said: str, played: CommandLine) -> None:
    assert said in played.refuses("replay", *words)


@pytest.mark.parametrize("form", ["table", "json"])
def test_a_file_that_was_altered_is_not_shown(
    form: str, exported: Path, played: CommandLine
) -> None:
    record = json.loads(exported.read_text())
    record["scores"][0] += 1
    exported.write_text(json.dumps(record))

    answer = played("replay", exported, "-f", form)

    assert (answer.status, answer.out) == (1, "")
    assert answer.line.startswith("arena: ")


@pytest.mark.parametrize("seat", [0, 1])
def test_replay_prints_the_lines_that_a_seat_was_sent(seat: int, played: CommandLine) -> None:
    """With the tournament's key they are the same to the last digit, so a bot repeats itself."""
    match = "donburiko-2p/0/first+last"
    record = json.loads(played("replay", match, "-f", "json").out)

    lines = played("replay", match, "--lines", str(seat)).out.splitlines()

    messages = [json.loads(line) for line in lines]
    asked = [message for message in messages if message["type"] == "act"]
    acted = [one["action"] for one in record["actions"] if one["seat"] == seat]
    assert [message["type"] for message in messages[:2]] == ["hello", "start"]
    assert [message["type"] for message in messages[-2:]] == ["end", "quit"]
    assert [message["legal_actions"][-seat] for message in asked] == acted
    assert "no seat 2" in played.refuses("replay", match, "--lines", "2")
