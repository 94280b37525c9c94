"""Matches that were played, to choose from: the newest first, a page at a time."""

from collections.abc import Iterator

from arena.errors import UsageError
from arena.games import closest
from arena.store.db import Store
from arena.store.matches import StoredMatch
from arena.wire.escape import printable

_PAGE = 50
_ECHO = 80


def newest_matches(
    store: Store, tournament: str | None = None, bot: str | None = None, *, faulty: bool = False
) -> Iterator[StoredMatch]:
    """Yield matches, the one stored last first, a page at a time.

    Args:
        store: where they are kept.
        tournament: an id; ``None`` for all.
        bot: the name under which it took part; ``None`` for all.
        faulty: leave out matches without any fault.

    Raises:
        UsageError: ``bot`` took part in none.
    """
    if bot is not None:
        check_entered(store, bot, tournament)
    before: int | None = None
    while True:
        rows = store.rows(
            "SELECT m.rowid AS number, m.* FROM matches m JOIN fixtures f USING (tournament, match)"
            " WHERE (:tournament IS NULL OR m.tournament = :tournament)"
            " AND (:before IS NULL OR m.rowid < :before) AND m.faults >= :faults"
            " AND (:bot IS NULL OR EXISTS"
            " (SELECT 1 FROM json_each(f.bots) AS seat WHERE seat.value = :bot))"
            " ORDER BY m.rowid DESC LIMIT :page",
            {
                "tournament": tournament,
                "before": before,
                "faults": int(faulty),
                "bot": bot,
                "page": _PAGE,
            },
        )
        for row in rows:
            yield StoredMatch(
                tournament=row["tournament"],
                match=row["match"],
                category=row["category"],
                deal=row["deal"],
                finished=row["finished"],
                record=row["record"].encode(),
            )
        if len(rows) < _PAGE:
            return
        before = rows[-1]["number"]


def match_ids(store: Store, beginning: str, tournament: str | None, most: int) -> list[str]:
    """Return up to ``most`` ids of matches with this ``beginning``, each once, in their order."""
    rows = store.rows(
        "SELECT DISTINCT match FROM matches WHERE match >= :text AND match < :text || char(1114111)"
        " AND (:tournament IS NULL OR tournament = :tournament) ORDER BY match LIMIT :most",
        {"text": beginning, "tournament": tournament, "most": most},
    )
    return [row["match"] for row in rows]


def tournaments_of(store: Store, match: str) -> list[str]:
    """Return the ids of all tournaments with a record of ``match`` (an id), newest record first."""
    rows = store.rows(
        "SELECT tournament FROM matches WHERE match = ? ORDER BY rowid DESC", (match,)
    )
    return [row["tournament"] for row in rows]


def check_entered(store: Store, bot: str, tournament: str | None) -> None:
    """Raise `UsageError` if no bot called ``bot`` entered ``tournament`` (an id; ``None``: any)."""
    rows = store.rows(
        "SELECT DISTINCT bot FROM entries WHERE :tournament IS NULL OR tournament = :tournament",
        {"tournament": tournament},
    )
    names = [row["bot"] for row in rows]
    if bot not in names:
        where = f"in {tournament}" if tournament else "in any tournament or match"
        said = f"no bot is called '{printable(bot, _ECHO)}' {where}"
        raise UsageError(f"{said}{printable(closest(bot[:_ECHO], names))}")
