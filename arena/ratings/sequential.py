"""A sequential test: is one bot better than another, after no more deals than it takes to tell?

The two play blocks. A block is all the matches on one deal in which they hold each other's seats,
so that the luck of the deal cancels; its value is by how much the first bot, A, did better than
the second, B. With N values of mean m and population variance v, t = m / √v is compared under two
hypotheses, t = 0 (equal) and t = t1 (better by a relevant amount):

    LLR = N (t1 - t0) (2 t - t0 - t1) / 2,  t0 = 0

From `FIRST_LOOK` blocks on, after each block: LLR above `BOUND` says that A is better, below
-`BOUND` that it is not better by a relevant amount. Either is wrong in about 5 % of the cases.

Where nearly all values are one and the same, their variance says little: two bots that differ once
in thirty blocks tie in the first twenty, and one that fails so rarely seems to win for sure. As
long as fewer than `ENOUGH_OTHERS` blocks came out otherwise, the variance is taken to be 3 / N at
least: what was not seen in N blocks may, with 95 %, still happen in 3 of N (the "rule of three"),
and move the value by as much as 1.

Beside it stands a confidence sequence for the mean. It takes that variance for the true one, so it
is asymptotic: its 95 % hold in the limit of many blocks, and with few of them only roughly.

Sums are kept as fractions, so the same values come to the same end on every machine.

Source:
    M. Van den Bergh's notes on the generalised sequential probability ratio test of chess engines;
    I. Waudby-Smith, D. Arbour, R. Sinha, E. H. Kennedy, A. Ramdas, "Time-uniform central limit
    theory and asymptotic confidence sequences", Annals of Statistics 52(6), 2024.
"""

import math
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from arena.games import get_game
from arena.ratings.result import Result
from arena.referee.category import Category, Mode

RELEVANT = 0.2
"""t1: the least advantage that matters, in standard deviations of a block."""

FINE = 0.1
"""The same for a closer look, which takes about four times the blocks."""

ERROR = 0.05
"""How often either answer may be wrong."""

BOUND = math.log((1 - ERROR) / ERROR)
FIRST_LOOK = 16
"""Blocks before which nothing is decided: with fewer, their variance is mostly chance."""

ENOUGH_OTHERS = 5
"""Blocks besides those of the most frequent value from which a variance can be told."""

MOST_BLOCKS = 2000
"""Blocks after which the test is given up."""

_RHO_SQUARED = (-2 * math.log(ERROR) + math.log(1 - 2 * math.log(ERROR))) / 200
"""The confidence sequence is narrowest, relative to the best there is, at 200 blocks."""


class Verdict(StrEnum):
    """What the test came to."""

    BETTER = "better"
    """A is better than B."""

    NOT_BETTER = "not better"
    """A is not better than B by a relevant amount: equal, a little better, or worse."""

    UNDECIDED = "undecided"
    """The most blocks were played, and both are still possible."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the values of some blocks come to, whatever order they came in."""

    blocks: int = 0
    total: Fraction = Fraction(0)
    squares: Fraction = Fraction(0)
    """Sum of the values' squares."""

    won: int = 0
    """Blocks in which A did better."""

    lost: int = 0
    counts: tuple[tuple[Fraction, int], ...] = ()
    """How many blocks had each value, by value."""

    def plus(self, value: Fraction) -> "Evidence":
        """Return the evidence with one more block."""
        return Evidence(
            blocks=self.blocks + 1,
            total=self.total + value,
            squares=self.squares + value * value,
            won=self.won + (value > 0),
            lost=self.lost + (value < 0),
            counts=tuple(sorted((Counter(dict(self.counts)) + Counter((value,))).items())),
        )

    @property
    def tied(self) -> int:
        """Blocks in which neither did better."""
        return self.blocks - self.won - self.lost

    @property
    def mean(self) -> float:
        """The mean value; of at least one block, as all that follows."""
        return float(self.total / self.blocks)

    @property
    def variance(self) -> float:
        """The population variance, exactly 0 where all values are equal."""
        return float(self.squares / self.blocks - (self.total / self.blocks) ** 2)

    @property
    def credible(self) -> float:
        """The variance that is reckoned with: never 0, see the head of this module."""
        others = self.blocks - max(count for _, count in self.counts)
        return max(self.variance, 3 / self.blocks if others < ENOUGH_OTHERS else 0.0)

    @property
    def half_width(self) -> float:
        """Half the width of the asymptotic 95 % confidence sequence around the mean.

        It holds at all numbers of blocks at once, so also at the one at which the test stopped.
        """
        spread = self.blocks * _RHO_SQUARED + 1
        scale = 2 * spread / (self.blocks**2 * _RHO_SQUARED) * math.log(math.sqrt(spread) / ERROR)
        return math.sqrt(self.credible * scale)

    @property
    def interval(self) -> tuple[float, float]:
        """The confidence sequence."""
        return self.mean - self.half_width, self.mean + self.half_width

    @property
    def worse(self) -> bool:
        """Whether A is worse than B: all of `interval` is below 0."""
        return self.interval[1] < 0

    def llr(self, relevant: float = RELEVANT) -> float:
        """Return the log-likelihood ratio of t1 = ``relevant`` against equality."""
        return self.blocks * relevant * (2 * self.mean / math.sqrt(self.credible) - relevant) / 2

    def verdict(self, relevant: float = RELEVANT, most: int = MOST_BLOCKS) -> Verdict | None:
        """Return what these blocks decide, ``None`` where another one has to be played.

        Args:
            relevant: t1.
            most: with so many blocks the test is over in any case.
        """
        if self.blocks >= FIRST_LOOK:
            llr = self.llr(relevant)
            if llr >= BOUND:
                return Verdict.BETTER
            if llr <= -BOUND:
                return Verdict.NOT_BETTER
        return Verdict.UNDECIDED if self.blocks >= most else None

    def score(self, category: Category, *, met: bool) -> float:
        """Return the expected score of A against B, from 0 to 1, a tie counting half.

        At the tables of a competitive game where they ``met``, it is how often a seat of A beats
        a seat of B, which follows from the mean because copies of one bot share their points;
        elsewhere the share of the blocks in which A did better.
        """
        if category.mode is Mode.TABLE and met:
            # Rounding must not carry it past the ends.
            return min(max(0.5 + self.mean * (category.players - 1) / category.players, 0.0), 1.0)
        return (self.won + self.tied / 2) / self.blocks


