import json

import pytest

from arena.errors import BotFault, FaultCode
from arena.games import get_game
from arena.games.deal import Deal
from arena.players.bundle import bundle_of
from arena.players.person import SNAPSHOT, Person, Turn
from arena.players.scripted import Scripted, at_random
from arena.referee.limits import Limits
from arena.referee.play import Played, play
from tests.records import record_of

KEY = bytes(32)


class Sitter:
    """Takes the first action of each turn, and leaves at turn ``until``."""

    def __init__(self, until: int | None = None) -> None:
        self.turns: list[Turn] = []
        self.last: list[tuple[bytes, ...]] = []
        self._until = until

    def choose(self, turn: Turn) -> int | None:
        self.turns.append(turn)
        return None if len(self.turns) == self._until else 0

    def against_dice(self, game: str, players: int = 2) -> Played:
        seats = [Person(self.choose, self.last.append)]
        bots = [Scripted(at_random(bytes([seat]))) for seat in range(1, players)]
        where = Deal(KEY, game, "standard", players, 0)
        return play(get_game(game), where, [*seats, *bots], Limits())


def test_a_person_plays_as_a_player_that_is_a_function_does() -> None:
    first = Scripted(lambda message: dict(message["legal_actions"][0]))
    where = Deal(KEY, "donburiko", "standard", 2, 0)
    dice = Scripted(at_random(bytes([1])))

    played = Sitter().against_dice("donburiko")

    same = play(get_game("donburiko"), where, [first, dice], Limits())
    assert (played.actions, played.outcome) == (same.actions, same.outcome)


def test_a_person_is_asked_what_a_bot_is_sent() -> None:
    bot = Scripted(lambda message: dict(message["legal_actions"][0]))
    where = Deal(KEY, "couperation", "standard", 2, 0)
    sitter = Sitter()

    play(get_game("couperation"), where, [bot, Scripted(at_random(bytes([1])))], Limits())
    sitter.against_dice("couperation")

    sent = [json.loads(line) for line in bot.heard]
    asked = [message for message in sent if message["type"] == "act"]
    assert [json.loads(turn.observation) for turn in sitter.turns] == [
        message["observation"] for message in asked
    ]
    assert [list(map(json.loads, turn.events)) for turn in sitter.turns] == [
        message["events"] for message in asked
    ]
    (end,) = (message for message in sent if message["type"] == "end")
    assert [list(map(json.loads, events)) for events in sitter.last] == [end["events"]]


def test_a_person_who_leaves_two_is_at_fault_and_the_match_ends() -> None:
    sitter = Sitter(until=3)

    played = sitter.against_dice("donburiko")

    (fault,) = played.faults
    assert (fault.seat, fault.code, fault.text) == (0, "exited", "resigned")
    assert (played.outcome.reason, played.outcome.ranks) == ("walkover", (2, 1))
    assert sitter.last == []


def test_the_house_plays_on_for_a_person_who_leaves_three() -> None:
    played = Sitter(until=1).against_dice("donburiko", players=3)

    assert played.outcome.ranks[0] == 3
    assert any(action.house for action in played.actions)
    assert record_of(played, Deal(KEY, "donburiko", "standard", 3, 0)).players == 3


def test_the_fault_of_who_leaves_shows_nothing() -> None:
    person = Person(lambda _turn: None, lambda _events: None)
    act = b'{"type":"act","id":7,"observation":{},"events":[],"legal_actions":[{}],'

    with pytest.raises(BotFault) as left:
        person.ask(act + b'"move_ms":1,"extra_ms":0}\n', 1)

    assert (left.value.code, left.value.offending) == (FaultCode.EXITED, b"")


def test_what_stands_for_a_person_never_changes() -> None:
    """Records are told apart from those of bots by it."""
    assert SNAPSHOT.digest == (
        "sha256:43688b098f70a51dfe10ded9708b8b77bf01301119f10b827fb84b7eac8e6f7a"
    )
    assert bundle_of(SNAPSHOT.files, "you").command == SNAPSHOT.command
