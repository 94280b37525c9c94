import json
import time
from collections.abc import Sequence
from typing import Any

import pytest

from arena.games import get_game
from arena.games.deal import Deal
from arena.players.scripted import Scripted
from arena.referee.limits import Limits
from arena.referee.play import play
from arena.referee.table import Outcome
from arena_bot import Action, Bot, Match, Observation, Turn
from bots.greedy import Greedy, couperation, donburiko
from bots.random_legal import RandomLegal


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


def couperation_table(*bottom: int | None, hand: tuple[int, ...] = ()) -> Observation:
    """Return a table with face-up cards in the bottom row alone."""
    row = [None if card is None else {"card": card, "up": True} for card in bottom]
    tower = [row, *([None] * (7 - height) for height in range(1, 7))]
    return {"phase": "act", "hand": list(hand), "tower": tower, "reserve": [], "removed": []}


def place(card: int, row: int, slot: int, *, up: bool = True) -> Action:
    return {"type": "place", "card": card, "row": row, "slot": slot, "up": up}


@pytest.mark.parametrize(("card", "best"), [(3, 0), (22, 2), (28, 4), (48, 6)])
def test_greedy_places_a_card_where_it_leaves_room_on_both_sides(card: int, best: int) -> None:
    value = couperation(couperation_table(None, None, None, 25, None, None, None))
    fitting = range(3) if card < 25 else range(4, 7)

    assert max(fitting, key=lambda slot: value(place(card, 0, slot))) == best


def test_greedy_places_a_card_face_down_only_to_keep_room() -> None:
    value = couperation(couperation_table(None, None, None, 25, None, None, None))

    assert value(place(16, 0, 2)) > value(place(16, 0, 2, up=False))
    assert value(place(24, 0, 0)) < value(place(24, 0, 0, up=False))


def test_greedy_discards_what_fits_nowhere() -> None:
    value = couperation(couperation_table(2, 8, 16, 25, 34, 42, 49))

    assert value({"type": "discard", "card": 50}) > value({"type": "discard", "card": 20})


def test_greedy_draws_when_it_may() -> None:
    value = couperation(couperation_table(None, None, None, 25, None, None, None))

    assert value({"type": "draw", "count": 1}) > value({"type": "draw", "count": 0})


# How greedy does, in process, on a few fixed deals.


class First(Bot):
    def choose(self, turn: Turn) -> Action:
        return turn.legal_actions[0]


def seated(bot: Bot) -> Scripted:
    """Return a player that asks ``bot`` as the SDK would."""
    matches: list[Match] = []

    def choose(message: dict[str, Any]) -> dict[str, Any]:
        if not matches:
            matches.append(Match(json.loads(player.heard[1])))
        action = bot.choose(Turn(message, matches[0], time.monotonic()))
        assert isinstance(action, dict)
        return action

    player = Scripted(choose)
    return player


def outcome(game: str, number: int, bots: Sequence[Bot]) -> Outcome:
    deal = Deal(b"samples" + bytes(25), game, "standard", len(bots), number)
    return play(get_game(game), deal, [seated(bot) for bot in bots], Limits()).outcome


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


@pytest.mark.parametrize(("players", "least"), [(2, 23), (3, 24), (4, 25)])
def test_a_team_of_greedy_builds_most_of_the_tower(players: int, least: int) -> None:
    deals = 8
    scores = [
        outcome("couperation", number, [Greedy() for _ in range(players)]).scores[0]
        for number in range(deals)
    ]

    assert sum(scores) / deals >= least
