"""Numbers derived from ratings and results: how sure they are, and what they mean.

Probabilities and shares are between 0 and 1; intervals are 95 %.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from statistics import NormalDist, variance

from arena.games.deal import WORD, Stream
from arena.ratings.trueskill import BETA, Rating, draw_margin
from arena.ratings.truncation import cdf

Z95 = 1.96

MIN_DEALS = 10
"""With fewer deals a design effect would be mostly chance."""

MOST_EFFECT = 4.0
"""No more is believed of an effect on variances: a large one is mostly chance, too."""

MIN_BOTS = 3
"""With fewer bots nothing can be learned of how much they differ."""

DRAWS = 4000
_LEFT_OUT = DRAWS // 40
"""Draws outside either end of a 95 % interval."""


def share_beaten(ranks: Sequence[int]) -> list[float]:
    """Return by side the share of the others that it beat, a tie counting half.

    Args:
        ranks: of two or more sides, smallest best; equal numbers are ties.
    """
    others = len(ranks) - 1
    return [
        (sum(own < other for other in ranks) + (ranks.count(own) - 1) / 2) / others for own in ranks
    ]


def share_won(ranks: Sequence[int]) -> list[float]:
    """Return by side its share of the first place, which m tied sides hold by 1/m each."""
    best = min(ranks)
    return [float(own == best) / ranks.count(best) for own in ranks]


def wilson(won: float, played: float) -> tuple[float, float]:
    """Return the interval of a probability of which ``won`` of ``played`` trials are known.

    Neither needs to be a whole number; nothing played leaves (0, 1).

    Source:
        E. B. Wilson, "Probable inference, the law of succession, and statistical inference",
        Journal of the American Statistical Association 22, 1927.
    """
    if played <= 0:
        return 0.0, 1.0
    share = won / played
    weight = Z95**2 / played
    centre = share + weight / 2
    half = math.sqrt(weight * (share * (1 - share) + weight / 4))
    low, high = (centre - half) / (1 + weight), (centre + half) / (1 + weight)
    # Rounding must not push the share itself out at either end.
    return max(0.0, min(low, share)), min(1.0, max(high, share))


def mean_interval(values: Sequence[float]) -> tuple[float, float | None]:
    """Return the mean of one or more ``values``, and its half-width if there are two or more."""
    mean = math.fsum(values) / len(values)
    if len(values) == 1:
        return mean, None
    variance = math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)
    return mean, Z95 * math.sqrt(variance / len(values))


def design_effect(values: Iterable[tuple[str, str, float]], seats: int) -> float:
    """Return how much more the sum of ``values`` varies than if all were independent.

    Matches on one deal share its luck: the duplicates of a deal cancel it (below 1), and what does
    not cancel adds up (above 1).

    A few deals do not tell which of the two it is. The rotations of a deal, one for each seat, then
    count as a single match: of two bots that play alike, one may well win them all. Taken as
    independent, one deal each told two identical bots apart in 32 of 60 trials.

    Args:
        values: (deal, bot, value) for each bot of each match.
        seats: of a match.

    Returns:
        Between 0.25 and 4; 1 without duplicates, and else ``seats`` with fewer than 10 deals.
    """
    by_bot: dict[str, list[float]] = defaultdict(list)
    by_deal: dict[tuple[str, str], list[float]] = defaultdict(list)
    for deal, bot, value in values:
        by_bot[bot].append(value)
        by_deal[deal, bot].append(value)
    deals = {deal for deal, _ in by_deal}
    if all(len(played) == 1 for played in by_deal.values()):
        return 1.0
    if len(deals) < MIN_DEALS:
        return float(seats)
    means = {bot: math.fsum(played) / len(played) for bot, played in by_bot.items()}
    between = math.fsum(
        math.fsum(value - means[bot] for value in played) ** 2
        for (_, bot), played in by_deal.items()
    )
    alone = math.fsum(
        (value - means[bot]) ** 2 for bot, played in by_bot.items() for value in played
    )
    return min(max(between / alone, 0.25), MOST_EFFECT) if alone > 0 else 1.0


def won_effect(deff: float) -> float:
    """Return by what the counts of a win rate are divided: the design effect, or 1 if it is less.

    The effect is that of all bots together, and a bot that nearly always wins, or loses, has next
    to no luck of the deal that its duplicates could cancel. Counts that are multiplied leave out
    too much: with an effect of 0.34 the intervals of 95 % held a win rate of 0.9 in 75 %, and with
    one of 0.25 a rate of 0.97 in 71 % (simulated in ``bench/calibration.py``). Taken as they are
    they hold it in 94 to 96 %.
    """
    return max(1.0, deff)


def likeness_effect(ratings: Sequence[Rating]) -> float:
    """Return how much larger variances must be taken since bots are more alike than expected.

    It is what mixed teams have in place of a design effect: V / (V - v), with V the variance of the
    ratings and v the mean of their own: one over the share of the differences that is not chance.
    The prior expects skills to differ by twice the luck of a match. Where they do not, it hardly
    pulls ratings together, and the largest of many chance differences look sure. Elsewhere there
    are matches enough to outweigh the prior, but a team tells little of each of its bots: in the
    simulations of ``bench/calibration.py``, of the calls with 95 % or more in teams of three 7 %
    were wrong without this factor, and 2 % with it.

    Returns:
        Between 1 and 4; 1 for fewer than 3 ratings.

    Source:
        B. Efron, C. Morris, "Stein's estimation rule and its competitors - an empirical Bayes
        approach", Journal of the American Statistical Association 68, 1973.
    """
    bots = len(ratings)
    if bots < MIN_BOTS:
        return 1.0
    seen = variance([rating.mu for rating in ratings])
    chance = math.fsum(rating.sigma**2 for rating in ratings) / bots * (bots - 1) / bots
    return min(seen / (seen - chance), MOST_EFFECT) if seen > chance else MOST_EFFECT


def effective_sigma(sigma: float, bots: int, deff: float) -> float:
    """Return the deviation of a rating relative to the pool of ``bots``.

    A bot that was compared with nobody keeps its sigma. The factor (bots - 1) / bots, and its root
    in `p_better`, are found by simulation (``bench/calibration.py``): beliefs about bots are fitted
    as if they were independent.
    """
    return sigma * (bots - 1) / bots * math.sqrt(deff) if bots > 1 else sigma


def p_better(one: Rating, other: Rating, bots: int, deff: float) -> float:
    """Return the probability that ``one`` is the better bot of two out of ``bots``."""
    variance = (one.sigma**2 + other.sigma**2) * (bots - 1) / bots * deff
    return cdf((one.mu - other.mu) / math.sqrt(variance))


def rank_intervals(means: Sequence[float], sigmas: Sequence[float]) -> list[tuple[int, int]]:
    """Return for each bot the best and the worst place that its rating leaves open, 1 best.

    Of 4000 draws of all ratings, the 100 best places and the 100 worst are left out. The draws
    are always the same: bot i takes its normal deviates from row i of `_deviates`.

    Args:
        means: mu of each bot.
        sigmas: effective deviation of each bot.
    """
    bots = range(len(means))
    drawn = [[means[bot] + sigmas[bot] * deviate for deviate in _deviates(bot)] for bot in bots]
    places: list[list[int]] = [[] for _ in bots]
    for skills in zip(*drawn, strict=True):
        for place, bot in enumerate(sorted(bots, key=skills.__getitem__, reverse=True), start=1):
            places[bot].append(place)
    for column in places:
        column.sort()
    return [(column[_LEFT_OUT], column[-1 - _LEFT_OUT]) for column in places]


@cache
def _deviates(row: int) -> tuple[float, ...]:
    """Return 4000 normal deviates that are the same on every machine.

    Each is the normal quantile of (w + 1/2) / 2^32, w a 32-bit word of the stream that is named
    ``{row}`` under SHA-256("arena rank interval"). They do not come from `random`, which promises
    no more than its uniform numbers from one Python version to the next.
    """
    stream = Stream(sha256(b"arena rank interval").digest(), str(row))
    quantile = NormalDist().inv_cdf
    return tuple(quantile((stream.word() + 0.5) / WORD) for _ in range(DRAWS))


@dataclass(frozen=True, slots=True)
class Outlook:
    """How a match of two bots may come out, for the first of them."""

    win: float
    draw: float
    loss: float


def outlook(gap: float, draw_probability: float) -> Outlook:
    """Return what to expect of a bot rated ``gap`` above the other, both ratings taken as exact."""
    margin = draw_margin(draw_probability, 2)
    spread = math.sqrt(2) * BETA
    win, loss = cdf((gap - margin) / spread), cdf((-gap - margin) / spread)
    return Outlook(win, max(1 - win - loss, 0.0), loss)


def elo_gap(gap: float, draw_probability: float) -> float:
    """Return the Elo difference with the same expected score as ``gap`` in rating.

    Expected score and its complement are both sums of small tails, so neither rounds to 0 until
    ratings are some 200 apart; from there on the gap is infinite.
    """
    margin = draw_margin(draw_probability, 2)
    spread = math.sqrt(2) * BETA
    score = cdf((gap - margin) / spread) + cdf((gap + margin) / spread)
    missed = cdf((-gap - margin) / spread) + cdf((-gap + margin) / spread)
    if score == 0 or missed == 0:
        return math.copysign(math.inf, gap)
    return 400 * math.log10(score / missed)
