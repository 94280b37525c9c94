"""Plays what is open of a tournament: hands matches to an executor, and is the only writer.

A match is stored, durably, before anybody is told of it. What has no record is played, so a run
that was stopped or killed goes on as if nothing had been. Where processes are kept alive, a chunk
of matches is played, stored and, if one of them is void, played again as a whole. Of a comparison
the records are stored in the order of the schedule, and none beyond the match that decides it.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Protocol

from arena.errors import HostFault, UsageError
from arena.games import get_game
from arena.players.sandbox import isolation
from arena.players.tier import Tier
from arena.referee.fixture import Fixture
from arena.referee.record import MatchRecord, decode_record
from arena.store.db import Store
from arena.store.fixtures import iter_open_fixtures, open_among
from arena.store.lock import hold
from arena.store.matches import add_matches, add_void, void_attempts
from arena.store.rulings import Rulings
from arena.store.tournaments import Progress, Tournament, finish, get_tournament
from arena.tournament.chunks import block_of
from arena.tournament.executor import Chunk, Executors, MatchExecutor, local
from arena.tournament.match import Entrant
from arena.tournament.tasks import REASON, Spoilt, play_tasks, task_of, unpacked
from arena.tournament.turns import Turns
from arena.tournament.workers import NotBegun
from arena.wire.escape import printable

ATTEMPTS = 3
"""How often a match is tried that the host spoils."""

POOLS = 3
"""How many pools of workers in a row may break without a match between them, nor one to blame."""

_LOOK_S = 0.2
"""How soon a wish to stop is seen."""


class Report(Protocol):
    """Whoever wants to know how a tournament goes."""

    def played(self, record: MatchRecord, done: int, total: int) -> None:
        """A match is stored; ``done`` of ``total`` are, which may become fewer or more."""

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
    """Matches that have a record, or are to have one as far as is known."""

    rulings: Rulings
    """What need not be played, nor counts; nothing, if the tournament is not one with rulings."""

    turns: Turns | None
    """Of a comparison, what waits for matches before it."""

    spoilt: dict[str, int]
    """How often a match was void by now, by its id."""

    again: deque[Chunk] = field(default_factory=deque)
    """What was void, to be played once more."""

    hopeless: dict[str, str] = field(default_factory=dict)
    """Why a match that was spoilt too often is void, by its id."""

    excused: int = 0
    """Of so many matches `total` takes into account that they need no record."""

    @classmethod
    def of(cls, store: Store, progress: Progress, report: Report, stop: Stop) -> "_Run":
        tournament = progress.tournament
        return cls(
            store=store,
            tournament=tournament,
            report=report,
            stop=stop,
            done=progress.played,
            total=progress.total,
            rulings=Rulings(tournament.id),
            turns=(
                Turns(iter_open_fixtures(store, tournament.id)) if tournament.comparison else None
            ),
            spoilt=dict(void_attempts(store, tournament.id)),
        )

    @property
    def ending(self) -> bool:
        """Whether no further match is to be begun."""
        # Of a comparison nothing is played beyond a match that cannot be played.
        in_order = self.tournament.comparison is not None
        return self.stop.asked or self.stop.enough or (in_order and bool(self.hopeless))

    def excuses(self, fixture: Fixture) -> bool:
        """Return whether ``fixture`` need not be played."""
        return self.tournament.ruled and self.rulings.excuses(fixture)

    def waits(self, fixture: Fixture) -> bool:
        """Return whether ``fixture``, which has no record, is to be played."""
        if self.turns and self.turns.holds(fixture):
            return False
        return fixture.match not in self.hopeless and not self.excuses(fixture)

    def waiting(self) -> Iterator[Fixture]:
        """Yield what is to be played, in order; what is excused meanwhile is passed over."""
        return filter(self.waits, iter_open_fixtures(self.store, self.tournament.id))

    def chunks(self) -> Iterator[list[Fixture]]:
        """Yield the same, what is for the same processes together; each chunk once."""
        size = self.tournament.keep_alive
        begun = set()
        for fixture in self.waiting():
            if size == 1:
                yield [fixture]
                continue
            block = block_of(fixture, size)
            if block not in begun:
                begun.add(block)
                found = open_among(self.store, self.tournament.id, block.fixtures())
                yield list(filter(self.waits, found))

    def tasks(self, fixtures: Iterable[Fixture], entrants: Mapping[str, Entrant]) -> Chunk:
        """Return what a worker is handed to play ``fixtures``."""
        return tuple(
            task_of(self.tournament, fixture, entrants, self.spoilt.get(fixture.match, 0) + 1)
            for fixture in fixtures
        )

    def recount(self, played: Iterable[Fixture] = ()) -> None:
        """Take into account what was excused, and what was in play meanwhile all the same."""
        if self.excused != self.rulings.excused or any(map(self.excuses, played)):
            self.excused = self.rulings.excused
            self.total = get_tournament(self.store, self.tournament.id).total


def run(
    store: Store,
    tournament: str,
    jobs: int,
    report: Report,
    stop: Stop,
    executors: Executors = local,
) -> Tournament:
    """Play all open matches of ``tournament`` (an id); after the last one, its secret is public.

    One that is finished is left as it is, for its secret is public already. A bot that keeps
    failing is retired, see `arena.ratings.retiring`, and a deal that cannot be played is dropped,
    see `arena.store.drops`.

    Returns:
        The tournament; it is finished unless ``stop`` was asked for.

    Raises:
        KeyboardInterrupt: ``stop`` was asked for at once.
        UsageError: another process plays it, or it cannot be played here as it was begun.
        HostFault: a match was spoilt `ATTEMPTS` times and no further deal can be dropped (all
            other matches are played first), or there are no workers that keep alive; what was
            played is kept.
    """
    with hold(store, tournament):
        progress = get_tournament(store, tournament)
        if progress.tournament.finished:
            return progress.tournament
        _check_conditions(progress.tournament)
        going = _Run.of(store, progress, report, stop)
        if going.tournament.ruled:
            with store.atomic() as db:
                going.rulings.settle(db)
            going.recount()
        _play_all(going, jobs, executors)
        if stop.enough:
            return finish(store, tournament, early=True)
        if going.hopeless and not stop.asked:
            raise HostFault(next(iter(going.hopeless.values())))
        left = next(iter_open_fixtures(store, tournament), None)
        return going.tournament if left else finish(store, tournament)


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


def _play_all(going: _Run, jobs: int, executors: Executors) -> None:
    """Play what is open, with new workers whenever one of them dies."""
    broken = 0
    # Asked anew each time: a drop puts matches on the schedule, and may take a bot's retirement.
    while not going.ending and next(going.waiting(), None):
        done, spoilt = going.done, sum(going.spoilt.values())
        try:
            _play_open(going, executors(max(1, min(jobs, going.total - going.done))))
        except BrokenExecutor:
            if sum(going.spoilt.values()) > spoilt:
                broken = 0  # the match that did it is known, and is not tried for ever
                continue
            broken = 1 if going.done > done else broken + 1
            going.report.remark("a worker died; its matches are played again")
            if broken >= POOLS:
                raise HostFault("workers keep dying: is the machine out of memory?") from None


def _play_open(going: _Run, executor: AbstractContextManager[MatchExecutor]) -> None:
    """Play what is open by an ``executor`` that is made for it."""
    entrants = unpacked(going.store, going.tournament.id)
    waiting = (going.tasks(chunk, entrants) for chunk in going.chunks())
    going.again.clear()
    with executor as pool:
        _play(pool, going, waiting)


def _play(pool: MatchExecutor, going: _Run, waiting: Iterator[Chunk]) -> None:
    """Keep ``pool`` busy until nothing is waiting, or somebody wants to stop."""
    playing: dict[Future[list[bytes]], Chunk] = {}
    while True:
        for text in pool.news():
            going.report.remark(text)
        if going.stop.at_once:
            raise KeyboardInterrupt
        if going.ending:
            pool.halt()
        else:
            following = chain(_void(going), waiting)
            for chunk in islice(following, max(0, pool.room - len(playing))):
                playing[pool.submit(play_tasks, chunk)] = chunk
        if not playing:
            return
        done, _ = wait(playing, timeout=_LOOK_S, return_when=FIRST_COMPLETED)
        if any(isinstance(one.exception(), BrokenExecutor) for one in done):
            # All others end so too, and the one to blame may be among them.
            done, _ = wait(playing)
        _keep(pool, going, [(one, playing.pop(one)) for one in done])


def _void(going: _Run) -> Iterator[Chunk]:
    while going.again:
        chunk = tuple(task for task in going.again.popleft() if going.waits(task.fixture))
        if chunk:
            yield chunk


def _keep(
    pool: MatchExecutor, going: _Run, ended: Sequence[tuple[Future[list[bytes]], Chunk]]
) -> None:
    """Store the records of matches that ended and tell of them; see to those that are void."""
    played: list[tuple[Fixture, bytes]] = []
    void: list[_Void] = []
    broken = None
    for one, chunk in ended:
        first = chunk[0].fixture.match
        try:
            lines = one.result()
            # All of them or none: what is not a record for each match is no answer.
            played += list(zip((task.fixture for task in chunk), lines, strict=True))
        except NotBegun:
            continue
        except BrokenExecutor as error:
            broken = error
            if died := pool.death(one):
                # Which of them it was at nobody can say.
                void.append(_Void(chunk, first, f"its worker {died}"))
        except Spoilt as error:
            void.append(_Void(chunk, error.match, printable(str(error), REASON)))
        except Exception as error:  # noqa: BLE001 - whatever it is, it spoilt the match
            void.append(_Void(chunk, first, printable(str(error) or type(error).__name__, REASON)))
    _store(going, played)
    _play_again(going, void)
    if broken:
        raise broken


def _store(going: _Run, played: Sequence[tuple[Fixture, bytes]]) -> None:
    """Store the records of matches that were ``played``, and tell of them."""
    rulings = going.rulings if going.tournament.ruled else None
    # Of a comparison one by one: what lies beyond the one that decides is not kept.
    parts: Iterable[list[bytes]] = (
        ([line] for line in going.turns.take(played))
        if going.turns
        else [[line for _, line in played]]
    )
    for lines in parts if played and not going.stop.enough else ():
        add_matches(going.store, going.tournament.id, lines, rulings)
        going.recount(fixture for fixture, _ in played)
        for line in lines:
            going.done += 1
            going.report.played(decode_record(line), going.done, going.total)
        if going.stop.enough:
            return


@dataclass(frozen=True, slots=True)
class _Void:
    """A chunk that is to be played again."""

    chunk: Chunk
    match: str
    """The one to blame; counted as spoilt."""

    why: str


def _play_again(going: _Run, void: Sequence[_Void]) -> None:
    """Keep why matches are void, and have them played once more.

    Of one that was spoilt too often the deal is dropped. Where that is not to be, it is put aside,
    so that no other match waits for it.
    """
    if void:
        # It may have been a snapshot that was changed where it lies: it is laid out again.
        unpacked(going.store, going.tournament.id)
    for one in void:
        match, why = one.match, one.why
        spoilt = add_void(going.store, going.tournament.id, match, why)
        going.spoilt[match] = spoilt
        fixture = next(task.fixture for task in one.chunk if task.fixture.match == match)
        if spoilt % ATTEMPTS:
            going.report.remark(f"{match} is void and played again: {why}")
        elif not _dropped(going, fixture, f"void {spoilt} times: {why}"):
            going.hopeless[match] = f"{match} was void {spoilt} times: {why}"
        # What of it need not be played any more is left out.
        going.again.append(
            tuple(task.again() if task.fixture is fixture else task for task in one.chunk)
        )


def _dropped(going: _Run, fixture: Fixture, why: str) -> bool:
    """Drop the deal of ``fixture`` if that can be done, and return whether it is dropped."""
    if not going.tournament.ruled:
        return False
    if going.excuses(fixture):  # with another match of the deal, or for a bot that was retired
        return True
    drop = going.rulings.drop(going.store, fixture, why)
    if drop is None:
        return False
    going.recount()
    whose = "" if drop.table is None else f" of {', '.join(drop.table)}"
    going.report.remark(
        f"{fixture.match} was {why}: deal {drop.deal}{whose} is dropped, and deal {drop.instead} "
        "played instead"
    )
    return True
