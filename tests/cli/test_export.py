import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests import checker
from tests.command_line import NO_TIER, CommandLine, contents

FILES = {
    *("chain.txt", "records.jsonl", "schedule.txt", "standings.csv", "standings.json"),
    *("suite.toml", "tournament.json"),
}


@pytest.fixture
def exported(played: CommandLine) -> Path:
    """The folder that ``cup`` was exported to."""
    folder = played.folder / "out"
    assert played("export", "cup", folder).status == 0
    return folder


def test_an_export_is_verified_without_a_database(played: CommandLine, exported: Path) -> None:
    answer = played("verify", "--records", exported, "--home", "nowhere")
    alone = played("verify", "--records", exported / "records.jsonl")

    assert {path.name for path in exported.iterdir()} == FILES
    assert (answer.status, "not checked: snapshots" in answer.out) == (0, True)
    assert (alone.status, "records verified" in alone.out) == (0, True)
    assert checker.first_difference(exported) is None
    assert not Path("nowhere").exists()


def test_an_export_is_imported_and_can_be_looked_at(played: CommandLine, exported: Path) -> None:
    board = played("leaderboard", "-f", "csv")

    answer = played("import", exported, "--home", "other")

    assert answer.status == 0
    assert played("leaderboard", "-f", "csv", "--home", "other").out == board.out
    assert played("verify", "--home", "other").status == 0
    match = "donburiko-2p/0/first+last"
    there, here = (played("replay", match, *home) for home in (("--home", "other"), ()))
    assert there.out == here.out
    assert "there is a tournament cup-" in played("import", exported, "--home", "other").line


def test_what_was_imported_can_be_exported_again(played: CommandLine, exported: Path) -> None:
    played("import", exported, "--home", "other")
    played("export", "cup", "again", "--home", "other")

    for name in FILES:
        assert Path("again", name).read_bytes() == (exported / name).read_bytes()


def test_with_bots_the_snapshots_go_along(played: CommandLine) -> None:
    played("export", "cup", "with", "--bots")
    played("import", "with", "--home", "other")

    verified = played("verify", "--home", "other", "--replay-bots")

    assert (verified.status, "not checked" in verified.out) == (0, False)
    assert ", 0 differ" in verified.err


def test_without_bots_nothing_can_be_played(played: CommandLine, exported: Path) -> None:
    played("import", exported, "--home", "other")

    answer = played("verify", "--home", "other", "--replay-bots")

    assert (answer.status, "exported without --bots" in answer.line) == (2, True)
    assert (
        "exported without --bots" in played("export", "cup", "x", "--bots", "--home", "other").err
    )


def test_an_altered_export_is_refused_and_nothing_is_kept(
    played: CommandLine, exported: Path
) -> None:
    facts = json.loads((exported / "tournament.json").read_text())
    (exported / "tournament.json").write_text(json.dumps(facts | {"head": "0" * 64}))

    answer = played("import", exported, "--home", "other")

    assert (answer.status, "head of the chain: 0000" in answer.line) == (1, True)
    assert not Path("other").exists()


def test_only_a_new_or_an_empty_folder_is_written(played: CommandLine) -> None:
    Path("empty").mkdir()
    Path("full").mkdir()
    Path("full", "x").touch()
    Path("link").symlink_to("empty")

    assert played("export", "cup", "empty").status == 0
    assert "is not empty" in played.refuses("export", "cup", "full")
    assert "is no folder" in played.refuses("export", "cup", "full/x")
    assert "is no folder" in played.refuses("export", "cup", "link")
    assert "cannot write in" in played.refuses("export", "cup", "/proc/x/y")
    assert [path.name for path in Path("full").iterdir()] == ["x"]


def test_a_damaged_record_leaves_no_half_of_an_export(played: CommandLine) -> None:
    with closing(sqlite3.connect(played.home / "arena.db")) as db, db:
        db.execute("UPDATE matches SET record = '{' WHERE rowid = 2")
    before = sorted(Path().iterdir())

    answer = played("export", "cup", "out")

    assert (answer.status, "not a match record" in answer.line) == (1, True)
    assert sorted(Path().iterdir()) == before


@pytest.mark.slow
def test_what_goes_on_is_exported_for_its_operator_alone(arena: CommandLine) -> None:
    bots = arena.bots("first", "last")
    arena("tournament", "donburiko", "--bots", bots, "--players", "2", "--deals", "2", *NO_TIER)
    with closing(sqlite3.connect(arena.home / "arena.db")) as db, db:
        db.execute("UPDATE tournaments SET finished = NULL, head = NULL")
        db.execute("DELETE FROM matches WHERE rowid = 2")
    (row,) = json.loads(arena("tournaments", "-f", "json").out)

    assert "--operator shows them" in arena.refuses("export", row["tournament"], "out")
    arena("export", row["tournament"], "out", "--operator")
    assert Path("out").stat().st_mode & 0o777 == 0o700
    assert arena("import", "out", "--home", "other").status == 0
    resumed = arena("tournament", "--resume", row["tournament"], "--home", "other")
    assert (resumed.status, "exported without --bots" in resumed.err) == (2, True)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("tournament.json", "{", "tournament.json: "),
        ("tournament.json", '{"export":1}', "missing required field"),
        ("tournament.json", "[" * 100_000, "tournament.json: "),
        ("schedule.txt", "x\n" * 2, "schedule: match 0: x is recorded"),
        ("chain.txt", "x" * 10_000, "chain.txt: line 1: too long"),
        ("chain.txt", "\x1b\n", r"chain.txt: line 1: \x1b is recorded"),
        ("records.jsonl", "\n", "record"),
        ("standings.json", "{}", "standings.json: "),
        ("bots.jsonl", "{}\n", "bots.jsonl: line 1: "),
    ],
)
def test_files_of_an_export_that_are_none_are_refused_in_one_line(
    name: str, content: str, said: str, played: CommandLine, exported: Path
) -> None:
    (exported / name).write_text(content)
    before = contents(played.home)

    answer = played("import", exported)

    assert (answer.status, answer.out) == (1, "")
    assert said in answer.line
    assert contents(played.home) == before


def test_no_link_and_no_pipe_in_an_export_is_followed(played: CommandLine, exported: Path) -> None:
    records = exported / "records.jsonl"
    records.rename(exported / "elsewhere")
    records.symlink_to("elsewhere")
    assert "cannot be read" in played.refuses("import", exported)
    records.unlink()
    os.mkfifo(records)

    assert "no regular file" in played.refuses("import", exported)
