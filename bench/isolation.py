"""What the sandbox costs: starting a bot in it, and asking a question in it.

    python bench/isolation.py [--starts 15] [--rounds 7] [--questions 2000] [--matches 15]

The tiers take turns within one run, on one core, and the medians are compared: a ratio holds where
single times would not. A question is answered by a bot that does nothing but answer, and by one
that reads what it is asked, as the smallest useful bot does. Without limits nothing is frozen
between questions, which shows what the sandbox costs by itself; with them bots are frozen, in all
tiers alike. The sample bots play whole matches as they are rated, frozen between questions: shown
is the time from the first decision to the last, the referee's work included.
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
from arena.bundled import sample_bots
from arena.games import get_game
from arena.games.deal import Deal
from arena.players.bundle import argv, unpack
from arena.players.process import BotProcess, Program, stop_all
from arena.players.sandbox import isolation
from arena.players.submission import read_bundle
from arena.players.tier import Tier
from arena.referee.limits import Limits
from arena.referee.play import play

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
PLAYERS = 2
PLAYED = (
    ("first_legal", "donburiko"),
    ("first_legal", "couperation"),
    ("greedy", "donburiko"),
    ("greedy", "couperation"),
)
"""Sample bots, and what each plays against itself."""


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


def laid_out(bot: str, folder: Path) -> Program:
    """Unpack the sample bot called ``bot`` in ``folder``, and return how it is started."""
    path = next(path for path in sample_bots() if path.stem == bot)
    bundle = read_bundle(path)
    unpack(bundle, folder / bot)
    return Program(tuple(argv(bundle.command, folder / bot)), folder / bot)


def decision_us(program: Program, game: str, matches: int) -> dict[Tier, list[float]]:
    """Return the microseconds a decision of each tier, a figure for each match; equal deals."""
    times: dict[Tier, list[float]] = {tier: [] for tier in TIERS}
    for number in range(matches):
        for tier in TIERS:
            bots = [BotProcess(program, Limits(), tier) for _ in range(PLAYERS)]
            came: list[float] = []

            def decided(*_: object, came: list[float] = came) -> None:
                came.append(time.perf_counter())

            deal = Deal(bytes(32), game, "standard", PLAYERS, number)
            play(get_game(game), deal, bots, Limits(), decided)
            stop_all(bots)
            times[tier].append((came[-1] - came[0]) * 1e6 / (len(came) - 1))
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
    parser.add_argument("--matches", type=int, default=15)
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
        for bot, game in PLAYED:
            program = laid_out(bot, Path(folder))
            report(f"decision, {bot}, {game}", "us", decision_us(program, game, options.matches))


if __name__ == "__main__":
    main()
