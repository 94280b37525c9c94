import csv
import io
import json
import os
import pty
import re
import shlex
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from arena.cli.app import run
from arena.cli.comparison import NUMBERS
from tests.command_line import BOTS, NO_TIER, CommandLine, contents
from tests.whole_arena import FIRST, ROOT, Arena, bot, holds, killed_at_last, suite

DUEL = ("--game", "donburiko", *NO_TIER)


@pytest.fixture(scope="session")
def compared_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which two fast bots were compared, under the name ``duel``."""
    folder = tmp_path_factory.mktemp("compared")
    bots = [str(bot(BOTS[name], folder / name)) for name in ("first", "last")]
    short = suite(folder / "short.toml", "donburiko table 2")
    words = ["compare", *bots, *DUEL, "--suite", str(short), "--name", "duel"]
    assert run([*words, "--home", str(folder / "home")]) in {0, 1}
    return folder / "home"


@pytest.fixture
def compared(arena: CommandLine, compared_home: Path) -> CommandLine:
    """The command line over a copy of the home in which ``duel`` was played."""
    shutil.copytree(compared_home, arena.home)
    return arena


def two(arena: CommandLine) -> tuple[str, str]:
    """Write two bots that start fast."""
    return str(arena.bot("first")), str(arena.bot("last"))


# What is said


def test_a_comparison_is_announced_played_and_answered(arena: CommandLine) -> None:
    answer = arena("compare", *two(arena), *DUEL, "--blocks", "16", "-j", "1")

    size, unrated, commitment, revealed, verdict = answer.err.splitlines()
    assert re.fullmatch(
        r"compare-\w{8}: first against last, donburiko-2p, at most 16 blocks of 2 matches, "
        r"with 1 worker",
        size,
    )
    assert unrated.startswith(
        "unrated: bots are not isolated; played from a path: first, last; a com"
    )
    assert commitment.startswith("SHA-256 of the secret: ")
    assert revealed.startswith("the secret was ")
    assert "first" in verdict
    assert answer.out.startswith("donburiko-2p\nA ")


def test_the_exit_status_is_the_verdict(compared: CommandLine) -> None:
    answer = compared("compare", "--resume", "duel")

    row = json.loads(compared("compare", "--resume", "duel", "-f", "json").out)[0]
    assert answer.status == {"better": 0, "not better": 1}[row["verdict"]]
    sentences = {
        "better": {"first is better than last"},
        "not better": {
            "first is not better than last by a relevant amount",
            "last is better than first",
        },
    }
    assert answer.err.splitlines()[-1] in sentences[row["verdict"]]


def test_a_comparison_that_is_undecided_has_a_status_of_its_own(arena: CommandLine) -> None:
    cards = ("--suite", arena.suite("donburiko table 2"))

    answer = arena("compare", *two(arena), *DUEL, *cards, "--blocks", "16")

    assert answer.status == 3
    assert answer.err.splitlines()[-1] == "it is undecided whether first is better than last"


def test_the_table_has_the_evidence(compared: CommandLine) -> None:
    head, heads, _, row = compared("compare", "--resume", "duel").out.splitlines()

    assert head == "donburiko-2p"
    assert heads.split() == [
        *("A", "B", "A", "is", "blocks", "won", "tied", "lost", "mean", "95%", "LLR", "Elo"),
        *("matches", "faults"),
    ]
    assert row.split()[:2] == ["first", "last"]
    assert len(row) <= 120


def test_the_other_formats_have_every_number(compared: CommandLine) -> None:
    (row,) = json.loads(compared("compare", "--resume", "-f", "json", "duel").out)
    (line,) = csv.DictReader(io.StringIO(compared("compare", "duel", "--resume", "-f", "csv").out))
    markdown = compared("compare", "--resume", "duel", "-f", "github").out.splitlines()

    assert tuple(row) == tuple(line) == NUMBERS
    assert row["blocks"] == row["won"] + row["tied"] + row["lost"] == int(line["blocks"])
    assert row["matches"] == 2 * row["blocks"]
    assert row["low"] <= row["mean"] <= row["high"]
    assert markdown[0] == "### donburiko\\-2p" or markdown[0] == "### donburiko-2p"
    assert len({text.count("|") for text in markdown[2:]}) == 1


def test_copies_are_known_before_they_play(arena: CommandLine) -> None:
    copies = (bot(BOTS["first"], arena.folder / name) for name in ("one", "two"))
    cards = ("--suite", arena.suite("donburiko table 2"))

    answer = arena("compare", *copies, *DUEL, *cards, "--blocks", "16")

    size, same, *_, last = answer.err.splitlines()
    assert " at most 16 blocks of 2 matches, with " in size
    assert same == "one and two are the same files: whatever differs is chance"
    assert (answer.status, last) == (3, "one and two did equally well in every block")


def test_elsewhere_than_on_a_terminal_nothing_is_said_of_how_it_goes(arena: CommandLine) -> None:
    answer = arena("compare", *two(arena), *DUEL, "--blocks", "16")

    assert "LLR" not in answer.err
    assert "\r" not in answer.err


# What it leaves behind


def test_it_is_listed_as_decided_and_not_to_be_gone_on_with(compared: CommandLine) -> None:
    answer = compared("tournaments", "-f", "json")

    (row,) = json.loads(answer.out)
    assert row["state"] == "decided"
    (decided,) = json.loads(compared("compare", "--resume", "duel", "-f", "json").out)
    assert 32 <= row["matches"] == decided["matches"] < row["of"] == 4000
    assert answer.err == ""


def test_a_decided_comparison_only_shows_its_result_again(compared: CommandLine) -> None:
    before = contents(compared.home)["arena.db"]

    first, again = (compared("compare", "--resume", "duel") for _ in range(2))

    assert first == again
    assert contents(compared.home)["arena.db"] == before


def test_no_tournament_goes_on_with_a_comparison(compared: CommandLine) -> None:
    line = compared.refuses("tournament", "--resume", "duel")

    assert re.fullmatch(r"arena: (duel-\w{8}) is a comparison: `arena compare --resume \1`", line)


def test_a_comparison_is_not_the_last_tournament_unless_it_is_named(
    compared: CommandLine,
) -> None:
    assert "no tournament was played yet" in compared.refuses("leaderboard")

    answer = compared("leaderboard", "-t", "duel")
    assert answer.status == 0
    assert re.search(r"duel-\w{8}: \d+ of 4000 matches played \(decided\)", answer.err)


# Mistakes


MISTAKES = [
    ("{first}", "which two bots? `arena compare A B`"),
    ("", "which two bots? `arena compare A B`"),
    ("{first} {last}", "which game? --game donburiko or --game couperation"),
    ("{first} {last} --game donburico", "no game is called 'donburico'; did you mean 'donburiko'?"),
    ("{first} {first} --game donburiko", "first is compared with itself"),
    ("{first} nobody --game donburiko", "no bot is called 'nobody'"),
    ("{first} {last} --game donburiko --players 5", "donburiko has no game for 5"),
    ("{first} {last} --game couperation --variant x", "couperation has no variant 'x'"),
    ("{first} {last} --game donburiko --players 3 --field dice", "no bot is called 'dice'"),
    ("{first} {last} --game donburiko --blocks 15", "not from 16 to 20000"),
    ("{first} {last} --game donburiko --name ../x", "a comparison cannot be called '../x'"),
    ("{first} {last} --game donburiko --suite development --public-value x", "leave out --suite"),
    ("--resume", "nothing is kept in"),
]


@pytest.mark.parametrize(("words", "why"), MISTAKES)
def test_a_mistake_is_one_line_and_keeps_nothing(words: str, why: str, arena: CommandLine) -> None:
    first, last = two(arena)
    typed = words.format(first=first, last=last).split()

    assert why in arena.refuses("compare", *typed, *(() if "--resume" in typed else NO_TIER))
    assert not arena.home.exists()


def test_the_one_game_that_both_play_goes_without_saying(arena: CommandLine) -> None:
    only = 'play(lambda number, legal: 0, \',"games":["couperation"]\')'
    picky = bot(only, arena.folder / "picky")

    line = arena.refuses(
        "compare", arena.bot("first"), picky, *NO_TIER, "--field", str(arena.bot("last"))
    )

    assert line == "arena: couperation is compared in self-play: leave out --field"


def test_what_a_resumed_comparison_would_not_heed_is_refused(compared: CommandLine) -> None:
    line = compared.refuses("compare", "--resume", "duel", "last", "--fine", "--blocks", "20")

    assert line == "arena: --resume goes on with what was planned: leave out B, --fine, --blocks"


def test_without_a_stopped_comparison_there_is_nothing_to_resume(compared: CommandLine) -> None:
    assert "no comparison was stopped" in compared.refuses("compare", "--resume")


def test_a_tournament_is_not_resumed_as_a_comparison(played: CommandLine) -> None:
    assert "is no comparison: `arena tournament --resume cup-" in played.refuses(
        "compare", "--resume", "cup"
    )


# In processes of their own


def all_of(terminal: int) -> str:
    """Return all that is written to a terminal, until nobody has its other side open."""
    parts = []
    with suppress(OSError):
        while part := os.read(terminal, 4096):
            parts.append(part)
    os.close(terminal)
    return b"".join(parts).decode()


@pytest.mark.slow
@pytest.mark.parametrize("columns", [60, 100])
def test_on_a_terminal_one_line_is_written_anew(columns: int, tmp_path: Path) -> None:
    first, last = (str(bot(BOTS[name], tmp_path / name)) for name in ("first", "last"))
    cards = ("--suite", str(suite(tmp_path / "short.toml", "donburiko table 2")))
    ours, theirs = pty.openpty()
    running = subprocess.Popen(
        [
            *(sys.executable, "-c", "from arena.cli.app import main; main()", "compare"),
            *(first, last, *DUEL, *cards, "--blocks", "20", "--home", str(tmp_path / "home")),
        ],
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": str(columns)},
    )
    os.close(theirs)
    text = all_of(ours)
    running.wait()

    written = [part for part in re.split(r"[\r\n]+", text) if "\x1b[K" in part]
    blocks = [int(part.split(maxsplit=1)[0]) for part in written]
    # Blocks that end together are told of together.
    assert blocks == sorted(set(blocks))
    assert blocks[-1] == 20
    assert [" LLR " in part for part in written] == [number >= 16 for number in blocks]
    assert all(part.endswith("\x1b[K") for part in written)
    assert max(len(part.removesuffix("\x1b[K")) for part in written) < columns


@pytest.mark.slow
def test_ctrl_c_says_how_to_go_on_and_a_kill_changes_nothing(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    slow = bot(f"note({str(notes)!r}, 'started')\n{FIRST}", tmp_path / "slow")
    last = bot(BOTS["last"], tmp_path / "last")
    short = suite(tmp_path / "short.toml", "donburiko table 2")
    words = (
        *("compare", str(slow), str(last), *DUEL, "--suite", str(short)),
        *("--blocks", "24", "-f", "json", "-j", "1"),
    )
    whole, arena = Arena(tmp_path / "whole"), Arena(tmp_path / "it's a home")
    with killed_at_last(whole.start(*words)) as running:
        undisturbed, _ = running.communicate(timeout=60)
        status = running.returncode
    resume = list(words)

    for number, how in enumerate((signal.SIGINT, signal.SIGKILL)):
        notes.unlink()
        with killed_at_last(arena.start(*resume)) as running:
            # The handshake of the trial is one of the first command's starts.
            assert holds(lambda: notes.exists() and len(notes.read_text().splitlines()) > 5)
            running.send_signal(how)
            out, said = running.communicate(timeout=20)
        assert out == ""
        if number == 0:
            assert running.returncode == 130
            way_on = re.fullmatch(
                r"arena: stopped after \d+ of at most 48 matches; go on with: arena (.*)",
                said.splitlines()[-1],
            )
            assert way_on is not None
            resume = [*shlex.split(way_on[1]), "-f", "json", "-j", "2"]
        else:
            assert re.match(
                r"compare-\w{8}: slow against last, donburiko-2p, at most 24 blocks of 2 matches, "
                r"(\d+ played, )?about \d+\.\d s a block, with 2 workers\n",
                said,
            )

    _, listed = arena.run("tournaments")
    assert listed.startswith("go on with: arena compare --resume compare-")
    again, _ = arena.run("compare", "--resume", "-f", "json", status=status)
    assert json.loads(again) == json.loads(undisturbed)


@pytest.mark.slow
def test_greedy_is_better_than_chance_within_forty_blocks(tmp_path: Path) -> None:
    out, _ = Arena(tmp_path / "home").run(
        "compare", "greedy", "random_legal", *DUEL, "-f", "json", status=0
    )

    (row,) = json.loads(out)
    assert row["verdict"] == "better"
    assert row["blocks"] <= 40
