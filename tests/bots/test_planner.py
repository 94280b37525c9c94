"""A bot that searches: its own table is held to the game's rules, its worlds to what it saw.

How it does over many deals is in bots/README.md; here it plays a few.
"""

import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from arena.games.base import Seat
from arena.games.couperation import COUPERATION as GAME
from arena.games.couperation.cards import FINISH as FINISH_CARD
from arena.games.couperation.state import State
from arena.referee.record import decode_record
from arena_bot import Action, Event, Match, Observation, Turn
from bots.planner import (
    AT,
    BRAKE,
    DRAW,
    FINISH,
    GLASS,
    NONE,
    SIZE,
    Judge,
    Memory,
    Move,
    Planner,
    World,
    as_move,
    best_move,
    cards_of,
    chosen,
    look,
    set_of,
)
from tests.command_line import NO_TIER
from tests.games.couperation_tables import (
    Dice,
    do,
    down,
    full_tower,
    opening,
    random_match,
    random_states,
    replay,
    table,
    up,
)
from tests.games.couperation_worlds import another_world
from tests.whole_arena import Arena

NUMBERS = st.integers(0, 2**32)


def plain(value: object) -> Any:
    return msgspec.to_builtins(value)


def moves(state: State) -> list[Move]:
    return [as_move(plain(action)) for action in GAME.legal_actions(state)]


def truth(state: State) -> World:
    """Return ``state`` as the bot would write it down if it saw all cards."""
    world = World(len(state.hands), finish_last=state.variant == "finish")
    for at, laid in enumerate(state.tower):
        if laid is not None:
            card = FINISH if laid.card == FINISH_CARD else laid.card
            world.tower[at] = card if laid.up else -card
            if laid.up:
                world.up |= 1 << card & GLASS
            else:
                world.downs[laid.by or 0] |= 1 << card
    world.reserve, world.removed = set_of(state.reserve), set_of(state.removed)
    world.hands = [set_of(hand) for hand in state.hands]
    deck = reversed(state.dealt[state.taken :])
    world.deck = [FINISH if card == FINISH_CARD else card for card in deck]
    world.front, world.seat, world.phase = state.front, state.seat, state.phase
    world.owed, world.passes = state.owed, state.passes
    return world


def parts(world: World, *but: str) -> dict[str, object]:
    return {name: getattr(world, name) for name in World.__slots__ if name not in but}


# Its table


@given(number=NUMBERS)
def test_its_table_goes_on_as_the_rules_do(number: int) -> None:
    start, actions = random_match(number)
    states = replay(start.dealt, actions, len(start.hands))
    world = truth(start)

    for state, action in zip(states, actions, strict=False):
        assert parts(world) == parts(truth(state))
        assert sorted(world.moves()) == sorted(moves(state))
        world.apply(as_move(plain(action)))
    assert world.over
    assert (world.won, world.score()) == (states[-1].outcome == "won", GAME.scores(states[-1])[0])


@given(number=NUMBERS, most=st.integers(0, 2))
def test_moves_with_few_extra_cards_are_those_of_all_that_pay_so_many(
    number: int, most: int
) -> None:
    for state in random_states(number)[:-1]:
        few = [move for move in moves(state) if move[3].bit_count() <= most]

        assert sorted(truth(state).moves(most)) == sorted(few)


# Its worlds


def seen(state: State, seat: int) -> Observation:
    observation: Observation = plain(GAME.observe(state, Seat(seat)))
    return observation


def events(states: Iterable[State], seat: int) -> list[Event]:
    return [event for state in states for event in plain(GAME.events(state, Seat(seat)))]


def match(state: State, seat: int, move_ms: int = 600_000) -> Match:
    told = {"game": "couperation", "variant": state.variant, "players": len(state.hands)}
    return Match({**told, "seat": seat, "seed": 7, "move_ms": move_ms})


