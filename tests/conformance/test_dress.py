import json
from typing import Any

import pytest

from arena.conformance.dress import DRESSES, LONG_BYTES, Dress, events, everything, fields, plain
from arena.conformance.scenes import KEY
from arena.games import BUILT_IN
from arena.games.base import AnyGame
from arena.games.deal import Deal
from arena.players.scripted import Scripted, at_random
from arena.referee.limits import Limits
from arena.referee.play import play

ALL = [*DRESSES.values(), everything, plain]


def heard(game: AnyGame) -> list[bytes]:
    """Return what a seat is sent in a match of ``game``, from ``hello`` to ``quit``."""
    seats = [Scripted(at_random(KEY)) for _ in range(2)]
    play(game, Deal(KEY, game.name, game.variants[0], 2, 0), seats, Limits())
    return seats[0].heard


def only(known: Any, sent: Any) -> Any:
    """Return ``sent`` without the fields, and the events, that ``known`` does not have."""
    if isinstance(known, dict):
        return {name: only(value, sent[name]) for name, value in known.items()}
    if isinstance(known, list):
        return (
            [only(one, other) for one, other in zip(known, sent[-len(known) :], strict=True)]
            if known
            else []
        )
    return sent


@pytest.mark.parametrize("game", BUILT_IN, ids=lambda it: it.name)
@pytest.mark.parametrize("dress", ALL, ids=lambda it: it.__name__)
def test_all_that_is_known_stays_as_it_was(game: AnyGame, dress: Dress) -> None:
    for line in heard(game):
        *others, sent = map(json.loads, dress(line))
        message = json.loads(line)

        assert only(message, sent) == message
        assert list(sent)[: len(message)] == list(message)
        assert sent.get("legal_actions") == message.get("legal_actions")
        assert {other["type"] for other in others} <= {"x_later"}


@pytest.mark.parametrize("dress", ALL, ids=lambda it: it.__name__)
def test_each_line_ends_in_the_one_line_feed_that_it_has(dress: Dress) -> None:
    for line in heard(BUILT_IN[0]):
        assert all(sent.endswith(b"\n") and sent.count(b"\n") == 1 for sent in dress(line))


def test_fields_are_added_wherever_an_object_stands() -> None:
    (sent,) = fields(b'{"type":"act","observation":{"rows":[{"up":true}]},"legal_actions":[{}]}\n')

    message = json.loads(sent)
    assert "x_later" in message
    assert "x_later" in message["observation"]
    assert "x_later" in message["observation"]["rows"][0]
    assert message["legal_actions"] == [{}]


def test_an_unknown_event_comes_before_the_others() -> None:
    (sent,) = events(b'{"type":"end","events":[{"type":"fault","seat":1}]}\n')

    assert [event["type"] for event in json.loads(sent)["events"]] == ["x_later", "fault"]


def test_everything_at_once_is_longer_than_a_pipe() -> None:
    act = next(line for line in heard(BUILT_IN[0]) if b'"act"' in line)

    other, sent = everything(act)

    assert len(sent) > LONG_BYTES
    assert "春".encode() in sent
    assert json.loads(other)["type"] == "x_later"
