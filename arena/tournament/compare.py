"""Comparisons: two bots play each other's seats until a sequential test knows who is better.

A comparison is a tournament like any other, with a schedule that is stored before its first match,
but it is over as soon as it is decided. What decides are its complete blocks in the order of their
deals, so that neither the number of workers nor a kill changes anything: the same block decides.

Its parameters have one entry more, ``comparison``: an object with ``a`` and ``b``, the names of
the two; ``field``, a list of the names that hold the other seats; and ``relevant_thousandths``,
the advantage that matters in thousandths of a standard deviation. The number of deals of its one
category is the most blocks that are played.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Protocol

import msgspec

from arena.errors import RecordError, UsageError
from arena.games import get_game
from arena.games.base import Kind
from arena.players.tier import Tier
from arena.ratings.result import Result
from arena.ratings.sequential import (
    MOST_BLOCKS,
    RELEVANT,
    Evidence,
    Verdict,
    block_value,
    line_ups,
)
from arena.referee.category import Category, Mode
from arena.referee.fixture import Fixture
from arena.referee.limits import Limits
from arena.referee.record import MatchRecord, decode_record
from arena.store.bots import plain_name
from arena.store.db import Store
from arena.store.matches import records
from arena.store.tournaments import Tournament
from arena.tournament.entrants import Candidate
from arena.tournament.executor import Executors, local
from arena.tournament.plan import Plan, new_tournament
from arena.tournament.runner import Stop, run
from arena.tournament.suite import Suite

DEFAULT_NAME = "compare"
UNRATED = "a comparison"
"""Why none is rated: that it stops when one bot is ahead would favour that bot."""


class Compared(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``comparison`` of the parameters."""

    a: str
    b: str
    field: tuple[str, ...]
    relevant_thousandths: Annotated[int, msgspec.Meta(ge=1, le=1000)]


class _Played(msgspec.Struct, frozen=True):
    """The one entry of ``categories`` in the parameters."""

    game: str
    variant: str
    mode: Mode
    players: Annotated[int, msgspec.Meta(ge=1)]
    deals: Annotated[int, msgspec.Meta(ge=1)]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Which bots are compared, and how."""

    a: str
    b: str
    category: Category
    field: tuple[str, ...] = ()
    """Who holds the other seats, from the one behind A or B; empty: the two alone play."""

    relevant: float = RELEVANT
    """The least advantage that matters, in standard deviations of a block's value."""

    blocks: int = MOST_BLOCKS
    """The most blocks that are played."""

    @classmethod
    def of(cls, tournament: Tournament) -> "Comparison":
        """Return what ``tournament`` compares.

        Raises:
            UsageError: it is no comparison, or one that cannot be read.
        """
        said = tournament.comparison
        if said is None:
            raise UsageError(
                f"{tournament.id} is no comparison: `arena tournament --resume {tournament.id}` "
                "goes on with it"
            )
        try:
            terms = msgspec.convert(said, Compared)
            (played,) = msgspec.convert(tournament.parameters.get("categories"), tuple[_Played])
        except msgspec.ValidationError as error:  # the database may come from anybody
            raise UsageError(f"{tournament.id} cannot be read as a comparison: {error}") from None
        return cls(
            a=terms.a,
            b=terms.b,
            category=Category(played.game, played.variant, played.mode, played.players),
            field=terms.field,
            relevant=terms.relevant_thousandths / 1000,
            blocks=played.deals,
        )

    @property
    def line_ups(self) -> list[tuple[str, ...]]:
        """The bots by seat in each match of a block: see `arena.ratings.sequential.line_ups`.

        In a co-operative game each of the two plays the deal in all seats.
        """
        players = self.category.players
        if self.category.mode is Mode.SELF:
            return [(self.a,) * players, (self.b,) * players]
        return line_ups(self.a, self.b, players, self.field)

    def fixtures(self) -> Iterator[Fixture]:
        """Yield the whole schedule, block by block: block n is played on deal n."""
        tables = self.line_ups
        for deal in range(self.blocks):
            for bots in tables:
                yield Fixture(self.category, deal, bots)

    def parameters(self) -> dict[str, Any]:
        """Return what the parameters of its tournament have besides those of others."""
        return {
            "comparison": {
                "a": self.a,
                "b": self.b,
                "field": list(self.field),
                "relevant_thousandths": round(1000 * self.relevant),
            }
        }


