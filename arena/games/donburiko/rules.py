"""The rules of Donburiko as pure functions over `State`. Numbers refer to RULES.md.

Refusals speak only of the table's public side and of the hand of the seat to act, and never
repeat what a bot wrote: its numbers and strings may be of any length.
"""

from typing import TypeVar, assert_never

from msgspec.structs import replace

from arena.errors import IllegalAction
from arena.games.base import Chance, Seat, standing
from arena.games.donburiko.actions import CLAIMS, PLAYS, UP_PLAYS, Action, Claim, Play
from arena.games.donburiko.cards import BEST_SUM, FACES, column_sum, deck, in_order, payment
from arena.games.donburiko.state import (
    CardPlayed,
    ColumnClaimed,
    Happening,
    OpenColumn,
    PlacedCard,
    RoundBegan,
    RoundEnd,
    RoundEnded,
    State,
)

VARIANT = "standard"
TOKENS = 50  # R3
START_TOKENS = {2: 4, 3: 4, 4: 3}  # R3, by number of players
HAND_SIZE = {2: 4, 3: 4, 4: 3}  # R6, by number of players
MOST_CARDS = 6  # R9a
FEWEST_TO_CLAIM = 2  # R12
RICH = 20  # R18

ItemT = TypeVar("ItemT")


def deal(chance: Chance, players: int, variant: str) -> State:
    """Return the match's first turn, in round 1.

    Raises:
        ValueError: Donburiko has no such variant, or is not for that many players.
    """
    if variant != VARIANT:
        raise ValueError(f"Donburiko has no variant {variant!r}")
    cards = deck(players)
    each = START_TOKENS[players]
    before = State(  # the table while nothing is dealt
        round=0,
        turn=None,
        tokens=(each,) * players,
        bank=TOKENS - each * players,
        hands=(),
        in_round=(),
        columns=(),
        set_aside=cards,
        end_met=False,
        rounds=(),
        happened=(),
    )
    return _begin_round(before, chance)


def to_act(state: State) -> Seat | None:
    """Return the seat whose turn it is, ``None`` once the match is over."""
    return state.turn


def legal_actions(state: State) -> tuple[Action, ...]:
    """Return every legal action once, in the order that RULES.md gives under "Actions"."""
    seat = state.turn
    if seat is None:  # R18b
        return ()
    plays = PLAYS if state.tokens[seat] else UP_PLAYS  # R11
    open_columns = []
    claims = []
    for number, column in enumerate(state.columns):
        if column is not None:
            size = len(column.cards)
            if size < MOST_CARDS:  # R9a
                open_columns.append(number)
            if size >= FEWEST_TO_CLAIM:  # R12
                claims.append(CLAIMS[number])
    actions: list[Action] = []
    for face in dict.fromkeys(state.hands[seat]):  # R9, equal faces once
        by_column = plays[face]
        for number in open_columns:
            actions += by_column[number]
    actions += claims
    return tuple(actions)


def apply(state: State, action: Action, chance: Chance) -> State:
    """Return the state after the seat to act does ``action``.

    Raises:
        IllegalAction: a rule forbids it; the message begins with the number of the rule.
    """
    seat = state.turn
    if seat is None:
        raise IllegalAction("R18b: the match is over")
    match action:
        case Play():
            return _play(state, seat, action)
        case Claim():
            return _claim(state, seat, action, chance)
    assert_never(action)


def scores(state: State) -> tuple[int, ...]:
    """Return the tokens by seat (R20)."""
    return state.tokens


def ranks(state: State) -> tuple[int, ...]:
    """Return the places by seat, 1 best (R20)."""
    return standing(state.tokens)


def reason(state: State) -> str:
    """Return why the match is over: ``round_limit`` where R19 alone ended it."""
    return "finished" if state.end_met else "round_limit"


def _begin_round(state: State, chance: Chance) -> State:
    """Return the first turn of the round after ``state``, with the tokens as they are there."""
    players = len(state.tokens)
    number = state.round + 1
    cards = chance.shuffle(f"round-{number}", deck(players))
    dealt = players + players * HAND_SIZE[players]
    starts = Seat((number - 1) % players)  # R7
    return State(
        round=number,
        turn=starts,
        tokens=state.tokens,
        bank=state.bank,
        # One at a time, so that a hand is every so-many-th card (R6).
        hands=tuple(in_order(cards[players + seat : dealt : players]) for seat in range(players)),
        in_round=(True,) * players,
        columns=tuple(  # R5
            OpenColumn((PlacedCard(face, up=True, by=None),), tokens=0) for face in cards[:players]
        ),
        set_aside=cards[dealt:],
        end_met=False,
        rounds=(*state.rounds, cards),
        happened=(*state.happened, RoundBegan(number, starts)),
    )


