from typing import Any

import msgspec
import pytest

from arena.wire.codec import encode
from arena.wire.messages import (
    Act,
    Action,
    End,
    Error,
    FromBot,
    Hello,
    HelloLimits,
    Quit,
    Ready,
    Start,
    ToBot,
)

RAW = msgspec.Raw(b"[]")
LIMITS = HelloLimits(
    start_ms=1, memory_mb=2, processes=3, file_mb=4, tmp_mb=5, open_files=6, stderr_kb=7
)
MESSAGES: list[tuple[ToBot | FromBot, str]] = [
    (
        Hello(arena="0.1.0", limits=LIMITS),
        '{"type":"hello","protocol":1,"arena":"0.1.0","limits":{"start_ms":1,"memory_mb":2,"processes":3,"file_mb":4,"tmp_mb":5,"open_files":6,"stderr_kb":7}}',
    ),
    (
        Start(game="g", variant="v", players=3, seat=1, seed=2, move_ms=9, extra_ms=0),
        '{"type":"start","game":"g","variant":"v","players":3,"seat":1,"seed":2,"move_ms":9,"extra_ms":0}',
    ),
    (
        Act(id=7, observation=RAW, events=RAW, legal_actions=RAW, move_ms=5, extra_ms=6),
        '{"type":"act","id":7,"observation":[],"events":[],"legal_actions":[],"move_ms":5,"extra_ms":6}',
    ),
    (
        End(events=RAW, scores=(21, -9), ranks=(1, 2), reason="finished"),
        '{"type":"end","events":[],"scores":[21,-9],"ranks":[1,2],"reason":"finished"}',
    ),
    (
        Error(code="timeout", message="too late"),
        '{"type":"error","code":"timeout","message":"too late"}',
    ),
    (Quit(), '{"type":"quit"}'),
    (
        Ready(protocol=1, name="n", version="v", games=("g",), legal_actions=False),
        '{"type":"ready","protocol":1,"name":"n","version":"v","games":["g"],"legal_actions":false}',
    ),
    (Action(id=7, action={"type": "claim"}), '{"type":"action","id":7,"action":{"type":"claim"}}'),
]


@pytest.mark.parametrize(("message", "line"), MESSAGES, ids=lambda value: type(value).__name__)
def test_keys_go_over_the_wire_in_the_order_of_the_fields(message: Any, line: str) -> None:
    assert msgspec.json.encode(message).decode() == line


@pytest.mark.parametrize(("message", "line"), MESSAGES, ids=lambda value: type(value).__name__)
def test_a_message_survives_the_way_there_and_back(message: Any, line: str) -> None:
    assert msgspec.json.decode(line, type=type(message)) == message


@pytest.mark.parametrize(("message", "line"), MESSAGES, ids=lambda value: type(value).__name__)
def test_the_referee_knows_no_further_fields(message: Any, line: str) -> None:
    longer = line.removesuffix("}") + ',"comment":"mine"}'

    with pytest.raises(msgspec.ValidationError, match="unknown field `comment`"):
        msgspec.json.decode(longer, type=type(message))


@pytest.mark.parametrize(("message", "line"), MESSAGES, ids=lambda value: type(value).__name__)
def test_a_message_cannot_be_changed(message: Any, line: str) -> None:
    with pytest.raises(AttributeError):
        message.type = "other"


def test_a_ready_needs_nothing_but_the_protocol() -> None:
    ready = msgspec.json.decode(b'{"type":"ready","protocol":1}', type=Ready)

    assert ready == Ready(protocol=1, name="", version="", games=None, legal_actions=True)


def test_legal_actions_that_nobody_wants_are_left_out() -> None:
    act = Act(id=7, observation=RAW, events=RAW, move_ms=5, extra_ms=6)

    assert b"legal_actions" not in encode(act)


def test_every_message_to_a_bot_is_one_line() -> None:
    error = Error(code="bad_message", message="two\nlines\r\n")

    assert encode(error) == b'{"type":"error","code":"bad_message","message":"two\\nlines\\r\\n"}\n'
