"""Ratings that were computed before, kept with the digest of the rated units they stand for."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from arena.store.db import Store


@dataclass(frozen=True, slots=True)
class CachedRatings:
    """What was computed for a category of a pool of tournaments."""

    units: str
    """Digest of the list of rated units; ratings of other units are not these."""

    payload: bytes
    """JSON, by whoever computed it."""


def save_ratings(
    store: Store, tournaments: Sequence[str], category: str, ratings: CachedRatings
) -> None:
    """Keep ``ratings`` of ``category`` in the pool of ``tournaments``, in place of earlier ones."""
    with store.atomic() as db:
        db.execute(
            "INSERT INTO ratings (pool, category, units, payload) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (pool, category)"
            " DO UPDATE SET units = excluded.units, payload = excluded.payload",
            (_pool(tournaments), category, ratings.units, ratings.payload.decode()),
        )


def load_ratings(store: Store, tournaments: Sequence[str], category: str) -> CachedRatings | None:
    """Return what was kept last for ``category`` in the pool of ``tournaments``, if anything."""
    row = store.row(
        "SELECT units, payload FROM ratings WHERE pool = ? AND category = ?",
        (_pool(tournaments), category),
    )
    return None if row is None else CachedRatings(row["units"], row["payload"].encode())


def _pool(tournaments: Sequence[str]) -> str:
    return json.dumps(sorted(set(tournaments)))
