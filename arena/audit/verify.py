"""Verifying a tournament: everything is derived again, and the first difference ends it."""

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import closing
from itertools import chain

import msgspec

from arena.audit.account import Account, Line, Verified
from arena.audit.facts import Terms, check, check_facts, fixtures_of, shown
from arena.audit.matches import Checked, check_match, difference, read, replayed
from arena.errors import Difference, RecordError, UsageError
from arena.ratings.leaderboard import leaderboards_of
from arena.ratings.result import Result
from arena.ratings.retiring import Retirement
from arena.referee.category import Category
from arena.referee.chain import first_link, next_link
from arena.referee.fixture import Fixture
from arena.referee.record import FaultRecord
from arena.store.drops import key_of
from arena.tournament.chunks import Block, block_of
from arena.tournament.compare import Blocks, Comparison
from arena.tournament.workers import workers
from arena.wire.escape import printable

FEW = 64
"""Up to so many matches are checked faster than workers are started."""

_BATCH = 16
_BATCH_BYTES = 1024 * 1024
"""A batch ends with the record that makes it longer: what waits must fit in memory."""

_AHEAD = 3
"""How many batches wait for each worker."""

_SHOWN = 100

Pair = tuple[Fixture, Line]
Item = Pair | Difference
Told = Callable[[int], None]
"""(how many matches have been checked) -> nothing."""


def verify_account(
    account: Account,
    *,
    opened: bool = True,
    only: str | None = None,
    jobs: int = 1,
    told: Told = lambda _count: None,
) -> Verified:
    """Return what was checked of ``account``, all of which is in order.

    Nothing but cards, actions and faults is believed: secret, key, schedule, deals, every byte that
    a seat was sent, results, chain and standings are derived and compared. With the key, the cards
    are derived as well. Whether a bot took too long, its operator alone can know.

    Args:
        account: what is told of a tournament.
        opened: whether its secret and key may be looked at.
        only: check just the match of this id, and all that comes before any match.
        jobs: how many processes check matches.
        told: is told how far it is.

    Raises:
        Difference: the first thing that is not as it has to be.
        UsageError: a game is not installed, or there is no match that is called ``only``.
    """
    tournament = account.tournament
    try:
        return _Verifier(account, opened=opened, only=only, jobs=jobs, told=told).run()
    except RecordError as error:
        found = difference(error)
        where = printable(tournament.id, _SHOWN)
        raise found if found.where[:1] == (where,) else found.within(where) from None


