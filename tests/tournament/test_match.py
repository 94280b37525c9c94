import os
import resource
from dataclasses import replace
from pathlib import Path
from typing import Any, Never

import pytest
from msgspec import UNSET

from arena.errors import HostFault
from arena.games import get_game
from arena.players.bundle import argv, unpack
from arena.players.process import Program
from arena.players.submission import read_bundle
from arena.players.tier import Tier
from arena.referee.category import Category, Mode
from arena.referee.fixture import Fixture
from arena.referee.limits import Limits
from arena.referee.record import decode_record, encode_record, unmeasured
from arena.referee.replay import replay
from arena.tournament.match import Entrant, MatchTask, play_chunk, play_match
from tests.tiny_bots import PRELUDE
from tests.whole_arena import DICE, FAULTY, FIRST, bot, children

pytestmark = pytest.mark.slow

THREE = Category("donburiko", "standard", Mode.TABLE, 3)


def entrant(folder: Path) -> Entrant:
    bundle = read_bundle(folder)
    laid = folder.with_name(f"{folder.name}.laid")
    unpack(bundle, laid)
    return Entrant(bundle.name, bundle.digest, Program(tuple(argv(bundle.command, laid)), laid))


def task(*bots: Path, **more: Any) -> MatchTask:
    seats = tuple(map(entrant, bots))
    made = MatchTask(
        tournament="cup-1",
        suite="spring",
        key=bytes(32),
        fixture=Fixture(THREE, 7, tuple(seat.name for seat in seats)),
        seats=seats,
        limits=Limits(move_ms=5000),
        tier=Tier.NONE,
        rated=False,
    )
    return replace(made, **more)


@pytest.fixture
def three(tmp_path: Path) -> list[Path]:
    bodies = {"first": FIRST, "dice": DICE, "faulty": FAULTY}
    return [bot(body, tmp_path / name) for name, body in bodies.items()]


def test_a_record_says_what_was_played_and_by_whom(three: list[Path]) -> None:
    played = task(*three)

    record = play_match(played)

    assert (record.match, record.tournament) == ("donburiko-3p/7/first+dice+faulty", "cup-1")
    assert (record.suite, record.deal, record.mode, record.players) == ("spring", 7, "table", 3)
    assert [seat.bot for seat in record.seats] == ["first", "dice", "faulty"]
    assert [seat.digest for seat in record.seats] == [seat.digest for seat in played.seats]
    assert (record.limits, record.tier, record.rated) == (played.limits, "none", False)
    assert record.rules_version == get_game("donburiko").rules_version
    assert [fault.seat for fault in record.faults] == [2]
    assert (record.measured.attempt, len(record.measured.cpu_ms)) == (1, 3)


def test_a_match_that_is_played_again_is_the_same(three: list[Path]) -> None:
    first = play_match(task(*three))
    second = play_match(task(*three).again())

    assert unmeasured(first) == unmeasured(second)
    assert (first.measured.attempt, second.measured.attempt) == (1, 2)


def test_another_deal_or_key_is_another_match(three: list[Path]) -> None:
    played = task(*three)
    others = [
        replace(played, key=bytes([1]) * 32),
        replace(played, fixture=replace(played.fixture, deal=8)),
    ]

    cards = {bytes(play_match(one).cards) for one in [played, *others]}

    assert len(cards) == 3


def test_what_was_played_can_be_replayed(three: list[Path]) -> None:
    record = play_match(task(*three))

    replayed = replay(record)

    assert (replayed.scores, replayed.ranks) == (record.scores, record.ranks)


def test_one_bot_in_several_seats_is_several_processes(tmp_path: Path) -> None:
    note = tmp_path / "pids"
    says = f"import os; note({str(note)!r}, str(os.getpid()))\n"
    folder = bot(says + FIRST, tmp_path / "bot")

    play_match(task(folder, folder, folder))

    assert len(set(note.read_text().split())) == 3


def test_what_bots_say_beside_is_kept_fit_for_a_terminal(tmp_path: Path) -> None:
    says = "sys.stderr.write('red \\x1b[31m')\n"
    folder = bot(says + FIRST, tmp_path / "bot")

    record = play_match(task(folder, folder, folder))

    assert record.measured.stderr == (r"red \x1b[31m",) * 3


SPELLINGS = [
    r"x" * 10_000,
    r"\u3069\u3093\u3050\u308a \ud83d\udc1f",
    r"\u0000\u001b[2J\u202e\u2028",
    r"\n{\"record\":1}\n",
]


@pytest.mark.parametrize("spelt", SPELLINGS)
def test_whatever_a_bot_answers_its_record_is_one_line_that_can_be_read(
    tmp_path: Path, spelt: str
) -> None:
    action = f'"x":"{spelt}"'
    folder = bot(f"play(lambda number, legal: legal.append({action!r}) or -1)", tmp_path / "bot")

    record = play_match(task(folder, folder, folder))

    line = encode_record(record)
    assert (record.faults[0].code, line.count(b"\n")) == ("illegal_action", 0)
    assert encode_record(decode_record(line)) == line
    assert replay(record).ranks == record.ranks
    assert record.measured.offending[0].text.isprintable()


