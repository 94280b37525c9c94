"""What the sandbox costs: starting a bot in it, and asking a question in it.

    python bench/isolation.py [--starts 15] [--rounds 7] [--questions 2000]

The tiers take turns within one run, on one core, and the medians are compared: a ratio holds where
single times would not. A question is answered by a bot that does nothing but answer.
"""

import argparse
import os
import platform
import statistics
import sys
import tempfile
import time
from pathlib import Path

from arena import __version__
from arena.players.process import BotProcess, Program
from arena.players.sandbox import Tier, isolation
from arena.referee.limits import Limits

BOT = """\
import sys
write, flush = sys.stdout.buffer.write, sys.stdout.buffer.flush
for line in sys.stdin.buffer:
    write(b'{"type":"action","id":1,"action":{"type":"go"}}\\n')
    flush()
"""
LINE = b'{"type":"act","id":1,"observation":{},"events":[],"legal_actions":[{"type":"go"}]}\n'
TIERS = (Tier.NONE, Tier.BWRAP)


def started(program: Program, tier: Tier) -> tuple[BotProcess, float]:
    """Start the bot and return it with the milliseconds until its first answer."""
    began = time.perf_counter()
    bot = BotProcess(program, Limits(), tier)
    bot.ask(LINE, 10_000)
    return bot, (time.perf_counter() - began) * 1000


def start_ms(program: Program, starts: int) -> dict[Tier, list[float]]:
    """Return the start-up times of each tier, taken in turn."""
    times: dict[Tier, list[float]] = {tier: [] for tier in TIERS}
    for _ in range(starts):
        for tier in TIERS:
            bot, ms = started(program, tier)
            bot.stop(1000)
            times[tier].append(ms)
    return times


def question_us(program: Program, rounds: int, questions: int) -> dict[Tier, list[float]]:
    """Return the microseconds a question of each tier, a figure for each round."""
    times: dict[Tier, list[float]] = {tier: [] for tier in TIERS}
    bots = {tier: started(program, tier)[0] for tier in TIERS}
    for _ in range(rounds):
        for tier in TIERS:
            ask = bots[tier].ask
            began = time.perf_counter()
            for _ in range(questions):
                ask(LINE, 10_000)
            times[tier].append((time.perf_counter() - began) * 1e6 / questions)
    for bot in bots.values():
        bot.stop(1000)
    return times


def report(name: str, unit: str, times: dict[Tier, list[float]]) -> None:
    """Print the medians, their difference and their ratio."""
    plain, boxed = (statistics.median(times[tier]) for tier in TIERS)
    print(
        f"{name:9} none {plain:7.1f} {unit}   bwrap {boxed:7.1f} {unit}   "
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
        script = Path(folder, "bot.py")
        script.write_text(BOT, encoding="utf-8")
        Path(folder).chmod(0o755)
        program = Program((sys.executable, "-I", "-S", str(script)), Path(folder))
        report("start-up", "ms", start_ms(program, options.starts))
        report("question", "us", question_us(program, options.rounds, options.questions))


if __name__ == "__main__":
    main()
