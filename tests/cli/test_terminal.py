"""Stepping through a match on a real terminal. Takes some ten seconds: Python starts each time."""

import os
import re
import signal
import termios
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from arena.referee.record import SeatRecord, encode_record
from arena.wire.escape import printable
from tests.records import played_record
from tests.terminals import LEFT, Terminal, terminal

MATCH = "donburiko-2p/0/first+last"
SEQUENCE = re.compile(r"\x1b\[(?:[?0-9]*[hl]|[HKJ])")
"""Those that a terminal is sent on purpose."""


@pytest.fixture
def stepping(tournament_home: Path) -> Iterator[Terminal]:
    """A terminal on which a stored match is replayed."""
    with terminal(["replay", MATCH], tournament_home) as opened:
        opened.until("action 0 (")
        yield opened


def test_keys_lead_through_the_match_and_back_out(stepping: Terminal) -> None:
    first = stepping.until("0. seat ")
    assert first[0].startswith(f"{MATCH} in cup-")
    assert first[1].startswith("round 1, bank ")

    for keys, where in [
        ("\r", "1. seat "),
        (" n\x1b[C", "4. seat "),
        ("b\x1b[Dp", "1. seat "),
        ("g6\r", "6. seat "),
        ("g99\r", "no action is called '99': 0 to "),
        ("?", "> to act; "),
        ("?", "6. seat "),
        (">", "finished after"),
        ("<", "0. seat "),
    ]:
        stepping.type(keys)
        stepping.until(where)

    stepping.type("q")
    assert stepping.left(0) == ""


def test_a_screen_is_drawn_over_the_one_before_without_clearing_it(stepping: Terminal) -> None:
    stepping.type("n")
    stepping.until("action 1 (")
    stepping.type("q")
    stepping.left(0)

    assert stepping.text.startswith("\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[H")
    assert "\x1b[2J" not in stepping.text
    assert len(stepping.screen) == 30


def test_what_is_being_typed_is_shown_and_can_be_taken_back(stepping: Terminal) -> None:
    stepping.type("g12\x7f")
    stepping.until("first or last): 1_")
    stepping.type("\x1b")
    stepping.until("action 0 (")
    stepping.type("glast\r")

    assert stepping.until("finished after")[-1].startswith("end, ")


def test_every_decision_has_its_time(stepping: Terminal) -> None:
    assert any(re.search(r"^0\. seat .*  \[\d+\.\d ms\]$", line) for line in stepping.screen)


# However it ends, the terminal is as it was


def test_after_an_interrupt(stepping: Terminal) -> None:
    stepping.type("\x03")

    assert stepping.left(130) == "arena: interrupted\r\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_after_a_signal_that_ends_it(number: signal.Signals, stepping: Terminal) -> None:
    stepping.running.send_signal(number)

    assert stepping.left(128 + number) == ""
    assert stepping.text.endswith(LEFT)


def test_after_an_error_in_the_middle(tmp_path: Path) -> None:
    script = (
        "from arena.cli.frames import Frame; from arena.cli.terminal import look_through\n"
        "look_through([Frame(0, (), ('all is well',)), Frame(1, (), ('ü',))], '')"
    )
    with terminal([], tmp_path, script=script, PYTHONUTF8="0", PYTHONIOENCODING="ascii") as opened:
        opened.until("all is well")
        opened.type("n")

        assert "UnicodeEncodeError" in opened.left(1)


def test_at_the_end_of_the_input(stepping: Terminal) -> None:
    stepping.type("\x04")

    assert stepping.left(0) == ""


def test_while_it_is_stopped_and_then_it_goes_on(stepping: Terminal) -> None:
    stepping.type("nn")
    stepping.until("action 2 (")
    stepping.type("\x1a")
    _, how = os.waitpid(stepping.running.pid, os.WUNTRACED)
    stepping.until(LEFT, whole=False)

    assert os.WIFSTOPPED(how)
    assert termios.tcgetattr(stepping.line) == stepping.settings
    stepping.running.send_signal(signal.SIGCONT)
    stepping.until("action 2 (")
    stepping.type("q")
    stepping.left(0)


# Whatever the terminal is


def test_a_terminal_that_changes_its_size_is_drawn_anew(stepping: Terminal) -> None:
    stepping.resize(40, 12)
    while len(screen := stepping.until("action 0 (")) != 12:
        stepping._read(1.0)

    assert max(map(len, screen)) <= 40
    stepping.type("q")
    stepping.left(0)


def test_where_keys_cannot_be_read_lines_can(tournament_home: Path) -> None:
    with terminal(["replay", MATCH], tournament_home, TERM="dumb") as opened:
        for line, shown in [
            ("", "0. seat"),
            ("", "1. seat"),
            ("g 5", "5. seat"),
            ("?", "> to act; "),
            ("last", "end, "),
        ]:
            if shown != "0. seat":
                opened.type(f"{line}\n")
            opened.until(shown, whole=False)
        opened.type("q\n")

        opened.left(0)
        assert "\x1b" not in opened.text


@pytest.mark.parametrize("term", ["dumb", "xterm"])
def test_nothing_in_a_record_acts_on_the_terminal(term: str, tmp_path: Path) -> None:
    record = played_record("donburiko", "standard", 2, 0, {1: 2})
    hostile = "\x1b[2J\u202e\r\x9b"
    seats = tuple(SeatRecord(bot=hostile, digest=hostile) for _ in record.seats)
    path = tmp_path / "one.json"
    path.write_bytes(encode_record(msgspec.structs.replace(record, seats=seats, match=hostile)))

    with terminal(["replay", str(path)], tmp_path, TERM=term) as opened:
        opened.until("action 0 (", whole=False)
        opened.type("last\n" if term == "dumb" else ">")
        opened.until("end, ", whole=False)
        opened.type("q\n")
        opened.left(0)

    shown = re.sub(r"\r+\n", "\n", SEQUENCE.sub("", opened.text))
    assert "\\x1b[2J\\u202e" in shown
    assert printable(shown, lines=True) == shown