@given(number=NUMBERS, rng=st.randoms(use_true_random=False))
def test_a_world_agrees_with_all_that_the_seat_has_seen(number: int, rng: Random) -> None:
    states = random_states(number)
    memories = [Memory(match(states[0], seat)) for seat in range(len(states[0].hands))]
    for state in states[:-1]:
        for seat, memory in enumerate(memories):
            for event in events([state], seat):
                memory.note(event)
        seat, true = state.seat, truth(state)

        world = memories[seat].world(seen(state, seat), rng)

        if state.phase == "discard":
            assert (world.owed, world.passes) == (true.owed, true.passes)
        hidden = ("deck", "downs", "hands", "owed", "passes", "tower")
        assert parts(world, *hidden) == parts(true, *hidden)
        assert (world.hands[seat], world.downs[seat]) == (true.hands[seat], true.downs[seat])
        assert tower_seen(world, seat) == tower_seen(true, seat)
        assert sizes(world) == sizes(true)
        assert all_glass(world) == list(range(1, 51))
        for known, hand in zip(memories[seat].known, true.hands, strict=True):
            assert known & ~hand == 0
        if FINISH in world.deck:
            # The lower half of the deck as it was dealt.
            assert world.deck.index(FINISH) <= (41 - 2 * world.players) // 2


def tower_seen(world: World, seat: int) -> list[int]:
    return [
        card if card >= 0 or 1 << -card & world.downs[seat] else -FINISH for card in world.tower
    ]


def sizes(world: World) -> tuple[int, list[int], list[int]]:
    hands = [hand.bit_count() for hand in world.hands]
    return len(world.deck), hands, [cards.bit_count() for cards in world.downs]


def all_glass(world: World) -> list[int]:
    laid = [abs(card) for card in world.tower[:SIZE] if card and card != FINISH]
    sets = [world.reserve, world.removed, *world.hands]
    deck = [card for card in world.deck if card != FINISH]
    return sorted([*laid, *deck, *(card for cards in sets for card in cards_of(cards))])


def test_a_card_that_was_taken_up_for_all_to_see_is_known_until_it_is_used() -> None:
    memory = Memory(match(opening(0, 3, "standard"), 0))
    reserve = {"type": "reserve", "seat": 1, "pair": [2, 9], "extra": [], "take": 11, "row": 0}
    hidden = {"type": "place", "seat": 1, "card": None, "row": 0, "slot": 2, "up": False}

    memory.note(reserve | {"slot": 1, "replaced": 12})
    memory.note(reserve | {"seat": 2, "slot": 0, "replaced": None})
    assert memory.known == [0, 1 << 12, 0]
    memory.note({"type": "discard", "seat": 1, "card": 30})
    assert memory.known == [0, 1 << 12, 0]
    memory.note(hidden)
    assert memory.known == [0, 0, 0]


# Its judgement


def judge(state: State) -> Judge:
    return Judge(truth(state))


def place(card: int, row: int, slot: int) -> Move:
    return card, AT[row, slot], 0, 0


@pytest.mark.parametrize(("card", "best"), [(3, 0), (22, 2), (28, 4), (48, 6)])
def test_it_thinks_most_of_the_slot_that_leaves_room_on_both_sides(card: int, best: int) -> None:
    state = table(tower={(0, 3): up(25, by=None)}, hands=((card,), (2, 4, 49)), deck=range(5, 22))
    fitting = range(3) if card < 25 else range(4, 7)

    assert max(fitting, key=lambda slot: judge(state).value(place(card, 0, slot))) == best


def test_a_win_is_worth_all_cards() -> None:
    state = table(tower=full_tower({(6, 0): None}), hands=((27, 28), (5,)))
    value, move = best_move(truth(state))

    assert (value, move[1:]) == (SIZE, (AT[6, 0], 0, 0))


@given(number=NUMBERS, rng=st.randoms(use_true_random=False))
@settings(max_examples=20)
def test_a_judgement_is_the_same_in_all_worlds_of_a_seat(number: int, rng: Random) -> None:
    for state in random_states(number)[:-1:5]:
        memory = Memory(match(state, state.seat))
        first, second = (memory.world(seen(state, state.seat), rng) for _ in range(2))
        # What is taken up from under another seat's card is not known before.
        for world in (first, second):
            world.owed = 0

        assert [Judge(first).value(move) for move in moves(state)] == [
            Judge(second).value(move) for move in moves(state)
        ]


# Its search


def question(states: Sequence[State], seat: int, of: Match, asked: float | None = None) -> Turn:
    message = {
        "observation": seen(states[-1], seat),
        "events": events(states, seat),
        "legal_actions": plain(GAME.legal_actions(states[-1])),
    }
    return Turn(message, of, time.monotonic() if asked is None else asked)


