"""Plays Donburiko by information set Monte Carlo tree search: it tries actions in many worlds.

A *world* gives every card that this seat has not seen a place where it can be: under a face-down
card, in a rival's hand, set aside. Each action under consideration is tried in the very same
worlds, so that luck in the cards favours none, and every few worlds those go that are clearly worse
than the best by then. Below each action grows a tree of what may come after it, with one node for
all that looks the same to this seat. Beyond the tree the round is played out by a policy like that
of `greedy`, in which nobody looks at a card that they may not see: they average over what may lie
there. In a part of the worlds rivals follow this policy from the start, in the others they learn
from the tree, so that the bot neither counts on mistakes nor lets them pass. What tokens are worth
at the end of a round is the chance to finish ahead of each rival.

Rivals do not hide cards at random: a world is the likelier the more the cards in it that they have
laid face down are such as this bot itself would have hidden.

A decision has a fixed number of playouts, by the time for the move, and ends early when a single
action is left, or when a share of that time has gone by. Dice are seeded by the match. So the bot
plays a repeated match the same way again, unless the clock cut a search short in one of the two:
then it may decide otherwise, and says so in its log.
"""

import sys
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from math import exp, log, sqrt
from random import Random
from typing import NamedTuple

from arena_bot import Action, Bot, Event, Match, Observation, Turn

PLAYOUTS_A_MS = 3
"""Rounds played out for a decision, for each millisecond that the move may take: so few that they
take a fifth of it where a processor is free."""

MOST_PLAYOUTS = 500
"""Rounds played out for a decision, at most: three times as many play no better."""

SHARE = 0.4
"""Share of the time for a move after which a search is cut short; the rest is a margin for slow and
for loaded machines."""

# Cards. A column is a number, its key, made of sums: to lay a card is to add what it weighs.

FACES = ("1", "2", "3", "4", "5", "1/5", "-1", "-2", "loach")
COPIES = (1, 2, 2, 2, 1, 2, 2, 2, 2)
POND, LOACH, CHOICE, HIDDEN = 1 << 6, 1 << 10, 1 << 13, 1 << 16
"""Weights of a pond of one, a loach, a ``1/5`` and an unseen card; acorns weigh what they count."""

WEIGHTS = (1, 2, 3, 4, 5, CHOICE, POND, 2 * POND, LOACH)
HIDING = (1.5, 1.0, 1.4, 3.3, 6.0, 1.5, 2.5, 2.8, 2.1)
"""How readily each face is hidden, against the others in a hand: by as much as in matches of this
bot against itself. Face down goes what changes a column most.
"""

MOST = 6
"""The sum that pays most; also the most cards in a column."""

RICH = 20
"""Who has so many tokens makes the round the last one."""


def payment(key: int) -> int:
    """Return what the bank pays for the column ``key``, all of whose cards are known."""
    ponds, choices = key // POND & 15, key // CHOICE & 7
    low = (key & 63) + choices + (ponds if key & 7 * LOACH else -ponds)
    sums = range(low, low + 4 * choices + 1, 4)
    return max(total if total <= MOST else MOST - total for total in sums)


class Payments(dict[int, int]):
    """`payment` by key, each worked out once."""

    def __missing__(self, key: int) -> int:
        """Work out what ``key`` pays."""
        self[key] = paid = payment(key)
        return paid


PAYMENTS = Payments()


class Worths(dict[int, float]):
    """What columns seem to be worth to who sees their keys, each worked out once."""

    def __init__(self, hidden: Sequence[Sequence[int]]) -> None:
        """Take samples of what so many unseen cards weigh together, by their number."""
        super().__init__()
        self._hidden = hidden

    def __missing__(self, key: int) -> float:
        """Work out the mean payment of ``key`` over what may lie face down."""
        hidden, known = divmod(key, HIDDEN)
        sums = self._hidden[hidden]
        self[key] = worth = sum([PAYMENTS[known + more] for more in sums]) / len(sums)
        return worth


# Tables. An action is a number, too: (face * 4 + column) * 2, and 1 more face down, or a claim.

CLAIM = len(FACES) * 8


