"""A bot that does one of the things that the tests of all SDKs look at: `probe.py MODE [FILE]`."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from arena_bot import Bot, Match, Record, Result, Turn, answers, couperation, donburiko, run


def say(**fields: object) -> None:
    """Write a line to the log."""
    sys.stderr.write(json.dumps(fields, separators=(",", ":")) + "\n")


def plain(values: "list[Any]") -> "list[Any]":
    return [value.plain() for value in values]


class Echo(Bot):
    """Says all that it is told, typed and as it came."""

    def start(self, match: Match) -> None:
        say(
            type="start",
            game=match.game,
            variant=match.variant,
            players=match.players,
            seat=match.seat,
            seed=match.seed,
            move_ms=match.move_ms,
            extra_ms=match.extra_ms,
            memory_mb=self.limits and self.limits["memory_mb"],
        )

    def choose(self, turn: Turn) -> "dict[str, Any] | Record":
        game = donburiko if "bank" in turn.observation else couperation
        typed = game.legal_actions(turn.legal_actions)
        say(
            type="act",
            observation=turn.observation,
            events=turn.events,
            legal_actions=turn.legal_actions,
            move_ms=turn.move_ms,
            extra_ms=turn.extra_ms,
            typed=[
                game.observation(turn.observation).plain(),
                plain(game.events(turn.events)),
                plain(typed),
            ],
            fine=turn.seat == turn.match.seat and 0 <= turn.elapsed_ms() < 20_000,
        )
        return typed[-1] if typed else {"seat": turn.observation["seat"]}

    def end(self, result: Result) -> None:
        say(
            type="end",
            events=result.events,
            scores=result.scores,
            ranks=result.ranks,
            reason=result.reason,
        )


class Dice(Bot):
    def choose(self, turn: Turn) -> "dict[str, Any]":
        return turn.rng.choice(turn.legal_actions)


def throw(_table: object, _legal: object) -> "dict[str, Any]":
    raise ValueError("lost my way")


def stray(_table: object, legal: "list[dict[str, Any]]") -> "dict[str, Any]":
    print("thinking")  # noqa: T201 - that is the point
    return legal[0]


def nothing(_table: object, _legal: object) -> "dict[str, Any]":
    return None  # type: ignore[return-value]


def tried(file: str) -> None:
    lines = Path(file).read_text("utf-8").split("\n")[:-1]
    for action in answers(lambda _, legal: legal[-1], lines):
        sys.stdout.write(json.dumps(action, separators=(",", ":")) + "\n")


MODES: "dict[str, Callable[..., None]]" = {
    "echo": lambda: Echo().run(),
    "dice": lambda: Dice().run(),
    "first": lambda: run(
        "first-legal", lambda _, legal: legal[0], version="2.1", games=["donburiko"]
    ),
    "deaf": lambda: run("deaf", lambda _, legal: {"column": len(legal)}, legal_actions=False),
    "throw": lambda: run("thrower", throw),
    "nothing": lambda: run("nothing", nothing),
    "long": lambda: run("long", lambda _, __: {"type": "x" * 70_000}),
    "nan": lambda: run("nan", lambda _, __: {"column": float("nan")}),
    "stray": lambda: run("stray", stray),
    "answers": tried,
}

MODES[sys.argv[1]](*sys.argv[2:])
