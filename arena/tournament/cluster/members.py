"""The runner's side of a Dask cluster: which of its workers can play, and which match each plays.

Every match goes to a worker that the runner has chosen, so that none goes to one that it has not
looked at, and that it knows which match was lost with a worker. All that happens, a match that is
handed in as well as one that ended, is an event in a queue, and one thread sees to one after the
other.
"""

import logging
import pickle
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor, Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any

from arena.errors import HostFault, UsageError
from arena.tournament.cluster import outpost
from arena.tournament.cluster.client import Client, client_of
from arena.tournament.cluster.errands import Errand, Lacking, Parcel, Terms, Unfit, pack, sealed
from arena.tournament.executor import Chunk
from arena.tournament.workers import NotBegun
from arena.wire.escape import printable

_JOIN_S = 10.0
"""How long the first worker may take to join."""

_ANSWER_S = 60.0
"""How long those that are there may take to say what they have, sandbox and all."""

_LOOK_S = 0.5
"""How soon it is seen that a worker was lost, or joined."""

_SILENCE_S = 30.0
"""How long the scheduler may be out of touch."""

_ALONE_S = 600.0
"""How long matches wait for a worker when none is left."""

_STOP_S = 2.0
_SHOWN = 200

log = logging.getLogger(__name__)


@dataclass(slots=True, eq=False)
class _Assignment:
    """A chunk of matches, mostly one, that is to be played, or is being played."""

    play: Callable[[Chunk], list[bytes]]
    chunk: Chunk
    future: Future[list[bytes]] = field(default_factory=Future)
    doing: Future[Any] | None = None
    """What a worker was sent of it last; ``None`` while no worker has it."""


@dataclass(slots=True, eq=False)
class _Member:
    """A worker of the cluster."""

    address: str
    executor: Executor
    """Of this worker alone."""

    name: str = ""
    """What its process calls itself; empty until it is found fit to play."""

    refused: str = ""
    """Why it is not."""

    assignments: list[_Assignment] = field(default_factory=list)
    """The one that it plays, and the one that it plays next."""


