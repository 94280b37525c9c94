import msgspec
import pytest

from arena.games import BUILT_IN, get_game
from arena.games.base import AnyGame, Fault, Seat
from tests.random_play import states


def who(seat: int) -> str:
    return "you" if seat == 0 else f"seat {seat}"


def action(game: str, text: str) -> str:
    """Return in words the action that is spelt ``text``."""
    say = get_game(game).say_action
    assert say is not None
    return say(msgspec.json.decode(text, type=get_game(game).action_type))


def event(game: str, text: str) -> str:
    """Return in words the event that is spelt ``text``."""
    say = get_game(game).say_event
    assert say is not None
    return say(msgspec.json.decode(text, type=get_game(game).event_type), who)


DONBURIKO = [
    ('{"type":"round","round":2,"starts":1}', "round 2 began: seat 1 first"),
    (
        '{"type":"play","seat":0,"column":2,"card":"1/5","up":false}',
        "you played 1/5 face down on column 2",
    ),
    (
        '{"type":"play","seat":1,"column":0,"card":"?","up":false}',
        "seat 1 played a card face down on column 0",
    ),
    (
        '{"type":"claim","seat":2,"column":0,"cards":["2","4"],"tokens":1,"sum":6,"paid":6}',
        "seat 2 claimed column 0: 2 4 are worth 6, with 1 token on it; got 6 tokens",
    ),
    (
        '{"type":"claim","seat":0,"column":1,"cards":["-1","loach"],"tokens":0,"sum":1,"paid":-1}',
        "you claimed column 1: -1 loach are worth 1; paid 1 token",
    ),
    (
        '{"type":"claim","seat":0,"column":1,"cards":["1","-1"],"tokens":0,"sum":0,"paid":0}',
        "you claimed column 1: 1 -1 are worth 0; got no tokens",
    ),
    (
        '{"type":"round_end","round":1,"reason":"donburiko"}',
        "round 1 ended: that column was worth exactly 6",
    ),
    ('{"type":"fault","seat":1}', "seat 1 is out of the match"),
]
COUPERATION = [
    (
        '{"type":"draw","seat":0,"count":3,"cards":[5,31,7],"finish":false}',
        "you drew 5 31 and 7",
    ),
    ('{"type":"draw","seat":0,"count":0,"cards":[],"finish":false}', "you drew no card"),
    (
        '{"type":"draw","seat":1,"count":2,"cards":null,"finish":true}',
        "seat 1 drew 2 cards and the Finish card",
    ),
    (
        '{"type":"place","seat":1,"card":null,"row":1,"slot":2,"up":false}',
        "seat 1 placed a card face down in row 1 slot 2",
    ),
    (
        '{"type":"place","seat":0,"card":"finish","row":6,"slot":0,"up":true}',
        "you placed Finish face up in row 6 slot 0",
    ),
    (
        '{"type":"reserve","seat":1,"pair":[12,33],"extra":[],"take":45,"row":1,"slot":2}',
        "seat 1 put 12 and 33 into the reserve, took 45 in row 1 slot 2",
    ),
    (
        (
            '{"type":"reserve","seat":1,"pair":[12,33],"extra":[4],"take":46,"row":1,"slot":2,'
            '"replaced":null}'
        ),
        (
            "seat 1 put 12 and 33 into the reserve, removed 4, took 46 in row 1 slot 2 and took up "
            "the card that lay there"
        ),
    ),
    (
        (
            '{"type":"reserve","seat":0,"pair":[12,33],"extra":[],"take":45,"row":1,"slot":2,'
            '"replaced":9}'
        ),
        "you put 12 and 33 into the reserve, took 45 in row 1 slot 2 and took up 9 that lay there",
    ),
    ('{"type":"discard","seat":0,"card":47}', "you discarded 47 into the reserve"),
    ('{"type":"pass","seat":1}', "seat 1 passed, having no legal action"),
    ('{"type":"fault","seat":1}', "seat 1 is out of the match"),
]


@pytest.mark.parametrize(("spelt", "said"), DONBURIKO)
def test_what_happened_in_donburiko(spelt: str, said: str) -> None:
    assert event("donburiko", spelt) == said


@pytest.mark.parametrize(("spelt", "said"), COUPERATION)
def test_what_happened_in_couperation(spelt: str, said: str) -> None:
    assert event("couperation", spelt) == said


@pytest.mark.parametrize(
    ("game", "spelt", "said"),
    [
        (
            "donburiko",
            '{"type":"play","card":"-1","column":1,"up":true}',
            "play -1 face up on column 1",
        ),
        ("donburiko", '{"type":"claim","column":2}', "claim column 2"),
        ("couperation", '{"type":"draw","count":0}', "draw no card"),
        ("couperation", '{"type":"draw","count":1}', "draw 1 card"),
        (
            "couperation",
            '{"type":"place","card":12,"row":0,"slot":1,"up":false}',
            "place 12 face down in row 0 slot 1",
        ),
        (
            "couperation",
            '{"type":"reserve","pair":[12,33],"extra":[2,3],"take":47,"row":1,"slot":2}',
            "reserve 12 and 33, remove 2 and 3, take 47 in row 1 slot 2",
        ),
        (
            "couperation",
            '{"type":"reserve","pair":[12,33],"extra":[],"take":21,"row":1,"slot":2}',
            "reserve 12 and 33, take 21 in row 1 slot 2",
        ),
        ("couperation", '{"type":"discard","card":47}', "discard 47"),
    ],
)
def test_what_can_be_done(game: str, spelt: str, said: str) -> None:
    assert action(game, spelt) == said


@pytest.mark.parametrize("game", BUILT_IN, ids=lambda game: game.name)
def test_all_that_happens_in_a_match_can_be_said(game: AnyGame) -> None:
    assert game.say_event is not None
    for state in states(game, game.player_counts[-1], 1, game.variants[-1]):
        for seat in range(game.player_counts[-1]):
            for happened in game.events(state, Seat(seat)):
                said = game.say_event(happened, who)
                assert not isinstance(happened, Fault)
                assert said
                assert "\n" not in said
