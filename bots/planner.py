"""Plays Couperation: judges a table by what may still be laid, and looks ahead in likely worlds.

*Judgement.* For each slot that lacks a card face up it works out the lowest and the highest card
that a complete tower could have there, and counts the cards between: those that nobody has seen,
those of the reserve, those in its own hand. Tables say how likely the slot is to be filled in the
end with so many of each. The sum over the slots, with a few weights for cards to spare, for what
the next player draws and for how welcome an unseen card would be, is about the score to come. These
numbers were learned in some 400 000 matches of a team that always took the action it valued most:
each value was brought closer to those that followed it (temporal differences, lambda 0.7). Two to
four players and both variants share them.

*Worlds.* What the seat has not seen is dealt out at random: to partners' hands, under their cards
face down, to the deck. A card that a partner took up for this seat to see stays in that hand until
it is played, or until it may have been laid face down. The Finish card is in the lower half of the
deck.

*Search.* The few actions that look best at first sight are tried in the same worlds: after each,
the table is played on once around, everybody doing what looks best to them, and judged there. After
each round of tries the better half of the actions stays. Partners are taken to be as good as
itself, whatever they do.

The number of tries goes by the time for a move, not by the clock, and takes a fifth of that time
where a processor is free. Dice are seeded by the match. So a repeated match is played the same way
again, unless a machine was so slow that a brake cut a search short.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import combinations, islice
from math import exp
from random import Random

from arena_bot import Action, Bot, Event, Match, Observation, Turn

# The tower. Sets of cards are whole numbers whose bit n stands for card n.

SIZE, TOP = 28, 27
FINISH, FINISH_VALUE = 51, 25
FACE_DOWN = -FINISH
"""A card face down, whichever it is."""

GLASS = (1 << 51) - 2
FROM = [-1 << card for card in range(53)]
"""The cards from each number on."""

PLACES = [(row, slot) for row in range(7) for slot in range(7 - row)]
AT = {place: at for at, place in enumerate(PLACES)}
NONE = SIZE
"""The number of a slot that the tower does not have."""


def slot_at(row: int, slot: int) -> int:
    """Return the number of a slot, 0 to 27, or `NONE`."""
    return AT.get((row, slot), NONE)


ROWS = [[AT[row, slot] for slot in range(7 - row)] for row in range(7)]
SUPPORTS = [(slot_at(row - 1, slot), slot_at(row - 1, slot + 1)) for row, slot in PLACES]
SMALLER = [(slot_at(row - 1, slot), slot_at(row + 1, slot - 1)) for row, slot in PLACES]
"""By slot: those below and above whose cards must be smaller."""

GREATER = [(slot_at(row - 1, slot + 1), slot_at(row + 1, slot)) for row, slot in PLACES]
LEFT_TO_RIGHT = sorted(range(SIZE), key=lambda at: 2 * PLACES[at][1] + PLACES[at][0])
UPWARD = [(at, *SMALLER[at]) for at in LEFT_TO_RIGHT]
DOWNWARD = [(at, *GREATER[at]) for at in reversed(LEFT_TO_RIGHT)]
VALUES = [*range(51), FINISH_VALUE]
DIAMONDS = [card % 3 if card % 5 else 0 for card in range(51)] + [0]


def cards_of(cards: int) -> Iterator[int]:
    """Yield the cards of a set, ascending."""
    while cards:
        lowest = cards & -cards
        yield lowest.bit_length() - 1
        cards ^= lowest


def set_of(cards: Iterable[int]) -> int:
    """Return ``cards`` as a set."""
    return sum(1 << card for card in cards)


def draws_for(tower: list[int], at: int) -> int:
    """Return how many cards the card in slot ``at`` lets the next player draw."""
    card = tower[at]
    if card <= 0:
        return 0
    if card == FINISH or card % 5:
        return DIAMONDS[card]
    return sum(DIAMONDS[tower[under]] for under in SUPPORTS[at] if tower[under] > 0)


# The game, as far as a search needs it.

Move = tuple[int, int, int, int]
"""A card, a slot, and the sets of cards that are paid: the pair and the extra cards.

