"""Bots once more, each seat alone on the lines that it was sent: do they decide the same?

A bot that was told something on a way that no sandbox closes decides otherwise without it. One that
is a function of what it is sent repeats itself, and one that is not differs from itself, too.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from itertools import islice

from arena.audit.matches import read
from arena.errors import BotFault, FaultCode
from arena.games.base import Seat
from arena.games.deal import Deal
from arena.players.person import SNAPSHOT as PERSON
from arena.players.process import BotProcess
from arena.players.sandbox import Tier
from arena.referee.limits import UNCLOCKED_MS, Limits
from arena.referee.lines import hello, start
from arena.referee.record import MatchRecord
from arena.referee.replay import replay
from arena.store.audit import kept_matches
from arena.store.db import Store
from arena.store.tournaments import Tournament
from arena.tournament.match import Entrant
from arena.tournament.tasks import unpacked
from arena.tournament.workers import workers
from arena.wire.codec import NotLegal, Question, read_action, read_ready

AGAIN = 2
"""How often a bot that decided otherwise is started once more, to see whether it repeats itself."""

_AHEAD = 2
_MACHINES = (FaultCode.TIMEOUT, FaultCode.OUT_OF_MEMORY)
"""Faults that may be the machine's doing; they tell nothing of what a bot knew."""

Told = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question to a seat, and what came of it."""

    question: Question
    extra_ms: int
    answer: str
    """The action as it is recorded, or ``fault`` and its code."""


@dataclass(frozen=True, slots=True)
class SeatReplay:
    """A seat of a match whose bot did not do the same again."""

    match: str
    seat: int
    bot: str
    number: int
    """Of the seat's question, from 0."""

    recorded: str
    again: str
    steady: bool
    """Whether it did the same each time that it was alone."""


@dataclass(slots=True)
class Replayed:
    """What became of all seats."""

    seats: int = 0
    deviating: list[SeatReplay] = field(default_factory=list)

    @property
    def unsteady(self) -> list[str]:
        """The bots that do not repeat themselves, by name; nothing can be told of them."""
        return sorted({one.bot for one in self.deviating if not one.steady})

    @property
    def different(self) -> list[SeatReplay]:
        """The seats whose bots repeat themselves, but not what is recorded."""
        unsteady = self.unsteady
        return [one for one in self.deviating if one.bot not in unsteady]


@dataclass(frozen=True, slots=True)
class _Task:
    record: bytes
    key: bytes = field(repr=False)
    entrants: tuple[Entrant, ...]
    """By seat."""


def replay_bots(
    store: Store,
    tournament: Tournament,
    *,
    only: str | None = None,
    jobs: int = 1,
    told: Told = lambda _count: None,
) -> Replayed:
    """Start the bots of all matches of ``tournament`` again, each seat alone, and compare.

    Args:
        store: the home that it is in.
        tournament: one that was verified.
        only: the id of a match; others are passed over.
        jobs: matches at a time.
        told: is told how many matches it has come through.

    Raises:
        UsageError: the snapshot of a bot is not here.
        HostFault: a bot cannot be started on this machine.
    """
    entrants = unpacked(store, tournament.id)
    found, count = Replayed(), 0
    with workers(jobs) as pool:
        tasks = _tasks(store, tournament, entrants, only)
        playing: deque[Future[tuple[int, list[SeatReplay]]]] = deque()
        while True:
            for task in islice(tasks, _AHEAD * jobs - len(playing)):
                playing.append(pool.submit(replay_seats, task))
            if not playing:
                return found
            seats, deviating = playing.popleft().result()
            found.seats += seats
            found.deviating += deviating
            count += 1
            told(count)


def _tasks(
    store: Store, tournament: Tournament, entrants: Mapping[str, Entrant], only: str | None
) -> Iterator[_Task]:
    for kept in kept_matches(store, tournament.id):
        if only in {None, kept.match}:
            seats = tuple(entrants[seat.bot] for seat in read(kept.record).seats)
            yield _Task(kept.record, tournament.key, seats)


