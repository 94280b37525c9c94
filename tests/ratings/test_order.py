"""The order of records never matters: any permutation gives the same leaderboard throughout."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.games.base import standing
from arena.ratings.leaderboard import leaderboard
from arena.ratings.overall import overall
from arena.ratings.result import Result, categories_of
from arena.referee.category import Category, Mode
from tests.ratings.made import result

BOTS = "ABCDEFGH"
CATEGORIES = [
    *(Category("donburiko", "standard", Mode.TABLE, players) for players in (2, 3, 4)),
    *(
        Category("couperation", variant, mode, players)
        for variant in ("standard", "finish")
        for mode in (Mode.SELF, Mode.MIXED)
        for players in (2, 3, 4)
    ),
]


@st.composite
def played(draw: st.DrawFn, category: Category) -> list[Result]:
    """Return a match or two on each of some deals; in about one of four a seat was closed."""
    listed = []
    for deal in range(draw(st.integers(1, 4))):
        bots = draw(st.permutations(BOTS))
        players = category.players
        if category.mode is Mode.SELF:
            line_ups = [[bot] * players for bot in bots[: draw(st.integers(1, 4))]]
        else:
            line_ups = [list(bots[at : at + players]) for at in (0, players)]
            line_ups = line_ups[: draw(st.integers(1, 2))]
        for line_up in line_ups:
            closed = draw(st.sampled_from([(), (), (), (0,), (players - 1, 0)]))
            scores = draw(st.lists(st.integers(0, 4), min_size=players, max_size=players))
            if category.mode is not Mode.TABLE:
                scores = scores[:1] * players
            worth = [-1 if seat in closed else score for seat, score in enumerate(scores)]
            ranks = standing(worth) if category.mode is Mode.TABLE else (1,) * players
            listed.append(
                result(category, " ".join(line_up), scores, deal=deal, ranks=ranks, faults=closed)
            )
    return listed


@pytest.mark.parametrize("category", CATEGORIES, ids=lambda category: category.name)
@settings(max_examples=8)  # two whole tables each
@given(data=st.data())
def test_any_order_of_records_gives_the_same_leaderboard(
    category: Category, data: st.DataObject
) -> None:
    results = data.draw(played(category))
    shuffled = data.draw(st.permutations(results))

    assert leaderboard(category, shuffled) == leaderboard(category, results)


@settings(max_examples=5)  # twelve tables, twice
@given(st.data(), st.randoms(use_true_random=False))
def test_any_order_of_records_gives_the_same_overall_table(
    data: st.DataObject, rng: random.Random
) -> None:
    results = [one for category in CATEGORIES for one in data.draw(played(category))]
    shuffled = list(results)
    rng.shuffle(shuffled)
    tables = [
        overall(leaderboard(category, listed) for category in categories_of(listed))
        for listed in (results, shuffled)
    ]

    assert tables[0] == tables[1]
