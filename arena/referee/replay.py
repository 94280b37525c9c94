"""Plays a record again: the same table, driven by what the record says was decided.

Of a record only ``cards``, ``actions`` (seat and action) and ``faults`` are believed; all else
that follows from them is derived again and has to be equal.
"""

from collections.abc import Callable

import msgspec

from arena.errors import FaultCode, RecordError
from arena.games import get_game
from arena.games.base import Seat
from arena.referee.play import Watch
from arena.referee.record import ActionRecord, FaultRecord, MatchRecord
from arena.referee.table import Outcome, Table
from arena.wire.codec import Question, encode_value

Sent = Callable[[Seat, Question | bytes], None]
"""(seat, question that it was sent, or JSON of its last events at the end) -> nothing."""


def replay(record: MatchRecord, watch: Watch | None = None, sent: Sent | None = None) -> Outcome:
    """Play ``record`` again and return how it ends.

    Args:
        record: the record of a match of a game that is installed.
        watch: called before each action is applied, as in `arena.referee.play.play`.
        sent: called with what each seat was sent, in the order of the match.

    Raises:
        RecordError: the record is not one of a match; the text names the first difference.
        UsageError: the game is not installed.
    """
    return _Replay(record, watch, sent).run()


class _Replay:
    def __init__(self, record: MatchRecord, watch: Watch | None, sent: Sent | None) -> None:
        game = get_game(record.game)
        if record.rules_version != game.rules_version:
            raise RecordError(
                f"played by version {record.rules_version} of the rules of {game.name}, "
                f"this is {game.rules_version}"
            )
        if record.players not in game.player_counts or record.variant not in game.variants:
            raise RecordError(f"no such game: {record.variant!r}, {record.players} players")
        try:
            cards = msgspec.json.decode(record.cards, type=game.cards_type)
        except msgspec.DecodeError as error:
            raise RecordError(f"cards: {error}") from None
        self._record = record
        self._watch = watch
        self._sent = sent
        self._faults = list(record.faults)
        chance = game.chance_of(cards, record.players, record.variant)
        self._table = Table(game, chance, record.players, record.variant)

    def run(self) -> Outcome:
        at_start = [fault for fault in self._faults if fault.code == FaultCode.START_FAILED]
        if any(fault.at for fault in at_start):
            raise RecordError("a seat failed to start in the middle of the match")
        self._close(at_start)
        for number, action in enumerate(self._record.actions):
            self._close_turns(number)
            self._act(number, action)
        self._close_turns(len(self._record.actions))
        if self._table.to_act() is not None:
            raise RecordError(f"the match goes on after its {len(self._record.actions)} actions")
        if self._faults:
            raise RecordError(f"fault of seat {self._faults[0].seat}: it was not to act then")
        outcome = self._checked(self._table.outcome())
        for seat in filter(self._table.is_open, self._table.seats):
            self._tell(seat, self._table.last_events(seat))
        return outcome

    def _close(self, due: list[FaultRecord]) -> None:
        """Close the seats of ``due`` at one moment, and be done with these faults."""
        for fault in due:
            self._faults.remove(fault)
            if fault.seat not in self._table.seats or not self._table.is_open(Seat(fault.seat)):
                raise RecordError(f"fault of seat {fault.seat}: there is no such seat that is open")
        self._table.close([Seat(fault.seat) for fault in due])

    def _close_turns(self, number: int) -> None:
        """Close the seats that were at fault at their turn, before action ``number``."""
        while (seat := self._table.to_act()) is not None:
            due = [fault for fault in self._faults if (fault.at, fault.seat) == (number, seat)]
            if not due:
                return
            self._tell(seat, self._table.question(seat, self._table.legal_actions()))
            self._close(due)

    def _act(self, number: int, recorded: ActionRecord) -> None:
        where = f"action {number}"
        seat = self._table.to_act()
        if seat is None or seat != recorded.seat:
            raise RecordError(f"{where}: seat {recorded.seat} is not to act, but {seat}")
        if recorded.house == self._table.is_open(seat):
            raise RecordError(f"{where}: seat {seat} is {'open' if recorded.house else 'closed'}")
        legal = self._table.legal_actions()
        question = None if recorded.house else self._table.question(seat, legal)
        spelt = question.actions if question else tuple(map(encode_value, legal))
        try:
            action = legal[spelt.index(bytes(recorded.action))]
        except ValueError:
            raise RecordError(f"{where}: seat {seat} may not do that") from None
        sent = question.digest if question else msgspec.UNSET
        if sent != recorded.sent:
            raise RecordError(f"{where}: seat {seat} was sent something else")
        if question:
            self._tell(seat, question)
        if self._watch:
            self._watch(self._table.state, seat, action, recorded.house)
        self._table.apply(action)

    def _tell(self, seat: Seat, what: Question | bytes) -> None:
        if self._sent:
            self._sent(seat, what)

    def _checked(self, outcome: Outcome) -> Outcome:
        for name in ("scores", "ranks", "reason"):
            if getattr(self._record, name) != getattr(outcome, name):
                raise RecordError(
                    f"{name}: {getattr(self._record, name)!r} is recorded, "
                    f"{getattr(outcome, name)!r} follows"
                )
        if bytes(self._record.cards) != encode_value(self._table.game.cards(self._table.state)):
            raise RecordError("cards: more are recorded than the match used")
        return outcome
