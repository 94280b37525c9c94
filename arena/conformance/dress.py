"""Lines as a later version of arena may write them: with more in them than a bot can know.

The specification has bots ignore all of it: unknown fields wherever they stand, unknown messages
and events, characters outside ASCII, lines of a few hundred KiB. Legal actions stay as they are,
because an answer has to equal one of them.
"""

import json
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

Dress = Callable[[bytes], tuple[bytes, ...]]
"""A line of the referee -> the lines that are sent in its place. The last one is the line itself,
which alone is answered."""

LONG_BYTES = 300_000
"""How much is added to a question to make a long one."""

_KEPT = "legal_actions"
_FIELD, _TEXT_FIELD, _LONG_FIELD = "x_later", "x_text", "x_long"
_WITH_EVENTS = frozenset({"act", "end"})
_ANYTHING: dict[str, Any] = {"text": "of a later version", "list": [1, None, True], "object": {}}
_TEXT = 'naïve 春 \U0001f0cf "quoted" \\ \x7f \u2028'


def plain(line: bytes) -> tuple[bytes, ...]:
    """Return ``line`` as it is."""
    return (line,)


def fields(line: bytes) -> tuple[bytes, ...]:
    """Add an unknown field to every object."""
    message = json.loads(line)
    kept = {name: message[name] for name in message if name == _KEPT}
    return (_line(_more(message) | kept),)


def _more(value: Any) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, list):
        return [_more(item) for item in value]
    if isinstance(value, dict):
        return {name: _more(item) for name, item in value.items()} | {_FIELD: _ANYTHING}
    return value


def messages(line: bytes) -> tuple[bytes, ...]:
    """Send a message of an unknown type before each one but the first."""
    if json.loads(line)["type"] == "hello":
        return (line,)
    return (_line({"type": _FIELD, "id": 1, "events": []}), line)


def events(line: bytes) -> tuple[bytes, ...]:
    """Add an event of an unknown type."""
    message = json.loads(line)
    if message["type"] not in _WITH_EVENTS:
        return (line,)
    return (_line(message | {"events": [{"type": _FIELD, "seat": 0}, *message["events"]]}),)


def text(line: bytes) -> tuple[bytes, ...]:
    """Add a text with characters outside ASCII, and with escapes."""
    return (_line(json.loads(line) | {_TEXT_FIELD: _TEXT}),)


def long(line: bytes) -> tuple[bytes, ...]:
    """Make a question longer than a pipe can hold, and than most buffers."""
    message = json.loads(line)
    if message["type"] != "act":
        return (line,)
    return (_line(message | {_LONG_FIELD: "x" * LONG_BYTES}),)


def everything(line: bytes) -> tuple[bytes, ...]:
    """Do all of it at once."""
    sent: tuple[bytes, ...] = (line,)
    for dress in DRESSES.values():
        sent = (*sent[:-1], *dress(sent[-1]))
    return sent


DRESSES: Mapping[str, Dress] = MappingProxyType(
    {
        "fields that it does not know": fields,
        "a message of a type that it does not know": messages,
        "an event of a type that it does not know": events,
        "text outside ASCII": text,
        f"a line of {LONG_BYTES // 1000} KB": long,
    }
)
"""Each way by what it brings. The last two come in a field that is not known, as the first does."""

BY_FIELD = frozenset({text, long})
"""Those that tell nothing of a bot that cannot bear an unknown field."""


def _line(message: dict[str, Any]) -> bytes:
    spelt = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
    return spelt.encode() + b"\n"
