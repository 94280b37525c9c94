"""A bot that searches: its own tables are held to the game's rules, its guesses to what it saw.

How it does against `greedy` over many deals is in bots/README.md; here it plays a few.
"""

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from arena.games import get_game
from arena.games.base import Seat
from arena.games.deal import Deal, Stream
from arena.games.donburiko import DONBURIKO
from arena.games.donburiko.cards import Face, column_sum, deck, payment
from arena.games.donburiko.state import State
from arena.players.scripted import Scripted
from arena.referee.limits import Limits
from arena.referee.play import play
from arena.referee.record import decode_record
from arena.wire.codec import encode_value
from arena_bot import Action, Bot, Event, Match, Observation, Turn
from bots.greedy import Greedy
from bots.ismcts import (
    FACES,
    MOST_PLAYOUTS,
    PAYMENTS,
    SHARE,
    WEIGHTS,
    Card,
    Ismcts,
    Knowledge,
    Search,
    Table,
    Worths,
    chances,
    code,
    number,
    promises,
    remember,
)
from tests.command_line import NO_TIER
from tests.games import donburiko_tables
from tests.games.donburiko_tables import random_match, table
from tests.games.donburiko_worlds import World, another_world, replay
from tests.whole_arena import Arena

MATCHES = st.builds(random_match, st.sampled_from((2, 3, 4)), st.integers(0, 2**32))
NUMBERS = st.integers(0, 2**32)


def plain(value: object) -> Any:
    return json.loads(encode_value(value))


def seen(state: State, seat: int) -> Observation:
    observation: Observation = plain(DONBURIKO.observe(state, Seat(seat)))
    return observation


def truth(state: State) -> Table:
    """Return the bot's own table of ``state``, all cards known."""
    assert state.turn is not None
    columns = [
        [
            Card(number(card.face), card.up, -1 if card.by is None else card.by)
            for card in (column.cards if column else ())
        ]
        for column in state.columns
    ]
    hands = [[number(face) for face in hand] for hand in state.hands]
    return Table(seen(state, state.turn), columns, hands)


def dice(seed: int) -> Random:
    return Random(seed)  # noqa: S311  # dice, not keys


# Its tables


@given(players=st.sampled_from((2, 3, 4)), rng=st.randoms(use_true_random=False))
def test_a_key_pays_what_the_rules_pay_for_its_cards(players: int, rng: Random) -> None:
    cards: list[Face] = rng.sample(deck(players), rng.randint(1, 6))

    assert PAYMENTS[sum(WEIGHTS[number(face)] for face in cards)] == payment(column_sum(cards))


@given(match=MATCHES)
def test_its_tables_offer_what_the_rules_allow(match: donburiko_tables.Match) -> None:
    for state in match.states[:-1]:
        offered = promises(truth(state), Worths([[0]] * 6), held=0)
        legal = [code(plain(action)) for action in DONBURIKO.legal_actions(state)]

        assert sorted(action for _, action in offered) == sorted(legal)


@given(match=MATCHES)
def test_its_tables_play_a_round_as_the_rules_do(match: donburiko_tables.Match) -> None:
    own = truth(match.states[0])
    for state, action, after in zip(match.states, match.actions, match.states[1:], strict=False):
        assert own.turn == state.turn
        own.apply(code(plain(action)))

        assert (tuple(own.tokens), own.bank) == (after.tokens, after.bank)
        assert own.done == (after.turn is None or after.round > state.round)
        if after.turn is None:
            assert own.last
        elif own.done:
            assert not own.last
            own = truth(after)
        else:
            same(own, truth(after))


def same(own: Table, other: Table) -> None:
    """Compare tables; what the keys of claimed columns are is left aside."""
    there = [at for at, size in enumerate(other.sizes) if size]
    assert (own.sizes, own.lying, own.last) == (other.sizes, other.lying, other.last)
    assert (own.hands, own.in_round, own.turn) == (other.hands, other.in_round, other.turn)
    assert [own.keys[at] for at in there] == [other.keys[at] for at in there]
    for view, others in zip(own.views, other.views, strict=True):
        assert [view[at] for at in there] == [others[at] for at in there]


# Its guesses


def events(states: Sequence[State], seat: int) -> list[Event]:
    return [event for state in states for event in plain(DONBURIKO.events(state, Seat(seat)))]


