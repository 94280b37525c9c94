import hashlib
import inspect
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test, seed_test
from pettingzoo.utils import aec_to_parallel, turn_based_aec_to_parallel
from pettingzoo.utils.wrappers import OrderEnforcingWrapper, TerminateIllegalWrapper

from arena.games.base import Kind
from arena.games.deal import Deal, Stream
from arena.players.scripted import Scripted
from arena.referee.limits import Limits
from arena.referee.play import Played, play
from arena.rl import couperation, donburiko
from arena.rl.environment import Environment, key_of_seed
from arena.tournament.suite import find_suite

MODULES = {"donburiko": donburiko, "couperation": couperation}
EVERY = [
    pytest.param(name, players, id=f"{name}-{players}p")
    for name, module in MODULES.items()
    for players in module.encoding(2).game.player_counts
]
each = pytest.mark.parametrize(("name", "players"), EVERY)
KEY = b"\x21" * 32

# PettingZoo knows by name which of its own environments observe dicts with a mask, and warns of
# all others; and of the mask of an agent that is done.
masked = pytest.mark.filterwarnings(
    "ignore:Observation is not a NumPy array",
    "ignore:Observation space for each agent probably should be",
    "ignore:Action mask numpy array is all zeros",
)


def made(name: str, *words: Any, **options: Any) -> Environment:
    env: Environment = MODULES[name].env(*words, **options)
    return env


def random_turns(env: Environment, dice: Stream) -> Iterator[tuple[str, Any, int]]:
    """Play ``env`` at random to its end; yield agent, observation and number at each turn.

    It is yielded before the action is taken.
    """
    for agent in env.agent_iter():
        seen, _, done, _, _ = env.last()
        if done:
            return
        legal = np.flatnonzero(seen["action_mask"])
        number = int(legal[dice.below(len(legal))])
        yield agent, seen, number
        env.step(number)


def to_the_end(env: Environment, dice: Stream | None = None) -> Environment:
    for _ in random_turns(env, dice or Stream(KEY, "dice")):
        pass
    return env


# PettingZoo's own tests


@masked
@each
@pytest.mark.parametrize("observations", ["flat", "named"])
def test_it_passes_the_test_of_the_api(name: str, players: int, observations: str) -> None:
    api_test(made(name, players, observations=observations), num_cycles=120)


@each
def test_it_passes_the_test_of_seeds(name: str, players: int) -> None:
    seed_test(lambda: made(name, players), num_cycles=60)


@masked
@pytest.mark.parametrize("name", MODULES)
def test_it_is_turn_based_and_converted_to_a_parallel_one_as_such(name: str) -> None:
    """So `max_cycles_test`, which is of parallel environments, does not apply."""
    parallel = turn_based_aec_to_parallel(made(name))

    parallel_api_test(parallel, num_cycles=60)
    with pytest.raises(AssertionError, match="not generally safe"):
        aec_to_parallel(made(name))


# It is the same game


def refereed(env: Environment, turns: list[tuple[str, Any]]) -> tuple[Played, list[Scripted]]:
    """Return what the referee makes of the deal of ``env`` and of actions, and who heard what."""
    by_agent: dict[str, list[Any]] = {agent: [] for agent in env.possible_agents}
    for agent, action in turns:
        by_agent[agent].append(msgspec.to_builtins(action))

    def of(actions: list[Any]) -> Callable[[dict[str, Any]], dict[str, Any]]:
        return lambda _message: dict(actions.pop(0))

    players = [Scripted(of(actions)) for actions in by_agent.values()]
    return play(env.encoding.game, env.unwrapped.deal, players, Limits()), players


def heard(players: list[Scripted], kind: str) -> list[list[Any]]:
    """Return the messages of a kind that each seat was sent."""
    messages = ([msgspec.json.decode(line) for line in one.heard] for one in players)
    return [[message for message in its if message["type"] == kind] for its in messages]