class Card(NamedTuple):
    """A card in a column."""

    face: int
    """Its number in `FACES`; -1 where it is not known."""

    up: bool
    by: int
    """The seat that placed it, -1 for the card that was dealt."""


class Table:
    """A round in one world, from any turn to its end."""

    __slots__ = (
        "bank", "done", "hands", "in_round", "keys", "last", "lying", "players", "sizes",
        "tokens", "turn", "views",
    )  # fmt: skip

    def __init__(
        self, seen: Observation, columns: Sequence[Sequence[Card]], hands: Sequence[Sequence[int]]
    ) -> None:
        """Lay out what ``seen`` says, with the cards of ``columns`` and, by seat, of ``hands``."""
        seats = range(len(seen["tokens"]))
        self.players = len(seats)
        self.tokens: list[int] = list(seen["tokens"])
        self.bank: int = seen["bank"]
        self.hands = [list(hand) for hand in hands]
        self.in_round: list[bool] = list(seen["in_round"])
        self.turn: int = seen["to_act"]
        self.last: bool = seen["last_round"]
        self.done = False
        self.sizes = [len(cards) for cards in columns]
        self.lying: list[int] = [column["tokens"] if column else 0 for column in seen["columns"]]
        self.keys = [sum([WEIGHTS[card.face] for card in cards]) for cards in columns]
        """Of each column as it is; without meaning once it is claimed."""
        self.views = [
            [
                sum(
                    [WEIGHTS[each.face] if each.up or each.by == seat else HIDDEN for each in cards]
                )
                for cards in columns
            ]
            for seat in seats
        ]
        """Of each column as each seat sees it."""

    def copy(self) -> "Table":
        """Return a table that can be played on without this one."""
        new = Table.__new__(Table)
        new.players, new.turn = self.players, self.turn
        new.bank, new.last, new.done = self.bank, self.last, self.done
        new.tokens, new.in_round, new.sizes = self.tokens[:], self.in_round[:], self.sizes[:]
        new.lying, new.keys = self.lying[:], self.keys[:]
        new.hands = [hand[:] for hand in self.hands]
        new.views = [view[:] for view in self.views]
        return new

    def apply(self, action: int) -> None:
        """Let the seat to act do ``action``."""
        if action < CLAIM:
            self._play(action >> 3, action >> 1 & 3, up=not action & 1)
        else:
            self._claim(action - CLAIM)
        if self.bank == 0 or max(self.tokens) >= RICH:
            self.last = True
        if self.done:
            self.bank += sum(self.lying)
            return
        self.turn = (self.turn + 1) % self.players
        while not self.in_round[self.turn]:
            self.turn = (self.turn + 1) % self.players

    def _play(self, face: int, column: int, *, up: bool) -> None:
        seat, weight = self.turn, WEIGHTS[face]
        self.hands[seat].remove(face)
        self.keys[column] += weight
        self.sizes[column] += 1
        for view in self.views:
            view[column] += weight if up else HIDDEN
        if not up:
            self.views[seat][column] += weight - HIDDEN
            self.tokens[seat] -= 1
            self.lying[column] += 1
        elif self.bank:
            self.tokens[seat] += 1
            self.bank -= 1

    def _claim(self, column: int) -> None:
        seat, due = self.turn, PAYMENTS[self.keys[column]]
        held = self.tokens[seat] + self.lying[column]
        paid = max(min(due, self.bank), -held)
        self.tokens[seat] = held + paid
        self.bank -= paid
        self.in_round[seat] = False
        self.lying[column] = self.sizes[column] = 0
        self.done = due == MOST or max(self.sizes) <= 1


# The policy: what an action promises, in tokens, to who looks one turn ahead.

GIFT = 0.2
"""What an offer to the rivals costs, as a share of the best column on the table."""

HELD = 1.0
"""What each card that stays in hand is worth to its holder, for the token that it may bring."""

NOTHING, ALL = -99.0, 99.0


