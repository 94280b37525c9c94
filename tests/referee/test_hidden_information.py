"""No byte that a seat is sent depends on a card that it never came to know.

A match is played twice through the referee: as it was, and in another world, whose cards differ
where the seat cannot know them (`tests.games.*_worlds` draws those without asking `observe`). All
lines that the seat is sent have to be equal: observations, events, legal actions, error texts,
their order and their number.
"""

import contextlib
import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import msgspec
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from arena.errors import IllegalAction, RecordError
from arena.games import get_game
from arena.games.base import AnyGame, Public, Seat
from arena.games.couperation.cards import FINISH
from arena.games.couperation.chance import Cards as CouperationCards
from arena.games.deal import Deal, Stream
from arena.games.donburiko.chance import Cards as DonburikoCards
from arena.players.scripted import Scripted
from arena.referee.limits import Limits
from arena.referee.play import play
from tests.games import couperation_tables, couperation_worlds, donburiko_tables, donburiko_worlds

KEY = bytes(32)


class World(NamedTuple):
    """The beginning of a match: its chance, and what was done."""

    game: AnyGame
    variant: str
    players: int
    cards: Any
    actions: tuple[Any, ...]
    tries: tuple[Public, ...]
    """Actions, most of them illegal, that depend on no card."""


class _Over(Exception):
    """The history has been played."""


def pinned(world: World, game: AnyGame) -> AnyGame:
    """Return ``game`` with the chance of ``world`` instead of a key's."""
    chance = world.game.chance_of(world.cards, world.players, world.variant)
    return replace(
        game,
        deal=lambda _, players, variant: game.deal(chance, players, variant),
        apply=lambda state, action, _: game.apply(state, action, chance),
    )


def heard(world: World, seat: int, attempt: int, game: AnyGame | None = None) -> list[bytes]:
    """Return all lines that ``seat`` is sent while the history of ``world`` is played.

    Args:
        world: what is played.
        seat: who listens.
        attempt: which of the tries it makes at the turn after the history, if that is its own.
        game: instead of the world's, one with a leak.
    """
    rules = pinned(world, game or world.game)
    coming = iter(world.actions)
    state = rules.deal(None, world.players, world.variant)  # type: ignore[arg-type]

    def chooser(own: int) -> Callable[[dict[str, Any]], dict[str, Any]]:
        def choose(message: dict[str, Any]) -> dict[str, Any]:
            nonlocal state
            action = next(coming, None)
            if action is None:
                action = world.tries[attempt % len(world.tries)]
                if own != seat or action in rules.legal_actions(state):
                    raise _Over
            else:
                state = rules.apply(state, action, None)  # type: ignore[arg-type]
            chosen: dict[str, Any] = msgspec.to_builtins(action)
            return chosen

        return choose

    players = [Scripted(chooser(own)) for own in range(world.players)]
    deal = Deal(KEY, world.game.name, world.variant, world.players, 0)
    # The house may play on for a seat at fault, into a round that the history does not have.
    with contextlib.suppress(_Over, RecordError):
        play(rules, deal, players, Limits())
    return players[seat].heard


Pair = tuple[World, World | None]


def donburiko(number: int, seat: int, length: int) -> Pair:
    match = donburiko_tables.random_match(2 + number % 3, number)
    states = match.states[: length % len(match.states) + 1]
    before = donburiko_worlds.World(states[-1].rounds, match.actions[: len(states) - 1])
    stream = Stream(KEY, f"world-{number}-{seat}")
    other = donburiko_worlds.another_world(
        before, match.players, Seat(seat % match.players), stream
    )

    def world(drawn: donburiko_worlds.World) -> World:
        return World(
            game=get_game("donburiko"),
            variant="standard",
            players=match.players,
            cards=DonburikoCards(rounds=drawn.rounds),
            actions=drawn.actions,
            tries=tuple(donburiko_tables.all_actions()),
        )

    return world(before), other and world(other)


