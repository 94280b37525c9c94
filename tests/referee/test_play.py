import json
import time
from dataclasses import replace
from itertools import pairwise
from typing import Any

import msgspec
import pytest

from arena import __version__
from arena.errors import HostFault
from arena.games import get_game
from arena.games.base import AnyGame, Public
from arena.games.deal import Deal
from arena.players.scripted import Scripted, at_random
from arena.referee.limits import UNCLOCKED_MS, Limits, told
from arena.referee.play import play
from arena.wire.codec import encode_value
from tests.tuck_game import TUCK, Play

LIMITS = Limits(move_ms=1000, extra_ms=20)


def first(message: dict[str, Any]) -> dict[str, Any]:
    action: dict[str, Any] = message["legal_actions"][0]
    return action


def deal_of(game: AnyGame, players: int = 2) -> Deal:
    return Deal(bytes(32), game.name, game.variants[0], players, 0)


def test_a_conversation_reads_as_the_protocol_says() -> None:
    players = [Scripted(first), Scripted(first)]

    played = play(TUCK, deal_of(TUCK), players, LIMITS)

    heard = [json.loads(line) for line in players[1].heard]
    deal = deal_of(TUCK)
    ids = deal.stream("ids-1")
    assert [message["type"] for message in heard] == [
        "hello", "start", "act", "act", "end", "quit",
    ]  # fmt: skip
    assert heard[0] == {
        "type": "hello",
        "protocol": 1,
        "arena": __version__,
        "limits": msgspec.to_builtins(told(LIMITS)),
    }
    assert heard[1] == {
        "type": "start",
        "game": "tuck",
        "variant": "standard",
        "players": 2,
        "seat": 1,
        "seed": deal.bot_seed(1),
        "move_ms": 1000,
        "extra_ms": 20,
    }
    assert [heard[2]["id"], heard[3]["id"]] == [ids.seed(), ids.seed()]
    assert heard[2]["observation"]["seat"] == 1
    assert [event["seat"] for event in heard[3]["events"]] == [1, 0]
    assert heard[4]["scores"] == list(played.outcome.scores)
    assert heard[4]["reason"] == "finished"
    assert [event["seat"] for event in heard[4]["events"]] == [1]


class Patient(Scripted):
    """Remembers how long it might have taken."""

    def __init__(self) -> None:
        super().__init__(first)
        self.budgets: set[int] = set()

    def ask(self, line: bytes, budget_ms: int) -> bytes:
        self.budgets.add(budget_ms)
        return super().ask(line, budget_ms)


def test_without_limits_no_clock_runs_and_the_usual_times_are_told() -> None:
    players = [Patient(), Patient()]

    play(TUCK, deal_of(TUCK), players, None)

    hello, start, *_ = map(json.loads, players[0].heard)
    assert players[0].budgets == players[1].budgets == {UNCLOCKED_MS}
    assert hello["limits"] is None
    assert (start["move_ms"], start["extra_ms"]) == (Limits().move_ms, 0)


def test_lines_are_compact_and_end_in_a_line_feed() -> None:
    players = [Scripted(first), Scripted(first)]

    play(TUCK, deal_of(TUCK), players, LIMITS)

    for line in players[0].heard:
        assert line == json.dumps(json.loads(line), separators=(",", ":")).encode() + b"\n"


class Choosy(Scripted):
    """Says at the handshake what it wants."""

    def __init__(self, **ready: object) -> None:
        super().__init__(
            lambda message: {"type": "play", "card": message["observation"]["hand"][0], "up": True}
        )
        self._ready = {"type": "ready", "protocol": 1, **ready}

    def ask(self, line: bytes, budget_ms: int) -> bytes:
        answer = super().ask(line, budget_ms)
        return json.dumps(self._ready).encode() if b'"ready"' in answer else answer


def test_a_bot_can_do_without_the_legal_actions_and_the_digests_stay_the_same() -> None:
    with_them, without = Choosy(), Choosy(legal_actions=False)

    records = [
        play(TUCK, deal_of(TUCK), [player, Scripted(first)], LIMITS).actions
        for player in (with_them, without)
    ]

    assert b"legal_actions" in with_them.heard[2]
    assert b"legal_actions" not in without.heard[2]
    assert [action.sent for action in records[0]] == [action.sent for action in records[1]]


def test_a_bot_that_does_not_play_the_game_fails_at_start_up() -> None:
    played = play(TUCK, deal_of(TUCK), [Choosy(games=["chess"]), Scripted(first)], LIMITS)

    assert [(fault.code, fault.text) for fault in played.faults] == [
        ("start_failed", "does not play tuck")
    ]


ILLEGAL = [
    ({"type": "play", "card": 10, "up": True}, "T2: card 10 is not in your hand"),
    ({"type": "play", "card": "1", "up": True}, "not an action of this game: Expected `int`"),
    ({"type": "play", "up": True}, "not an action of this game: Object missing"),
    ({"type": "play", "card": 1, "up": True, "extra": 1}, "not an action of this game: Object"),
    ({}, "not an action of this game"),
]


@pytest.mark.parametrize(("action", "text"), ILLEGAL)
def test_an_illegal_action_is_answered_with_the_rule(action: dict[str, Any], text: str) -> None:
    player = Scripted(lambda _: action)

    played = play(TUCK, deal_of(TUCK), [player, Scripted(first)], LIMITS)

    told = json.loads(player.heard[-1])
    assert (told["type"], told["code"]) == ("error", "illegal_action")
    assert told["message"].startswith(text)
    assert played.faults[0].text == told["message"]


