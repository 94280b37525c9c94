"""How much arena adds to the bare exchange of bytes between a referee and its bots.

    python bench/floor.py [--rounds 7] [--turns 1000] [--games null,donburiko,couperation]

The floor is `os.write` and `os.read` of the very bytes that matches exchanged, with the same bots:
one in C that knows its answers by heart, and ``bots/first_legal.py``, which reads every question
with the SDK. Against it plays arena as a whole: it observes, encodes, asks, decodes, checks,
applies, and makes the records. ``arena`` has no sandbox, no limits and no freezing; ``rated`` has
all of them, as rated tournaments do.

Bots are started before the clock, and one process plays match after match. All take turns within
one run, so ratios hold where single times would not. On one core, as a worker and its bots have
it, and beside it wherever the kernel puts them.

Shown are turns a second, and what share of the floor's they are; the same share by the processor
time of referee and bots together, which on one core is the same on an idle machine, and holds on a
busy one, too; and the referee's own processor time a turn, and the floor's share of that.
"""

import argparse
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from arena.games import get_game
from arena.games.base import AnyGame
from arena.games.deal import Deal
from arena.players.bundle import argv, unpack
from arena.players.process import BotProcess, Program
from arena.players.sandbox import isolation
from arena.players.submission import read_bundle
from arena.players.tier import Tier
from arena.referee.limits import Limits
from arena.referee.play import play
from arena.referee.player import Player
from arena.referee.record import decode_record, encode_record
from arena.wire.codec import encode
from arena.wire.messages import Quit
from bench.measuring import ROUNDS, Times, in_turn, machine, one_core
from bench.null_game import NULL
from bench.records import record_of

KEY = bytes(32)
BOTS = Path(__file__).parents[1] / "bots"
COMPILER = shutil.which("cc") or shutil.which("gcc") or ""
READ = 1 << 16
C_BOT = r"""
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Answers "hello" and "act" with the lines of a file, one by one, and from the first again. */
static char line[1 << 22], reply[1 << 24];

int main(int argc, char **argv) {
    int file = open(argv[argc - 1], O_RDONLY);
    ssize_t size = 0, got;
    while ((got = read(file, reply + size, sizeof reply - size)) > 0) size += got;
    char *next = reply, *end;
    size_t have = 0;
    while ((got = read(0, line + have, sizeof line - have)) > 0) {
        have += got;
        char *start = line;
        while ((end = memchr(start, '\n', line + have - start))) {
            if (!memcmp(start, "{\"type\":\"act\"", 13) || !memcmp(start, "{\"type\":\"hel", 12)) {
                char *stop = (char *)memchr(next, '\n', reply + size - next) + 1;
                if (write(1, next, stop - next) < 0) return 1;
                next = stop == reply + size ? reply : stop;
            } else if (!memcmp(start, "{\"type\":\"qui", 12)) {
                return 0;
            }
            start = end + 1;
        }
        have = line + have - start;
        memmove(line, start, have);
    }
    return 0;
}
"""

Exchange = list[tuple[int, bytes, bytes]]
"""(seat, line sent, its answer with LF, or nothing), in the order of the matches."""


@dataclass(frozen=True)
class Case:
    """Matches of one kind, played one after the other."""

    game: AnyGame
    players: int
    matches: int

    @property
    def name(self) -> str:
        """How it is shown."""
        return f"{self.game.name}, {self.players} players"


class Kept(BotProcess):
    """A bot's process that plays match after match: it is not told to quit."""

    def tell(self, line: bytes) -> None:
        """Send ``line``, unless it would end the bot."""
        if line != encode(Quit()):
            super().tell(line)


