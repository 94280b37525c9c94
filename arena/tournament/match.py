"""From fixtures to records, for the matches that a worker process plays.

Mostly each match has processes of its own. A tournament may keep them alive for some deals of one
line-up in one seating, a chunk; that is for bots that are slow to load.
"""

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from msgspec import UNSET

from arena import __version__
from arena.games import get_game
from arena.games.deal import Deal
from arena.players import strays
from arena.players.bundle import check_unpacked
from arena.players.process import BotProcess, Program, stop_all
from arena.players.tier import Tier
from arena.referee.fixture import Fixture
from arena.referee.limits import Limits
from arena.referee.play import Met, Played, Watch, play
from arena.referee.player import Player
from arena.referee.record import RECORD_VERSION, MatchRecord, Measured, SeatRecord
from arena.wire.codec import encode
from arena.wire.escape import printable
from arena.wire.messages import Quit

log = logging.getLogger(__name__)

Started = Callable[[int, int], None]
"""(seat, process id of its bot, or of the sandbox around it) -> nothing."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot that takes part."""

    name: str
    digest: str
    program: Program


@dataclass(frozen=True, slots=True)
class MatchTask:
    """All that a worker needs to play one match."""

    tournament: str
    suite: str
    key: bytes = field(repr=False)
    fixture: Fixture
    seats: tuple[Entrant, ...]
    limits: Limits | None
    tier: Tier
    rated: bool
    attempt: int = 1

    def again(self) -> "MatchTask":
        """Return the next attempt at the same match."""
        return replace(self, attempt=self.attempt + 1)


def play_match(
    task: MatchTask,
    watch: Watch | None = None,
    told: Started | None = None,
    people: Mapping[int, Player] | None = None,
) -> MatchRecord:
    """Play ``task`` with a fresh process for every seat and return its record.

    Whatever happens, none of these processes is left when this returns.

    Args:
        task: the match.
        watch: is called before each action is applied.
        told: is called for each seat once its process runs.
        people: who holds a seat in this very process, by seat.

    Raises:
        HostFault: the match is void.
    """
    (record,) = play_chunk([task], watch, told, people)
    return record


def play_chunk(
    tasks: Sequence[MatchTask],
    watch: Watch | None = None,
    told: Started | None = None,
    people: Mapping[int, Player] | None = None,
) -> Iterator[MatchRecord]:
    """Play ``tasks`` one after the other with the same processes, and yield their records.

    The processes are fresh for the first match, and for one that follows a match with a fault.
    Whatever happens, none of them is left at the end.

    Args:
        tasks: matches of the same bots in the same seats, under the same conditions.
        watch: as for `play_match`.
        told: likewise.
        people: likewise.

    Raises:
        HostFault: the match that would come next is void.
    """
    with ExitStack() as stack:
        # Last of all: one that was being started when something came between.
        stack.callback(strays.end)
        party = None
        for number, task in enumerate(tasks):
            party = party or _Party(task, stack, told, people or {})
            record = party.play(task, watch, stay=number + 1 < len(tasks))
            if record.faults:
                party.leave()
                party = None
            yield record


