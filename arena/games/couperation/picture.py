"""A Couperation table as text: as it is, for the operator alone, and as one seat sees it."""

from collections.abc import Callable, Sequence

from arena.games.couperation.cards import FINISH, Card
from arena.games.couperation.observation import Observation, Slot
from arena.games.couperation.rules import to_act
from arena.games.couperation.state import State
from arena.games.couperation.tower import NUMBERS, ROW_SLOTS, Laid

LEGEND = (
    "> to act; in the tower (12) is a card face down, (?) one not known, F the Finish card, . an "
    "empty slot; rows count from 0 at the bottom, slots from 0 at the left"
)
_CELL = 6


def draw(state: State) -> str:
    """Return the tower from its top, then a line for each seat and pile, without a final newline.

    ``(12)`` is a card face down, ``F`` the Finish card, ``.`` an empty slot. ``>`` marks the
    seat to act.
    """
    acts = to_act(state)
    return "\n".join(
        [
            *_tower(lambda row, slot: _slot(state.tower[NUMBERS[row, slot]])),
            *(
                _seat(seat, _cards(hand), acts=seat == acts, finish=seat == state.front)
                for seat, hand in enumerate(state.hands)
            ),
            *_piles(state.reserve, state.removed, state.deck),
        ]
    )


def draw_observation(seen: Observation) -> str:
    """Return what one seat may know of the table, laid out as `draw` does.

    ``(?)`` is a card that it may not know; of other hands it knows the sizes alone.
    """
    return "\n".join(
        [
            *_tower(lambda row, slot: _slot(seen.tower[row][slot])),
            *(
                _seat(
                    seat,
                    _cards(seen.hand) if seat == seen.seat else _counted(size),
                    acts=seat == seen.to_act,
                    finish=seat == seen.finish,
                )
                for seat, size in enumerate(seen.hand_sizes)
            ),
            *_piles(seen.reserve, seen.removed, seen.deck),
        ]
    )


def _tower(shown: Callable[[int, int], str]) -> list[str]:
    """Return the rows from the top; ``shown(row, slot)`` is what stands in a slot's place."""
    lines = []
    for row, places in reversed(tuple(enumerate(ROW_SLOTS))):
        cells = "".join(shown(*place).center(_CELL) for place in places)
        lines.append(" " * (_CELL // 2 * row) + cells.rstrip())
    return lines


def _slot(laid: Laid | Slot | None) -> str:
    if laid is None:
        return "."
    card = "?" if laid.card is None else _card(laid.card)
    return card if laid.up else f"({card})"


def _seat(seat: int, hand: str, *, acts: bool, finish: bool) -> str:
    front = ", Finish in front" if finish else ""
    return f"{'>' if acts else ' '} seat {seat}   {hand}{front}"


def _piles(reserve: Sequence[Card], removed: Sequence[Card], deck: int) -> list[str]:
    return [
        f"  reserve  {_cards(reserve)}",
        f"  removed  {_cards(removed)}",
        f"  deck     {deck} left",
    ]


def _cards(cards: Sequence[Card]) -> str:
    return " ".join(map(_card, cards)) or "no cards"


def _card(card: Card) -> str:
    return "F" if card == FINISH else str(card)


def _counted(cards: int) -> str:
    return "1 card" if cards == 1 else f"{cards or 'no'} cards"
