from collections import Counter
from itertools import combinations, groupby
from math import comb, factorial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import UsageError
from arena.referee.category import Category, Mode
from arena.referee.fixture import Fixture
from arena.tournament.schedule import MOST_MATCHES, schedule
from arena.tournament.suite import Suite

Bots = dict[str, set[str] | None]

CATEGORIES = [
    *(Category("donburiko", "standard", Mode.TABLE, players) for players in (2, 3, 4)),
    *(
        Category("couperation", variant, mode, players)
        for variant in ("standard", "finish")
        for mode in (Mode.SELF, Mode.MIXED)
        for players in (2, 3, 4)
    ),
]
names = st.text("ABab01._-", min_size=1, max_size=4).filter(lambda name: name[0] not in "._-")
games = st.none() | st.sets(st.sampled_from(["donburiko", "couperation", "chess"]))
entries = st.dictionaries(names, games, max_size=9)
programmes = st.dictionaries(st.sampled_from(CATEGORIES), st.integers(1, 4), max_size=5)


def table(players: int) -> Category:
    return Category("donburiko", "standard", Mode.TABLE, players)


def team(mode: Mode, players: int) -> Category:
    return Category("couperation", "standard", mode, players)


def fixtures(category: Category, deals: int, bots: str) -> list[Fixture]:
    """Return the matches of one category, with a bot for each letter of ``bots``."""
    return list(schedule({category: deals}, dict.fromkeys(bots)).fixtures())


@given(categories=programmes, bots=entries)
def test_no_two_matches_have_one_id(categories: dict[Category, int], bots: Bots) -> None:
    ids = [fixture.match for fixture in schedule(categories, bots).fixtures()]

    assert len(set(ids)) == len(ids)


@given(categories=programmes, bots=entries)
def test_matches_are_counted_without_being_made(
    categories: dict[Category, int], bots: Bots
) -> None:
    made = schedule(categories, bots)

    assert made.count == len(list(made.fixtures()))


@given(categories=programmes, bots=entries, data=st.data())
def test_the_order_of_bots_and_categories_changes_nothing(
    categories: dict[Category, int], bots: Bots, data: st.DataObject
) -> None:
    bots_again = dict(data.draw(st.permutations(list(bots.items()))))
    categories_again = dict(data.draw(st.permutations(list(categories.items()))))

    again = schedule(categories_again, bots_again)

    assert again == schedule(categories, bots)
    assert list(again.fixtures()) == list(schedule(categories, bots).fixtures())


@given(categories=programmes, bots=entries)
def test_a_bot_is_in_the_categories_of_the_games_it_plays(
    categories: dict[Category, int], bots: Bots
) -> None:
    for fixture in schedule(categories, bots).fixtures():
        for bot in fixture.bots:
            plays = bots[bot]
            assert plays is None or fixture.category.game in plays


@given(categories=programmes, bots=entries)
def test_every_category_is_played_or_left_out_with_a_line(
    categories: dict[Category, int], bots: Bots
) -> None:
    made = schedule(categories, bots)

    played = [section.category.name for section in made.sections]
    left_out = [line.partition(":")[0] for line in made.left_out]
    assert sorted(played + left_out) == sorted(category.name for category in categories)


@given(categories=programmes, bots=entries)
def test_deals_come_in_order_over_all_categories(
    categories: dict[Category, int], bots: Bots
) -> None:
    """A tournament that is stopped early has played as many deals of every category."""
    deals = [fixture.deal for fixture in schedule(categories, bots).fixtures()]

    assert deals == sorted(deals)


@given(categories=programmes, bots=entries, deals=st.integers(1, 4))
def test_more_deals_only_add_matches(
    categories: dict[Category, int], bots: Bots, deals: int
) -> None:
    fewer = {category: min(number, deals) for category, number in categories.items()}

    assert list(schedule(fewer, bots).fixtures()) == [
        fixture for fixture in schedule(categories, bots).fixtures() if fixture.deal < deals
    ]


@given(players=st.integers(2, 4), more=st.integers(0, 4), deals=st.integers(1, 7))
def test_every_table_plays_every_deal_in_every_rotation(
    players: int, more: int, deals: int
) -> None:
    bots = "abcdefgh"[: players + more]

    played = fixtures(table(players), deals, bots)

    # The rotations of a table stand side by side.
    blocks = [
        [fixture.bots for fixture in block]
        for _, block in groupby(played, key=lambda fixture: (fixture.deal, set(fixture.bots)))
    ]
    assert [set(block[0]) for block in blocks] == [
        set(chosen) for _ in range(deals) for chosen in combinations(bots, players)
    ]
    for block in blocks:
        circle = block[0]
        assert block == [circle[at:] + circle[:at] for at in range(players)]