class _Party:
    """Those who hold the seats, for as long as they are kept."""

    def __init__(
        self,
        task: MatchTask,
        stack: ExitStack,
        told: Started | None,
        people: Mapping[int, Player],
    ) -> None:
        """Take the bots of ``task``; ``stack`` stops what is started of them."""
        self._began = (datetime.now(UTC), time.monotonic())
        self._bots: dict[int, BotProcess] = {}
        players = dict(people)
        for seat, entrant in enumerate(task.seats):
            if seat in players:
                continue
            # What plays is what was submitted, whatever has happened to the files since.
            check_unpacked(entrant.program.folder, entrant.digest)
            bot = BotProcess(entrant.program, task.limits, task.tier)
            # Each on its own: those already started are stopped when the next cannot be.
            stack.callback(bot.stop, 0)
            self._bots[seat] = players[seat] = bot
            if told:
                bot.start()
                told(seat, bot.pid)
        self._players = [players[seat] for seat in range(len(task.seats))]
        self._met: tuple[Met, ...] = ()
        self._deals: tuple[int, ...] = ()
        self._cpu_ms = [0.0 for _ in task.seats]

    def play(self, task: MatchTask, watch: Watch | None, *, stay: bool) -> MatchRecord:
        """Play ``task``; unless the bots are to ``stay``, they are stopped then."""
        _log_seats(task)
        category = task.fixture.category
        deal = Deal(
            key=task.key,
            game=category.game,
            variant=category.variant,
            players=category.players,
            number=task.fixture.deal,
        )
        game = get_game(category.game)
        played = play(game, deal, self._players, task.limits, watch, met=self._met, stay=stay)
        if not stay:
            # Told to quit, they have their second; what stops them after all finds nothing to do.
            stop_all(list(self._bots.values()))
        measured = self._measured(task, played, stay=stay)
        _log_times(task, played, measured)
        record = _record(task, played, measured, self._deals)
        self._met = played.met
        self._deals = (*self._deals, task.fixture.deal)
        self._began = (datetime.now(UTC), time.monotonic())
        return record

    def leave(self) -> None:
        """Stop all bots; those that still run are told to quit."""
        for bot in self._bots.values():
            bot.tell(encode(Quit()))
        stop_all(list(self._bots.values()))

    def _measured(self, task: MatchTask, played: Played, *, stay: bool) -> Measured:
        """Return what was measured since the last match."""
        cpu_ms, stderr = self._cpu_ms.copy(), ["" for _ in task.seats]
        for seat, bot in self._bots.items():
            cpu_ms[seat] = bot.cpu_so_far_ms() if stay else bot.cpu_ms
            stderr[seat] = printable(bot.stderr, lines=True)
            # Of each match as much is kept, whatever was written in those before.
            bot.forget_stderr()
        started, began = self._began
        measured = Measured(
            started=started.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            ms=round((time.monotonic() - began) * 1000, 1),
            action_ms=played.action_ms,
            cpu_ms=tuple(
                round(max(now - before, 0.0), 1)
                for now, before in zip(cpu_ms, self._cpu_ms, strict=True)
            ),
            attempt=task.attempt,
            stderr=tuple(stderr),
            offending=played.offending,
        )
        self._cpu_ms = cpu_ms
        return measured


def _log_seats(task: MatchTask) -> None:
    for seat, entrant in enumerate(task.seats):
        log.debug(
            "%s: seat %d is %s, %s, tier %s, started by %s",
            task.fixture.match,
            seat,
            entrant.name,
            entrant.digest,
            task.tier,
            entrant.program.argv,
        )


def _log_times(task: MatchTask, played: Played, measured: Measured) -> None:
    """Log how long the seats took, in milliseconds."""
    if not log.isEnabledFor(logging.DEBUG):
        return
    log.debug("%s: took %.0f ms", task.fixture.match, measured.ms)
    taken = list(zip(played.actions, played.action_ms, strict=True))
    for seat, (entrant, cpu_ms) in enumerate(zip(task.seats, measured.cpu_ms, strict=True)):
        own = [ms for action, ms in taken if action.seat == seat and not action.house]
        log.debug(
            "%s: seat %d %s: %d decisions in %.1f ms, the longest in %.1f ms; %.1f ms of processor",
            task.fixture.match,
            seat,
            entrant.name,
            len(own),
            sum(own),
            max(own, default=0.0),
            cpu_ms,
        )


def _record(
    task: MatchTask, played: Played, measured: Measured, after: tuple[int, ...]
) -> MatchRecord:
    category = task.fixture.category
    return MatchRecord(
        record=RECORD_VERSION,
        arena=__version__,
        match=task.fixture.match,
        tournament=task.tournament,
        game=category.game,
        variant=category.variant,
        rules_version=get_game(category.game).rules_version,
        players=category.players,
        mode=category.mode.value,
        suite=task.suite,
        deal=task.fixture.deal,
        seats=tuple(SeatRecord(bot=seat.name, digest=seat.digest) for seat in task.seats),
        cards=played.cards,
        actions=played.actions,
        faults=played.faults,
        scores=played.outcome.scores,
        ranks=played.outcome.ranks,
        reason=played.outcome.reason,
        limits=task.limits,
        tier=task.tier.value,
        rated=task.rated,
        measured=measured,
        after=after or UNSET,
    )


PlayMatch = Callable[[MatchTask], MatchRecord]
"""What an executor runs: plain data in, plain data out."""
