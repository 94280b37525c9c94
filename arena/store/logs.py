"""The matches of one bot, newest first, for its logs."""

from collections.abc import Iterator

from arena.referee.record import MatchRecord, decode_record
from arena.store.db import Store
from arena.store.listing import check_entered


def records_of(
    store: Store, bot: str, tournament: str | None = None, *, faulty: bool = False
) -> Iterator[MatchRecord]:
    """Yield the records of the matches of ``bot``, the one stored last first, one at a time.

    Args:
        store: where they are kept.
        bot: the name under which it took part.
        tournament: an id; ``None`` for all in which it took part.
        faulty: leave out matches without a fault of this bot.

    Raises:
        UsageError: it took part in none.
        RecordError: what is kept is not a record.
    """
    check_entered(store, bot, tournament)
    # The schedule is small and says who sat where; of the matches, with their long records, only
    # those are read that are asked for.
    rows = store.rows(
        "SELECT m.rowid AS number FROM entries e JOIN fixtures f USING (tournament)"
        " JOIN matches m USING (tournament, match) WHERE e.bot = :bot"
        " AND (:tournament IS NULL OR e.tournament = :tournament)"
        " AND EXISTS (SELECT 1 FROM json_each(f.bots) AS seat WHERE seat.value = :bot)"
        " AND m.faults >= :faults ORDER BY number DESC",
        {"bot": bot, "tournament": tournament, "faults": int(faulty)},
    )
    for row in rows:
        kept = store.row("SELECT record FROM matches WHERE rowid = ?", (row["number"],))
        record = decode_record(kept["record"].encode() if kept else b"")
        if not faulty or any(_holder(record, fault.seat) == bot for fault in record.faults):
            yield record


def _holder(record: MatchRecord, seat: int) -> str | None:
    return record.seats[seat].bot if seat in range(len(record.seats)) else None