def decision(states: Sequence[State], move_ms: int = 600_000, late_ms: float = 0) -> Action:
    """Return what the bot does in the last of ``states``."""
    bot, seat = Planner(), states[-1].seat
    bot.start(of := match(states[0], seat, move_ms))
    return bot.choose(question(states, seat, of, time.monotonic() - late_ms / 1000))


@given(number=NUMBERS, data=st.data())
@settings(max_examples=10)
def test_what_a_seat_cannot_see_decides_nothing(number: int, data: st.DataObject) -> None:
    start, actions = random_match(number)
    end, players = data.draw(st.integers(0, len(actions) - 1)), len(start.hands)
    states = replay(start.dealt, actions[:end], players)
    other = another_world(start.dealt, actions[:end], players, states[-1].seat, Dice(str(number)))
    if other is None:
        reject()

    assert decision(states) == decision(replay(*other, players))


def test_it_draws_first_so_that_it_can_choose() -> None:
    assert decision([opening(1, 2, "standard")]) == {"type": "draw", "count": 1}
    assert as_move({"type": "draw", "count": 1}) == (1, DRAW, 0, 0)


def test_it_lays_the_last_card() -> None:
    state = table(tower=full_tower({(6, 0): None}), hands=((3, 26), (5, 28)), deck=(8,))

    assert decision([state]) == {"type": "place", "card": 26, "row": 6, "slot": 0, "up": True}


def test_it_takes_a_card_up_that_lies_face_down() -> None:
    state = table(
        tower=full_tower({(6, 0): down(50, by=1)}), hands=((3, 20), (5,)), reserve=(1, 23)
    )

    chosen = decision([state])

    assert (chosen["type"], chosen["take"], chosen["row"]) == ("reserve", 23, 6)


def test_it_keeps_the_top_for_a_partner_who_has_the_finish_card() -> None:
    # The one alternative to filling the top is to exchange a card in the bottom row.
    state = table(
        tower=full_tower({(6, 0): None}), hands=((11, 16), ()), reserve=(1, 5), front=1,
        variant="finish",
    )  # fmt: skip

    assert decision([state])["type"] == "reserve"


def test_a_search_that_is_late_answers_by_what_it_has_seen_so_far(
    capsys: pytest.CaptureFixture[str],
) -> None:
    states = random_states(11)[:6]
    world, (first, *_) = truth(states[-1]), sorted(moves(states[-1]))
    valued = [(2.0, first), (1.0, best_move(world)[1])]

    assert chosen(valued, iter([world] * 9), 90, lambda: True) == first
    assert decision(states, 100, late_ms=BRAKE * 100) in plain(GAME.legal_actions(states[-1]))
    assert "a search was cut short" in capsys.readouterr().out


def test_a_look_goes_once_around_the_table_and_no_further_than_the_end() -> None:
    won = table(tower=full_tower({(6, 0): None}), hands=((26,), (5,)))
    world = truth(won)

    assert look(world, place(26, 6, 0)) == SIZE
    assert world.over


def test_slots_beside_the_tower_set_no_limit_and_hold_no_card() -> None:
    assert World(2, finish_last=False).tower[NONE] == -FINISH


# How it does


def score(number: int, players: int) -> int:
    """Return what a team of it scores on a deal with a few looks for each decision."""
    state = opening(number, players, "standard")
    bots, matches = [Planner(12) for _ in range(players)], [match(state, s) for s in range(players)]
    for bot, its in zip(bots, matches, strict=True):
        bot.start(its)
    unheard = [list[State]() for _ in bots]
    while (seat := GAME.to_act(state)) is not None:
        for states in unheard:
            states.append(state)
        action = bots[seat].choose(question(unheard[seat], seat, matches[seat]))
        unheard[seat] = []
        state = do(state, msgspec.convert(action, GAME.action_type))
    return GAME.scores(state)[0]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_team_of_it_builds_almost_all_of_the_tower(players: int) -> None:
    deals = 4

    assert sum(score(number, players) for number in range(deals)) / deals >= 26


@pytest.mark.slow
def test_it_is_never_late(tmp_path: Path) -> None:
    arena = Arena(tmp_path / "home")
    for variant in GAME.variants:
        words = ("planner", "planner", "planner", "--variant", variant, "--move-ms", "100")
        record, _ = arena.run("match", "couperation", *words, *NO_TIER, "-f", "json")

        assert decode_record(record.encode()).faults == ()
