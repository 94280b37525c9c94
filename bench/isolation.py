"""What the sandbox costs: starting a bot in it, and asking a question in it.

    python bench/isolation.py [--starts 15] [--rounds 7] [--questions 2000]

The tiers take turns within one run, on one core, and the medians are compared: a ratio holds where
single times would not. A question is answered by a bot that does nothing but answer, and by one
that reads what it is asked, as the smallest useful bot does. Without limits nothing is frozen
between questions, which shows what the sandbox costs by itself.
"""

import argparse
import json
import os
import platform
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from arena import __version__
from arena.players.process import BotProcess, Program
from arena.players.sandbox import Tier, isolation
from arena.referee.limits import Limits

ECHO = """\
import sys
write, flush = sys.stdout.buffer.write, sys.stdout.buffer.flush
for line in sys.stdin.buffer:
    write(b'{"type":"action","id":1,"action":{"type":"go"}}\\n')
    flush()
"""
READER = """\
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    answer = {"type": "action", "id": asked["id"], "action": asked["legal_actions"][0]}
    print(json.dumps(answer, separators=(",", ":")), flush=True)
"""
SHORT = b'{"type":"act","id":1,"observation":{},"events":[],"legal_actions":[{"type":"go"}]}\n'
TIERS = (Tier.NONE, Tier.BWRAP)


@dataclass(frozen=True)
class Asked:
    """A bot and what it is asked over and over."""

    name: str
    program: Program
    line: bytes
    limits: Limits | None


def long_question() -> bytes:
    """Return the longest question of the protocol's vectors."""
    vectors = Path(__file__).parents[1].joinpath("protocol/vectors/to_bot.jsonl").read_bytes()
    lines = [str(json.loads(vector).get("line", "{}")) for vector in vectors.splitlines()]
    questions = [line for line in lines if json.loads(line).get("type") == "act"]
    return max(questions, key=len).encode() + b"\n"


def started(asked: Asked, tier: Tier) -> tuple[BotProcess, float]:
    """Start the bot and return it with the milliseconds until its first answer."""
    began = time.perf_counter()
    bot = BotProcess(asked.program, asked.limits, tier)
    bot.ask(asked.line, 10_000)
    return bot, (time.perf_counter() - began) * 1000


def start_ms(asked: Asked, starts: int) -> dict[Tier, list[float]]:
    """Return the start-up times of each tier, taken in turn."""
    times: dict[Tier, list[float]] = {tier: [] for tier in TIERS}
    for _ in range(starts):
        for tier in TIERS:
            bot, ms = started(asked, tier)
            bot.stop(1000)
            times[tier].append(ms)
    return times


def question_us(asked: Asked, rounds: int, questions: int) -> dict[Tier, list[float]]:
    """Return the microseconds a question of each tier, a figure for each round."""
    times: dict[Tier, list[float]] = {tier: [] for tier in TIERS}
    bots = {tier: started(asked, tier)[0] for tier in TIERS}
    for _ in range(rounds):
        for tier in TIERS:
            ask = bots[tier].ask
            began = time.perf_counter()
            for _ in range(questions):
                ask(asked.line, 10_000)
            times[tier].append((time.perf_counter() - began) * 1e6 / questions)
    for bot in bots.values():
        bot.stop(1000)
    return times


def report(name: str, unit: str, times: dict[Tier, list[float]]) -> None:
    """Print the medians, their difference and their ratio."""
    plain, boxed = (statistics.median(times[tier]) for tier in TIERS)
    print(
        f"{name:34} none {plain:7.1f} {unit}   bwrap {boxed:7.1f} {unit}   "
        f"{boxed - plain:+7.1f} {unit}   ratio {boxed / plain:.3f}"
    )


def main() -> None:
    """Run both comparisons."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--starts", type=int, default=15)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--questions", type=int, default=2000)
    options = parser.parse_args()
    isolation(Tier.BWRAP)
    # One core for all, as a worker and its bots have it.
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    print(
        f"arena {__version__}, Python {platform.python_version()}, {platform.system()} "
        f"{platform.release()}, {os.cpu_count()} cores"
    )
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        programs = {}
        for name, text in (("echo", ECHO), ("reader", READER)):
            script = Path(folder, f"{name}.py")
            script.write_text(text, encoding="utf-8")
            programs[name] = Program((sys.executable, "-I", "-S", str(script)), Path(folder))
        question = long_question()
        cases = (
            Asked("question, echo, no limits", programs["echo"], SHORT, None),
            Asked("question, reader, no limits", programs["reader"], question, None),
            Asked("question, echo, frozen between", programs["echo"], SHORT, Limits()),
            Asked("question, reader, frozen between", programs["reader"], question, Limits()),
        )
        report("start-up", "ms", start_ms(cases[2], options.starts))
        for asked in cases:
            report(asked.name, "us", question_us(asked, options.rounds, options.questions))


if __name__ == "__main__":
    main()
