"""The whole truth about a match of Couperation at one point, and how a match begins.

Rule numbers refer to RULES.md.
"""

from typing import Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from arena.games.base import Chance, Seat
from arena.games.couperation.actions import Discard, Place, Reserve
from arena.games.couperation.cards import FINISH, FIRST, RESERVE_START, SHUFFLED, Card
from arena.games.couperation.tower import FIRST_SLOT, SIZE, Bands, Laid, Tower, bands

STANDARD = "standard"
WITH_FINISH = "finish"
VARIANTS = (STANDARD, WITH_FINISH)

HAND_SIZE = 3
"""Cards that each player is dealt (R7a)."""

HAND_LIMIT = 3
"""Cards that a player may keep at the end of a turn (R12)."""

RESERVE_DEALT = {2: 4, 3: 3, 4: 2}
"""Cards that the reserve gets from the deck, by number of players (R7b)."""

AFTER_PASS = 1
"""Cards that the turn after a pass draws (R8d)."""

Phase = Literal["draw", "act", "discard"]
Outcome = Literal["won", "lost"]


class Drew(NamedTuple):
    """A seat drew: on every turn, also where it drew nothing."""

    seat: Seat
    cards: tuple[int, ...]
    """What came to hand, in the order of the deck."""

    finish: bool
    """The Finish card came up and lies in front of the seat now."""


class Acted(NamedTuple):
    """A seat placed, used the reserve or discarded."""

    seat: Seat
    action: Place | Reserve | Discard
    replaced: Laid | None = None
    """The card that a reserve action took up from its slot."""


class Passed(NamedTuple):
    """A seat had no legal action, so the referee passed for it (R11)."""

    seat: Seat


Happening = Drew | Acted | Passed


class State(msgspec.Struct, frozen=True, kw_only=True):
    """The whole truth. Only the referee holds one."""

    variant: str
    dealt: tuple[Card, ...]
    """All the cards that were shuffled, in dealing order; the deck is the end of it."""

    taken: int
    """How many of ``dealt`` are no longer in the deck."""

    hands: tuple[tuple[int, ...], ...]
    """By seat, each ascending; the Finish card is never in a hand."""

    front: Seat | None
    """The seat before which the Finish card lies."""

    tower: Tower
    bands: Bands
    """What can be laid in each slot; it follows from ``tower``."""

    reserve: tuple[int, ...]
    """Ascending."""

    removed: tuple[int, ...]
    """Ascending; the extra cards that left the game."""

    seat: Seat
    """Whose turn it is, or whose turn ended the game."""

    phase: Phase
    owed: int
    """How many cards the next turn draws, 0 to 4."""

    passes: int
    """How many turns in a row, up to now, were passes."""

    outcome: Outcome | None
    """``None`` while the game goes on."""

    happened: tuple[Happening, ...]
    """What led from the state before to this one, oldest first."""

    @property
    def deck(self) -> int:
        """The number of cards left in the deck, the Finish card included."""
        return len(self.dealt) - self.taken


def deal(chance: Chance, players: int, variant: str) -> State:
    """Return the opening state: seat 0 is to choose how many cards to draw (R7, R8e).

    Raises:
        ValueError: the game is not for so many players, or has no such variant.
    """
    if players not in RESERVE_DEALT or variant not in VARIANTS:
        raise ValueError(f"no Couperation {variant!r} for {players} players")
    shuffled = chance.shuffle("deck", SHUFFLED)
    in_hands = players * HAND_SIZE
    deck_from = in_hands + RESERVE_DEALT[players]
    dealt: tuple[Card, ...] = shuffled
    if variant == WITH_FINISH:
        first, places = finish_range(players)
        at = first + chance.below("finish", places)
        dealt = (*shuffled[:at], FINISH, *shuffled[at:])
    first_card = Laid(FIRST, up=True, by=None)
    tower = tuple([first_card if at == FIRST_SLOT else None for at in range(SIZE)])
    return State(
        variant=variant,
        dealt=dealt,
        taken=deck_from,
        hands=tuple(tuple(sorted(shuffled[seat:in_hands:players])) for seat in range(players)),
        front=None,
        tower=tower,
        bands=bands(tower),
        reserve=tuple(sorted((*RESERVE_START, *shuffled[in_hands:deck_from]))),
        removed=(),
        seat=Seat(0),
        phase="draw",
        owed=0,
        passes=0,
        outcome=None,
        happened=(),
    )


def finish_range(players: int) -> tuple[int, int]:
    """Return where among the 48 cards the Finish card can lie: (first index, number of places).

    The lower half of the deck has floor(d/2) of its d cards, so the Finish card can lie before
    each of them or after the last (R7d).
    """
    deck_from = players * HAND_SIZE + RESERVE_DEALT[players]
    deck = len(SHUFFLED) - deck_from
    return deck_from + deck - deck // 2, deck // 2 + 1


def draw_cards(state: State, seat: Seat, count: int) -> State:
    """Return ``state`` after ``seat`` drew ``count`` cards, or what is left of the deck (R8).

    The Finish card goes in front of the seat and another card is drawn for it (R8g).
    """
    deck = state.dealt[state.taken : state.taken + count + 1]
    cards = deck[:count]
    finish = FINISH in cards
    if finish:
        cards = deck
    glass = tuple([card for card in cards if card != FINISH])
    hands = state.hands
    if glass:
        hand = tuple(sorted(hands[seat] + glass))
        hands = (*hands[:seat], hand, *hands[seat + 1 :])
    return replace(
        state,
        taken=state.taken + len(cards),
        hands=hands,
        front=seat if finish else state.front,
        seat=seat,
        phase="act",
        happened=(*state.happened, Drew(seat, glass, finish)),
    )
