"""What a seat is shown of Donburiko: the exact bytes, and that hidden cards cannot change them."""

import re
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.games.base import Fault, Public, Seat
from arena.games.deal import Stream
from arena.games.donburiko import DONBURIKO, observation
from arena.games.donburiko.actions import Claim, Play
from arena.games.donburiko.state import (
    CardPlayed,
    ColumnClaimed,
    Happening,
    RoundBegan,
    RoundEnded,
)
from tests.games.donburiko_tables import (
    KEY,
    UNSHUFFLED,
    Match,
    all_actions,
    claim,
    faces,
    play,
    random_match,
    table,
)
from tests.games.donburiko_worlds import World, another_world, replay
from tests.games.worlds import refusals, sent

RULES = Path(observation.__file__).with_name("RULES.md")
MATCHES = st.builds(random_match, st.sampled_from((2, 3, 4)), st.integers(0, 2**32))
TRIES = all_actions()


def json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def test_an_observation_is_written_as_the_protocol_says() -> None:
    state = table(
        ["2", "4", "5 (3):0"],
        ["2 1/5 loach", "3 1/5 -1 loach", "1 2 4 -2"],
        [9, 4, 5],
        turn=1,
        number=2,
        set_aside="-2",
    )

    assert json(DONBURIKO.observe(state, Seat(1))) == (
        '{"round":2,"last_round":false,"seat":1,"to_act":1,"tokens":[9,4,5],"bank":31,'
        '"hand":["3","1/5","-1","loach"],"hand_sizes":[3,4,4],'
        '"in_round":[true,true,true],"set_aside":1,'
        '"columns":[{"cards":[{"face":"2","up":true,"by":null}],"tokens":0},'
        '{"cards":[{"face":"4","up":true,"by":null}],"tokens":0},'
        '{"cards":[{"face":"5","up":true,"by":null},{"face":"?","up":false,"by":0}],"tokens":1}]}'
    )


def test_a_claimed_column_and_a_match_that_is_over_are_written_as_null() -> None:
    over = claim(table([None, "2 4:0"], ["3", "5"], [4, 15], in_round=(True, False), number=50), 1)

    assert json(DONBURIKO.observe(over, Seat(1))) == (
        '{"round":50,"last_round":true,"seat":1,"to_act":null,"tokens":[10,15],"bank":25,'
        '"hand":["5"],"hand_sizes":[1,1],"in_round":[false,false],"set_aside":0,'
        '"columns":[null,null]}'
    )


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (Play(card="3", column=0, up=True), '{"type":"play","card":"3","column":0,"up":true}'),
        (Claim(column=2), '{"type":"claim","column":2}'),
    ],
)
def test_an_action_is_written_as_the_protocol_says(action: Public, text: str) -> None:
    assert json(action) == text
    assert msgspec.json.decode(text, type=DONBURIKO.action_type) == action


@pytest.mark.parametrize(
    ("happened", "text"),
    [
        (RoundBegan(2, Seat(1)), '{"type":"round","round":2,"starts":1}'),
        (
            CardPlayed(Seat(0), 2, "4", up=False),
            '{"type":"play","seat":0,"column":2,"card":"?","up":false}',
        ),
        (
            ColumnClaimed(Seat(2), 0, faces("2 4"), tokens=1, total=6, paid=6),
            '{"type":"claim","seat":2,"column":0,"cards":["2","4"],"tokens":1,"sum":6,"paid":6}',
        ),
        (RoundEnded(1, "donburiko"), '{"type":"round_end","round":1,"reason":"donburiko"}'),
    ],
)
def test_an_event_is_written_as_the_protocol_says(happened: Happening, text: str) -> None:
    state = replace(table(["1"], ["2", "3", "4"], [4, 4, 4]), happened=(happened,))

    assert [json(event) for event in DONBURIKO.events(state, Seat(1))] == [text]


def test_a_fault_is_an_event_of_the_game() -> None:
    text = '{"type":"fault","seat":1}'

    assert json(Fault(seat=1)) == text
    assert msgspec.json.decode(text, type=DONBURIKO.event_type) == Fault(seat=1)


