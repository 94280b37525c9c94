"""Everything that a bot for arena needs, in one file: Python 3.9 or later, standard library alone.

A whole bot::

    from arena_bot import run

    run("first-legal", lambda observation, legal_actions: legal_actions[0])

A bot that wants dice, a clock, the events or a memory derives from `Bot` instead::

    from arena_bot import Action, Bot, Turn

    class RandomLegal(Bot):
        name = "random-legal"

        def choose(self, turn: Turn) -> Action:
            return turn.rng.choice(turn.legal_actions)

    RandomLegal().run()

Standard output belongs to the protocol. While a bot runs, its own `print` goes to standard error,
which arena keeps as the bot's log.
"""

from __future__ import annotations

import json
import os
import sys
import time

# Imports of `typing`, `random` and `dataclasses` together would double the time to start, so the
# first is for type checkers alone, the second waits until it is used, the third is done without.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from random import Random
    from typing import Any

    Observation = dict[str, Any]
    Action = dict[str, Any]
    Event = dict[str, Any]
else:
    Observation = Action = Event = dict

__all__ = ["Action", "Bot", "Event", "Match", "Observation", "Result", "Turn", "run"]

PROTOCOL = 1
_BUFFER = 1 << 16

# Compact, and never NaN or Infinity, which are not JSON.
_encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


class Match:
    """What a bot is told of the match that begins. It names no rival, deal or match."""

    __slots__ = ("_rng", "extra_ms", "game", "move_ms", "players", "seat", "seed", "variant")

    def __init__(self, message: dict[str, Any]) -> None:
        self.game: str = message["game"]
        self.variant: str = message["variant"]
        self.players: int = message["players"]
        self.seat: int = message["seat"]
        """The bot's own seat, from 0."""
        self.seed: int = message["seed"]
        """Below 2^53; the same when the match is repeated. It says nothing about the cards."""
        self.move_ms: int = message.get("move_ms", 0)
        """Wall time for each decision."""
        self.extra_ms: int = message.get("extra_ms", 0)
        """Wall time for the whole match, to be used where a decision takes longer."""
        self._rng: Random | None = None

    @property
    def rng(self) -> Random:
        """The bot's dice for this match, seeded from `seed` so that a match can be repeated."""
        if self._rng is None:
            from random import Random  # noqa: PLC0415  # 2 ms, for bots that use dice alone

            self._rng = Random(self.seed)  # noqa: S311  # dice, not keys
        return self._rng


class Turn:
    """One decision: what the seat knows and what it may do."""

    __slots__ = ("_asked", "events", "extra_ms", "legal_actions", "match", "move_ms", "observation")

    def __init__(self, message: dict[str, Any], match: Match, asked: float) -> None:
        self.observation: Observation = message["observation"]
        """The table as it is now, complete."""
        self.events: list[Event] = message.get("events", [])
        """What happened since this bot was last asked, its own action included, oldest first."""
        self.legal_actions: list[Action] = message.get("legal_actions", [])
        """Every legal action once; empty for a bot that did not want them."""
        self.move_ms: int = message.get("move_ms", match.move_ms)
        """Wall time for this decision."""
        self.extra_ms: int = message.get("extra_ms", 0)
        """What is left of the match's extra time."""
        self.match = match
        self._asked = asked

    @property
    def game(self) -> str:
        """Name of the game, such as ``"donburiko"``."""
        return self.match.game

    @property
    def variant(self) -> str:
        """Variant of the game, such as ``"standard"``."""
        return self.match.variant

    @property
    def players(self) -> int:
        """Number of seats at the table."""
        return self.match.players

    @property
    def seat(self) -> int:
        """The bot's own seat, from 0."""
        return self.match.seat

    @property
    def rng(self) -> Random:
        """The bot's dice for this match; see `Match.rng`."""
        return self.match.rng

    def elapsed_ms(self) -> float:
        """Return how long ago the question was read, in milliseconds."""
        return (time.monotonic() - self._asked) * 1000


class Result:
    """How the match ended."""

    __slots__ = ("events", "match", "ranks", "reason", "scores")

    def __init__(self, message: dict[str, Any], match: Match) -> None:
        self.events: list[Event] = message.get("events", [])
        """What happened since this bot was last asked."""
        self.scores: list[int] = message.get("scores", [])
        """Points by seat."""
        self.ranks: list[int] = message.get("ranks", [])
        """Places by seat, 1 best; ties share a place and the next is skipped (1, 1, 3)."""
        self.reason: str = message.get("reason", "")
        """Why the match is over, such as ``"finished"``."""
        self.match = match


