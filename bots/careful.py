"""Looks one action ahead, in Couperation: lays cards so as to keep room where cards are lacking."""

from collections.abc import Callable
from functools import cache

from arena_bot import Action, Bot, Observation, Turn

Value = Callable[[Action], float]


class Careful(Bot):
    """Has no memory: the observation is all that it looks at."""

    name = "careful"
    version = "1.0"
    games = ("couperation",)

    def choose(self, turn: Turn) -> Action:
        """Return the action with the highest value; dice decide between equal ones."""
        value = couperation(turn.observation)
        valued = [(value(action), action) for action in turn.legal_actions]
        best = max(its_value for its_value, _ in valued)
        return turn.rng.choice([action for its_value, action in valued if its_value == best])


Slot = tuple[int, int]

SLOTS = [(row, slot) for row in range(7) for slot in range(7 - row)]
LEFT_TO_RIGHT = sorted(SLOTS, key=lambda at: 2 * at[1] + at[0])
SMALLER = {
    (row, slot): [
        at for at in ((row, slot - 1), (row - 1, slot), (row + 1, slot - 1)) if at in SLOTS
    ]
    for row, slot in SLOTS
}
"""The slots beside, below and above whose cards must be smaller."""

GREATER = {at: [other for other in SLOTS if at in SMALLER[other]] for at in SLOTS}
HOPELESS = 2.0
"""Cost of a slot that no card is left for; one that a single card is left for costs 1."""

FACE_DOWN = 1.0
"""Cost of a card face down."""

RESERVE = 0.5
"""Cost of each card from hand that goes for one from the reserve."""

DRAW = 0.1
"""Value of a card that the next player may draw."""


def limits(tower: dict[Slot, int]) -> dict[Slot, tuple[int, int]]:
    """Return the lowest and highest card of each slot in a complete tower around ``tower``."""
    low: dict[Slot, int] = {}
    for at in LEFT_TO_RIGHT:
        low[at] = tower.get(at) or max((low[other] for other in SMALLER[at]), default=0) + 1
    high: dict[Slot, int] = {}
    for at in reversed(LEFT_TO_RIGHT):
        high[at] = tower.get(at) or min((high[other] for other in GREATER[at]), default=51) - 1
    return {at: (low[at], high[at]) for at in SLOTS}


def trouble(tower: dict[Slot, int], removed: list[int]) -> float:
    """Return a sum over the slots that lack a card face up: the fewer cards fit, the more."""
    left = set(range(1, 51)).difference(tower.values(), removed)
    up_to = [0]
    for card in range(1, 51):
        up_to.append(up_to[-1] + (card in left))
    cost = 0.0
    for at, (low, high) in limits(tower).items():
        if at not in tower:
            fitting = up_to[high] - up_to[low - 1] if low <= high else 0
            cost += fitting**-0.5 if fitting else HOPELESS
    return cost


def diamonds(card: int) -> int:
    """Return the diamonds on ``card``: every fifth card has a heart instead."""
    return card % 3 if card % 5 else 0


def drawn(tower: dict[Slot, int], at: Slot, card: int) -> int:
    """Return how many cards ``card`` in slot ``at`` lets the next player draw."""
    if card % 5:
        return diamonds(card)
    row, slot = at
    return sum(diamonds(tower.get(under, 0)) for under in ((row - 1, slot), (row - 1, slot + 1)))


def couperation(table: Observation) -> Value:
    """Return the value of an action: little trouble left in the tower, cards to draw."""
    tower = {
        (row, slot): 25 if laid["card"] == "finish" else laid["card"]
        for row, slots in enumerate(table["tower"])
        for slot, laid in enumerate(slots)
        if laid and laid["up"]
    }

    # Many actions differ only in the cards that are paid, so each way to lay one is judged once.
    @cache
    def face_up(at: Slot, card: int) -> float:
        return DRAW * drawn(tower, at, card) - trouble({**tower, at: card}, table["removed"])

    def value(action: Action) -> float:
        if action["type"] == "draw":
            return float(action["count"])
        if action["type"] == "discard":
            fits = [low <= action["card"] <= high for low, high in limits(tower).values()]
            return -float(sum(fits))
        at = (action["row"], action["slot"])
        if action["type"] == "reserve":
            paid = len(action["pair"]) + len(action["extra"])
            return face_up(at, action["take"]) - RESERVE * paid
        if action["up"]:
            return face_up(at, 25 if action["card"] == "finish" else action["card"])
        return -trouble(tower, table["removed"]) - FACE_DOWN

    return value


if __name__ == "__main__":
    Careful().run()
