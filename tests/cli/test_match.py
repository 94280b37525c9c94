import csv
import io
import json
import logging
from pathlib import Path
from typing import Any

import pytest

from arena.bundled import sample_bots
from arena.referee.record import MatchRecord, decode_record, encode_record
from arena.referee.replay import replay
from arena.wire.escape import printable
from tests import tuck_game
from tests.command_line import NO_TIER, CommandLine
from tests.protocol_files import misfits
from tests.whole_arena import ROOT, Arena

RANDOM = ROOT / "bots" / "random_legal.py"

ZERO_KEY = f"""
name = "zero"
key = "{"00" * 32}"

[[category]]
game = "donburiko"
mode = "table"
players = 2
deals = 1
"""


def play(arena: CommandLine, *words: str | Path) -> tuple[MatchRecord, dict[str, Any]]:
    """Play a match, and return its record, and the JSON that was printed."""
    answer = arena("match", *words, "--format", "json", *NO_TIER)
    assert answer.status == 0, answer.err
    (line,) = answer.out.splitlines()
    return decode_record(line.encode()), json.loads(line)


@pytest.fixture
def zero(arena: CommandLine) -> Path:
    """A suite with a key of zeros."""
    path = arena.folder / "zero.toml"
    path.write_text(ZERO_KEY)
    return path


# The record


@pytest.mark.parametrize("game", ["couperation", "donburiko"])
def test_a_match_of_two_sample_bots_prints_its_record(game: str, arena: CommandLine) -> None:
    record, printed = play(arena, game, RANDOM, RANDOM)

    assert misfits("record.json", printed) == []
    assert [seat.bot for seat in record.seats] == ["random_legal", "random_legal"]
    assert (record.faults, record.rated, record.deal) == ((), False, 0)
    outcome = replay(record)
    assert (outcome.scores, outcome.ranks) == (record.scores, record.ranks)


def test_the_record_is_kept_as_it_is_printed(arena: CommandLine) -> None:
    record, printed = play(arena, "couperation", RANDOM, RANDOM)

    again = arena("replay", record.match, "-t", record.tournament, "-f", "json")
    assert json.loads(again.out) == printed
    assert decode_record(encode_record(record)) == record


def test_with_a_key_of_zeros_the_deals_are_those_of_the_specification(
    zero: Path, arena: CommandLine
) -> None:
    _, three = play(arena, "donburiko", *[RANDOM] * 3, "--suite", zero)
    record, two = play(arena, "couperation", *[RANDOM] * 2, "--suite", zero)

    assert three["cards"]["rounds"][0][:5] == ["5", "1/5", "3", "-1", "3"]
    assert two["cards"]["deck"][:5] == [3, 28, 16, 9, 24]
    assert (record.suite, record.deal) == ("zero", 0)


def test_with_a_key_of_zeros_the_finish_card_lies_where_the_specification_has_it(
    zero: Path, arena: CommandLine
) -> None:
    words = ("--suite", zero, "--variant", "finish", "--deal", "5")

    _, printed = play(arena, "couperation", *[RANDOM] * 4, *words)

    assert printed["cards"]["deck"].index("finish") == 41


def test_the_same_key_and_deal_give_the_same_match(zero: Path, arena: CommandLine) -> None:
    first, again = (play(arena, "couperation", RANDOM, RANDOM, "--suite", zero) for _ in range(2))

    for name in ("cards", "actions", "scores", "ranks"):
        assert first[1][name] == again[1][name]


def test_without_a_suite_every_match_has_a_secret_of_its_own(arena: CommandLine) -> None:
    decks = [play(arena, "couperation", RANDOM, RANDOM)[1]["cards"]["deck"] for _ in range(2)]

    assert decks[0] != decks[1]


# What is printed for people


def test_a_match_shows_a_row_for_each_seat_and_how_to_see_it_again(arena: CommandLine) -> None:
    answer = arena("match", "donburiko", arena.bot("first"), arena.bot("last"), *NO_TIER)

    heads, _, *rows = answer.out.splitlines()
    result, kept = answer.err.splitlines()
    assert answer.status == 0
    assert heads.split() == ["seat", "bot", "tokens", "rank", "fault"]
    assert [row.split()[:2] for row in rows] == [["0", "first"], ["1", "last"]]
    assert result.startswith("donburiko-2p/0/first+last: finished after ")
    words = kept.removeprefix("kept: arena ").split()
    assert arena(*words).out.endswith(answer.out)


def test_a_bot_may_hold_several_seats_and_some_of_them_by_its_path(arena: CommandLine) -> None:
    script = arena.script()
    assert arena("submit", script, *NO_TIER).status == 0

    record, _ = play(arena, "couperation", script, "mybot", script)

    assert record.match == "couperation-self-3p/0/mybot+mybot+mybot"
    assert len({seat.digest for seat in record.seats}) == 1


def test_two_bots_with_one_name_are_refused(arena: CommandLine) -> None:
    arena("submit", arena.script(), *NO_TIER)
    other = arena.script("ready()", name="mybot.py")

    line = arena.refuses("match", "couperation", "mybot", other, *NO_TIER)

    assert "are two bots with one name, mybot: submit one of them under another --name" in line


