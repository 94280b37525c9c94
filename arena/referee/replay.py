"""Plays a record again: the same table, driven by what the record says was decided.

Of a record only ``cards``, ``actions`` (seat and action) and ``faults`` are believed; all else
that follows from them is derived again and has to be equal. With the tournament's key, ``cards``
and what the house did have to follow from it, too.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from arena.errors import Difference, FaultCode, RecordError
from arena.games import get_game
from arena.games.base import CardT, Chance, Seat
from arena.games.deal import Deal, DealtChance
from arena.referee.play import Watch
from arena.referee.record import ActionRecord, FaultRecord, MatchRecord
from arena.referee.table import Outcome, Table
from arena.wire.codec import Question, encode_value

Asked = Callable[[int, Seat, Question], None]
"""(number of the action or fault to come, seat, what it is shown) -> nothing."""


def replay(
    record: MatchRecord,
    watch: Watch | None = None,
    *,
    key: bytes | None = None,
    asked: Asked | None = None,
    ended: Callable[[Any], None] | None = None,
    last: Callable[[Seat, bytes], None] | None = None,
) -> Outcome:
    """Play ``record`` again and return how it ends.

    Args:
        record: the record of a match of a game that is installed.
        watch: called before each action is applied, as in `arena.referee.play.play`.
        key: of the deals, 32 bytes; without it the cards and the house are believed.
        asked: called at each question to a bot, also at one that it did not answer.
        ended: called with the state in which the match ended, once all of it has proved right.
        last: called then with each open seat and JSON of its last events.

    Raises:
        RecordError: the record is not one of a match; the text names the first difference.
        UsageError: the game is not installed.
    """
    played = _Replay(record, watch, key, asked)
    outcome = played.run()
    if ended:
        ended(played.state)
    if last:
        for seat, events in played.last_events():
            last(seat, events)
    return outcome


class _Derived:
    """The chance of a record, which has to be that of its deal."""

    def __init__(self, recorded: Chance, derived: Chance) -> None:
        self._recorded = recorded
        self._derived = derived

    def shuffle(self, purpose: str, cards: Sequence[CardT]) -> tuple[CardT, ...]:
        recorded = self._recorded.shuffle(purpose, cards)
        follows = self._derived.shuffle(purpose, cards)
        for at, (one, other) in enumerate(zip(recorded, follows, strict=True)):
            if one != other:
                raise Difference(f"cards: card {at} of {purpose}", repr(one), repr(other))
        return recorded

    def below(self, purpose: str, bound: int) -> int:
        recorded = self._recorded.below(purpose, bound)
        follows = self._derived.below(purpose, bound)
        if recorded != follows:
            raise Difference(f"cards: {purpose}", repr(recorded), repr(follows))
        return recorded


class _Replay:
    def __init__(
        self,
        record: MatchRecord,
        watch: Watch | None,
        key: bytes | None,
        asked: Asked | None,
    ) -> None:
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
        self._asked = asked
        self._faults = list(record.faults)
        self._house = None
        chance = game.chance_of(cards, record.players, record.variant)
        if key is not None:
            deal = Deal(key, record.game, record.variant, record.players, record.deal)
            chance = _Derived(chance, DealtChance(deal))
            self._house = deal.stream("house")
        self._table = Table(game, chance, record.players, record.variant)

    @property
    def state(self) -> Any:  # noqa: ANN401 - of whatever type the game has
        """The state in which the match is by now."""
        return self._table.state

    def last_events(self) -> Iterator[tuple[Seat, bytes]]:
        """Yield each open seat with JSON of what it was told at the end."""
        for seat in filter(self._table.is_open, self._table.seats):
            yield seat, self._table.last_events(seat)

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
        return self._checked(self._table.outcome())

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
            if self._asked and self._table.is_open(seat):
                legal = self._table.legal_actions()
                self._asked(number, seat, self._table.question(seat, legal))
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
            what = f"{where}: seat {seat} was sent something else"
            raise Difference(what, str(recorded.sent or "nothing"), str(sent or "nothing"))
        if question is None and self._house:
            follows = spelt[self._house.below(len(legal))]
            if follows != bytes(recorded.action):
                what = f"{where}: the house"
                raise Difference(what, bytes(recorded.action).decode(), follows.decode())
        if self._asked and question:
            self._asked(number, seat, question)
        if self._watch:
            self._watch(self._table.state, seat, action, recorded.house)
        self._table.apply(action)

    def _checked(self, outcome: Outcome) -> Outcome:
        for name in ("scores", "ranks", "reason"):
            recorded, follows = getattr(self._record, name), getattr(outcome, name)
            if recorded != follows:
                raise Difference(name, repr(recorded), repr(follows))
        if bytes(self._record.cards) != encode_value(self._table.game.cards(self._table.state)):
            raise RecordError("cards: more are recorded than the match used")
        return outcome
