"""The files of an export, see section 13 of protocol/SPEC.md, and reading them without trust.

Only files of these names are opened, none of them is followed anywhere, and all sizes have a cap.
"""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, BinaryIO, TypeVar

import msgspec
from msgspec import Meta

from arena.audit.facts import plain_parameters
from arena.errors import Difference, UsageError
from arena.players.files import MAX_BYTES, MAX_FILES
from arena.store.drops import Drop
from arena.store.tournaments import Entry, Tournament
from arena.tournament.plan import MOST_BOTS
from arena.tournament.suite import MOST_DEALS
from arena.wire.escape import printable

EXPORT_VERSION = 1
FACTS = "tournament.json"
SCHEDULE = "schedule.txt"
RECORDS = "records.jsonl"
CHAIN = "chain.txt"
STANDINGS_JSON = "standings.json"
STANDINGS_CSV = "standings.csv"
SUITE = "suite.toml"
BOTS = "bots.jsonl"

MOST_FACTS = 8 * 1024 * 1024
"""Of a file that is read as a whole, in bytes."""

MOST_RECORD = 16 * 1024 * 1024
"""Of a line with a record, in bytes; usual ones have some ten thousand."""

MOST_NAME = 4096
"""Of a line with the id of a match."""

MOST_BOT = 2 * MAX_BYTES
"""Of a line with a snapshot: its files are spelt in base64."""

_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_SHOWN = 160
_MOST_DROPS = 10_000

_Count = Annotated[int, Meta(ge=0, le=2**53 - 1)]
_Deal = Annotated[int, Meta(ge=0, le=MOST_DEALS + _MOST_DROPS)]
_Bot = Annotated[str, Meta(max_length=64)]

_Hex = Annotated[str, Meta(pattern=r"\A[0-9a-f]{64}\Z")]
_Time = Annotated[str, Meta(pattern=r"\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\Z")]
_Digest = Annotated[str, Meta(pattern=r"\Asha256:[0-9a-f]{64}\Z")]

T = TypeVar("T")


