"""Reading an export that nobody vouches for, and keeping it in a home once it is verified."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import zip_longest
from pathlib import Path

import msgspec

from arena.audit import format as files
from arena.audit.account import Line, Verified
from arena.audit.export import csv_text, suite_text
from arena.audit.facts import check, check_facts, fixtures_of, shown
from arena.audit.standings import check_standings, standings
from arena.errors import Difference, RecordError, UsageError
from arena.players.bundle import Bundle, bundle_of
from arena.players.files import EXECUTABLE, MAX_BYTES, PLAIN, File, check_path, check_unique
from arena.ratings.leaderboard import Leaderboard
from arena.referee.chain import first_link, next_link, record_digest
from arena.referee.record import RECORD_VERSION
from arena.store.audit import import_tournament
from arena.store.db import Store
from arena.store.drops import Drop
from arena.store.tournaments import Entry
from arena.wire.escape import printable
from arena.wire.messages import PROTOCOL

_MODES = {"644": PLAIN, "755": EXECUTABLE}
_PROVIDED_BYTES = 1024 * 1024
"""Of what arena lays beside a bot's own files, at most."""


class Export:
    """The account that an export gives of a tournament; an `arena.audit.account.Account`."""

    def __init__(self, path: Path) -> None:
        """Read the facts of the export in the folder ``path``.

        Raises:
            UsageError: there is none, or it is of a version that this arena cannot read.
            Difference: its facts are damaged.
        """
        self._folder = files.Folder(path)
        if not self._folder.has(files.FACTS):
            where = printable(str(path), 160, cut="middle")
            raise UsageError(f"there is no export of arena in {where}: it has no {files.FACTS}")
        self.facts = files.decode(self._folder.content(files.FACTS), files.Facts, files.FACTS)
        versions = (
            ("export", self.facts.export, files.EXPORT_VERSION),
            ("protocol", self.facts.protocol, PROTOCOL),
            ("record", self.facts.record, RECORD_VERSION),
        )
        for name, told, here in versions:
            if told != here:
                raise UsageError(
                    f"{files.FACTS}: {name} has version {told}, this arena reads {here}"
                )
        self.tournament = self.facts.as_tournament()
        self.total = self.facts.matches

    @property
    def entries(self) -> Sequence[Entry]:
        """The bots."""
        return self.facts.as_entries()

    @cached_property
    def drops(self) -> Sequence[Drop]:
        """The deals that were dropped."""
        return self.facts.as_drops()

    def schedule(self) -> Iterator[str]:
        """Yield the ids of its matches, in order."""
        for line in self._folder.lines(files.SCHEDULE, files.MOST_NAME):
            yield line.decode("ascii", "backslashreplace")

    def lines(self) -> Iterator[Line]:
        """Yield its records, in order."""
        records = self._folder.lines(files.RECORDS, files.MOST_RECORD)
        chain = self._folder.lines(files.CHAIN, files.MOST_NAME)
        for number, (record, named) in enumerate(zip_longest(records, chain), 1):
            if record is None or named is None:
                name = files.RECORDS if record is None else files.CHAIN
                raise Difference(f"{name}: line {number}", "none", "one")
            link, _, match = named.decode("ascii", "backslashreplace").partition("  ")
            if not match:
                what = f"{files.CHAIN}: line {number}"
                raise Difference(what, shown(link), "a link, two spaces and a match")
            yield Line(record, match, link)

    def snapshots(self) -> Iterator[tuple[str, Bundle | None]]:
        """Yield the digests of its bots, each with the snapshot if that came along."""
        left = {entry.digest for entry in self.facts.entries}
        for bundle in self.bundles():
            left.discard(bundle.digest)
            yield bundle.digest, bundle
        for digest in sorted(left):
            yield digest, None

    def bundles(self) -> Iterator[Bundle]:
        """Yield the snapshots that came along, each of which entered."""
        entered = {entry.digest: entry.bot for entry in self.facts.entries}
        if not self._folder.has(files.BOTS):
            return
        for number, line in enumerate(self._folder.lines(files.BOTS, files.MOST_BOT), 1):
            where = f"{files.BOTS}: line {number}"
            told = files.decode(line, files.BotFacts, where)
            if told.digest not in entered:
                raise Difference(where, f"{told.digest} did not enter")
            bundle = _bundle(told, entered[told.digest], where)
            check(f"snapshot of {entered[told.digest]}", told.digest, bundle.digest)
            yield bundle

    def check_rest(self, done: Verified, boards: Sequence[Leaderboard]) -> None:
        """Raise `Difference` if other standings than ``boards`` are told, counts or suite."""
        check("scheduled", self.facts.scheduled, done.scheduled)
        check("matches", self.facts.matches, done.matches)
        content = self._folder.content(files.STANDINGS_JSON)
        rows = files.decode(content, list[files.StandingFacts], files.STANDINGS_JSON)
        told = list(map(msgspec.structs.asdict, rows))
        check_standings(told, standings(boards))
        self._check_text(files.STANDINGS_CSV, csv_text(told))
        self._check_text(files.SUITE, suite_text(self.tournament))

    def _check_text(self, name: str, follows: str) -> None:
        told = self._folder.content(name).decode("utf-8", "backslashreplace").split("\n")
        for number, (one, other) in enumerate(zip_longest(told, follows.split("\n")), 1):
            check(f"{name}: line {number}", one, other)


def records_in(path: Path) -> Iterator[bytes]:
    """Yield the records in the file ``path``, which is JSON Lines.

    Raises:
        UsageError: there is no such file.
        Difference: a line is too long.
    """
    return files.Folder(path.parent).lines(path.name, files.MOST_RECORD)


def import_export(store: Store, export: Export, head: str) -> None:
    """Keep the tournament of ``export`` in ``store``, as a whole or not at all.

    Args:
        store: an open home.
        export: one that was verified.
        head: last link of the chain as it was verified, in hex.

    Raises:
        UsageError: the home has the tournament already.
        Difference: the export was changed in the meantime.
    """
    told = export.tournament
    terms = check_facts(told, export.entries, opened=True)
    tournament = told if told.finished else replace(told, head=None)

    def records() -> Iterator[bytes]:
        link = first_link(told.id)
        for line in export.lines():
            link = next_link(link, record_digest(line.record))
            yield line.record
        check("head of the chain", link.hex(), head)

    import_tournament(
        store,
        tournament,
        export.entries,
        export.bundles(),
        fixtures_of(terms, told, export.schedule(), export.drops),
        records(),
        export.drops,
    )


def _bundle(told: files.BotFacts, name: str, where: str) -> Bundle:
    """Return the snapshot that is told: nothing that could not have been submitted."""
    if sum(len(file.content) for file in told.files) > MAX_BYTES + _PROVIDED_BYTES:
        raise Difference(where, f"more than {MAX_BYTES:,} bytes")
    try:
        for file in told.files:
            check_path(file.path.split("/"), shown(file.path))
        check_unique([file.path for file in told.files], where)
        return bundle_of(
            (File(file.path, _MODES[file.mode], file.content) for file in told.files), name
        )
    except (UsageError, RecordError) as error:
        raise Difference(where, printable(str(error), 200)) from None