def couperation(number: int, seat: int, length: int) -> Pair:
    start, actions = couperation_tables.random_match(number)
    actions = actions[: length % (len(actions) + 1)]
    players = len(start.hands)
    dice = couperation_tables.Dice(f"world-{number}-{seat}")
    other = couperation_worlds.another_world(start.dealt, actions, players, seat % players, dice)

    def world(deck: couperation_tables.Deck, done: couperation_tables.Actions) -> World:
        return World(
            game=get_game("couperation"),
            variant="finish" if FINISH in start.dealt else "standard",
            players=players,
            cards=CouperationCards(deck=deck),
            actions=done,
            tries=tuple(couperation_tables.random_tries(dice_of_tries, range(2, 50), 40)),
        )

    dice_of_tries = couperation_tables.Dice("tries")
    first = world(start.dealt, actions)
    return first, other and first._replace(cards=CouperationCards(deck=other[0]), actions=other[1])


GAMES: dict[str, Callable[[int, int, int], Pair]] = {
    "donburiko": donburiko,
    "couperation": couperation,
}


@pytest.mark.parametrize("name", GAMES)
@given(
    number=st.integers(0, 10**6),
    seat=st.integers(0, 3),
    length=st.integers(0, 80),
    attempt=st.integers(0, 10**3),
)
def test_every_line_is_the_same_in_another_world(
    name: str, number: int, seat: int, length: int, attempt: int
) -> None:
    world, other = GAMES[name](number, seat, length)
    if other is None:
        reject()
    own = seat % world.players

    assert heard(other, own, attempt) == heard(world, own, attempt)


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", GAMES)
def test_ten_thousand_worlds_of_each_game(name: str) -> None:
    compared: Counter[tuple[str, int]] = Counter()
    number = 0
    while sum(compared.values()) < 10_000:
        number += 1
        world, other = GAMES[name](number, number // 7, number * 31)
        if other is not None:
            own = number // 7 % world.players
            assert heard(other, own, number) == heard(world, own, number), number
            compared[world.variant, world.players] += 1

    print(name, dict(compared), "of", number)  # noqa: T201 - the figures of the long profile
    assert min(compared.values()) > 100


def leaks(game: AnyGame) -> dict[str, AnyGame]:
    """Return ``game`` with a leak of what is hidden in each channel, by its name."""
    encode = msgspec.json.encode

    def secret(state: Any) -> int:
        return zlib.crc32(encode(game.cards(state)))

    def observe(state: Any, seat: Seat) -> Any:
        return {"leak": secret(state)}

    def events(state: Any, seat: Seat) -> Any:
        return (*game.events(state, seat), {"leak": secret(state)})

    def order(state: Any) -> tuple[Any, ...]:
        legal = game.legal_actions(state)
        turn = secret(state) % max(1, len(legal))
        return legal[turn:] + legal[:turn]

    def length(state: Any) -> tuple[Any, ...]:
        legal = game.legal_actions(state)
        return legal[: max(1, len(legal) - secret(state) % 2)]

    def refuse(state: Any, action: Any, chance: Any) -> Any:
        try:
            return game.apply(state, action, chance)
        except IllegalAction as error:
            raise IllegalAction(f"{error} {secret(state)}") from None

    return {
        "observation": replace(game, observe=observe),
        "events": replace(game, events=events),
        "order of legal actions": replace(game, legal_actions=order),
        "number of legal actions": replace(game, legal_actions=length),
        "error text": replace(game, apply=refuse),
        "scores at the end": replace(
            game, scores=lambda state: tuple(secret(state) for _ in game.scores(state))
        ),
    }


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("channel", leaks(get_game("donburiko")))
def test_a_leak_in_any_channel_would_be_found(name: str, channel: str) -> None:
    """Without this, the comparison above could look past a channel."""
    found = compared = 0
    for number in range(60):
        world, other = GAMES[name](number, number, 79 if channel.startswith("scores") else number)
        if other is None:
            continue
        own = number % world.players
        leaky = leaks(world.game)[channel]
        compared += 1
        try:
            found += heard(other, own, number, leaky) != heard(world, own, number, leaky)
        except AssertionError:
            found += 1

    assert compared >= 10
    assert found >= 1
