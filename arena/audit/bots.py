"""Bots once more, each seat alone on the lines that it was sent: do they decide the same?

A bot that was told something on a way that no sandbox closes decides otherwise without it. One that
is a function of what it is sent repeats itself, and one that is not differs from itself, too.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from itertools import islice

import msgspec

from arena.audit.matches import read
from arena.errors import BotFault, FaultCode
from arena.games.base import Seat
from arena.games.deal import Deal
from arena.players.person import SNAPSHOT as PERSON
from arena.players.process import BotProcess
from arena.players.tier import Tier
from arena.referee.limits import UNCLOCKED_MS, Limits
from arena.referee.lines import end, hello, start
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

_CUT_SHORT = 0.25
"""A bot that took more than this of its time for a move may have been cut short by the clock: a
search, as a rule, which decides otherwise on a machine with more time."""

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

    cut_short: bool = False
    """Whether it may have been decided by the clock."""


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
    """Whether it did the same each time that it was alone, and no clock can explain the rest."""


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
    records: tuple[bytes, ...]
    """Of what the same processes played, in order; mostly one match."""

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
        playing: deque[tuple[int, Future[tuple[int, list[SeatReplay]]]]] = deque()
        while True:
            for task in islice(tasks, _AHEAD * jobs - len(playing)):
                playing.append((len(task.records), pool.submit(replay_seats, task)))
            if not playing:
                return found
            matches, future = playing.popleft()
            seats, deviating = future.result()
            found.seats += seats
            found.deviating += deviating
            count += matches
            told(count)


def _tasks(
    store: Store, tournament: Tournament, entrants: Mapping[str, Entrant], only: str | None
) -> Iterator[_Task]:
    lines = (kept.record for kept in kept_matches(store, tournament.id))
    for chunk in _chunks(lines, tournament.keep_alive):
        records = [read(line) for line in chunk]
        matches = [record.match for record in records]
        if only in {None, *matches}:
            # What comes after it cannot have told it anything.
            length = len(matches) if only is None else matches.index(only) + 1
            seats = tuple(entrants[seat.bot] for seat in records[0].seats)
            yield _Task(tuple(chunk[:length]), tournament.key, seats)


def _chunks(lines: Iterable[bytes], size: int) -> Iterator[list[bytes]]:
    """Yield the records that tell of the same processes together, in the order they were played.

    Args:
        lines: records that were verified, in the schedule's order.
        size: of a block, see `arena.tournament.chunks`.
    """
    if size == 1:
        yield from ([line] for line in lines)
        return
    blocks: dict[tuple[str, ...], tuple[int, dict[tuple[int, ...], list[bytes]]]] = {}
    """By line-up: the number of its block, and its chunks by the deals that are in them."""

    for line in lines:
        record = read(line)
        category, _, _ = record.match.partition("/")
        line_up = (category, *(seat.bot for seat in record.seats))
        number = record.deal // size
        before, found = blocks.get(line_up, (number, {}))
        if before != number:
            yield from found.values()
            found = {}
        after = () if record.after is msgspec.UNSET else record.after
        chunk = found.pop(after, [])
        chunk.append(line)
        found[*after, record.deal] = chunk
        blocks[line_up] = number, found
    for _, found in blocks.values():
        yield from found.values()


def replay_seats(task: _Task) -> tuple[int, list[SeatReplay]]:
    """Return how many seats bots held, and those of them whose bots did not do the same again.

    A person does not come again. Runs in a worker.
    """
    records = [read(line) for line in task.records]
    asked = [questions(record) for record in records]
    held = [seat for seat, holder in enumerate(records[0].seats) if holder.digest != PERSON.digest]
    found = []
    for seat in held:
        own = [by_seat[seat] for by_seat in asked]
        recorded = [one.answer for part in own for one in part] or _at_start(records[0], seat)
        first = _alone(task, records, seat, own)
        number = _parting(recorded, first)
        if number is None:
            continue
        others = [_alone(task, records, seat, own) for _ in range(AGAIN)]
        one, other = recorded[number : number + 1], first[number : number + 1]
        machine = {f"fault {code.value}" for code in _MACHINES}
        match, within = _where(own, number)
        hurried = any(each.cut_short for each in own[match][within : within + 1])
        same_again = all(other == first for other in others)
        found.append(
            SeatReplay(
                match=records[match].match,
                seat=seat,
                bot=records[match].seats[seat].bot,
                number=within,
                recorded=one[0] if one else "nothing",
                again=other[0] if other else "nothing",
                steady=same_again and not hurried and not machine & {*one, *other},
            )
        )
    return len(held) * len(records), found


def _where(own: Sequence[Sequence[Asked]], number: int) -> tuple[int, int]:
    """Return in which match, from 0, question ``number`` of several was asked, and its number."""
    for match, part in enumerate(own[:-1]):
        if number < len(part):
            return match, number
        number -= len(part)
    return len(own) - 1, number


def questions(record: MatchRecord) -> list[list[Asked]]:
    """Return by seat the questions that its bot was asked, in order, derived from ``record``."""
    limits = record.limits or Limits()
    found: list[list[Asked]] = [[] for _ in record.seats]
    extra_ns = [limits.extra_ms * 1_000_000 for _ in record.seats]
    faults = {(fault.at, fault.seat): fault.code for fault in record.faults}

    def add(number: int, seat: Seat, question: Question) -> None:
        extra_ms = extra_ns[seat] // 1_000_000
        cut_short = False
        if (number, seat) in faults:
            answer = f"fault {faults[number, seat]}"
        else:
            answer = bytes(record.actions[number].action).decode()
            took_ns = round(record.measured.action_ms[number] * 1_000_000)
            cut_short = took_ns > _CUT_SHORT * limits.move_ms * 1_000_000
            extra_ns[seat] -= min(extra_ns[seat], max(0, took_ns - limits.move_ms * 1_000_000))
        found[seat].append(Asked(question, extra_ms, answer, cut_short))

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


def _end_of(record: MatchRecord, seat: int) -> bytes:
    """Return the line that told ``seat`` how the match of ``record`` ended."""
    found: dict[int, bytes] = {}
    replay(record, last=found.__setitem__)
    return end(record, found[seat])


def _alone(
    task: _Task, records: Sequence[MatchRecord], seat: int, asked: Sequence[Sequence[Asked]]
) -> list[str]:
    """Return what the bot in ``seat`` does alone, up to the first thing that is not recorded."""
    record = records[0]
    bot = BotProcess(task.entrants[seat].program, record.limits, Tier(record.tier))
    limits = record.limits or Limits()
    said: list[str] = []
    before: MatchRecord | None = None

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
        for played, own in zip(records, asked, strict=True):
            deal = Deal(task.key, played.game, played.variant, played.players, played.deal)
            if before:
                bot.tell(_end_of(before, seat))
            bot.tell(start(played, Seat(seat), deal.bot_seed(Seat(seat))))
            ids = deal.stream(f"ids-{seat}")
            for one in own:
                number = ids.seed()
                line = one.question.line(
                    number, move_ms=limits.move_ms, extra_ms=one.extra_ms, offer=ready.legal_actions
                )
                answer = bot.ask(line, budget(limits.move_ms + one.extra_ms))
                action = one.question.actions[read_action(answer, number, one.question)]
                said.append(action.decode())
                if said[-1] != one.answer:
                    return said
            before = played
    except NotLegal:
        said.append(f"fault {FaultCode.ILLEGAL_ACTION.value}")
    except BotFault as fault:
        code = FaultCode.EXITED if fault.code is FaultCode.START_FAILED else fault.code
        said.append(f"fault {code.value}")
    finally:
        bot.stop(0)
    return said