def promises(table: Table, worths: Worths, held: float) -> list[tuple[float, int]]:
    """Return each legal action of the seat to act behind what it promises.

    A claim promises what the column seems to be worth, a card the token that it brings and the best
    column that is left after every rival has taken a better one.
    """
    seat, sizes, lying = table.turn, table.sizes, table.lying
    view, hand = table.views[seat], table.hands[seat]
    rivals = sum(table.in_round) - 1
    claims = [
        (worths[view[at]] + lying[at], CLAIM + at) for at in range(table.players) if sizes[at] > 1
    ]
    if not hand:
        return claims
    found = claims[:]
    later = held * (len(hand) - 1)
    got = later + (1 if table.bank else 0)
    pays = table.tokens[seat] > 0
    faces = dict.fromkeys(hand)
    claims.sort(reverse=True)
    for at in range(table.players):
        if not 0 < sizes[at] < MOST:
            continue
        # With one more among the others, the one that is left lies between two of these.
        others = [worth for worth, action in claims if action != CLAIM + at]
        if rivals > len(others):
            high = low = 0.0
        else:
            high = others[rivals - 1] if rivals else ALL
            low = others[rivals] if rivals < len(others) else NOTHING
        best = others[0] if others else NOTHING
        for face in faces:
            worth = worths[view[at] + WEIGHTS[face]] + lying[at]
            action = (face * 4 + at) * 2
            left = min(high, max(low, worth))
            found.append((got + left - GIFT * max(best, worth), action))
            if pays:
                worth += 1
                left = min(high, max(low, worth))
                found.append((later - 1 + left - GIFT * max(best, worth), action + 1))
    return found


# What the tokens are worth when the round ends.

LEAD = {2: 0.55, 3: 0.65, 4: 1.0}
"""By players: log odds of a lead of one token, times the root of what the leader lacks of 20.

Fitted to how matches of this bot against itself went on. Who starts the next round made no
difference there.
"""

MARGIN = 0.002
"""Worth of a token in the last round, which decides between actions that lead to one place."""


def chances(table: Table) -> list[float]:
    """Return for each seat its mean chance to finish ahead of a rival, when the round is over."""
    tokens, players = table.tokens, table.players
    slope = LEAD[players] / sqrt(max(1, RICH - max(tokens)))
    found = [0.0] * players
    for one in range(players):
        for other in range(one):
            ahead = tokens[one] - tokens[other]
            if table.last:
                chance = MARGIN * ahead + (0.5 if ahead == 0 else ahead > 0)
            else:
                chance = 1 / (1 + exp(-slope * ahead))
            found[one] += chance / (players - 1)
            found[other] += (1 - chance) / (players - 1)
    return found


# Worlds.


def number(face: str) -> int:
    """Return the number of ``face``, -1 where it is not known."""
    return FACES.index(face) if face != "?" else -1


def remember(claimed: Sequence[str], events: Iterable[Event]) -> list[str]:
    """Return the cards of the columns ``claimed`` in this round, after ``events``, too."""
    found = [*claimed]
    for event in events:
        if event["type"] == "round":
            found = []
        elif event["type"] == "claim":
            found += event["cards"]
    return found


class Knowledge:
    """What a seat knows: the table as it sees it, and the cards that were claimed in this round."""

    def __init__(self, seen: Observation, claimed: Sequence[str]) -> None:
        self.seen = seen
        self.seat: int = seen["seat"]
        self.hand = [number(face) for face in seen["hand"]]
        self.columns = [
            [
                Card(number(card["face"]), card["up"], -1 if card["by"] is None else card["by"])
                for card in (column["cards"] if column else ())
            ]
            for column in seen["columns"]
        ]
        players = len(seen["tokens"])
        self.unseen = [
            face
            for face, copies in enumerate(COPIES)
            if players > 2 or FACES[face] != "1/5"  # noqa: PLR2004  # two do without these
            for _ in range(copies)
        ]
        lying = [card.face for cards in self.columns for card in cards if card.face >= 0]
        for face in [*self.hand, *lying, *map(number, claimed)]:
            self.unseen.remove(face)

    def worths(self, rng: Random, *, own: bool) -> Worths:
        """Return what columns seem to be worth, to this seat or to a rival."""
        pool = self.unseen if own else self.unseen + self.hand
        sums = [[0], [WEIGHTS[face] for face in pool]]
        for hidden in range(2, MOST):
            picks = [rng.sample(pool, min(hidden, len(pool))) for _ in range(24)]
            sums.append([sum([WEIGHTS[face] for face in pick]) for pick in picks])
        return Worths(sums)

    def guess(self, rng: Random) -> tuple[list[list[Card]], list[list[int]]]:
        """Return columns and hands that may be the true ones."""
        unseen = self.unseen[:]
        columns = [
            [
                card if card.face >= 0 else card._replace(face=self._hidden(unseen, rng))
                for card in cards
            ]
            for cards in self.columns
        ]
        rng.shuffle(unseen)
        hands = []
        for seat, size in enumerate(self.seen["hand_sizes"]):
            if seat == self.seat:
                hands.append(self.hand)
            else:
                hands.append(sorted(unseen[:size]))
                del unseen[:size]
        return columns, hands

    def worlds(self, rng: Random) -> Iterator[Table]:
        """Yield tables that may be the true one, without end."""
        while True:
            yield Table(self.seen, *self.guess(rng))

    @staticmethod
    def _hidden(unseen: list[int], rng: Random) -> int:
        """Take a card that a rival may have hidden out of ``unseen``."""
        (face,) = rng.choices(unseen, [HIDING[face] for face in unseen])
        unseen.remove(face)
        return face