def test_a_record_says_of_each_fault_what_and_why_with_the_end_of_the_log(tmp_path: Path) -> None:
    says = "sys.stderr.write('about to fail'); sys.stderr.flush()\n"
    bodies = {"leaves": "sys.exit(4)", "prints": "print('thinking', flush=True); input()"}
    bots = [bot(says + body, tmp_path / name) for name, body in bodies.items()]

    record = play_match(task(*bots, bot(FIRST, tmp_path / "first")))

    assert [(fault.seat, fault.code) for fault in record.faults] == [
        (0, "start_failed"),
        (1, "start_failed"),
    ]
    assert record.faults[0].text == "exited with status 4"
    assert record.faults[1].text.startswith("not JSON: ")
    assert record.measured.stderr == ("about to fail", "about to fail", "")
    assert [one.text for one in record.measured.offending] == ["thinking"]


KEPT = """
ready()
match = 0
while (message := hear())["type"] != "quit":
    if message["type"] == "start":
        match += 1
    if message["type"] == "act":
        {does}
        answer(message)
"""
"""Counts its matches, and does something at every question."""


def deals(first: MatchTask, count: int) -> list[MatchTask]:
    """Return the tasks of ``count`` deals in a row, of which ``first`` is the first."""
    numbers = range(first.fixture.deal, first.fixture.deal + count)
    return [replace(first, fixture=replace(first.fixture, deal=number)) for number in numbers]


@pytest.mark.parametrize("much", [10, 6_000, 50_000])
def test_of_each_match_of_one_process_as_much_of_its_log_is_kept(tmp_path: Path, much: int) -> None:
    says = f"print(match, 'x' * {much}, match, file=sys.stderr, flush=True)"
    folder = bot(PRELUDE + KEPT.format(does=says), tmp_path / "bot")

    records = list(play_chunk(deals(task(folder, folder, folder), 3)))

    for number, record in enumerate(records, 1):
        for text in record.measured.stderr:
            assert text.startswith(f"{number} x")
            assert text.endswith(f"x {number}\n")
            assert min(much, 8_000) < len(text) < 9_000


def test_the_processor_time_of_a_kept_bot_that_fails_is_counted(tmp_path: Path) -> None:
    does = """
        while match == 2:
            if time.process_time() > 0.3:
                sys.exit(3)
    """
    works = bot(PRELUDE + KEPT.format(does=does.strip()), tmp_path / "works")
    first = bot(FIRST, tmp_path / "first")

    one, two, three = play_chunk(deals(task(first, works, first), 3))

    assert [len(record.faults) for record in (one, two, three)] == [0, 1, 0]
    assert two.measured.cpu_ms[1] >= 300 - one.measured.cpu_ms[1]


@pytest.mark.parametrize(
    ("does", "code"),
    [("sys.exit(0)", "exited"), ("raw(b'{}\\n')", "bad_message"), ("time.sleep(9)", "timeout")],
)
def test_what_a_kept_bot_does_after_a_match_is_its_fault_in_the_next(
    tmp_path: Path, does: str, code: str
) -> None:
    at_end = f"\n    if message['type'] == 'end':\n        {does}\n"
    rude = bot(PRELUDE + KEPT.format(does="pass") + at_end, tmp_path / "rude")
    first = bot(FIRST, tmp_path / "first")
    limits = Limits(move_ms=1_000)

    records = list(play_chunk(deals(task(first, rude, first, limits=limits), 3)))

    faults = [[(fault.seat, fault.code) for fault in record.faults] for record in records]
    assert faults == [[], [(1, code)], []]
    assert all(action.seat != 1 or action.house for action in records[1].actions)
    assert [record.after for record in records] == [UNSET, (7,), UNSET]


def test_a_task_does_not_show_its_key(three: list[Path]) -> None:
    assert "x00" not in repr(task(*three))


@pytest.mark.parametrize("spare", range(2, 15, 2))
def test_bots_are_stopped_where_the_next_one_cannot_be_started(
    three: list[Path], spare: int
) -> None:
    """Three bots need more descriptors than that, so one of them fails, and not always alike."""
    played = task(*three)
    open_ones, orphans = descriptors(), set(children())
    free = [number for number in range(1000) if number not in open_ones]
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (free[spare], limits[1]))
    try:
        with pytest.raises(HostFault, match="could not be started: Too many open files"):
            play_match(played)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)

    # Other tests may have left zombies that this process has adopted.
    assert set(children()) <= orphans
    assert descriptors() == open_ones


def descriptors() -> set[int]:
    with os.scandir("/proc/self/fd") as entries:
        found = {int(entry.name) for entry in entries}
    # One of them was the folder's.
    return {number for number in found if Path(f"/proc/self/fd/{number}").exists()}


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, ZeroDivisionError])
def test_bots_are_stopped_whatever_comes_between(
    three: list[Path], error: type[BaseException]
) -> None:
    open_ones, orphans = descriptors(), set(children())

    def watch(*_: object) -> Never:
        raise error

    with pytest.raises(error):
        play_match(task(*three), watch)

    # Other tests may have left zombies that this process has adopted.
    assert set(children()) <= orphans
    assert descriptors() == open_ones
