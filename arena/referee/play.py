"""Plays one match: asks the players, keeps their clocks, closes the seats of those at fault."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from arena import __version__
from arena.errors import BotFault, FaultCode, HostFault, IllegalAction
from arena.games.base import AnyGame, Public, Seat
from arena.games.deal import Deal, DealtChance, Stream
from arena.referee.limits import UNCLOCKED_MS, Limits, told
from arena.referee.player import Player
from arena.referee.record import ActionRecord, FaultRecord, Offending
from arena.referee.table import Outcome, Table
from arena.wire.codec import (
    NotLegal,
    Question,
    encode,
    encode_value,
    explain,
    read_action,
    read_ready,
)
from arena.wire.escape import printable
from arena.wire.messages import End, Error, Hello, Quit, Start

FAULT_GRACE_MS = 250
"""How long a bot at fault has to read why, and to exit by itself."""

OFFENDING_CHARACTERS = 500
"""How much of the bytes that broke a rule a record keeps, escaped."""

_IN_A_ROW = 32
"""How many ids are made at a time, for the same reason as records, see `_Log`."""

Watch = Callable[[Any, Seat, Public, bool], None]
"""(state before, seat, action, by the house) -> nothing; called before each action is applied."""


@dataclass(frozen=True, slots=True)
class Met:
    """What a player has said of itself when it was greeted."""

    offer: bool = True
    """Whether it wants to be told its legal actions."""


@dataclass(frozen=True, slots=True)
class Played:
    """A finished match, but for who played it and where."""

    cards: msgspec.Raw
    actions: tuple[ActionRecord, ...]
    faults: tuple[FaultRecord, ...]
    outcome: Outcome
    action_ms: tuple[float, ...]
    offending: tuple[Offending, ...]
    met: tuple[Met, ...]
    """By seat; of use for a further match of the same players."""


@dataclass(slots=True)
class _Chair:
    """One seat's side of the conversation."""

    seat: Seat
    player: Player
    extra_ns: int
    ids: Iterator[int]
    met: Met = field(default_factory=Met)


@dataclass(slots=True)
class _Log:
    """What happened.

    Records of actions are made at the end: between two questions the bots have had the processor's
    caches, so what is done there costs several times what it costs in a row.
    """

    acted: list[tuple[Seat, Public, Question | None]] = field(default_factory=list)
    """Each action with the question that it answers, if it is not the house's."""

    action_ms: list[float] = field(default_factory=list)
    faults: list[FaultRecord] = field(default_factory=list)
    offending: list[Offending] = field(default_factory=list)

    def records(self) -> tuple[ActionRecord, ...]:
        """Return the records of all actions."""
        return tuple(
            ActionRecord(
                seat=seat,
                action=msgspec.Raw(encode_value(action)),
                sent=question.digest if question else msgspec.UNSET,
                house=question is None,
            )
            for seat, action, question in self.acted
        )


def play(
    game: AnyGame,
    deal: Deal,
    players: Sequence[Player],
    limits: Limits | None,
    watch: Watch | None = None,
    *,
    met: Sequence[Met] = (),
    stay: bool = False,
) -> Played:
    """Play the match of ``deal`` between ``players``, by seat, and return what happened.

    Without ``limits`` there is no clock, and players are told the usual times. Players at fault are
    stopped here; all others are told to quit, and the caller, who started them, stops them.

    Args:
        game: what is played.
        deal: the cards, and all other chance.
        players: by seat.
        limits: what each is held to.
        watch: is called before each action is applied.
        met: what the players said when they were greeted, if the same ones have played a match
            before, in which none was at fault.
        stay: do not tell them to quit, for they are to play another match.

    Raises:
        HostFault: a game refused an action that it had itself offered.
    """
    return _Match(game, deal, players, limits, watch).play(met, stay=stay)


def _ids(stream: Stream) -> Iterator[int]:
    """Yield the ids of a seat's questions."""
    while True:
        yield from [stream.seed() for _ in range(_IN_A_ROW)]


