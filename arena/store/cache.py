"""What was computed before from the matches of a pool of tournaments, and what it stands for.

It is a cache: all of it can be computed again, and whoever reads it must be ready for that.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

from arena.store.db import Store

_SEAL = " payload "


@dataclass(frozen=True, slots=True)
class CachedRatings:
    """What was computed for a category of a pool of tournaments, or for all of the pool."""

    units: str
    """Digest of what it was computed from; it is not what other matches would give."""

    payload: bytes
    """JSON, by whoever computed it."""


def save_ratings(
    store: Store, tournaments: Sequence[str], category: str, ratings: CachedRatings
) -> None:
    """Keep ``ratings`` of ``category`` in the pool of ``tournaments``, in place of earlier ones.

    ``category`` is the name of one, or any other word for what is kept of the pool as a whole.
    """
    with store.atomic() as db:
        db.execute(
            "INSERT INTO ratings (pool, category, units, payload) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (pool, category)"
            " DO UPDATE SET units = excluded.units, payload = excluded.payload",
            (_pool(tournaments), category, _sealed(ratings), ratings.payload.decode()),
        )


def load_ratings(store: Store, tournaments: Sequence[str], category: str) -> CachedRatings | None:
    """Return what was kept last for ``category`` in the pool of ``tournaments``, if anything.

    What is no longer as it was saved counts for nothing.
    """
    row = store.row(
        "SELECT units, payload FROM ratings WHERE pool = ? AND category = ?",
        (_pool(tournaments), category),
    )
    if row is None:
        return None
    found = CachedRatings(row["units"].partition(_SEAL)[0], row["payload"].encode())
    return found if row["units"] == _sealed(found) else None


def extent(store: Store, tournaments: Sequence[str]) -> list[tuple[str | int, ...]]:
    """Return for each of ``tournaments``, by id, what is another whenever matches were added.

    It is (id, number of matches, sum of their row numbers, when the last one was stored and how
    long it took, deals dropped, bots retired, matches that need not be played): indexes and one row
    are enough to know it. Matches are never changed, and none is taken away but by hand.
    """
    found: list[tuple[str | int, ...]] = []
    for tournament in sorted(set(tournaments)):
        (row,) = store.rows(
            "SELECT count(*) AS played, sum(rowid) AS numbers, max(rowid) AS last FROM matches"
            " WHERE tournament = ?",
            (tournament,),
        )
        last = store.row("SELECT finished, ms FROM matches WHERE rowid = ?", (row["last"],))
        played = f"{last['finished']} {last['ms']}" if last else ""
        (ruled,) = store.rows(
            "SELECT (SELECT count(*) FROM drops WHERE tournament = :id) AS dropped,"
            " (SELECT count(*) FROM retired WHERE tournament = :id) AS retired,"
            " (SELECT count(*) FROM excused WHERE tournament = :id) AS excused",
            {"id": tournament},
        )
        found.append((tournament, row["played"], row["numbers"] or 0, played, *ruled))
    return found


def _pool(tournaments: Sequence[str]) -> str:
    return json.dumps(sorted(set(tournaments)))


def _sealed(ratings: CachedRatings) -> str:
    """Return the digest of the units with one of the payload, which shows whether it is whole."""
    return f"{ratings.units}{_SEAL}{hashlib.sha256(ratings.payload).hexdigest()}"