@each
@pytest.mark.parametrize("deal", range(3))
def test_a_random_match_comes_to_what_the_referee_makes_of_it(
    name: str, players: int, deal: int
) -> None:
    env = made(name, players, MODULES[name].encoding(2).game.variants[deal % -2], KEY)
    game, encoding = env.encoding.game, env.encoding
    env.reset(options={"deal": deal})
    rows, actions = [], []
    for agent, seen, number in random_turns(env, Stream(KEY, f"dice-{deal}")):
        rows.append((agent, seen, env.infos[agent]["events"]))
        actions.append((agent, encoding.action(number, env.unwrapped.seen(agent))))

    played, seats = refereed(env, actions)

    assert played.faults == ()
    assert [msgspec.json.decode(one.action, type=game.action_type) for one in played.actions] == [
        action for _, action in actions
    ]
    for agent, last in zip(env.possible_agents, heard(seats, "end"), strict=True):
        info = env.infos[agent]
        assert (info["scores"], info["ranks"]) == (played.outcome.scores, played.outcome.ranks)
        assert info["reason"] == played.outcome.reason
        assert info["events"] == typed(last[0]["events"], several(game.event_type))
    asked = {
        agent: iter(its)
        for agent, its in zip(env.possible_agents, heard(seats, "act"), strict=True)
    }
    for agent, seen, events in rows:
        question = next(asked[agent])
        sent = typed(question["observation"], game.observation_type)
        legal = typed(question["legal_actions"], several(game.action_type))
        numbers = sorted(encoding.index(action, sent) for action in legal)
        assert np.array_equal(seen["observation"], encoding.layout.flat(encoding.named(sent)))
        assert np.flatnonzero(seen["action_mask"]).tolist() == numbers
        assert events == typed(question["events"], several(game.event_type))


def typed(plain: Any, wanted: Any) -> Any:
    """Return plain JSON data as values of the game."""
    return msgspec.convert(plain, wanted)


def several(one: Any) -> Any:
    return tuple[one, ...]


@each
def test_named_and_flat_observations_are_the_same(name: str, players: int) -> None:
    flat, named = (made(name, players, observations=kind) for kind in ("flat", "named"))
    for env in (flat, named):
        env.reset(seed=3)

    pairs = zip(
        random_turns(flat, Stream(KEY, "dice")),
        random_turns(named, Stream(KEY, "dice")),
        strict=True,
    )

    for (_, one, number), (_, other, same) in pairs:
        assert number == same
        row = flat.encoding.layout.flat(other["observation"])
        assert np.array_equal(one["observation"], row)


def test_a_seat_that_is_not_to_act_sees_the_table_too_and_may_do_nothing() -> None:
    env = made("donburiko", 3)
    env.reset(seed=0)

    other = env.observe("seat_2")

    assert env.agent_selection == "seat_0"
    assert not other["action_mask"].any()
    assert other["observation"][3:6].tolist() == [0, 1, 0]  # the turn is the next seat's but one


@each
def test_the_state_is_what_all_seats_know(name: str, players: int) -> None:
    env = made(name, players)
    env.reset(seed=2)

    for agent, seen, _ in random_turns(env, Stream(KEY, "dice")):
        parts = np.split(env.state(), players)
        assert env.state_space.contains(env.state())
        assert np.array_equal(parts[env.possible_agents.index(agent)], seen["observation"])


# Rewards


@pytest.mark.parametrize("players", [2, 3, 4])
def test_ranks_are_worth_from_one_to_minus_one_in_donburiko(players: int) -> None:
    for seed in range(4):
        env = made("donburiko", players)
        env.reset(seed=seed)
        for _ in random_turns(env, Stream(KEY, f"dice-{seed}")):
            assert set(env.rewards.values()) == {0.0}
        rewards, ranks = list(env.rewards.values()), env.infos["seat_0"]["ranks"]
        assert sum(rewards) == pytest.approx(0)
        assert sorted(rewards, reverse=True) == [
            reward for _, reward in sorted(zip(ranks, rewards, strict=True))
        ]
        if ranks.count(1) == 1:
            assert rewards[ranks.index(1)] == 1.0


