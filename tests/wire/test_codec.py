import hashlib
import json
import time
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from arena.errors import BotFault, FaultCode
from arena.games.base import Public
from arena.wire.codec import (
    ECHO,
    NotLegal,
    Question,
    encode,
    encode_value,
    explain,
    parse_object,
    read_action,
    read_ready,
)
from arena.wire.escape import printable
from arena.wire.messages import MAX_DECORATION, MAX_LINE_BYTES, MAX_NESTING, Act, Hello


class Play(Public, frozen=True, kw_only=True, tag="play"):
    card: int
    up: bool


class Swap(Public, frozen=True, kw_only=True, tag="swap"):
    cards: tuple[int, ...]


class Alone(Public, frozen=True, kw_only=True, tag="alone"):
    column: int = 0


class Seen(Public, frozen=True, kw_only=True):
    hand: tuple[int, ...]


LEGAL = (
    Play(card=0, up=True),
    Play(card=0, up=False),
    Play(card=1, up=True),
    Swap(cards=()),
    Swap(cards=(1, 2)),
)
QUESTION = Question(Seen(hand=(0, 1)), (Play(card=3, up=True),), LEGAL)
ID = 9_007_199_254_740_991


def answer(action: object, number: object = ID, **more: object) -> bytes:
    return json.dumps({"type": "action", "id": number, "action": action, **more}).encode()


def refusal(line: bytes) -> str:
    """Return what `parse_object` has against ``line``."""
    with pytest.raises(BotFault) as caught:
        parse_object(line)
    assert caught.value.code is FaultCode.BAD_MESSAGE
    assert caught.value.offending == line
    return caught.value.text


# What the referee writes


def test_a_line_is_compact_and_ends_with_lf() -> None:
    hello = b'{"type":"hello","protocol":1,"arena":"0.1.0","limits":null}\n'

    assert encode(Hello(arena="0.1.0")) == hello


def test_characters_outside_ascii_are_written_as_they_are() -> None:
    assert encode_value({"name": "どんぐり"}) == '{"name":"どんぐり"}'.encode()


def test_a_question_is_asked_in_the_order_of_the_fields() -> None:
    question = Question(Seen(hand=(3,)), (), LEGAL[:1])

    assert question.line(7, move_ms=1000, extra_ms=5, offer=True) == (
        b'{"type":"act","id":7,"observation":{"hand":[3]},"events":[],'
        b'"legal_actions":[{"type":"play","card":0,"up":true}],"move_ms":1000,"extra_ms":5}\n'
    )


def test_a_question_is_spelt_as_the_message_that_it_is() -> None:
    parts = (QUESTION.observation, QUESTION.events, QUESTION.legal_actions)
    observation, events, legal = map(msgspec.Raw, parts)
    whole = Act(
        id=ID, observation=observation, events=events, legal_actions=legal, move_ms=1, extra_ms=0
    )
    short = msgspec.structs.replace(whole, legal_actions=msgspec.UNSET)

    assert QUESTION.line(ID, move_ms=1, extra_ms=0, offer=True) == encode(whole)
    assert QUESTION.line(ID, move_ms=1, extra_ms=0, offer=False) == encode(short)


def test_legal_actions_are_left_out_for_a_bot_that_does_not_want_them() -> None:
    line = QUESTION.line(7, move_ms=1000, extra_ms=5, offer=False)

    assert "legal_actions" not in json.loads(line)


def test_the_digest_covers_all_three_parts_also_of_a_shorter_line() -> None:
    act = json.loads(QUESTION.line(7, move_ms=1000, extra_ms=5, offer=True))
    parts = [act["observation"], act["events"], act["legal_actions"]]
    text = json.dumps(parts, separators=(",", ":"))

    assert QUESTION.digest == hashlib.sha256(text.encode()).hexdigest()[:16]


# Answers