class Recording(Kept):
    """The same, and all that is exchanged goes into ``exchange``."""

    def __init__(self, program: Program, seat: int, exchange: Exchange) -> None:
        super().__init__(program, None)
        self._seat = seat
        self._exchange = exchange

    def ask(self, line: bytes, budget_ms: int) -> bytes:
        """Ask, and keep both lines."""
        answer = super().ask(line, budget_ms)
        self._exchange.append((self._seat, line, answer + b"\n"))
        return answer

    def tell(self, line: bytes) -> None:
        """Tell, and keep the line."""
        super().tell(line)
        if line != encode(Quit()):
            self._exchange.append((self._seat, line, b""))


def whole(case: Case, players: Sequence[Player], limits: Limits | None) -> int:
    """Play the matches of ``case`` and make their records, as a worker does; return the turns."""
    turns = 0
    for number in range(case.matches):
        deal = Deal(KEY, case.game.name, case.game.variants[0], case.players, number)
        played = play(case.game, deal, players, limits)
        if played.faults:
            raise SystemExit(f"{case.name}: {played.faults[0].text}")
        decode_record(encode_record(record_of(played, deal, limits, case.game)))
        turns += len(played.actions)
    return turns


def bare(exchange: Exchange, pipes: Sequence[tuple[int, int]]) -> None:
    """Exchange the same bytes, and do nothing else."""
    read, write = os.read, os.write
    for seat, line, answer in exchange:
        to_bot, from_bot = pipes[seat]
        write(to_bot, line)
        if answer:
            read(from_bot, READ)


def check_bare(exchange: Exchange, pipes: Sequence[tuple[int, int]]) -> None:
    """Exchange the bytes once, and make sure that the answers are those of the match."""
    for seat, line, answer in exchange:
        to_bot, from_bot = pipes[seat]
        os.write(to_bot, line)
        if answer and os.read(from_bot, READ) != answer:
            raise SystemExit("a bot answered otherwise than in the match")


@contextmanager
def processes(programs: Sequence[Program]) -> Iterator[tuple[list[tuple[int, int]], list[int]]]:
    """Start bots with nothing around them; yield descriptors to and from each, and their ids."""
    with ExitStack() as stack:
        pipes, pids = [], []
        for program in programs:
            bot = stack.enter_context(
                subprocess.Popen(
                    program.argv,
                    cwd=program.folder,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    bufsize=0,
                )
            )
            if bot.stdin is None or bot.stdout is None:
                raise AssertionError("both were asked for")
            stack.callback(bot.kill)
            pipes.append((bot.stdin.fileno(), bot.stdout.fileno()))
            pids.append(bot.pid)
        yield pipes, pids


@contextmanager
def seated(
    programs: Sequence[Program], limits: Limits | None, tier: Tier
) -> Iterator[list[BotProcess]]:
    """Yield arena's players for ``programs``, started; they end on the way out."""
    bots: list[BotProcess] = [Kept(program, limits, tier) for program in programs]
    try:
        for bot in bots:
            bot.start()
        yield bots
    finally:
        for bot in bots:
            bot.stop(0)


def sdk_bot(folder: Path) -> Program:
    """Return how arena starts ``bots/first_legal.py``."""
    bundle = read_bundle(BOTS / "first_legal.py")
    unpack(bundle, folder)
    return Program(tuple(argv(bundle.command, folder)), folder)


def c_bots(folder: Path, case: Case, exchange: Exchange) -> list[Program]:
    """Return how to start, for each seat, a bot in C that answers as in ``exchange``."""
    folder.mkdir()
    folder.chmod(0o755)
    source, program = folder / "bot.c", folder / "bot"
    source.write_text(C_BOT, encoding="utf-8")
    subprocess.run([COMPILER, "-O2", "-o", str(program), str(source)], check=True)
    programs = []
    for seat in range(case.players):
        replies = folder / f"replies-{seat}"
        replies.write_bytes(b"".join(answer for to, _, answer in exchange if to == seat))
        programs.append(Program((str(program), str(replies)), folder))
    return programs


def recorded(case: Case, program: Program) -> tuple[Exchange, int]:
    """Return what matches exchange with bots that run ``program``, and their number of turns."""
    exchange: Exchange = []
    bots = [Recording(program, seat, exchange) for seat in range(case.players)]
    try:
        return exchange, whole(case, bots, None)
    finally:
        for bot in bots:
            bot.stop(0)


