"""What a seat is shown of Couperation: exact bytes, and that hidden cards cannot change them."""

import re
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.games.base import Fault, Public, Seat
from arena.games.couperation import COUPERATION as GAME
from arena.games.couperation.actions import Action, Discard, Draw, Place, Reserve
from arena.games.couperation.cards import FINISH
from arena.games.couperation.observation import Event
from arena.games.couperation.state import Acted, Drew, Happening, Passed
from tests.games.couperation_tables import (
    Dice,
    do,
    down,
    random_match,
    random_states,
    replay,
    table,
    up,
)
from tests.games.couperation_worlds import another_world, transcript

RULES = Path(__file__).parents[2] / "arena" / "games" / "couperation" / "RULES.md"
NUMBERS = st.integers(0, 2**32)
EMPTY_ROWS = (
    "[null,null,null,null,null,null],[null,null,null,null,null],[null,null,null,null],"
    "[null,null,null],[null,null],[null]"
)


def json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def test_an_observation_is_written_as_the_protocol_says() -> None:
    state = table(
        tower={(0, 3): up(25, by=None)},
        hands=((12, 33, 47), (2, 3, 4)),
        reserve=(1, 7, 19, 22, 40, 50),
        deck=tuple(range(37)),
    )

    assert json(GAME.observe(state, Seat(0))) == (
        '{"seat":0,"to_act":0,"phase":"act","hand":[12,33,47],"hand_sizes":[3,3],"finish":null,'
        '"tower":[[null,null,null,{"card":25,"up":true,"by":null},null,null,null],'
        f"{EMPTY_ROWS}],"
        '"reserve":[1,7,19,22,40,50],"removed":[],"deck":37,"score":1}'
    )


def test_what_another_seat_sees_of_a_match_that_is_over() -> None:
    state = replace(
        table(
            tower={(0, 0): down(4, by=1), (0, 1): up(FINISH, by=1), (0, 2): down(9, by=0)},
            hands=((12,), ()),
            removed=(5, 6),
            front=1,
            variant="finish",
        ),
        outcome="lost",
    )

    assert json(GAME.observe(state, Seat(0))) == (
        '{"seat":0,"to_act":null,"phase":"act","hand":[12],"hand_sizes":[1,0],"finish":1,'
        '"tower":[[{"card":null,"up":false,"by":1},{"card":"finish","up":true,"by":1},'
        f'{{"card":9,"up":false,"by":0}},null,null,null,null],{EMPTY_ROWS}],'
        '"reserve":[1,50],"removed":[5,6],"deck":0,"score":1}'
    )


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (Draw(count=1), '{"type":"draw","count":1}'),
        (
            Place(card=12, row=0, slot=1, up=True),
            '{"type":"place","card":12,"row":0,"slot":1,"up":true}',
        ),
        (
            Place(card=FINISH, row=6, slot=0, up=True),
            '{"type":"place","card":"finish","row":6,"slot":0,"up":true}',
        ),
        (
            Reserve(pair=(12, 33), extra=(), take=45, row=1, slot=2),
            '{"type":"reserve","pair":[12,33],"extra":[],"take":45,"row":1,"slot":2}',
        ),
        (Discard(card=47), '{"type":"discard","card":47}'),
    ],
)
def test_an_action_is_written_as_the_protocol_says(action: Public, text: str) -> None:
    assert json(action) == text
    assert msgspec.json.decode(text, type=GAME.action_type) == action


