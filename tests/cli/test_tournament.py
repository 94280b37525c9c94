import csv
import hashlib
import io
import json
import re
import shlex
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from arena.cli.tournament import PLAN_COLUMNS
from arena.tournament.machine import carries, memory_mb
from tests.command_line import NO_TIER, Answer, CommandLine, contents
from tests.whole_arena import FIRST, Arena, bot, holds, killed_at_last

TWO = ("--players", "2", "--deals", "1", *NO_TIER)


def cup(arena: CommandLine, *words: str | Path) -> Answer:
    """Play a small tournament of two bots, two matches of Donburiko."""
    bots = arena.bots("first", "last")
    return arena("tournament", "donburiko", "--bots", bots, *TWO, *words)


def unfinished(arena: CommandLine) -> None:
    """Forget one match of the only tournament, as if it had been stopped before it."""
    with closing(sqlite3.connect(arena.home / "arena.db")) as db, db:
        db.execute("DELETE FROM matches WHERE rowid = (SELECT max(rowid) FROM matches)")
        db.execute("UPDATE tournaments SET finished = NULL")


# What is said of a tournament


def test_a_tournament_is_announced_played_and_ends_in_its_tables(arena: CommandLine) -> None:
    answer = cup(arena, "--name", "cup", "-j", "1")

    lines = answer.err.splitlines()
    assert answer.status == 0
    assert re.fullmatch(
        r"cup-[0-9a-f]{8}: 2 matches in 1 category, about \d+ s with 1 worker", lines[0]
    )
    assert lines[1] == "unrated: bots are not isolated; played from a path: first, last"
    assert lines[3] == "2 of 2 matches"
    assert answer.out.startswith("donburiko-2p\n#")


def test_the_secret_is_committed_to_before_and_revealed_after(arena: CommandLine) -> None:
    said = cup(arena).err

    committed = re.search(r"^SHA-256 of the secret: ([0-9a-f]{64})$", said, re.MULTILINE)
    revealed = re.search(r"^the secret was ([0-9a-f]{64})$", said, re.MULTILINE)
    assert committed is not None
    assert revealed is not None
    assert committed.start() < said.index("2 of 2 matches") < revealed.start()
    assert hashlib.sha256(bytes.fromhex(revealed[1])).hexdigest() == committed[1]


def test_with_a_published_suite_there_is_no_secret(arena: CommandLine) -> None:
    answer = cup(arena, "--suite", arena.suite("donburiko table 2"))

    assert answer.status == 0
    assert "secret" not in answer.err
    assert "unrated: the key is published" in answer.err


def test_data_go_to_standard_output_and_remarks_to_standard_error(arena: CommandLine) -> None:
    answer = cup(arena, "--format", "json")

    (board,) = json.loads(answer.out)
    assert sorted(row["bot"] for row in board["rows"]) == ["first", "last"]
    assert len(answer.err.splitlines()) == 6


def test_registered_bots_play_by_default(arena: CommandLine) -> None:
    for name in ("first", "last"):
        assert arena("submit", arena.bot(name), *NO_TIER).status == 0

    answer = arena("tournament", "donburiko", *TWO, "--dry-run")

    assert answer.status == 0
    assert "sample bots" not in answer.err
    assert answer.out.splitlines()[2].split() == ["donburiko-2p", "2", "1", "2"]


def test_without_registered_bots_the_sample_bots_play(arena: CommandLine) -> None:
    answer = arena("tournament", *TWO, "--dry-run")

    assert answer.err.startswith(f"no bot is registered in {arena.home}: the sample bots play\n")
    assert "donburiko-2p" in answer.out


def test_what_too_few_bots_are_there_for_is_left_out_with_a_line(arena: CommandLine) -> None:
    answer = arena("tournament", "--bots", arena.bots("first", "last"), "--dry-run", *NO_TIER)

    left_out = [line for line in answer.err.splitlines() if line.startswith("left out: ")]
    assert "left out: donburiko-3p: 3 bots needed, 2 entered" in left_out
    assert "left out: couperation-mixed-2p: 4 bots needed, 2 entered" in left_out


