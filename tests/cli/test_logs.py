"""What a bot logged. Records are made here, and nothing is played."""

import csv
import io
import json
from collections.abc import Mapping
from itertools import pairwise

import msgspec
import pytest

from arena.referee.fixture import Fixture
from arena.referee.record import FaultRecord, Offending, decode_record, encode_record
from arena.store.db import open_store
from arena.store.matches import add_matches
from arena.store.tournaments import finish
from arena.wire.escape import printable
from tests.command_line import CommandLine
from tests.kept import DUELS, TWO, planned, record_of

replaced = msgspec.structs.replace
SELF = Fixture(TWO, 0, ("a", "a"))
FIXTURES = (*DUELS, SELF)
CRASH = 'Traceback\n\tline 1\n\\x1b[2JKeyError: "3"\n'


def kept(
    arena: CommandLine, wrote: Mapping[Fixture, tuple[str, str]], *, over: bool = True
) -> None:
    """Keep matches of the bots a and b, with what each seat wrote; b is at fault in two of them."""
    with open_store(arena.home) as store:
        planned(store, fixtures=FIXTURES)
        for fixture in FIXTURES:
            record = decode_record(record_of("spring", fixture))
            at_fault = fixture.bots == ("a", "b")
            measured = replaced(
                record.measured,
                stderr=wrote.get(fixture, ("", "")),
                offending=(Offending(seat=1, text="{\\xff"),) if at_fault else (),
            )
            fault = FaultRecord(seat=1, at=0, code="bad_message", text="not UTF-8 at byte 1")
            faults = (fault,) if at_fault else ()
            record = replaced(record, measured=measured, faults=faults)
            add_matches(store, "spring", [encode_record(record)])
        if over:
            finish(store, "spring")


@pytest.fixture
def logged(arena: CommandLine) -> CommandLine:
    kept(arena, {DUELS[0]: ("fine\n", CRASH), SELF: ("one", "two")})
    return arena


def test_a_match_has_its_fault_what_was_written_and_what_was_logged(logged: CommandLine) -> None:
    answer = logged("logs", "b", "--match", DUELS[0].match)

    assert (answer.status, answer.err) == (0, "")
    assert answer.out.splitlines() == [
        f"{DUELS[0].match} in spring, seat 1: bad_message: not UTF-8 at byte 1",
        "  it had written: {\\xff",
        "  | Traceback",
        "  |         line 1",
        '  | \\x1b[2JKeyError: "3"',
    ]


def test_the_newest_match_comes_last_and_quiet_ones_are_said_to_be(logged: CommandLine) -> None:
    lines = logged("logs", "b").out.splitlines()

    heads = [line for line in lines if not line.startswith("  ")]
    assert [head.split(" in ")[0] for head in heads] == [duel.match for duel in DUELS]
    assert ("  nothing on standard error") in lines
    assert sum(line.endswith("no fault") for line in heads) == 2


def test_only_what_the_bot_itself_logged_is_shown(logged: CommandLine) -> None:
    assert "KeyError" not in logged("logs", "a").out
    assert "fine" not in logged("logs", "b").out


def test_a_bot_that_held_several_seats_has_a_log_of_each(logged: CommandLine) -> None:
    lines = logged("logs", "a", "--match", SELF.match).out.splitlines()

    heads = [(head.split(", ")[1], said) for head, said in pairwise(lines) if " in spring" in head]
    assert heads == [("seat 0: no fault", "  | one"), ("seat 1: no fault", "  | two")]


def test_faults_alone_and_so_many_of_the_last(logged: CommandLine) -> None:
    faults = json.loads(logged("logs", "b", "--faults", "-f", "json").out)
    last = logged("logs", "b", "--last", "2", "-f", "json")

    assert [row["match"] for row in faults] == [DUELS[0].match, DUELS[2].match]
    assert [row["match"] for row in json.loads(last.out)] == [DUELS[2].match, DUELS[3].match]
    assert last.line == "these are the last 2 matches: --last N shows more"
    assert logged("logs", "b", "--last", "1").line == "this is the last match: --last N shows more"
    assert logged("logs", "b", "--last", "4").err == ""
    assert logged("logs", "a", "--faults").line == "no match in which a was at fault was played yet"


def test_other_formats_have_a_row_for_each_seat(logged: CommandLine) -> None:
    words = ("logs", "b", "--match", DUELS[0].match, "-f")

    (row,) = json.loads(logged(*words, "json").out)
    assert row == {
        "tournament": "spring",
        "match": DUELS[0].match,
        "seat": 1,
        "code": "bad_message",
        "text": "not UTF-8 at byte 1",
        "offending": "{\\xff",
        "stderr": CRASH,
    }
    heads, values = csv.reader(io.StringIO(logged(*words, "csv").out))
    assert dict(zip(heads, values, strict=True))["stderr"] == CRASH.replace("\n", "\\n").replace(
        "\t", "\\t"
    )
    assert [line.count(" | ") for line in logged(*words, "github").out.splitlines()[2:]] == [6]
    assert logged("logs", "c", "-f", "csv").out == ",".join(heads) + "\n"


def test_while_a_rated_tournament_goes_on_logs_are_for_the_operator(arena: CommandLine) -> None:
    kept(arena, {DUELS[0]: ("", "my card is a loach")}, over=False)

    assert "spring is not finished" in arena.refuses("logs", "b")
    assert "spring is not finished" in arena.refuses("logs", "b", "--match", DUELS[0].match)
    assert "my card is a loach" in arena("logs", "b", "--operator").out


def test_nothing_in_a_record_acts_on_the_terminal(arena: CommandLine) -> None:
    hostile = "\x1b[2J\r\u202e\x85\u2028\n\x00"
    kept(arena, {DUELS[0]: (hostile, hostile)})

    for form in ("table", "csv", "github", "json"):
        out = arena("logs", "b", "-f", form).out
        assert "[2J" in out
        assert printable(out, lines=True) == out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["x"], "no bot is called 'x' in any tournament or match; there is a, b, c"),
        (["bb", "-t", "cup"], "no bot is called 'bb' in spring; did you mean 'b'?"),
        (["c", "--match", SELF.match], f"c did not play in {SELF.match}: a did"),
        (["b", "--match", "z"], "no match is called 'z'"),
        (["b", "-t", "autumn"], "autumn"),
        (["b", "--match", SELF.match, "--last", "2"], "a single match: leave out --last"),
        (["b", "--match", SELF.match, "--faults"], "a single match: leave out --faults"),
        (["b", "--last", "0"], "'--last'"),
    ],
    ids=str,
)
def test_a_mistake_is_one_line(words: list[str], said: str, logged: CommandLine) -> None:
    assert said in logged.refuses("logs", *words)


def test_where_nothing_is_kept_there_is_nothing_logged(arena: CommandLine) -> None:
    assert "nothing is kept in" in arena.refuses("logs", "b")