class _Match:
    def __init__(
        self,
        game: AnyGame,
        deal: Deal,
        players: Sequence[Player],
        limits: Limits | None,
        watch: Watch | None,
    ) -> None:
        self._game = game
        self._deal = deal
        self._told = told(limits)
        self._clocked = limits is not None
        self._limits = limits or Limits()
        self._watch = watch
        self._table = Table(game, DealtChance(deal), len(players), deal.variant)
        self._house = deal.stream("house")
        self._log = _Log()
        self._slot_ends_ns = 0
        self._chairs = [
            _Chair(
                seat=Seat(seat),
                player=player,
                extra_ns=self._limits.extra_ms * 1_000_000,
                ids=_ids(deal.stream(f"ids-{seat}")),
            )
            for seat, player in enumerate(players)
        ]

    def play(self, met: Sequence[Met], *, stay: bool) -> Played:
        self._greet(met)
        while (seat := self._table.to_act()) is not None:
            self._turn(self._chairs[seat])
        outcome = self._table.outcome()
        self._end(outcome, stay=stay)
        return Played(
            cards=msgspec.Raw(encode_value(self._game.cards(self._table.state))),
            actions=self._log.records(),
            faults=tuple(self._log.faults),
            outcome=outcome,
            action_ms=tuple(self._log.action_ms),
            offending=tuple(self._log.offending),
            met=tuple(chair.met for chair in self._chairs),
        )

    def _greet(self, met: Sequence[Met]) -> None:
        """Shake hands with every seat, then start the match for those that are ready."""
        faults = {}
        for chair in self._chairs:
            try:
                chair.met = met[chair.seat] if met else self._shake_hands(chair)
            except BotFault as fault:
                text = fault.text
                if fault.code is FaultCode.TIMEOUT:
                    text = f"was not ready in its time to start: {text}"
                faults[chair.seat] = BotFault(FaultCode.START_FAILED, text, fault.offending)
        self._close(faults)
        for chair in self._open():
            chair.player.tell(
                encode(
                    Start(
                        game=self._game.name,
                        variant=self._deal.variant,
                        players=len(self._chairs),
                        seat=chair.seat,
                        seed=self._deal.bot_seed(chair.seat),
                        move_ms=self._limits.move_ms,
                        extra_ms=self._limits.extra_ms,
                    )
                )
            )

    def _shake_hands(self, chair: _Chair) -> Met:
        hello = encode(Hello(arena=__version__, limits=self._told))
        budget_ms = self._limits.start_ms if self._clocked else UNCLOCKED_MS
        line = chair.player.ask(hello, budget_ms)
        ready = read_ready(line)
        if ready.games is not None and self._game.name not in ready.games:
            raise BotFault(FaultCode.START_FAILED, f"does not play {self._game.name}", line)
        return Met(offer=ready.legal_actions)

    def _turn(self, chair: _Chair) -> None:
        """Have a decision made and applied, or the seat closed that failed to make it."""
        table = self._table
        legal = table.legal_actions()
        if not table.is_open(chair.seat):
            self._act(chair.seat, legal[self._house.below(len(legal))])
            return
        question = table.question(chair.seat, legal)
        if self._limits.slot_ms:
            self._wait_for_slot()
        number = next(chair.ids)
        move_ms, extra_ms = self._limits.move_ms, chair.extra_ns // 1_000_000
        line = question.line(number, move_ms=move_ms, extra_ms=extra_ms, offer=chair.met.offer)
        budget_ms = move_ms + extra_ms if self._clocked else UNCLOCKED_MS
        began = time.monotonic_ns()
        self._slot_ends_ns = began + self._limits.slot_ms * 1_000_000
        try:
            answer = chair.player.ask(line, budget_ms)
            took = time.monotonic_ns() - began
            if took > move_ms * 1_000_000:
                took = self._charge(chair, took)
            try:
                index = read_action(answer, number, question)
            except NotLegal as refused:
                why = self._why_illegal(refused.action)
                raise BotFault(FaultCode.ILLEGAL_ACTION, why, answer) from None
        except BotFault as fault:
            code = fault.code
            if code is FaultCode.START_FAILED:
                # It was ready once; whatever has become of it since, that it did.
                code = FaultCode.EXITED
            self._close({chair.seat: BotFault(code, fault.text, fault.offending)})
        else:
            # In whole microseconds.
            self._act(chair.seat, legal[index], question, took // 1000 / 1000)

    def _charge(self, chair: _Chair, took: int) -> int:
        """Charge what is over the time for a move; return what of ``took`` is the player's own."""
        took = max(took - chair.player.excused_ns(), 0)
        chair.extra_ns -= min(chair.extra_ns, max(0, took - self._limits.move_ms * 1_000_000))
        return took

    def _wait_for_slot(self) -> None:
        """Wait until what follows from the last answer may be seen, whenever that answer came."""
        left_ns = self._slot_ends_ns - time.monotonic_ns()
        if left_ns > 0:
            time.sleep(left_ns / 1e9)

    def _why_illegal(self, action: dict[str, Any]) -> str:
        value = explain(action, self._game.action_type)
        if isinstance(value, str):
            return value
        try:
            self._game.apply(self._table.state, value, DealtChance(self._deal))
        except IllegalAction as refusal:
            return str(refusal)
        except Exception:  # noqa: BLE001 - refused anyway; a game's slip must not void the match
            return "not a legal action"
        return "not spelt like any of the legal actions"

    def _act(
        self,
        seat: Seat,
        action: Public,
        question: Question | None = None,
        ms: float = 0.0,
    ) -> None:
        """Record and apply ``action``; without a ``question`` it is the house's."""
        if self._watch:
            self._watch(self._table.state, seat, action, question is None)
        log = self._log
        log.acted.append((seat, action, question))
        log.action_ms.append(ms)
        try:
            self._table.apply(action)
        except IllegalAction as error:
            raise HostFault(f"{self._game.name} offered {action!r}, but: {error}") from error

    def _close(self, faults: dict[Seat, BotFault]) -> None:
        """Close the seats of ``faults``, all at one moment, and tell each of them why."""
        for seat, fault in faults.items():
            player = self._chairs[seat].player
            player.tell(encode(Error(code=fault.code.value, message=fault.text)))
            player.stop(FAULT_GRACE_MS)
            self._log.faults.append(
                FaultRecord(
                    seat=seat, at=len(self._log.acted), code=fault.code.value, text=fault.text
                )
            )
            if fault.offending:
                text = printable(fault.offending, OFFENDING_CHARACTERS)
                self._log.offending.append(Offending(seat=seat, text=text))
        self._table.close(faults)

    def _end(self, outcome: Outcome, *, stay: bool) -> None:
        if self._limits.slot_ms:
            self._wait_for_slot()
        for chair in self._open():
            chair.player.tell(
                encode(
                    End(
                        events=msgspec.Raw(self._table.last_events(chair.seat)),
                        scores=outcome.scores,
                        ranks=outcome.ranks,
                        reason=outcome.reason,
                    )
                )
            )
            if not stay:
                chair.player.tell(encode(Quit()))

    def _open(self) -> list[_Chair]:
        return [chair for chair in self._chairs if self._table.is_open(chair.seat)]