def test_a_limit_of_matches_takes_fewer_deals_and_chosen_tables(arena: CommandLine) -> None:
    bots = arena.bots("first", "last", "dice", "other")
    words = ("tournament", "donburiko", "--bots", bots, "--dry-run", *NO_TIER)

    answer = arena(*words, "--games", "8", "-f", "csv")

    said = answer.err.splitlines()[0]
    assert said == (
        "at most 8 matches of a bot in a category: donburiko-2p 1 deal, "
        "donburiko-3p 1 deal of 2 tables a bot, donburiko-4p 2 deals"
    )
    assert answer.out.splitlines()[1:] == [
        "donburiko-2p,4,1,12",
        "donburiko-3p,4,1,6",
        "donburiko-4p,4,2,8",
    ]
    assert arena(*words, "--games", "1").status == 2


def of_one_author(arena: CommandLine, *names: str) -> None:
    for name in names:
        with (arena.bot(name) / "bot.toml").open("a") as manifest:
            manifest.write('author = "Ada"\n')


def test_bots_of_one_author_are_kept_apart_unless_they_may_meet(arena: CommandLine) -> None:
    of_one_author(arena, "first", "last")
    bots = arena.bots("first", "last", "dice", "other")
    words = ("tournament", "donburiko", "--bots", bots, "--deals", "1", "--dry-run", *NO_TIER)

    apart = arena(*words, "-f", "csv")
    together = arena(*words, "--same-author", "-f", "csv")

    needed = "bots by 4 authors needed, and those entered are by 3"
    assert apart.err.splitlines()[:2] == [
        f"left out: donburiko-4p: {needed} (--same-author lets those of one author meet)",
        "kept apart at tables and in teams of three and more: 2 of one author (first last)",
    ]
    assert apart.out.splitlines()[1:] == ["donburiko-2p,4,1,12", "donburiko-3p,4,1,6"]
    assert "author" not in together.err
    assert together.out.splitlines()[2:] == ["donburiko-3p,4,1,12", "donburiko-4p,4,1,4"]


def test_an_earlier_version_plays_against_the_current_one(arena: CommandLine) -> None:
    for name in ("first", "last"):
        assert arena("submit", arena.bot(name), "--name", "mine", *NO_TIER).status == 0

    answer = arena("tournament", "donburiko", "--bots", "mine,mine@1", *TWO, "-f", "json")

    (board,) = json.loads(answer.out)
    assert answer.status == 0
    assert {row["bot"] for row in board["rows"]} == {"mine", "mine@1"}
    assert arena("replay", "donburiko-2p/0/mine@1+mine").status == 0
    assert arena.refuses("tournament", "--bots", "mine@2,mine", *TWO) == (
        "arena: mine is entered twice: name each bot once"
    )


def test_a_tournament_without_a_match_is_refused(arena: CommandLine) -> None:
    words = ("tournament", "donburiko", "--bots", arena.bots("first"), *NO_TIER)

    assert "there is no match to play: donburiko-2p: 2 bots needed, 1 entered" in arena.refuses(
        *words
    )
    assert not arena.home.exists()


def test_a_bot_named_twice_is_refused(arena: CommandLine) -> None:
    words = ("tournament", "--bots", arena.bots("first", "first"), *NO_TIER)

    assert arena.refuses(*words) == "arena: first is entered twice: name each bot once"


def test_a_bot_that_does_not_start_is_refused_before_anything_is_kept(arena: CommandLine) -> None:
    broken = arena.script("raise SystemExit('no')")

    answer = arena("tournament", "--bots", f"{arena.bots('first')},{broken}", *NO_TIER)

    assert (answer.status, answer.out) == (2, "")
    assert answer.err == "arena: mybot was refused: not ready: exited with status 1\n  | no\n"
    assert not arena.home.exists()


