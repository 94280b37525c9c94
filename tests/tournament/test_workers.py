import logging
import multiprocessing
import os
import signal
import tempfile
import threading
import time
from concurrent.futures import BrokenExecutor
from pathlib import Path

import pytest

from arena.players import strays
from arena.players.bundle import argv, unpack
from arena.players.process import BotProcess, Program
from arena.players.submission import read_bundle
from arena.players.tier import Tier
from arena.referee.category import Category, Mode
from arena.referee.fixture import Fixture
from arena.referee.limits import Limits
from arena.tournament.machine import Sharing, cores
from arena.tournament.match import Entrant, MatchTask
from arena.tournament.tasks import play_tasks
from arena.tournament.workers import NotBegun, collected_logs, workers
from tests.whole_arena import FIRST, bot, children, holds

pytestmark = pytest.mark.slow

CATEGORY = Category("donburiko", "standard", Mode.TABLE, 2)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def task(folder: Path, deal: int = 0) -> MatchTask:
    """Return a match of the bot in ``folder`` against itself."""
    bundle = read_bundle(folder)
    laid = folder.with_name(f"{folder.name}.laid")
    unpack(bundle, laid)
    program = Program(tuple(argv(bundle.command, laid)), laid)
    names = ("one", "two")
    return MatchTask(
        tournament="t",
        suite="s",
        key=bytes(32),
        fixture=Fixture(CATEGORY, deal, names),
        seats=tuple(Entrant(name, bundle.digest, program) for name in names),
        limits=Limits(),
        tier=Tier.NONE,
        rated=False,
    )


def leave_pid(path: Path) -> int:
    path.write_text(str(os.getpid()))
    return os.getpid()


def affinity(_number: int) -> tuple[int, frozenset[int]]:
    time.sleep(0.05)  # so that the other workers get their share
    return os.getpid(), frozenset(os.sched_getaffinity(0))


def hold_on(marker: Path, gate: Path) -> None:
    marker.touch()
    while not gate.exists():
        time.sleep(0.005)


def start_bot(folder: Path) -> int:
    """Start a bot that hears nothing, and leave it to this worker."""
    bundle = read_bundle(folder)
    started = BotProcess(Program(tuple(argv(bundle.command, folder)), folder), Limits())
    started.start()
    return started.pid


def test_each_worker_is_pinned_to_a_core_of_its_own() -> None:
    with workers(len(cores())) as pool:
        seen = set(pool.map(affinity, range(4 * len(cores()))))

    assert {next(iter(cpus)) for _, cpus in seen} == set(cores())
    assert all(len(cpus) == 1 for _, cpus in seen)


def test_more_workers_than_cores_share_them() -> None:
    with workers(len(cores()) + 1) as pool:
        seen = set(pool.map(affinity, range(8 * len(cores()))))

    assert {next(iter(cpus)) for _, cpus in seen} <= set(cores())


def test_a_worker_can_have_several_cores() -> None:
    with workers(1, Sharing(cores_per_match=len(cores()))) as pool:
        _, cpus = pool.submit(affinity, 0).result()

    assert cpus == set(cores())


def test_a_worker_is_out_of_the_terminals_foreground() -> None:
    with workers(1) as pool:
        group, worker = pool.submit(os.getpgrp).result(), pool.submit(os.getpid).result()
        os.kill(worker, signal.SIGINT)

        assert group == worker != os.getpgrp()
        assert pool.submit(os.getsid, 0).result() == os.getsid(0)


def test_once_halted_nothing_more_is_begun(tmp_path: Path) -> None:
    marker, gate = tmp_path / "marker", tmp_path / "gate"
    with workers(1) as pool:
        begun = pool.submit(hold_on, marker, gate)
        waiting = [pool.submit(os.getpid) for _ in range(5)]
        assert holds(marker.exists)
        pool.halt()
        gate.touch()

        assert begun.result() is None
        assert all(isinstance(one.exception(), NotBegun) for one in waiting)


