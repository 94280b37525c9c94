from pathlib import Path

import pytest

from arena.games import games
from arena.referee.limits import Limits
from arena.tournament.advice import advice, only, rules_page

LIMITS = Limits(move_ms=300, start_ms=2000)
SILENT = "wrote nothing in time: it is too slow, or does not flush its output"
HALF = "no complete line in time: it began one and did not end it"
STDOUT = "standard output is for messages alone: write debug text to standard error"


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        ("start_failed", "could not be started: Exec format error", "no #! line, or a program for"),
        ("start_failed", "exited with status 0", "an answer to `hello`: is run() called?"),
        ("start_failed", SILENT, "it has 2000 ms to start: --start-ms, or start_ms in an arena"),
        ("start_failed", f"was not ready in its time to start: {SILENT}", "has 2000 ms to start"),
        ("start_failed", HALF, "end each message with a line feed"),
        ("start_failed", "not JSON: 'debug: starting'", STDOUT),
        ("timeout", SILENT, "a decision may take 300 ms: --move-ms, or move_ms in an arena.toml"),
        ("timeout", "did not read its input in time", "a decision may take 300 ms"),
        ("timeout", HALF, "end each message with a line feed"),
        ("exited", "exited with status 0", "a bot reads on until it is told to `quit`"),
        (
            "exited",
            "exited with status 1 at its limit of 64 processes",
            "[limits] in an arena.toml",
        ),
        ("out_of_memory", "ran out of memory (512 MiB)", "[limits] in an arena.toml"),
        ("bad_message", "not JSON: 'I think'", STDOUT),
        ("bad_message", "not UTF-8 at byte 0: '\\xff'", STDOUT),
        ("bad_message", "action: the id is not the one that was asked", "repeats the `id`"),
        ("illegal_action", "not an action of this game: x", "answer with one of `legal_actions`"),
        ("illegal_action", "not spelt like any of the legal actions", "as it is spelt there"),
    ],
)
def test_what_can_be_done_is_said(code: str, text: str, expected: str) -> None:
    assert expected in advice(code, text, LIMITS)


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("exited", "exited with status 3"),
        ("exited", "was ended by SIGSEGV"),
        ("bad_message", "ready: protocol 2, this is 1"),
        ("illegal_action", "R12: there is no such column"),
        ("of a later version", "anything"),
    ],
)
def test_nothing_is_said_where_the_fault_says_it_all(code: str, text: str) -> None:
    assert advice(code, text, LIMITS) == ""


def test_a_message_with_a_mistake_is_not_taken_for_debug_text() -> None:
    assert advice("bad_message", "not JSON: …", LIMITS, wrote=' {"type":"action",}') == ""


def test_a_bot_without_limits_is_told_the_usual_ones() -> None:
    assert "may take 1000 ms" in advice("timeout", SILENT, None)


@pytest.mark.parametrize("game", games())
def test_a_rule_is_said_to_be_in_the_page_of_its_game(
    game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = advice("illegal_action", "R9a: there is none", LIMITS, game=game)

    rule, _, page = said.partition(" is in ")
    assert rule == "R9a"
    assert "**R9" in Path(page).read_text(encoding="utf-8")
    monkeypatch.chdir(Path(page).resolve().parent)
    assert rules_page(game) == "RULES.md"
    assert rules_page("chess") == ""


@pytest.mark.parametrize(
    "log",
    [
        "Traceback …\nModuleNotFoundError: No module named 'my_moves'\n",
        "node:internal\nError: Cannot find module 'my_moves'\nRequire stack:\n",
    ],
)
def test_a_file_that_was_left_behind_is_to_be_submitted_too(log: str) -> None:
    said = advice("start_failed", "exited with status 1", LIMITS, log=log)

    assert said == "if my_moves is a file of yours, submit a folder with both in it"


def test_what_a_log_quotes_cannot_act_on_a_terminal() -> None:
    log = "No module named '\x1b[2J\u202e'"

    assert "if \\x1b[2J\\u202e is" in advice("exited", "exited with status 1", LIMITS, log=log)


def test_how_to_say_which_games_are_played() -> None:
    assert only(("donburiko",)) == (
        "if it plays donburiko alone, say so: `games` in its ready, or "
        'run(..., games=["donburiko"])'
    )
    assert '["a", "b"]' in only(("a", "b"))
