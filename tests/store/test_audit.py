from collections.abc import Iterator
from dataclasses import replace

import pytest

from arena.errors import RecordError, UsageError
from arena.store.audit import import_tournament, kept_matches, kept_schedule
from arena.store.db import Store
from arena.store.matches import add_matches
from arena.store.snapshots import is_absent
from arena.store.tournaments import Entry, get_tournament, list_entries, list_tournaments
from tests.kept import DUELS, planned, record_of, snapshot, tournament

ENTRIES = [Entry(bot, snapshot(bot).digest) for bot in "abc"]


def test_schedule_and_matches_come_as_they_lie_there(store: Store) -> None:
    planned(store)
    add_matches(store, "spring", [record_of("spring", fixture) for fixture in reversed(DUELS)])
    with store.atomic() as db:
        db.execute("UPDATE matches SET record = CAST(x'ff' AS TEXT), ms = 2.5 WHERE rowid = 4")

    found = list(kept_matches(store, "spring"))

    assert list(kept_schedule(store, "spring")) == [fixture.match for fixture in DUELS]
    assert [kept.match for kept in found] == [fixture.match for fixture in DUELS]
    assert found[0].record == b"\xff"
    assert found[0].columns["ms"] == 2.5
    assert found[1].record == record_of("spring", DUELS[1])


@pytest.mark.parametrize(
    "change",
    ["bots = '{'", "bots = '[]'", "mode = 'x'", "game = 'x'", "deal = 5", "category = 'x'"],
)
def test_a_fixture_that_is_not_what_it_is_called_is_refused(change: str, store: Store) -> None:
    planned(store)
    with store.atomic() as db:
        db.execute(f"UPDATE fixtures SET {change} WHERE position = 2")  # noqa: S608 - our own

    with pytest.raises(RecordError, match="schedule: fixture 2 is not what it is called"):
        list(kept_schedule(store, "spring"))


def test_a_tournament_from_elsewhere_is_kept_with_or_without_its_snapshots(store: Store) -> None:
    finished = replace(tournament(), finished="2026-02-02T00:00:00Z", head="ab" * 32)
    lines = [record_of("spring", fixture) for fixture in DUELS]

    import_tournament(store, finished, ENTRIES, [snapshot("b")], iter(DUELS), iter(lines))

    assert get_tournament(store, "spring").tournament == finished
    assert list_entries(store, "spring") == ENTRIES
    assert [kept.record for kept in kept_matches(store, "spring")] == lines
    assert [is_absent(store, entry.digest) for entry in ENTRIES] == [True, False, True]
    with pytest.raises(UsageError, match="there is a tournament spring already"):
        import_tournament(store, finished, ENTRIES, [], DUELS, lines)


def test_what_cannot_be_kept_as_a_whole_is_not_kept_at_all(store: Store) -> None:
    def lines() -> Iterator[bytes]:
        yield record_of("spring", DUELS[0])
        raise RecordError("it was changed in the meantime")

    with pytest.raises(RecordError, match="in the meantime"):
        import_tournament(store, tournament(), ENTRIES, [snapshot("a")], DUELS, lines())

    assert list_tournaments(store) == []
    assert store.rows("SELECT * FROM snapshots") == []
