"""How long `arena leaderboard` takes: at first, from what was kept, and after some more matches.

    python bench/leaderboard.py [--sizes 1000,10000] [--large] [--more 100] [--bots 12]

A home is made for each size, with the records of one category: tables of four at Donburiko, each
deal in all rotations. The records are of the usual size and can be decoded; who comes first follows
from skills and luck. Each command runs in a process of its own, as users run it: shown are the time
until it has ended, the processor time in it, the peak of its memory, and by which power of the
number n of matches the last two have grown since the size before, beyond those of ``start-up``,
which is a command that does nothing.
"""

import argparse
import math
import os
import platform
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import msgspec

from arena import __version__
from arena.games import get_game
from arena.games.base import standing
from arena.games.deal import Deal
from arena.players.bundle import bundle_of
from arena.players.files import PLAIN, File
from arena.players.manifest import manifest_file
from arena.players.scripted import Scripted, at_random
from arena.referee.category import Category, Mode
from arena.referee.fixture import Fixture
from arena.referee.limits import Limits
from arena.referee.play import play
from arena.referee.record import MatchRecord, Measured, SeatRecord, encode_record
from arena.store.db import Store, open_store
from arena.store.matches import add_matches
from arena.store.tournaments import Tournament, add_tournament

CATEGORY = Category("donburiko", "standard", Mode.TABLE, 4)
KEY = bytes(32)
ID = "bench-00000000"
LARGE = 100_000
BATCH = 500
REPEATS = 5
COMMAND = (sys.executable, "-c", "from arena.cli.app import main; main()")


@dataclass(frozen=True)
class Run:
    """What one command took."""

    seconds: float
    cpu_s: float
    megabytes: float


def template() -> MatchRecord:
    """Return the record of a match that was played at random."""
    seats = [Scripted(at_random(bytes([seat]))) for seat in range(CATEGORY.players)]
    deal = Deal(KEY, CATEGORY.game, CATEGORY.variant, CATEGORY.players, 0)
    played = play(get_game(CATEGORY.game), deal, seats, Limits())
    return MatchRecord(
        record=1,
        arena=__version__,
        match="",
        tournament=ID,
        game=CATEGORY.game,
        variant=CATEGORY.variant,
        rules_version=1,
        players=CATEGORY.players,
        mode=CATEGORY.mode.value,
        suite="bench",
        deal=0,
        seats=(),
        cards=played.cards,
        actions=played.actions,
        faults=(),
        scores=played.outcome.scores,
        ranks=played.outcome.ranks,
        reason=played.outcome.reason,
        limits=Limits(),
        tier="none",
        rated=False,
        measured=Measured(
            started="2026-01-01T00:00:00Z",
            ms=20.0,
            action_ms=tuple(round(0.1 + ms, 3) for ms in played.action_ms),
            cpu_ms=(1.0,) * CATEGORY.players,
            attempt=1,
            stderr=("",) * CATEGORY.players,
        ),
    )


def fixtures(bots: Sequence[str], dice: random.Random) -> Iterator[Fixture]:
    """Yield tables of four on ever new deals, each in all rotations."""
    deal = 0
    while True:
        table = dice.sample(bots, CATEGORY.players)
        for turn in range(CATEGORY.players):
            yield Fixture(CATEGORY, deal, (*table[turn:], *table[:turn]))
        deal += 1


def records(listed: Sequence[Fixture], bots: Sequence[str], dice: random.Random) -> Iterator[bytes]:
    """Yield a record for each of ``listed``; the later a bot's name, the better it plays."""
    made = template()
    for fixture in listed:
        points = [round(bots.index(bot) + dice.gauss(20, 6)) for bot in fixture.bots]
        record = msgspec.structs.replace(
            made,
            match=fixture.match,
            deal=fixture.deal,
            seats=tuple(SeatRecord(bot=bot, digest="sha256:0") for bot in fixture.bots),
            scores=tuple(points),
            ranks=standing(points),
        )
        yield encode_record(record)


def add(store: Store, lines: Iterator[bytes]) -> None:
    """Store records, some at a time."""
    while batch := list(islice(lines, BATCH)):
        add_matches(store, ID, batch)


