import re
import tempfile
from pathlib import Path

import pytest

from arena.errors import UsageError
from arena.players.bundle import Bundle
from arena.players.sandbox import isolation
from arena.players.submission import read_bundle
from arena.players.tail import STDERR_LINES, TAIL
from arena.players.tier import Tier
from arena.referee.limits import Limits
from arena.tournament.trial import QUESTIONS, Trial, declared_games, try_out
from tests.tiny_bots import HONEST, PRELUDE

LIMITS = Limits()
GAMES = ("donburiko", "couperation")

FOR_ONE = """
ready()
mine = {{"donburiko": "tokens", "couperation": "tower"}}[{game!r}]
for message in acts():
    if mine not in message["observation"]:
        sys.exit(1)
    answer(message)
"""

COUNTING = """
ready(games=[{game!r}])
for message in acts():
    with open({path!r}, "a") as file:
        file.write("x")
    answer(message)
"""


def bundle(body: str, folder: Path) -> Bundle:
    """Return the snapshot of a bot called ``mybot``."""
    home = folder / "mybot"
    home.mkdir()
    (home / "bot.toml").write_text('command = ["python", "-I", "-S", "bot.py"]\n')
    (home / "bot.py").write_text(PRELUDE + body)
    return read_bundle(home)


def refused(body: str, folder: Path, limits: Limits = LIMITS) -> str:
    """Return with which words a bot is refused by a trial."""
    with pytest.raises(UsageError) as refusal:
        try_out(bundle(body, folder), limits, Tier.NONE)
    return str(refusal.value)


def test_a_bot_that_names_no_games_plays_all(tmp_path: Path) -> None:
    assert declared_games(bundle("ready()", tmp_path), LIMITS, Tier.NONE) is None


def test_of_the_games_that_a_bot_names_those_count_that_there_are(tmp_path: Path) -> None:
    body = "ready(games=['chess', 'couperation'])"

    assert declared_games(bundle(body, tmp_path), LIMITS, Tier.NONE) == ("couperation",)


def test_a_bot_that_answers_passes_and_says_what_it_plays(tmp_path: Path) -> None:
    assert try_out(bundle(HONEST, tmp_path), LIMITS, Tier.NONE) == Trial(None)


def test_a_bot_is_tried_in_the_games_that_it_plays_and_in_no_others(tmp_path: Path) -> None:
    body = """
ready(games=['couperation'])
for message in acts():
    if 'tokens' in message['observation']:
        sys.exit(1)
    answer(message)
"""

    assert try_out(bundle(body, tmp_path), LIMITS, Tier.NONE) == Trial(("couperation",))


@pytest.mark.parametrize(("game", "other"), [GAMES, GAMES[::-1]])
def test_a_bot_that_gets_through_one_game_alone_is_told_how_to_say_so(
    game: str, other: str, tmp_path: Path
) -> None:
    text = refused(FOR_ONE.format(game=game), tmp_path)

    assert f"exited in a match of {other}: exited with status 1 (if it plays {game} alone" in text
    assert f'games=["{game}"]' in text


def test_a_bot_that_gets_through_no_game_is_not_told_to_name_one(tmp_path: Path) -> None:
    text = refused("ready()\nfor message in acts():\n    sys.exit(1)", tmp_path)

    assert text == "mybot was refused: exited in a match of donburiko: exited with status 1"


@pytest.mark.parametrize(
    ("named", "said"),
    [
        (["Donburiko"], "its ready names 'Donburiko'; did you mean 'donburiko'?"),
        (list("dk"), "its ready names 'd', 'k'; there is donburiko, couperation"),
        (["\x1b[2J", *"abcdef"], "names '\\x1b[2J', 'a', 'b', 'c', 'd', …; there is"),
        ([], "its ready names none; there is donburiko, couperation"),
    ],
)
def test_a_bot_that_plays_no_game_is_told_what_it_said(
    named: list[str], said: str, tmp_path: Path
) -> None:
    assert said in refused(f"ready(games={named!r})", tmp_path)


