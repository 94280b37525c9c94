"""What somebody says of a tournament: a home or an export, all of it still to be checked."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from arena.audit.facts import check
from arena.audit.standings import check_retired, check_standings, standings
from arena.errors import Difference, HostFault
from arena.players.bundle import Bundle
from arena.ratings.leaderboard import Leaderboard
from arena.store.audit import kept_matches, kept_schedule
from arena.store.db import Store
from arena.store.drops import Drop, list_drops
from arena.store.rulings import excused_matches
from arena.store.snapshots import is_absent, load_bundle
from arena.store.tournaments import Entry, Tournament, get_tournament, list_entries
from arena.tournament.leaderboards import leaderboards
from arena.wire.escape import printable


@dataclass(frozen=True, slots=True)
class Line:
    """A record as it is told, and what is told beside it."""

    record: bytes
    match: str | None = None
    """The match that it is said to be of."""

    link: str | None = None
    """Its link of the chain, in hex."""

    columns: Mapping[str, str | int | float] | None = None
    """What the record says too."""


@dataclass(slots=True)
class Verified:
    """What was found to be in order."""

    tournament: str
    matches: int = 0
    scheduled: int = 0
    excused: int = 0
    """Matches that need no record, or whose records do not count."""

    head: str = ""
    """Last link of the chain of digests, in hex."""

    unchecked: list[str] = field(default_factory=list)
    """What cannot be checked, and why."""


class Account(Protocol):
    """What somebody says of a tournament. All methods raise `RecordError` at what cannot be."""

    @property
    def tournament(self) -> Tournament:
        """What it is made of."""

    @property
    def entries(self) -> Sequence[Entry]:
        """The bots."""

    @property
    def total(self) -> int:
        """How many matches have a record."""

    @property
    def drops(self) -> Sequence[Drop]:
        """The deals that were dropped, in the order in which they were."""

    def schedule(self) -> Iterator[str]:
        """Yield the ids of its matches, in order."""

    def lines(self) -> Iterator[Line]:
        """Yield its records, in order."""

    def snapshots(self) -> Iterator[tuple[str, Bundle | None]]:
        """Yield the digests of its bots, each with the snapshot if that is there."""

    def check_rest(self, done: Verified, boards: Sequence[Leaderboard]) -> None:
        """Raise `Difference` if other standings than ``boards`` are told, or other counts."""


class Kept:
    """The account that a home gives of a tournament."""

    def __init__(self, store: Store, tournament: Tournament) -> None:
        self.tournament = tournament
        self.entries = list_entries(store, tournament.id)
        self.drops = list_drops(store, tournament.id)
        self.total = get_tournament(store, tournament.id).played
        self._store = store

    def schedule(self) -> Iterator[str]:
        """Yield the ids of its matches, in order."""
        return kept_schedule(self._store, self.tournament.id)

    def lines(self) -> Iterator[Line]:
        """Yield its records, in order."""
        for kept in kept_matches(self._store, self.tournament.id):
            yield Line(kept.record, kept.match, columns=kept.columns)

    def snapshots(self) -> Iterator[tuple[str, Bundle | None]]:
        """Yield the digests of its bots, each with the snapshot if that is there."""
        for entry in self.entries:
            if is_absent(self._store, entry.digest):
                yield entry.digest, None
                continue
            try:
                yield entry.digest, load_bundle(self._store, entry.digest, entry.bot)
            except HostFault as fault:
                raise Difference(f"snapshot of {printable(entry.bot, 40)}", str(fault)) from None

    def check_rest(self, done: Verified, boards: Sequence[Leaderboard]) -> None:
        """Raise `Difference` if other standings than ``boards`` are shown."""
        told = leaderboards(self._store, [self.tournament.id])
        played = get_tournament(self._store, self.tournament.id).played
        if self.tournament.finished is None and played > done.matches:
            return  # it goes on meanwhile
        if self.tournament.finished:
            excused = len(excused_matches(self._store, self.tournament.id))
            check("excused", excused, done.excused)
        for board in told:
            known = [one for one in boards if one.category == board.category]
            check_retired(board, known[0].retired if known else ())
        check_standings(standings(told), standings(boards))
