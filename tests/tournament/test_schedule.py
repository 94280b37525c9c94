from collections import Counter
from itertools import combinations, groupby
from math import comb, factorial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import UsageError
from arena.referee.category import Category, Mode
from arena.referee.fixture import Fixture
from arena.tournament.schedule import (
    MOST_MATCHES,
    MOST_TABLES,
    TABLES_EACH,
    Conditions,
    Schedule,
    schedule,
)
from arena.tournament.suite import Suite
from tests import spec_schedule

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
authors_of = st.dictionaries(names, st.sampled_from(["ada", "ödön", "x"]), max_size=9)
heeded = st.builds(Conditions, authors_of, st.none() | st.integers(1, 60))


def table(players: int) -> Category:
    return Category("donburiko", "standard", Mode.TABLE, players)


def team(mode: Mode, players: int) -> Category:
    return Category("couperation", "standard", mode, players)


def fixtures(category: Category, deals: int, bots: str) -> list[Fixture]:
    """Return the matches of one category, with a bot for each letter of ``bots``."""
    return list(schedule({category: deals}, dict.fromkeys(bots)).fixtures())


def many(number: int) -> dict[str, None]:
    """Return so many bots."""
    return dict.fromkeys(f"bot{bot:04}" for bot in range(number))


def matches_each(made: Schedule) -> Counter[tuple[str, str]]:
    """Return how many matches each bot has in each category."""
    return Counter(
        (fixture.category.name, bot) for fixture in made.fixtures() for bot in set(fixture.bots)
    )


@given(categories=programmes, bots=entries, conditions=heeded)
def test_no_two_matches_have_one_id(
    categories: dict[Category, int], bots: Bots, conditions: Conditions
) -> None:
    ids = [fixture.match for fixture in schedule(categories, bots, conditions).fixtures()]

    assert len(set(ids)) == len(ids)


@given(categories=programmes, bots=entries, conditions=heeded)
def test_matches_are_counted_without_being_made(
    categories: dict[Category, int], bots: Bots, conditions: Conditions
) -> None:
    made = schedule(categories, bots, conditions)

    assert made.count == len(list(made.fixtures()))


@given(categories=programmes, bots=entries, conditions=heeded, data=st.data())
def test_the_order_of_bots_and_categories_changes_nothing(
    categories: dict[Category, int], bots: Bots, conditions: Conditions, data: st.DataObject
) -> None:
    bots_again = dict(data.draw(st.permutations(list(bots.items()))))
    categories_again = dict(data.draw(st.permutations(list(categories.items()))))

    made = schedule(categories, bots, conditions)
    again = schedule(categories_again, bots_again, conditions)

    assert again == made
    assert list(again.fixtures()) == list(made.fixtures())


@given(
    categories=st.dictionaries(
        st.sampled_from(CATEGORIES), st.integers(1, 4), min_size=1, max_size=5
    ),
    bots=entries,
    conditions=heeded,
)
def test_a_schedule_is_that_of_the_specification(
    categories: dict[Category, int], bots: Bots, conditions: Conditions
) -> None:
    parameters = {
        "bots": [
            [
                bot,
                "",
                [game for game in ("couperation", "donburiko") if plays is None or game in plays],
            ]
            for bot, plays in bots.items()
        ],
        "categories": [
            {
                "game": category.game,
                "variant": category.variant,
                "mode": category.mode.value,
                "players": category.players,
                "deals": categories[category],
            }
            for category in sorted(categories)
        ],
        "authors": conditions.authors,
        "matches_each": conditions.matches_each,
    }

    made = schedule(categories, bots, conditions).fixtures()

    assert [
        (one.game, one.variant, one.mode.value, one.players, fixture.deal, fixture.bots)
        for fixture in made
        for one in [fixture.category]
    ] == list(spec_schedule.matches(parameters))


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


@given(players=st.integers(2, 4), more=st.integers(0, 3), deals=st.integers(1, 7))
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