class Exported(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of all that an export is made of."""


class EntryFacts(Exported, frozen=True, kw_only=True):
    """A bot of the tournament."""

    bot: _Bot
    digest: _Digest


class DropFacts(Exported, frozen=True, kw_only=True):
    """A deal that was dropped."""

    category: Annotated[str, Meta(max_length=256)]
    deal: _Deal
    table: Annotated[tuple[_Bot, ...], Meta(max_length=99)] | None
    """The bots whose deal it was, ascending; ``None``: everybody's."""

    instead: _Deal
    """The deal that the same seatings play."""

    reason: Annotated[str, Meta(max_length=2_000)]
    """What the host says of it."""


class Facts(Exported, frozen=True, kw_only=True):
    """What a tournament is made of: the content of `FACTS`."""

    export: int
    """Version of this format."""

    arena: Annotated[str, Meta(max_length=64)]
    """Version of arena that wrote it."""

    protocol: int
    record: int
    tournament: Annotated[str, Meta(pattern=r"\A[A-Za-z0-9][A-Za-z0-9._-]{0,99}\Z")]
    """Its id."""

    name: Annotated[str, Meta(max_length=64)]
    created: _Time
    finished: _Time | None
    """When its last match had been played."""

    suite: Annotated[str, Meta(max_length=64)]
    parameters: msgspec.Raw
    """Read by `arena.audit.facts.plain_parameters`."""

    commitment: _Hex | None
    public_value: Annotated[str, Meta(max_length=1024)] | None
    secret: _Hex | None
    key: _Hex
    unrated: Annotated[tuple[Annotated[str, Meta(max_length=100_000)], ...], Meta(max_length=20)]
    """Why it is not rated."""

    entries: Annotated[tuple[EntryFacts, ...], Meta(max_length=MOST_BOTS)]
    """In the order in which they were entered."""

    drops: Annotated[tuple[DropFacts, ...], Meta(max_length=_MOST_DROPS)] = ()
    """In the order in which they were made."""

    scheduled: _Count
    """Matches on the schedule."""

    matches: _Count
    """Matches with a record."""

    head: _Hex
    """Last link of the chain."""

    def as_tournament(self) -> Tournament:
        """Return the tournament that these are the facts of.

        Raises:
            Difference: its parameters are none.
            UsageError: they are of another version.
        """
        try:
            parameters = plain_parameters(self.parameters)
        except Difference as found:
            raise found.within(self.tournament) from None
        return Tournament(
            id=self.tournament,
            name=self.name,
            created=self.created,
            parameters=parameters,
            suite=self.suite,
            key=bytes.fromhex(self.key),
            commitment=self.commitment,
            secret=None if self.secret is None else bytes.fromhex(self.secret),
            public_value=self.public_value,
            unrated=self.unrated,
            finished=self.finished,
            head=self.head,
        )

    def as_drops(self) -> list[Drop]:
        """Return the drops as a home keeps them."""
        return [
            Drop(one.category, one.deal, one.table, one.instead, one.reason) for one in self.drops
        ]

    def as_entries(self) -> list[Entry]:
        """Return the bots as a home keeps them."""
        return [Entry(entry.bot, entry.digest) for entry in self.entries]


class StandingFacts(Exported, frozen=True, kw_only=True):
    """A bot in the standings of a category, see `arena.audit.standings.COLUMNS`."""

    category: Annotated[str, Meta(max_length=256)]
    place: _Count
    bot: _Bot
    mu: float
    sigma: float
    half_width: float
    best_place: _Count
    worst_place: _Count
    points: float | None
    score: float | None
    matches: _Count
    deals: _Count
    faults: _Count
    provisional: bool


class FileFacts(Exported, frozen=True, kw_only=True):
    """A file of a snapshot."""

    path: Annotated[str, Meta(max_length=1024)]
    mode: Annotated[str, Meta(pattern=r"\A(644|755)\Z")]
    content: bytes
    """In base64."""


class BotFacts(Exported, frozen=True, kw_only=True):
    """A snapshot: a line of `BOTS`."""

    digest: _Digest
    files: Annotated[tuple[FileFacts, ...], Meta(max_length=2 * MAX_FILES)]


def decode(content: bytes, of_type: type[T], where: str) -> T:
    """Return ``content`` as a value of ``of_type``, or raise `Difference`."""
    try:
        return msgspec.json.decode(content, type=of_type)
    except (msgspec.DecodeError, RecursionError) as error:
        raise Difference(where, printable(str(error), _SHOWN)) from None


class Folder:
    """An export that nobody vouches for."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def has(self, name: str) -> bool:
        """Return whether there is something called ``name``."""
        return os.path.lexists(self.path / name)

    def content(self, name: str, most: int = MOST_FACTS) -> bytes:
        """Return the whole file ``name``, which has at most ``most`` bytes.

        Raises:
            UsageError: there is no such file.
            Difference: it is longer.
        """
        with self._opened(name) as file:
            found = file.read(most + 1)
        if len(found) > most:
            raise Difference(name, f"longer than {most:,} bytes")
        return found

    def lines(self, name: str, most: int) -> Iterator[bytes]:
        """Yield the lines of the file ``name`` without their LF, each of at most ``most`` bytes.

        Raises:
            UsageError: there is no such file.
            Difference: a line is longer, or does not end.
        """
        with self._opened(name) as file:
            number = 0
            while line := file.readline(most + 2):
                number += 1
                if not line.endswith(b"\n") or len(line) > most + 1:
                    raise Difference(f"{name}: line {number}", "too long, or without an end")
                yield line[:-1]

    def _opened(self, name: str) -> BinaryIO:
        path = self.path / name
        where = printable(str(path), _SHOWN, cut="middle")
        try:
            descriptor = os.open(path, _FLAGS)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else "no possible path"
            raise UsageError(f"{where}: cannot be read: {reason}") from None
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise UsageError(f"{where}: no regular file")
        return os.fdopen(descriptor, "rb")