SUITES = [
    ("key = 3", "name is missing"),
    ('name = "a"\nkey = "00"', "key must have 64 hex digits, not 2"),
    ("[", "not TOML"),
    ("\xff", "not UTF-8"),
]


@pytest.mark.parametrize(("text", "why"), SUITES)
def test_a_broken_suite_is_a_mistake_of_one_line(text: str, why: str, arena: CommandLine) -> None:
    suite = arena.folder / "broken.toml"
    suite.write_bytes(text.encode("latin-1"))

    assert why in arena.refuses("tournament", "--suite", suite)


def test_a_secret_is_committed_to_once_the_tournament_is_kept(arena: CommandLine) -> None:
    (arena.home / "arena.db").mkdir(parents=True)

    answer = cup(arena)

    assert answer.status == 2
    assert "SHA-256" not in answer.err


def test_an_option_with_commas_can_be_repeated(arena: CommandLine) -> None:
    bots = [word for name in ("first", "last") for word in ("--bots", arena.bot(name))]
    words = ("--players", "2", "--players", "3", "--deals", "1", "--dry-run", *NO_TIER)

    answer = arena("tournament", "donburiko", *bots, *words)

    assert answer.err.startswith("left out: donburiko-3p: 3 bots needed, 2 entered\n")
    assert answer.out.splitlines()[2].split() == ["donburiko-2p", "2", "1", "2"]


@pytest.mark.parametrize("comma", ["", ","])
def test_bots_with_spaces_between_them_are_no_games(comma: str, arena: CommandLine) -> None:
    line = arena.refuses("tournament", "--bots", f"mine{comma}", "greedy", *NO_TIER)

    assert line == (
        "arena: 'greedy' is a bot and no game: put commas between bots, without spaces: "
        "--bots mine,greedy"
    )
    assert "bots go behind --bots" in arena.refuses("tournament", "greedy", *NO_TIER)
    assert "no game is called 'grady'" in arena.refuses("tournament", "grady", *NO_TIER)


def test_a_bot_that_does_not_play_the_game_is_said_not_to(arena: CommandLine) -> None:
    one_game = arena.script(
        "ready(games=['donburiko'])\nfor message in acts():\n    answer(message)"
    )
    bots = f"{one_game},{arena.bots('first')}"

    line = arena("tournament", "couperation", "--bots", bots, "--dry-run", *TWO).err

    assert "4 bots needed, 1 entered; mybot does not play couperation" in line


# Dry run


def test_a_dry_run_says_what_would_be_played_and_keeps_nothing(arena: CommandLine) -> None:
    answer = cup(arena, "--dry-run")

    assert (answer.status, answer.out.splitlines()[0].split()) == (0, list(PLAN_COLUMNS))
    assert answer.out.splitlines()[2].split() == ["donburiko-2p", "2", "1", "2"]
    assert answer.err.startswith("2 matches in 1 category, about ")
    assert "secret" not in answer.err
    assert not arena.home.exists()


def test_a_match_cannot_have_more_cores_than_there_are(arena: CommandLine) -> None:
    answer = cup(arena, "--cores-per-match", "1000", "--dry-run")

    assert answer.status == 2
    assert "--cores-per-match 1000: this machine gives " in answer.line


def test_more_than_the_machine_carries_is_a_remark_each(arena: CommandLine) -> None:
    many, memory = carries() + 1, memory_mb()
    (arena.home).mkdir()
    (arena.home / "arena.toml").write_text("[limits]\nmemory_mb = 1000000\n")

    answer = cup(arena, "--dry-run", "--deals", "1000", "-j", str(many))

    cores, room = answer.err.splitlines()[-2:]
    assert cores.startswith(f"{many} workers play, and {many - 1} would suit")
    assert f"{many * 2_000_000:,} MiB of memory, and the machine has {memory:,}: " in room


def test_a_dry_run_in_the_other_formats(arena: CommandLine) -> None:
    (row,) = json.loads(cup(arena, "--dry-run", "-f", "json").out)
    (line,) = csv.DictReader(io.StringIO(cup(arena, "--dry-run", "-f", "csv").out))

    assert row == {"category": "donburiko-2p", "bots": 2, "deals": 1, "matches": 2}
    assert line == {name: str(value) for name, value in row.items()}