class Bot:
    """Base of bots that are more than one function: override `choose`, then call `run`.

    An instance serves one seat. It may be asked to play several matches, one after the other, so
    whatever it remembers of a match belongs into `start`.
    """

    name: str = ""
    """Shown in logs alone; a class without one goes by the name of the class."""

    version: str = ""
    games: Sequence[str] | None = None
    """Names of the games that the bot plays; ``None`` for all."""

    legal_actions: bool = True
    """Whether `Turn.legal_actions` is wanted; without it the lines to read are much shorter."""

    limits: dict[str, int] | None = None
    """What the bot is held to, by name, as in ``limits["memory_mb"]``, once `start` is called.

    ``None``: limits are off.
    """

    def start(self, match: Match) -> None:
        """Prepare for ``match``; the time it takes counts towards the first decision."""

    def choose(self, turn: Turn) -> Action:
        """Return one of the legal actions of ``turn``."""
        raise NotImplementedError(f"{type(self).__name__} has no choose")

    def end(self, result: Result) -> None:
        """Take note of how the match ended."""

    def run(self) -> None:
        """Play over standard input and output until told to quit, or until the input ends.

        Whatever the bot raises passes through, so that Python prints a traceback to standard
        error and exits with status 1.
        """
        lines, send = _take_over_stdio()
        _converse(self, lines, send)


def run(
    name: str,
    choose: Callable[[Observation, list[Action]], Action],
    *,
    version: str = "",
    games: Sequence[str] | None = None,
    legal_actions: bool = True,
) -> None:
    """Play with ``choose`` until told to quit, or until the input ends.

    Args:
        name: shown in logs alone.
        choose: (observation, legal actions) -> one of the legal actions.
        version: shown in logs alone.
        games: names of the games that the bot plays; ``None`` for all.
        legal_actions: whether ``choose`` wants them; if not, it is given an empty list.
    """
    bot = _OneFunction(choose)
    bot.name, bot.version, bot.games, bot.legal_actions = name, version, games, legal_actions
    bot.run()


class _OneFunction(Bot):
    def __init__(self, function: Callable[[Observation, list[Action]], Action]) -> None:
        self._function = function

    def choose(self, turn: Turn) -> Action:
        return self._function(turn.observation, turn.legal_actions)


def _converse(bot: Bot, lines: Iterable[bytes], send: Callable[[bytes], None]) -> None:
    """Answer ``lines`` for ``bot``; types and fields that are not known here are passed over."""
    match: Match | None = None
    for line in lines:
        asked = time.monotonic()
        message = json.loads(line)
        kind = message.get("type")
        if kind == "act" and match is not None:
            action = bot.choose(Turn(message, match, asked))
            if not isinstance(action, dict):
                raise TypeError(f"choose returned {action!r}, not an action")
            send(_line({"type": "action", "id": message["id"], "action": action}))
        elif kind == "hello":
            bot.limits = message.get("limits")
            send(_line(_ready(bot)))
        elif kind == "start":
            match = Match(message)
            bot.start(match)
        elif kind == "end" and match is not None:
            bot.end(Result(message, match))
        elif kind == "error":
            # The seat is closed by now; the log is where the author will look.
            print(f"arena: {message.get('code')}: {message.get('message')}", file=sys.stderr)
        elif kind == "quit":
            return


def _ready(bot: Bot) -> dict[str, Any]:
    ready: dict[str, Any] = {
        "type": "ready",
        "protocol": PROTOCOL,
        "name": bot.name or type(bot).__name__,
    }
    if bot.version:
        ready["version"] = bot.version
    if bot.games is not None:
        ready["games"] = list(bot.games)
    if not bot.legal_actions:
        ready["legal_actions"] = False
    return ready


def _line(message: dict[str, Any]) -> bytes:
    return _encode(message).encode("ascii") + b"\n"


def _take_over_stdio() -> tuple[Iterable[bytes], Callable[[bytes], None]]:
    """Move the protocol to private descriptors, out of reach of the bot and its child processes.

    From here on descriptor 1 is standard error, so that a stray print becomes a line of the log
    instead of a fault, and descriptor 0 is empty, so that no child swallows a question.
    """
    questions, answers = os.dup(0), os.dup(1)
    os.dup2(2, 1)
    sys.stdout.flush()
    sys.stdout = sys.stderr  # written line by line: a killed bot's last words are not lost
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return _lines(questions), lambda line: _write(answers, line)


def _lines(descriptor: int) -> Iterable[bytes]:
    """Yield whole lines, however long; half a line before the end of the input is none."""
    with open(descriptor, "rb", buffering=_BUFFER) as stream:
        for line in stream:
            if line.endswith(b"\n") and not line.isspace():
                yield line


def _write(descriptor: int, line: bytes) -> None:
    """Write ``line`` past all buffers, in one piece unless the pipe is short of room."""
    while line:
        line = line[os.write(descriptor, line) :]