def test_the_score_is_worth_up_to_one_in_couperation() -> None:
    env = made("couperation", 3)
    env.reset(seed=0)
    to_the_end(env)

    (score, *_) = env.infos["seat_0"]["scores"]
    assert list(env.rewards.values()) == [score / 28] * 3


@each
def test_scores_sum_up_to_how_much_they_changed(name: str, players: int) -> None:
    env = made(name, players, rewards="score")
    env.reset(seed=5)
    total = np.zeros(players)
    for _ in random_turns(env, Stream(KEY, "dice")):
        total += list(env.rewards.values())
    total += list(env.rewards.values())

    game = env.encoding.game
    first = 1 if game.kind is Kind.COOPERATIVE else {2: 4, 3: 4, 4: 3}[players]
    assert (total + first).tolist() == list(env.infos["seat_0"]["scores"])


# Actions


def test_what_is_not_legal_is_refused_and_changes_nothing() -> None:
    env = made("donburiko")
    env.reset(seed=0)
    before = env.last()[0]

    for number in (33, -1, 10**6, None):
        with pytest.raises(ValueError, match=f"seat_0 may not do {number}: its action_mask"):
            env.step(number)
    with pytest.raises(TypeError, match=r"^action is of type float, and has to be a whole number$"):
        env.step(0.5)  # type: ignore[arg-type]

    assert np.array_equal(env.last()[0]["observation"], before["observation"])
    assert env.agent_selection == "seat_0"


def test_it_can_be_made_a_loss() -> None:
    env = TerminateIllegalWrapper(donburiko.raw_env(), illegal_reward=-1)
    env.reset(seed=0)

    env.step(33)

    assert all(env.terminations.values())
    assert env.rewards["seat_0"] == -1


def test_it_has_to_be_reset_before_it_is_used() -> None:
    with pytest.raises(AttributeError, match="cannot be accessed before reset"):
        made("donburiko").agent_selection  # noqa: B018 - it is what is tried
    with pytest.raises(AssertionError, match=r"reset\(\) needs to be called before state"):
        made("donburiko").state()


@pytest.mark.parametrize(
    ("call", "words"),
    [("state", ()), ("observe", ("seat_0",)), ("seen", ("seat_0",)), ("step", (0,))],
)
def test_without_the_check_it_says_so_itself(call: str, words: tuple[Any, ...]) -> None:
    refused = made("donburiko")
    with pytest.raises(ValueError, match="seed -1 is negative"):
        refused.reset(seed=-1)  # PettingZoo's check takes this for a reset

    for env in (donburiko.raw_env(), refused.unwrapped):
        with pytest.raises(AssertionError, match=r"^reset\(\) needs to be called before \w+"):
            getattr(env, call)(*words)


@pytest.mark.parametrize(
    "name",
    [
        "agents",
        "num_agents",
        "agent_selection",
        "rewards",
        "terminations",
        "truncations",
        "infos",
    ],
)
def test_what_a_match_has_is_not_there_before_it(name: str) -> None:
    env = donburiko.raw_env(render_mode="ansi")

    with pytest.raises(AttributeError, match=f"^{name} cannot be accessed before reset$"):
        getattr(env, name)
    for use in (env.last, env.render, lambda: list(env.agent_iter())):
        with pytest.raises(AttributeError, match="cannot be accessed before reset"):
            use()
    with pytest.raises(AttributeError, match="'Environment' object has no attribute 'fame'"):
        env.fame  # noqa: B018 - it is what is tried
    env.reset()
    getattr(env, name)


