"""mybot: a first bot for both games. Everything here may be changed.

A turn also has `events` (what happened since the last question), `seat`, `players`, `variant`,
`move_ms`, `elapsed_ms()` and `rng`: dice that repeat when a match is repeated. `print` writes to
the bot's log. All of it is explained in arena_bot.py, beside this file.
"""

from __future__ import annotations

from arena_bot import Action, Bot, Match, Record, Result, Turn, couperation, donburiko


class MyBot(Bot):
    """Takes the action that the functions below value most."""

    name = "mybot"
    version = "0.1"
    games = ("donburiko", "couperation")  # leave out what it does not play

    def start(self, match: Match) -> None:
        """Set up what is remembered of a match: a process may play several."""

    def choose(self, turn: Turn) -> Action | Record:
        """Return one of the legal actions, within `turn.move_ms` milliseconds."""
        if turn.game == "donburiko":
            table = donburiko.observation(turn.observation)
            actions = donburiko.legal_actions(turn.legal_actions)
            return max(actions, key=lambda action: value_in_donburiko(table, action))
        return max(couperation.legal_actions(turn.legal_actions), key=value_in_couperation)

    def end(self, result: Result) -> None:
        """Look at how it ended: `result.scores` and `result.ranks`, by seat."""


# Donburiko: claim a column that pays enough, else play a card face up where the others gain least.

FACES = {"1": 1, "2": 2, "3": 3, "4": 4, "5": 5, "1/5": 1, "-1": -1, "-2": -2, "loach": 0, "?": 2}
BEST = 6  # the sum that pays most; what is over it has to be paid
ENOUGH = 4  # tokens for which a column is claimed at once
GIFT = 0.2  # how much of what a column is worth counts as a gift to the next player


def worth(faces: list[str]) -> int:
    """Return about how many tokens a column of these cards pays; loaches turn the ponds."""
    turned = "loach" in faces
    total = sum(abs(FACES[face]) if turned else FACES[face] for face in faces)
    return total if total <= BEST else BEST - total


def value_in_donburiko(table: donburiko.Observation, action: donburiko.Action) -> float:
    """Return what an action is worth, in tokens."""
    column = table.columns[action.column]
    faces = [card.face for card in column.cards] if column else []
    if isinstance(action, donburiko.Claim):
        return worth(faces) + (column.tokens if column else 0) - ENOUGH
    # A card face up brings a token and one face down costs one; somebody else may claim first.
    token = 1 if action.up else -1
    return token - GIFT * max(0, worth([*faces, action.card])) - 1


# Couperation: numbers grow from left to right, so lay each card where its place will be.

MIDDLE = 25  # the first card, and what the Finish card counts
FACE_DOWN = 20  # how much worse a card face down is
PAID = 5  # what each card from hand is worth that goes for one of the reserve


def distance(row: int, slot: int, card: couperation.Card) -> float:
    """Return how far a card is from the number that its slot has in an evenly filled tower."""
    number = MIDDLE if card == "finish" else card
    return abs(number - MIDDLE * (2 * slot + row + 1) / 7)


def value_in_couperation(action: couperation.Action) -> float:
    """Return what an action is worth: a card face up in a good place, most of all."""
    if isinstance(action, couperation.Place):
        return -distance(action.row, action.slot, action.card) - (0 if action.up else FACE_DOWN)
    if isinstance(action, couperation.Reserve):
        cards = len(action.pair) + len(action.extra)
        return -distance(action.row, action.slot, action.take) - PAID * cards
    if isinstance(action, couperation.Draw):
        return action.count
    return abs(action.card - MIDDLE)  # to discard: the middle has the most places


if __name__ == "__main__":
    MyBot().run()
