"""Small games of other libraries, played in process by agents that take no time to choose.

Each is there if its package is; arena needs none of them::

    python3.11 -m venv /tmp/peers
    /tmp/peers/bin/pip install --editable . open_spiel pettingzoo kaggle-environments
    /tmp/peers/bin/python bench/peers.py
"""

import contextlib
import io
import logging
import random
import warnings
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any

Play = Callable[[int], int]
"""(moves) -> the moves that were played in whole matches: so many, or a few more."""

_DICE = random.Random(1)  # noqa: S311 - dice of a benchmark


def open_spiel(game: str) -> Play:
    """Return random play of an OpenSpiel game, with the chance that its chance node has."""
    loaded = import_module("pyspiel").load_game(game)

    def play(moves: int) -> int:
        done = 0
        while done < moves:
            state = loaded.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    outcomes = state.chance_outcomes()
                    state.apply_action(outcomes[int(_DICE.random() * len(outcomes))][0])
                else:
                    legal = state.legal_actions()
                    state.apply_action(legal[int(_DICE.random() * len(legal))])
                    done += 1
        return done

    return play


def petting_zoo(module: str) -> Play:
    """Return random play of a classic PettingZoo environment, observations included."""
    table = import_module(f"pettingzoo.classic.{module}").env()

    def play(moves: int) -> int:
        done = 0
        while done < moves:
            table.reset(seed=done)
            for _ in table.agent_iter():
                seen, _, ended, cut, _ = table.last()
                if ended or cut:
                    table.step(None)
                    continue
                legal = seen["action_mask"].nonzero()[0]
                table.step(int(legal[int(_DICE.random() * len(legal))]))
                done += 1
        return done

    return play


def kaggle(game: str, seats: int, agent: Callable[[Any, Any], int]) -> Play:
    """Return matches of a Kaggle environment between agents that are functions."""
    table = import_module("kaggle_environments").make(game)

    def play(moves: int) -> int:
        done = 0
        while done < moves:
            table.reset()
            steps = table.run([agent] * seats)
            done += sum(seat["status"] == "ACTIVE" for step in steps[:-1] for seat in step)
        return done

    return play


def _first_column(seen: Any, rules: Any) -> int:  # noqa: ANN401 - theirs, untyped
    return next(column for column in range(rules.columns) if not seen.board[column])


CARDS: Mapping[str, Callable[[], Play]] = {
    "OpenSpiel leduc_poker": lambda: open_spiel("leduc_poker"),
    "PettingZoo leduc_holdem": lambda: petting_zoo("leduc_holdem_v4"),
}
"""Games with cards."""

BOARDS: Mapping[str, Callable[[], Play]] = {
    "PettingZoo tictactoe": lambda: petting_zoo("tictactoe_v3"),
    "PettingZoo connect_four": lambda: petting_zoo("connect_four_v3"),
}
RUNNERS: Mapping[str, Callable[[], Play]] = {
    "kaggle-environments rps": lambda: kaggle("rps", 2, lambda _seen, _rules: 0),
    "kaggle-environments connectx": lambda: kaggle("connectx", 2, _first_column),
}
"""Peers that run matches between agents, as arena does."""


def installed(games: Mapping[str, Callable[[], Play]]) -> Iterator[tuple[str, Play]]:
    """Yield those of ``games`` that can be played here, and say of the others that they cannot."""
    for name, make in games.items():
        logging.disable()
        # They greet, and complain of each other, on both streams.
        quiet = io.StringIO()
        try:
            with (
                warnings.catch_warnings(),
                contextlib.redirect_stdout(quiet),
                contextlib.redirect_stderr(quiet),
            ):
                warnings.simplefilter("ignore")
                made = make()
        except ImportError as error:
            print(f"  {name}: not installed ({error.name})")
        else:
            yield name, made
        finally:
            logging.disable(logging.NOTSET)
