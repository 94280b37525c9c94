"""A match in progress, without its players: state, closed seats, and what each seat was told.

It knows no clock and no process. `arena.referee.play` drives it with what players answer,
`arena.referee.replay` with what a record holds, so that both come to the same bytes.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from arena.games.base import AnyGame, Chance, Fault, Kind, Public, Seat
from arena.wire.codec import Question, encode_value

WALKOVER = "walkover"
FAULT = "fault"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a match ended, by seat."""

    scores: tuple[int, ...]
    ranks: tuple[int, ...]
    reason: str


class Table:
    """The referee's side of a match; one decision at a time."""

    def __init__(self, game: AnyGame, chance: Chance, players: int, variant: str) -> None:
        self.game = game
        self._chance = chance
        self.state = game.deal(chance, players, variant)
        self.seats = tuple(Seat(seat) for seat in range(players))
        self._closed: dict[Seat, int] = {}
        """When each closed seat was closed; seats closed at one moment share the number."""

        self._told: dict[Seat, list[Public]] = {seat: [] for seat in self.seats}
        """Events that a seat has not been sent yet."""

        self._stopped = ""
        """Why the match ended before the game did."""

        self._tell_events()

    def is_open(self, seat: Seat) -> bool:
        """Whether the bot in ``seat`` still decides for itself."""
        return seat not in self._closed

    def to_act(self) -> Seat | None:
        """Return whose decision is next, the house's included; ``None`` once the match is over."""
        return None if self._stopped else self.game.to_act(self.state)

    def legal_actions(self) -> tuple[Public, ...]:
        """Return the legal actions of the seat to act, in the game's order."""
        return self.game.legal_actions(self.state)

    def question(self, seat: Seat, legal_actions: Sequence[Public]) -> Question:
        """Return what ``seat`` is shown at its decision; its events are then told."""
        return Question(self.game.observe(self.state, seat), self.news(seat), legal_actions)

    def apply(self, action: Public) -> None:
        """Go on with ``action`` of the seat to act.

        Raises:
            IllegalAction: the game refuses it; nothing has changed.
        """
        self.state = self.game.apply(self.state, action, self._chance)
        self._tell_events()

    def close(self, seats: Iterable[Seat]) -> None:
        """Close ``seats``, all at one moment, and end the match where that ends it."""
        moment = len(self._closed)
        closing = list(seats)
        self._closed |= dict.fromkeys(closing, moment)
        for seat in closing:
            for other in self.seats:
                if self.is_open(other):
                    self._told[other].append(Fault(seat=seat))
        if self._closed and not self._over():
            if self.game.kind is Kind.COOPERATIVE:
                self._stopped = FAULT
            elif len(self._closed) >= len(self.seats) - 1:
                self._stopped = WALKOVER

    def last_events(self, seat: Seat) -> bytes:
        """Return the JSON of the events that ``seat`` has not been sent before the end."""
        return encode_value(self.news(seat))

    def news(self, seat: Seat) -> list[Public]:
        """Return the events that ``seat`` has not been told yet, oldest first; now it has."""
        events, self._told[seat] = self._told[seat], []
        return events

    def outcome(self) -> Outcome:
        """Return scores, ranks and reason; final once `to_act` is ``None``.

        A closed seat ranks below all open ones, and one closed earlier below one closed later.
        In a co-operative game it scores 0.
        """
        scores = self.game.scores(self.state)
        places = self.game.ranks(self.state)
        reason = self._stopped or self.game.reason(self.state)
        if self.game.kind is Kind.COOPERATIVE and self._closed:
            scores = tuple(
                score if self.is_open(seat) else 0
                for seat, score in zip(self.seats, scores, strict=True)
            )
            reason = FAULT
        keys = [
            (0, places[seat]) if self.is_open(seat) else (1, -self._closed[seat])
            for seat in self.seats
        ]
        ranks = tuple(1 + sum(other < own for other in keys) for own in keys)
        return Outcome(scores=scores, ranks=ranks, reason=reason)

    def _over(self) -> bool:
        return bool(self._stopped) or self.game.to_act(self.state) is None

    def _tell_events(self) -> None:
        events, state, closed = self.game.events, self.state, self._closed
        for seat, told in self._told.items():
            if seat not in closed:
                told.extend(events(state, seat))