def _play(state: State, seat: Seat, action: Play) -> State:
    """Place a card (R9 to R11)."""
    hand = state.hands[seat]
    column = _open_column(state, action.column, "R9a")
    if action.card not in hand:
        known = action.card in FACES
        raise IllegalAction(
            f"R9: you hold no {action.card}" if known else "R9: there is no such card"
        )
    if len(column.cards) == MOST_CARDS:
        raise IllegalAction(f"R9a: column {action.column} is full: it has {MOST_CARDS} cards")
    held = state.tokens[seat]
    if action.up:
        gained = 1 if state.bank else 0  # R10
        bank = state.bank - gained
        tokens = _put(state.tokens, seat, held + gained)
        lying = column.tokens
    elif held:
        bank = state.bank
        tokens = _put(state.tokens, seat, held - 1)  # R11
        lying = column.tokens + 1
    else:
        raise IllegalAction("R11: you have no token to put on the column")
    at = hand.index(action.card)
    face = hand[at]
    placed = OpenColumn((*column.cards, PlacedCard(face, action.up, seat)), lying)
    return State(
        round=state.round,
        turn=_next_seat(state.in_round, seat),
        tokens=tokens,
        bank=bank,
        hands=_put(state.hands, seat, hand[:at] + hand[at + 1 :]),
        in_round=state.in_round,
        columns=_put(state.columns, action.column, placed),
        set_aside=state.set_aside,
        end_met=state.end_met or _meets_end(tokens, bank),
        rounds=state.rounds,
        happened=(CardPlayed(seat, action.column, face, action.up),),
    )


def _claim(state: State, seat: Seat, action: Claim, chance: Chance) -> State:
    """Take a column, pay for it, and end the round if that ends it (R12 to R17)."""
    number = action.column
    column = _open_column(state, number, "R12")
    if len(column.cards) < FEWEST_TO_CLAIM:
        raise IllegalAction(f"R12: column {number} has a single card")
    faces = tuple([placed.face for placed in column.cards])
    total = column_sum(faces)
    held = state.tokens[seat] + column.tokens  # R13: before anything is paid
    paid = max(min(payment(total), state.bank), -held)  # R15, R15c
    tokens = _put(state.tokens, seat, held + paid)
    bank = state.bank - paid
    in_round = _put(state.in_round, seat, item=False)  # R12a
    after = State(
        round=state.round,
        turn=_next_seat(in_round, seat),
        tokens=tokens,
        bank=bank,
        hands=state.hands,
        in_round=in_round,
        columns=_put(state.columns, number, None),
        set_aside=state.set_aside,
        end_met=state.end_met or _meets_end(tokens, bank),
        rounds=state.rounds,
        happened=(ColumnClaimed(seat, number, faces, column.tokens, total, paid),),
    )
    end = _round_end(after, total)
    return after if end is None else _end_round(after, end, chance)


def _open_column(state: State, number: int, rule: str) -> OpenColumn:
    """Return column ``number``, or refuse by ``rule`` where there is none."""
    if not 0 <= number < len(state.columns):
        raise IllegalAction(f"{rule}: there is no such column")
    column = state.columns[number]
    if column is None:
        raise IllegalAction(f"{rule}: column {number} has been claimed")
    return column


def _next_seat(in_round: tuple[bool, ...], seat: Seat) -> Seat | None:
    """Return who has the turn after ``seat`` (R7a); ``None`` when all have claimed."""
    players = len(in_round)
    for after in range(seat + 1, seat + players + 1):
        if in_round[after % players]:
            return Seat(after % players)
    return None


def _meets_end(tokens: tuple[int, ...], bank: int) -> bool:
    """Tell whether the table now makes its round the last one (R18)."""
    return bank == 0 or max(tokens) >= RICH


def _round_end(state: State, total: int) -> RoundEnd | None:
    """Return why a claim worth ``total`` that led to ``state`` ends the round, if it does."""
    if total == BEST_SUM:
        return "donburiko"  # R16
    left = [column for column in state.columns if column is not None]
    if not left:
        return "no_columns"  # R16a
    if all(len(column.cards) == 1 for column in left):
        return "single_cards"  # R16b
    return None


def _end_round(state: State, end: RoundEnd, chance: Chance) -> State:
    """Clear the columns of tokens (R17), and begin the next round unless this was the last."""
    lying = sum(column.tokens for column in state.columns if column is not None)
    happened: tuple[Happening, ...] = (*state.happened, RoundEnded(state.round, end))
    cleared = replace(
        state,
        turn=None,
        bank=state.bank + lying,
        columns=tuple(column and column._replace(tokens=0) for column in state.columns),
        happened=happened,
    )
    return cleared if state.last_round else _begin_round(cleared, chance)


def _put(items: tuple[ItemT, ...], at: int, item: ItemT) -> tuple[ItemT, ...]:
    """Return ``items`` with ``item`` in place ``at``."""
    return (*items[:at], item, *items[at + 1 :])