def test_the_examples_of_the_rules_page_are_messages_of_the_game() -> None:
    examples = re.findall(r'`(\{"type":.*?\})`', RULES.read_text(encoding="utf-8"))
    actions = [text for text in examples if '"seat"' not in text and "round" not in text]

    assert (len(actions), len(examples)) == (2, 7)
    for text in examples:
        kind = DONBURIKO.action_type if text in actions else DONBURIKO.event_type
        assert json(msgspec.json.decode(text, type=kind)) == text


def test_the_face_of_a_card_played_face_down_goes_to_its_player_alone() -> None:
    after = play(table(["1"], ["4", "5", "3"], [4, 4, 4]), "4", 0, up=False)

    assert [json(DONBURIKO.events(after, Seat(seat))) for seat in range(3)] == [
        '[{"type":"play","seat":0,"column":0,"card":"4","up":false}]',
        '[{"type":"play","seat":0,"column":0,"card":"?","up":false}]',
        '[{"type":"play","seat":0,"column":0,"card":"?","up":false}]',
    ]


def test_a_claim_that_ends_a_round_is_told_before_the_end_and_the_next_round() -> None:
    after = claim(table(["2 (1/5):0", "1"], ["4", "3"], [4, 4], number=2), 0)

    assert [json(DONBURIKO.events(after, Seat(seat))) for seat in range(2)] == 2 * [
        (
            '[{"type":"claim","seat":0,"column":0,"cards":["2","1/5"],"tokens":1,"sum":3,"paid":3},'
            '{"type":"round_end","round":2,"reason":"single_cards"},'
            '{"type":"round","round":3,"starts":0}]'
        )
    ]


@given(match=MATCHES)
def test_what_a_seat_is_sent_is_valid_and_the_same_each_time(match: Match) -> None:
    replayed = replay(World(match.states[-1].rounds, match.actions), match.players)

    for seat in map(Seat, range(match.players)):
        assert sent(DONBURIKO, match.states, seat) == sent(DONBURIKO, replayed, seat)
    for state in match.states:
        seen = msgspec.json.encode(DONBURIKO.observe(state, Seat(0)))
        told = msgspec.json.encode(DONBURIKO.events(state, Seat(0)))
        assert msgspec.json.decode(seen, type=DONBURIKO.observation_type).seat == 0
        assert len(msgspec.json.decode(told, type=list[observation.Event])) in {1, 2, 3}


@given(
    match=MATCHES,
    end=st.integers(0, 2**16),
    place=st.integers(0, 3),
    number=st.integers(0, 2**32),
)
def test_cards_that_a_seat_never_saw_change_nothing_that_it_is_sent(
    match: Match, end: int, place: int, number: int
) -> None:
    seat = Seat(place % match.players)
    length = end % len(match.states)
    states = match.states[: length + 1]
    world = World(states[-1].rounds, match.actions[:length])
    other = another_world(world, match.players, seat, Stream(KEY, f"world-{number}"))
    if other is None:
        reject()
    others = replay(other, match.players)

    assert sent(DONBURIKO, others, seat) == sent(DONBURIKO, states, seat)
    assert refusals(DONBURIKO, others, seat, TRIES, UNSHUFFLED) == refusals(
        DONBURIKO, states, seat, TRIES, UNSHUFFLED
    )


def test_nearly_every_point_of_a_match_has_another_world() -> None:
    """Without this, the property above could hold for want of anything to compare."""
    stream = Stream(KEY, "worlds")
    drawn = [
        another_world(
            World(match.states[length].rounds, match.actions[:length]),
            match.players,
            Seat(length % match.players),
            stream,
        )
        for match in (
            random_match(players, number) for players in (2, 3, 4) for number in range(10)
        )
        for length in range(0, len(match.actions), 7)
    ]

    assert len([other for other in drawn if other is not None]) > 0.9 * len(drawn)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_card_that_a_seat_does_not_see_may_be_another(players: int) -> None:
    opening = random_match(players, 0).states[0]
    (cards,) = opening.rounds
    stream = Stream(KEY, "worlds")
    worlds = [another_world(World((cards,), ()), players, Seat(1), stream) for _ in range(50)]

    changed = {
        place
        for other in worlds
        if other is not None
        for place, face in enumerate(other.rounds[0])
        if face != cards[place]
    }

    hand_size = 3 if players == 4 else 4
    seen = {*range(players), *(players + 1 + players * card for card in range(hand_size))}
    assert changed == set(range(len(cards))) - seen