NESTED = tuple(
    map(
        msgspec.Raw,
        (
            b'{"a":[{"b":1},{"b":2}]}',
            b'{"b":1}',
            b'{"b":"},{"}',
            b'{"b":2}',
            b"{}",
            b'{"a":{"b":{}}}',
        ),
    )
)
"""Of no game here: parts of one look like others, and like what stands between two."""


@pytest.mark.parametrize("index", range(len(NESTED)))
def test_an_action_is_not_mistaken_for_a_part_of_another(index: int) -> None:
    question = Question(Seen(hand=()), (), NESTED)

    assert question.actions == tuple(map(bytes, NESTED))
    assert question.find(bytes(NESTED[index])) == index


@pytest.mark.parametrize("part", [b"", b"{", b'"b":1', b'{"b":{}}', b'{"b":1},{"b":2}'])
def test_a_part_of_an_action_is_none(part: bytes) -> None:
    assert Question(Seen(hand=()), (), NESTED).find(part) == -1


@pytest.mark.parametrize("index", range(len(LEGAL)))
def test_each_legal_action_is_recognised(index: int) -> None:
    action = json.loads(encode_value(LEGAL[index]))

    assert read_action(answer(action), ID, QUESTION) == index


@pytest.mark.parametrize("index", range(len(LEGAL)))
def test_the_referees_own_spelling_is_recognised_without_parsing(index: int) -> None:
    line = b'{"type":"action","id":%d,"action":%b}' % (ID, encode_value(LEGAL[index]))

    assert read_action(line, ID, QUESTION) == index


def test_what_begins_like_the_referees_spelling_is_still_parsed() -> None:
    line = b'{"type":"action","id":%d,"action":{"type":"play","card":1, "up":true}}' % ID

    assert read_action(line, ID, QUESTION) == 2


def test_an_id_that_only_begins_like_the_one_asked_is_another() -> None:
    line = b'{"type":"action","id":71,"action":%b}' % encode_value(LEGAL[0])

    with pytest.raises(BotFault, match="the id is not the one that was asked"):
        read_action(line, 7, QUESTION)


@pytest.mark.parametrize(
    "action",
    [
        {"type": "play", "card": True, "up": True},
        {"type": "play", "card": 1.0, "up": True},
        {"type": "play", "card": "1", "up": True},
        {"type": "play", "card": 1, "up": 1},
        {"type": "play", "card": 1, "up": False},
        {"type": "play", "card": 1},
        {"type": "swap", "cards": [2, 1]},
        {"type": "swap"},
        {},
    ],
    ids=str,
)
def test_another_value_or_type_is_another_action(action: dict[str, Any]) -> None:
    with pytest.raises(NotLegal) as caught:
        read_action(answer(action), ID, QUESTION)

    assert caught.value.action == action


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (answer({}, 7), "action: the id is not the one that was asked"),
        (answer({}, str(ID)), "action: the id is not the one that was asked"),
        (answer({}, float(ID)), "action: the id is not the one that was asked"),
        (b'{"type":"action","action":{}}', "action: the id is not the one that was asked"),
        (answer(None), "action: `action` is not an object"),
        (answer([{}]), "action: `action` is not an object"),
        (b'{"type":"action","id":%d}' % ID, "action: `action` is not an object"),
        (answer({}, why=1, a=2), "action: unknown field 'a'"),
        (answer({}, **{"\x1b[31m": 1}), r"action: unknown field '\x1b[31m'"),
        (b'{"type":"ready"}', "expected a message of type 'action': '{\"type\":\"ready\"}'"),
        (b"{}", "expected a message of type 'action': '{}'"),
    ],
    ids=str,
)
def test_an_answer_that_is_no_answer_is_a_bad_message(line: bytes, text: str) -> None:
    with pytest.raises(BotFault) as caught:
        read_action(line, ID, QUESTION)

    assert (caught.value.code, caught.value.text) == (FaultCode.BAD_MESSAGE, text)
    assert caught.value.offending == line


