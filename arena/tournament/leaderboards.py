"""Leaderboards of stored tournaments; they are kept, and made anew once a match is added.

Three things are kept of a pool of tournaments. Finished tables and pairs go with a stamp that the
store gives without reading a record, so that they are shown at once. The ratings of a category go
with the digest of its units, and hold where the next fit of it may start.
"""

import hashlib
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TypeVar

import msgspec

from arena import __version__
from arena.errors import HostFault, RecordError, UsageError
from arena.games import get_game
from arena.ratings.batch import METHOD_VERSION, Batch
from arena.ratings.kept import Kept
from arena.ratings.leaderboard import Leaderboard, leaderboard
from arena.ratings.matrix import Matrix, Pairs, matrices, pairs
from arena.ratings.repeats import Distinct, distinct
from arena.ratings.result import Result, in_order
from arena.ratings.retiring import Retired, has_retired
from arena.referee.category import Category
from arena.referee.record import decode_record
from arena.store.bots import version_labels
from arena.store.cache import CachedRatings, extent, load_ratings, save_ratings
from arena.store.db import Store
from arena.store.drops import count_drops
from arena.store.fixtures import bots_of_matches
from arena.store.matches import categories, records
from arena.store.rulings import list_retired
from arena.store.tournaments import list_tournaments
from arena.wire.escape import printable

TABLES_VERSION = 3
"""Raised whenever what is kept of the same matches could be something else."""

TABLES, TABLES_OF_ALL, PAIRS = "tables", "tables of all versions", "pairs"
"""Words under which the cache has what belongs to a pool as a whole."""

_OLDER = re.compile(r"(.+)@\d+", re.DOTALL)
"""The label of a version that is not the newest one of the pool."""

_ECHO = 80
_FINGERPRINT = 16

T = TypeVar("T")


def leaderboards(
    store: Store, tournaments: Sequence[str], games: Collection[str] = (), *, versions: bool = False
) -> list[Leaderboard]:
    """Return the leaderboard of every category that was played in ``tournaments`` (ids).

    Args:
        store: an open home; what was computed is kept in it.
        tournaments: one, or several that are rated as a pool.
        games: names of the games to keep; empty keeps all.
        versions: whether the older versions of a bot, which are players of their own in a pool,
            have rows too. They are rated in any case.

    Raises:
        RecordError: a record is damaged, or not of the category that was scheduled.
    """
    boards = _Pool(store, tournaments).boards(versions=versions)
    return [board for board in boards if not games or board.category.game in games]


def pair_matrices(
    store: Store,
    tournaments: Sequence[str],
    chosen: Collection[Category] | None = None,
    *,
    versions: bool = False,
) -> list[Matrix]:
    """Return how the bots did in pairs, their order being that of `leaderboards`.

    Args:
        store: as for `leaderboards`.
        tournaments: the same.
        chosen: the categories to keep; ``None`` keeps all.
        versions: as for `leaderboards`.
    """
    pool = _Pool(store, tournaments)
    boards = pool.boards(versions=versions)
    return matrices(
        [board for board in boards if chosen is None or board.category in chosen], pool.pairs()
    )


