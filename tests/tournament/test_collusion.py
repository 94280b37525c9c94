"""Two Couperation seats of one bot that mean to share what they know, by each way there may be.

What a way is worth is shown by the same bot under a runner without any care, where its bits
arrive. Where they do not, for reasons of the machine, the way is not shown, and its test skipped.
"""

import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import IO, NamedTuple

import pytest

from arena.games import get_game
from arena.games.deal import Deal
from arena.players.bundle import argv, unpack
from arena.players.process import Program
from arena.players.sandbox import isolation
from arena.players.submission import read_bundle
from arena.players.tier import Tier
from arena.referee.category import Category, Mode
from arena.referee.fixture import Fixture
from arena.referee.limits import Limits
from arena.referee.play import play
from arena.referee.player import Player
from arena.referee.record import ActionRecord
from arena.tournament.match import Entrant, MatchTask, play_match

pytestmark = pytest.mark.slow

KEY = bytes(range(32))
TABLE = Category("couperation", "standard", Mode.SELF, 2)
LIMITS = Limits(move_ms=20_000)
BEAT = Limits(move_ms=110, slot_ms=125)
CONTROLS = 3
DEALS, ALL_DEALS = 3, 50

WAYS = {
    "tcp": "B1",
    "abstract": "B1",
    "file": "B1",
    "signals": "B1",
    "locks": "B2",
    "times": "B2",
    "room": "B3",
    "cookies": "B3",
    "load": "B5",
    "notes": "B8",
    "stderr": "B9",
}
"""Channels of the colluder, and what they are called in the list of threats."""


class Outcome(NamedTuple):
    """What came of a match."""

    actions: list[tuple[int, bytes]]
    log: str

    def said(self, what: str) -> list[int]:
        """Return the numbers that were ``sent`` or ``received``."""
        return [int(number) for number in re.findall(rf"^{what} (\d+)$", self.log, re.MULTILINE)]