@pytest.mark.parametrize("name", MODULES)
def test_once_all_agents_are_gone_it_wants_a_reset(name: str) -> None:
    raw = MODULES[name].raw_env()
    raw.reset(seed=1)
    to_the_end(raw)
    for _ in raw.possible_agents:
        raw.last()
        raw.step(None)

    for use in (raw.last, lambda: raw.step(None), lambda: raw.step(0)):
        with pytest.raises(AssertionError, match=r"^reset\(\) needs to be called before \w+: the"):
            use()
    assert len(raw.state()) > 0
    raw.reset()
    assert raw.last(observe=False) == (None, 0.0, False, False, raw.infos[raw.agent_selection])


@pytest.mark.parametrize("name", MODULES)
def test_raw_env_takes_what_env_does_and_lacks_its_check_alone(name: str) -> None:
    checked, raw = MODULES[name].env(3, observations="named"), MODULES[name].raw_env(3)

    assert (type(checked), type(raw)) == (OrderEnforcingWrapper, Environment)
    assert type(checked.unwrapped) is Environment
    assert checked.unwrapped.encoding is raw.encoding is MODULES[name].encoding(3)
    takes = list(inspect.signature(Environment).parameters)
    assert list(inspect.signature(MODULES[name].env).parameters) == ["players", *takes[1:]]


@pytest.mark.parametrize("name", MODULES)
def test_what_makes_environments_can_be_handed_to_other_processes(name: str) -> None:
    for make in (MODULES[name].env, MODULES[name].raw_env):
        again = pickle.loads(pickle.dumps(make))  # noqa: S301 - our own

        assert again(players=2).possible_agents == ["seat_0", "seat_1"]


# Deals


def dealt(env: Environment) -> tuple[bytes, int]:
    deal = env.unwrapped.deal
    assert deal is not None
    return deal.key, deal.number


def test_a_seed_stands_for_a_row_of_deals() -> None:
    env = made("couperation")
    env.reset(seed=7)
    first = dealt(env)
    env.reset()
    second = dealt(env)
    env.reset(options={"deal": 9})
    tenth = dealt(env)
    env.reset(seed=8)

    key = key_of_seed(7)
    assert [first, second, tenth] == [(key, 0), (key, 1), (key, 9)]
    assert dealt(env) == (key_of_seed(8), 0)


def test_without_a_seed_nobody_knows_the_deals() -> None:
    env, other = made("donburiko"), made("donburiko")
    env.reset()
    other.reset()
    first = dealt(env)
    env.reset()

    assert first[0] != dealt(other)[0]
    assert dealt(env) == (first[0], 1)