@given(match=MATCHES, seed=NUMBERS)
def test_a_guess_agrees_with_all_that_the_seat_has_seen(
    match: donburiko_tables.Match, seed: int
) -> None:
    asked = [0] * match.players
    gone: list[list[str]] = [[] for _ in asked]
    for at, state in enumerate(match.states[:-1]):
        seat = state.turn
        assert seat is not None
        told = events(match.states[asked[seat] : at + 1], seat)
        asked[seat], gone[seat] = at + 1, remember(gone[seat], told)
        observation = seen(state, seat)

        columns, hands = Knowledge(observation, gone[seat]).guess(dice(seed))

        agree(observation, columns, hands)
        placed = [card.face for cards in columns for card in cards]
        dealt = [face for hand in hands for face in hand]
        aside = Counter[str](deck(match.players))
        aside.subtract([*(FACES[face] for face in placed + dealt), *gone[seat]])
        assert min(aside.values()) >= 0
        assert aside.total() == len(state.set_aside)


def agree(
    observation: Observation, columns: Sequence[Sequence[Card]], hands: Sequence[Sequence[int]]
) -> None:
    """Check that the seat of ``observation`` would see just that of ``columns`` and ``hands``."""
    seat = observation["seat"]
    shown = [
        column
        and [
            {
                "face": FACES[card.face] if card.up or card.by == seat else "?",
                "up": card.up,
                "by": None if card.by < 0 else card.by,
            }
            for card in cards
        ]
        for cards, column in zip(columns, observation["columns"], strict=True)
    ]
    assert shown == [column and column["cards"] for column in observation["columns"]]
    assert [len(hand) for hand in hands] == observation["hand_sizes"]
    assert [FACES[face] for face in hands[seat]] == observation["hand"]


def decisions(states: Sequence[State], seat: int, playouts: int) -> Action | None:
    """Return what the bot does in the last of ``states``, in which ``seat`` is asked."""
    bot = Ismcts(playouts)
    match = Match(start(len(states[0].tokens), seat))
    bot.start(match)
    return bot.choose(question(states, seat, match))


def start(players: int, seat: int, move_ms: int = 60_000) -> dict[str, Any]:
    return {
        "game": "donburiko", "variant": "standard", "players": players, "seat": seat, "seed": 7,
        "move_ms": move_ms,
    }  # fmt: skip


def question(states: Sequence[State], seat: int, match: Match, asked: float | None = None) -> Turn:
    message = {
        "observation": seen(states[-1], seat),
        "events": events(states, seat),
        "legal_actions": plain(DONBURIKO.legal_actions(states[-1])),
    }
    return Turn(message, match, time.monotonic() if asked is None else asked)


@settings(max_examples=15)
@given(match=MATCHES, data=st.data(), label=st.integers())
def test_what_a_seat_cannot_see_decides_nothing(
    match: donburiko_tables.Match, data: st.DataObject, label: int
) -> None:
    end = data.draw(st.integers(0, len(match.actions) - 1))
    seat = match.states[end].turn
    assert seat is not None
    world = World(match.states[end].rounds, match.actions[:end])
    other = another_world(world, match.players, seat, Stream(bytes(32), str(label)))
    if other is None:
        reject()

    here = decisions(match.states[: end + 1], seat, playouts=60)
    assert here == decisions(replay(other, match.players), seat, playouts=60)


def test_what_a_rival_hides_is_guessed_to_be_seldom_a_middling_acorn() -> None:
    state = table(["3", "4 (3):1"], ["1 1 1 1", "2 5 -1"], [4, 3], turn=0)
    observation = seen(state, 0) | {"hand": ["1"], "hand_sizes": [1, 3]}
    known, rng = Knowledge(observation, []), dice(3)

    guessed = Counter(FACES[known.guess(rng)[0][1][1].face] for _ in range(2000))

    assert set(guessed) == {"2", "3", "4", "5", "-1", "-2", "loach"}
    assert guessed["-2"] > 2 * guessed["2"]


# Its search


def answer(state: State, playouts: int = 400) -> Action | None:
    assert state.turn is not None
    return decisions([state], state.turn, playouts)


def test_it_claims_six_when_that_wins_the_match() -> None:
    state = table(["4 2:1", "3 1:0"], ["5", "4 -1"], [15, 17], turn=0)

    assert answer(state) == {"type": "claim", "column": 0}