def test_a_bot_at_fault_is_shown_with_the_end_of_its_log(arena: CommandLine) -> None:
    faulty = arena.script(
        "ready()\nfor message in acts():\n    sys.stderr.write('\\x1b[2Jlost\\n'); sys.exit(3)"
    )

    answer = arena("match", "donburiko", faulty, arena.bot("first"), *NO_TIER)

    assert (answer.status, "exited: exited with status 3" in answer.out) == (0, True)
    assert answer.err.splitlines()[1:3] == [
        "seat 0 mybot wrote to standard error:",
        "  | \\x1b[2Jlost",
    ]
    (way,) = (line for line in answer.err.splitlines() if line.startswith("all that mybot logged"))
    assert "\\x1b[2Jlost" in arena(*way.partition(": arena ")[2].split()).out


def test_watching_shows_the_table_at_every_turn(arena: CommandLine) -> None:
    words = ("match", "couperation", arena.bot("first"), arena.bot("first"), *NO_TIER, "--watch")

    shown = arena(*words)
    programs = arena(*words, "--format", "json")

    assert '0. seat 0 first: {"type":' in shown.out
    assert shown.out.startswith("> to act; in the tower (12) is a card face down")
    assert shown.out.count("> to act") == 1
    turns = len(json.loads(programs.out)["actions"])
    assert programs.err.count(" first: {") == turns
    assert "printed" not in shown.err


@pytest.mark.parametrize("form", ["csv", "github"])
def test_a_match_in_the_other_formats(form: str, arena: CommandLine) -> None:
    words = ("match", "donburiko", arena.bot("first"), arena.bot("last"), "-f", form, *NO_TIER)

    lines = arena(*words).out.splitlines()

    if form == "csv":
        (_, one, two) = csv.reader(io.StringIO("\n".join(lines)))
        assert [one[:2], two[:2]] == [["0", "first"], ["1", "last"]]
    else:
        assert [line.count("|") for line in lines] == [6] * 4


def test_a_single_match_is_an_unrated_tournament_of_its_own(arena: CommandLine) -> None:
    for _ in range(2):
        play(arena, "couperation", arena.bot("first"), arena.bot("first"))

    one, two = json.loads(arena("tournaments", "-f", "json").out)
    assert [one["tournament"][:8], two["tournament"][:8]] == ["match-1-", "match-2-"]
    assert (one["state"], one["matches"], one["rated"]) == ("finished", 1, False)
    assert set(one["unrated"]) >= {"played from a path: first", "a single match"}
    assert "no tournament was played yet" in arena.refuses("leaderboard")


def test_a_bot_that_does_not_play_a_game_is_refused(arena: CommandLine) -> None:
    script = arena.script("ready(games=['couperation'])")

    line = arena.refuses("match", "donburiko", script, script, *NO_TIER)

    assert line == "arena: mybot does not play donburiko"
    assert not arena.home.exists()


def test_a_log_has_what_was_started_and_how_long_each_decision_took(
    arena: CommandLine, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG, "arena"):
        record, _ = play(arena, "couperation", RANDOM, RANDOM)

    begun = f"{record.match}: seat 1 is random_legal, {record.seats[1].digest}, tier none, started"
    assert any(said.startswith(begun) for said in caplog.messages)
    turns = [said for said in caplog.messages if said.endswith(" ms]")]
    assert [said.split(" ")[0] for said in turns] == [f"{at}." for at in range(len(record.actions))]
    assert f"[{record.measured.action_ms[0]:,.1f} ms]" in turns[0]


def test_every_sample_bot_can_be_called_by_its_name(arena: CommandLine) -> None:
    names = [path.stem for path in sample_bots() if path.suffix == ".py"]

    for name in names:
        game = "donburiko" if name == "ismcts" else "couperation"
        assert play(arena, game, name, name, "--move-ms", "500")[0].faults == ()


# What a third party's game draws


@pytest.mark.slow
def test_what_a_game_draws_and_counts_cannot_act_on_a_terminal(tmp_path: Path) -> None:
    site = tuck_game.install(tmp_path / "site")
    rules = site / "tuck_game.py"
    hostile = 'draw=lambda state: "a\\n\\x1b[2J\\u202eb", unit="<po|ints>\\x1b"'
    rules.write_text(rules.read_text().replace("draw=str", hostile))
    arena = Arena(tmp_path / "home", site)
    words = ("tuck", "first_legal", "first_legal", "--watch", *NO_TIER)

    table, _ = arena.run("match", *words)
    markdown, turns = arena.run("match", *words, "-f", "github")

    assert "a\n\\x1b[2J\\u202eb\n0. seat 0 first_legal" in table
    assert "<po|ints>\\x1b" in table
    assert r"\<po\|ints\>\\x1b" in markdown
    assert "a\n\\x1b[2J\\u202eb\n3. seat 1 first_legal" in turns
    for text in (table, markdown, turns):
        assert printable(text, lines=True) == text