def test_an_action_that_only_looks_legal_never_voids_a_match() -> None:
    # Without its tag it still converts to the only action type there is.
    player = Scripted(lambda message: {k: v for k, v in first(message).items() if k != "type"})

    played = play(TUCK, deal_of(TUCK), [player, Scripted(first)], LIMITS)

    assert played.faults[0].code == "illegal_action"


def test_a_game_that_trips_over_an_illegal_action_never_voids_a_match() -> None:
    def trip(state: Any, action: Play, chance: Any) -> Any:
        if action.card == 10:
            raise ZeroDivisionError
        return TUCK.apply(state, action, chance)

    player = Scripted(lambda _: {"type": "play", "card": 10, "up": True})

    played = play(replace(TUCK, apply=trip), deal_of(TUCK), [player, Scripted(first)], LIMITS)

    assert played.faults[0].text == "not a legal action"


def test_a_game_that_refuses_what_it_offers_voids_the_match() -> None:
    odd = replace(TUCK, legal_actions=lambda _: (Play(card=10, up=True),))

    with pytest.raises(HostFault, match="T2"):
        play(odd, deal_of(TUCK), [Scripted(first), Scripted(first)], LIMITS)


def test_the_house_draws_from_its_own_stream_also_when_there_is_one_action() -> None:
    game = get_game("donburiko")
    deal = deal_of(game, 3)
    quitter = Scripted(lambda _: {"type": "nothing"})

    played = play(game, deal, [Scripted(first), quitter, Scripted(first)], LIMITS)

    assert any(action.house for action in played.actions)
    assert all(action.house == (action.seat == 1) for action in played.actions)
    again = play(game, deal, [Scripted(first), quitter, Scripted(first)], LIMITS)
    assert again.actions == played.actions


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("name", ["donburiko", "couperation"])
def test_a_match_is_a_function_of_deal_and_players(name: str, players: int) -> None:
    game = get_game(name)

    runs = []
    for _ in range(2):
        bots = [Scripted(at_random(bytes([seat]))) for seat in range(players)]
        played = play(game, deal_of(game, players), bots, LIMITS)
        runs.append((played.actions, played.outcome, [bot.heard for bot in bots]))

    assert runs[0][:2] == runs[1][:2]
    # What is left of the extra time is measured, and here nothing is used.
    assert runs[0][2] == runs[1][2]


def test_each_action_is_watched_with_the_state_before_it() -> None:
    seen = []

    played = play(
        TUCK,
        deal_of(TUCK),
        [Scripted(first), Scripted(first)],
        LIMITS,
        watch=lambda state, seat, action, house: seen.append((len(state.row), seat, house)),
    )

    assert seen == [(0, 0, False), (1, 1, False), (2, 0, False), (3, 1, False)]
    assert len(played.action_ms) == len(played.actions)


class Timed(Scripted):
    """Thinks for a while, and remembers when it was asked and when it heard of the end."""

    def __init__(self, instants: list[float], thinks_s: float) -> None:
        super().__init__(first)
        self._instants = instants
        self._thinks_s = thinks_s

    def ask(self, line: bytes, budget_ms: int) -> bytes:
        if b'"act"' in line:
            self._instants.append(time.monotonic())
            time.sleep(self._thinks_s)
        return super().ask(line, budget_ms)

    def tell(self, line: bytes) -> None:
        if b'"end"' in line:
            self._instants.append(time.monotonic())


@pytest.mark.parametrize("thinks_s", [0.0, 0.03])
def test_a_question_comes_a_slot_after_the_one_before_however_soon_that_was_answered(
    thinks_s: float,
) -> None:
    instants: list[float] = []
    limits = Limits(move_ms=50, slot_ms=60)

    play(TUCK, deal_of(TUCK), [Timed(instants, thinks_s), Timed(instants, 0)], limits)

    apart = [after - before for before, after in pairwise(instants[:5])]
    assert len(apart) == 4
    assert min(apart) >= 0.06
    assert max(apart) < 0.15


def test_players_that_stay_are_greeted_once_and_told_to_quit_after_their_last_match() -> None:
    players = [Choosy(legal_actions=False), Scripted(first)]

    before = play(TUCK, deal_of(TUCK), players, LIMITS, stay=True)
    play(TUCK, replace(deal_of(TUCK), number=1), players, LIMITS, met=before.met)

    heard = [json.loads(line) for line in players[0].heard]
    match = ["start", "act", "act", "end"]
    assert [message["type"] for message in heard] == ["hello", *match, *match, "quit"]
    assert not any("legal_actions" in message for message in heard)


def test_what_is_recorded_of_a_long_match_is_what_was_watched() -> None:
    game = get_game("couperation")
    watched: list[tuple[int, bytes, bool]] = []

    def watch(_state: object, seat: int, action: Public, house: bool) -> None:
        watched.append((seat, encode_value(action), house))

    seats = [Scripted(at_random(bytes([seat]) * 32)) for seat in range(2)]
    played = play(game, deal_of(game), seats, LIMITS, watch)

    recorded = [(one.seat, bytes(one.action), one.house) for one in played.actions]
    assert len(recorded) > 32
    assert recorded == watched
    assert len(played.action_ms) == len(recorded)


def test_without_a_slot_a_question_comes_at_once() -> None:
    instants: list[float] = []

    play(TUCK, deal_of(TUCK), [Timed(instants, 0), Timed(instants, 0)], LIMITS)

    assert instants[4] - instants[0] < 0.06
