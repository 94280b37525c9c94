"""The result of a match: what ratings and statistics need of its record."""

import sys
from collections.abc import Iterable
from dataclasses import dataclass

from arena.errors import RecordError
from arena.games import games, get_game
from arena.referee.category import Category, Mode
from arena.referee.record import MatchRecord


@dataclass(frozen=True, slots=True)
class Result:
    """How one match ended. All tuples are by seat."""

    tournament: str
    match: str
    """Unique within the tournament."""

    category: Category
    deal: int
    """Number of the deal in the tournament's suite."""

    bots: tuple[str, ...]
    scores: tuple[int, ...]
    ranks: tuple[int, ...]
    """1 best; ties share a place and the next is skipped."""

    faults: frozenset[int] = frozenset()
    """The seats that were closed."""

    action_ms: tuple[tuple[float, ...], ...] = ()
    """Of each decision of the bot itself; empty where nobody asks for times."""

    tier: str = ""
    """How the bots were kept apart."""

    rated: bool = False
    """Whether the match was played under the conditions of a rated tournament."""

    digests: tuple[str, ...] = ()
    """Of the bots' contents; empty where nobody asks for them."""

    cards: str = ""
    """Fingerprint of the key that the cards come from; empty: one that no other tournament has."""

    @classmethod
    def of(cls, record: MatchRecord) -> "Result":
        """Return the result in ``record``.

        Raises:
            RecordError: its parts do not fit each other.
        """
        seats = range(record.players)
        by_seat = (record.seats, record.scores, record.ranks)
        if any(len(part) != record.players for part in by_seat):
            raise RecordError(f"{record.match}: not one seat, score and rank for each player")
        if len(record.measured.action_ms) != len(record.actions):
            raise RecordError(f"{record.match}: not one time for each action")
        faults = frozenset(fault.seat for fault in record.faults)
        if not faults.issubset(seats):
            raise RecordError(f"{record.match}: a fault of a seat that is not there")
        try:
            mode = Mode(record.mode)
        except ValueError:
            raise RecordError(f"{record.match}: there is no mode {record.mode!r}") from None
        action_ms: list[list[float]] = [[] for _ in seats]
        for action, ms in zip(record.actions, record.measured.action_ms, strict=True):
            if not action.house and action.seat in seats:
                action_ms[action.seat].append(ms)
        return cls(
            tournament=record.tournament,
            match=record.match,
            category=Category(record.game, record.variant, mode, record.players),
            deal=record.deal,
            bots=tuple(seat.bot for seat in record.seats),
            scores=record.scores,
            ranks=record.ranks,
            faults=faults,
            action_ms=tuple(map(tuple, action_ms)),
            tier=record.tier,
            rated=record.rated,
            # A few texts in very many records.
            digests=tuple(sys.intern(seat.digest) for seat in record.seats),
        )

    @property
    def deal_id(self) -> str:
        """The deal's name: equal ones have the same cards.

        They follow from key, category and number, whatever tournament the deal is played in.
        """
        return f"{self.cards or self.tournament}/{self.category.name}/{self.deal}"

    @property
    def ratable(self) -> bool:
        """Whether the line-up can say who did better.

        One bot holds all seats of a self-play match; anywhere else each seat is another bot's.
        """
        names = len(set(self.bots))
        return names == 1 if self.category.mode is Mode.SELF else names == len(self.bots)

    @property
    def at_fault(self) -> frozenset[str]:
        """The bots whose seats were closed."""
        return frozenset(self.bots[seat] for seat in self.faults)


def in_order(categories: Iterable[Category]) -> list[Category]:
    """Return ``categories`` once each: games and variants as registered, then by players."""
    order = list(games())
    modes = list(Mode)

    def key(category: Category) -> tuple[int, int, int, int]:
        variants = get_game(category.game).variants
        return (
            order.index(category.game),
            variants.index(category.variant),
            modes.index(category.mode),
            category.players,
        )

    return sorted(set(categories), key=key)


def categories_of(results: Iterable[Result]) -> list[Category]:
    """Return the categories of ``results``, as `in_order` has them."""
    return in_order(result.category for result in results)