# The search.

LEARNING = 0.4
"""Share of the worlds in which rivals choose by the tree; in the others they follow the policy."""

EXPLORE = 0.05
"""How much more promising a rarely tried action in the tree is taken to be."""

DOUBT = 1.0
"""How many playouts the policy's own opinion of an action counts as."""

TOKEN = 0.05
"""What a token that the policy promises is worth as a chance, in the tree's first guesses."""

FEWEST = 16
"""Worlds before the first actions go, and between one look at them and the next."""

CLEARLY = 2.5
"""How many standard errors behind the best an action goes."""

SMALL = 0.0005
"""Variance of a difference that is there whatever few worlds say."""


class Node:
    """What this seat takes for one position: a path of actions, as far as it can see them."""

    __slots__ = ("after", "total", "tried", "visits")

    def __init__(self) -> None:
        self.visits = 0
        self.total = 0.0
        self.tried: dict[int, list[float]] = {}
        """By action, how often it was tried and the sum of the chances of who acted."""
        self.after: dict[int, Node] = {}


class Candidate:
    """An action of the seat, the tree below it, and its chance in each world so far."""

    def __init__(self, action: int) -> None:
        self.action = action
        self.tree = Node()
        self.chances: list[float] = []


class Search:
    """The search for one decision."""

    def __init__(self, known: Knowledge, rng: Random) -> None:
        self.seat = known.seat
        self.worlds = known.worlds(rng)
        self.worths = (known.worths(rng, own=True), known.worths(rng, own=False))
        self.rng = rng
        self.learning = False
        """Whether rivals choose by the tree in the world at hand."""
        self.playouts = 0
        self.cut = False
        """Whether it was short of time."""

    def promises(self, table: Table) -> list[tuple[float, int]]:
        """Return what the actions of the seat to act promise it."""
        if table.turn == self.seat:
            return promises(table, self.worths[0], HELD)
        return promises(table, self.worths[1], 0.0)

    def best(self, legal: Container[int], more: Callable[[], bool], most: int) -> int:
        """Return the best of the ``legal`` actions, by the policy alone where there is no time.

        Args:
            legal: those to choose from.
            more: whether there is time for another playout.
            most: how many playouts there may be.
        """
        world = next(self.worlds)
        promised = sorted(self.promises(world), reverse=True)
        left = [Candidate(action) for _, action in promised if action in legal]
        while len(left) > 1 and self.playouts < most:
            self.learning = self.rng.random() < LEARNING
            row = []
            for candidate in left:
                if not more():
                    self.cut = True
                    return self._ahead(left)
                row.append(self.playout(world.copy(), candidate))
            # Candidates are compared by whole rows alone: each has been in the same worlds.
            for candidate, chance in zip(left, row, strict=True):
                candidate.chances.append(chance)
            if len(left[0].chances) % FEWEST == 0:
                left = self._without_the_worse(left)
            world = next(self.worlds)
        return self._ahead(left)

    @staticmethod
    def _ahead(left: list[Candidate]) -> int:
        return max(left, key=lambda each: sum(each.chances)).action

    @staticmethod
    def _without_the_worse(left: list[Candidate]) -> list[Candidate]:
        best = max(left, key=lambda each: sum(each.chances))
        kept = []
        for candidate in left:
            lacks = [
                one - other for one, other in zip(best.chances, candidate.chances, strict=True)
            ]
            mean = sum(lacks) / len(lacks)
            variance = sum([lack * lack for lack in lacks]) / len(lacks) - mean * mean + SMALL
            if mean * sqrt(len(lacks)) <= CLEARLY * sqrt(variance):
                kept.append(candidate)
        return kept

    def playout(self, table: Table, candidate: Candidate) -> float:
        """Play ``table`` to the end of the round behind ``candidate``, and return its chance."""
        self.playouts += 1
        table.apply(candidate.action)
        node: Node | None = candidate.tree
        path: list[tuple[Node, int, list[float]]] = []
        while not table.done:
            promised = self.promises(table)
            if len(promised) == 1:
                action = promised[0][1]
            elif node is None or (table.turn != self.seat and not self.learning):
                action = max(promised)[1]
            else:
                action = self._try(node, promised)
                path.append((node, table.turn, node.tried.setdefault(action, [0, 0.0])))
            if node is not None:
                # A rival's card face down looks like any other.
                hidden = action < CLAIM and action & 1 and table.turn != self.seat
                looks = -1 - (action >> 1 & 3) if hidden else action
                after = node.after.get(looks)
                if after is None:
                    after = node.after[looks] = Node()
                    # One new node a playout, those of forced actions aside.
                    after = after if len(promised) == 1 else None
                node = after
            table.apply(action)
        ends = chances(table)
        for passed, seat, tried in path:
            passed.visits += 1
            passed.total += ends[seat]
            tried[0] += 1
            tried[1] += ends[seat]
        return ends[self.seat]

    def _try(self, node: Node, promised: list[tuple[float, int]]) -> int:
        top = max(promised)[0]
        mean = node.total / node.visits if node.visits else 0.5
        explore = EXPLORE * sqrt(log(node.visits + 2))
        best, found = NOTHING, -1
        for promise, action in promised:
            guess = mean - TOKEN * (top - promise)
            visits, total = node.tried.get(action, (0, 0.0))
            visits += DOUBT
            value = (total + DOUBT * guess) / visits + explore / sqrt(visits)
            if value > best:
                best, found = value, action
        return found