def test_leaving_with_an_error_drops_what_is_in_play(tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt), workers(2) as pool:  # noqa: PT012 - that is the point
        pool.submit(hold_on, marker, tmp_path / "never")
        assert holds(marker.exists)
        raise KeyboardInterrupt

    assert time.monotonic() - began < 3
    assert multiprocessing.active_children() == []


def die(number: int, others: Path) -> None:
    while not others.exists():
        time.sleep(0.005)
    os.kill(os.getpid(), number)
    time.sleep(60)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_the_task_in_which_a_worker_died_is_told_from_those_that_were_in_play(
    tmp_path: Path, number: signal.Signals
) -> None:
    marker = tmp_path / "marker"
    with pytest.raises(BrokenExecutor), workers(2) as pool:  # noqa: PT012 - and what it knows then
        other = pool.submit(hold_on, marker, tmp_path / "never")
        deadly = pool.submit(die, number, marker)
        never = pool.submit(os.getpid)
        assert isinstance(deadly.exception(), BrokenExecutor)

        assert pool.death(deadly) == f"was ended by {number.name}"
        assert (pool.death(other), pool.death(never)) == (None, None)
        other.result()


def test_a_task_that_ends_its_worker_is_told_with_the_status() -> None:
    with pytest.raises(BrokenExecutor), workers(1) as pool:  # noqa: PT012 - and what it knows then
        deadly = pool.submit(os._exit, 3)
        assert isinstance(deadly.exception(), BrokenExecutor)

        assert pool.death(deadly) == "ended with status 3"
        deadly.result()


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_other_processes_of_the_program_are_left_alone(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    other = context.Process(target=hold_on, args=(tmp_path / "marker", tmp_path / "gate"))
    other.start()

    with pytest.raises(ZeroDivisionError), workers(1):
        raise ZeroDivisionError

    assert other.is_alive()
    (tmp_path / "gate").touch()
    other.join()


def test_who_asks_to_stop_while_workers_end_is_heard_afterwards(tmp_path: Path) -> None:
    came = []
    before = signal.signal(signal.SIGTERM, lambda number, _frame: came.append(number))
    try:
        with pytest.raises(ZeroDivisionError), workers(1) as pool:  # noqa: PT012
            pool.submit(stubborn, tmp_path / "marker")
            assert holds((tmp_path / "marker").exists)
            threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGTERM)).start()
            raise ZeroDivisionError
    finally:
        signal.signal(signal.SIGTERM, before)

    assert came == [signal.SIGTERM]
    assert multiprocessing.active_children() == []


def stubborn(marker: Path) -> None:
    """Be a worker that hangs in somebody else's code and does not hear."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    marker.touch()
    time.sleep(600)


DEAF = """
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
time.sleep(600)
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_worker_that_is_killed_takes_its_bots_along(
    tmp_path: Path, number: signal.Signals
) -> None:
    deaf = bot(DEAF, tmp_path / "deaf")
    with pytest.raises(BrokenExecutor), workers(2) as pool:  # noqa: PT012
        started = pool.submit(start_bot, deaf).result()
        os.kill(parent_of(started), number)
        pool.submit(time.sleep, 600).result()

    assert not alive(started)


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])


def test_bots_of_the_program_itself_are_not_for_workers_to_end(tmp_path: Path) -> None:
    bundle = read_bundle(folder := bot(DEAF, tmp_path / "deaf"))
    own = BotProcess(Program(tuple(argv(bundle.command, folder)), folder), Limits())
    own.start()
    try:
        with workers(1) as pool:
            assert pool.submit(strays.end).result() == 0
            os.kill(pool.submit(os.getpid).result(), signal.SIGTERM)
            with pytest.raises(BrokenExecutor):
                pool.submit(time.sleep, 600).result()

        assert alive(own.pid)
    finally:
        own.stop(0)


