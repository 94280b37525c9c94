import pytest

from arena.games import get_game
from arena.games.base import Seat
from arena.games.deal import Deal, DealtChance
from arena.referee.table import Table
from tests.tuck_game import TUCK


def table(name: str = "tuck", players: int = 4) -> Table:
    game = TUCK if name == "tuck" else get_game(name)
    deal = Deal(key=bytes(32), game=name, variant="standard", players=players, number=0)
    return Table(game, DealtChance(deal), players, "standard")


def finish(match: Table) -> Table:
    while match.to_act() is not None:
        match.apply(match.legal_actions()[0])
    return match


def test_a_match_goes_on_until_the_game_is_over() -> None:
    match = finish(table())

    assert match.outcome().reason == "finished"
    assert min(match.outcome().ranks) == 1


def test_a_seat_is_told_each_event_once() -> None:
    match = table()
    match.apply(match.legal_actions()[0])

    first = match.question(Seat(1), match.legal_actions())
    match.apply(match.legal_actions()[0])

    assert first.events.count(b"played") == 1
    assert match.last_events(Seat(1)).count(b"played") == 1
    assert match.last_events(Seat(1)) == b"[]"


def test_open_seats_are_told_of_a_fault_and_the_closed_one_of_nothing() -> None:
    match = table()

    match.close([Seat(2)])
    match.apply(match.legal_actions()[0])

    assert b'{"type":"fault","seat":2}' in match.last_events(Seat(0))
    assert match.last_events(Seat(2)) == b"[]"


def test_closed_seats_rank_below_open_ones_and_the_earlier_below_the_later() -> None:
    match = table()
    match.close([Seat(3)])
    match.close([Seat(0)])

    ranks = finish(match).outcome().ranks

    assert (ranks[3], ranks[0]) == (4, 3)


def test_seats_closed_at_one_moment_share_a_rank_and_the_next_is_skipped() -> None:
    match = table()
    match.close([Seat(0), Seat(2)])
    match.close([Seat(1)])

    assert match.outcome().ranks == (3, 2, 3, 1)


@pytest.mark.parametrize("closed", [[1, 2, 3], [0, 1, 2, 3]])
def test_a_competitive_match_with_at_most_one_open_seat_is_a_walkover(closed: list[int]) -> None:
    match = table()

    match.close([Seat(seat) for seat in closed])

    assert match.to_act() is None
    assert match.outcome().reason == "walkover"


def test_a_competitive_match_with_two_open_seats_goes_on() -> None:
    match = table()

    match.close([Seat(0), Seat(1)])

    assert match.to_act() == 0
    assert not match.is_open(Seat(0))


def test_a_fault_ends_a_cooperative_match_and_scores_nothing_for_its_seat() -> None:
    match = table("couperation", players=3)

    match.close([Seat(1)])

    outcome = match.outcome()
    assert match.to_act() is None
    assert (outcome.scores, outcome.ranks, outcome.reason) == ((1, 0, 1), (1, 3, 1), "fault")


def test_a_fault_after_the_end_keeps_the_reason_of_a_competitive_match() -> None:
    match = finish(table())
    before = match.outcome()

    match.close([Seat(seat) for seat in range(4) if before.ranks[seat] == 1][:1])

    assert match.outcome().reason == "finished"
    assert max(match.outcome().ranks) == 4


def test_a_fault_after_the_end_is_a_fault_of_a_cooperative_match() -> None:
    match = finish(table("couperation", players=2))

    match.close([Seat(0)])

    assert match.outcome().reason == "fault"
    assert match.outcome().scores[0] == 0


def test_closing_nobody_changes_nothing() -> None:
    match = table()

    match.close([])

    assert match.to_act() == 0
