"""Plays what is open of a tournament: hands matches to an executor, and is the only writer.

A match is stored, durably, before anybody is told of it. What has no record is played, so a run
that was stopped or killed goes on as if nothing had been.
"""

import logging
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import msgspec

from arena.errors import ArenaError, HostFault
from arena.players.bundle import argv, unpack
from arena.players.process import Program
from arena.referee.fixture import Fixture
from arena.referee.limits import Limits
from arena.referee.record import MatchRecord, decode_record, encode_record
from arena.store.db import Store
from arena.store.lock import hold
from arena.store.matches import add_matches, add_void, void_attempts
from arena.store.snapshots import load_bundle
from arena.store.tournaments import Tournament, finish, get_tournament, list_entries, open_fixtures
from arena.tournament.match import Entrant, MatchTask, play_match
from arena.tournament.plan import TIER
from arena.tournament.workers import collected_logs, workers

ATTEMPTS = 3
"""How often a match is tried that the host spoils."""

POOLS = 3
"""How many pools of workers in a row may break without a match between them."""

_LOOK_S = 0.2
"""How soon a wish to stop is seen."""

log = logging.getLogger(__name__)


class Report(Protocol):
    """Whoever wants to know how a tournament goes."""

    def played(self, record: MatchRecord, done: int, total: int) -> None:
        """A match is stored; ``done`` of ``total`` are."""

    def remark(self, text: str) -> None:
        """Something is worth a line."""


@dataclass(slots=True)
class Stop:
    """A wish to stop: matches that are being played are finished, no others begun."""

    asked: bool = False


@dataclass(slots=True)
class _Run:
    store: Store
    tournament: Tournament
    report: Report
    stop: Stop
    done: int
    total: int
    spoilt: dict[str, int] = field(default_factory=dict)


def run(store: Store, tournament: str, jobs: int, report: Report, stop: Stop) -> Tournament:
    """Play all open matches of ``tournament`` (an id); after the last one, its secret is public.

    Returns:
        The tournament; it is finished unless ``stop`` was asked for.

    Raises:
        UsageError: another process plays it.
        HostFault: a match was spoilt `ATTEMPTS` times, or workers keep dying; what was played is
            kept.
    """
    with hold(store, tournament):
        progress = get_tournament(store, tournament)
        going = _Run(
            store=store,
            tournament=progress.tournament,
            report=report,
            stop=stop,
            done=progress.played,
            total=progress.total,
            spoilt=dict(void_attempts(store, tournament)),
        )
        broken = 0
        while (tasks := _tasks(going)) and not stop.asked:
            before = going.done
            try:
                with collected_logs(), workers(min(jobs, len(tasks))) as pool:
                    _play(pool, going, iter(tasks), 2 * jobs)
            except BrokenExecutor:
                # A worker died: the matches it held are played again by new ones.
                broken = 1 if going.done > before else broken + 1
                report.remark("a worker died; its matches are played again")
                if broken >= POOLS:
                    raise HostFault("workers keep dying: is the machine out of memory?") from None
        if stop.asked and tasks:
            return going.tournament
        return finish(store, tournament)


def _tasks(going: _Run) -> list[MatchTask]:
    """Return what is open, with everything that a worker needs for it."""
    tournament = going.tournament
    fixtures = open_fixtures(going.store, tournament.id)
    entrants = _unpacked(going.store, tournament.id) if fixtures else {}
    return [
        _task(tournament, fixture, entrants, going.spoilt.get(fixture.match, 0) + 1)
        for fixture in fixtures
    ]


def match_task(store: Store, tournament: Tournament, fixture: Fixture) -> MatchTask:
    """Return what it takes to play one ``fixture`` of a stored ``tournament``."""
    return _task(tournament, fixture, _unpacked(store, tournament.id), attempt=1)


def _task(
    tournament: Tournament, fixture: Fixture, entrants: Mapping[str, Entrant], attempt: int
) -> MatchTask:
    return MatchTask(
        tournament=tournament.id,
        suite=tournament.suite,
        key=tournament.key,
        fixture=fixture,
        seats=tuple(entrants[bot] for bot in fixture.bots),
        limits=msgspec.convert(tournament.parameters["limits"], type=Limits),
        tier=TIER,
        rated=tournament.rated,
        attempt=attempt,
    )


def _unpacked(store: Store, tournament: str) -> dict[str, Entrant]:
    """Return the bots of ``tournament`` by name, each with its snapshot laid out for reading."""
    entrants = {}
    for entry in list_entries(store, tournament):
        bundle = load_bundle(store, entry.digest, entry.bot)
        folder = snapshot_folder(store, entry.digest)
        unpack(bundle, folder)
        program = Program(argv=tuple(argv(bundle.command, folder)), folder=folder)
        entrants[entry.bot] = Entrant(entry.bot, entry.digest, program)
    return entrants


def snapshot_folder(store: Store, digest: str) -> Path:
    """Return where the snapshot ``digest`` lies unpacked while it plays."""
    return store.home.absolute() / "snapshots" / digest.removeprefix("sha256:")[:32]


def _play(pool: Executor, going: _Run, waiting: Iterator[MatchTask], most: int) -> None:
    """Keep ``pool`` busy until nothing is waiting, or somebody wants to stop.

    It holds up to ``most`` matches: more than it has workers, so that none waits for the next.
    """
    playing: dict[Future[bytes], MatchTask] = {}
    while True:
        if going.stop.asked:
            for match in [match for match in playing if match.cancel()]:
                del playing[match]
        else:
            while len(playing) < most and (task := next(waiting, None)):
                playing[pool.submit(play_task, task)] = task
        if not playing:
            return
        done, _ = wait(playing, timeout=_LOOK_S, return_when=FIRST_COMPLETED)
        again = _keep(going, [(match, playing.pop(match)) for match in done])
        playing |= {pool.submit(play_task, task): task for task in again}


def play_task(task: MatchTask) -> bytes:
    """Play ``task`` in this process and return its record as a line.

    Raises:
        HostFault: whatever went wrong that was no bot's fault.
    """
    try:
        return encode_record(play_match(task))
    except HostFault:
        raise
    except Exception as error:
        log.exception("match %s", task.fixture.match)
        raise HostFault(f"{type(error).__name__}: {error}") from None


def _keep(going: _Run, ended: Iterable[tuple[Future[bytes], MatchTask]]) -> list[MatchTask]:
    """Store the records of matches that ended, tell of them, and return what is void."""
    lines, void, broken = [], [], None
    for match, task in ended:
        try:
            lines.append(match.result())
        except HostFault as fault:
            void.append((task, fault))
        except BrokenExecutor as error:
            broken = error
    if lines:
        add_matches(going.store, going.tournament.id, lines)
    for line in lines:
        going.done += 1
        going.report.played(decode_record(line), going.done, going.total)
    if broken:
        raise broken
    return [_again(going, task, fault) for task, fault in void]


def _again(going: _Run, task: MatchTask, fault: ArenaError) -> MatchTask:
    match = task.fixture.match
    spoilt = add_void(going.store, going.tournament.id, match, str(fault))
    going.report.remark(f"{match} is void and played again: {fault}")
    if spoilt % ATTEMPTS == 0:
        raise HostFault(f"{match} was void {spoilt} times: {fault}")
    return task.again()
