"""Whole tournaments: matches a second, with one worker and with two, and what the runner takes.

    python bench/tournament.py [--rounds 5] [--matches 24] [--tier bwrap]

Duels at Donburiko as users have them played: each seat a fresh process in a sandbox, held to its
limits and frozen between questions, each record stored before the next. Trivial bots are
``bots/first_legal.py``; the others use 2 ms of processor a decision besides. Beside it the trivial
ones, with processes that are kept for 8 deals.

Shown are, for each kind of bot and number of workers, matches a second; the runner's own processor
time as a share of the time in which the tournament was played (workers and bots have their own);
how much of the cores' time nobody used, which is all that could be won by starting the bots of the
next match meanwhile; and of a match what it takes outside of its questions, which is to start and
to end its bots, and what it takes for each turn.
"""

import argparse
import random
import resource
import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice, permutations
from pathlib import Path

import msgspec

from arena.bundled import python_sdk
from arena.games import get_game
from arena.players.bundle import Bundle, bundle_of
from arena.players.files import PLAIN, File
from arena.players.manifest import manifest_file
from arena.players.sandbox import isolation
from arena.players.tier import Tier
from arena.referee.category import Category, Mode
from arena.referee.fixture import Fixture
from arena.referee.limits import Limits
from arena.referee.record import MatchRecord
from arena.store.db import open_store
from arena.store.tournaments import Tournament, add_tournament
from arena.tournament.runner import Stop, run
from bench.measuring import machine

CATEGORY = Category("donburiko", "standard", Mode.TABLE, 2)
ID = "bench-00000000"
TARGETS = {"runner": 0.05, "two workers": 1.8}
"""The runner's share of the time at most, and how many times the matches of one at least."""

TRIVIAL = """\
from arena_bot import run

run("first", lambda _observation, legal_actions: legal_actions[0])
"""
BUSY = """\
import time

from arena_bot import run


def choose(_observation, legal_actions):
    until = time.process_time_ns() + 2_000_000
    while time.process_time_ns() < until:
        pass
    return legal_actions[0]


run("busy", choose)
"""


@dataclass(slots=True)
class Row:
    """One way to play a tournament, and what came of it; a figure for each round."""

    name: str
    bot: str
    """Its source."""

    jobs: int
    matches: int
    keep: int = 1
    """For how many deals processes are kept."""

    speeds: list[float] = field(default_factory=list)
    """Matches a second."""

    shares: list[float] = field(default_factory=list)
    """The runner's processor time, of the time that passed."""

    idle: list[float] = field(default_factory=list)
    """The cores' time that was left, of what the workers had."""

    records: list[MatchRecord] = field(default_factory=list)


class Quiet:
    """Keeps records, and reports nothing."""

    def __init__(self) -> None:
        self.records: list[MatchRecord] = []

    def played(self, record: MatchRecord, done: int, total: int) -> None:  # noqa: ARG002
        """Keep the record."""
        self.records.append(record)

    def remark(self, text: str) -> None:
        """Stop: nothing is to go wrong."""
        raise SystemExit(text)


def bundle(source: str, name: str) -> Bundle:
    """Return a bot of one file, with the SDK beside it."""
    files = [
        File("bot.py", PLAIN, source.encode()),
        File("arena_bot.py", PLAIN, python_sdk().read_bytes()),
        manifest_file(("python", "bot.py")),
    ]
    return bundle_of(files, name)


def fixtures(bots: Sequence[str], matches: int) -> list[Fixture]:
    """Return so many duels, on ever new deals, in all rotations."""
    tables = [
        Fixture(CATEGORY, deal, table) for deal in range(matches) for table in permutations(bots, 2)
    ]
    return list(islice(tables, matches))


def play(row: Row, tier: Tier, number: int) -> None:
    """Play a tournament in a home of its own, and add to ``row`` what it took."""
    bots = ("one", "other")
    made = Tournament(
        id=ID,
        name="bench",
        created="2026-01-01T00:00:00Z",
        parameters={
            "rules_versions": {CATEGORY.game: get_game(CATEGORY.game).rules_version},
            "limits": msgspec.to_builtins(Limits()),
            "tier": tier.value,
            "keep_alive": row.keep,
        },
        suite="bench",
        key=random.Random(number).randbytes(32),  # noqa: S311 - other deals, and no secret
        unrated=("the key is published",),
    )
    report = Quiet()
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        open_store(Path(folder)) as store,
    ):
        Path(folder).chmod(0o755)
        entries = [(bot, bundle(row.bot, bot)) for bot in bots]
        add_tournament(store, made, entries, fixtures(bots, row.matches))
        began, own_began, below_began = time.perf_counter(), time.process_time(), below_s()
        run(store, ID, row.jobs, report, Stop())
        wall_s, own_s = time.perf_counter() - began, time.process_time() - own_began
    if any(record.faults for record in report.records):
        raise SystemExit(f"{row.name}: a bot was at fault")
    row.speeds.append(row.matches / wall_s)
    row.shares.append(own_s / wall_s)
    row.idle.append(1 - (own_s + below_s() - below_began) / (wall_s * row.jobs))
    row.records += report.records


def below_s() -> float:
    """Return the processor time of all processes below this one that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def report(rows: Sequence[Row]) -> None:
    """Print a line for each way to play, and how much more two workers do."""
    for row in rows:
        asked_ms = [sum(record.measured.action_ms) for record in row.records]
        turns = [len(record.actions) for record in row.records]
        start_ms = statistics.median(
            record.measured.ms - ms for record, ms in zip(row.records, asked_ms, strict=True)
        )
        turn_us = statistics.median(ms * 1000 / n for ms, n in zip(asked_ms, turns, strict=True))
        print(
            f"  {row.name:8} -j {row.jobs} {statistics.median(row.speeds):8.1f} matches/s   runner "
            f"{statistics.median(row.shares):6.1%} (target under {TARGETS['runner']:.0%})   idle "
            f"{statistics.median(row.idle):5.1%}   "
            f"a match: {start_ms:5.0f} ms, and {turn_us:6.0f} us for each of "
            f"{statistics.mean(turns):.0f} turns"
        )
    for one in (row for row in rows if row.jobs == 1):
        for other in (row for row in rows if row.name == one.name and row.jobs > 1):
            times = zip(other.speeds, one.speeds, strict=True)
            ratio = statistics.median(many / single for many, single in times)
            print(
                f"  {one.name:8} -j {other.jobs} does {ratio:.2f} times what -j 1 does "
                f"(target {TARGETS['two workers']})"
            )


def main() -> None:
    """Play the tournaments in turn, and compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--matches", type=int, default=24, help="of each tournament")
    parser.add_argument("--tier", type=Tier, default=Tier.BWRAP, choices=list(Tier))
    options = parser.parse_args()
    isolation(options.tier)
    print(machine())
    rows = [
        Row(name, source, jobs, options.matches)
        for name, source in (("trivial", TRIVIAL), ("busy", BUSY))
        for jobs in (1, 2)
    ]
    rows += [Row("kept", TRIVIAL, jobs, options.matches, keep=8) for jobs in (1, 2)]
    for number in range(options.rounds):
        for row in rows:
            play(row, options.tier, number)
    report(rows)


if __name__ == "__main__":
    main()