@given(players=st.integers(2, 4), more=st.integers(0, 10), deals=st.integers(1, 7))
def test_at_tables_every_bot_has_every_seat_equally_often(
    players: int, more: int, deals: int
) -> None:
    bots = "abcdefghijklmn"[: players + more]

    seats = Counter(
        (bot, seat)
        for fixture in fixtures(table(players), deals, bots)
        for seat, bot in enumerate(fixture.bots)
    )

    whole = players == 2 or comb(len(bots), players) <= MOST_TABLES
    times = (comb(len(bots) - 1, players - 1) if whole else TABLES_EACH) * deals
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
        "couperation-mixed-3p: 6 bots needed, 1 entered; b and c do not play couperation",
        "donburiko-4p: 4 bots needed, 3 entered",
    )


def test_nobody_entered_leaves_everything_out() -> None:
    made = schedule({team(Mode.SELF, 2): 5}, {})

    assert made.left_out == ("couperation-self-2p: 1 bot needed, 0 entered",)
    assert made.count == 0
    assert list(made.fixtures()) == []


def test_a_schedule_that_nobody_could_play_is_refused_before_it_is_made() -> None:
    with pytest.raises(UsageError, match=r"^that makes 399,960,000 matches, and 5,000,000 is"):
        schedule({table(2): 4}, many(10_000))


