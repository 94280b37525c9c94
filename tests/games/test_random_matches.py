"""Whole random matches of every game, count of players and variant, with what must always hold."""

from collections import Counter
from typing import Any

import pytest

from arena.games import BUILT_IN
from arena.games.base import AnyGame
from arena.games.couperation.cards import FINISH
from arena.games.couperation.state import State as CouperationState
from arena.games.deal import Deal, DealtChance
from arena.games.donburiko.cards import deck as donburiko_deck
from arena.games.donburiko.state import State as DonburikoState

KEY = bytes(32)
MATCHES = [
    (game, variant, players)
    for game in BUILT_IN
    for variant in game.variants
    for players in game.player_counts
]
IDS = [f"{game.name}-{variant}-{players}p" for game, variant, players in MATCHES]


def check_donburiko(state: DonburikoState) -> None:
    """50 tokens, and every card of the round in one place, but for those of claimed columns."""
    columns = [column for column in state.columns if column is not None]
    assert state.bank + sum(state.tokens) + sum(column.tokens for column in columns) == 50
    assert min(state.bank, *state.tokens) >= 0
    cards = Counter(state.set_aside)
    for hand in state.hands:
        cards.update(hand)
    for column in columns:
        cards.update(placed.face for placed in column.cards)
    assert cards <= Counter(donburiko_deck(len(state.tokens)))
    if None not in state.columns:
        assert cards.total() == len(state.rounds[-1])


def check_couperation(state: CouperationState) -> None:
    """Cards 1 to 50, and the Finish card of its variant, each in one place."""
    cards: list[Any] = [*state.dealt[state.taken :], *state.reserve, *state.removed]
    for hand in state.hands:
        cards += hand
    cards += [laid.card for laid in state.tower if laid is not None]
    if state.front is not None:
        cards.append(FINISH)
    expected: list[Any] = [*range(1, 51), *([FINISH] if state.variant == "finish" else [])]
    assert sorted(cards, key=str) == sorted(expected, key=str)


CHECKS: dict[str, Any] = {"donburiko": check_donburiko, "couperation": check_couperation}


def play_random(game: AnyGame, variant: str, players: int, number: int) -> int:
    """Play deal ``number`` at random and replay it, checking every state; return the turns."""
    deal = Deal(KEY, game.name, variant, players, number)
    chance, picks = DealtChance(deal), deal.stream("test")
    state = game.deal(chance, players, variant)
    actions = []
    while game.to_act(state) is not None:
        CHECKS[game.name](state)
        legal = game.legal_actions(state)
        actions.append(legal[picks.below(len(legal))])
        state = game.apply(state, actions[-1], chance)
    CHECKS[game.name](state)
    assert game.legal_actions(state) == ()
    assert game.reason(state)
    recorded = game.chance_of(game.cards(state), players, variant)
    again = game.deal(recorded, players, variant)
    for action in actions:
        again = game.apply(again, action, recorded)
    assert again == state
    return len(actions)


@pytest.mark.parametrize(("game", "variant", "players"), MATCHES, ids=IDS)
def test_random_matches_keep_all_cards_and_tokens_and_replay(
    game: AnyGame, variant: str, players: int
) -> None:
    for number in range(12):
        play_random(game, variant, players, number)


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("game", "variant", "players"), MATCHES, ids=IDS)
def test_ten_thousand_random_matches(game: AnyGame, variant: str, players: int) -> None:
    turns = [play_random(game, variant, players, number) for number in range(10_000)]

    print(f"{game.name} {variant} {players}: {sum(turns)} decisions, longest {max(turns)}")  # noqa: T201
    if game.name == "couperation":
        # Each place or reserve lowers the cards in deck and hands; a discard follows a draw.
        assert max(turns) < 200
