"""Looks one action ahead, in both games: gives every legal action a value and takes the best."""

from collections import Counter
from collections.abc import Callable
from itertools import combinations

from arena_bot import Action, Bot, Observation, Turn

Value = Callable[[Action], float]


class Greedy(Bot):
    """Has no memory: the observation is all that it looks at."""

    name = "greedy"
    version = "2.0"
    games = ("donburiko", "couperation")

    def choose(self, turn: Turn) -> Action:
        """Return the action with the highest value; dice decide between equal ones."""
        game = donburiko if turn.game == "donburiko" else couperation
        value = game(turn.observation)
        valued = [(value(action), action) for action in turn.legal_actions]
        best = max(its_value for its_value, _ in valued)
        return turn.rng.choice([action for its_value, action in valued if its_value == best])


# Donburiko: claim now, or play a card and hope for a column that the rivals leave?

FACES = {"1": 1, "2": 2, "3": 3, "4": 4, "5": 5, "1/5": 1, "-1": -1, "-2": -2, "loach": 0}
DECK = Counter({"2": 2, "3": 2, "4": 2, "1/5": 2, "-1": 2, "-2": 2, "loach": 2, "1": 1, "5": 1})
MOST = 6
"""The sum that pays most; beyond it, the rest is paid to the bank."""

DONBURIKO = 2.0
"""What a sum of exactly six is worth besides: nobody else scores in this round."""

GIFT = 0.2
"""What an offer to the rivals costs, as a share of the best column on the table."""


def payment(cards: list[str]) -> float:
    """Return what a claim of ``cards`` is worth in tokens."""
    # A loach turns the ponds, which are the only cards below zero.
    low = sum(abs(FACES[card]) if "loach" in cards else FACES[card] for card in cards)
    sums = range(low, low + 4 * cards.count("1/5") + 1, 4)
    if MOST in sums:
        return MOST + DONBURIKO
    return max(total if total < MOST else MOST - total for total in sums)


def donburiko(table: Observation) -> Value:
    """Return the value of an action in tokens: got now, and hoped for on the next turn."""
    columns = table["columns"]
    laid = [card["face"] for column in columns if column for card in column["cards"]]
    unseen = DECK - Counter(laid) - Counter(table["hand"])
    if len(table["tokens"]) == 2:  # noqa: PLR2004  # two players do without these cards
        del unseen["1/5"]
    rivals = sum(table["in_round"]) - 1

    def worth(at: int, *more: str) -> float:
        # Whatever has not been seen may lie face down, all of it equally likely.
        faces = [card["face"] for card in columns[at]["cards"]]
        known = [face for face in faces if face != "?"] + list(more)
        hidden = combinations(unseen.elements(), faces.count("?"))
        payments = [payment([*known, *cards]) for cards in hidden]
        return sum(payments) / len(payments) + float(columns[at]["tokens"])

    offers = {at: worth(at) for at, each in enumerate(columns) if each and len(each["cards"]) > 1}

    def value(action: Action) -> float:
        at = action["column"]
        if action["type"] == "claim":
            return offers[at]
        # A token from the bank, or one of our own onto the column.
        got, given = (min(table["bank"], 1), 0) if action["up"] else (-1, 1)
        after = offers | {at: worth(at, action["card"]) + given}
        best_first = sorted(after.values(), reverse=True)
        # Every rival takes the best column that is left, before it is our turn again.
        left = best_first[rivals] if rivals < len(best_first) else 0.0
        return got + left - GIFT * best_first[0]

    return value


# Couperation: how far is a card from its place in an evenly filled tower?

FACE_DOWN = 10
"""A card face down is as bad as one that is so far from its place."""

PAID = 2
"""The same for each card from hand that goes for one from the reserve."""


def distance(row: int, slot: int, card: int) -> int:
    """Return how far ``card`` is from the number that an evenly filled tower has in a slot."""
    # From 1 to 49: a row goes up by eight, and a card above two others is halfway between them.
    return abs(card - (1 + 4 * (2 * slot + row)))


def couperation(table: Observation) -> Value:
    """Return the value of an action: every card close to its place, and few cards spent on it."""
    lacking = [
        (row, slot)
        for row, slots in enumerate(table["tower"])
        for slot, laid in enumerate(slots)
        if not (laid and laid["up"])
    ]

    def value(action: Action) -> float:
        if action["type"] == "draw":
            return float(action["count"])
        if action["type"] == "discard":
            return min((distance(*at, action["card"]) for at in lacking), default=0)
        at = (action["row"], action["slot"])
        if action["type"] == "reserve":
            paid = len(action["pair"]) + len(action["extra"])
            return -distance(*at, action["take"]) - PAID * paid
        if action["up"]:
            return -distance(*at, 25 if action["card"] == "finish" else action["card"])
        return -FACE_DOWN

    return value


if __name__ == "__main__":
    Greedy().run()
