import random
import tempfile
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import RecordError
from arena.ratings.retiring import FAILED_STARTS, Retired
from arena.referee.fixture import Fixture
from arena.referee.record import FaultRecord, decode_record, encode_record
from arena.store.db import Store, open_store
from arena.store.fixtures import open_fixtures
from arena.store.matches import add_matches, records
from arena.store.rulings import Rulings, excused_matches, list_retired
from arena.store.tournaments import finish, get_tournament
from tests.kept import TWO, planned, record_of, tournament

PAIRS = [("a", "b"), ("b", "a"), ("a", "c"), ("c", "a"), ("b", "c"), ("c", "b")]
SCHEDULE = [Fixture(TWO, deal, bots) for deal in range(4) for bots in PAIRS]


def played(fixture: Fixture, unable: str = "") -> bytes:
    """Return a record of ``fixture`` in which the bot ``unable`` could not start."""
    record = decode_record(record_of("spring", fixture))
    faults = tuple(
        FaultRecord(seat=seat, at=0, code="start_failed", text="")
        for seat, bot in enumerate(fixture.bots)
        if bot == unable
    )
    return encode_record(msgspec.structs.replace(record, faults=faults))


def test_a_retired_bot_is_kept_with_the_reason_and_its_later_matches_are_excused(
    store: Store,
) -> None:
    planned(store, fixtures=SCHEDULE)
    rulings = Rulings("spring")

    add_matches(store, "spring", [played(one, "b") for one in SCHEDULE[:5]], rulings)

    retired = Retired(TWO.name, "b", FAILED_STARTS, FAILED_STARTS, could_not_start=True)
    assert list_retired(store, ["spring"]) == {"spring": [retired]}
    assert rulings.excuses(SCHEDULE[-1])
    assert not rulings.excuses(SCHEDULE[-4])
    # What comes behind the first match that is still open has no ruling.
    assert excused_matches(store, "spring") == {SCHEDULE[5].match, *map_ids(SCHEDULE[6:8])}
    left = [one for one in open_fixtures(store, "spring") if not rulings.excuses(one)]
    assert left == [one for one in SCHEDULE[6:] if "b" not in one.bots]

    add_matches(store, "spring", map(played, left), rulings)
    progress = get_tournament(store, "spring")
    assert (progress.played, progress.total, progress.retired) == (11, 11, 1)
    assert finish(store, "spring").finished


def map_ids(fixtures: list[Fixture]) -> set[str]:
    return {fixture.match for fixture in fixtures}


def test_what_was_played_of_a_retired_bot_later_on_does_not_count(store: Store) -> None:
    planned(store, fixtures=SCHEDULE)
    late = SCHEDULE[-1]

    add_matches(store, "spring", [played(late)], Rulings("spring"))
    add_matches(store, "spring", [played(one, "b") for one in SCHEDULE[:-1]], Rulings("spring"))

    counted = [decode_record(line).match for line in records(store, ["spring"], counted=True)]
    assert late.match not in counted
    assert len(counted) == 5 + 3 * 2
    assert get_tournament(store, "spring").uncounted == len(SCHEDULE) - len(counted)


def test_a_dropped_deal_gives_back_a_bot_that_was_retired_by_it(store: Store) -> None:
    planned(store, fixtures=SCHEDULE)
    rulings = Rulings("spring")
    add_matches(store, "spring", [played(one, "b") for one in SCHEDULE[:5]], rulings)

    drop = rulings.drop(store, SCHEDULE[0], "why")

    assert drop
    assert drop.instead == 4
    assert list_retired(store, ["spring"]) == {"spring": []}
    assert excused_matches(store, "spring") == map_ids(SCHEDULE[:2])
    assert len(open_fixtures(store, "spring")) == len(SCHEDULE) - 5 + 2
    assert rulings.excuses(SCHEDULE[1])


def test_a_damaged_record_is_named_and_changes_nothing(store: Store) -> None:
    planned(store, fixtures=SCHEDULE)
    add_matches(store, "spring", [played(SCHEDULE[0], "b")])
    with store.atomic() as db:
        db.execute("UPDATE matches SET record = substr(record, 5)")

    with pytest.raises(RecordError, match="not a match record"):
        add_matches(store, "spring", [played(SCHEDULE[1])], Rulings("spring"))
    assert get_tournament(store, "spring").played == 1


def test_only_tournaments_that_nobody_asked_for_match_by_match_have_rulings() -> None:
    usual = replace(tournament(), parameters={"parameters": 2})

    assert usual.ruled
    assert not replace(usual, parameters={"parameters": 1}).ruled
    assert not replace(usual, parameters={"parameters": 2, "comparison": {}}).ruled
    assert not replace(usual, parameters=dict(usual.parameters) | {"single": ["a", "b"]}).ruled
    assert replace(usual, unrated=("a single match",)).ruled


@given(
    dice=st.randoms(use_true_random=False),
    unable=st.lists(st.sampled_from("abc "), min_size=len(SCHEDULE), max_size=len(SCHEDULE)),
)
@settings(max_examples=8)
def test_neither_the_order_of_playing_nor_a_new_runner_changes_what_counts(
    dice: random.Random, unable: list[str]
) -> None:
    lines = [played(one, bot) for one, bot in zip(SCHEDULE, unable, strict=True)]
    outcomes = []
    for shuffled in (False, True):
        with tempfile.TemporaryDirectory() as home, open_store(Path(home)) as store:
            planned(store, fixtures=SCHEDULE)
            rulings = Rulings("spring")
            for line in dice.sample(lines, len(lines)) if shuffled else lines:
                if dice.random() < 0.1:
                    rulings = Rulings("spring")
                    with store.atomic() as db:
                        rulings.settle(db)
                add_matches(store, "spring", [line], rulings)
            outcomes.append((list_retired(store, ["spring"]), excused_matches(store, "spring")))

    assert outcomes[0] == outcomes[1]