def test_orphans_of_bots_end_with_the_match_also_where_the_program_had_bots_before(
    tmp_path: Path,
) -> None:
    """Adopting is nothing that a worker inherits, though it remembers that it was done."""
    note = tmp_path / "orphan"
    escape = f"""
    import os, time
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            open({str(note)!r}, "a").write(f"{{os.getpid()}}\\n")
            time.sleep(600)
        os._exit(0)
    os.wait()
    """
    folder = bot(escape + FIRST, tmp_path / "bot")
    strays.adopt()
    with workers(1) as pool:
        pool.submit(play_tasks, [task(folder)]).result()

        orphans = [int(line) for line in note.read_text().split()]
        assert len(orphans) == 2
        assert not any(map(alive, orphans))


def test_nothing_is_left_of_two_hundred_matches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "scratch"))
    (tmp_path / "scratch").mkdir()
    quick = tmp_path / "quick"
    quick.mkdir()
    (quick / "bot").write_text("#!/bin/sh\nexit 1\n")
    (quick / "bot").chmod(0o755)
    played = task(bot(FIRST, tmp_path / "bot"))
    with workers(1) as pool:
        pool.submit(play_tasks, [played]).result()
        before = pool.submit(footprint).result()
        for _ in range(2):
            for deal in range(95):
                pool.submit(play_tasks, [task(quick, deal)]).result()
            for _ in range(5):
                pool.submit(play_tasks, [played]).result()

        assert pool.submit(footprint).result() == before
    assert list((tmp_path / "scratch").iterdir()) == []


def footprint() -> tuple[int, list[int], list[Path], int]:
    """Return open descriptors, children, scratch folders, and live threads of this process."""
    return (
        len(list(Path("/proc/self/fd").iterdir())),
        children(),
        list(Path(tempfile.gettempdir()).iterdir()),
        threading.active_count(),
    )


SAYS_WHEN = """
import os
me = f"{{os.getppid()}} {{os.getpid()}} {{sorted(os.sched_getaffinity(0))}}"
note({path!r}, "begins " + me)
play(lambda number, legal: 0)
note({path!r}, "ends " + me)
"""


def test_never_more_matches_live_than_there_are_workers(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    folder = bot(SAYS_WHEN.format(path=str(notes)), tmp_path / "bot")
    with workers(3) as pool:
        for one in [pool.submit(play_tasks, [task(folder, deal)]) for deal in range(12)]:
            one.result()

    live: dict[str, set[str]] = {}
    core_of: dict[str, set[str]] = {}
    most = 0
    for line in notes.read_text().splitlines():
        change, worker, pid, core = line.split(maxsplit=3)
        seats = live.setdefault(worker, set())
        (seats.add if change == "begins" else seats.remove)(pid)
        assert len(seats) <= 2
        most = max(most, sum(map(len, live.values())))
        core_of.setdefault(worker, set()).add(core)
    assert 2 < most <= 6
    assert len(core_of) == 3
    assert all(len(used) == 1 for used in core_of.values())
    assert set().union(*core_of.values()) <= {f"[{core}]" for core in cores()}


def test_log_records_of_workers_come_home(caplog: pytest.LogCaptureFixture) -> None:
    log = logging.getLogger("arena.tests")
    with caplog.at_level(logging.INFO):
        with collected_logs(), workers(1) as pool:
            pool.submit(log.info, "%s of %d", "a record", 1).result()

        assert ("arena.tests", logging.INFO, "a record of 1") in caplog.record_tuples


def test_a_worker_that_dies_while_it_logs_holds_nobody_up() -> None:
    began = time.monotonic()
    with pytest.raises(BrokenExecutor), collected_logs(), workers(2) as pool:
        pool.submit(log_and_die, 500).result()

    assert time.monotonic() - began < 3


def log_and_die(records: int) -> None:
    for _ in range(records):
        logging.getLogger("arena.tests").critical("x" * 100)
    os.kill(os.getpid(), signal.SIGKILL)
