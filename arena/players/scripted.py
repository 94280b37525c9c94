"""A player that is a function: for trials of a bot, and for tests of games and bots in process."""

from collections.abc import Callable
from typing import Any

import msgspec

from arena.games.deal import Stream
from arena.referee.player import Player

Choose = Callable[[dict[str, Any]], dict[str, Any]]
"""The fields of an ``act`` message -> the action."""


class Scripted(Player):
    """Answers every question by ``choose``; an `arena.referee.player.Player` without a process.

    ``heard`` keeps the lines that it was sent, oldest first.
    """

    def __init__(self, choose: Choose) -> None:
        self._choose = choose
        self.heard: list[bytes] = []

    def ask(self, line: bytes, budget_ms: int) -> bytes:  # noqa: ARG002 - it takes no time
        """Return the answer to ``line``."""
        self.heard.append(line)
        message = msgspec.json.decode(line)
        if message["type"] == "hello":
            return b'{"type":"ready","protocol":1}'
        answer = {"type": "action", "id": message["id"], "action": self._choose(message)}
        return msgspec.json.encode(answer)

    def tell(self, line: bytes) -> None:
        """Keep ``line``."""
        self.heard.append(line)

    def stop(self, grace_ms: int) -> None:
        """Do nothing: there is no process."""


def at_random(key: bytes) -> Choose:
    """Return a choice of any legal action, each as likely as the other, repeatable by ``key``."""
    stream = Stream(key, "scripted")

    def choose(message: dict[str, Any]) -> dict[str, Any]:
        legal: list[dict[str, Any]] = message["legal_actions"]
        return legal[stream.below(len(legal))]

    return choose
