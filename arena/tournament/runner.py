"""Plays what is open of a tournament: hands matches to an executor, and is the only writer.

A match is stored, durably, before anybody is told of it. What has no record is played, so a run
that was stopped or killed goes on as if nothing had been.
"""

import logging
import traceback
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import Protocol

import msgspec

from arena.errors import HostFault, UsageError
from arena.games import get_game
from arena.players.bundle import argv, unpack
from arena.players.process import Program
from arena.players.sandbox import Tier, isolation
from arena.referee.fixture import Fixture
from arena.referee.limits import Limits
from arena.referee.record import MatchRecord, decode_record, encode_record
from arena.store.db import Store
from arena.store.lock import hold
from arena.store.matches import add_matches, add_void, void_attempts
from arena.store.snapshots import load_bundle
from arena.store.tournaments import (
    Tournament,
    finish,
    get_tournament,
    iter_open_fixtures,
    list_entries,
)
from arena.tournament.match import Entrant, MatchTask, play_match
from arena.tournament.workers import NotBegun, Workers, collected_logs, workers
from arena.wire.escape import printable

ATTEMPTS = 3
"""How often a match is tried that the host spoils."""

POOLS = 3
"""How many pools of workers in a row may break without a match between them."""

_LOOK_S = 0.2
"""How soon a wish to stop is seen."""

_REASON = 300
"""How many characters are kept of what went wrong."""

log = logging.getLogger(__name__)


class Report(Protocol):
    """Whoever wants to know how a tournament goes."""

    def played(self, record: MatchRecord, done: int, total: int) -> None:
        """A match is stored; ``done`` of ``total`` are."""

    def remark(self, text: str) -> None:
        """Something is worth a line."""


@dataclass(slots=True)
class Stop:
    """A wish to stop, for a signal's handler to set; it is seen soon, and never halfway."""

    asked: bool = False
    """Matches that are being played are finished, no others begun."""

    at_once: bool = False
    """Matches that are being played are dropped."""

    enough: bool = False
    """What the matches were to tell is known: the tournament is over, and the rest of its schedule
    stays unplayed."""


@dataclass(slots=True)
class _Run:
    store: Store
    tournament: Tournament
    report: Report
    stop: Stop
    done: int
    total: int
    in_order: bool
    """Nothing is to be played beyond a match that cannot be played."""

    spoilt: dict[str, int]
    """How often a match was void by now, by its id."""

    again: deque[MatchTask] = field(default_factory=deque)
    """Void matches, to be played once more."""

    hopeless: dict[str, str] = field(default_factory=dict)
    """Why a match that was spoilt too often is void, by its id."""

    @property
    def left(self) -> int:
        """How many matches have no record."""
        return self.total - self.done

    @property
    def ending(self) -> bool:
        """Whether no further match is to be begun."""
        return self.stop.asked or self.stop.enough or (self.in_order and bool(self.hopeless))


def run(store: Store, tournament: str, jobs: int, report: Report, stop: Stop) -> Tournament:
    """Play all open matches of ``tournament`` (an id); after the last one, its secret is public.

    One that is finished is left as it is, for its secret is public already.

    Returns:
        The tournament; it is finished unless ``stop`` was asked for.

    Raises:
        KeyboardInterrupt: ``stop`` was asked for at once.
        UsageError: another process plays it, or it cannot be played here as it was begun.
        HostFault: a match was spoilt `ATTEMPTS` times (all others are played first), or workers
            keep dying; what was played is kept.
    """
    with hold(store, tournament):
        progress = get_tournament(store, tournament)
        if progress.tournament.finished:
            return progress.tournament
        _check_conditions(progress.tournament)
        going = _Run(
            store=store,
            tournament=progress.tournament,
            report=report,
            stop=stop,
            done=progress.played,
            total=progress.total,
            in_order=progress.tournament.comparison is not None,
            spoilt=dict(void_attempts(store, tournament)),
        )
        broken = 0
        while going.left > len(going.hopeless) and not going.ending:
            before = going.done
            try:
                _play_open(going, min(jobs, going.left))
            except BrokenExecutor:
                # A worker died: the matches it held are played again by new ones.
                broken = 1 if going.done > before else broken + 1
                report.remark("a worker died; its matches are played again")
                if broken >= POOLS:
                    raise HostFault("workers keep dying: is the machine out of memory?") from None
        if stop.enough:
            return finish(store, tournament, early=True)
        if going.hopeless and not stop.asked:
            raise HostFault(next(iter(going.hopeless.values())))
        return going.tournament if going.left else finish(store, tournament)