def test_the_id_true_does_not_pass_for_1() -> None:
    with pytest.raises(BotFault, match="the id is not"):
        read_action(answer({}, number=True), 1, QUESTION)


# Why an action is not legal


def test_an_action_of_the_game_is_returned_as_its_type() -> None:
    action = {"type": "swap", "cards": [2, 1]}

    assert explain(action, Play | Swap) == Swap(cards=(2, 1))


@pytest.mark.parametrize(
    ("action", "text"),
    [
        ({"type": "resign"}, "Invalid value 'resign' - at `$.type`"),
        ({"type": "play", "card": 1.0, "up": True}, "Expected `int`, got `float` - at `$.card`"),
        ({"type": "play", "card": 1, "up": 1}, "Expected `bool`, got `int` - at `$.up`"),
        ({"type": "swap", "cards": [], "\x1b": 1}, r"Object contains unknown field `\x1b`"),
        ({"card": 1}, "Object missing required field `type`"),
    ],
    ids=str,
)
def test_what_is_no_action_of_the_game_gets_a_sentence(action: dict[str, Any], text: str) -> None:
    assert explain(action, Play | Swap) == f"not an action of this game: {text}"


@pytest.mark.parametrize("action", [{}, {"column": 0}, {"type": "alone"}], ids=str)
def test_what_decoding_would_fill_in_does_not_become_an_action(action: dict[str, Any]) -> None:
    """Else the referee would take a bot's mistake for one of the game, and void the match."""
    assert msgspec.convert(action, type=Alone) == Alone()

    assert explain(action, Alone) == ("not an action of this game: a field is missing, or needless")


def test_a_sentence_about_an_action_is_short_whatever_the_bot_wrote() -> None:
    sentence = explain({"type": "x" * 60_000}, Play | Swap)

    assert len(str(sentence)) <= len("not an action of this game: ") + ECHO


# Ready


def test_a_ready_is_read_with_all_its_fields() -> None:
    ready = read_ready(b'{"type":"ready","protocol":1,"name":"greedy","games":["tuck"]}\r')

    assert (ready.name, ready.version, ready.games, ready.legal_actions) == (
        "greedy",
        "",
        ("tuck",),
        True,
    )


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({}, "ready: Object missing required field `protocol`"),
        ({"protocol": 2}, "ready: protocol 2, this is 1"),
        ({"protocol": True}, "ready: Expected `int`, got `bool` - at `$.protocol`"),
        ({"protocol": 1.0}, "ready: Expected `int`, got `float` - at `$.protocol`"),
        ({"protocol": 1, "\x1b": 0}, r"ready: Object contains unknown field `\x1b`"),
        ({"protocol": 1, "games": [1]}, "ready: Expected `str`, got `int` - at `$.games[0]`"),
    ],
    ids=str,
)
def test_a_ready_that_is_none_is_a_bad_message(fields: dict[str, Any], text: str) -> None:
    with pytest.raises(BotFault) as caught:
        read_ready(json.dumps({"type": "ready", **fields}).encode())

    assert caught.value.text == text


@pytest.mark.parametrize("field", ["name", "version", "games"])
@pytest.mark.parametrize(("length", "accepted"), [(MAX_DECORATION, True), (257, False)])
def test_a_text_of_a_ready_has_at_most_256_characters(
    field: str, length: int, accepted: bool
) -> None:
    text = "🌰" * length
    fields = {"type": "ready", "protocol": 1, field: [text] if field == "games" else text}
    line = json.dumps(fields).encode()

    if accepted:
        assert text in json.dumps(msgspec.to_builtins(read_ready(line)), ensure_ascii=False)
    else:
        with pytest.raises(BotFault, match="a text is longer than 256 characters"):
            read_ready(line)


def test_the_text_of_a_refused_ready_is_short_whatever_the_bot_wrote() -> None:
    with pytest.raises(BotFault) as caught:
        read_ready(json.dumps({"type": "ready", "protocol": 1, "x" * 60_000: 1}).encode())

    assert len(caught.value.text) <= len("ready: ") + ECHO


