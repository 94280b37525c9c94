"""Leaderboards of stored tournaments; their ratings are kept for as long as nothing is added."""

from collections.abc import Collection, Sequence

import msgspec

from arena.ratings.batch import Batch
from arena.ratings.leaderboard import Leaderboard, leaderboard
from arena.ratings.result import Result, categories_of
from arena.referee.record import decode_record
from arena.store.cache import CachedRatings, load_ratings, save_ratings
from arena.store.db import Store
from arena.store.matches import records


def leaderboards(
    store: Store, tournaments: Sequence[str], games: Collection[str] = ()
) -> list[Leaderboard]:
    """Return the leaderboard of every category that was played in ``tournaments`` (ids).

    Args:
        store: an open home; the ratings are kept in it.
        tournaments: one, or several that are rated as a pool.
        games: names of the games to keep; empty keeps all.
    """
    results = [Result.of(decode_record(line)) for line in records(store, tournaments)]
    boards = []
    for category in categories_of(results):
        if games and category.game not in games:
            continue
        kept = _kept(store, tournaments, category.name)
        board = leaderboard(category, results, kept)
        if board.batch is not kept:
            payload = msgspec.json.encode(board.batch)
            cached = CachedRatings(units=board.batch.digest, payload=payload)
            save_ratings(store, tournaments, category.name, cached)
        boards.append(board)
    return boards


def _kept(store: Store, tournaments: Sequence[str], category: str) -> Batch | None:
    cached = load_ratings(store, tournaments, category)
    if cached is None:
        return None
    try:
        return msgspec.json.decode(cached.payload, type=Batch)
    except msgspec.DecodeError:  # kept by another version
        return None
