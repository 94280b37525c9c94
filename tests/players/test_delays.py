"""Fair clocks: whose time it was."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from arena.errors import HostFault
from arena.players.delays import FairClock, Moment, Other, Thread, excused_s, look
from arena.players.process import BotProcess
from arena.referee.limits import Limits
from tests.tiny_bots import program

MS = 1_000_000
ROOT = Path(__file__).resolve().parents[2]


def moment(
    at: float,
    ran_ms: int = 0,
    waited_ms: int = 0,
    others_ms: int = 0,
    used_ms: int | None = None,
    *,
    ready: bool = True,
    slept: int = 0,
) -> Moment:
    """Return a moment of a bot with one thread, and of one process of others."""
    thread = Thread(ran_ms * MS, waited_ms * MS, ready, slept)
    used = (ran_ms if used_ms is None else used_ms) * MS
    return Moment(at, {7: thread}, {99: Other(others_ms * MS, here=True)}, used)


def test_time_that_others_had_the_processor_is_excused() -> None:
    assert excused_s(moment(0), moment(1, ran_ms=600, waited_ms=400, others_ms=400), 1) == 0.4


def test_time_asleep_is_not_excused_whatever_others_do() -> None:
    assert excused_s(moment(0), moment(1, ran_ms=100, others_ms=900, slept=1), 1) == 0


def test_a_bot_that_waits_for_its_own_processes_is_not_excused() -> None:
    assert excused_s(moment(0), moment(1, ran_ms=100, waited_ms=900), 1) == 0
    assert excused_s(moment(0), moment(1, ran_ms=100, waited_ms=900, others_ms=50), 1) == 0.05


def test_what_the_bot_used_of_its_processors_is_not_excused() -> None:
    """One thread thinks all the time; another one, which is nicer, waits all the time."""
    now = moment(1, ran_ms=5, waited_ms=980, others_ms=990, used_ms=975, slept=1)

    assert excused_s(moment(0), now, 1) == pytest.approx(0.025)


def test_time_that_others_had_counts_by_the_processor() -> None:
    """A bot of one thread per processor is kept from half of each of the two, or one from one."""
    now = moment(1, ran_ms=500, waited_ms=500, others_ms=1000, used_ms=1000)

    assert excused_s(moment(0), now, 2) == 0.5
    assert excused_s(moment(0), now._replace(others={99: Other(500 * MS, here=True)}), 2) == 0.25


def test_a_wait_that_is_not_over_counts_too() -> None:
    assert excused_s(moment(0), moment(1, others_ms=990), 1) == 0.99
    assert excused_s(moment(0), moment(1, ran_ms=300, others_ms=990), 1) == 0.7
    assert excused_s(moment(0, ready=False), moment(1, others_ms=990), 1) == 0


def test_of_a_bot_that_has_slept_the_waits_that_are_over_count() -> None:
    now = moment(1, ran_ms=300, waited_ms=200, others_ms=990, slept=1)

    assert excused_s(moment(0), now, 1) == 0.2


def test_others_that_came_later_count_for_all_they_used() -> None:
    waits = {7: Thread(0, 500 * MS, ready=True, slept=1)}
    now = Moment(1, waits, {1: Other(200 * MS, here=True), 2: Other(100 * MS, here=True)})

    assert excused_s(moment(0)._replace(others={1: Other(150 * MS, here=True)}), now, 1) == 0.15


@pytest.mark.parametrize(
    ("first", "then", "excused"), [(True, False, 0.15), (False, True, 0.15), (False, False, 0)]
)
def test_others_count_by_half_where_they_were_on_its_processors_at_one_end(
    first: bool, then: bool, excused: float
) -> None:
    before = moment(0)._replace(others={1: Other(0, here=first)})
    now = moment(1, waited_ms=500)._replace(others={1: Other(300 * MS, here=then)})

    assert excused_s(before, now, 1) == excused


def test_of_ended_children_of_others_what_they_used_since_counts() -> None:
    """Whoever waits for a child takes over all that it ever used."""
    parent, child = Other(0, here=True, of_ended=0), Other(9_000 * MS, here=True, parent=1)
    ended = Other(0, here=True, of_ended=9_100 * MS)
    now = moment(1, waited_ms=900, slept=1)._replace(others={1: ended})

    assert excused_s(moment(0)._replace(others={1: parent, 2: child}), now, 1) == 0.1
    assert excused_s(moment(0)._replace(others={1: parent}), now, 1) == 0.9


def test_a_number_that_has_gone_to_another_process_takes_nothing_from_others() -> None:
    before = {1: Other(5_000 * MS, here=True), 2: Other(0, here=True)}
    now = {1: Other(0, here=True), 2: Other(400 * MS, here=True)}

    found = excused_s(
        moment(0)._replace(others=before),
        moment(1, waited_ms=900, slept=1)._replace(others=now),
        1,
    )

    assert found == 0.4


def test_others_that_came_elsewhere_do_not_count() -> None:
    now = moment(1, waited_ms=500)._replace(others={1: Other(300 * MS, here=False)})

    assert excused_s(moment(0)._replace(others={}), now, 1) == 0


def test_no_time_is_no_excuse() -> None:
    assert excused_s(moment(1), moment(1), 1) == 0


def test_what_this_process_started_is_no_other() -> None:
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        seen = look(child.pid)
    finally:
        child.kill()
        child.wait()

    assert child.pid in seen.threads
    assert child.pid not in seen.others
    assert {1, os.getpid()} <= seen.others.keys()


def test_a_process_that_is_gone_has_no_threads() -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()

    assert look(gone.pid).threads == {}


def test_where_no_question_may_take_longer_the_wall_alone_counts() -> None:
    clock = FairClock(os.getpid(), fixed=True)
    clock.begin(time.monotonic() - 1, 0.1)
    clock.look()

    assert clock.more_s(0.1, absent_s=0.9) == 0
    assert clock.excused_ns() == 0


def test_a_bot_at_work_has_a_little_more_time_when_arena_itself_was_away() -> None:
    clock = FairClock(os.getpid())

    clock.begin(time.monotonic() - 1, 0.2)
    assert clock.more_s(0.2, absent_s=0.9) == 0.1
    clock.begin(time.monotonic() - 1, 0.2)
    assert clock.more_s(0.2, absent_s=0) == 0


def test_a_question_that_takes_ten_times_its_time_voids_the_match(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = FairClock(os.getpid())
    clock.begin(time.monotonic() - 30, 0.1)
    clock.look()
    monkeypatch.setattr("arena.players.delays.excused_s", lambda *_: 29.95)

    with pytest.raises(HostFault, match="too busy"):
        clock.more_s(0.1, absent_s=0)


ONCE = """
import sys, time
for line in sys.stdin:
    time.sleep(0.6)
    print("done", flush=True)
"""

STOPS = """
import os, signal, sys, time
time.sleep(0.3)
os.kill(int(sys.argv[1]), signal.SIGSTOP)
time.sleep(1.5)
os.kill(int(sys.argv[1]), signal.SIGCONT)
"""


@pytest.mark.slow
def test_an_answer_that_came_while_arena_was_stopped_is_in_time(tmp_path: Path) -> None:
    bot = BotProcess(program(ONCE, tmp_path), Limits())
    bot.ask(b"first\n", 20_000)
    watch = subprocess.Popen([sys.executable, "-c", STOPS, str(os.getpid())])
    began = time.monotonic()
    try:
        assert bot.ask(b"second\n", 900) == b"done"
    finally:
        bot.stop(0)
        watch.wait()

    assert time.monotonic() - began > 1.5
