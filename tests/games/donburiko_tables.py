"""Donburiko states made by hand, and matches played at random, for the tests."""

from collections.abc import Sequence
from typing import NamedTuple, cast

from arena.games.base import CardT, Seat
from arena.games.deal import Deal, DealtChance
from arena.games.donburiko import DONBURIKO
from arena.games.donburiko.actions import Action, Claim, Play
from arena.games.donburiko.cards import FACES, Face
from arena.games.donburiko.state import OpenColumn, PlacedCard, State

KEY = bytes(range(32))


class UnshuffledChance:
    """Deals the canonical order; for steps whose next round does not matter."""

    def shuffle(self, purpose: str, cards: Sequence[CardT]) -> tuple[CardT, ...]:
        return tuple(cards)

    def below(self, purpose: str, bound: int) -> int:
        return 0


UNSHUFFLED = UnshuffledChance()


def faces(text: str) -> tuple[Face, ...]:
    """Return the faces in ``text``, which has spaces between them."""
    return cast("tuple[Face, ...]", tuple(text.split()))


def column(text: str) -> OpenColumn:
    """Return the column in ``text``, written as ``draw`` writes it: ``2 4:0 (-1):2``.

    On it lies a token for each card that is face down.
    """
    cards = []
    for word in text.split():
        shown, _, by = word.partition(":")
        face = cast("Face", shown.strip("()"))
        cards.append(PlacedCard(face, not shown.startswith("("), Seat(int(by)) if by else None))
    return OpenColumn(tuple(cards), tokens=sum(not card.up for card in cards))


def table(
    columns: Sequence[str | None],
    hands: Sequence[str],
    tokens: Sequence[int],
    *,
    turn: int = 0,
    in_round: Sequence[bool] | None = None,
    number: int = 1,
    end_met: bool = False,
    set_aside: str = "",
) -> State:
    """Return a state in round ``number``; tokens that lie nowhere else are in the bank."""
    opened = tuple(None if text is None else column(text) for text in columns)
    lying = sum(each.tokens for each in opened if each is not None)
    return State(
        round=number,
        turn=Seat(turn),
        tokens=tuple(tokens),
        bank=50 - sum(tokens) - lying,
        hands=tuple(faces(text) for text in hands),
        in_round=(True,) * len(hands) if in_round is None else tuple(in_round),
        columns=opened,
        set_aside=faces(set_aside),
        end_met=end_met,
        rounds=(),
        happened=(),
    )


def play(state: State, card: str, column: int, *, up: bool) -> State:
    """Return the state after the seat to act plays ``card``."""
    return DONBURIKO.apply(state, Play(card=card, column=column, up=up), UNSHUFFLED)


def claim(state: State, column: int) -> State:
    """Return the state after the seat to act claims ``column``."""
    return DONBURIKO.apply(state, Claim(column=column), UNSHUFFLED)


def all_actions() -> tuple[Action, ...]:
    """Return every action there is in any state, and many that there are in none."""
    columns = (-1, 0, 1, 2, 3, 4, 99, 2**70)
    cards = (*FACES, "?", "7", "0", "", "1 ", "Loach", "9" * 5000)
    return (
        *(Play(card=c, column=n, up=up) for c in cards for n in columns for up in (True, False)),
        *(Claim(column=n) for n in columns),
    )


class Match(NamedTuple):
    """A match played at random."""

    players: int
    states: tuple[State, ...]
    """The opening state, then the one after each action."""

    actions: tuple[Action, ...]


def random_match(players: int, number: int) -> Match:
    """Return the match of deal ``number``, in which every seat picks uniformly."""
    deal = Deal(KEY, "donburiko", "standard", players, number)
    chance = DealtChance(deal)
    picks = deal.stream("test")
    states = [DONBURIKO.deal(chance, players, "standard")]
    actions: list[Action] = []
    while legal := DONBURIKO.legal_actions(states[-1]):
        actions.append(legal[picks.below(len(legal))])
        states.append(DONBURIKO.apply(states[-1], actions[-1], chance))
    return Match(players, tuple(states), tuple(actions))