@given(players=st.integers(2, 4), more=st.integers(0, 4), deals=st.integers(1, 7))
def test_at_tables_every_bot_has_every_seat_equally_often(
    players: int, more: int, deals: int
) -> None:
    bots = "abcdefgh"[: players + more]

    seats = Counter(
        (bot, seat)
        for fixture in fixtures(table(players), deals, bots)
        for seat, bot in enumerate(fixture.bots)
    )

    times = comb(len(bots) - 1, players - 1) * deals
    assert seats == {(bot, seat): times for bot in bots for seat in range(players)}


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_bot_plays_after_every_rival_equally_often(players: int) -> None:
    circles = factorial(players - 1)

    after = Counter(
        (fixture.bots[seat - 1], fixture.bots[seat])
        for fixture in fixtures(table(players), circles, "abcde")
        for seat in range(players)
    )

    assert len(after) == 5 * 4
    assert len(set(after.values())) == 1


def test_one_bot_under_two_names_plays_the_same_matches() -> None:
    """Two copies of a program that do not meet must score alike: no name has an advantage."""
    for players in (2, 3, 4):
        played = fixtures(table(players), 6, "abcxyz")
        x = [f for f in played if "x" in f.bots and "y" not in f.bots]
        y = [f for f in played if "y" in f.bots and "x" not in f.bots]

        renamed = {(f.deal, tuple("y" if bot == "x" else bot for bot in f.bots)) for f in x}
        assert renamed == {(f.deal, f.bots) for f in y}


def test_in_self_play_one_bot_has_all_seats_of_every_deal() -> None:
    played = fixtures(team(Mode.SELF, 3), 2, "ab")

    assert [(fixture.deal, fixture.bots) for fixture in played] == [
        (0, ("a", "a", "a")),
        (0, ("b", "b", "b")),
        (1, ("a", "a", "a")),
        (1, ("b", "b", "b")),
    ]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_mixed_teams_of_a_deal_are_disjoint(players: int) -> None:
    for _, block in groupby(
        fixtures(team(Mode.MIXED, players), 20, "abcdefghij"), key=lambda fixture: fixture.deal
    ):
        teams = [fixture.bots for fixture in block]
        assert len(teams) == 10 // players
        assert len({bot for members in teams for bot in members}) == len(teams) * players


def test_self_play_and_mixed_teams_meet_the_same_cards() -> None:
    suite = Suite("same", bytes(32), {team(Mode.SELF, 2): 5, team(Mode.MIXED, 2): 5})
    made = schedule(suite.categories, dict.fromkeys("abcd"))

    deals = {mode: set[tuple[bytes, str, str, int, int]]() for mode in (Mode.SELF, Mode.MIXED)}
    for fixture in made.fixtures():
        deal = suite.deal(fixture.category, fixture.deal)
        deals[fixture.category.mode].add(
            (deal.key, deal.game, deal.variant, deal.players, deal.number)
        )

    assert deals[Mode.SELF] == deals[Mode.MIXED]
    assert len(deals[Mode.SELF]) == 5


def test_a_category_with_too_few_bots_is_left_out_with_one_line() -> None:
    categories = dict.fromkeys(
        [table(2), table(4), *(team(mode, 3) for mode in (Mode.SELF, Mode.MIXED))], 5
    )
    bots: Bots = {"a": None, "b": {"donburiko"}, "c": {"donburiko"}}

    made = schedule(categories, bots)

    assert [section.category.name for section in made.sections] == [
        "couperation-self-3p",
        "donburiko-2p",
    ]
    assert made.left_out == (
        "couperation-mixed-3p: 6 bots needed, 1 entered",
        "donburiko-4p: 4 bots needed, 3 entered",
    )


def test_nobody_entered_leaves_everything_out() -> None:
    made = schedule({team(Mode.SELF, 2): 5}, {})

    assert made.left_out == ("couperation-self-2p: 1 bot needed, 0 entered",)
    assert made.count == 0
    assert list(made.fixtures()) == []


def test_a_schedule_that_nobody_could_play_is_refused_before_it_is_made() -> None:
    bots = dict.fromkeys(f"bot{number}" for number in range(300))

    with pytest.raises(UsageError, match=r"^that makes 66,158,235,000 matches, and 5,000,000 is"):
        schedule({table(4): 50}, bots)


def test_the_largest_schedule_is_accepted() -> None:
    made = schedule({team(Mode.SELF, 2): MOST_MATCHES // 5}, dict.fromkeys("abcde"))

    assert made.count == MOST_MATCHES
