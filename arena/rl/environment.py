"""A game as an environment of PettingZoo (AEC), played by the referee's own table.

There is no bot, no clock and no fault: an illegal action is refused with an error.
"""

import hashlib
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from arena.games.base import Kind, Public, Seat
from arena.games.deal import Deal, DealtChance
from arena.referee.table import Table
from arena.rl.encoding import AnyEncoding, whole

ENCODING_VERSION = 1
"""Raised whenever the same observation or action would get other numbers."""

Observations: TypeAlias = Literal["flat", "named"]
Rewards: TypeAlias = Literal["outcome", "score"]

_KEY_BYTES = 32

_OF_A_MATCH = frozenset(
    ["agents", "num_agents", "agent_selection", "rewards", "terminations", "truncations", "infos"]
)
"""Attributes that an environment has from its first reset on."""


def key_of_seed(seed: int) -> bytes:
    """Return the key whose deals are played after ``reset(seed)``: SHA-256 of ``arena.rl/SEED``.

    Raises:
        TypeError: ``seed`` is not a whole number.
        ValueError: it is negative.
    """
    return hashlib.sha256(f"arena.rl/{_from_zero('seed', seed)}".encode("ascii")).digest()


class Environment(AECEnv):  # type: ignore[misc]  # PettingZoo says nothing of its types
    """One game at one number of players; its agents are ``seat_0``, ``seat_1``, ….

    An observation is ``{"observation": …, "action_mask": …}``: what the seat may know of the table,
    as a bot in it is sent it, and by number of the action whether it is legal now; zeros if the
    seat is not to act. ``infos`` of the agent to act has ``events``, the game's values of what
    happened since its last turn as the seat may see it; once the match is over, that of each agent
    has its last events, and ``scores``, ``ranks`` and ``reason`` as the referee has them.

    It can be pickled at any time, and what comes of that goes on in the same way by itself.

    Args:
        encoding: of the game and the number of players.
        variant: of the rules; by default the game's first one.
        key: of a suite, 32 bytes: its deals are played, with ``seed`` the number of the deal. By
            default each seed has deals of its own (`key_of_seed`), from number 0.
        observations: ``flat``, one row of numbers from 0 to 1, or ``named``, counts by name.
        rewards: ``outcome``: 0 until the match is over, then for a competitive game (the seats that
            rank below, less those above) / (players - 1), from -1 to 1, in sum 0, and for a
            co-operative one score / best score, from 0 to 1. ``score``: after each action how much
            the seat's score has changed, so that the sum is the last score less the first.
        render_mode: ``ansi``, or ``None``.

    Raises:
        TypeError: ``key`` is not bytes.
        ValueError: one of these cannot be.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "is_parallelizable": False}  # noqa: RUF012

    def __init__(
        self,
        encoding: AnyEncoding,
        variant: str | None = None,
        key: bytes | None = None,
        observations: Observations = "flat",
        rewards: Rewards = "outcome",
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        game = encoding.game
        variant = game.variants[0] if variant is None else variant
        _check("variant", variant, game.variants)
        _check("observations", observations, ("flat", "named"))
        _check("rewards", rewards, ("outcome", "score"))
        _check("render_mode", render_mode, (None, *self.metadata["render_modes"]))
        if not isinstance(key, bytes | None):
            raise TypeError(f"key is of type {type(key).__name__}, and has to be bytes")
        if key is not None and len(key) != _KEY_BYTES:
            raise ValueError(f"key has {len(key)} bytes: a key has {_KEY_BYTES}")
        self.metadata = self.metadata | {"name": f"{game.name}_v{ENCODING_VERSION}"}
        self.render_mode = render_mode
        self.encoding = encoding
        self.possible_agents = [f"seat_{seat}" for seat in range(encoding.players)]
        self.deal: Deal | None = None
        """The deal that is played, once there was a reset."""

        size = encoding.layout.size * encoding.players
        self.state_space = spaces.Box(0.0, 1.0, (size,), np.float32)
        self._variant = variant
        self._key = key
        self._flat = observations == "flat"
        self._outcome = rewards == "outcome"
        self._action_spaces = {
            agent: spaces.Discrete(encoding.size) for agent in self.possible_agents
        }
        self._observation_spaces = {agent: self._space() for agent in self.possible_agents}

    def _space(self) -> spaces.Dict:
        layout = self.encoding.layout
        return spaces.Dict(
            {
                "observation": layout.flat_space() if self._flat else layout.named_space(),
                "action_mask": spaces.Box(0, 1, (self.encoding.size,), np.int8),
            }
        )

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - it is what is not there
        if name in _OF_A_MATCH:
            raise AttributeError(f"{name} cannot be accessed before reset")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return the space of what ``agent`` observes: the same for all."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Return the space of the actions of ``agent``: the same for all."""
        return self._action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a match: on deal 0 of ``seed``, or on the next deal if there is none.

        With a key, it is deal ``seed`` of that. ``options["deal"]`` is the number of another deal
        of the same key, from 0; other options are not heeded.

        Raises:
            TypeError: ``seed`` or the number is not a whole one; nothing has changed.
            ValueError: one of them is negative; nothing has changed.
        """
        deal = self._next_deal(seed, (options or {}).get("deal"))
        game, players = self.encoding.game, self.encoding.players
        self._table = Table(game, DealtChance(deal), players, self._variant)
        self.deal = deal
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._skip_agent_selection = None
        self._scores = self._table.outcome().scores
        self._go_on()

    def _next_deal(self, seed: int | None, wanted: int | None) -> Deal:
        key, number = self._key, 0
        if seed is not None:
            seed = _from_zero("seed", seed)
            key, number = (key_of_seed(seed), 0) if key is None else (key, seed)
        elif self.deal is not None:
            key, number = self.deal.key, self.deal.number + 1
        elif key is None:
            key = secrets.token_bytes(_KEY_BYTES)
        if wanted is not None:
            number = _from_zero("deal", wanted)
        return Deal(key, self.encoding.game.name, self._variant, self.encoding.players, number)

    def step(self, action: int | None) -> None:
        """Take ``action``, a number, for the agent to act; ``None`` for one that is done.

        Raises:
            AssertionError: there was no reset, or all agents are gone since.
            TypeError: it is not a whole number; nothing has changed.
            ValueError: it is not legal; nothing has changed.
        """
        self._check_reset("step")
        self._check_agents("step")
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        chosen = None if action is None else self._legal.get(whole("action", action))
        if chosen is None:
            raise ValueError(f"{agent} may not do {action}: its action_mask says what is legal")
        self._cumulative_rewards[agent] = 0.0
        self._table.apply(chosen)
        self._reward()
        self._go_on()
        self._accumulate_rewards()
        self._deads_step_first()

    def _go_on(self) -> None:
        """Take in whose turn it is and what they may do, or how the match ended."""
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._legal: dict[int, Public] = {}
        seat = self._table.to_act()
        if seat is None:
            self.terminations = dict.fromkeys(self.agents, True)
            outcome = self._table.outcome()
            for at, agent in enumerate(self.agents):
                self.infos[agent] = {
                    "events": tuple(self._table.news(Seat(at))),
                    "scores": outcome.scores,
                    "ranks": outcome.ranks,
                    "reason": outcome.reason,
                }
            return
        self.agent_selection = self.possible_agents[seat]
        self.infos[self.agent_selection] = {"events": tuple(self._table.news(seat))}
        seen = self.seen(self.agent_selection)
        for action in self._table.legal_actions():
            self._legal[self.encoding.index(action, seen)] = action

    def _reward(self) -> None:
        """Give each agent what the last action is worth to it."""
        outcome = self._table.outcome()
        before, self._scores = self._scores, outcome.scores
        if not self._outcome:
            worth = [float(now - then) for now, then in zip(self._scores, before, strict=True)]
        elif self._table.to_act() is not None:
            worth = [0.0] * len(self.agents)
        elif self.encoding.game.kind is Kind.COOPERATIVE:
            best = self.encoding.game.best_score or 1
            worth = [score / best for score in outcome.scores]
        else:
            ranks = outcome.ranks
            worth = [
                sum((other > own) - (other < own) for other in ranks) / (len(ranks) - 1)
                for own in ranks
            ]
        self.rewards = dict(zip(self.agents, worth, strict=True))

    def last(
        self,
        observe: bool = True,  # noqa: FBT001, FBT002 - as PettingZoo has it
    ) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Return what the agent to act observes, its reward, whether it is done, and its info.

        The reward is what it got since its last turn. Whether it is done comes twice, as
        termination and as truncation; the latter is always false.

        Args:
            observe: whether the observation is wanted; else it is ``None``.

        Raises:
            AttributeError: there was no reset.
            AssertionError: all agents are gone since.
        """
        self._check_agents("last")
        found: tuple[Any, float, bool, bool, dict[str, Any]] = super().last(observe)
        return found

    def observe(self, agent: str) -> dict[str, Any]:
        """Return what ``agent`` may know now, and which actions it may take."""
        named = self.encoding.named(self.seen(agent))
        mask: NDArray[np.int8] = np.zeros(self.encoding.size, np.int8)
        if agent == self.agent_selection:
            mask[list(self._legal)] = 1
        return {
            "observation": self.encoding.layout.flat(named) if self._flat else named,
            "action_mask": mask,
        }

    def state(self) -> NDArray[np.float32]:
        """Return what all seats together know: their flat observations, from seat 0 on, in a row.

        It is for training alone. What nobody knows, as the order of the deck, is not in it.
        """
        layout, named = self.encoding.layout, self.encoding.named
        return np.concatenate([layout.flat(named(self.seen(one))) for one in self.possible_agents])

    def seen(self, agent: str) -> Any:  # noqa: ANN401 - of whatever type the game has
        """Return what a bot in the seat of ``agent`` would be sent now, as the game's own value.

        `observe`, `render` and `state` are made of it, and of nothing else.

        Raises:
            AssertionError: there was no reset.
        """
        self._check_reset("the table can be seen")
        seat = Seat(self.possible_agents.index(agent))
        return self.encoding.game.observe(self._table.state, seat)

    def _check_reset(self, what: str) -> None:
        """Refuse ``what`` before the first reset, with the error that PettingZoo's check raises."""
        if self.deal is None:
            raise AssertionError(f"reset() needs to be called before {what}")

    def _check_agents(self, what: str) -> None:
        """Refuse ``what`` once every agent has been told the end of the match, and is gone."""
        if not self.agents:
            raise AssertionError(f"reset() needs to be called before {what}: the match is over")

    def render(self) -> str | None:
        """Return the table as the agent to act sees it, as text; nothing without a render mode."""
        draw = self.encoding.game.draw_observation
        if self.render_mode is None or draw is None:
            return None
        return draw(self.seen(self.agent_selection))

    def close(self) -> None:
        """Do nothing: nothing is open."""