def elo(score: float) -> float:
    """Return the Elo difference at which ``score`` is expected; infinite for 0 and 1."""
    if score in {0.0, 1.0}:
        return math.copysign(math.inf, score - 0.5)
    return 400 * math.log10(score / (1 - score))


def line_ups(
    one: str, other: str, players: int, field: Sequence[str] = ()
) -> list[tuple[str, ...]]:
    """Return who sits where in the matches of a block at competitive tables.

    - Two players: AB, BA. Four, and any even number: ABAB, BABA.
    - Three, and any odd number: all rotations of ABA and of BAB.
    - With a ``field`` of one bot for each other seat: A and the field in all rotations, and the
      same tables with B in place of A.

    Args:
        one: A.
        other: B.
        players: how many seats.
        field: names of other bots, in the order in which they sit behind A; a name may stand
            there several times.
    """
    turn = (one, other) * players
    circles = [(one, *field), (other, *field)] if field else [turn[:players], turn[1 : players + 1]]
    # With an even number of seats in turn, rotating one of the two only brings the other.
    rotations = players if field or players % 2 else 1
    return [circle[at:] + circle[:at] for circle in circles for at in range(rotations)]


def block_value(one: str, other: str, results: Collection[Result]) -> Fraction:
    """Return by how much ``one`` did better than ``other`` in the matches of one block.

    At competitive tables it is the mean, over the matches, of the points of a seat of the one less
    those of the other; points are the share of the other seats that a seat beat, a tie counting
    half. Where the two do not meet, but hold the same seats at equal tables in turn, the points
    are those of the one's tables less those of the other's. In a co-operative game, where each
    plays the deal by itself, it is the score of the one less that of the other, as a share of the
    best score; a match with a fault scores 0, and points of faults follow from the ranks.

    Args:
        one: A.
        other: B.
        results: of all matches of the block.

    Returns:
        Between -1 and 1, exact. In a co-operative game without a best score, in points.
    """
    total = Fraction(0)
    for result in results:
        worth = _worth(result)
        for bot, sign in ((one, 1), (other, -1)):
            own = [worth[seat] for seat, name in enumerate(result.bots) if name == bot]
            if own:
                total += sign * sum(own, Fraction(0)) / len(own)
    return total / sum(one in result.bots for result in results)


def _worth(result: Result) -> list[Fraction]:
    """Return what each seat got out of a match."""
    if result.category.mode is Mode.TABLE:
        others = len(result.ranks) - 1
        return [
            Fraction(
                2 * sum(own < rank for rank in result.ranks) + result.ranks.count(own) - 1,
                2 * others,
            )
            for own in result.ranks
        ]
    best = get_game(result.category.game).best_score or 1
    return [Fraction(0 if result.faults else score, best) for score in result.scores]
