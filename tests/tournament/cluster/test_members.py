"""Which worker plays which match, on a cluster whose workers are threads of this process."""

import pickle
import re
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from arena.errors import HostFault, UsageError
from arena.players.process import Program
from arena.players.tier import Tier
from arena.tournament.cluster import members as module
from arena.tournament.cluster.errands import Errand, Lacking, Terms, Unfit, equipment
from arena.tournament.cluster.members import Cluster
from arena.tournament.cluster.outpost import Replaced
from arena.tournament.match import Entrant, MatchTask
from arena.tournament.tasks import play_tasks
from arena.tournament.workers import NotBegun
from tests.tournament.test_match import task
from tests.whole_arena import holds

ADDRESS = "tcp://127.0.0.1:8786"
FIT = Terms(Tier.NONE, {})


class Worker(Executor):
    """A worker of Dask's, as far as the runner knows one: one thread, that does sealed calls."""

    def __init__(self, name: str, does: Callable[[Errand], Any], **differs: Any) -> None:
        self.name = name
        self.threads = 1
        self.sent = 0
        """How many calls it was sent."""

        self.begun: list[int] = []
        """Numbers of the deals of which matches were begun."""

        self._does = does
        self._equipment = {**equipment("none"), "name": name, **differs}
        self._thread = ThreadPoolExecutor(1)

    def submit(self, load: Any, call: BinaryIO, /) -> Future[Any]:  # type: ignore[override]
        assert load is pickle.load
        self.sent += 1
        own = {"equipment": lambda tier: self._equipment, "perform": self._perform}

        class Opened(pickle.Unpickler):
            def find_class(self, where: str, name: str) -> Any:
                at_hand = own if where == "arena.tournament.cluster.outpost" else {}
                return at_hand.get(name) or super().find_class(where, name)

        return self._thread.submit(Opened(call).load)

    def _perform(self, errand: Errand) -> Any:
        self.begun.append(errand.chunk[0].fixture.deal)
        return self._does(errand)


class Dask:
    """A client of Dask's that knows these workers."""

    status = "running"

    def __init__(self, *workers: Worker) -> None:
        self.workers = {f"tcp://{one.name}:1": one for one in workers}
        self.refused = 0

    def nthreads(self) -> dict[str, int]:
        if self.status != "running":
            self.refused += 1
            raise OSError("nobody there")
        return {address: one.threads for address, one in self.workers.items()}

    def get_executor(self, *, workers: list[str], pure: bool) -> Executor:
        assert not pure
        (address,) = workers
        return self.workers[address]


class Gate:
    """Holds matches up until it is opened."""

    def __init__(self) -> None:
        self._open = threading.Event()

    def __call__(self, errand: Errand) -> list[bytes]:
        self.wait()
        return answer(errand)

    def wait(self) -> None:
        assert self._open.wait(20)

    def open(self) -> None:
        self._open.set()


def answer(errand: Errand) -> list[bytes]:
    return [b"%d" % errand.chunk[0].fixture.deal]


BLANK = task()


def match(deal: int) -> MatchTask:
    return replace(BLANK, fixture=replace(BLANK.fixture, deal=deal))


@pytest.fixture
def gate() -> Iterator[Gate]:
    made = Gate()
    yield made
    made.open()


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_LOOK_S", 0.01)


def ready(*workers: Worker) -> tuple[Cluster, Dask]:
    dask = Dask(*workers)
    cluster = Cluster(dask, ADDRESS)
    cluster.check(FIT)
    return cluster, dask


def failure(cluster: Cluster) -> str:
    """Return why nothing can be played any more, once it is so."""
    said: list[str] = []

    def told() -> bool:
        try:
            list(cluster.news())
        except HostFault as error:
            said.append(str(error))
        return bool(said)

    assert holds(told)
    return said[0]


def submitted(cluster: Cluster, count: int) -> list[Future[list[bytes]]]:
    return [cluster.submit(play_tasks, (match(deal),)) for deal in range(count)]