def planned(store: Store, listed: Sequence[Fixture], bots: Sequence[str]) -> None:
    """Store a tournament of ``bots`` that has ``listed`` as its schedule."""
    content = [File("bot.py", PLAIN, b""), manifest_file(("python", "bot.py"))]
    entries = [(bot, bundle_of(content, bot)) for bot in bots]
    made = Tournament(
        id=ID,
        name="bench",
        created="2026-01-01T00:00:00Z",
        parameters={"rules_versions": {CATEGORY.game: 1}},
        suite="bench",
        key=KEY,
        unrated=("the key is published",),
    )
    add_tournament(store, made, entries, listed)


def run(home: Path, *words: str) -> Run:
    """Run a command of arena over ``home``, and return what it took."""
    environment = {**os.environ, "ARENA_HOME": str(home)}
    began = time.perf_counter()
    with Path(os.devnull).open("wb") as nowhere:
        pid = os.posix_spawn(
            sys.executable,
            [*COMMAND, *words],
            environment,
            file_actions=[(os.POSIX_SPAWN_DUP2, nowhere.fileno(), number) for number in (1, 2)],
        )
        _, status, usage = os.wait4(pid, 0)
    seconds = time.perf_counter() - began
    if status:
        raise SystemExit(f"arena {' '.join(words)} failed")
    return Run(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def median(home: Path, *words: str) -> Run:
    """Return the medians of some runs of the same command."""
    runs = [run(home, *words) for _ in range(REPEATS)]
    return Run(
        statistics.median(one.seconds for one in runs),
        statistics.median(one.cpu_s for one in runs),
        statistics.median(one.megabytes for one in runs),
    )


def measured(size: int, more: int, bots: Sequence[str]) -> dict[str, Run]:
    """Return what each kind of call takes with ``size`` matches, and then ``more`` of them."""
    dice = random.Random(size)  # noqa: S311 - made up, and the same every time
    listed = list(islice(fixtures(bots, dice), size + more))
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        with open_store(home) as store:
            planned(store, listed, bots)
            add(store, records(listed[:size], bots, dice))
        found = {"first": run(home, "leaderboard"), "kept": median(home, "leaderboard")}
        with open_store(home) as store:
            add(store, records(listed[size:], bots, dice))
        found[f"{more} more"] = run(home, "leaderboard")
        found["kept again"] = median(home, "leaderboard", "--format", "json")
        found["matrix"] = run(home, "leaderboard", "--matrix")
        found["matrix kept"] = median(home, "leaderboard", "--matrix")
        found["start-up"] = median(home, "--version")
    return found


def power(now: float, before: float, times: float, least: float) -> str:
    """Return by which power of the number of matches something has grown, as ``n^0.98``.

    Args:
        now: what it is with ``times`` as many matches, beyond that of a command without any.
        before: what it was.
        times: how many times the matches.
        least: nothing is said of what was less than that.
    """
    return f"n^{math.log(now / before, times):.2f}" if min(now, before) > least else "      "


def report(size: int, found: dict[str, Run], before: tuple[int, dict[str, Run]] | None) -> None:
    """Print a line for each kind of call, and how it has grown since the size ``before``."""
    print(f"{size:,} matches")
    idle = found["start-up"]
    for name, one in found.items():
        line = f"  {name:12} {one.seconds:7.3f} s {one.cpu_s:7.3f} s CPU {one.megabytes:5.0f} MB"
        if before and one is not idle:
            was, idle_was = before[1][name], before[1]["start-up"]
            times = size / before[0]
            cpu = power(one.cpu_s - idle.cpu_s, was.cpu_s - idle_was.cpu_s, times, 0.02)
            net, net_was = one.megabytes - idle.megabytes, was.megabytes - idle_was.megabytes
            line += f"   grown by {cpu} CPU, {power(net, net_was, times, 2.0)} memory"
        print(line, flush=True)


def main() -> None:
    """Measure one size after the other."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--sizes", default="1000,10000", help="numbers of matches")
    parser.add_argument("--large", action="store_true", help=f"also {LARGE:,} matches")
    parser.add_argument("--more", type=int, default=100, help="matches that come in afterwards")
    parser.add_argument("--bots", type=int, default=12)
    chosen = parser.parse_args()
    sizes = [int(size) for size in chosen.sizes.split(",")] + [LARGE] * chosen.large
    bots = [f"bot{number:02}" for number in range(chosen.bots)]
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {len(bots)} bots")
    before = None
    for size in sizes:
        found = measured(size, chosen.more, bots)
        report(size, found, before)
        before = size, found


if __name__ == "__main__":
    main()