def _check_conditions(tournament: Tournament) -> None:
    """Raise `UsageError` unless ``tournament`` can be gone on with as it was begun."""
    # What was begun in one tier is not gone on with in a lower one.
    isolation(Tier(tournament.parameters["tier"]))
    for name, version in tournament.parameters["rules_versions"].items():
        here = get_game(name).rules_version
        if here != version:
            raise UsageError(
                f"{tournament.id} was begun with version {version} of the rules of {name}, "
                f"and this arena has {here}"
            )


def _play_open(going: _Run, jobs: int) -> None:
    """Play what is open with ``jobs`` new workers."""
    tournament = going.tournament
    entrants = _unpacked(going.store, tournament.id)
    waiting = (
        _task(tournament, fixture, entrants, going.spoilt.get(fixture.match, 0) + 1)
        for fixture in iter_open_fixtures(going.store, tournament.id)
        if fixture.match not in going.hopeless
    )
    going.again.clear()
    with collected_logs(), workers(jobs) as pool:
        _play(pool, going, waiting, 2 * jobs)


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
        limits=msgspec.convert(tournament.parameters["limits"], type=Limits | None),
        tier=Tier(tournament.parameters["tier"]),
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


def _play(pool: Workers, going: _Run, waiting: Iterator[MatchTask], most: int) -> None:
    """Keep ``pool`` busy until nothing is waiting, or somebody wants to stop.

    It holds up to ``most`` matches: more than it has workers, so that none waits for the next.
    """
    playing: dict[Future[bytes], MatchTask] = {}
    while True:
        if going.stop.at_once:
            raise KeyboardInterrupt
        if going.ending:
            pool.halt()
        else:
            following = chain(_void(going), waiting)
            for task in islice(following, most - len(playing)):
                playing[pool.submit(play_task, task)] = task
        if not playing:
            return
        done, _ = wait(playing, timeout=_LOOK_S, return_when=FIRST_COMPLETED)
        _keep(going, [(match, playing.pop(match)) for match in done])


def _void(going: _Run) -> Iterator[MatchTask]:
    while going.again:
        yield going.again.popleft()


def play_task(task: MatchTask) -> bytes:
    """Play ``task`` in this process and return its record as a line.

    Raises:
        HostFault: whatever went wrong that was no bot's fault.
    """
    try:
        line = encode_record(play_match(task))
        # Somebody else's game may have put into it what is no record.
        decode_record(line)
    except HostFault:
        raise
    except BaseException as error:  # a game that exits must not end the runner either
        log.info("match %s", task.fixture.match, exc_info=True)
        said = traceback.format_exception_only(error)[-1].strip()
        raise HostFault(printable(said, _REASON)) from None
    return line


def _keep(going: _Run, ended: Sequence[tuple[Future[bytes], MatchTask]]) -> None:
    """Store the records of matches that ended and tell of them; see to those that are void."""
    lines, void, broken = [], [], None
    for match, task in ended:
        try:
            lines.append(match.result())
        except NotBegun:
            continue
        except BrokenExecutor as error:
            broken = error
        except Exception as error:  # noqa: BLE001 - mostly `HostFault`; all of it spoilt the match
            void.append((task, printable(str(error) or type(error).__name__, _REASON)))
    if lines:
        add_matches(going.store, going.tournament.id, lines)
    for line in lines:
        going.done += 1
        going.report.played(decode_record(line), going.done, going.total)
    _play_again(going, void)
    if broken:
        raise broken


def _play_again(going: _Run, void: Sequence[tuple[MatchTask, str]]) -> None:
    """Keep why matches are void, and have them played once more.

    One that was spoilt too often is put aside, so that no other match waits for it.
    """
    if void:
        # It may have been a snapshot that was changed where it lies: it is laid out again.
        _unpacked(going.store, going.tournament.id)
    for task, why in void:
        match = task.fixture.match
        spoilt = add_void(going.store, going.tournament.id, match, why)
        going.spoilt[match] = spoilt
        if spoilt % ATTEMPTS == 0:
            going.hopeless[match] = f"{match} was void {spoilt} times: {why}"
        else:
            going.report.remark(f"{match} is void and played again: {why}")
            going.again.append(task.again())
