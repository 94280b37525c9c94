"""The chance of Couperation: as a key deals it, and as a record keeps it."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import RecordError
from arena.games.base import Seat
from arena.games.couperation import COUPERATION as GAME
from arena.games.couperation.cards import FINISH, SHUFFLED, Card
from arena.games.couperation.chance import Cards
from tests.games.couperation_tables import NO_CHANCE, opening, random_match, random_states, replay
from tests.games.worlds import sent


def test_cards_are_written_in_dealing_order() -> None:
    kept = Cards(deck=(3, 28, FINISH, 16))

    assert msgspec.json.encode(kept) == b'{"deck":[3,28,"finish",16]}'


@pytest.mark.parametrize(("players", "variant"), [(2, "standard"), (3, "finish"), (4, "finish")])
def test_a_deal_uses_all_the_chance_of_a_match(players: int, variant: str) -> None:
    state = opening(3, players, variant)
    kept = GAME.cards(state)

    again = GAME.deal(GAME.chance_of(kept, players, variant), players, variant)

    assert kept == Cards(deck=state.dealt)
    assert again == state


@given(number=st.integers(0, 2**32))
def test_a_match_played_from_its_record_is_the_same(number: int) -> None:
    start, actions = random_match(number)
    line = msgspec.json.encode(GAME.cards(random_states(number)[-1]))
    kept = msgspec.json.decode(line, type=Cards)

    again = replay(kept.deck, actions, len(start.hands))

    assert again[0] == start
    assert GAME.cards(again[-1]) == kept
    assert sent(GAME, again, Seat(1)) == sent(GAME, random_states(number), Seat(1))


@pytest.mark.parametrize(
    "deck",
    [
        (),
        SHUFFLED[1:],
        (*SHUFFLED, 2),
        (*SHUFFLED[1:], 3),
        (*SHUFFLED[1:], 25),
        (*SHUFFLED[1:], 1),
        (*SHUFFLED[1:], 99),
    ],
)
def test_cards_that_are_no_shuffle_of_the_47_are_no_record(deck: tuple[Card, ...]) -> None:
    with pytest.raises(RecordError, match="not a shuffle of the deck"):
        GAME.chance_of(Cards(deck=deck), 2, "standard")


@pytest.mark.parametrize(
    ("variant", "deck", "count"),
    [
        ("standard", (*SHUFFLED, FINISH), 1),
        ("finish", SHUFFLED, 0),
        ("finish", (*SHUFFLED, FINISH, FINISH), 2),
    ],
)
def test_a_record_has_the_finish_card_in_its_variant_alone(
    variant: str, deck: tuple[Card, ...], count: int
) -> None:
    with pytest.raises(RecordError, match=f"deck has {count} Finish cards"):
        GAME.chance_of(Cards(deck=deck), 2, variant)


@pytest.mark.parametrize(("players", "first"), [(2, 29), (3, 30), (4, 31)])
def test_a_recorded_finish_card_lies_in_the_lower_half(players: int, first: int) -> None:
    for at in range(48):
        kept = Cards(deck=(*SHUFFLED[:at], FINISH, *SHUFFLED[at:]))
        if at >= first:
            chance = GAME.chance_of(kept, players, "finish")
            assert GAME.deal(chance, players, "finish").dealt == kept.deck
        else:
            with pytest.raises(RecordError, match="no number below"):
                GAME.chance_of(kept, players, "finish")


@pytest.mark.parametrize(("players", "variant"), [(1, "standard"), (5, "finish"), (3, "short")])
def test_a_match_that_cannot_be_is_neither_dealt_nor_recorded(players: int, variant: str) -> None:
    with pytest.raises(RecordError, match="no variant"):
        GAME.chance_of(Cards(deck=SHUFFLED), players, variant)
    with pytest.raises(ValueError, match="no Couperation"):
        GAME.deal(NO_CHANCE, players, variant)


def test_a_record_answers_for_its_own_purposes_alone() -> None:
    chance = GAME.chance_of(Cards(deck=SHUFFLED), 2, "standard")

    with pytest.raises(RecordError, match="not a shuffle of the round-1"):
        chance.shuffle("round-1", SHUFFLED)
    with pytest.raises(RecordError, match="no number below 3 for finish"):
        chance.below("finish", 3)