@pytest.mark.parametrize(
    "text",
    [
        '{"type":"draw","count":true}',
        '{"type":"draw","count":1.0}',
        '{"type":"place","card":"Finish","row":6,"slot":0,"up":true}',
        '{"type":"place","card":12,"row":0,"slot":1,"up":1}',
        '{"type":"place","card":12,"row":0,"slot":1,"up":true,"seat":0}',
        '{"type":"reserve","pair":[12,33,34],"extra":[],"take":45,"row":1,"slot":2}',
        '{"type":"reserve","pair":[12,33],"take":45,"row":1,"slot":2}',
        '{"type":"reserve","pair":[12,33],"extra":[],"take":"finish","row":1,"slot":2}',
        '{"type":"pass"}',
    ],
)
def test_what_is_no_action_is_not_decoded(text: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(text, type=GAME.action_type)


USE = Reserve(pair=(12, 33), extra=(), take=45, row=1, slot=2)
USE_TEXT = '{"type":"reserve","seat":1,"pair":[12,33],"extra":[],"take":45,"row":1,"slot":2'
LOW = Place(card=12, row=0, slot=1, up=False)


@pytest.mark.parametrize(
    ("happened", "text"),
    [
        (
            Drew(Seat(0), (5, 31), finish=False),
            '{"type":"draw","seat":0,"count":2,"cards":[5,31],"finish":false}',
        ),
        (
            Drew(Seat(1), (5, 31), finish=True),
            '{"type":"draw","seat":1,"count":2,"cards":null,"finish":true}',
        ),
        (
            Drew(Seat(0), (), finish=False),
            '{"type":"draw","seat":0,"count":0,"cards":[],"finish":false}',
        ),
        (
            Acted(Seat(0), LOW),
            '{"type":"place","seat":0,"card":12,"row":0,"slot":1,"up":false}',
        ),
        (
            Acted(Seat(1), LOW),
            '{"type":"place","seat":1,"card":null,"row":0,"slot":1,"up":false}',
        ),
        (
            Acted(Seat(1), msgspec.structs.replace(LOW, up=True)),
            '{"type":"place","seat":1,"card":12,"row":0,"slot":1,"up":true}',
        ),
        (Acted(Seat(1), USE), USE_TEXT + "}"),
        (Acted(Seat(1), USE, up(8, by=2)), USE_TEXT + ',"replaced":8}'),
        (Acted(Seat(1), USE, up(FINISH, by=2)), USE_TEXT + ',"replaced":"finish"}'),
        (Acted(Seat(1), USE, down(8, by=0)), USE_TEXT + ',"replaced":8}'),
        (Acted(Seat(1), USE, down(8, by=1)), USE_TEXT + ',"replaced":null}'),
        (Acted(Seat(1), USE, down(8, by=2)), USE_TEXT + ',"replaced":null}'),
        (Acted(Seat(0), Discard(card=47)), '{"type":"discard","seat":0,"card":47}'),
        (Passed(Seat(1)), '{"type":"pass","seat":1}'),
    ],
)
def test_an_event_is_written_as_the_protocol_says(happened: Happening, text: str) -> None:
    """As seat 0 sees it."""
    state = replace(table(hands=((), (), ())), happened=(happened,))

    assert [json(event) for event in GAME.events(state, Seat(0))] == [text]


def test_a_fault_is_an_event_of_the_game() -> None:
    text = '{"type":"fault","seat":1}'

    assert json(Fault(seat=1)) == text
    assert msgspec.json.decode(text, type=GAME.event_type) == Fault(seat=1)


def test_the_examples_of_the_rules_page_are_messages_of_the_game() -> None:
    page = RULES.read_text(encoding="utf-8")
    actions, observations, events = re.findall(r"```json\n(.*?)```", page, re.DOTALL)

    kinds = ((actions, GAME.action_type), (events, GAME.event_type))
    for text, kind in [(line, kind) for lines, kind in kinds for line in lines.splitlines()]:
        assert json(msgspec.json.decode(text, type=kind)) == text
    whole = re.sub(r"\n ", "", observations).strip()
    assert json(msgspec.json.decode(whole, type=GAME.observation_type)) == whole


def test_the_opening_state_has_no_events() -> None:
    state = random_states(0)[0]

    assert GAME.events(state, Seat(0)) == ()


def test_a_turn_is_told_with_the_passes_and_draws_that_follow_it() -> None:
    state = table(hands=((9,), (), (30,)), deck=(11, 12))

    after = do(state, Place(card=9, row=0, slot=0, up=True))

    assert json(GAME.events(after, Seat(2))) == (
        '[{"type":"place","seat":0,"card":9,"row":0,"slot":0,"up":true},'
        '{"type":"draw","seat":1,"count":0,"cards":null,"finish":false},'
        '{"type":"pass","seat":1},'
        '{"type":"draw","seat":2,"count":1,"cards":[11],"finish":false}]'
    )


@given(number=NUMBERS)
def test_what_a_seat_is_sent_is_valid(number: int) -> None:
    for state in random_states(number):
        seen, told = GAME.observe(state, Seat(1)), GAME.events(state, Seat(1))
        choices = GAME.legal_actions(state)

        assert msgspec.json.decode(json(seen), type=GAME.observation_type) == seen
        assert msgspec.json.decode(json(told), type=tuple[Event, ...]) == told
        assert msgspec.json.decode(json(choices), type=tuple[Action, ...]) == choices


@given(number=NUMBERS, length=st.integers(0, 50))
def test_cards_that_a_seat_never_saw_change_nothing_that_it_is_sent(
    number: int, length: int
) -> None:
    start, actions = random_match(number)
    actions = actions[:length]
    players = len(start.hands)
    states = replay(start.dealt, actions, players)
    for seat in map(Seat, range(players)):
        dice = Dice(f"world-{number}-{seat}")
        told = transcript(states, seat)
        for _ in range(2):
            other = another_world(start.dealt, actions, players, seat, dice)
            if other is not None:
                assert transcript(replay(*other, players), seat) == told


def test_most_points_of_a_match_have_another_world() -> None:
    """Without this, the property above could hold for want of anything to compare."""
    worlds, changed_deck, changed_action, moved_finish, drawn = 0, 0, 0, 0, 0
    for number in range(40):
        start, actions = random_match(number)
        players = len(start.hands)
        dice = Dice(f"world-{number}")
        for length in range(0, len(actions), 9):
            drawn += 1
            seat = dice.below(players)
            other = another_world(start.dealt, actions[:length], players, seat, dice)
            if other is not None:
                worlds += 1
                changed_deck += other[0] != start.dealt
                changed_action += other[1] != actions[:length]
                moved_finish += FINISH in other[0] and other[0].index(FINISH) != start.dealt.index(
                    FINISH
                )

    assert worlds > 0.8 * drawn
    assert changed_deck > 0.7 * drawn
    assert changed_action > 0.3 * drawn
    assert moved_finish > 0.2 * drawn


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_card_that_a_seat_does_not_see_may_be_another(players: int) -> None:
    number = next(each for each in range(100) if len(random_match(each)[0].hands) == players)
    start = random_match(number)[0]
    dice = Dice("worlds")
    others = [another_world(start.dealt, (), players, 1, dice) for _ in range(60)]

    glass = [card for card in start.dealt if card != FINISH]
    hidden = {
        card
        for other in others
        if other is not None
        for card, there in zip(glass, [each for each in other[0] if each != FINISH], strict=True)
        if card != there
    }

    seen = {*start.hands[1], *start.reserve}
    in_own_order = {*start.hands[1], *start.reserve} - {1, 50}
    assert hidden - in_own_order == set(glass) - seen
