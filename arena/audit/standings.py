"""Standings as an export has them, and whether two of them are the same."""

from collections.abc import Mapping, Sequence
from itertools import zip_longest

from arena.errors import Difference
from arena.ratings.leaderboard import Leaderboard
from arena.ratings.retiring import Retired
from arena.wire.escape import printable

Value = str | int | float | bool | None
Standing = Mapping[str, Value]

COLUMNS = (
    *("category", "place", "bot", "mu", "sigma", "half_width", "best_place", "worst_place"),
    *("points", "score", "matches", "deals", "faults", "provisional"),
)
"""Keys of every row, in order."""

SETTLED = 5e-4
"""How far numbers may differ: a fit stops short of the last digits, and they are rounded."""

_DIGITS = 4


def standings(boards: Sequence[Leaderboard]) -> list[Standing]:
    """Return the rows of ``boards`` with the keys `COLUMNS`, best bot of a category first."""
    return [
        {
            "category": board.category.name,
            "place": row.place,
            "bot": row.bot,
            "mu": round(row.rating.mu, _DIGITS),
            "sigma": round(row.rating.sigma, _DIGITS),
            "half_width": round(row.half_width, _DIGITS),
            "best_place": row.places[0],
            "worst_place": row.places[1],
            "points": None if row.points is None else round(row.points, _DIGITS),
            "score": None if row.score is None else round(row.score, _DIGITS),
            "matches": row.matches,
            "deals": row.deals,
            "faults": row.faults,
            "provisional": row.provisional,
        }
        for board in boards
        for row in board.rows
    ]


def check_standings(recorded: Sequence[Standing], follow: Sequence[Standing]) -> None:
    """Raise `Difference` unless both are the same standings, but for the last digits."""
    for one, other in zip(recorded, follow, strict=False):
        where = f"standings: {other['category']}: place {other['place']}"
        for name in COLUMNS:
            if not _same(one.get(name), other[name]):
                raise Difference(
                    f"{where}: {name}", printable(str(one.get(name)), 80), str(other[name])
                )
    if len(recorded) != len(follow):
        raise Difference("standings", f"{len(recorded)} rows", str(len(follow)))


def check_retired(told: Leaderboard, follow: Sequence[Retired]) -> None:
    """Raise `Difference` unless those retired in a leaderboard are the ones that ``follow``."""
    for one, other in zip_longest(told.retired, follow):
        if one != other:
            where = f"standings: {told.category.name}: retired"
            raise Difference(where, _said(one), _said(other))


def _said(retired: Retired | None) -> str:
    return printable(f"{retired.bot}: {retired.reason}", 120) if retired else "nobody"


def _same(one: Value, other: Value) -> bool:
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, float):
        return abs(one - other) <= SETTLED
    return one == other