# Objects


def test_an_object_is_read_as_json_has_it() -> None:
    line = ' {"a":[1,-1,0.5,1e3,true,null,"\\u00fc\\n","ü"],\t"b":{}} \r'.encode()

    assert parse_object(line) == {"a": [1, -1, 0.5, 1000.0, True, None, "ü\n", "ü"], "b": {}}


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (b"", "not JSON: ''"),
        (b"\xff", r"not UTF-8 at byte 0: '\xff'"),
        (b"\xef\xbb\xbf{}", r"not JSON: '\ufeff{}'"),
        (b"[]", "not a JSON object: '[]'"),
        (b"{}{}", "not JSON: '{}{}'"),
        (b'{"a":NaN}', "not JSON: NaN is no number: '{\"a\":NaN}'"),
        (b'{"a":-Infinity}', "not JSON: -Infinity is no number"),
        (b'{"a":1e400}', "not JSON: a number is too large"),
        (b'{"a":-1e400}', "not JSON: a number is too large"),
        (b'{"a":1,"a":1}', "not JSON: a key stands twice in one object"),
        (b'{"a":1,"\\u0061":1}', "not JSON: a key stands twice in one object"),
        (b'{"a":"\\ud800"}', 'a lone surrogate: \'{"a":"\\ud800"}\''),
        (b'{"\\udfff":1}', "a lone surrogate"),
    ],
    ids=str,
)
def test_a_line_that_two_readers_could_take_two_ways_is_refused(line: bytes, text: str) -> None:
    assert refusal(line).startswith(text)


@pytest.mark.parametrize("sign", ["", "-"])
def test_a_whole_number_has_at_most_63_bits(sign: str) -> None:
    assert parse_object(b'{"a":%b9223372036854775807}' % sign.encode())
    for digits in ("9223372036854775808", "1" * 20, "1" * 60_000):
        text = refusal(f'{{"a":{sign}{digits}}}'.encode())
        assert text.startswith("not JSON: a whole number is too large")


def test_a_line_has_at_most_64_kib() -> None:
    assert parse_object(b"{}".ljust(MAX_LINE_BYTES)) == {}
    assert refusal(b"{}".ljust(MAX_LINE_BYTES + 1)) == "a line is longer than 65536 bytes"


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_nesting_ends_at_64(opening: str, closing: str) -> None:
    def nested(depth: int) -> bytes:
        inner = depth - 2
        return f'{{"a":{opening * inner}[]{closing * inner}}}'.encode()

    assert parse_object(nested(MAX_NESTING))
    assert refusal(nested(MAX_NESTING + 1)) == "nested deeper than 64"


def test_many_brackets_side_by_side_do_not_nest() -> None:
    assert parse_object(b'{"a":[' + b"[]," * 100 + b"[]]}")


def test_brackets_in_strings_do_not_nest() -> None:
    assert parse_object(b'{"a":"' + b"[" * 100 + b'","b":"\\"' + b"{" * 100 + b'"}')


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(b"[" * MAX_LINE_BYTES, id="brackets"),
        pytest.param(b'"' + b'\\"' * 32_000 + b"[" * 100, id="a string that does not end"),
        pytest.param(b'{"a":' * 13_000, id="objects"),
        pytest.param(b'{"a":"' + b"\\u005b" * 10_000 + b'"', id="escapes"),
        pytest.param(b'{"a":' + b"9" * 65_000 + b"}", id="digits"),
        pytest.param(b'{"a":0.' + b"9" * 65_000 + b"e999}", id="decimals"),
        pytest.param(b'{"a":[' + b"{}," * 20_000, id="many"),
    ],
)
def test_no_line_takes_the_referee_long(line: bytes) -> None:
    began = time.process_time()

    assert is_bad(outcome(parse_object, line))
    assert time.process_time() - began < 0.5


