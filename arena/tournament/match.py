"""One match of a tournament, from the fixture to the record; runs in a worker process."""

import logging
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from arena import __version__
from arena.games import get_game
from arena.games.deal import Deal
from arena.players import strays
from arena.players.bundle import check_unpacked
from arena.players.process import BotProcess, Program, stop_all
from arena.players.sandbox import Tier
from arena.referee.fixture import Fixture
from arena.referee.limits import Limits
from arena.referee.play import Played, Watch, play
from arena.referee.player import Player
from arena.referee.record import RECORD_VERSION, MatchRecord, Measured, SeatRecord
from arena.wire.escape import printable

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
    category = task.fixture.category
    deal = Deal(
        key=task.key,
        game=category.game,
        variant=category.variant,
        players=category.players,
        number=task.fixture.deal,
    )
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
    started, began = datetime.now(UTC), time.monotonic()
    bots: dict[int, BotProcess] = {}
    players: dict[int, Player] = dict(people or {})
    with ExitStack() as stack:
        # Last of all: one that was being started when something came between.
        stack.callback(strays.end)
        for seat, entrant in enumerate(task.seats):
            if seat in players:
                continue
            # What plays is what was submitted, whatever has happened to the files since.
            check_unpacked(entrant.program.folder, entrant.digest)
            bot = BotProcess(entrant.program, task.limits, task.tier)
            # Each on its own: those already started are stopped when the next cannot be.
            stack.callback(bot.stop, 0)
            bots[seat] = players[seat] = bot
            if told:
                bot.start()
                told(seat, bot.pid)
        by_seat = [players[seat] for seat in range(len(task.seats))]
        played = play(get_game(category.game), deal, by_seat, task.limits, watch)
        # Told to quit, they have their second; the callbacks then find nothing left to do.
        stop_all(list(bots.values()))
    measured = Measured(
        started=started.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        ms=round((time.monotonic() - began) * 1000, 1),
        action_ms=played.action_ms,
        cpu_ms=tuple(bots[seat].cpu_ms if seat in bots else 0.0 for seat in range(len(task.seats))),
        attempt=task.attempt,
        stderr=tuple(
            printable(bots[seat].stderr, lines=True) if seat in bots else ""
            for seat in range(len(task.seats))
        ),
        offending=played.offending,
    )
    _log_times(task, played, measured)
    return _record(task, played, measured)


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


def _record(task: MatchTask, played: Played, measured: Measured) -> MatchRecord:
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
    )


PlayMatch = Callable[[MatchTask], MatchRecord]
"""What an executor runs: plain data in, plain data out."""