class _Verifier:
    def __init__(
        self, account: Account, *, opened: bool, only: str | None, jobs: int, told: Told
    ) -> None:
        self._account = account
        self._tournament = account.tournament
        self._opened = opened
        self._only = only
        self._jobs = jobs
        self._told = told
        self._done = Verified(self._tournament.id)
        self._missing: str | None = None
        """The first match that lacks a record."""

        self._left = 0
        """How many lack one."""

        self._drops = account.drops
        self._dropped = frozenset(drop.key for drop in self._drops)
        self._chunks = _Chunks(account.tournament.keep_alive)
        self._retirement = Retirement()
        """Up to the first match that lacks a record, which could retire a bot."""

        self._timeouts = 0
        self._uncounted: set[str] = set()
        """Matches that have a record and do not count."""

    def run(self) -> Verified:
        terms = check_facts(self._tournament, self._account.entries, opened=self._opened)
        if not self._opened:
            self._done.unchecked.append("deals (the secret is not opened yet)")
        self._check_snapshots()
        link = first_link(self._tournament.id)
        results: list[Result] = []
        with closing(_checked(terms, self._pairs(terms), self._jobs)) as found:
            for line, checked in found:
                link = next_link(link, checked.digest)
                if self._only is None and line.link not in {None, link.hex()}:
                    raise Difference("chain", shown(line.link), link.hex(), (checked.match,))
                results.append(checked.result)
                self._timeouts += checked.timeouts
                self._done.matches += 1
                self._told(self._done.matches)
        if self._only is None:
            self._check_whole(link, results)
        elif not self._done.matches:
            raise UsageError(f"no match with a record is called '{printable(self._only, _SHOWN)}'")
        return self._done

    def _check_snapshots(self) -> None:
        absent = 0
        for digest, bundle in self._account.snapshots():
            if bundle is None:
                absent += 1
            else:
                check("snapshot", bundle.digest, digest)
        if absent:
            self._done.unchecked.append("snapshots (they are not here)")

    def _pairs(self, terms: Terms) -> Iterator[Pair]:
        """Yield every record with the fixture that it is of, in the order of the schedule."""
        lines = self._account.lines()
        fixtures = self._fixtures(terms)
        last = None
        for line in lines:
            match = line.match if line.match is not None else _match_of(line.record)
            where = printable(match, _SHOWN)
            if match and match == last:
                raise Difference("record", "it stands there twice").within(where)
            for fixture in fixtures:
                # What cannot be read is taken for what should stand there.
                if fixture.match == match or not match:
                    break
                self._miss(fixture, where)
            else:
                raise Difference("record", "out of order, or not on the schedule").within(where)
            last = match
            said = _said_by(line.record)
            self._chunks.check(fixture, said)
            self._rule(fixture, said)
            if self._only in {None, match}:
                yield fixture, line
        for fixture in fixtures:
            self._miss(fixture, "none")

    def _fixtures(self, terms: Terms) -> Iterator[Fixture]:
        account = self._account
        for fixture in fixtures_of(terms, self._tournament, account.schedule(), self._drops):
            self._done.scheduled += 1
            yield fixture

    def _miss(self, fixture: Fixture, found: str) -> None:
        """Take in that ``fixture`` has no record, which only what goes on can do without.

        It needs none if its deal was dropped, or a bot of it was retired before.
        """
        if self._excuses(fixture):
            self._done.excused += 1
            return
        self._left += 1
        self._missing = self._missing or fixture.match
        if self._tournament.finished and self._tournament.comparison is None:
            raise Difference("record", found, "its own").within(fixture.match)

    def _rule(self, fixture: Fixture, said: "_Said") -> None:
        """Take in what the record of ``fixture`` says; whether it is a good one is seen later."""
        if self._excuses(fixture):
            self._done.excused += 1
            self._uncounted.add(fixture.match)
        elif self._missing is None and self._tournament.ruled:
            seats = range(len(fixture.bots))
            faults = [fault for fault in said.faults if fault.seat in seats]
            self._retirement.take(fixture, faults)

    def _excuses(self, fixture: Fixture) -> bool:
        return key_of(fixture) in self._dropped or self._retirement.excuses(fixture)

    def _check_whole(self, link: bytes, results: Sequence[Result]) -> None:
        self._done.head = link.hex()
        if self._tournament.head is not None:
            check("head of the chain", self._tournament.head, self._done.head)
        elif self._tournament.finished:
            self._done.unchecked.append("head of the chain (it was not kept)")
        if self._tournament.finished is None:
            self._done.unchecked.append(f"{self._left} matches (they have no record yet)")
        elif self._missing is not None:
            self._check_decided(results)
        if self._timeouts:
            self._done.unchecked.append(f"time-outs ({self._timeouts}, by the operator's clock)")
        if dropped := len(self._drops):
            self._done.unchecked.append(f"why deals were dropped ({dropped}, by the host)")
        counted = [result for result in results if result.match not in self._uncounted]
        boards = leaderboards_of(counted, self._retirement.retired)
        self._account.check_rest(self._done, boards)

    def _check_decided(self, results: Sequence[Result]) -> None:
        """Check that a comparison ended early for a reason."""
        blocks = Blocks(Comparison.of(self._tournament))
        for result in results:
            blocks.add(result)
        if blocks.verdict is None:
            raise Difference("record", "none", "its own").within(str(self._missing))


class _Said(msgspec.Struct):
    """What a record says of all that matters to other matches."""

    faults: tuple[FaultRecord, ...] = ()
    after: tuple[int, ...] = ()


def _said_by(record: bytes) -> _Said:
    """Return what ``record`` says; nothing if it cannot be read."""
    try:
        return msgspec.json.decode(record, type=_Said)
    except (msgspec.DecodeError, RecursionError):
        return _Said()


