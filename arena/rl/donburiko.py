"""Donburiko as an environment of PettingZoo, and as numbers; the layout is in README.md."""

from collections.abc import Mapping
from functools import cache

from arena.games.donburiko import DONBURIKO
from arena.games.donburiko.actions import Action, Claim, Play
from arena.games.donburiko.cards import HIDDEN, deck
from arena.games.donburiko.observation import Observation
from arena.games.donburiko.rules import HAND_SIZE, MOST_CARDS, TOKENS
from arena.games.donburiko.state import ROUND_LIMIT
from arena.rl.encoding import (
    AnyEncoding,
    Encoding,
    Layout,
    Named,
    Part,
    by_seat,
    count_for,
    spans_of,
)
from arena.rl.environment import Maker

_SIDES = 2
_COPIES = 2


def encoding(players: int) -> AnyEncoding:
    """Return how Donburiko for ``players`` becomes numbers.

    Raises:
        TypeError: ``players`` is not a whole number.
        ValueError: it is not for so many.
    """
    return _encoding(count_for(DONBURIKO, players))


@cache
def _encoding(players: int) -> AnyEncoding:
    faces = tuple(dict.fromkeys(deck(players)))
    numbers: dict[str, int] = {face: at for at, face in enumerate(faces)}
    sides = len(faces) * players * _SIDES
    layout = Layout(_parts(players, len(faces)))

    def named(seen: Observation) -> Named:
        return _named(seen, layout, {**numbers, HIDDEN: len(faces)})

    def index(action: Action, _seen: Observation) -> int:
        if isinstance(action, Claim):
            return sides + action.column
        of_face = numbers[action.card] * players + action.column
        return of_face * _SIDES + (not action.up)

    def action(number: int, _seen: Observation) -> Action:
        if not 0 <= number < sides + players:
            raise ValueError(f"Donburiko for {players} has no action {number}")
        if number >= sides:
            return Claim(column=number - sides)
        face, rest = divmod(number, players * _SIDES)
        column, down = divmod(rest, _SIDES)
        return Play(card=faces[face], column=column, up=not down)

    spans = spans_of(
        ("play", sides, "(face * players + column) * 2 + 1 if face down"),
        ("claim", players, "the column"),
    )
    return Encoding(encoding, DONBURIKO, players, layout, named, spans, index, action)


env = Maker(encoding)
"""Makes Donburiko an environment, with PettingZoo's check of the order of calls around it."""

raw_env = Maker(encoding, checked=False)
"""Makes the same without the check."""


def _parts(players: int, faces: int) -> list[Part]:
    hand = HAND_SIZE[players]
    placed = (players, MOST_CARDS)
    relative = "by seat from the own one on"
    return [
        Part("seat", (players,), 1, "one-hot: the own seat, counted as at the table"),
        Part("to_act", (players,), 1, f"one-hot, {relative}: whose turn it is; zeros once over"),
        Part("round", (1,), ROUND_LIMIT, "number of the round"),
        Part("last_round", (1,), 1, "whether the round is known to be the last"),
        Part("tokens", (players,), TOKENS, f"tokens, {relative}"),
        Part("bank", (1,), TOKENS, "tokens in the bank"),
        Part("hand", (faces,), _COPIES, "cards in the own hand, by face"),
        Part("hand_sizes", (players,), hand, f"cards in hand, {relative}"),
        Part("in_round", (players,), 1, f"whether a seat is still in the round, {relative}"),
        Part("set_aside", (1,), 4, "cards set aside"),
        Part("open", (players,), 1, "by column: whether nobody has claimed it"),
        Part("column_tokens", (players,), TOKENS, "by column: tokens on it"),
        Part(
            "card_face",
            (*placed, faces + 1),
            1,
            "one-hot, by column and place in it: the face; last comes one not known",
        ),
        Part("card_up", placed, 1, "by column and place in it: whether the card is face up"),
        Part(
            "card_by",
            (*placed, players),
            1,
            f"one-hot, by column and place in it: who placed the card, {relative}; zeros where it "
            "was dealt",
        ),
    ]


def _named(seen: Observation, layout: Layout, faces: Mapping[str, int]) -> Named:
    own, players = seen.seat, len(seen.tokens)
    found = layout.zeros()
    found["seat"][own] = 1
    if seen.to_act is not None:
        found["to_act"][(seen.to_act - own) % players] = 1
    found["round"][0] = seen.round
    found["last_round"][0] = seen.last_round
    found["tokens"][:] = by_seat(seen.tokens, own)
    found["bank"][0] = seen.bank
    for face in seen.hand:
        found["hand"][faces[face]] += 1
    found["hand_sizes"][:] = by_seat(seen.hand_sizes, own)
    found["in_round"][:] = by_seat(seen.in_round, own)
    found["set_aside"][0] = seen.set_aside
    for number, column in enumerate(seen.columns):
        if column is None:
            continue
        found["open"][number] = 1
        found["column_tokens"][number] = column.tokens
        for place, card in enumerate(column.cards):
            found["card_face"][number, place, faces[card.face]] = 1
            found["card_up"][number, place] = card.up
            if card.by is not None:
                found["card_by"][number, place, (card.by - own) % players] = 1
    return found
