"""A Donburiko table as text, hidden cards included: for the operator alone."""

from arena.games.donburiko.cards import Face
from arena.games.donburiko.state import OpenColumn, PlacedCard, State


def draw(state: State) -> str:
    """Return the whole table in one line for each column and seat, without a final newline.

    ``4:0`` is a card that seat 0 placed face up, ``(4):0`` one that it placed face down; the
    card that was dealt stands alone. ``>`` marks the seat to act.
    """
    last = ", the last" if state.last_round else ""
    aside = f", set aside {_faces(state.set_aside)}" if state.set_aside else ""
    lines = [f"round {state.round}{last}, bank {state.bank}{aside}"]
    lines += [_column(number, column) for number, column in enumerate(state.columns)]
    lines += [_seat(state, seat) for seat in range(len(state.tokens))]
    return "\n".join(lines)


def _column(number: int, column: OpenColumn | None) -> str:
    if column is None:
        return f"  column {number}  claimed"
    cards = " ".join(_placed(card) for card in column.cards)
    return f"  column {number}  {column.tokens:2} on it   {cards}"


def _placed(card: PlacedCard) -> str:
    face = card.face if card.up else f"({card.face})"
    return face if card.by is None else f"{face}:{card.by}"


def _seat(state: State, seat: int) -> str:
    mark = ">" if state.turn == seat else " "
    out = "" if state.in_round[seat] else ", out of the round"
    return f"{mark} seat {seat}    {state.tokens[seat]:2} tokens  {_faces(state.hands[seat])}{out}"


def _faces(faces: tuple[Face, ...]) -> str:
    return " ".join(faces) if faces else "no cards"
