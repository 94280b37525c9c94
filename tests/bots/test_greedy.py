import pytest

from arena_bot import Action, Bot, Observation, Turn
from bots.greedy import Greedy, couperation, donburiko
from bots.random_legal import RandomLegal
from tests.bots.in_process import couperation_table, outcome, place


def donburiko_table(hand: list[str], *columns: tuple[str, ...] | None) -> Observation:
    """Return a table for two without tokens on columns; ``?`` is a rival's card."""
    laid = [
        column and {"cards": [{"face": face} for face in column], "tokens": 0} for column in columns
    ]
    return {"tokens": [4, 4], "bank": 42, "in_round": [True, True], "hand": hand, "columns": laid}


def claim(column: int) -> Action:
    return {"type": "claim", "column": column}


def lay(card: str, column: int, *, up: bool = True) -> Action:
    return {"type": "play", "card": card, "column": column, "up": up}


def test_greedy_knows_what_a_column_pays() -> None:
    table = donburiko_table([], ("4", "2"), ("5", "3"), ("1", "-2"), ("-2", "loach", "3"))
    value = donburiko(table)

    assert [value(claim(column)) for column in range(4)] == [8, -2, -1, 5]


def test_greedy_averages_over_what_may_lie_face_down() -> None:
    # Of the fourteen cards, all but a 2 and a -2 lie open or are in hand.
    hand = ["3", "3", "4", "4", "5", "-1", "-1", "-2", "loach", "loach"]
    value = donburiko(donburiko_table(hand, ("2", "?"), ("1",)))

    assert value(claim(0)) == (4 + 0) / 2


def test_greedy_would_rather_claim_six_than_play_on() -> None:
    value = donburiko(donburiko_table(["1", "3"], ("4", "2"), ("3",)))

    assert value(claim(0)) > max(value(lay(card, column)) for card in "13" for column in (0, 1))


def test_greedy_plays_on_where_every_claim_costs() -> None:
    value = donburiko(donburiko_table(["loach", "3"], ("-2", "-1"), ("-2", "-1")))

    assert value(lay("loach", 0)) > max(value(claim(0)), value(claim(1)))


def test_greedy_likes_a_card_best_where_an_evenly_filled_tower_has_it() -> None:
    value = couperation(couperation_table(None, None, None, 25, None, None, None))
    even = [(1, 0, 0), (9, 0, 1), (41, 0, 5), (49, 0, 6), (5, 1, 0), (45, 1, 5), (25, 6, 0)]

    assert {value(place(*at)) for at in even} == {0}
    assert [value(place(card, 0, 1)) for card in (8, 10, 15)] == [-1, -1, -6]


def test_greedy_places_a_card_face_down_rather_than_far_from_its_place() -> None:
    value = couperation(couperation_table(None, None, None, 25, None, None, None))

    assert value(place(16, 0, 1)) > value(place(16, 0, 1, up=False))
    assert value(place(24, 0, 0)) < value(place(24, 0, 0, up=False))


def test_the_finish_card_counts_as_25() -> None:
    value = couperation(couperation_table(None, None, None, 25, None, None, None))

    assert value(place("finish", 6, 0)) == value(place(25, 6, 0)) == 0


def test_an_exchange_costs_greedy_two_for_each_card() -> None:
    value = couperation(couperation_table(None, None, None, 25, None, None, None))
    exchange = {"type": "reserve", "pair": [3, 8], "extra": [], "take": 11, "row": 0, "slot": 1}

    assert value(exchange) == value(place(11, 0, 1)) - 4
    assert value(exchange | {"extra": [30], "take": 12}) == value(place(12, 0, 1)) - 6


def test_greedy_discards_what_is_farthest_from_where_a_card_is_lacking() -> None:
    value = couperation(couperation_table(1, 9, 17, 25, None, 41, 49))

    # 33 is lacking in the bottom row; above it, row 1 goes from 5 to 45.
    discards = [value({"type": "discard", "card": card}) for card in (33, 46, 50, 1)]
    assert discards == [0, 1, 5, 4]


def test_greedy_has_nothing_against_any_discard_where_no_card_is_lacking() -> None:
    tower = [[{"card": 25, "up": True}] * (7 - row) for row in range(7)]
    value = couperation(couperation_table() | {"tower": tower})

    assert value({"type": "discard", "card": 7}) == value({"type": "discard", "card": 50})


def test_greedy_draws_when_it_may() -> None:
    value = couperation(couperation_table(None, None, None, 25, None, None, None))

    assert value({"type": "draw", "count": 1}) > value({"type": "draw", "count": 0})


# How greedy does, in process, on a few fixed deals.


class First(Bot):
    def choose(self, turn: Turn) -> Action:
        return turn.legal_actions[0]


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("rival", [First, RandomLegal])
def test_greedy_beats_the_other_samples_at_donburiko(rival: type[Bot], players: int) -> None:
    """One greedy against a table of the rival, in every seat in turn, on four deals."""
    places = [
        outcome("donburiko", number, table(rival, players, greedy_in=seat)).ranks[seat]
        for number in range(4)
        for seat in range(players)
    ]

    assert places.count(1) >= 0.75 * len(places)


def table(rival: type[Bot], players: int, greedy_in: int) -> list[Bot]:
    return [Greedy() if seat == greedy_in else rival() for seat in range(players)]


@pytest.mark.parametrize(("players", "least"), [(2, 22), (3, 22), (4, 23)])
def test_a_team_of_greedy_builds_most_of_the_tower(players: int, least: int) -> None:
    deals = 8
    scores = [
        outcome("couperation", number, [Greedy() for _ in range(players)]).scores[0]
        for number in range(deals)
    ]

    assert sum(scores) / deals >= least
