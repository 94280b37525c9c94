"""All that a game would send to one seat, as bytes: what must not depend on hidden cards."""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from arena.errors import IllegalAction
from arena.games.base import AnyGame, Chance, Seat

_encode = msgspec.json.Encoder().encode


def sent(game: AnyGame, states: Iterable[Any], seat: Seat) -> list[bytes]:
    """Return what ``seat`` may see of each state: observation, events, and on its turn choices.

    That is more than a bot is asked to look at: it is sent observations on its own turns only.
    """
    return [
        _encode(
            [
                game.observe(state, seat),
                game.events(state, seat),
                game.legal_actions(state) if game.to_act(state) == seat else None,
                game.scores(state),
            ]
        )
        for state in states
    ]


def refusals(
    game: AnyGame, states: Iterable[Any], seat: Seat, tries: Sequence[Any], chance: Chance
) -> list[list[str | None]]:
    """Return what ``seat`` would be told of each of ``tries`` at each of its turns.

    ``None`` stands for an action that is legal.
    """
    return [
        [_refusal(game, state, action, chance) for action in tries]
        for state in states
        if game.to_act(state) == seat
    ]


def _refusal(game: AnyGame, state: Any, action: Any, chance: Chance) -> str | None:
    try:
        game.apply(state, action, chance)
    except IllegalAction as refused:
        return str(refused)
    return None
