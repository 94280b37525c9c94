"""A process that plays several matches. Takes two seconds."""

from pathlib import Path

import pytest

from arena.conformance.scenes import Scene, Seen, Stage
from arena.games import get_game
from arena.players.tier import Tier
from arena.referee.limits import Limits
from tests.tiny_bots import program

pytestmark = pytest.mark.slow

DONBURIKO = get_game("donburiko")
NEXT = Scene(get_game("couperation"), 3, seat=1, deal=1)

TELLS = """
ready()
while True:
    message = hear()
    if message["type"] == "act":
        answer(message)
    else:
        print(message["type"], file=sys.stderr)
    if message["type"] == "quit":
        break
"""
BY_HEART = """
ready(legal_actions=False)
first, second = acts(), acts()
message = next(first)
card = message["observation"]["hand"][0]
play = {"type": "play", "card": card, "column": 0, "up": True}
say(type="action", id=message["id"], action=play)
sys.exit(2 + ("legal_actions" in next(second)))
"""
"""Leaves at the second question that it is asked; its status tells what was in that."""


def seen(body: str, folder: Path, scene: Scene) -> Seen:
    limits = Limits(move_ms=2_000, start_ms=5_000)
    return Stage(program(body, folder), limits, Tier.NONE).play(scene)


def test_a_bot_that_plays_two_matches_is_greeted_once_and_told_to_quit_once(
    tmp_path: Path,
) -> None:
    found = seen(TELLS, tmp_path, Scene(DONBURIKO, 2, also=(NEXT,)))

    assert (found.fault, found.match, found.where) == (None, 1, "couperation, 3 players")
    assert found.log.decode().split() == ["start", "end", "start", "end", "quit"]
    assert found.ending
    assert found.ending.gone


def test_what_it_said_when_it_was_greeted_holds_for_the_second_match(tmp_path: Path) -> None:
    found = seen(BY_HEART, tmp_path, Scene(DONBURIKO, 2, decisions=1, also=(NEXT,)))

    assert found.fault
    assert (found.match, found.fault.text) == (1, "exited with status 2")