def test_matches_are_shared_out_and_each_future_has_its_own_record() -> None:
    one, two = Worker("one", answer), Worker("two", answer)
    cluster, _ = ready(one, two)

    with cluster.playing(2):
        found = [future.result(20) for future in submitted(cluster, 20)]

    assert found == [[b"%d" % deal] for deal in range(20)]
    assert sorted(one.begun + two.begun) == list(range(20))
    assert one.begun
    assert two.begun


def test_no_more_matches_are_played_at_a_time_than_wanted(gate: Gate) -> None:
    workers = [Worker(name, gate) for name in ("one", "two", "three")]
    cluster, _ = ready(*workers)

    with cluster.playing(2):
        assert cluster.room == 6
        futures = submitted(cluster, 3)
        assert holds(lambda: sum(len(one.begun) for one in workers) == 2)
        gate.open()
        assert [future.result(20) for future in futures] == [[b"0"], [b"1"], [b"2"]]

    assert sum(bool(one.begun) for one in workers) == 2


def test_halted_it_finishes_what_was_begun_and_nothing_else(gate: Gate) -> None:
    one = Worker("one", gate)
    cluster, _ = ready(one)

    with cluster.playing(1):
        first, *others = submitted(cluster, 6)
        # What it has, the match that it plays, and the next one.
        assert holds(lambda: one.sent == 3)
        cluster.halt()
        for future in others:
            assert isinstance(future.exception(20), NotBegun)
        gate.open()
        assert first.result(20) == [b"0"]

    assert one.begun == [0]


def test_a_lost_worker_spoils_what_it_played_and_what_it_had_in_store_is_played_elsewhere(
    gate: Gate,
) -> None:
    lost = Worker("lost", gate)
    cluster, dask = ready(lost)

    with cluster.playing(9):
        first, *others = submitted(cluster, 5)
        assert holds(lambda: lost.begun)
        dask.workers = {"tcp://new:1": Worker("new", answer)}
        assert [future.result(20) for future in others] == [[b"1"], [b"2"], [b"3"], [b"4"]]
        fault = first.exception(20)
        (news,) = cluster.news()

    assert isinstance(fault, HostFault)
    assert str(fault) == "its worker tcp://lost:1 was lost"
    assert news == f"no worker of {ADDRESS} is left: waiting for one to join"


def test_a_worker_that_was_replaced_at_its_address_counts_as_lost() -> None:
    def replaced(errand: Errand) -> list[bytes]:
        raise Replaced

    cluster, dask = ready(Worker("one", replaced))
    address = "tcp://one:1"

    with cluster.playing(1):
        dask.workers[address] = Worker("again", answer)
        fault = cluster.submit(play_tasks, (match(0),)).exception(20)
        assert cluster.submit(play_tasks, (match(1),)).result(20) == [b"1"]

    assert str(fault) == f"its worker {address} was lost"


def test_a_worker_that_cannot_start_a_bot_plays_nothing_more() -> None:
    def unfit(errand: Errand) -> list[bytes]:
        raise Unfit("node is not installed")

    bare = Worker("bare", unfit)
    cluster, _ = ready(bare, Worker("whole", answer))

    with cluster.playing(2):
        found = [future.result(20) for future in submitted(cluster, 9)]
        news = list(cluster.news())

    assert found == [[b"%d" % deal] for deal in range(9)]
    assert news == ["worker tcp://bare:1 does not play: node is not installed"]


def test_what_goes_wrong_in_a_match_is_its_futures_error() -> None:
    def fails(errand: Errand) -> list[bytes]:
        raise HostFault("no room")

    cluster, _ = ready(Worker("one", fails))

    with cluster.playing(1), pytest.raises(HostFault, match="no room"):
        cluster.submit(play_tasks, (match(0),)).result(20)


def test_a_bot_that_is_damaged_where_it_comes_from_voids_the_match(tmp_path: Path) -> None:
    digest = "sha256:" + "0" * 64
    seat = Entrant("gone", digest, Program((), tmp_path / "gone"))
    cluster, _ = ready(Worker("one", lambda errand: Lacking((digest,))))

    with cluster.playing(1), pytest.raises(HostFault, match="is not there"):
        cluster.submit(play_tasks, (replace(BLANK, seats=(seat,)),)).result(20)


