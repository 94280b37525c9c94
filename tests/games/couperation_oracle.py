"""Couperation once more, written from RULES.md alone and sharing no code with the engine.

It is slow, changes in place and knows everything; the engine is compared with it step by step.
Actions are its only common ground with the engine: they are the wire's.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations, product

from arena.games.couperation.actions import Action, Discard, Draw, Place, Reserve
from arena.games.couperation.cards import Card

Spot = tuple[int, int]
DEALT_TO_RESERVE = {2: 4, 3: 3, 4: 2}


def worth(card: Card) -> int:
    return 25 if card == "finish" else card


def mark(card: Card) -> str | int:
    if card == "finish":
        return 0
    return "heart" if card % 5 == 0 else card % 3


class Oracle:
    def __init__(self, dealt: Sequence[Card], players: int) -> None:
        self.with_finish = "finish" in dealt
        self.deck = list(dealt)
        self.hands: list[set[Card]] = [set() for _ in range(players)]
        for _ in range(3):
            for hand in self.hands:
                hand.add(self.deck.pop(0))
        self.reserve: set[Card] = {1, 50}
        for _ in range(DEALT_TO_RESERVE[players]):
            self.reserve.add(self.deck.pop(0))
        self.removed: set[Card] = set()
        self.finish_before: int | None = None
        self.tower: dict[Spot, tuple[Card, bool, int | None]] = {(0, 3): (25, True, None)}
        self.turn = 0
        self.decision: str | None = "draw"
        self.ending: str | None = None
        self.next_draw = 0
        self.row_of_passes = 0

    # The tower

    def can_be_filled(self, spot: Spot) -> bool:
        row, slot = spot
        if row == 0:
            return True
        return (row - 1, slot) in self.tower and (row - 1, slot + 1) in self.tower

    def fits(self, card: Card, spot: Spot) -> bool:
        row, slot = spot
        open_faces = {
            place: worth(other)
            for place, (other, up, _) in self.tower.items()
            if up and place != spot
        }
        must_be_less, must_be_more = [], []
        left = [at for at in range(slot) if (row, at) in open_faces]
        right = [at for at in range(slot + 1, 7) if (row, at) in open_faces]
        if left:
            must_be_less.append((row, left[-1]))
        if right:
            must_be_more.append((row, right[0]))
        must_be_less += [(row - 1, slot), (row + 1, slot - 1)]
        must_be_more += [(row - 1, slot + 1), (row + 1, slot)]
        return all(open_faces.get(place, -1) < worth(card) for place in must_be_less) and all(
            open_faces.get(place, 99) > worth(card) for place in must_be_more
        )

    # Legality

    def is_legal(self, action: Action) -> bool:
        hand = self.hands[self.turn]
        if isinstance(action, Draw):
            return self.decision == "draw" and action.count in {0, 1}
        if isinstance(action, Discard):
            return self.decision == "discard" and action.card in hand
        if self.decision != "act" or not self.is_spot((action.row, action.slot)):
            return False
        if isinstance(action, Place):
            return self.may_place(action)
        return self.may_use_reserve(action)

    @staticmethod
    def is_spot(spot: Spot) -> bool:
        return spot[0] in range(7) and spot[1] in range(7 - spot[0])

    def may_place(self, action: Place) -> bool:
        spot = (action.row, action.slot)
        if action.card == "finish":
            owned = self.finish_before == self.turn and action.up
        else:
            owned = action.card in self.hands[self.turn]
        free = spot not in self.tower and self.can_be_filled(spot)
        return owned and free and (not action.up or self.fits(action.card, spot))

    def may_use_reserve(self, action: Reserve) -> bool:
        low, high = action.pair
        extra = len(action.extra)
        if action.take not in {
            high + low + extra,
            high + low - extra,
            high - low + extra,
            high - low - extra,
        }:
            return False
        spent = [low, high, *action.extra]
        if len(set(spent)) < len(spent) or not self.hands[self.turn].issuperset(spent):
            return False
        if low > high or list(action.extra) != sorted(action.extra):
            return False
        spot = (action.row, action.slot)
        return (
            action.take in self.reserve | {low, high}
            and (spot in self.tower or self.can_be_filled(spot))
            and self.fits(action.take, spot)
        )

    def candidates(self) -> Iterator[Action]:
        """Yield every action that could possibly be legal, most of which are not."""
        spots = [(row, slot) for row in range(7) for slot in range(7 - row)]
        hand = sorted(card for card in self.hands[self.turn] if card != "finish")
        yield from (Draw(count=count) for count in range(3))
        yield from (Discard(card=card) for card in range(1, 51))
        placeable: list[Card] = [*hand, "finish"]
        for card, (row, slot), up in product(placeable, spots, (True, False)):
            yield Place(card=card, row=row, slot=slot, up=up)
        for pair in combinations(hand, 2):
            rest = [card for card in hand if card not in pair]
            for size in range(len(rest) + 1):
                for extra, take in product(combinations(rest, size), range(1, 51)):
                    if abs(take - pair[1]) <= pair[0] + size:  # out of reach otherwise
                        for row, slot in spots:
                            yield Reserve(pair=pair, extra=extra, take=take, row=row, slot=slot)

    def legal(self) -> list[Action]:
        return [action for action in self.candidates() if self.is_legal(action)]

    # Play

    def do(self, action: Action) -> None:
        """Do a legal action, and all that follows from it without a decision."""
        hand = self.hands[self.turn]
        if isinstance(action, Draw):
            self.draw(action.count)
            self.decision = "act"
            return
        if isinstance(action, Discard):
            hand.remove(action.card)
            self.reserve.add(action.card)
        elif isinstance(action, Place):
            if action.card == "finish":
                self.finish_before = None
            else:
                hand.remove(action.card)
            self.build(action.card, (action.row, action.slot), up=action.up)
        else:
            hand -= {*action.pair, *action.extra}
            self.removed |= set(action.extra)
            self.reserve |= set(action.pair)
            self.reserve.remove(action.take)
            taken_up = self.tower.pop((action.row, action.slot), None)
            if taken_up and taken_up[0] == "finish":
                self.finish_before = self.turn
            elif taken_up:
                hand.add(taken_up[0])
            self.build(action.take, (action.row, action.slot), up=True)
        if not isinstance(action, Discard):
            self.row_of_passes = 0
            if self.has_won(action):
                self.ending, self.decision = "won", None
                return
        self.finish_turn()

    def build(self, card: Card, spot: Spot, *, up: bool) -> None:
        self.tower[spot] = (card, up, self.turn)
        row, slot = spot
        sign = mark(card)
        if not up:
            self.next_draw = 0
        elif sign == "heart":
            below = [self.tower.get((row - 1, slot + side)) for side in (0, 1)]
            signs = [mark(under[0]) for under in below if under and under[1]]
            self.next_draw = sum(each for each in signs if isinstance(each, int))
        else:
            self.next_draw = int(sign)

    def has_won(self, action: Action) -> bool:
        if [up for _, up, _ in self.tower.values()].count(True) < 28:
            return False
        return not self.with_finish or (isinstance(action, Place) and action.card == "finish")

    def draw(self, count: int) -> None:
        while count > 0 and self.deck:
            card = self.deck.pop(0)
            if card == "finish":
                self.finish_before = self.turn
            else:
                self.hands[self.turn].add(card)
                count -= 1

    def finish_turn(self) -> None:
        if len(self.hands[self.turn]) > 3:
            self.decision = "discard"
            return
        self.turn = (self.turn + 1) % len(self.hands)
        self.draw(self.next_draw)
        self.decision = "act"
        if any(self.is_legal(action) for action in self.candidates()):
            return
        self.next_draw = 1
        self.row_of_passes += 1
        if self.row_of_passes >= len(self.hands) and not self.deck:
            self.ending, self.decision = "lost", None
        else:
            self.finish_turn()
