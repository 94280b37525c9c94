"""The chance of Donburiko: as a key deals it, and as a record keeps it."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import RecordError
from arena.games.base import Seat
from arena.games.deal import Deal, DealtChance
from arena.games.donburiko import DONBURIKO
from arena.games.donburiko.actions import Claim, Play
from arena.games.donburiko.cards import deck
from arena.games.donburiko.chance import Cards, cards
from tests.games.donburiko_tables import faces, random_match
from tests.games.donburiko_worlds import World, replay
from tests.games.worlds import sent


def test_the_known_deal_begins_as_published() -> None:
    deal = Deal(bytes(32), "donburiko", "standard", 3, 0)

    opening = DONBURIKO.deal(DealtChance(deal), 3, "standard")

    assert opening.rounds[0][:5] == faces("5 1/5 3 -1 3")
    assert cards(opening) == Cards(rounds=opening.rounds)


def test_cards_are_written_round_by_round() -> None:
    kept = Cards(rounds=(faces("5 1/5 3"), faces("-1 loach")))

    assert msgspec.json.encode(kept) == b'{"rounds":[["5","1/5","3"],["-1","loach"]]}'


@given(players=st.sampled_from((2, 3, 4)), number=st.integers(0, 2**32))
def test_a_match_played_from_its_record_is_the_same(players: int, number: int) -> None:
    match = random_match(players, number)
    line = msgspec.json.encode(DONBURIKO.cards(match.states[-1]))
    kept = msgspec.json.decode(line, type=Cards)

    again = replay(World(kept.rounds, match.actions), players)

    assert again == match.states
    assert DONBURIKO.cards(again[-1]) == kept
    assert sent(DONBURIKO, again, Seat(1)) == sent(DONBURIKO, match.states, Seat(1))


def test_a_match_keeps_a_round_of_cards_for_each_round_begun() -> None:
    for state in random_match(3, 0).states:
        assert len(cards(state).rounds) == state.round


@pytest.mark.parametrize(
    "dealt",
    [deck(2), deck(3)[1:], (*deck(3), "1"), (*deck(3)[:-1], "1"), (*deck(3)[:-1], "?"), ()],
)
def test_cards_that_are_no_shuffle_of_the_deck_are_no_record(dealt: tuple[str, ...]) -> None:
    kept = Cards(rounds=(deck(3), dealt))  # type: ignore[arg-type]  # what a forger may write

    with pytest.raises(RecordError, match=r"cards for round-2 are not a shuffle of the deck"):
        DONBURIKO.chance_of(kept, 3, "standard")


@pytest.mark.parametrize(("players", "variant"), [(5, "standard"), (3, "finish")])
def test_a_match_that_cannot_be_has_no_record(players: int, variant: str) -> None:
    with pytest.raises(RecordError, match="no variant"):
        DONBURIKO.chance_of(Cards(rounds=()), players, variant)


def test_a_record_without_cards_deals_nothing() -> None:
    chance = DONBURIKO.chance_of(Cards(rounds=()), 3, "standard")

    with pytest.raises(RecordError, match="no cards for round-1"):
        DONBURIKO.deal(chance, 3, "standard")


def test_a_record_that_runs_out_of_rounds_is_refused_at_the_next_round() -> None:
    chance = DONBURIKO.chance_of(Cards(rounds=(deck(3),)), 3, "standard")
    opening = DONBURIKO.deal(chance, 3, "standard")
    played = DONBURIKO.apply(opening, Play(card="3", column=0, up=True), chance)

    with pytest.raises(RecordError, match="no cards for round-2"):
        DONBURIKO.apply(played, Claim(column=0), chance)


def test_a_record_has_no_numbers() -> None:
    chance = DONBURIKO.chance_of(Cards(rounds=(deck(3),)), 3, "standard")

    with pytest.raises(RecordError, match="no number below 7 for finish"):
        chance.below("finish", 7)
