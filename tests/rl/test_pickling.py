"""Environments that are sent to other processes, or kept, with whatever is on their tables."""

import copy
import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest

from arena.games.deal import Stream
from arena.rl import couperation, donburiko
from arena.rl.environment import Environment, Maker

KEY = b"\x21" * 32
MAKERS = {
    f"{module.__name__.rpartition('.')[2]}-{kind}": getattr(module, kind)
    for module in (donburiko, couperation)
    for kind in ("env", "raw_env")
}
each = pytest.mark.parametrize(
    "make", [pytest.param(make, id=name) for name, make in MAKERS.items()]
)
Row = tuple[Any, ...]


def played(env: Environment, dice: Stream, turns: int | None = None) -> list[Row]:
    """Play ``env`` at random for so many turns, or until all are done; return all that was seen."""
    rows: list[Row] = []
    while env.agents and len(rows) != turns:
        seen, reward, done, _, info = env.last()
        legal = np.flatnonzero(seen["action_mask"])
        number = None if done else int(legal[dice.below(len(legal))])
        row = (env.agent_selection, seen["observation"].tobytes(), env.state().tobytes())
        rows.append((*row, reward, done, info, number))
        env.step(number)
    return rows


def rest(env: Environment, dice: Stream) -> list[Row]:
    """Return all that is seen in the rest of this match of ``env``, and in all of the next."""
    rows = played(env, dice)
    env.reset()
    return rows + played(env, dice)


def copied(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))  # noqa: S301 - our own


@each
def test_before_a_reset_there_is_nothing_in_it_but_what_it_was_made_of(make: Maker) -> None:
    env = make(3, observations="flat", key=KEY)
    again = copied(env)

    assert again.unwrapped.encoding is env.unwrapped.encoding
    assert again.observation_space("seat_1") == env.observation_space("seat_1")
    with pytest.raises(AttributeError, match="agents cannot be accessed before reset"):
        again.agents  # noqa: B018 - it is what is tried
    for one in (env, again):
        one.reset(seed=4)
    assert rest(env, Stream(KEY, "dice")) == rest(again, Stream(KEY, "dice"))


@each
@pytest.mark.parametrize("turns", [0, 1, 11, None])
@pytest.mark.parametrize("copying", [copied, copy.deepcopy])
def test_it_goes_on_in_the_same_way(make: Maker, turns: int | None, copying: Any) -> None:
    env, dice = make(2), Stream(KEY, "dice")
    env.reset()
    assert turns == 0 or played(env, dice, turns)

    again, same_dice = copying((env, dice))

    assert again.unwrapped.deal == env.unwrapped.deal
    assert rest(again, same_dice) == rest(env, dice)


@each
def test_what_is_copied_goes_on_by_itself(make: Maker) -> None:
    env = make(2)
    env.reset(seed=1)
    played(env, Stream(KEY, "dice"), 3)
    before, again = env.state(), copied(env)

    played(again, Stream(KEY, "other dice"))

    assert np.array_equal(env.state(), before)


def test_a_process_that_is_spawned_plays_on() -> None:
    dice = Stream(KEY, "dice")
    envs = [make(3, rewards="score") for make in MAKERS.values()]
    for env in envs:
        env.reset(seed=2)
        played(env, dice, 5)

    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        there = [pool.submit(rest, env, dice) for env in envs]
        found = [one.result(timeout=120) for one in there]

    assert found == [rest(env, copied(dice)) for env in envs]
