import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from arena.wire.escape import printable
from tests.command_line import NO_TIER, CommandLine


def alter(arena: CommandLine, statement: str) -> None:
    with closing(sqlite3.connect(arena.home / "arena.db")) as db, db:
        db.execute(statement)


def test_a_tournament_is_verified_in_one_line(played: CommandLine) -> None:
    answer = played("verify")

    assert (answer.status, answer.err) == (0, "")
    (line,) = answer.out.splitlines()
    assert line.startswith("cup-")
    assert " matches verified, " in line
    assert "a second, head " in line


def test_programs_read_it_as_json(played: CommandLine) -> None:
    (row,) = json.loads(played("verify", "cup", "--format", "json").out)

    assert (row["verified"], row["matches"], row["field"]) == (True, row["scheduled"], None)
    assert len(row["head"]) == 64


def test_the_first_difference_is_one_line_and_status_1(played: CommandLine) -> None:
    alter(played, 'UPDATE matches SET record = replace(record, \'"reason":"\', \'"reason":"\x1b\')')

    answer = played("verify")
    as_data = played("verify", "-f", "json")

    assert (answer.status, answer.out) == (1, "")
    assert answer.line.startswith("arena: cup-")
    assert printable(answer.line) == answer.line
    (row,) = json.loads(as_data.out)
    assert (as_data.status, row["verified"], row["field"]) == (1, False, "record")


def test_a_flipped_byte_in_the_database_is_one_clear_line(played: CommandLine) -> None:
    alter(
        played,
        "UPDATE matches SET record = CAST(substr(CAST(record AS BLOB), 1, 40) || x'ff'"
        " || substr(CAST(record AS BLOB), 42) AS TEXT) WHERE rowid = 1",
    )

    answer = played("verify")

    assert (answer.status, answer.out) == (1, "")
    assert ": record: not a match record: " in answer.line


def test_one_match_alone(played: CommandLine) -> None:
    answer = played("verify", "--match", "donburiko-2p/0/first+last")

    assert "1 match verified" in answer.out
    assert "did you mean" in played.refuses("verify", "--match", "donburiko-2p/0/first+lost")


def test_what_cannot_be_is_refused(arena: CommandLine, played: CommandLine) -> None:
    assert "leave out TOURNAMENT" in played.refuses("verify", "cup", "--records", ".")
    assert "leave out --replay-bots" in played.refuses("verify", "--replay-bots", "--records", ".")
    assert "it has no tournament.json" in played.refuses("verify", "--records", played.folder)
    assert "cannot be read" in played.refuses("verify", "--records", "none.jsonl")
    assert "leave out --match" in played.refuses("verify", "--records", "none", "-m", "x")


def test_without_a_tournament_there_is_nothing_to_verify(arena: CommandLine) -> None:
    assert "nothing is kept in" in arena.refuses("verify")


@pytest.mark.slow
def test_the_secret_of_what_goes_on_is_opened_for_the_operator_alone(arena: CommandLine) -> None:
    bots = arena.bots("first", "last")
    arena("tournament", "donburiko", "--bots", bots, "--players", "2", "--deals", "1", *NO_TIER)
    alter(arena, "UPDATE tournaments SET finished = NULL, key = zeroblob(32)")

    answer = arena("verify")
    opened = arena("verify", "--operator")

    assert (answer.status, "not checked: deals (the secret" in answer.out) == (0, True)
    assert (opened.status, ": key: 0000" in opened.line) == (1, True)
    assert "--operator shows them" in arena.refuses("verify", "--replay-bots")


@pytest.mark.slow
def test_a_single_match_is_verified_like_any_tournament(arena: CommandLine, tmp_path: Path) -> None:
    first = arena.bot("first")
    arena("match", "couperation", first, arena.bot("dice"), first, "--deal", "3", *NO_TIER)

    assert "1 match verified" in arena("verify").out
    alter(arena, "UPDATE tournaments SET unrated = replace(unrated, 'a single match', 'x')")
    assert "a single match follows" in arena("verify").line
    alter(arena, "UPDATE tournaments SET parameters = replace(parameters, 'dice', 'lice')")
    assert arena("verify").status == 1
