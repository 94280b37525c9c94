import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.conversation import HELLO, QUIT, ROOT, Conversation, converse, encoded, python, start
from tests.protocol_files import SPEC, vectors

BOTS = ROOT / "bots"
SAMPLES = sorted([*BOTS.glob("*.py"), *BOTS.glob("*.js")])
DICE = [path for path in SAMPLES if path.stem.startswith("random")]
GAMES = {"careful": ["couperation"], "ismcts": ["donburiko"], "planner": ["couperation"]}
"""What a bot for one game alone plays, by its name; all others play both."""

TIMED = {"ismcts", "planner"}
"""Bots that think until a time is up: what a loaded machine leaves them of it decides with them."""

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")


def params(paths: Sequence[Path]) -> list[Any]:
    return [
        pytest.param(path, id=path.name, marks=needs_node if path.suffix == ".js" else ())
        for path in paths
    ]


def games(path: Path) -> list[str]:
    return GAMES.get(path.stem, ["donburiko", "couperation"])


def params_by_game(paths: Sequence[Path]) -> list[Any]:
    return [
        pytest.param(*param.values, game, id=f"{param.id}-{game}", marks=param.marks)
        for param in params(paths)
        for game in games(param.values[0])
    ]


def command(path: Path) -> list[str]:
    return ["node", str(path)] if path.suffix == ".js" else python(path)


def questions(game: str) -> list[dict[str, Any]]:
    """Return the published questions about ``game``, hand-made ones left out."""
    messages = [vector["message"] for vector in vectors("to_bot") if vector["message"]]
    mark = "bank" if game == "donburiko" else "tower"
    return [
        message
        for message in messages
        if message.get("legal_actions") and mark in message["observation"]
    ]


def start_of(question: dict[str, Any], game: str, seed: int) -> dict[str, Any]:
    """Return the start of the match that ``question`` is from."""
    table = question["observation"]
    return start(game, seed, len(table["hand_sizes"])) | {"seat": table["seat"]}


def answers(path: Path, game: str, seed: int) -> list[dict[str, Any]]:
    # The questions are of many matches, so each gets one of its own.
    asked = [line for each in questions(game) for line in (start_of(each, game, seed), each)]
    heard = converse(command(path), [HELLO, *asked, QUIT])
    assert heard.status == 0
    assert heard.log == "" or path.stem in TIMED  # they say so if the machine was too slow
    ready, *replies = map(json.loads, heard.lines)
    assert (ready["type"], ready["protocol"]) == ("ready", 1)
    assert sorted(ready.get("games", games(path))) == sorted(games(path))
    return replies


@pytest.mark.parametrize(("path", "game"), params_by_game(SAMPLES))
def test_a_sample_bot_answers_every_question_with_a_legal_action(path: Path, game: str) -> None:
    asked, replies = questions(game), answers(path, game, seed=1)

    assert len(asked) > 10
    assert [reply["id"] for reply in replies] == [question["id"] for question in asked]
    for reply, question in zip(replies, asked, strict=True):
        assert reply["action"] in question["legal_actions"]


@pytest.mark.parametrize(
    ("path", "game"), params_by_game([path for path in SAMPLES if path.stem not in TIMED])
)
def test_a_sample_bot_repeats_a_match_of_the_same_seed(path: Path, game: str) -> None:
    assert answers(path, game, seed=2**53 - 1) == answers(path, game, seed=2**53 - 1)


@pytest.mark.parametrize("path", params(DICE))
def test_a_bot_with_dice_plays_another_seed_differently(path: Path) -> None:
    # Seeds that differ in one bit only, at either end of the 53.
    played = [answers(path, "donburiko", seed) for seed in (1, 0, 1 + 2**52)]

    assert played[0] not in played[1:]


@pytest.mark.parametrize("path", params(SAMPLES))
def test_a_sample_bot_takes_lines_apart_that_come_in_pieces_or_together(path: Path) -> None:
    game = games(path)[0]
    first, second = questions(game)[:2]
    long = first | {"legal_actions": first["legal_actions"][:1] * 18_000}
    assert len(encoded(long)) > 400 * 1024

    with Conversation(command(path)) as bot:
        bot.say(encoded(HELLO) + encoded(start_of(first, game, 1)))
        assert json.loads(bot.hear())["type"] == "ready"
        bot.say(long)
        assert json.loads(bot.hear())["id"] == first["id"]
        bot.say(encoded(start_of(second, game, 1)) + encoded(second) + encoded(QUIT))
        assert json.loads(bot.hear())["id"] == second["id"]
        assert bot.wait() == 0


@pytest.mark.parametrize("path", params(SAMPLES))
def test_a_sample_bot_exits_in_good_order_when_its_input_ends(path: Path) -> None:
    heard = converse(command(path), [HELLO, start()])

    assert (len(heard.lines), heard.log, heard.status) == (1, "", 0)


def test_first_legal_has_the_conversation_of_the_specification() -> None:
    text = SPEC.read_text(encoding="utf-8").split("```text\n")[1].split("```")[0]
    said = [line[2:] for line in text.splitlines() if line.startswith("> ")]
    shown = [line[2:].encode() for line in text.splitlines() if line.startswith("< ")]

    assert converse(python(BOTS / "first_legal.py"), said).lines == shown