def replay_seats(task: _Task) -> tuple[int, list[SeatReplay]]:
    """Return how many seats bots held, and those of them whose bots did not do the same again.

    A person does not come again. Runs in a worker.
    """
    record = read(task.record)
    held = {
        seat: own
        for seat, own in enumerate(questions(record))
        if record.seats[seat].digest != PERSON.digest
    }
    found = []
    for seat, own in held.items():
        recorded = [one.answer for one in own] or _at_start(record, seat)
        first = _alone(task, record, seat, own)
        number = _parting(recorded, first)
        if number is None:
            continue
        others = [_alone(task, record, seat, own) for _ in range(AGAIN)]
        one, other = recorded[number : number + 1], first[number : number + 1]
        machine = {f"fault {code.value}" for code in _MACHINES}
        found.append(
            SeatReplay(
                match=record.match,
                seat=seat,
                bot=record.seats[seat].bot,
                number=number,
                recorded=one[0] if one else "nothing",
                again=other[0] if other else "nothing",
                steady=all(other == first for other in others) and not machine & {*one, *other},
            )
        )
    return len(held), found


def questions(record: MatchRecord) -> list[list[Asked]]:
    """Return by seat the questions that its bot was asked, in order, derived from ``record``."""
    limits = record.limits or Limits()
    found: list[list[Asked]] = [[] for _ in record.seats]
    extra_ns = [limits.extra_ms * 1_000_000 for _ in record.seats]
    faults = {(fault.at, fault.seat): fault.code for fault in record.faults}

    def add(number: int, seat: Seat, question: Question) -> None:
        extra_ms = extra_ns[seat] // 1_000_000
        if (number, seat) in faults:
            answer = f"fault {faults[number, seat]}"
        else:
            answer = bytes(record.actions[number].action).decode()
            took_ns = round(record.measured.action_ms[number] * 1_000_000)
            extra_ns[seat] -= min(extra_ns[seat], max(0, took_ns - limits.move_ms * 1_000_000))
        found[seat].append(Asked(question, extra_ms, answer))

    replay(record, asked=add)
    return found


def _at_start(record: MatchRecord, seat: int) -> list[str]:
    """Return what is recorded of a seat that was never asked."""
    return [
        f"fault {fault.code}"
        for fault in record.faults
        if fault.seat == seat and fault.code == FaultCode.START_FAILED
    ]


def _parting(recorded: Sequence[str], again: Sequence[str]) -> int | None:
    """Return at which question the two part, or ``None`` if they are the same."""
    if list(recorded) == list(again):
        return None
    same = [one == other for one, other in zip(recorded, again, strict=False)]
    return same.index(False) if False in same else len(same)


def _alone(task: _Task, record: MatchRecord, seat: int, asked: Sequence[Asked]) -> list[str]:
    """Return what the bot in ``seat`` does alone, up to the first thing that is not recorded."""
    program = task.entrants[seat].program
    bot = BotProcess(program, record.limits, Tier(record.tier))
    deal = Deal(task.key, record.game, record.variant, record.players, record.deal)
    limits = record.limits or Limits()
    said: list[str] = []

    def budget(ms: int) -> int:
        return ms if record.limits else UNCLOCKED_MS

    try:
        ready = read_ready(bot.ask(hello(record), budget(limits.start_ms)))
    except BotFault:
        ready = None
    if ready is None or (ready.games is not None and record.game not in ready.games):
        bot.stop(0)
        return [f"fault {FaultCode.START_FAILED.value}"]
    try:
        bot.tell(start(record, Seat(seat), deal.bot_seed(Seat(seat))))
        ids = deal.stream(f"ids-{seat}")
        for one in asked:
            number = ids.seed()
            line = one.question.line(
                number, move_ms=limits.move_ms, extra_ms=one.extra_ms, offer=ready.legal_actions
            )
            answer = bot.ask(line, budget(limits.move_ms + one.extra_ms))
            said.append(one.question.actions[read_action(answer, number, one.question)].decode())
            if said[-1] != one.answer:
                break
    except NotLegal:
        said.append(f"fault {FaultCode.ILLEGAL_ACTION.value}")
    except BotFault as fault:
        code = FaultCode.EXITED if fault.code is FaultCode.START_FAILED else fault.code
        said.append(f"fault {code.value}")
    finally:
        bot.stop(0)
    return said
