"""A Couperation table as text, hidden cards included: for the operator alone."""

from collections.abc import Sequence

from arena.games.couperation.cards import FINISH, Card
from arena.games.couperation.rules import to_act
from arena.games.couperation.state import State
from arena.games.couperation.tower import NUMBERS, ROW_SLOTS, Laid

_CELL = 6


def draw(state: State) -> str:
    """Return the tower from its top, then a line for each seat and pile, without a final newline.

    ``(12)`` is a card face down, ``F`` the Finish card, ``.`` an empty slot. ``>`` marks the
    seat to act.
    """
    lines = []
    for row, places in reversed(tuple(enumerate(ROW_SLOTS))):
        cells = "".join(_slot(state.tower[NUMBERS[place]]).center(_CELL) for place in places)
        lines.append(" " * (_CELL // 2 * row) + cells.rstrip())
    lines += [_seat(state, seat) for seat in range(len(state.hands))]
    lines.append(f"  reserve  {_cards(state.reserve)}")
    lines.append(f"  removed  {_cards(state.removed)}")
    lines.append(f"  deck     {state.deck} left")
    return "\n".join(lines)


def _slot(laid: Laid | None) -> str:
    if laid is None:
        return "."
    return _card(laid.card) if laid.up else f"({_card(laid.card)})"


def _seat(state: State, seat: int) -> str:
    mark = ">" if seat == to_act(state) else " "
    front = ", Finish in front" if seat == state.front else ""
    return f"{mark} seat {seat}   {_cards(state.hands[seat])}{front}"


def _cards(cards: Sequence[Card]) -> str:
    return " ".join(map(_card, cards)) or "no cards"


def _card(card: Card) -> str:
    return "F" if card == FINISH else str(card)