class Blocks:
    """The matches of a comparison as they are played, and what its complete blocks say."""

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison
        self.evidence = Evidence()
        self.verdict: Verdict | None = None
        """Once it is there, nothing changes any more."""

        self.faults: Counter[str] = Counter()
        """In how many matches of those blocks a seat of a bot was closed, by its name."""

        self._size = len(comparison.line_ups)
        self._waiting: defaultdict[int, dict[str, Result]] = defaultdict(dict)

    def add(self, result: Result) -> None:
        """Take in a match; the same one again changes nothing.

        A block counts once it and all before it are complete.
        """
        if result.deal >= self.evidence.blocks:
            self._waiting[result.deal][result.match] = result
        while self.verdict is None and len(self._waiting[self.evidence.blocks]) == self._size:
            self._count(self._waiting.pop(self.evidence.blocks))

    def _count(self, block: dict[str, Result]) -> None:
        comparison = self.comparison
        value = block_value(comparison.a, comparison.b, block.values())
        self.evidence = self.evidence.plus(value)
        self.faults.update(bot for result in block.values() for bot in result.at_fault)
        self.verdict = self.evidence.verdict(comparison.relevant, comparison.blocks)

    @property
    def matches(self) -> int:
        """How many matches count."""
        return self.evidence.blocks * self._size


class Report(Protocol):
    """Whoever wants to know how a comparison goes."""

    def counted(self, blocks: Blocks) -> None:
        """There are more complete blocks than before."""

    def remark(self, text: str) -> None:
        """Something is worth a line."""


@dataclass(frozen=True, slots=True)
class _Watch:
    """The report of a run that ends it once the comparison is decided."""

    blocks: Blocks
    report: Report
    stop: Stop

    def played(self, record: MatchRecord, done: int, total: int) -> None:  # noqa: ARG002
        before = self.blocks.evidence
        self.blocks.add(Result.of(record))
        self.stop.enough = self.blocks.verdict is not None
        if self.blocks.evidence is not before:
            self.report.counted(self.blocks)

    def remark(self, text: str) -> None:
        self.report.remark(text)


def plan_comparison(
    candidates: Sequence[Candidate],
    comparison: Comparison,
    limits: Limits,
    tier: Tier,
    *,
    suite: Suite | None = None,
    name: str | None = None,
    public_value: str = "",
) -> Plan:
    """Return the tournament that carries ``comparison`` out.

    Args:
        candidates: A, B and those of the field; one may stand there several times.
        comparison: by their names.
        limits: of every seat.
        tier: how the bots are kept apart.
        suite: whose published key to play with; without one a fresh secret is drawn.
        name: of the tournament.
        public_value: goes into the key beside a fresh secret.

    Raises:
        UsageError: the game is not played so, a bot does not play it, or the names do not fit.
    """
    _check(candidates, comparison)
    there = {bot.name: bot for bot in candidates}
    tournament = new_tournament(
        list(there.values()),
        {comparison.category: comparison.blocks},
        limits,
        tier,
        suite=suite,
        name=name or DEFAULT_NAME,
        public_value=public_value,
        more_unrated=(UNRATED,),
        more=comparison.parameters(),
    )
    entries = tuple((bot.name, bot.bundle) for bot in there.values())
    return Plan(tournament, entries, tuple(comparison.fixtures()))


def _check(candidates: Sequence[Candidate], comparison: Comparison) -> None:
    category = comparison.category.check()
    for bot in candidates:
        if not bot.plays(category.game):
            raise UsageError(f"{bot.name} does not play {category.game}")
    a, b, field = comparison.a, comparison.b, comparison.field
    if a == b:
        own = plain_name(a)
        raise UsageError(
            f"{a} is compared with itself: name another bot, or an older version of it as "
            f"{own}@1, {own}@2… (`arena bots --versions` lists them)"
        )
    if not field:
        return
    if get_game(category.game).kind is Kind.COOPERATIVE:
        raise UsageError(f"{category.game} is compared in self-play: leave out --field")
    if twice := {a, b} & set(field):
        raise UsageError(f"{min(twice)} is compared, and cannot be in the field as well")
    others = category.players - 1
    if len(field) != others:
        raise UsageError(
            f"--field names who sits beside the bot that is compared: {others} for "
            f"{category.players} players, not {len(field)} (a name may stand there repeatedly)"
        )


def play(
    store: Store,
    tournament: Tournament,
    jobs: int,
    report: Report,
    stop: Stop,
    executors: Executors = local,
) -> Blocks:
    """Play what it takes to decide the comparison ``tournament``, from where it stands.

    Returns:
        Its blocks; they have a verdict unless ``stop`` was asked for.

    Raises:
        KeyboardInterrupt, UsageError, HostFault: as `arena.tournament.runner.run` does.
        RecordError: it was altered since it was planned.
    """
    blocks = so_far(store, tournament)
    stop.enough = blocks.verdict is not None
    run(store, tournament.id, jobs, _Watch(blocks, report, stop), stop, executors)
    if blocks.verdict is None and not (stop.asked or stop.at_once):
        raise RecordError(
            f"{tournament.id}: its schedule is not that of the comparison in its parameters: "
            f"`arena verify {tournament.id}` says what was altered"
        )
    return blocks


def so_far(store: Store, tournament: Tournament) -> Blocks:
    """Return the blocks of the comparison ``tournament`` that are on record.

    Raises:
        UsageError: it is no comparison.
    """
    blocks = Blocks(Comparison.of(tournament))
    for line in records(store, [tournament.id]):
        blocks.add(Result.of(decode_record(line)))
        if blocks.verdict:
            break
    return blocks