def test_the_largest_schedule_is_accepted() -> None:
    made = schedule({team(Mode.SELF, 2): MOST_MATCHES // 5}, dict.fromkeys("abcde"))

    assert made.count == MOST_MATCHES


# Many bots


@pytest.mark.parametrize("bots", range(4, 41))
def test_tables_are_fair_with_any_number_of_bots(bots: int) -> None:
    for players in (3, 4):
        played = list(schedule({table(players): 1}, many(bots)).fixtures())
        if bots < players:
            continue
        seats = Counter((bot, seat) for one in played for seat, bot in enumerate(one.bots))
        met = Counter(
            pair for one in played[::players] for pair in combinations(sorted(one.bots), 2)
        )

        assert len(set(seats.values())) == 1
        assert len(seats) == bots * players
        times = [met[pair] for pair in combinations(many(bots), 2)]
        assert max(times) - min(times) <= 3


def test_of_three_and_four_seats_sixty_tables_are_all_played_and_more_are_chosen() -> None:
    for players, bots in ((3, 8), (4, 7)):
        all_of_them = schedule({table(players): 1}, many(bots))
        chosen = schedule({table(players): 1}, many(bots + 1))

        assert all_of_them.count == comb(bots, players) * players
        assert chosen.count == TABLES_EACH * (bots + 1)


def test_two_players_meet_all_others_however_many_there_are() -> None:
    assert schedule({table(2): 3}, many(200)).count == 200 * 199 * 3


def test_at_chosen_tables_nobody_plays_after_the_same_rivals_all_the_time() -> None:
    played = schedule({table(4): 1}, many(12)).fixtures()

    after = Counter((one.bots[seat - 1], one.bots[seat]) for one in played for seat in range(4))

    # Two bots share up to 5 tables, with four rotations each.
    assert max(after.values()) <= 3 * 4


def test_a_hundred_thousand_matches_are_made_while_one_waits() -> None:
    made = schedule({table(4): 50}, many(166))

    assert sum(1 for _ in made.fixtures()) == made.count == 99_600


# Authors


@given(categories=programmes, bots=entries, authors=authors_of)
def test_bots_of_one_author_meet_in_twos_alone(
    categories: dict[Category, int], bots: Bots, authors: dict[str, str]
) -> None:
    for fixture in schedule(categories, bots, Conditions(authors)).fixtures():
        if fixture.category.players > 2 and fixture.category.mode is not Mode.SELF:
            theirs = [authors[bot] for bot in fixture.bots if bot in authors]
            assert len(set(theirs)) == len(theirs)


def test_in_twos_and_in_self_play_authors_change_nothing() -> None:
    categories = {table(2): 3, team(Mode.MIXED, 2): 3, team(Mode.SELF, 4): 3}
    bots = dict.fromkeys("abcdefg")

    of_one = schedule(categories, bots, Conditions(dict.fromkeys("abcdefg", "ada")))

    assert of_one == schedule(categories, bots)
    assert of_one.apart() == ()


def test_who_is_kept_apart_is_known() -> None:
    authors = {"a": "ada", "c": "ada", "b": "bob", "d": "dan", "e": "dan"}
    made = schedule({table(3): 1, table(2): 1}, dict.fromkeys("abcdef"), Conditions(authors))

    assert made.apart() == (("a", "c"), ("d", "e"))


def test_a_category_that_authors_make_impossible_is_left_out_with_one_line() -> None:
    categories = dict.fromkeys([table(3), table(4), team(Mode.MIXED, 3), team(Mode.SELF, 3)], 5)
    authors = {"a": "ada", "b": "ada", "c": "ada", "d": "ada", "e": "bob"}

    made = schedule(categories, dict.fromkeys("abcdef"), Conditions(authors))

    way_out = "(--same-author lets those of one author meet)"
    no_teams = "no two teams can be made that have bots by 3 authors each"
    played = [section.category.name for section in made.sections]
    assert played == ["couperation-self-3p", "donburiko-3p"]
    assert made.left_out == (
        f"couperation-mixed-3p: {no_teams} {way_out}",
        f"donburiko-4p: bots by 4 authors needed, and those entered are by 3 {way_out}",
    )


# A limit


@given(categories=programmes, bots=entries, conditions=heeded)
def test_no_bot_has_more_matches_than_it_may(
    categories: dict[Category, int], bots: Bots, conditions: Conditions
) -> None:
    most = conditions.matches_each
    made = schedule(categories, bots, conditions)

    assert most is None or max(matches_each(made).values(), default=0) <= most


@pytest.mark.parametrize("most", [4, 7, 9, 24, 40, 47, 48, 100, 1000])
def test_a_limit_leaves_all_bots_as_many_matches(most: int) -> None:
    categories = {table(2): 50, table(3): 50, table(4): 50, team(Mode.MIXED, 2): 100}
    bots = many(12)

    made = schedule(categories, bots, Conditions(matches_each=most))

    each = matches_each(made)
    for section in made.sections:
        theirs = [each[section.category.name, bot] for bot in bots]
        # A table that does not come out even takes all its rotations with it.
        assert max(theirs) - min(theirs) in {0, section.category.players}
        assert min(theirs) > 0


@pytest.mark.parametrize(
    ("category", "bots", "most", "extent"),
    [
        (table(2), 12, 1000, "donburiko-2p 45 deals"),
        (table(2), 12, 43, "donburiko-2p 1 deal"),
        (table(2), 12, 21, "donburiko-2p 1 deal of 10 tables a bot"),
        (table(3), 6, 90, "donburiko-3p 3 deals"),
        (table(3), 6, 29, "donburiko-3p 1 deal of 9 tables a bot"),
        (table(4), 12, 100, "donburiko-4p 2 deals of 12 tables a bot"),
        (table(4), 12, 47, "donburiko-4p 1 deal of 11 tables a bot"),
        (team(Mode.SELF, 2), 12, 30, "couperation-self-2p 30 deals"),
        (team(Mode.MIXED, 2), 12, 30, "couperation-mixed-2p 30 deals"),
    ],
)
def test_how_much_of_a_category_a_limit_leaves_is_said(
    category: Category, bots: int, most: int, extent: str
) -> None:
    made = schedule({category: 50}, many(bots), Conditions(matches_each=most))

    assert [section.extent for section in made.sections] == [extent]


def test_a_limit_below_one_table_leaves_the_category_out() -> None:
    made = schedule({table(4): 5, table(2): 5}, many(5), Conditions(matches_each=3))

    assert [section.category for section in made.sections] == [table(2)]
    assert made.left_out == ("donburiko-4p: a bot has 4 matches at a table, and 3 is the most",)