def test_what_a_fault_shows_of_a_line_is_escaped_and_short() -> None:
    text = refusal(b"\x1b[31m" + b"x" * 60_000)

    assert "\x1b" not in text
    assert len(text) < 3 * ECHO


# Whatever a bot may write

keys = st.sampled_from(["type", "id", "action", "card", "up", "cards"])
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(["play", "swap", "card", "up", "cards"]),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text() | keys, inner, max_size=4)
    ),
    max_leaves=12,
)
near_actions = st.fixed_dictionaries(
    {"type": st.sampled_from(["play", "swap", "Play"])},
    optional={
        "card": st.sampled_from([0, 1, 1.0, True, "1", None]),
        "up": st.sampled_from([True, False, 1, 0, "true"]),
        "cards": st.lists(st.sampled_from([1, 2, 1.0, True]), max_size=2),
    },
)
near_answers = st.fixed_dictionaries(
    {"type": st.just("action"), "id": st.sampled_from([ID, ID - 1, str(ID), float(ID)])},
    optional={"action": near_actions | json_values, "x": st.none()},
)
lines = (
    st.binary()
    | json_values.map(lambda value: json.dumps(value).encode())
    | near_answers.map(lambda value: json.dumps(value).encode())
    | near_answers.map(lambda value: json.dumps(value, separators=(",", ":")).encode())
    | st.tuples(near_answers, st.binary(max_size=3), st.integers(0, 60)).map(
        lambda parts: spliced(json.dumps(parts[0]).encode(), parts[1], parts[2])
    )
)


def spliced(line: bytes, bytes_in: bytes, at: int) -> bytes:
    return line[:at] + bytes_in + line[at:]


@given(lines)
@example(b"[" * 30_000)
@example(b'{"a":"\\ud800"}')
@example(b'{"a":"\n","a\\')
def test_parsing_raises_nothing_but_faults(line: bytes) -> None:
    found = outcome(parse_object, line)

    assert is_bad(found) or (type(found) is dict and json.loads(line) == found)


@given(lines)
def test_whatever_is_accepted_equals_a_legal_action_by_exact_types(line: bytes) -> None:
    found = outcome(read_action, line, ID, QUESTION)
    if is_bad(found):
        return
    message = json.loads(line)
    legal = [same(json.loads(legal), message["action"]) for legal in QUESTION.actions]

    assert same(message["id"], ID)
    assert legal[found] if type(found) is int else not any(legal)


@given(near_actions)
def test_a_near_miss_is_never_taken_for_a_legal_action(action: dict[str, Any]) -> None:
    legal = [same(json.loads(legal), action) for legal in QUESTION.actions]
    found = outcome(read_action, answer(action), ID, QUESTION)

    assert legal[found] if type(found) is int else not any(legal)


def outcome(read: Callable[..., Any], *arguments: object) -> Any:
    """Return what ``read`` returns, or what it raises on purpose."""
    try:
        return read(*arguments)
    except (BotFault, NotLegal) as refusal:
        return refusal


def is_bad(found: object) -> bool:
    return isinstance(found, BotFault) and found.code is FaultCode.BAD_MESSAGE


def same(one: Any, other: Any) -> bool:
    """Tell whether two JSON values are equal with equal types."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


@given(lines)
def test_a_ready_raises_nothing_but_faults(line: bytes) -> None:
    found = outcome(read_ready, line)

    assert is_bad(found) or found.protocol == 1


@given(json_values)
def test_explaining_never_raises(action: Any) -> None:
    fields = action if isinstance(action, dict) else {"type": action}

    assert isinstance(explain(fields, Play | Swap), str | Play | Swap)


@example("\xa0".encode())
@given(st.binary(max_size=400))
def test_a_faults_text_can_be_sent_and_shown(line: bytes) -> None:
    found = outcome(parse_object, line)

    assert not is_bad(found) or (printable(found.text) == found.text and found.text.encode())