class Cluster:
    """Plays matches on the workers of a Dask cluster; an `arena.tournament.executor.MatchExecutor`.

    `check` comes first, then `playing` as often as is wanted.
    """

    def __init__(self, client: Client, address: str) -> None:
        """Play on the cluster of which ``client`` is a client and ``address`` the scheduler's."""
        self.address = address
        self.fit = 0
        """How many workers there are that can play."""

        self._client = client
        self._terms: Terms | None = None
        self._members: dict[str, _Member] = {}
        self._waiting: deque[_Assignment] = deque()
        self._events: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._news: deque[str] = deque()
        self._failure: HostFault | None = None
        self._jobs = 0
        self._halted = False
        self._look_at = 0.0
        self._heard = self._manned = time.monotonic()

    def check(self, terms: Terms) -> None:
        """Have only workers play that meet ``terms``.

        Raises:
            UsageError: there is none, or one does not; the line says what to do.
        """
        self._terms = terms
        self._members.clear()
        self.fit = 0
        began = time.monotonic()
        patience = _JOIN_S
        while time.monotonic() - began < patience:
            self._step()
            if self._members:
                patience = _ANSWER_S
                if all(one.name or one.refused for one in self._members.values()):
                    break
        for one in self._members.values():
            if one.refused:
                raise UsageError(f"worker {one.address}: {one.refused}")
        if not self._members:
            raise UsageError(
                f"no worker has joined {self.address}: "
                f"`dask worker {self.address} --nthreads 1` starts one"
            )
        if not self.fit:
            raise UsageError(f"no worker of {self.address} answers: are they busy?")

    @contextmanager
    def playing(self, jobs: int) -> Iterator["Cluster"]:
        """Play up to ``jobs`` matches at a time inside; on the way out, drop those in play."""
        self._jobs, self._halted = jobs, False
        self._heard = self._manned = time.monotonic()
        leaving = threading.Event()
        steward = threading.Thread(target=self._attend, args=(leaving,), daemon=True)
        steward.start()
        try:
            yield self
        finally:
            leaving.set()
            self._events.put(_nothing)
            steward.join(_STOP_S)
            self._catch_up()
            self._waiting.clear()
            for member in self._members.values():
                # A worker sees that its match is not wanted any more, and ends it.
                while member.assignments:
                    _take_back(member.assignments.pop())

    @property
    def room(self) -> int:
        """How many matches it takes: those in play, those played next, and as many to choose."""
        return 3 * max(1, min(self._jobs, self.fit))

    def submit(self, play: Callable[[Chunk], list[bytes]], chunk: Chunk, /) -> Future[list[bytes]]:
        """Schedule ``play(chunk)`` on one of the workers."""
        assignment = _Assignment(play, chunk)
        self._events.put(partial(self._waiting.append, assignment))
        return assignment.future

    def halt(self) -> None:
        """Begin no further match. Those that were begun are finished."""
        self._halted = True
        self._events.put(_nothing)

    def death(self, chunk: Future[list[bytes]]) -> str | None:  # noqa: ARG002 - see `MatchExecutor`
        """Return ``None``: a worker that is lost takes no other match with it than its own."""
        return None

    def news(self) -> Iterable[str]:
        """Return who joined too late, and whether anybody is left.

        Raises:
            HostFault: the scheduler is gone, or nobody has joined for long.
        """
        if self._failure:
            raise self._failure
        found = []
        with suppress(IndexError):
            while True:
                found.append(self._news.popleft())
        return found

    def _attend(self, leaving: threading.Event) -> None:
        """See to what happens, until it is time to leave."""
        try:
            while not leaving.is_set():
                self._step()
        except HostFault as error:
            self._failure = error
        except Exception as error:
            # Nobody else would hear of it.
            log.info("cluster %s", self.address, exc_info=True)
            text = printable(f"{type(error).__name__}: {error}", _SHOWN)
            self._failure = HostFault(
                f"the scheduler at {self.address} is gone"
                if self._client.status == "closed"
                else f"the cluster at {self.address} failed: {text}"
            )

    def _step(self) -> None:
        """Wait for something to happen, see to it, and give work to those who have none."""
        with suppress(Empty):
            self._events.get(timeout=max(0.001, self._look_at - time.monotonic()))()
        self._catch_up()
        if time.monotonic() >= self._look_at:
            self._look()
            self._look_at = time.monotonic() + _LOOK_S
        if self._halted:
            self._stand_by()
        else:
            self._hand_out()

    def _catch_up(self) -> None:
        """See to all that has happened by now."""
        with suppress(Empty):
            while True:
                self._events.get_nowait()()

    def _hand_out(self) -> None:
        """Give a match to who has none, and while there are many the next to who has one.

        So nobody waits for news to travel, and towards the end nobody waits for a match that
        another has in store.
        """
        fit = [member for member in self._members.values() if member.name]
        busy = [member for member in fit if member.assignments]
        idle = [member for member in fit if not member.assignments]
        for member in idle[: max(0, self._jobs - len(busy))]:
            if self._waiting:
                self._send(member, self._waiting.popleft())
        for member in busy:
            if len(member.assignments) == 1 and len(self._waiting) > len(fit):
                self._send(member, self._waiting.popleft())

    def _stand_by(self) -> None:
        """Begin nothing more."""
        for member in self._members.values():
            while len(member.assignments) > 1:
                assignment = member.assignments.pop()
                _take_back(assignment)
                self._waiting.append(assignment)
        while self._waiting:
            self._waiting.popleft().future.set_exception(NotBegun())

    def _look(self) -> None:
        """See who has joined, and who was lost."""
        now = time.monotonic()
        try:
            there: Mapping[str, int] = self._client.nthreads()
        except Exception as error:  # noqa: BLE001 - of many types, and all mean the same
            log.debug("no answer of %s: %s", self.address, error)
            if self._client.status == "closed" or now - self._heard > _SILENCE_S:
                raise HostFault(f"the scheduler at {self.address} is gone") from None
            return
        self._heard = now
        for address in self._members.keys() - there.keys():
            self._lose(address)
        for address in there.keys() - self._members.keys():
            self._invite(address, there[address])
        if self.fit or not self._waiting:
            self._manned = now
        elif now - self._manned > _ALONE_S:
            raise HostFault(f"no worker of {self.address} is left")

    def _invite(self, address: str, threads: int) -> None:
        """Ask the worker at ``address`` what it plays with."""
        executor = self._client.get_executor(workers=[address], pure=False)
        member = self._members[address] = _Member(address, executor)
        if threads != 1:
            self._refuse(
                member,
                f"has {threads} threads, and has to play one match at a time: start it with "
                "--nthreads 1",
            )
        elif self._terms:
            asked = executor.submit(pickle.load, sealed(outpost.equipment, self._terms.tier.value))
            self._await(asked, partial(self._answered, member))

    def _await(self, doing: "Future[Any]", then: Callable[["Future[Any]"], None]) -> None:
        """Have ``then`` called once somebody has done what it is ``doing``."""
        doing.add_done_callback(lambda future: self._events.put(partial(then, future)))

    def _answered(self, member: _Member, asked: "Future[Any]") -> None:
        """Take in what a worker plays with."""
        if self._members.get(member.address) is not member:
            return
        if asked.cancelled():
            self._members.pop(member.address, None)  # to be asked again, if it is still there
            return
        if error := asked.exception():
            text = f"{type(error).__name__}: {error}"
            self._refuse(member, f"cannot run this arena: {printable(text, _SHOWN)}")
            return
        there = asked.result()
        if misfit := self._terms and self._terms.misfit(there):
            self._refuse(member, misfit)
            return
        member.name = there["name"]
        self.fit += 1

    def _refuse(self, member: _Member, why: str) -> None:
        """Let ``member`` play nothing, or nothing more."""
        self.fit -= bool(member.name)
        if not member.refused:
            self._news.append(f"worker {member.address} does not play: {why}")
        member.name, member.refused = "", why

    def _send(
        self, member: _Member, assignment: _Assignment, parcels: tuple[Parcel, ...] = ()
    ) -> None:
        """Have ``member`` do ``assignment``, and send it the bots that it lacks."""
        errand = Errand.of(member.name, assignment.play, assignment.chunk, parcels)
        member.assignments.append(assignment)
        assignment.doing = member.executor.submit(pickle.load, sealed(outpost.perform, errand))
        self._await(assignment.doing, partial(self._ended, member, assignment))

    def _ended(self, member: _Member, assignment: _Assignment, doing: "Future[Any]") -> None:
        """Hand on what came of a match."""
        if assignment.doing is not doing:
            return  # it was lost, or taken back
        assignment.doing = None
        member.assignments.remove(assignment)
        if doing.cancelled():
            self._waiting.appendleft(assignment)
            return
        error = doing.exception()
        if isinstance(error, Unfit):
            self._refuse(member, str(error))
            self._waiting.appendleft(assignment)
        elif isinstance(error, outpost.Replaced) or type(error).__name__ == "KilledWorker":
            member.assignments.insert(0, assignment)
            self._lose(member.address)
        elif error:
            assignment.future.set_exception(error)
        elif isinstance(answer := doing.result(), Lacking):
            try:
                self._send(member, assignment, pack(assignment.chunk, answer.digests))
            except HostFault as fault:
                assignment.future.set_exception(fault)
        else:
            assignment.future.set_result(answer)

    def _lose(self, address: str) -> None:
        """Take in that the worker at ``address`` is gone, and with it what it played."""
        member = self._members.pop(address)
        self.fit -= bool(member.name)
        for assignment in member.assignments:
            _take_back(assignment)
        for assignment in member.assignments[:1]:
            assignment.future.set_exception(HostFault(f"its worker {address} was lost"))
        self._waiting.extendleft(member.assignments[1:])
        if member.name and not self.fit:
            self._news.append(f"no worker of {self.address} is left: waiting for one to join")


def _take_back(assignment: _Assignment) -> None:
    """Take ``assignment`` back from the worker that has it."""
    doing, assignment.doing = assignment.doing, None
    if doing:
        doing.cancel()


def _nothing() -> None:
    """Wake up whoever waits for an event."""


@contextmanager
def connected(address: str) -> Iterator[Cluster]:
    """Yield the cluster whose scheduler is at ``address``, see `arena.tournament.cluster.client`.

    Raises:
        UsageError: there is none, or what it takes to talk to it is not installed.
    """
    with client_of(address) as client:
        yield Cluster(client, address)