def test_it_does_not_claim_what_leaves_it_behind_in_the_last_round() -> None:
    # Of the columns, the one pays three, and five are needed.
    state = table(["2 1:1", "-2 -1:0"], ["3", "4 loach"], [16, 20], turn=0, end_met=True)

    chosen = answer(state)

    assert chosen is not None
    assert (chosen["type"], chosen.get("card"), chosen["column"]) == ("play", "3", 0)


def test_the_chances_of_a_round_that_is_not_the_last_are_those_of_the_lead() -> None:
    state = table(["4", "2"], ["5", "4"], [12, 8])
    even = table(["4", "2"], ["5", "4"], [10, 10])

    assert chances(truth(state))[0] > chances(truth(even))[0] == 0.5
    assert sum(chances(truth(state))) == pytest.approx(1)


def test_the_chances_of_the_last_round_are_its_places() -> None:
    state = table(["4", "2", "1"], ["5", "4", "3"], [12, 21, 12], end_met=True)

    assert chances(truth(state)) == pytest.approx([0.25, 1, 0.25], abs=0.05)


def test_a_search_without_time_answers_by_its_policy_and_says_so_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    state = table(["4 2:1", "3"], ["5 1", "4 -1"], [4, 4], turn=0)
    match = Match(start(2, 0, move_ms=100))
    bot = Ismcts()
    bot.start(match)
    late = time.monotonic() - SHARE * 100 / 1000

    for _ in range(2):
        assert bot.choose(question([state], 0, match, late)) == {"type": "claim", "column": 0}
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("decision 1 was cut short after 0 playouts of 300: ")


def test_a_search_ends_with_the_time() -> None:
    state = table(["4", "3"], ["5 1 2 3", "4 -1 -1 loach"], [4, 4], turn=0)
    search = Search(Knowledge(seen(state, 0), []), dice(1))
    times = iter([True] * 25)

    search.best(range(1000), lambda: next(times, False), MOST_PLAYOUTS)

    assert search.playouts == 25


@pytest.mark.parametrize("players", [2, 3, 4])
def test_it_plays_a_repeated_match_the_same_way_when_time_does_not_press(players: int) -> None:
    match = random_match(players, 1)
    asked = [state for state in match.states[:-1] if state.turn == 0][:6]

    once, again = ([decisions([state], 0, 200) for state in asked] for _ in range(2))

    assert once == again


# How it does


def seated(bot: Bot) -> Scripted:
    """Return a player that asks ``bot`` as the SDK would."""
    matches: list[Match] = []

    def choose(message: dict[str, Any]) -> dict[str, Any]:
        if not matches:
            matches.append(Match(json.loads(player.heard[1])))
            bot.start(matches[0])
        action = bot.choose(Turn(message, matches[0], time.monotonic()))
        assert isinstance(action, dict)
        return action

    player = Scripted(choose)
    return player


@pytest.mark.parametrize("players", [2, 3, 4])
def test_it_beats_greedy_even_with_few_playouts(players: int) -> None:
    """One of it against a table of greedy, in every seat in turn."""
    beaten = 0.0
    for deal in range(12 // players):
        for seat in range(players):
            bots = [seated(Ismcts(100) if at == seat else Greedy()) for at in range(players)]
            where = Deal(b"samples" + bytes(25), "donburiko", "standard", players, deal)
            played = play(get_game("donburiko"), where, bots, Limits(move_ms=60_000))
            beaten += (players - played.outcome.ranks[seat]) / (players - 1)

    assert beaten >= 0.7 * 12


def faults(players: int, home: Path) -> tuple[object, ...]:
    """Return the faults of a match of the bot with itself, at 100 milliseconds a move."""
    words = ("--move-ms", "100", "--format", "json", *NO_TIER)
    record, _ = Arena(home).run("match", "donburiko", *["ismcts"] * players, *words)
    return decode_record(record.encode()).faults


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3, 4])
def test_it_is_in_time(players: int, tmp_path: Path) -> None:
    assert faults(players, tmp_path / "home") == ()


@pytest.fixture
def loaded() -> Iterator[None]:
    """Twice as many busy processes as there are processors."""
    with ExitStack() as stack:
        for _ in range(2 * (os.cpu_count() or 1)):
            busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
            stack.callback(busy.wait)
            stack.callback(busy.kill)
        yield


@pytest.mark.slow
@pytest.mark.alone
@pytest.mark.usefixtures("loaded")
def test_it_is_in_time_on_a_loaded_machine(tmp_path: Path) -> None:
    for players in (2, 3, 4):
        assert faults(players, tmp_path / str(players)) == ()
