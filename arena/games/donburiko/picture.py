"""A Donburiko table as text: as it is, for the operator alone, and as one seat sees it."""

from collections.abc import Sequence

from arena.games.donburiko.observation import Card, Column, Observation
from arena.games.donburiko.state import OpenColumn, PlacedCard, State

LEGEND = (
    "> to act; 3 on it: tokens of a column; 4:0 a card of seat 0 face up, (4):0 face down, "
    "(?):0 unseen"
)


def draw(state: State) -> str:
    """Return the whole table in one line for each column and seat, without a final newline.

    ``4:0`` is a card that seat 0 placed face up, ``(4):0`` one that it placed face down; the
    card that was dealt stands alone. ``>`` marks the seat to act.
    """
    aside = f", set aside {_faces(state.set_aside)}" if state.set_aside else ""
    return "\n".join(
        [
            _round(state.round, state.bank, last=state.last_round) + aside,
            *(_column(number, column) for number, column in enumerate(state.columns)),
            *(
                _seat(
                    seat,
                    state.tokens[seat],
                    _faces(state.hands[seat]),
                    acts=state.turn == seat,
                    in_round=state.in_round[seat],
                )
                for seat in range(len(state.tokens))
            ),
        ]
    )


def draw_observation(seen: Observation) -> str:
    """Return what one seat may know of the table, laid out as `draw` does.

    ``(?):0`` is a card that it has not seen; of other hands it knows the sizes alone.
    """
    aside = f", {seen.set_aside} set aside" if seen.set_aside else ""
    return "\n".join(
        [
            _round(seen.round, seen.bank, last=seen.last_round) + aside,
            *(_column(number, column) for number, column in enumerate(seen.columns)),
            *(
                _seat(
                    seat,
                    tokens,
                    _faces(seen.hand) if seat == seen.seat else _counted(seen.hand_sizes[seat]),
                    acts=seen.to_act == seat,
                    in_round=seen.in_round[seat],
                )
                for seat, tokens in enumerate(seen.tokens)
            ),
        ]
    )


def _round(number: int, bank: int, *, last: bool) -> str:
    return f"round {number}{', the last' if last else ''}, bank {bank}"


def _column(number: int, column: OpenColumn | Column | None) -> str:
    if column is None:
        return f"  column {number}  claimed"
    cards = " ".join(_placed(card) for card in column.cards)
    return f"  column {number}  {column.tokens:2} on it   {cards}"


def _placed(card: PlacedCard | Card) -> str:
    face = card.face if card.up else f"({card.face})"
    return face if card.by is None else f"{face}:{card.by}"


def _seat(seat: int, tokens: int, hand: str, *, acts: bool, in_round: bool) -> str:
    out = "" if in_round else ", out of the round"
    return f"{'>' if acts else ' '} seat {seat}    {tokens:2} tokens  {hand}{out}"


def _faces(faces: Sequence[str]) -> str:
    return " ".join(faces) if faces else "no cards"


def _counted(cards: int) -> str:
    return "1 card" if cards == 1 else f"{cards or 'no'} cards"
