"""Matches that a bot is examined in: real ones, by the referee, against players without a process.

They are the same for every bot and each time: the key is published, and rivals take any legal
action by dice that come from it.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from arena.conformance.dress import Dress, plain
from arena.conformance.witness import QUIT_MS, Ending, Exchange, Silence, Witness
from arena.errors import BotFault, FaultCode
from arena.games.base import AnyGame, Public, Seat
from arena.games.deal import Deal
from arena.players.process import Program
from arena.players.scripted import Scripted, at_random
from arena.players.tier import Tier
from arena.referee.limits import Limits
from arena.referee.play import Met, play
from arena.referee.player import Player
from arena.wire.codec import encode
from arena.wire.messages import Quit

KEY = hashlib.sha256(b"examination").digest()

_HOPELESS_MS = 50
"""How long a bot has to exit that did not do so in its time before."""

_LONGEST_MS = 6_000.0
"""For so long a bot may think in one match before that is broken off."""


@dataclass(frozen=True, slots=True)
class Scene:
    """One match of an examination, or several by one process."""

    game: AnyGame
    players: int
    variant: str = ""
    """Empty: the game's first one."""

    seat: int = 0
    """Where the bot sits."""

    deal: int = 0
    dress: Dress = plain
    decisions: int = 10_000
    """Of the bot, after which the match is broken off."""

    absent: frozenset[int] = frozenset()
    """Seats whose players fail at the start."""

    failing: frozenset[int] = frozenset()
    """Seats whose players fail at their first turn."""

    also: tuple["Scene", ...] = ()
    """Matches that the same process plays after this one, in which nobody is absent."""

    @property
    def name(self) -> str:
        """How messages call it."""
        variant = "" if self.variant in {"", self.game.variants[0]} else f" {self.variant}"
        return f"{self.game.name}{variant}, {self.players} players"


@dataclass(frozen=True, slots=True)
class Seen:
    """What a bot did in a scene."""

    scene: Scene
    where: str
    """The match, and the decision in it, of the fault; or of the last match."""

    exchanges: Sequence[Exchange]
    log: bytes = field(repr=False)
    fault: BotFault | None = None
    asked: bytes = b""
    """What it was to answer last."""

    silence: Silence | None = None
    overdue: bytes = b""
    overdue_ms: float = 0.0
    ending: Ending | None = None
    """How it went, if it was not at fault."""

    match: int = 0
    """Which of the scene's matches `where` tells of, from 0."""

    @property
    def back(self) -> bytes:
        """What it wrote that is at fault; else its last answer."""
        if self.fault and self.fault.offending:
            return self.fault.offending
        if self.fault:
            return self.overdue
        return self.exchanges[-1].back if self.exchanges else b""

    @property
    def decisions(self) -> Sequence[Exchange]:
        """The questions that it answered, without the handshake."""
        return self.exchanges[1:]


class _Enough(Exception):
    """The scene has shown what it is for."""


class _Absent(Scripted):
    def ask(self, line: bytes, budget_ms: int) -> bytes:  # noqa: ARG002 - it is not there
        raise BotFault(FaultCode.START_FAILED, "is not there")


def _fails(_message: dict[str, Any]) -> dict[str, Any]:
    raise BotFault(FaultCode.EXITED, "exited with status 1")


class Stage:
    """Where scenes are played with one bot."""

    def __init__(self, program: Program, limits: Limits, tier: Tier) -> None:
        """Take the bot that ``program`` starts, held to ``limits`` and kept apart as ``tier``."""
        self.program = program
        self.limits = limits
        self._tier = tier
        # What takes time is waited for once: it would be the same in each match.
        self._silent: Witness | None = None
        self._wait_ms = QUIT_MS
        self.seen: list[Seen] = []
        """Everything that was played so far."""

    def witness(self, dress: Dress = plain) -> Witness:
        """Return a new process of the bot, not started yet."""
        patient = self._silent is None
        return Witness(self.program, self.limits, self._tier, dress, patient=patient)

    def play(self, scene: Scene) -> Seen:
        """Play ``scene`` and return what the bot did in it.

        Raises:
            HostFault: the machine failed.
        """
        scenes = (scene, *scene.also)
        witness = self.witness(scene.dress)
        fault, where, match = None, scene.name, 0
        try:
            for number, one in enumerate(scenes):
                match = number
                before = max(1, len(witness.exchanges))
                if fault := self._match(one, witness, stay=one is not scenes[-1]):
                    where = f"{one.name}, {_moment(fault, witness, before)}"
                    break
                where = one.name
            ending = None if fault else witness.leave(self._wait_ms)
        finally:
            witness.stop(0)
        silent = witness
        if witness.silence:
            silent = self._silent = self._silent or witness
        if ending and not ending.gone:
            self._wait_ms = _HOPELESS_MS
        seen = Seen(
            scene=scene,
            where=where,
            exchanges=tuple(witness.exchanges),
            log=witness.log,
            fault=fault,
            asked=witness.asked,
            silence=silent.silence,
            overdue=witness.overdue,
            overdue_ms=silent.overdue_ms,
            ending=ending,
            match=match,
        )
        self.seen.append(seen)
        return seen

    def _match(self, scene: Scene, witness: Witness, *, stay: bool) -> BotFault | None:
        """Play one match, or the beginning of it; return the bot's fault, if there was one.

        The bot is greeted before its first match, and told to quit unless it is to ``stay``.
        """
        game, before = scene.game, max(1, len(witness.exchanges))

        def watch(_state: object, seat: Seat, _action: Public, _house: bool) -> None:  # noqa: FBT001
            decisions = witness.exchanges[before:]
            long = sum(exchange.ms for exchange in decisions) > _LONGEST_MS
            if seat == scene.seat and (long or len(decisions) >= scene.decisions):
                raise _Enough

        deal = Deal(KEY, game.name, scene.variant or game.variants[0], scene.players, scene.deal)
        seats = [
            witness if seat == scene.seat else _rival(scene, seat) for seat in range(scene.players)
        ]
        further = bool(witness.exchanges)
        met = [witness.met if seat is witness else Met() for seat in seats] if further else []
        try:
            faults = play(game, deal, seats, self.limits, watch, met=met, stay=stay).faults
        except _Enough:
            if not stay:
                witness.tell(encode(Quit()))
            return None
        own = next((fault for fault in faults if fault.seat == scene.seat), None)
        if own is None:
            return None
        # The referee keeps but a part of the bytes.
        offending = witness.failed.offending if witness.failed else witness.exchanges[-1].back
        return BotFault(FaultCode(own.code), own.text, offending)


def _moment(fault: BotFault, witness: Witness, before: int) -> str:
    """Return when in a match its fault came, the match beginning with exchange ``before``."""
    if fault.code is FaultCode.START_FAILED:
        return "at the start"
    # An answer that is no action has been heard, and is among the exchanges.
    number = len(witness.exchanges) - before + (witness.failed is not None)
    return f"decision {number}"


def _rival(scene: Scene, seat: int) -> Player:
    if seat in scene.absent:
        return _Absent(_fails)
    if seat in scene.failing:
        return Scripted(_fails)
    return Scripted(at_random(hashlib.sha256(b"%b %d" % (KEY, seat)).digest()))
