import logging
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from arena.cli.remarks import (
    LogFormat,
    Progress,
    counted,
    duration,
    remark,
    rulings,
    tell_older,
)
from arena.store.tournaments import Progress as Kept
from arena.store.tournaments import Stage
from tests.kept import tournament
from tests.records import played_record
from tests.whole_arena import ROOT


def test_a_remark_is_one_line_that_cannot_act_on_a_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    remark("a\nb\x1b[2J\u202e")

    assert capsys.readouterr() == ("", "a\\nb\\x1b[2J\\u202e\n")


def test_that_nobody_reads_a_remark_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with open(writer, "w", closefd=True, buffering=1) as broken:  # noqa: PTH123 - a descriptor
        monkeypatch.setattr(sys, "stderr", broken)
        remark("nobody hears")
        # What is left in the buffer must not be lost on the way out either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), writer)


def test_a_noun_goes_with_its_number() -> None:
    assert [counted(number, "match", "matches") for number in (0, 1, 2)] == [
        "0 matches",
        "1 match",
        "2 matches",
    ]


def test_of_older_matches_it_is_said_how_to_see_them(capsys: pytest.CaptureFixture[str]) -> None:
    for last in (1, 20):
        tell_older(last)

    assert capsys.readouterr().err.splitlines() == [
        "this is the last match: --last N shows more",
        "these are the last 20 matches: --last N shows more",
    ]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "1 s"),
        (40.4, "40 s"),
        (89, "89 s"),
        (90, "2 min"),
        (720, "12 min"),
        (5399, "90 min"),
        (5400, "1.5 h"),
        (12600, "3.5 h"),
    ],
)
def test_a_duration_is_said_as_people_say_it(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_the_log_quotes_nothing_raw() -> None:
    record = logging.LogRecord("arena", logging.INFO, "", 1, "bot said %s", ("\x1b[2J",), None)

    text = LogFormat().format(record)

    assert text.endswith("INFO MainProcess arena: bot said \\x1b[2J")


def test_elsewhere_than_on_a_terminal_progress_is_a_line_at_the_end(
    capsys: pytest.CaptureFixture[str],
) -> None:
    record = played_record("donburiko", "standard", 2, 0, {1: 1})
    with Progress(0, 3) as progress:
        progress.played(record, 1, 3)
        progress.remark("something happened")
        progress.played(record, 2, 3)
        progress.played(record, 3, 3)

    assert capsys.readouterr() == ("", "something happened\n3 of 3 matches, 3 faults\n")


BAR = """
from arena.cli.remarks import Progress
from tests.records import played_record
record = played_record("donburiko", "standard", 2, 0, {1: 1})
with Progress(1, 3) as progress:
    for done in 2, 3:
        progress.played(record, done, 3)
        progress.remark("something happened")
"""


def kept(*retirements: str, uncounted: int = 0) -> Kept:
    return Kept(tournament(), Stage.FINISHED, 9, 9, retirements=retirements, uncounted=uncounted)


def test_who_was_retired_is_said_by_name_and_from_how_many_categories() -> None:
    assert rulings([kept()]) == ""
    assert rulings([kept("a", uncounted=1)]) == "a retired from 1 category, 1 match does not count"
    assert rulings([kept("a", "a", "b", uncounted=3)]) == (
        "a retired from 2 categories, b retired from 1 category, 3 matches do not count"
    )
    assert rulings([kept("a"), kept("a"), kept()]) == (
        "a retired from 2 categories in 2 tournaments"
    )
    assert rulings([kept(*"abcd")]) == "4 bots retired"
    assert "\x1b" not in rulings([kept("\x1b[2J")])


@pytest.mark.slow
def test_the_time_that_is_left_goes_by_the_matches_of_this_run() -> None:
    ours, theirs = pty.openpty()
    text = BAR.replace("Progress(1, 3)", "Progress(900, 1000)").replace(
        "for done in 2, 3:", "import time\n    time.sleep(0.6)\n    for done in (901,):"
    )
    text = text.replace("done, 3)", "done, 1000)")
    paths = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
    environment = {**os.environ, "PYTHONPATH": paths, "COLUMNS": "80"}
    subprocess.run([sys.executable, "-c", text], stderr=theirs, env=environment, check=True)
    os.close(theirs)
    shown = os.read(ours, 100_000).decode()
    os.close(ours)

    # 99 matches of 0.6 s or more; by all matches it would be less than a second.
    left = re.findall(r"901/1000  (\d+) (s|min)", shown)
    assert left
    assert all(int(number) * {"s": 1, "min": 60}[unit] >= 59 for number, unit in left)


@pytest.mark.slow
@pytest.mark.parametrize("columns", [30, 80])
def test_on_a_terminal_there_is_a_bar_that_fits(columns: int, tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    paths = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
    environment = {**os.environ, "PYTHONPATH": paths, "COLUMNS": str(columns)}
    subprocess.run([sys.executable, "-c", BAR], stderr=theirs, env=environment, check=True)
    os.close(theirs)
    text = os.read(ours, 100_000).decode()
    os.close(ours)

    lines = re.split(r"[\r\n]+", re.sub(r"\x1b\[[?0-9;]*[A-Za-z]", "", text).strip())
    assert any(line.startswith("matches  [#") and "3/3" in line for line in lines)
    assert max(len(line.rstrip()) for line in lines) <= columns
    assert "something happened" in lines
    assert lines[-1] == "2 faults"
    assert text.count("\x1b[?25l") >= text.count("\x1b[?25h") == 1