def timed(
    case: Case, bots: dict[str, list[Program]], exchange: Exchange, rounds: int
) -> dict[str, Times]:
    """Return what floor, arena and rated arena take for ``case`` with each kind of bot."""
    things: dict[str, Callable[[], object]] = {}
    pids: dict[str, list[int]] = {}
    with ExitStack() as stack:
        for kind, programs in bots.items():
            pipes, pids[f"{kind} floor"] = stack.enter_context(processes(programs))
            check_bare(exchange, pipes)
            things[f"{kind} floor"] = partial(bare, exchange, pipes)
            for name, limits, tier in (
                (f"{kind} arena", None, Tier.NONE),
                (f"{kind} rated", Limits(), Tier.BWRAP),
            ):
                seats = stack.enter_context(seated(programs, limits, tier))
                things[name] = partial(whole, case, seats, limits)
                pids[name] = [seat.pid for seat in seats]
        return in_turn(things, rounds, pids)


def report(kinds: Sequence[str], turns: int, times: dict[str, Times]) -> None:
    """Print what each kind of bot got from ``timed``."""
    for kind in kinds:
        floor, arena, rated = (times[f"{kind} {what}"] for what in ("floor", "arena", "rated"))
        speeds = "".join(f"{turns / one.wall:9,.0f}" for one in (floor, arena, rated))
        cpu = "".join(f"{one.cpu / turns * 1e6:7.1f}" for one in (floor, arena, rated))
        print(
            f"    {kind:7}{speeds}  {floor.share(arena):6.2f} {floor.share(rated):5.2f}"
            f"  {floor.all_share(arena):6.2f} {floor.all_share(rated):5.2f}  {cpu}"
            f"  {floor.cpu_share(arena):6.2f} {floor.cpu_share(rated):5.2f}",
            flush=True,
        )


HEAD = """\
                  turns/s             of the floor  by all CPU    referee's CPU, us   floor's share
    bot        floor    arena    rated   arena rated  arena rated    floor  arena  rated  arena rated"""  # noqa: E501


def case_of(game: AnyGame, players: int, turns: int, program: Program) -> Case:
    """Return as many matches as have about ``turns`` turns together."""
    _, of_one = recorded(Case(game, players, 1), program)
    return Case(game, players, max(1, round(turns / of_one)))


def compare(case: Case, sdk: Program, folder: Path, rounds: int) -> None:
    """Print how much of the floor is left of arena, on one core and on all."""
    exchange, turns = recorded(case, sdk)
    bots = {"Python": [sdk] * case.players}
    if COMPILER:
        bots = {"C": c_bots(folder / f"{case.game.name}-{case.players}", case, exchange), **bots}
    questions = [len(line) for _, line, answer in exchange if answer]
    print(f"{case.name}: {turns:,} turns, questions of {sum(questions) // len(questions):,} bytes")
    for place, cores in (("one core", one_core), ("unpinned", nullcontext)):
        with cores():
            times = timed(case, bots, exchange, rounds)
        print(f"  {place}")
        report(tuple(bots), turns, times)


def main() -> None:
    """Compare floor and arena for each game."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--turns", type=int, default=1000, help="in each round, about")
    parser.add_argument("--games", default="null,donburiko,couperation")
    options = parser.parse_args()
    isolation(Tier.BWRAP)
    print(machine())
    if not COMPILER:
        print("no C compiler (cc or gcc): the bot in C is left out")
    print(HEAD)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        sdk = sdk_bot(folder / "first_legal")
        for wanted in options.games.split(","):
            game = NULL if wanted == NULL.name else get_game(wanted)
            for players in (2,) if game is NULL else (2, 4):
                compare(case_of(game, players, options.turns, sdk), sdk, folder, options.rounds)


if __name__ == "__main__":
    main()