def test_with_a_key_the_deals_are_those_of_its_suite() -> None:
    key = find_suite("development").key
    env = made("couperation", 2, "finish", key)
    numbers = []
    for options in ({}, {}, {"seed": 5}, {}, {"options": {"deal": 2}}):
        env.reset(**options)
        numbers.append(dealt(env))

    assert numbers == [(key, 0), (key, 1), (key, 5), (key, 6), (key, 2)]
    assert env.unwrapped.deal == Deal(key, "couperation", "finish", 2, 2)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"seed": -1}, "seed -1 is negative"),
        ({"seed": 1, "options": {"deal": -2}}, "deal -2 is negative"),
    ],
)
def test_no_deal_has_a_number_below_zero(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        made("donburiko").reset(**options)


def test_no_key_is_of_a_seed_below_zero() -> None:
    with pytest.raises(ValueError, match=r"^seed -1 is negative$"):
        key_of_seed(-1)


@pytest.mark.parametrize("key", [None, KEY])
@pytest.mark.parametrize("wrong", [1.0, True, np.float64(1.5), "a"])
def test_numbers_of_seeds_and_deals_are_whole(key: bytes | None, wrong: Any) -> None:
    env = made("donburiko", key=key)

    kind = type(wrong).__name__
    with pytest.raises(TypeError, match=f"^seed is of type {kind}, and has to be a whole number$"):
        env.reset(seed=wrong)
    with pytest.raises(TypeError, match=f"^deal is of type {kind}, and has to be a whole number$"):
        env.reset(options={"deal": wrong})
    with pytest.raises(TypeError, match=f"^seed is of type {kind}, and has to be a whole number$"):
        key_of_seed(wrong)


@pytest.mark.parametrize("key", [None, KEY])
def test_numpys_numbers_are_the_same_as_pythons(key: bytes | None) -> None:
    env, other = made("donburiko", key=key), made("donburiko", key=key)
    env.reset(seed=3, options={"deal": 5})
    other.reset(seed=np.int32(3), options={"deal": np.uint8(5)})  # type: ignore[arg-type]

    assert dealt(env) == dealt(other) == (key or hashlib.sha256(b"arena.rl/3").digest(), 5)
    assert np.array_equal(env.state(), other.state())
    other.reset(seed=np.int64(4))  # type: ignore[arg-type]
    assert type(dealt(other)[1]) is int


@pytest.mark.parametrize("key", [None, KEY])
@pytest.mark.parametrize(
    "wrong",
    [
        {"seed": 9, "options": {"deal": -1}},
        {"seed": 9, "options": {"deal": 0.5}},
        {"seed": -9},
        {"options": {"deal": "a"}},
        {"options": {"deal": 10**5000}},
    ],
)
def test_a_reset_that_is_refused_changes_nothing(key: bytes | None, wrong: dict[str, Any]) -> None:
    env, other = made("donburiko", key=key), made("donburiko", key=key)
    for one in (env, other):
        one.reset(seed=1)
        one.step(int(np.flatnonzero(one.last()[0]["action_mask"])[0]))

    with pytest.raises((TypeError, ValueError)):
        env.reset(**wrong)

    assert np.array_equal(env.state(), other.state())
    assert env.agent_selection == other.agent_selection
    for one in (env, other):
        one.reset()
    assert dealt(env) == dealt(other) == ((KEY, 2) if key else (key_of_seed(1), 1))


# The rest


def test_the_table_is_drawn_as_the_seat_to_act_sees_it() -> None:
    env = made("donburiko", render_mode="ansi")
    env.reset(seed=0)

    text = env.render()

    assert text is not None
    assert text.startswith("round 1, bank 42")
    assert "seat 1     4 tokens  4 cards" in text
    env.close()


def test_without_a_render_mode_nothing_is_drawn() -> None:
    env = donburiko.raw_env()
    env.reset(seed=0)

    assert env.render() is None


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"variant": "finish"}, "variant is 'finish', and can be 'standard'"),
        ({"variant": ""}, "variant is '', and can be 'standard'"),
        ({"observations": "pixels"}, "observations is 'pixels', and can be 'flat', 'named'"),
        ({"rewards": "fame"}, "rewards is 'fame', and can be 'outcome', 'score'"),
        ({"render_mode": "human"}, "render_mode is 'human', and can be None, 'ansi'"),
        ({"key": b"short"}, "key has 5 bytes: a key has 32"),
        ({"players": 9}, "for 2 to 4 players, not 9"),
    ],
)
def test_what_cannot_be_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        made("donburiko", **options)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"players": 2.0}, "^players is of type float, and has to be a whole number$"),
        ({"players": "x"}, "^players is of type str, and has to be a whole number$"),
        ({"key": "k" * 32}, "^key is of type str, and has to be bytes$"),
    ],
)
def test_what_is_of_another_type_is_refused(options: dict[str, Any], said: str) -> None:
    for make in (donburiko.env, donburiko.raw_env):
        with pytest.raises(TypeError, match=said):
            make(**options)


def test_its_name_has_the_version_of_the_encoding() -> None:
    assert [str(made(name).unwrapped) for name in MODULES] == ["donburiko_v1", "couperation_v1"]