class _Pool:
    """Tournaments that are rated together, and what is kept of them."""

    def __init__(self, store: Store, tournaments: Sequence[str]) -> None:
        self._store = store
        self._ids = sorted(set(tournaments))
        self._cards = _cards(store, self._ids)
        self._labels = version_labels(store, self._ids)
        self._retired = {
            tournament: {(one.category, one.bot): one for one in found}
            for tournament, found in list_retired(store, self._ids).items()
        }
        # Asked before any record is read, so that matches that come in meanwhile make it stale.
        stands_for = [
            *(TABLES_VERSION, METHOD_VERSION, __version__),
            *(extent(store, self._ids), sorted(self._labels.items())),
        ]
        self._stamp = f"sha256:{hashlib.sha256(msgspec.json.encode(stands_for)).hexdigest()}"

    def boards(self, *, versions: bool) -> list[Leaderboard]:
        """Return the leaderboards of all categories, in order."""
        older = self._older()
        name = TABLES_OF_ALL if versions and older else TABLES
        boards = self._kept(name, list[Leaderboard], self._stamp)
        if boards is None:
            hidden = frozenset[str]() if versions else older
            made = {
                category: self._board(category, found, hidden)
                for category, found in self._results()
            }
            boards = [made[category] for category in in_order(made)]
            self._keep(name, boards, self._stamp)
        return boards

    def pairs(self) -> list[Pairs]:
        """Return how bots did in pairs, category by category."""
        found = self._kept(PAIRS, list[Pairs], self._stamp)
        if found is None:
            found = [pairs(category, played.results) for category, played in self._results()]
            self._keep(PAIRS, found, self._stamp)
        return found

    def _older(self) -> frozenset[str]:
        """Return the labels of versions that the pool has a newer one of.

        Whoever enters an older version in a tournament wants to see it in that one's tables.
        """
        labels = set(self._labels.values()) if len(self._ids) > 1 else set()
        older = ((label, _OLDER.fullmatch(label)) for label in labels)
        return frozenset(label for label, match in older if match and match[1] in labels)

    def _board(self, category: Category, found: Distinct, hidden: Collection[str]) -> Leaderboard:
        kept = self._kept(category.name, Batch)
        board = leaderboard(category, found.results, kept, hidden)
        if board.batch is not kept:
            self._keep(category.name, board.batch, board.batch.digest)
        # The next fit needs the messages, and no table does.
        return replace(
            board,
            batch=replace(board.batch, messages=Kept()),
            retired=tuple(self._retired_from(category.name)),
            unmatched=tuple(sorted(self._unmatched(category.name) - board.batch.ratings.keys())),
            dropped=count_drops(self._store, self._ids, category.name),
            repeats=found.repeats,
        )

    def _retired_from(self, category: str) -> Iterator[Retired]:
        for tournament, found in self._retired.items():
            for one in found.values():
                if one.category == category:
                    label = self._labels.get((tournament, one.bot), one.bot)
                    pooled = tournament if len(self._ids) > 1 else None
                    yield replace(one, bot=label, tournament=pooled)

    def _unmatched(self, category: str) -> set[str]:
        """Return who played in a category in which others were retired, and was not itself."""
        return {
            self._labels.get((tournament, bot), bot)
            for tournament, found in self._retired.items()
            if any(one.category == category for one in found.values())
            for bot in bots_of_matches(self._store, tournament, category)
            if (category, bot) not in found
        }

    def _results(self) -> Iterator[tuple[Category, Distinct]]:
        """Yield the results of each category, one at a time: together they may not fit."""
        for name in categories(self._store, self._ids):
            played = [
                Result.of(decode_record(line))
                for line in records(self._store, list(self._cards), name, counted=True)
            ]
            # No match of a bot is rated in a tournament in which it was retired.
            results = [
                self._labelled(result)
                for result in played
                if not has_retired(self._retired.get(result.tournament, {}), name, result.bots)
            ]
            for category in {result.category for result in played}:
                _check(category, name)
                yield category, distinct(results)

    def _labelled(self, result: Result) -> Result:
        if result.tournament not in self._cards:
            raise RecordError(
                f"{printable(result.match, _ECHO)}: its record is of the tournament "
                f"{printable(result.tournament, _ECHO)}, under which it is not stored: "
                "`arena verify` says what else was altered"
            )
        bots = tuple(self._labels.get((result.tournament, bot), bot) for bot in result.bots)
        cards = self._cards[result.tournament]
        same = bots == result.bots and cards == result.cards
        return result if same else replace(result, bots=bots, cards=cards)

    def _kept(self, name: str, kind: type[T], stamp: str | None = None) -> T | None:
        """Return what is kept under ``name`` if it can be read, and is of ``stamp`` if given."""
        cached = load_ratings(self._store, self._ids, name)
        if cached is None or (stamp is not None and cached.units != stamp):
            return None
        try:
            return msgspec.json.decode(cached.payload, type=kind)
        except (msgspec.DecodeError, RecursionError):  # of another version
            return None

    def _keep(self, name: str, value: object, stamp: str) -> None:
        # Whoever only looks has the tables all the same where nothing can be written.
        with suppress(UsageError, HostFault):
            cached = CachedRatings(stamp, msgspec.json.encode(value))
            save_ratings(self._store, self._ids, name, cached)


def _cards(store: Store, ids: Sequence[str]) -> dict[str, str]:
    """Return the fingerprint of each tournament's key by its id, the earliest tournament first.

    A tournament that is rated alone needs none: all its deals are its own.
    """
    if len(ids) == 1:
        return {ids[0]: ""}
    pool = [one.tournament for one in list_tournaments(store) if one.tournament.id in ids]
    return {
        one.id: f"sha256:{hashlib.sha256(one.key).hexdigest()[:_FINGERPRINT]}"
        for one in sorted(pool, key=lambda one: (one.created, one.id))
    }


def _check(category: Category, name: str) -> None:
    """Raise `RecordError` unless a record's ``category`` is the stored one, called ``name``."""
    get_game(category.game)
    try:
        found = category.check().name
    except UsageError as error:
        raise RecordError(f"a record of {printable(name, _ECHO)}: {error}") from None
    if found != name:
        raise RecordError(f"a record of {found} is stored as one of {printable(name, _ECHO)}")