A card less than 0 goes face down. Where a card is discarded, `DISCARD` stands in place of the slot;
where the first player draws, `DRAW`, and the number of cards in place of the card.
"""

DISCARD, DRAW = -1, -2
HAND_LIMIT = 3


@cache
def reachable(pair: int, extra: int) -> int:
    """Return the cards that a pair reaches with as many ``extra`` cards."""
    small, great = cards_of(pair)
    goals = (great + small, great - small)
    return set_of({goal + shift for goal in goals for shift in (extra, -extra)} & set(range(1, 51)))


class World:
    """A whole table, hidden cards included, as it might be."""

    __slots__ = (
        *("deck", "downs", "finish_last", "front", "hands", "over", "owed", "passes", "phase"),
        *("players", "removed", "reserve", "seat", "tower", "up", "won"),
    )

    def __init__(self, players: int, *, finish_last: bool) -> None:
        self.players = players
        self.finish_last = finish_last
        """The variant in which the Finish card has to be placed last."""
        self.tower = [0] * SIZE + [FACE_DOWN]
        """By slot: 0, a card face up, or less than 0 for one face down; `NONE` sets no limit."""
        self.up = self.reserve = self.removed = 0
        """Glass cards face up in the tower, in the reserve, and out of the game."""
        self.hands = [0] * players
        self.downs = [0] * players
        """What each seat has placed face down and lies there still."""
        self.deck: list[int] = []
        """The next card last."""
        self.front: int | None = None
        self.seat = self.owed = self.passes = 0
        self.phase = "act"
        self.over = self.won = False

    def copy(self) -> "World":
        """Return another world just like this one."""
        other = World.__new__(World)
        for name in World.__slots__:
            setattr(other, name, getattr(self, name))
        other.tower, other.deck = self.tower[:], self.deck[:]
        other.hands, other.downs = self.hands[:], self.downs[:]
        return other

    def score(self) -> int:
        """Return the cards face up; a full tower that did not win counts one less."""
        up = sum(card > 0 for card in self.tower)
        return up - (up == SIZE and not self.won)

    def is_open(self, at: int) -> bool:
        """Return whether slot ``at`` is empty and can be filled."""
        left, right = SUPPORTS[at]
        tower = self.tower
        return not tower[at] and tower[left] != 0 and tower[right] != 0

    def fitting(self) -> list[int]:
        """Return, by slot, the numbers that fit there face up; none where nothing can be laid."""
        shown = [VALUES[card] if card > 0 else 0 for card in self.tower]
        found = [0] * SIZE
        for row in ROWS:
            low, high = 0, 51
            for at in row:
                below, above = SMALLER[at]
                found[at] = max(low, shown[below], shown[above])
                low = shown[at] or low
            for at in reversed(row):
                below, above = GREATER[at]
                limit = min(high, shown[below] or 51, shown[above] or 51)
                reached = self.tower[at] or self.is_open(at)
                found[at] = FROM[found[at] + 1] & ~FROM[limit] if reached else 0
                high = shown[at] or high
        return found

    def moves(self, most_extra: int = SIZE) -> Iterator[Move]:
        """Yield every legal move of the seat to act with at most so many extra cards."""
        hand = self.hands[self.seat]
        if self.phase != "act":
            choices = (0, 1) if self.phase == "draw" else cards_of(hand)
            at = DRAW if self.phase == "draw" else DISCARD
            yield from ((choice, at, 0, 0) for choice in choices)
            return
        fitting = self.fitting()
        opened = [at for at in range(SIZE) if self.is_open(at)]
        for card in cards_of(hand):
            for at in opened:
                if fitting[at] >> card & 1:
                    yield card, at, 0, 0
                yield -card, at, 0, 0
        if self.front == self.seat:
            yield from ((FINISH, at, 0, 0) for at in opened if fitting[at] >> FINISH_VALUE & 1)
        yield from self._reserves(hand, fitting, most_extra)

    def _reserves(self, hand: int, fitting: list[int], most_extra: int) -> Iterator[Move]:
        somewhere = 0
        for cards in fitting:
            somewhere |= cards
        held = list(cards_of(hand))
        for small, great in combinations(held, 2):
            pair = 1 << small | 1 << great
            rest = [card for card in held if card not in (small, great)]
            stock = (self.reserve | pair) & somewhere
            for count in range(min(len(rest), most_extra) + 1):
                goals = stock & reachable(pair, count)
                if goals:
                    goal_slots = [
                        (take, at)
                        for take in cards_of(goals)
                        for at in range(SIZE)
                        if fitting[at] >> take & 1
                    ]
                    for extra in map(set_of, combinations(rest, count)):
                        yield from ((take, at, pair, extra) for take, at in goal_slots)

    def apply(self, move: Move) -> None:
        """Go on to the next decision or to the end."""
        card, at, _, _ = move
        if at == DRAW:
            self._draw(card)
            return
        if at == DISCARD:
            self.hands[self.seat] ^= 1 << card
            self.reserve |= 1 << card
        else:
            self._lay(move)
            if all(self.tower) and (not self.finish_last or card == FINISH):
                self.over = self.won = all(card > 0 for card in self.tower[:SIZE])
        self._play_on()

    def _lay(self, move: Move) -> None:
        card, at, pair, extra = move
        seat, taken_up = self.seat, self.tower[at]
        if pair:
            self.hands[seat] ^= pair | extra
            self.reserve = (self.reserve | pair) & ~(1 << card)
            self.removed |= extra
        elif card == FINISH:
            self.front = None
        else:
            self.hands[seat] ^= 1 << abs(card)
        if taken_up == FINISH:
            self.front = seat
        elif taken_up:
            glass = 1 << abs(taken_up)
            self.hands[seat] |= glass
            self.up &= ~glass
            self.downs = [cards & ~glass for cards in self.downs]
        self.tower[at] = card
        if card < 0:
            self.downs[seat] |= 1 << -card
        elif card != FINISH:
            self.up |= 1 << card
        self.owed = draws_for(self.tower, at)
        self.passes = 0

    def _play_on(self) -> None:
        while not self.over:
            if self.hands[self.seat].bit_count() > HAND_LIMIT:
                self.phase = "discard"
                return
            self.seat = (self.seat + 1) % self.players
            self._draw(self.owed)
            if self._can_act():
                return
            self.owed = 1
            self.passes += 1
            self.over = self.passes >= self.players and not self.deck

    def _draw(self, count: int) -> None:
        self.phase = "act"
        while count and self.deck:
            card = self.deck.pop()
            if card == FINISH:
                self.front = self.seat
            else:
                self.hands[self.seat] |= 1 << card
                count -= 1

    def _can_act(self) -> bool:
        if not self.tower[TOP] and self.hands[self.seat]:
            return True  # face down, any card can go to an open slot
        return any(True for _ in self.moves())


# How good a table looks to a seat.

LEARNED = """
-33 21 52 79 101 132 220 265 -18 38 65 87 104 132 176 265 -3 51 78 99 116 141 175 210 -2 55 84 104
119 143 170 195 33 48 72 97 116 141 171 197 -74 103 110 112 112 118 220 265 -64 94 135 149 152 142
217 265 -111 21 107 182 237 279 212 264 -77 17 89 155 217 299 219 231 -81 4 68 139 205 286 246 244
-40 -17 -11 6 8 39 203 260 -8 17 28 31 33 31 182 256 22 46 58 62 67 66 84 244 45 71 76 80 84 88 85
117 39 78 84 81 86 89 85 101 45 40 38 35 44 45 42 39 49 50 50 36 48 49 48 40 60 54 47 34 75 74 70
68 107 110 101 93 126 136 132 117 113 129 127 101 109 130 123 69 -70 -57 -57 -48 -70 -14 -7 -18 -51
4 12 5 -38 -2 4 3 -34 -6 -5 7 -24 40 83 -1 41 68 24 44 56 35 43 48 43 45 47 -87 89 225 -42 118 276
51 155 246 73 150 187 88 163 120 -66 -119 -108 -48 -54 -68 -20 -26 -44 -35 -30 -30 -49 -34 -15 -190
-189 -198 -187 -156 -108 -66 -50 -58 -54 -79 -103 -116 -109 -67 -53 -40 -37 -69 -95 -98 -76 -49 -46
-31 -32 -59 -81 -87 -85 -64 -59 -29 -27 -49 -73 -83 -85 -66 -59 -26 -25 -42 -63 -72 -76 -61 -62 -23
-22 -34 -51 -57 -63 -58 -65 -21 -18 -23 -36 -40 -47 -47 -56 -19 -13 -17 -25 -30 -35 -38 -54 -16 -9
-13 -19 -22 -34 -40 -55 -14 -5 -8 -17 -18 -30 -38 -53 -11 -1 -5 -8 -14 -20 -29 -41 -8 2 -5 -9 -13
-23 -20 -29 -3 5 -4 -5 -9 -14 -14 -17 0 6 -4 -12 -9 -11 -15 -8 9 8 -4 -3 4 13 15 33 -49 -11 -58 -20
-27 -8 2 1 0 0 -54 -8 -21 -13 2 -6 7 3 0 0 -22 -1 1 -13 7 -4 4 2 0 0 -2 -1 6 -12 4 -4 -1 3 0 0 1 0
3 -11 -1 -4 -9 3 0 0 36 7 -25 -36 -65 26 1 -19 -22 -42 26 5 -9 -3 -11 27 10 -5 0 -6 0 0 0 0 0 0 0 0
0 0 5 -6 -18 -12 -28 3 -5 -10 -3 -8 6 0 -7 0 -5 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 -14 -11 -11 -3 -6 -11
-8 -8 -1 -4 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 -17 -11 -8 -1 -4 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 11 13 4 10 -6 0 -3 -2 4 -3 -19 1 -28 -15 -29 -22 -11 -15 -3 -16 -19
-13 -30 -13 -24 -15 -7 -14 -2 -14 -21 -3 -32 -8 -21 -9 -5 -4 -2 -2 -24 1 -31 -6 -17 -6 -4 -5 -2 -6
-15 5 -25 5 -8 3 -1 2 -1 1 -11 9 -20 11 -2 5 0 7 -1 6 -6 9 -16 16 2 11 2 8 0 7 -1 0 -10 17 5 12 3
10 1 9 8 15 6 27 8 20 4 19 2 18 -93 -19 0 13 -22 -20 -12 11 -72 -21 -7 9 -51 -22 -12 10
"""
"""The weights below in hundredths, one table after the other."""
WEIGHTS = [int(number) / 100 for number in LEARNED.split()]
STAGES = 5
SHORT = 2
"""A deck of so few cards is short."""


def rows(first: int, count: int, length: int) -> list[list[float]]:
    """Return ``count`` rows of ``WEIGHTS`` from ``first`` on."""
    return [WEIGHTS[at : at + length] for at in range(first, first + count * length, length)]


UNSEEN = rows(0, 3 * STAGES, 8)
"""By kind of slot and stage: what the fitting cards that nobody has seen add to the log odds."""

RESERVED = rows(120, 3 * STAGES, 4)
"""The same for fitting cards of the reserve."""

HELD = rows(180, 3 * STAGES, 3)
"""The same for fitting cards of the own hand."""

SPARE = rows(225, 16, 8)
"""By the cards in deck and hands beyond what empty slots need, from -1 on, and slots face down."""

FLOW = rows(353, 25, 2)
"""By the cards that the next player draws and holds; then whether the deck is short."""

READY = rows(403, 25, STAGES)
"""By the own cards that fit an open slot, and those held at all; then by stage."""

WELCOME = rows(528, 50, 2)
"""By tenths of the unseen cards that fit an open slot, and the next player's cards; then whether
the deck is empty."""

ENDING = rows(628, 4, 4)
"""By where the Finish card is: in the tower or in no game, in the deck, mine, another's; then by
the cards that the tower lacks."""


STAGE_ENDS = (0, 4, 11, 20)


def stage(deck: int) -> int:
    """Return how far the match is by the cards left in the deck, from 4 down to 0, the end."""
    return sum(deck > end for end in STAGE_ENDS)


UNSEEN_STEP = [12 * step for step in [0, 1, 2, 3, 4, 5, 5, 5, 6, 6, 6, 6, *[7] * 39]]
RESERVED_STEP = [3 * min(count, 3) for count in range(51)]
HELD_STEP = [min(count, 2) for count in range(51)]
"""Where in a row of `CHANCES` so many fitting cards are found: the sum of the three."""


def chances(row: int) -> list[float]:
    """Return the likelihood of a card face up by the numbers of fitting cards, in steps."""
    return [
        1 / (1 + exp(-unseen - reserved - held))
        for unseen in UNSEEN[row]
        for reserved in RESERVED[row]
        for held in HELD[row]
    ]


CHANCES = [[chances(kind * STAGES + at) for kind in range(3)] for at in range(STAGES)]
"""By stage and kind of slot."""

Cell = tuple[list[float], int]
"""A slot that lacks a card face up: its row of `CHANCES`, and the cards that would do."""


class Survey:
    """What a tower still lacks, whoever holds the cards."""

    __slots__ = ("cells", "down", "empty", "lacking", "open", "up")

    def __init__(self, tower: list[int], available: int, table: list[list[float]]) -> None:
        """Work out which cards each slot could have in a complete tower around ``tower``.

        Args:
            tower: as in `World.tower`.
            available: the cards that could still be laid.
            table: `CHANCES` of the stage.
        """
        low, high = [0] * (SIZE + 1), [51] * (SIZE + 1)
        for at, below, above in UPWARD:
            card = tower[at]
            if card > 0:
                low[at] = VALUES[card]
            else:
                least = low[below] if low[below] > low[above] else low[above]  # noqa: FURB136 - fast
                left = available & FROM[least + 1]
                low[at] = (left & -left).bit_length() - 1 if left else 51
        for at, below, above in DOWNWARD:
            card = tower[at]
            if card > 0:
                high[at] = VALUES[card]
            else:
                most = high[below] if high[below] < high[above] else high[above]  # noqa: FURB136
                left = available & ~FROM[most]
                high[at] = left.bit_length() - 1 if left else 0
        self.cells: list[Cell] = []
        self.up = self.down = self.open = 0
        closed, opened, covered = table
        for at, (left, right) in enumerate(SUPPORTS):
            card = tower[at]
            if card > 0:
                self.up += 1
                continue
            fitting = FROM[low[at]] & ~FROM[high[at] + 1] if low[at] <= high[at] else 0
            if card:
                self.down += 1
                self.cells.append((covered, fitting))
            elif tower[left] and tower[right]:
                self.open |= fitting
                self.cells.append((opened, fitting))
            else:
                self.cells.append((closed, fitting))
        self.empty = len(self.cells) - self.down
        self.down = min(self.down, 7)
        self.lacking = min(len(self.cells), 3)


class Judge:
    """Values the moves of the seat to act by what this seat knows."""

    def __init__(self, world: World) -> None:
        seat = world.seat
        self.world = world
        self.hand, self.reserve = world.hands[seat], world.reserve
        seen = world.up | world.reserve | world.removed | self.hand | world.downs[seat]
        self.unseen = GLASS & ~seen
        self.deck = len(world.deck)
        self.stage = stage(self.deck)
        self.table = CHANCES[self.stage]
        sizes = [cards.bit_count() for cards in world.hands]
        self.others = sum(sizes) - sizes[seat]
        self.next = sizes[(seat + 1) % world.players]
        self.finish = 0
        if world.finish_last and FINISH not in world.tower:
            self.finish = 1 if world.front is None else 2 if world.front == seat else 3
        self.surveys: dict[tuple[int, int], Survey] = {}

    def value(self, move: Move) -> float:
        """Return about how many cards will lie face up in the end if ``move`` is taken."""
        card, at, pair, extra = move
        world, hand, reserve = self.world, self.hand, self.reserve
        if at == DISCARD:
            survey = self.survey(FACE_DOWN, NONE)
            glass = 1 << card
            return self.weigh(
                survey, hand ^ glass, reserve | glass, (self.others, world.owed, self.finish)
            )
        taken_up, others, finish = world.tower[at], self.others, self.finish
        if pair:
            hand ^= pair | extra
            reserve = (reserve | pair) & ~(1 << card)
            if taken_up == FINISH:
                finish = 2
            elif taken_up:
                glass = 1 << abs(taken_up)
                if glass & self.unseen:
                    others += (
                        1  # another seat's card face down: all that is known is that it is one
                    )
                else:
                    hand |= glass
        elif card != FINISH:
            hand ^= 1 << abs(card)
        survey = self.survey(card if card > 0 else FACE_DOWN, at)
        if card == FINISH:
            finish = 0
        if survey.up == SIZE and (not world.finish_last or (card == FINISH and not pair)):
            return float(SIZE)
        old, world.tower[at] = world.tower[at], card
        owed = draws_for(world.tower, at)
        world.tower[at] = old
        rest = others, owed, finish
        while hand.bit_count() > HAND_LIMIT:
            _, best = max(
                (self.weigh(survey, hand ^ 1 << card, reserve | 1 << card, rest), card)
                for card in cards_of(hand)
            )
            hand, reserve = hand ^ 1 << best, reserve | 1 << best
        return self.weigh(survey, hand, reserve, rest)

    def survey(self, card: int, at: int) -> Survey:
        """Return what the tower lacks with ``card`` in slot ``at``; `NONE` for as it is."""
        found = self.surveys.get((card, at))
        if found is None:
            tower = self.world.tower[:]
            tower[at] = card
            if self.world.finish_last and not tower[TOP]:
                tower[TOP] = FINISH  # is to come last, so the others have to leave room for it
            available = self.hand | self.reserve | self.unseen
            if 0 < card < FINISH:
                available &= ~(1 << card)
            found = self.surveys[card, at] = Survey(tower, available, self.table)
        return found

    def weigh(self, survey: Survey, hand: int, reserve: int, rest: tuple[int, int, int]) -> float:
        """Return the value of a tower with these cards in hand and in the reserve."""
        others, owed, finish = rest
        unseen, held = self.unseen, hand.bit_count()
        total = float(survey.up)
        for table, fitting in survey.cells:
            total += table[
                UNSEEN_STEP[(fitting & unseen).bit_count()]
                + RESERVED_STEP[(fitting & reserve).bit_count()]
                + HELD_STEP[(fitting & hand).bit_count()]
            ]
        spare = self.deck + held + others - survey.empty
        ready = min((survey.open & hand).bit_count(), 4)
        welcome = 10 * (survey.open & unseen).bit_count() // (unseen.bit_count() or 1)
        return (
            total
            + SPARE[min(max(spare, -1), 14) + 1][survey.down]
            + FLOW[5 * owed + self.next][self.deck <= SHORT]
            + READY[5 * ready + min(held, 4)][self.stage]
            + WELCOME[5 * min(welcome, 9) + min(owed + self.next, 4)][self.deck == 0]
            + ENDING[finish][survey.lacking]
        )


# What a seat knows besides the table as it is now.


class Memory:
    """What the events of a match told: cards in others' hands, and what the turn owes."""

    def __init__(self, match: Match) -> None:
        self.match = match
        self.known = [0] * match.players
        """Cards that each seat took up for everyone, or this seat, to see, and holds still."""
        self.passes = 0
        self.last = NONE
        """The slot of the card laid last."""

    def note(self, event: Event) -> None:
        """Take in one event."""
        kind, seat = event["type"], event["seat"]
        if kind == "pass":
            self.passes += 1
        elif kind == "discard":
            self.known[seat] &= ~(1 << event["card"])
        elif kind in {"place", "reserve"}:
            self.passes, self.last = 0, AT[event["row"], event["slot"]]
            if kind == "reserve":
                self.known[seat] &= ~set_of([*event["pair"], *event["extra"]])
                taken_up = event.get("replaced")
                if isinstance(taken_up, int):
                    self.known[seat] |= 1 << taken_up
            elif event["card"] is None:
                self.known[seat] = 0  # any of them may lie face down now
            elif event["card"] != "finish":
                self.known[seat] &= ~(1 << event["card"])

    def worlds(self, table: Observation, rng: Random) -> Iterator[World]:
        """Yield worlds without end that agree with all that the seat saw, the rest at random."""
        while True:
            yield self.world(table, rng)

    def world(self, table: Observation, rng: Random) -> World:
        """Return a world that agrees with all that the seat saw, the rest at random."""
        world, hidden = self._seen(table)
        seen = world.up | world.reserve | world.removed | world.downs[world.seat]
        for hand in world.hands:
            seen |= hand
        pool = list(cards_of(GLASS & ~seen))
        rng.shuffle(pool)
        for at, by in hidden:
            world.tower[at] = -pool.pop()
            world.downs[by] |= 1 << -world.tower[at]
        for seat, size in enumerate(table["hand_sizes"]):
            while world.hands[seat].bit_count() < size:
                world.hands[seat] |= 1 << pool.pop()
        world.deck = pool
        if world.finish_last and world.front is None and FINISH not in world.tower:
            # It was put into the lower half of the glass cards, whichever of them are drawn by now.
            glass = 41 - 2 * world.players
            upper_half_left = max((glass + 1) // 2 - (glass + 1 - table["deck"]), 0)
            pool.insert(rng.randrange(len(pool) - upper_half_left + 1), FINISH)
        world.owed = 1 if self.passes else draws_for(world.tower, self.last)
        return world

    def _seen(self, table: Observation) -> tuple[World, list[tuple[int, int]]]:
        """Return what is known of the world, and the slots of unknown cards with who laid them."""
        world = World(self.match.players, finish_last=self.match.variant == "finish")
        world.seat, world.phase, world.front = table["seat"], table["phase"], table["finish"]
        world.reserve, world.removed = set_of(table["reserve"]), set_of(table["removed"])
        world.passes, world.hands = self.passes, self.known[:]
        world.hands[world.seat] = set_of(table["hand"])
        hidden: list[tuple[int, int]] = []
        for at, laid in enumerate(laid for row in table["tower"] for laid in row):
            if laid is None:
                continue
            card = FINISH if laid["card"] == "finish" else laid["card"]
            if card is None:
                hidden.append((at, laid["by"]))
            elif laid["up"]:
                world.tower[at] = card
                world.up |= 1 << card & GLASS
            else:
                world.tower[at] = -card
                world.downs[world.seat] |= 1 << card
        return world, hidden


# The search.

CANDIDATES = 4
"""The moves that are looked into: at most so many, the best-looking ones."""

MARGIN = 0.5
"""How much less than the best a move may be worth to be looked into."""

PRIOR = 3
"""A first impression counts as much as so many looks."""

LOOK_MS = 3
"""There is a look for each so many milliseconds of the time for a move."""

MOST_LOOKS = 50
"""Looks for a decision, at most, however much time there is."""

BRAKE = 0.5
"""Share of the time for a move after which no look begins; the rest is a margin for machines that
are slow or loaded."""

EXTRA_IN_LOOKS, MOST_EXTRA = 0, 2
"""The most extra cards that are thought of, in a look and for the own move."""


def best_move(world: World) -> tuple[float, Move]:
    """Return the move that looks best to the seat to act, and its value."""
    judge = Judge(world)
    moves = list(world.moves(EXTRA_IN_LOOKS)) or list(world.moves())
    face_up = [move for move in moves if move[0] > 0]
    return max((judge.value(move), move) for move in face_up or moves)


def look(world: World, move: Move) -> float:
    """Return what ``world`` is worth some turns after ``move``, which it goes on to."""
    world.apply(move)
    turns = 0
    while not world.over:
        value, best = best_move(world)
        turns += world.phase == "act"
        if turns == world.players:
            return value
        world.apply(best)
    return float(world.score())


def chosen(
    valued: list[tuple[float, Move]], worlds: Iterator[World], looks: int, late: Callable[[], bool]
) -> Move:
    """Return the move that does best in ``worlds``, by sequential halving.

    All moves are looked at in the same worlds; after each round, the better half stays.

    Args:
        valued: moves with their values at first sight, the best first.
        worlds: as many as are wanted.
        looks: how many there are for all moves together, about.
        late: whether no look may begin any more.
    """
    totals = {move: PRIOR * value for value, move in valued}
    alive = list(totals)
    rounds = (len(alive) - 1).bit_length()
    while len(alive) > 1:
        for world in islice(worlds, looks // rounds // len(alive)):
            values: list[float] = []
            for move in alive:
                if late():
                    return max(alive, key=lambda move: totals[move])
                values.append(look(world.copy(), move))
            for move, value in zip(alive, values, strict=True):
                totals[move] += value
        alive.sort(key=lambda move: -totals[move])
        alive = alive[: (len(alive) + 1) // 2]
    return alive[0]


def as_move(action: Action) -> Move:
    """Return an action of the protocol as a move."""
    kind = action["type"]
    if kind == "draw":
        return action["count"], DRAW, 0, 0
    if kind == "discard":
        return action["card"], DISCARD, 0, 0
    at = AT[action["row"], action["slot"]]
    if kind == "reserve":
        return action["take"], at, set_of(action["pair"]), set_of(action["extra"])
    card = FINISH if action["card"] == "finish" else action["card"]
    return card if action["up"] else -card, at, 0, 0


class Planner(Bot):
    """Remembers of a match what its events told."""

    name = "planner"
    version = "1.0"
    games = ("couperation",)
    memory: Memory

    def __init__(self, most_looks: int = MOST_LOOKS) -> None:
        self.most_looks = most_looks

    def start(self, match: Match) -> None:
        """Begin a match."""
        self.memory = Memory(match)
        self.warned = False

    def choose(self, turn: Turn) -> Action:
        """Return the action that does best in worlds that may be the true one."""
        for event in turn.events:
            self.memory.note(event)
        actions = turn.legal_actions
        if len(actions) == 1 or turn.observation["phase"] == "draw":
            return actions[-1]  # to draw first costs nothing, and leaves more to choose from
        cheap = [action for action in actions if len(action.get("extra", ())) <= MOST_EXTRA]
        by_move = {as_move(action): action for action in cheap or actions}
        worlds = self.memory.worlds(turn.observation, turn.rng)
        judge = Judge(next(worlds))
        valued = sorted(((judge.value(move), move) for move in by_move), reverse=True)
        near = [each for each in valued[:CANDIDATES] if each[0] > valued[0][0] - MARGIN]
        looks = min(turn.move_ms // LOOK_MS, self.most_looks)

        def late() -> bool:
            return turn.elapsed_ms() > BRAKE * turn.move_ms

        best = chosen(near, worlds, looks, late)
        if late() and not self.warned:
            self.warned = True
            print("too slow here: a search was cut short, and may come out otherwise again")
        return by_move[best]


if __name__ == "__main__":
    Planner().run()
