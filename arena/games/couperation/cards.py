"""The cards of Couperation and their marks. Rule numbers refer to RULES.md."""

from collections.abc import Mapping
from typing import Final, Literal

Card = int | Literal["finish"]
"""A glass card by its number, 1 to 50, or the Finish card (R1)."""

FINISH: Final = "finish"
FINISH_VALUE = 25

GLASS = tuple(range(1, 51))
FIRST: Final = 25
"""The card that lies in the tower from the start (R7c)."""

RESERVE_START = (1, 50)
"""The cards that the reserve begins with, whatever is dealt (R7b)."""

SHUFFLED = tuple(card for card in GLASS if card != FIRST and card not in RESERVE_START)
"""The 47 cards that are shuffled, in canonical order (R7a)."""

VALUES: Mapping[Card, int] = {**{card: card for card in GLASS}, FINISH: FINISH_VALUE}
"""What a card counts as where cards are compared (R1)."""

HEART: Final = -1

MARKS: Mapping[int, int] = dict(
    enumerate(
        (
            *(1, 2, 0, 1, HEART, 0, 1, 2, 0, HEART),  # 1 to 10
            *(2, 0, 1, 2, HEART, 1, 2, 0, 1, HEART),  # 11 to 20
            *(0, 1, 2, 0, HEART, 2, 0, 1, 2, HEART),  # 21 to 30
            *(1, 2, 0, 1, HEART, 0, 1, 2, 0, HEART),  # 31 to 40
            *(2, 0, 1, 2, HEART, 1, 2, 0, 1, HEART),  # 41 to 50
        ),
        start=1,
    )
)
"""Diamonds by glass card, or `HEART` (R2).

The one place that knows which card has which mark: whoever holds the printed deck corrects it
here and raises the game's ``rules_version``.
"""


def diamonds(card: Card) -> int:
    """Return the number of diamonds on ``card``; a heart and the Finish card have none."""
    return 0 if card == FINISH else max(MARKS[card], 0)
