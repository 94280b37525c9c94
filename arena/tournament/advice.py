"""What the author of a bot at fault can do about it.

A fault's own text says what happened. It is part of the record and is sent to the bot, so it is
short and the same everywhere; what is said here depends on the machine, and goes to people alone.
"""

import re
import sys
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from arena.errors import FaultCode
from arena.games import games
from arena.referee.limits import Limits
from arena.wire.escape import printable

_RULE = re.compile(r"(R\d+[a-z]?): ")
_MISSING = re.compile(r"(?:No module named|Cannot find module) '([^'\n]{1,80})'")
_ECHO = 40


class _Row(NamedTuple):
    code: FaultCode
    text: str
    """Regular expression for the beginning of the fault's text."""

    advice: str
    """With limits by their names in braces."""


_START, _TIMEOUT = FaultCode.START_FAILED, FaultCode.TIMEOUT
_SPOILT = r"not JSON|not UTF-8|a line is longer"
_LINE = "end each message with a line feed, and flush"
_STDOUT = "standard output is for messages alone: write debug text to standard error"
_TOML = "[limits] in an arena.toml sets it"
_TABLE = (
    _Row(_START, r".*Exec format error", "no #! line, or a program for another kind of machine?"),
    _Row(_START, r".*began one and did not end it", _LINE),
    _Row(
        _START,
        r".*in time",
        "it has {start_ms} ms to start: --start-ms, or start_ms in an arena.toml",
    ),
    _Row(
        _START, r"exited with status 0$", "it ended without an answer to `hello`: is run() called?"
    ),
    _Row(_START, _SPOILT, _STDOUT),
    _Row(_TIMEOUT, r".*began one and did not end it", _LINE),
    _Row(
        _TIMEOUT,
        "",
        "a decision may take {move_ms} ms: --move-ms, or move_ms in an arena.toml, sets it",
    ),
    _Row(FaultCode.EXITED, r"exited with status 0$", "a bot reads on until it is told to `quit`"),
    _Row(FaultCode.EXITED, r".* at its limit of ", _TOML),
    _Row(FaultCode.OUT_OF_MEMORY, "", _TOML),
    _Row(FaultCode.BAD_MESSAGE, _SPOILT, _STDOUT),
    _Row(FaultCode.BAD_MESSAGE, r"action: the id", "an answer repeats the `id` of its question"),
    _Row(
        FaultCode.ILLEGAL_ACTION,
        r"not ",
        "answer with one of `legal_actions`, as it is spelt there",
    ),
)


def advice(
    code: str,
    text: str,
    limits: Limits | None,
    *,
    game: str = "",
    wrote: str = "",
    log: str = "",
) -> str:
    """Return what to do about a fault, in a few words; empty where its text says it all.

    Args:
        code: of the fault; ``start_failed`` for all that came before ``ready``.
        text: of the fault.
        limits: what the bot was held to; ``None`` where limits were off.
        game: name of the game that was played, if one was.
        wrote: what broke the protocol, as far as it is known.
        log: what the bot wrote to standard error.
    """
    if code == FaultCode.ILLEGAL_ACTION and (rule := _RULE.match(text)):
        page = rules_page(game)
        return f"{rule[1]} is in {page}" if page else ""
    if code in {_START, FaultCode.EXITED} and (missing := missing_module(log)):
        return f"if {printable(missing, _ECHO)} is a file of yours, submit a folder with both in it"
    held = msgspec.to_builtins(limits or Limits())
    for row in _TABLE:
        if row.code == code and re.match(row.text, text):
            # A message that was begun is no debug text.
            meant = row.advice is _STDOUT and wrote.lstrip().startswith("{")
            return "" if meant else row.advice.format_map(held)
    return ""


def missing_module(log: str) -> str:
    """Return the module that a bot lacks, by the end of its ``log``; empty if it lacks none."""
    found = _MISSING.findall(log[-2000:])
    return str(found[-1]) if found else ""


def only(names: tuple[str, ...]) -> str:
    """Return how a bot says that it plays the games ``names`` and no others."""
    spelt = ", ".join(f'"{name}"' for name in names)
    return (
        f"if it plays {' and '.join(names)} alone, say so: `games` in its ready, or "
        f"run(..., games=[{spelt}])"
    )


def rules_page(game: str) -> str:
    """Return where the rules of ``game`` lie; empty if that is not known."""
    known = games().get(game)
    file = getattr(sys.modules.get(known.apply.__module__), "__file__", None) if known else None
    page = Path(file).with_name("RULES.md") if file else None
    if page is None or not page.is_file():
        return ""
    with suppress(OSError, ValueError):  # no current folder, or it is not below it
        page = page.relative_to(Path.cwd())
    return printable(str(page))