class Ismcts(Bot):
    """Remembers the cards that were claimed in this round, and nothing else."""

    name = "ismcts"
    version = "1.0"
    games = ("donburiko",)

    def __init__(self, playouts: int = MOST_PLAYOUTS) -> None:
        """Search with so many ``playouts`` for a decision, at most."""
        self.playouts = playouts

    def start(self, match: Match) -> None:
        """Forget the match before."""
        self.seed = match.seed
        self.claimed: list[str] = []
        self.decisions = 0
        self.warned = False

    def choose(self, turn: Turn) -> Action:
        """Return the best action that the search finds in its share of the time."""
        self.claimed = remember(self.claimed, turn.events)
        self.decisions += 1
        actions = {code(action): action for action in turn.legal_actions}
        if len(actions) == 1:
            return turn.legal_actions[0]
        # Seeded anew, so that a search that was cut short does not change those after it.
        rng = Random(self.seed << 16 | self.decisions)
        search = Search(Knowledge(turn.observation, self.claimed), rng)
        budget_ms = SHARE * turn.move_ms
        most = min(self.playouts, PLAYOUTS_A_MS * turn.move_ms)
        best = search.best(actions, lambda: turn.elapsed_ms() < budget_ms, most)
        if search.cut and not self.warned:
            self.warned = True
            short = f"cut short after {search.playouts} playouts of {most}"
            print(
                f"decision {self.decisions} was {short}: it may come out otherwise another time",
                file=sys.stderr,
            )
        return actions[best]


def code(action: Action) -> int:
    """Return the number of ``action``."""
    at: int = action["column"]
    if action["type"] == "claim":
        return CLAIM + at
    return (number(action["card"]) * 4 + at) * 2 + (not action["up"])


if __name__ == "__main__":
    Ismcts().run()
