"""Who plays matches for a runner: the workers of this machine, or those of a cluster."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

from arena.tournament.machine import ONE_EACH, Sharing
from arena.tournament.match import MatchTask
from arena.tournament.workers import collected_logs, workers

Chunk = tuple[MatchTask, ...]
"""What a worker is handed: matches for the same processes, mostly one."""


class MatchExecutor(Protocol):
    """Plays chunks of matches, as many at a time as it can, and writes no results."""

    @property
    def room(self) -> int:
        """How many chunks it takes: those in play, and as many that wait for them to end."""

    def submit(self, play: Callable[[Chunk], list[bytes]], chunk: Chunk, /) -> Future[list[bytes]]:
        """Schedule ``play(chunk)``, which returns records as lines.

        The future raises `arena.tournament.workers.NotBegun` if it is not begun any more,
        `BrokenExecutor` if all workers are gone and with them other matches too, and anything else
        if this chunk was spoilt.
        """

    def halt(self) -> None:
        """Begin no further match. Those that were begun are finished."""

    def death(self, chunk: Future[list[bytes]]) -> str | None:
        """Return how a worker died at a ``chunk`` that raises `BrokenExecutor`, if it did."""

    def news(self) -> Iterable[str]:
        """Return what is worth a line since it was asked last.

        Raises:
            HostFault: no match can be played any more.
        """


Executors = Callable[[int], AbstractContextManager[MatchExecutor]]
"""Makes an executor that plays so many matches at a time; on the way out all of them end."""


@contextmanager
def local(jobs: int, sharing: Sharing = ONE_EACH) -> Iterator[MatchExecutor]:
    """Yield an executor of ``jobs`` worker processes on this machine."""
    with collected_logs(), workers(jobs, sharing) as pool:
        yield pool
