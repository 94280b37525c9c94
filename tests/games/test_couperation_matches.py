"""What holds in every match of Couperation, and that the rules written twice agree."""

import re
from itertools import pairwise
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from arena.games.couperation import COUPERATION as GAME
from arena.games.couperation.actions import Action, Discard, Draw, Place, Reserve
from arena.games.couperation.cards import FINISH, Card
from arena.games.couperation.legal import can_act
from arena.games.couperation.state import Passed, State
from arena.games.couperation.tower import SLOTS, bands
from tests.games.couperation_oracle import Oracle
from tests.games.couperation_tables import (
    Dice,
    do,
    random_match,
    random_states,
    random_tries,
    refusal,
    replay,
    table,
    use,
)

NUMBERS = st.integers(0, 2**32)
RULES = Path(__file__).parents[2] / "arena" / "games" / "couperation" / "RULES.md"


def documented_order(action: Action) -> tuple[object, ...]:
    match action:
        case Draw():
            return (0, action.count)
        case Place():
            card = 99 if action.card == FINISH else action.card
            return (1, card, action.row, action.slot, not action.up)
        case Reserve():
            return (2, action.pair, action.extra, action.take, action.row, action.slot)
        case Discard():
            return (3, action.card)


def all_cards(state: State) -> list[Card]:
    """Return the cards of all places together."""
    front: tuple[Card, ...] = () if state.front is None else (FINISH,)
    return [
        *state.dealt[state.taken :],
        *(card for hand in state.hands for card in hand),
        *front,
        *(laid.card for laid in state.tower if laid),
        *state.reserve,
        *state.removed,
    ]


@given(number=NUMBERS)
def test_every_card_is_always_in_one_place(number: int) -> None:
    for state in random_states(number):
        finish = [FINISH] if state.variant == "finish" else []

        assert sorted(all_cards(state), key=str) == sorted([*range(1, 51), *finish], key=str)


@given(number=NUMBERS)
def test_legal_actions_come_in_the_documented_order_each_once(number: int) -> None:
    for state in random_states(number):
        keys = [documented_order(action) for action in GAME.legal_actions(state)]

        assert all(before < after for before, after in pairwise(keys))


@given(number=NUMBERS)
def test_legal_actions_are_those_that_apply(number: int) -> None:
    dice = Dice(f"look-{number}")
    for state in random_states(number):
        legal = GAME.legal_actions(state)
        tries = random_tries(dice, state.hands[state.seat], 12)

        assert bool(legal) == (GAME.to_act(state) is not None)
        for action in (*tries, *dice.shuffled(legal)[:3]):
            assert (refusal(state, action) is None) == (action in legal)


@settings(max_examples=15)
@given(number=NUMBERS)
def test_the_engine_agrees_with_the_rules_written_a_second_time(number: int) -> None:
    start, actions = random_match(number)
    oracle = Oracle(start.dealt, len(start.hands))
    looked_at = Dice(f"look-{number}").shuffled(range(len(actions)))[:4]
    for step, state in enumerate(replay(start.dealt, actions, len(start.hands))):
        assert tuple(tuple(sorted(hand, key=int)) for hand in oracle.hands) == state.hands
        assert (sorted(oracle.reserve, key=int), sorted(oracle.removed, key=int)) == (
            list(state.reserve),
            list(state.removed),
        )
        assert oracle.tower == {
            spot: (laid.card, laid.up, laid.by)
            for spot, laid in zip(SLOTS, state.tower, strict=True)
            if laid
        }
        assert (oracle.turn, oracle.finish_before, oracle.ending) == (
            state.seat,
            state.front,
            state.outcome,
        )
        assert tuple(oracle.deck) == state.dealt[state.taken :]
        if step in looked_at and len(state.hands[state.seat]) <= 5:
            assert set(oracle.legal()) == set(GAME.legal_actions(state))
        if step < len(actions):
            oracle.do(actions[step])


def test_a_hand_of_seven_has_every_pair_and_every_choice_of_extra_cards() -> None:
    """The largest hand there is: three cards kept and four drawn."""
    state = table(hands=((20, 21, 22, 23, 24, 26, 27), ()), reserve=tuple(range(1, 12)))

    uses = [each for each in GAME.legal_actions(state) if isinstance(each, Reserve)]

    assert len({(each.pair, each.extra) for each in uses}) == 21 * 2**5
    assert [each for each in uses if each.pair == (20, 27) and len(each.extra) == 5] == [
        use((20, 27), 2, 0, slot, extra=(21, 22, 23, 24, 26)) for slot in range(7)
    ]


@given(number=NUMBERS)
def test_a_match_ends_soon(number: int) -> None:
    """After the first draw, each decision leaves one card less in deck and hands."""
    start, actions = random_match(number)
    cards = start.deck + 3 * len(start.hands)

    assert len(actions) <= 1 + cards <= 47


@given(number=NUMBERS)
def test_whoever_is_asked_can_act_and_whoever_passes_cannot(number: int) -> None:
    for state in random_states(number):
        if state.phase == "act" and state.outcome != "won":
            passed = isinstance(state.happened[-1], Passed)

            assert can_act(state) == bool(GAME.legal_actions(state)) == (not passed)


@given(number=NUMBERS)
def test_what_fits_a_slot_follows_from_the_tower(number: int) -> None:
    for state in random_states(number):
        assert state.bands == bands(state.tower)


@given(number=NUMBERS)
def test_a_match_repeats_from_its_cards_and_actions(number: int) -> None:
    start, actions = random_match(number)
    state = start
    played = [start]
    for action in actions:
        state = do(state, action)
        played.append(state)

    assert replay(start.dealt, actions, len(start.hands)) == played


@given(number=NUMBERS)
def test_a_refusal_cites_a_rule(number: int) -> None:
    rules = set(re.findall(r"\*\*(R\d+[a-z]?)\*\*", RULES.read_text(encoding="utf-8")))
    dice = Dice(f"look-{number}")
    for state in random_states(number):
        for action in random_tries(dice, state.hands[state.seat], 6):
            told = refusal(state, action)
            assert told is None or told.split(":")[0] in rules
