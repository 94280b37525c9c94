"""Where matches are played: on this machine, or on a cluster."""

from dataclasses import dataclass
from functools import partial
from typing import Annotated

import typer

from arena.errors import UsageError
from arena.store.tournaments import Tournament
from arena.tournament.cluster.errands import Terms
from arena.tournament.cluster.members import Cluster, connected
from arena.tournament.executor import Executors, local
from arena.tournament.machine import ONE_EACH, Sharing, carries, cores
from arena.tournament.settings import MOST_JOBS, Settings

CoresPerMatch = Annotated[
    int | None,
    typer.Option(
        "--cores-per-match",
        metavar="N",
        min=1,
        max=MOST_JOBS,
        help="Give each match N cores of its own, for bots with threads; as a rule it has one.",
    ),
]
Oversubscribe = Annotated[
    int | None,
    typer.Option(
        "--oversubscribe",
        metavar="N",
        min=1,
        max=MOST_JOBS,
        help="Play N matches at a time on the same core, for bots that mostly wait.",
    ),
]
On = Annotated[
    str | None,
    typer.Option(
        "--on",
        metavar="ADDRESS",
        help="Play on a Dask cluster, whose scheduler is at tcp://HOST:PORT or tls://HOST:PORT.",
    ),
]


@dataclass(frozen=True, slots=True)
class Place:
    """Where matches are played, and how many at a time."""

    jobs: int | None
    """As many as that, on a cluster not more; ``None``: as many as the cluster has workers."""

    cluster: Cluster | None = None
    sharing: Sharing = ONE_EACH
    """Of the cores of this machine."""

    @property
    def workers(self) -> int:
        """How many matches are played at a time; of a cluster it is known once it is prepared."""
        if self.cluster is None:
            return self.jobs or self.sharing.at_once(carries())
        # Others may join: it is for the user to say how many are too many.
        return min(self.jobs, self.cluster.fit) if self.jobs else self.cluster.fit

    @property
    def most(self) -> int:
        """What `arena.tournament.runner.run` is to be told to play at a time."""
        return self.workers if self.cluster is None else self.jobs or _ALL

    @property
    def at_once(self) -> int:
        """How many of these the place carries, see `Sharing.at_once`; others wait for cores."""
        if self.cluster is None:
            return min(self.workers, self.sharing.at_once(carries()))
        return self.workers

    @property
    def executors(self) -> Executors:
        """What makes an executor that plays there."""
        if self.cluster is None:
            return partial(local, sharing=self.sharing)
        return self.cluster.playing

    def prepare(self, going: Tournament) -> None:
        """Raise `UsageError` unless matches of ``going`` can be played there as it demands."""
        if self.cluster is not None:
            self.cluster.check(Terms.of(going.parameters))


_ALL = 1_000_000
"""More workers than a cluster has."""


def place_at(
    context: typer.Context,
    on: str | None,
    jobs: int | None,
    cores_per_match: int | None,
    oversubscribe: int | None,
    settings: Settings,
) -> Place:
    """Return the place that the options mean, for as long as the command of ``context`` runs.

    Args:
        context: of the command, which leaves the cluster at its end.
        on: the address of a cluster's scheduler; ``None`` is this machine.
        jobs: matches at a time, if the user says so.
        cores_per_match: of this machine, if the user says so.
        oversubscribe: matches on the same cores of this machine, if the user says so.
        settings: those of the home; ``jobs`` there is about this machine alone.

    Raises:
        UsageError: there is no cluster, or this machine has not so many cores.
    """
    if on is None:
        sharing = _sharing(cores_per_match, oversubscribe)
        return Place(jobs or settings.jobs, sharing=sharing)
    if cores_per_match or oversubscribe:
        raise UsageError(
            "with --on, every worker has one core and plays one match at a time: leave out "
            "--cores-per-match and --oversubscribe"
        )
    return Place(jobs, context.with_resource(connected(on)))


def _sharing(cores_per_match: int | None, oversubscribe: int | None) -> Sharing:
    """Return how matches share the cores of this machine.

    Raises:
        UsageError: it has not so many.
    """
    there = len(cores())
    if (cores_per_match or 1) > there:
        noun = "core" if there == 1 else "cores"
        raise UsageError(f"--cores-per-match {cores_per_match}: this machine gives {there} {noun}")
    return Sharing(cores_per_match or 1, oversubscribe or 1)