def test_a_misspelt_game_beside_another_is_told(tmp_path: Path) -> None:
    body = HONEST.replace("ready()", "ready(games=['donburiko', 'Couperation'])")

    trial = try_out(bundle(body, tmp_path), LIMITS, Tier.NONE)

    assert trial.games == ("donburiko",)
    assert trial.misspelt == (
        "mybot says that it plays 'Couperation', and no game is called so: "
        "did you mean 'couperation'?"
    )


def test_what_is_waited_for_is_told_beforehand(tmp_path: Path) -> None:
    told: list[str] = []

    try_out(bundle(HONEST, tmp_path), LIMITS, Tier.NONE, told.append)

    assert told == [
        "waiting for mybot to start: 10000 ms at most",
        "mybot plays the beginning of a match of donburiko",
        "mybot plays the beginning of a match of couperation",
    ]


def test_a_bot_that_logs_why_its_seat_was_closed_does_not_say_it_twice(tmp_path: Path) -> None:
    body = """
ready()
next(acts())
raw(b'thinking\\n')
error = hear()
print(f"arena: {error['code']}: {error['message']}", file=sys.stderr)
"""

    text = refused(body, tmp_path)

    assert text.endswith(
        "not JSON: 'thinking' (standard output is for messages alone: "
        "write debug text to standard error)"
    )


@pytest.mark.parametrize("game", ["donburiko", "couperation"])
def test_a_trial_is_no_whole_match_but_more_than_a_move(game: str, tmp_path: Path) -> None:
    asked = tmp_path / "asked"

    try_out(bundle(COUNTING.format(game=game, path=str(asked)), tmp_path), LIMITS, Tier.NONE)

    # The other seat is asked so often; a turn of either can be several decisions.
    assert 2 <= len(asked.read_text()) <= 6 * QUESTIONS


def test_a_refusal_has_the_last_lines_of_the_log_behind_it(tmp_path: Path) -> None:
    body = "for number in range(20): print(number, file=sys.stderr)\nprint(file=sys.stderr)\nhear()"

    why, *tail = refused(body, tmp_path).split(TAIL)

    assert why.startswith("mybot was refused: not ready: exited with status 0 (it ended without")
    assert tail == [str(number) for number in range(20 - STDERR_LINES, 20)]


def test_a_traceback_names_the_files_as_their_author_does(tmp_path: Path) -> None:
    text = refused("import nonesuch", tmp_path)

    assert re.search(r'File "bot\.py", line \d+', text)
    assert tempfile.gettempdir() not in text


def test_time_to_start_is_no_time_to_move(tmp_path: Path) -> None:
    slow = Limits(move_ms=60_000, start_ms=200)

    text = refused("time.sleep(60)", tmp_path, slow)

    assert "not ready: wrote nothing in time" in text
    assert text.endswith("(it has 200 ms to start: --start-ms, or start_ms in an arena.toml)")


def test_nothing_is_left_of_a_trial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))

    try_out(bundle(HONEST, tmp_path), LIMITS, Tier.NONE)
    (tmp_path / "other").mkdir()
    refused("open(os.environ['HOME'] + '/x', 'w')\nsys.exit(1)", tmp_path / "other")

    assert list(scratch.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("#!/usr/bin/nonesuch\n", "mybot was refused: /usr/bin/nonesuch is not installed"),
        ("#!/usr/bin/env nonesuch\n", "mybot was refused: nonesuch is not installed"),
        ("#!/bin/sh\r\n", "mybot was refused: its first line ends in CR LF, which no"),
    ],
)
def test_a_program_without_an_interpreter_is_refused_in_plain_words(
    text: str, why: str, tmp_path: Path
) -> None:
    path = tmp_path / "mybot"
    path.write_bytes(text.encode())
    path.chmod(0o755)

    with pytest.raises(UsageError, match=why):
        declared_games(read_bundle(path), LIMITS, Tier.NONE)


@pytest.mark.slow
def test_a_trial_says_the_same_of_a_bot_in_the_sandbox(tmp_path: Path) -> None:
    best = isolation().tier

    with pytest.raises(UsageError) as refusal:
        try_out(bundle("sys.exit('no')", tmp_path), LIMITS, best)

    assert str(refusal.value) == f"mybot was refused: not ready: exited with status 1{TAIL}no"
    (tmp_path / "other").mkdir()
    assert try_out(bundle(HONEST, tmp_path / "other"), LIMITS, best) == Trial(None)