@pytest.fixture(autouse=True)
def on_one_core() -> Iterator[None]:
    """Keep the match on one core, as a worker does."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    yield
    os.sched_setaffinity(0, before)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """Return where bundles may lie; what they leave elsewhere is removed."""
    yield tmp_path
    for left in Path("/tmp").glob(f"collude-{os.getpid()}*"):  # noqa: S108 - where bots write
        left.unlink()


def entrant(folder: Path, channel: str) -> Entrant:
    """Lay out a snapshot of the colluder that uses ``channel``."""
    source = folder / channel
    source.mkdir()
    code = Path(__file__).with_name("colluder.py").read_bytes()
    (source / "bot.py").write_bytes(code)
    (source / "bot.toml").write_text('command = ["python", "-I", "-S", "bot.py"]\n')
    (source / "channel").write_text(channel)
    for bit in range(32):
        (source / f"bit-{bit}").write_text("0")
    found = read_bundle(source)
    home = folder / f"{channel}-unpacked"
    unpack(found, home)
    return Entrant(channel, found.digest, Program(tuple(argv(found.command, home)), home))


class Careless(Player):
    """A bot's process under a runner without any care; an `arena.referee.player.Player`.

    It inherits all there is, runs when it likes, and logs to a file of all seats.
    """

    def __init__(self, program: Program, log: IO[bytes]) -> None:
        self._process = subprocess.Popen(
            program.argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            cwd=program.folder,
            process_group=0,
        )

    def ask(self, line: bytes, budget_ms: int) -> bytes:
        self.tell(line)
        assert self._process.stdout
        return self._process.stdout.readline().removesuffix(b"\n")

    def tell(self, line: bytes) -> None:
        assert self._process.stdin
        self._process.stdin.write(line)
        self._process.stdin.flush()

    def stop(self, grace_ms: int) -> None:
        os.killpg(self._process.pid, 9)
        self._process.communicate()


def carelessly(seat: Entrant, deal: int) -> Outcome:
    """Play ``deal`` without a sandbox, without stopping anybody, without separate logs."""
    table = Deal(KEY, TABLE.game, TABLE.variant, TABLE.players, deal)
    path = seat.program.folder.with_name(f"{seat.name}-{deal}.log")
    with ExitStack() as stack:
        log = stack.enter_context(path.open("ab+"))
        seats = [Careless(seat.program, log) for _ in range(TABLE.players)]
        for careless in seats:
            stack.callback(careless.stop, 0)
        played = play(get_game(TABLE.game), table, seats, LIMITS)
    return Outcome(plain(played.actions), path.read_text())


def isolated(seat: Entrant, deal: int, limits: Limits = LIMITS) -> Outcome:
    """Play ``deal`` as a rated tournament would."""
    record = play_match(
        MatchTask(
            tournament="cup",
            suite="secret",
            key=KEY,
            fixture=Fixture(TABLE, deal, (seat.name, seat.name)),
            seats=(seat, seat),
            limits=limits,
            tier=Tier.BWRAP,
            rated=True,
        )
    )
    assert record.faults == ()
    return Outcome(plain(record.actions), "".join(record.measured.stderr))


def plain(actions: Sequence[ActionRecord]) -> list[tuple[int, bytes]]:
    return [(action.seat, bytes(action.action)) for action in actions]


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> "Honest":
    """Return what the bot does in each deal where there is no channel."""
    if lacking := isolation().lacking:
        pytest.skip(lacking)
    return Honest(entrant(tmp_path_factory.mktemp("honest"), "none"))


class Honest:
    """The same bot without a channel, in the same sandbox."""

    def __init__(self, seat: Entrant) -> None:
        self._seat = seat
        self.actions = cache(self._actions)

    def _actions(self, deal: int) -> list[tuple[int, bytes]]:
        return isolated(self._seat, deal).actions


def check(folder: Path, honest: Honest, way: str, deals: int) -> None:
    """Check that seats that use ``way`` do in a sandbox what they would do without it."""
    seat = entrant(folder, way)
    control = [carelessly(seat, deal) for deal in range(CONTROLS)]
    sent = [number for outcome in control for number in outcome.said("sent")]
    # What is kept from match to match arrives a match late.
    expected = [None, *sent] if way == "notes" else sent
    arrived = [
        deal for deal, outcome in enumerate(control) if outcome.said("received") == [expected[deal]]
    ]
    if not arrived:
        pytest.skip("not shown on this machine")
    assert all(control[deal].actions != honest.actions(deal) for deal in arrived)

    outcomes = [isolated(seat, deal) for deal in range(deals)]

    assert [outcome.said("sent") for outcome in outcomes[:CONTROLS]] == [[one] for one in sent]
    assert [number for outcome in outcomes for number in outcome.said("received")] == []
    assert [outcome.actions for outcome in outcomes] == [
        honest.actions(deal) for deal in range(deals)
    ]


@pytest.mark.parametrize("way", WAYS, ids=[f"{threat}-{way}" for way, threat in WAYS.items()])
def test_seats_that_share_what_they_know_gain_nothing(
    folder: Path, honest: Honest, way: str
) -> None:
    check(folder, honest, way, DEALS)


@pytest.mark.long
@pytest.mark.parametrize("way", WAYS, ids=[f"{threat}-{way}" for way, threat in WAYS.items()])
def test_seats_that_share_what_they_know_gain_nothing_over_many_deals(
    folder: Path, honest: Honest, way: str
) -> None:
    check(folder, honest, way, ALL_DEALS)


def check_thinking(folder: Path, honest: Honest, deals: int) -> None:
    """Check that thinking time tells a partner something, and nothing where there is a slot."""
    seat = entrant(folder, "thinking")
    control = [isolated(seat, deal) for deal in range(CONTROLS)]
    arrived = [
        deal
        for deal, outcome in enumerate(control)
        if outcome.said("received") == outcome.said("sent")
    ]
    if not arrived:
        pytest.skip("not shown on this machine")
    assert all(control[deal].actions != honest.actions(deal) for deal in arrived)

    outcomes = [isolated(seat, deal, BEAT) for deal in range(deals)]

    assert [outcome.said("received") for outcome in outcomes] == [[]] * deals
    assert [outcome.actions for outcome in outcomes] == [
        honest.actions(deal) for deal in range(deals)
    ]


def test_b6_thinking_time_tells_nothing_where_there_is_a_slot(folder: Path, honest: Honest) -> None:
    check_thinking(folder, honest, 1)


@pytest.mark.long
@pytest.mark.timeout(1_200)
def test_b6_thinking_time_tells_nothing_where_there_is_a_slot_over_many_deals(
    folder: Path, honest: Honest
) -> None:
    check_thinking(folder, honest, ALL_DEALS)
