from dataclasses import replace
from pathlib import Path

import pytest

from arena.errors import RecordError
from arena.games import games
from arena.ratings.result import Result, categories_of
from arena.referee.category import Category, Mode
from arena.referee.record import MatchRecord
from tests.ratings.made import MIXED, SELF, THREE, TWO, alone, record, result, team
from tests.tuck_game import install


def test_a_result_is_read_from_a_record() -> None:
    assert Result.of(record()) == Result(
        tournament="cup",
        match="donburiko-2p/17/alpha+beta",
        category=TWO,
        deal=17,
        bots=("alpha", "beta"),
        scores=(21, 9),
        ranks=(1, 2),
        action_ms=((), ()),
        tier="bwrap",
        rated=True,
        digests=("sha256:0a", "sha256:0b"),
    )


def test_times_are_by_seat_and_those_of_the_house_are_not_the_bot_s() -> None:
    actions = [(0, False), (1, False), (0, False), (1, True)]
    found = Result.of(record(actions=actions, action_ms=[1.5, 2.5, 3.5, 0], faults=[1]))

    assert found.action_ms == ((1.5, 3.5), (2.5,))
    assert found.at_fault == {"beta"}


@pytest.mark.parametrize(
    "broken",
    [
        record(scores=[1, 2, 3]),
        record(action_ms=[1.0]),
        record(faults=[2]),
        record(mode="solo"),
    ],
    ids=["scores", "times", "faults", "mode"],
)
def test_a_record_that_does_not_fit_together_is_refused(broken: MatchRecord) -> None:
    with pytest.raises(RecordError, match="donburiko-2p/17"):
        Result.of(broken)


@pytest.mark.parametrize(
    ("found", "ratable"),
    [
        (result(THREE, "A B C", [1, 2, 3]), True),
        (result(THREE, "A B A", [1, 2, 3]), False),
        (alone("A", 20), True),
        (result(SELF, "A B", [20, 20]), False),
        (team("A B", 20), True),
        (team("A A", 20), False),
    ],
)
def test_only_some_line_ups_can_be_rated(found: Result, ratable: bool) -> None:
    assert found.ratable is ratable


def test_tournaments_number_their_own_deals() -> None:
    one, other = (
        result(TWO, "A B", [1, 2], deal=7, tournament=name) for name in ("spring", "autumn")
    )

    assert one.deal_id == "spring/donburiko-2p/7"
    assert one.deal_id != other.deal_id


def test_a_deal_of_one_key_is_the_same_in_every_tournament() -> None:
    one, other = (
        replace(result(TWO, "A B", [1, 2], deal=7, tournament=name), cards="sha256:ab")
        for name in ("spring", "autumn")
    )

    assert one.deal_id == other.deal_id == "sha256:ab/donburiko-2p/7"


def test_categories_come_in_the_order_of_games_variants_modes_and_players() -> None:
    finish = Category("couperation", "finish", Mode.SELF, 2)
    found = [
        result(finish, "A A", [1, 1]),
        team("A B", 3),
        result(THREE, "A B C", [1, 2, 3]),
        alone("A", 3),
        result(TWO, "A B", [1, 2]),
        alone("B", 3),
    ]

    assert categories_of(found) == [TWO, THREE, SELF, MIXED, finish]


def test_a_third_party_s_game_has_categories_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tuck = Category("tuck", "standard", Mode.TABLE, 2)
    monkeypatch.syspath_prepend(install(tmp_path))
    games.cache_clear()
    try:
        found = categories_of([result(tuck, "A B", [9, 14]), result(TWO, "A B", [1, 2])])
    finally:
        games.cache_clear()

    assert found == [TWO, tuck]
