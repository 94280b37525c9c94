"""Tuck, a toy game of three rules: a third party's game, to which nothing in arena is adapted.

Nine cards, 1 to 9. Each seat is dealt two and plays one a turn, face up for its value or face
down for 5; once the hands are empty the most points win.

`install` makes it a package with an entry point, as pip would.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from arena.errors import IllegalAction, RecordError
from arena.games.base import Chance, Fault, Game, Kind, Public, Seat, standing

DECK = tuple(range(1, 10))


class Play(Public, frozen=True, kw_only=True, tag="play"):
    card: int
    up: bool


class Played(Public, frozen=True, kw_only=True, tag="played"):
    seat: int
    card: int | None


class Observation(Public, frozen=True, kw_only=True):
    seat: int
    hand: tuple[int, ...]


class Cards(Public, frozen=True, kw_only=True):
    deck: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class State:
    deck: tuple[int, ...]
    hands: tuple[tuple[int, ...], ...]
    row: tuple[tuple[int, int, bool], ...] = ()


def deal(chance: Chance, players: int, variant: str) -> State:
    deck = chance.shuffle("deck", DECK)
    return State(
        deck, tuple(tuple(sorted(deck[seat * 2 : seat * 2 + 2])) for seat in range(players))
    )


def to_act(state: State) -> Seat | None:
    return Seat(len(state.row) % len(state.hands)) if any(state.hands) else None


def legal_actions(state: State) -> tuple[Play, ...]:
    seat = to_act(state)
    if seat is None:
        return ()
    return tuple(Play(card=card, up=up) for card in state.hands[seat] for up in (True, False))


def apply(state: State, action: Play, chance: Chance) -> State:
    seat = to_act(state)
    if seat is None or action.card not in state.hands[seat]:
        raise IllegalAction(f"T2: card {action.card} is not in your hand")
    left = tuple(card for card in state.hands[seat] if card != action.card)
    hands = (*state.hands[:seat], left, *state.hands[seat + 1 :])
    return replace(state, hands=hands, row=(*state.row, (seat, action.card, action.up)))


def events(state: State, viewer: Seat) -> tuple[Public, ...]:
    if not state.row:
        return ()
    seat, card, up = state.row[-1]
    return (Played(seat=seat, card=card if up or seat == viewer else None),)


def scores(state: State) -> tuple[int, ...]:
    return tuple(
        sum((card if up else 5) for owner, card, up in state.row if owner == seat)
        for seat in range(len(state.hands))
    )


class Recorded:
    def __init__(self, cards: Cards) -> None:
        if sorted(cards.deck) != list(DECK):
            raise RecordError("cards: not the deck of Tuck")
        self._cards = cards

    def shuffle(self, purpose: str, cards: Any) -> tuple[Any, ...]:
        return self._cards.deck

    def below(self, purpose: str, bound: int) -> int:
        raise RecordError("Tuck has no such chance")


TUCK: Game[State, Play, Observation] = Game(
    name="tuck",
    rules_version=1,
    kind=Kind.COMPETITIVE,
    player_counts=(2, 3, 4),
    variants=("standard",),
    action_type=Play,
    observation_type=Observation,
    event_type=Played | Fault,
    cards_type=Cards,
    deal=deal,
    to_act=to_act,
    legal_actions=legal_actions,
    apply=apply,
    observe=lambda state, seat: Observation(seat=seat, hand=state.hands[seat]),
    events=events,
    scores=scores,
    ranks=lambda state: standing(scores(state)),
    reason=lambda state: "finished",
    best_score=None,
    cards=lambda state: Cards(deck=state.deck),
    chance_of=lambda cards, players, variant: Recorded(cards),
    draw=str,
)


def install(site: Path) -> Path:
    """Make ``site`` a folder that, on the import path, offers Tuck by an entry point."""
    facts = site / "tuck-1.0.dist-info"
    facts.mkdir(parents=True)
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: tuck\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text("[arena.games]\ntuck = tuck_game:TUCK\n")
    (site / "tuck_game.py").write_text(Path(__file__).read_text(encoding="utf-8"))
    return site