class _Chunks:
    """What processes that are kept alive had played, as far as records have been seen."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept: dict[tuple[Category, tuple[str, ...]], tuple[Block, list[tuple[int, ...]]]] = {}
        """By line-up: the block that its last record is in, and for all processes that were kept
        in it the deals that they have played, newest last."""

    def check(self, fixture: Fixture, said: _Said) -> None:
        """Take in what the record of ``fixture`` says, which is the next in the schedule.

        Raises:
            Difference: it cannot have been played by processes that had played what it says.
        """
        if self._size == 1 and not said.after:
            return
        line_up = fixture.category, fixture.bots
        block = block_of(fixture, self._size)
        before, kept = self._kept.get(line_up, (block, []))
        if before != block:
            kept = []
        if said.after:
            # A match that was void for long is played last, by fresh processes: others that come
            # behind it in the schedule do not follow it.
            if said.after not in kept:
                follows = shown(list(kept[-1])) if kept else "nothing"
                raise Difference("after", shown(list(said.after)), follows).within(fixture.match)
            kept.remove(said.after)
        if not said.faults:
            kept.append((*said.after, fixture.deal))
        self._kept[line_up] = block, kept


def _match_of(record: bytes) -> str:
    """Return the id of the match that a record says it is of; empty if it says none."""
    try:
        match = msgspec.json.decode(record, type=dict[str, msgspec.Raw]).get("match", b'""')
        return msgspec.json.decode(match, type=str)
    except (msgspec.DecodeError, RecursionError):
        return ""


def _checked(
    terms: Terms, pairs: Iterator[Pair], jobs: int
) -> Generator[tuple[Line, Checked], None, None]:
    """Yield every line with what it comes to, in order; with workers if there are many."""
    waiting = _then_error(pairs)
    first = [] if jobs == 1 else _some(waiting, FEW)
    if jobs == 1 or (len(first) < FEW and _length(first) < _BATCH_BYTES):
        for item in chain(first, waiting):
            yield from _good([item], check_batch(terms, [item]))
        return
    waiting = chain(first, waiting)
    playing: deque[tuple[list[Item], Future[list[Checked | Difference]]]] = deque()
    with workers(jobs) as pool:
        while True:
            while len(playing) < _AHEAD * jobs and (batch := _some(waiting, _BATCH)):
                playing.append((batch, pool.submit(check_batch, terms, batch)))
            if not playing:
                return
            batch, future = playing.popleft()
            yield from _good(batch, future.result())


def _some(waiting: Iterator[Item], most: int) -> list[Item]:
    """Return the next of ``waiting``: at most so many, and few if they are long."""
    found: list[Item] = []
    length = 0
    while len(found) < most and length < _BATCH_BYTES and (item := next(waiting, None)):
        found.append(item)
        length += _length([item])
    return found


def _length(items: Iterable[Item]) -> int:
    return sum(0 if isinstance(item, Difference) else len(item[1].record) for item in items)


def _then_error(pairs: Iterator[Pair]) -> Iterator[Item]:
    """Yield ``pairs``, and what ended them if it was a difference: those before it come first."""
    try:
        yield from pairs
    except RecordError as error:
        yield difference(error)


def _good(
    batch: Sequence[Item], found: Sequence[Checked | Difference]
) -> Iterator[tuple[Line, Checked]]:
    for item, checked in zip(batch, found, strict=False):
        if isinstance(checked, Difference):
            raise checked
        if not isinstance(item, Difference):
            yield item[1], checked


def check_batch(terms: Terms, batch: Sequence[Item]) -> list[Checked | Difference]:
    """Return what each of ``batch`` comes to, up to the first difference. Runs in a worker."""
    found: list[Checked | Difference] = []
    for item in batch:
        try:
            found.append(item if isinstance(item, Difference) else check_match(terms, *item))
        except Difference as error:
            found.append(error)
        if isinstance(found[-1], Difference):
            break
    return found


def verify_records(lines: Iterable[bytes], told: Told = lambda _count: None) -> int:
    """Return how many records there are in ``lines``, each of which is in order by itself.

    Without their tournament nobody can say where the cards come from, or what is missing.

    Raises:
        Difference: the first thing in them that does not follow, or a match that comes twice.
    """
    seen = set()
    for number, line in enumerate(lines, 1):
        where = f"line {number}"
        try:
            record = read(line)
            where = f"{printable(record.tournament, _SHOWN)}: {printable(record.match, _SHOWN)}"
            replayed(record, None)
            if (record.tournament, record.match) in seen:
                raise Difference("record", "it stands there twice")
        except RecordError as error:
            raise difference(error).within(where) from None
        seen.add((record.tournament, record.match))
        told(number)
    return len(seen)