def test_what_dask_drops_is_handed_out_again(monkeypatch: pytest.MonkeyPatch) -> None:
    dropped: Future[bytes] = Future()
    dropped.cancel()
    one = Worker("one", answer)
    cluster, _ = ready(one)
    answers = iter([dropped])
    submit = one.submit
    monkeypatch.setattr(one, "submit", lambda *call: next(answers, None) or submit(*call))

    with cluster.playing(1):
        found = cluster.submit(play_tasks, (match(4),))
        assert found.result(20) == [b"4"]
        assert cluster.death(found) is None


def test_a_scheduler_that_is_silent_for_a_while_ends_nothing(gate: Gate) -> None:
    cluster, dask = ready(Worker("one", gate))

    with cluster.playing(1):
        found = cluster.submit(play_tasks, (match(4),))
        dask.status = "connecting"
        assert holds(lambda: dask.refused > 2)
        dask.status = "running"
        gate.open()
        assert found.result(20) == [b"4"]
        assert list(cluster.news()) == []


def test_without_a_scheduler_nothing_can_be_played(gate: Gate) -> None:
    cluster, dask = ready(Worker("one", gate))

    with cluster.playing(1):
        submitted(cluster, 1)
        dask.status = "closed"

        assert failure(cluster) == f"the scheduler at {ADDRESS} is gone"


def test_what_a_run_left_behind_is_not_played_by_the_next(gate: Gate) -> None:
    one = Worker("one", gate)
    cluster, _ = ready(one)

    with cluster.playing(1):
        submitted(cluster, 3)
        assert holds(lambda: one.begun)
        cluster.submit(play_tasks, (match(8),))
    gate.open()
    with cluster.playing(1):
        assert cluster.submit(play_tasks, (match(9),)).result(20) == [b"9"]

    assert set(one.begun) <= {0, 1, 9}


@pytest.mark.parametrize(
    ("status", "why"),
    [("closed", "the scheduler at .* is gone"), ("running", "failed: ValueError: what is this")],
)
def test_what_goes_wrong_in_between_is_not_lost(
    monkeypatch: pytest.MonkeyPatch, status: str, why: str
) -> None:
    one = Worker("one", answer)
    cluster, dask = ready(one)

    def fails(*_: Any) -> Any:
        dask.status = status
        raise ValueError("what is this")

    monkeypatch.setattr(one, "submit", fails)

    with cluster.playing(1):
        submitted(cluster, 1)
        assert re.search(why, failure(cluster))


def test_matches_do_not_wait_for_ever_when_no_worker_is_left(
    monkeypatch: pytest.MonkeyPatch, gate: Gate
) -> None:
    monkeypatch.setattr(module, "_ALONE_S", 0.05)
    cluster, dask = ready(Worker("one", gate))

    with cluster.playing(1):
        submitted(cluster, 2)
        dask.workers.clear()
        assert failure(cluster) == f"no worker of {ADDRESS} is left"


REFUSED = [
    pytest.param([], 0.05, "no worker has joined tcp://127.0.0.1:8786: `dask worker", id="nobody"),
    pytest.param([{"arena": "9"}], 5.0, "worker tcp://w0:1: arena .* it has 9", id="version"),
    pytest.param([{}, {"lacking": "no bwrap"}], 5.0, "worker tcp://w1:1: no bwrap", id="tier"),
]


@pytest.mark.parametrize(("differences", "patience", "why"), REFUSED)
def test_a_cluster_that_does_not_meet_the_terms_is_refused(
    monkeypatch: pytest.MonkeyPatch, differences: list[dict[str, Any]], patience: float, why: str
) -> None:
    monkeypatch.setattr(module, "_JOIN_S", patience)
    workers = [Worker(f"w{n}", answer, **more) for n, more in enumerate(differences)]

    with pytest.raises(UsageError, match=why):
        ready(*workers)


def test_workers_that_are_busy_with_something_else_are_not_waited_for(
    monkeypatch: pytest.MonkeyPatch, gate: Gate
) -> None:
    monkeypatch.setattr(module, "_ANSWER_S", 0.1)
    busy = Worker("busy", gate)
    busy._thread.submit(gate.wait)

    with pytest.raises(UsageError, match="answers"):
        ready(busy)
