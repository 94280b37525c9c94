import os
import signal
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from arena.errors import HostFault
from arena.players.strays import family
from arena.tournament.cluster.errands import Errand, Lacking, pack, perform
from arena.tournament.cluster.outpost import NAME, Deputy, Replaced
from arena.tournament.cluster.outpost import perform as perform_here
from arena.tournament.machine import cores
from arena.tournament.tasks import play_tasks
from tests.dask_cluster import gone
from tests.tournament.test_match import task
from tests.whole_arena import FIRST, bot, holds

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("cluster")]

STANDS = """
import time
def choose(number, legal):
    note({asked!r}, "asked")
    time.sleep(60)
play(choose)
"""


@pytest.fixture
def deputy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Deputy]:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    made = Deputy()
    yield made
    if not made.ended:
        made.end()
    assert not list(tmp_path.glob("arena-worker-*"))


def test_a_deputy_does_one_thing_after_another_in_a_process_of_its_own(deputy: Deputy) -> None:
    assert deputy.do(os.getpid) == deputy.pid
    assert deputy.do(partial(divmod, 17, 5)) == (3, 2)


def test_what_goes_wrong_there_goes_wrong_here_and_the_deputy_goes_on(deputy: Deputy) -> None:
    with pytest.raises(ZeroDivisionError):
        deputy.do(partial(divmod, 1, 0))

    assert deputy.do(os.getpid) == deputy.pid


def test_deputies_have_a_core_each_while_there_are_cores(deputy: Deputy) -> None:
    deputy.do(os.getpid)
    if Path("/proc/net/unix").read_text().count("@arena/core/") > 1:
        pytest.skip("another cluster has workers here")
    other = Deputy()
    try:
        found = [one.do(partial(os.sched_getaffinity, 0)) for one in (deputy, other)]
    finally:
        other.end()

    assert [len(one) for one in found] == [1, 1]
    assert len(set.union(*found)) == min(2, len(cores()))


def test_a_deputy_that_is_killed_is_a_fault_of_the_host(deputy: Deputy) -> None:
    with pytest.raises(HostFault, match="its worker was ended by SIGKILL"):
        deputy.do(partial(signal.raise_signal, signal.SIGKILL))

    assert deputy.ended
    with pytest.raises(HostFault, match="SIGKILL"):
        deputy.do(os.getpid)


def test_a_match_that_nobody_waits_for_ends_with_its_bots(deputy: Deputy, tmp_path: Path) -> None:
    asked = tmp_path / "asked"
    stands = bot(STANDS.format(asked=str(asked)), tmp_path / "stands")
    first = bot(FIRST, tmp_path / "first")
    match = task(stands, stands, first)
    parcels = pack((match,), {seat.digest for seat in match.seats})
    order = partial(perform, Errand.of(NAME, play_tasks, (match,), parcels), tmp_path / "cache")
    below: list[int] = []

    def wanted() -> bool:
        below[:] = family(deputy.pid)
        return not asked.exists()

    with pytest.raises(HostFault, match="nobody waits for it any more"):
        deputy.do(order, wanted)

    assert len(below) > 2
    assert gone(below)


def test_a_deputy_ends_by_itself_once_its_worker_is_gone(deputy: Deputy) -> None:
    assert deputy.do(os.getpid) == deputy.pid

    deputy._connection.close()

    assert holds(lambda: deputy.ended, 3.0)


def test_a_deputy_that_does_not_leave_is_killed(
    deputy: Deputy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.tournament.cluster.outpost._LEAVE_S", 0.2)
    deputy.do(os.getpid)
    os.kill(deputy.pid, signal.SIGSTOP)
    began = time.monotonic()

    deputy.end()

    assert time.monotonic() - began < 5
    assert deputy.ended


def test_an_errand_for_the_process_before_this_one_is_not_done() -> None:
    errand = Errand.of("another", play_tasks, (task(),))

    with pytest.raises(Replaced):
        perform_here(errand)


def test_a_deputy_asks_for_bots_that_its_machine_lacks(deputy: Deputy, tmp_path: Path) -> None:
    match = task(*[bot(FIRST, tmp_path / "first")] * 3)

    answer = deputy.do(partial(perform, Errand.of(NAME, play_tasks, (match,)), tmp_path / "cache"))

    assert answer == Lacking((match.seats[0].digest,))
