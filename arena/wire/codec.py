"""From bytes to messages and back: the border that everything a bot writes has to cross.

Only what passes here goes on, and what goes on is the referee's own encoding of it: the bytes
that a bot chose never reach another bot.
"""

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn

import msgspec

from arena.errors import BotFault, FaultCode
from arena.games.base import Public
from arena.wire.escape import printable
from arena.wire.messages import (
    MAX_DECORATION,
    MAX_LINE_BYTES,
    MAX_NESTING,
    PROTOCOL,
    Act,
    Ready,
    ToBot,
)

MAX_INTEGER = 2**63 - 1
ECHO = 120
"""How much of an offending line a fault's text shows, in characters."""

_encoder = msgspec.json.Encoder()
# A string, or what begins like one: it never gives a character back, so it takes linear time.
_STRING = re.compile(r'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)


def encode(message: ToBot) -> bytes:
    """Return ``message`` as the line that a bot receives, LF included."""
    return _encoder.encode(message) + b"\n"


def encode_value(value: object) -> bytes:
    """Return compact JSON of public values (observations, events, actions, record cards)."""
    return _encoder.encode(value)


@dataclass(frozen=True)
class Question:
    """What a seat is shown at a decision, encoded once and used for line, digest and answer."""

    observation: bytes
    events: bytes
    actions: tuple[bytes, ...]
    """JSON of every legal action, in the game's order."""

    @classmethod
    def of(
        cls, observation: Public, events: Sequence[Public], legal_actions: Sequence[Public]
    ) -> "Question":
        """Encode what a seat is to be shown."""
        return cls(
            observation=_encoder.encode(observation),
            events=_encoder.encode(events),
            actions=tuple(map(_encoder.encode, legal_actions)),
        )

    @cached_property
    def legal_actions(self) -> bytes:
        """JSON of the array of the legal actions."""
        return b"[" + b",".join(self.actions) + b"]"

    @cached_property
    def digest(self) -> str:
        """First 16 hex digits of SHA-256 over the JSON of [observation, events, legal_actions]."""
        text = b"[%b,%b,%b]" % (self.observation, self.events, self.legal_actions)
        return hashlib.sha256(text).hexdigest()[:16]

    def line(self, number: int, *, move_ms: int, extra_ms: int, offer: bool) -> bytes:
        """Return the line of the ``act`` message with id ``number``.

        Args:
            number: the unpredictable id.
            move_ms: time for this decision.
            extra_ms: what is left of the match's extra time.
            offer: whether the bot wants ``legal_actions``.
        """
        return encode(
            Act(
                id=number,
                observation=msgspec.Raw(self.observation),
                events=msgspec.Raw(self.events),
                legal_actions=msgspec.Raw(self.legal_actions) if offer else msgspec.UNSET,
                move_ms=move_ms,
                extra_ms=extra_ms,
            )
        )


class NotLegal(Exception):
    """A well-formed answer holds an action that is not legal; the referee finds out why."""

    def __init__(self, action: dict[str, Any]) -> None:
        super().__init__()
        self.action = action


def read_ready(line: bytes) -> Ready:
    """Return the ``ready`` message in ``line``.

    Raises:
        BotFault: ``bad_message``: the line is anything else.
    """
    fields = _message(line, "ready")
    try:
        ready = msgspec.convert({"type": "ready"} | fields, type=Ready)
    except msgspec.ValidationError as error:
        raise _bad(f"ready: {printable(str(error), ECHO)}", line) from None
    if ready.protocol != PROTOCOL:
        raise _bad(f"ready: protocol {ready.protocol}, this is {PROTOCOL}", line)
    for name in (ready.name, ready.version, *(ready.games or ())):
        if len(name) > MAX_DECORATION:
            raise _bad(f"ready: a text is longer than {MAX_DECORATION} characters", line)
    return ready


def read_action(line: bytes, number: int, question: Question) -> int:
    """Return which legal action of ``question`` the answer ``line`` holds, from 0.

    Raises:
        BotFault: ``bad_message``: no ``action`` message that repeats the id ``number``.
        NotLegal: its action equals none of the legal ones.
    """
    # What the SDKs write is compared byte for byte, which parses nothing and is exact.
    head = b'{"type":"action","id":%d,"action":' % number
    if line.startswith(head) and line.endswith(b"}"):
        try:
            return question.actions.index(line[len(head) : -1])
        except ValueError:
            pass  # spelt otherwise, or not legal
    fields = _message(line, "action")
    if unknown := fields.keys() - {"id", "action"}:
        raise _bad(f"action: unknown field {_shown(min(unknown))}", line)
    if type(fields.get("id")) is not int or fields["id"] != number:
        raise _bad("action: the id is not the one that was asked", line)
    action = fields.get("action")
    if type(action) is not dict:
        raise _bad("action: `action` is not an object", line)
    compact = json.dumps(action, ensure_ascii=False, separators=(",", ":")).encode()
    if compact in question.actions:
        # The only difference was white space; below, every legal action is spelt anew.
        return question.actions.index(compact)
    spelt = _canonical(action)
    for index, legal in enumerate(question.actions):
        if _canonical(json.loads(legal)) == spelt:
            return index
    raise NotLegal(action)


def explain(action: dict[str, Any], action_type: object) -> Public | str:
    """Return ``action`` as a value of the game's type, or one sentence why it is none."""
    try:
        value: Public = msgspec.convert(action, type=action_type)
    except msgspec.ValidationError as error:
        return f"not an action of this game: {printable(str(error), ECHO)}"
    if _canonical(msgspec.to_builtins(value)) != _canonical(action):
        # Decoding fills in what is missing; what was sent is still another value.
        return "not an action of this game: a field is missing, or needless"
    return value


def parse_object(line: bytes) -> dict[str, Any]:
    """Return the JSON object in a bot's line, refusing all that two readers could take two ways.

    A CR at the end is dropped. Refused are text that is not UTF-8, a byte order mark, anything
    but one object, duplicate keys, NaN and infinity (``1e999`` too), whole numbers past 64 bits,
    lone surrogates, and nesting over `MAX_NESTING`.

    Raises:
        BotFault: ``bad_message``, with the reason.
    """
    if len(line) > MAX_LINE_BYTES:
        raise _bad(f"a line is longer than {MAX_LINE_BYTES} bytes", line)
    try:
        text = line.removesuffix(b"\r").decode("utf-8")
    except UnicodeDecodeError as error:
        raise _bad(f"not UTF-8 at byte {error.start}: {_shown(line)}", line) from None
    # Only text with many brackets can nest deeply; most lines skip the count.
    if text.count("[") + text.count("{") > MAX_NESTING and _nesting(text) > MAX_NESTING:
        raise _bad(f"nested deeper than {MAX_NESTING}", line)
    try:
        value = json.loads(
            text,
            object_pairs_hook=_unique,
            parse_constant=_refuse_constant,
            parse_float=_finite,
            parse_int=_bounded,
        )
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise _bad(f"a lone surrogate: {_shown(line)}", line) from None
    except json.JSONDecodeError:
        # Not in the library's words, which differ between Pythons: records must not.
        raise _bad(f"not JSON: {_shown(line)}", line) from None
    except ValueError as error:
        raise _bad(f"not JSON: {error}: {_shown(line)}", line) from None
    if type(value) is not dict:
        raise _bad(f"not a JSON object: {_shown(line)}", line)
    return value


def _message(line: bytes, kind: str) -> dict[str, Any]:
    fields = parse_object(line)
    if fields.get("type") != kind:
        raise _bad(f"expected a message of type {kind!r}: {_shown(line)}", line)
    del fields["type"]
    return fields


def _nesting(text: str) -> int:
    depth = deepest = 0
    for sign in _STRING.sub("", text):
        if sign in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif sign in "]}":
            depth -= 1
    return deepest


def _canonical(value: object) -> str:
    # Exact types survive: true, 1, 1.0 and "1" are spelt differently.
    return json.dumps(value, sort_keys=True)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return fields


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def _finite(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError("a number is too large")
    return value


def _bounded(text: str) -> int:
    # The length first: Python refuses to parse thousands of digits, in its own words.
    if len(text) > len(str(MAX_INTEGER)) + 1 or abs(int(text)) > MAX_INTEGER:
        raise ValueError("a whole number is too large")
    return int(text)


def _shown(value: bytes | str) -> str:
    return f"'{printable(value, ECHO)}'"


def _bad(text: str, line: bytes) -> BotFault:
    return BotFault(FaultCode.BAD_MESSAGE, text, line)