# Resuming


def test_what_is_left_of_a_tournament_is_played_and_its_secret_revealed(
    arena: CommandLine,
) -> None:
    whole = cup(arena, "--name", "cup")
    unfinished(arena)

    dry = arena("tournament", "--resume", "cup", "--dry-run")
    answer = arena("tournament", "--resume", "cup")

    assert dry.out.splitlines()[2].split() == ["donburiko-2p", "2", "1", "1"]
    first, *_, last = answer.err.splitlines()
    assert re.fullmatch(r"cup-\w{8}: 1 match in 1 category, about .* left", first)
    assert last.startswith("the secret was ")
    assert (answer.status, answer.out) == (0, whole.out)


def test_a_finished_tournament_only_shows_its_tables_again(arena: CommandLine) -> None:
    whole = cup(arena, "--name", "cup")
    before = contents(arena.home)

    answer = arena("tournament", "--resume", "cup")

    assert "all matches were played already" in answer.err
    assert (answer.status, answer.out) == (0, whole.out)
    assert {name: rows for name, rows in contents(arena.home).items() if name == "arena.db"} == {
        "arena.db": before["arena.db"]
    }


def test_an_unknown_tournament_cannot_be_resumed(arena: CommandLine) -> None:
    cup(arena, "--name", "cup")

    assert "did you mean 'cup'?" in arena.refuses("tournament", "--resume", "cap")


SETTLED = [
    *("donburiko", "--bots x", "--players 2", "--deals 1", "--suite x", "--name x"),
    *("--games 9", "--same-author"),
    *("--move-ms 9", "--extra-ms 9", "--start-ms 9", "--public-value x", "--tier none"),
]


@pytest.mark.parametrize("words", SETTLED)
def test_what_a_resumed_tournament_would_not_heed_is_refused(
    words: str, arena: CommandLine
) -> None:
    line = arena.refuses("tournament", "--resume", "cup", *words.split())

    settled = "GAME" if words == "donburiko" else words.split(maxsplit=1)[0]
    assert line == f"arena: --resume goes on with what was planned: leave out {settled}"


def test_a_single_match_that_was_cut_off_ends_like_one(arena: CommandLine) -> None:
    whole = arena("match", "donburiko", arena.bot("first"), arena.bot("last"), *NO_TIER)
    unfinished(arena)

    answer = arena("tournament", "--resume", "match-1")

    assert (answer.status, answer.out) == (0, whole.out)
    assert answer.err.splitlines()[-1] == whole.err.splitlines()[-1]


# Ctrl-C, in processes of their own


@pytest.mark.slow
def test_ctrl_c_says_how_to_go_on_and_that_can_be_typed(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    slow = bot(f"note({str(notes)!r}, 'started')\n{FIRST}", tmp_path / "slow")
    arena = Arena(tmp_path / "it's a home")
    words = ("--bots", f"{slow},first_legal", "--players", "2", "--deals", "300", *NO_TIER)

    with killed_at_last(arena.start("tournament", "donburiko", *words)) as running:
        # Once for the handshake, and once more in a match.
        assert holds(lambda: notes.exists() and len(notes.read_text().splitlines()) > 1)
        running.send_signal(signal.SIGINT)
        out, said = running.communicate(timeout=20)

    *_, asked, last = said.splitlines()
    assert (running.returncode, out) == (130, "")
    assert asked == "stopping: matches in play are finished (once more: dropped)"
    way_on = re.fullmatch(r"arena: stopped after \d+ of 600 matches; go on with: arena (.*)", last)
    assert way_on is not None
    *resume, home_option, home = shlex.split(way_on[1])
    assert (home_option, home) == ("--home", str(arena.home))
    left, _ = arena.run(*resume, "--dry-run", "--format", "csv")
    assert left.splitlines()[1].startswith("donburiko-2p,2,")