@dataclass(frozen=True, slots=True)
class Maker:
    """Makes environments of a game: what by PettingZoo's conventions is ``env`` or ``raw_env``."""

    encoding: Callable[[int], AnyEncoding]
    """Number of players -> the game's encoding; an error if it is not for so many."""

    checked: bool = True
    """Whether PettingZoo's check is around what it makes, of the order in which it is used."""

    def __call__(
        self,
        players: int = 2,
        variant: str | None = None,
        key: bytes | None = None,
        observations: Observations = "flat",
        rewards: Rewards = "outcome",
        render_mode: str | None = None,
    ) -> Environment:
        """Return the game for ``players``; all other arguments are those of `Environment`.

        Raises:
            TypeError: ``players`` is not a whole number, or ``key`` not bytes.
            ValueError: one of these cannot be.
        """
        made = Environment(self.encoding(players), variant, key, observations, rewards, render_mode)
        return cast("Environment", OrderEnforcingWrapper(made)) if self.checked else made


def _from_zero(name: str, value: int) -> int:
    number = whole(name, value)
    if number < 0:
        raise ValueError(f"{name} {number} is negative")
    return number


def _check(name: str, value: object, known: tuple[object, ...]) -> None:
    if value not in known:
        raise ValueError(f"{name} is {value!r}, and can be {', '.join(map(repr, known))}")
