"""From bytes to messages and back: the border that everything a bot writes has to cross.

Only what passes here goes on, and what goes on is the referee's own encoding of it: the bytes
that a bot chose never reach another bot.
"""

import hashlib
import json
import re
from collections.abc import Sequence
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
    Ready,
    ToBot,
)

MAX_INTEGER = 2**63 - 1
ECHO = 120
"""How much of an offending line a fault's text shows, in characters."""

_encoder = msgspec.json.Encoder()
_sha256 = hashlib.sha256
_ACT = b'{"type":"act","id":%d,"observation":%b,"events":%b%b,"move_ms":%d,"extra_ms":%d}\n'
# A string, or what begins like one: it never gives a character back, so it takes linear time.
_STRING = re.compile(r'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)


def encode(message: ToBot) -> bytes:
    """Return ``message`` as the line that a bot receives, LF included."""
    return _encoder.encode(message) + b"\n"


def encode_value(value: object) -> bytes:
    """Return compact JSON of public values (observations, events, actions, record cards)."""
    return _encoder.encode(value)


class Question:
    """What a seat is shown at a decision, encoded once and used for line, digest and answer."""

    __slots__ = ("_legal", "events", "legal_actions", "observation")

    def __init__(
        self,
        observation: Public | msgspec.Raw,
        events: Sequence[Public],
        legal_actions: Sequence[Public | msgspec.Raw],
    ) -> None:
        """Encode what a seat is to be shown; what is raw is compact JSON already."""
        self.observation = _encoder.encode(observation)
        self.events = _encoder.encode(events)
        self.legal_actions = _encoder.encode(legal_actions)
        self._legal = legal_actions

    @property
    def actions(self) -> tuple[bytes, ...]:
        """JSON of every legal action, in the game's order."""
        return tuple(map(_encoder.encode, self._legal))

    @property
    def digest(self) -> str:
        """First 16 hex digits of SHA-256 over the JSON of [observation, events, legal_actions]."""
        text = b"[%b,%b,%b]" % (self.observation, self.events, self.legal_actions)
        return _sha256(text, usedforsecurity=False).hexdigest()[:16]

    def line(self, number: int, *, move_ms: int, extra_ms: int, offer: bool) -> bytes:
        """Return the line of the ``act`` message with id ``number``.

        Args:
            number: the unpredictable id.
            move_ms: time for this decision.
            extra_ms: what is left of the match's extra time.
            offer: whether the bot wants ``legal_actions``.
        """
        # As `encode` would spell an `Act`, without encoding once more what is encoded already.
        return _ACT % (
            number,
            self.observation,
            self.events,
            b',"legal_actions":' + self.legal_actions if offer else b"",
            move_ms,
            extra_ms,
        )

    def find(self, spelt: bytes) -> int:
        """Return which legal action is ``spelt`` so, to the byte, from 0; -1 if none is."""
        at = self.legal_actions.find(spelt)
        if at < 0:
            return -1
        # Actions seldom hold objects, so that before each but the first this stands once.
        index = self.legal_actions.count(b"},{", 0, at + 1)
        if index < len(self._legal) and _encoder.encode(self._legal[index]) == spelt:
            return index
        actions = self.actions
        return actions.index(spelt) if spelt in actions else -1


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
        index = question.find(line[len(head) : -1])
        if index >= 0:
            return index
        # It is spelt otherwise, or not legal.
    fields = _message(line, "action")
    if unknown := fields.keys() - {"id", "action"}:
        raise _bad(f"action: unknown field {_shown(min(unknown))}", line)
    if type(fields.get("id")) is not int or fields["id"] != number:
        raise _bad("action: the id is not the one that was asked", line)
    action = fields.get("action")
    if type(action) is not dict:
        raise _bad("action: `action` is not an object", line)
    compact = json.dumps(action, ensure_ascii=False, separators=(",", ":")).encode()
    index = question.find(compact)
    if index >= 0:
        # The only difference was white space; below, every legal action is spelt anew.
        return index
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
