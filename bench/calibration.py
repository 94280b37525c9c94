"""Whether ratings are as sure as they say: simulated bots, whose true skills are known.

    python bench/calibration.py [--tournaments 200] [--seed 1]

Each tournament is a world of its own in each category; its results are made directly and go
through arena's own ratings. What a match shows of a bot is its skill, the luck of the deal in its
seat, which all rotations of the deal share, what the deal does for that very bot, which they share
too, and the luck of the match. Every bot may have a double of the same skill.

Counted are

- covered: bots whose 95 % rank interval holds their true rank. Bots of the same skill share several
  ranks; any of them will do.
- wrong: pairs of which one is called better with 95 % or more and is not. A call between bots of
  the same skill is wrong.

Tournaments of a few deals, which tell no design effect, are counted apart; their bots are all
provisional, and only the intervals are held to what is promised. Last come the intervals of win
rates: how often they hold the true rate.
"""

import argparse
import math
import random
import sys
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from statistics import pstdev

from arena.games.base import standing
from arena.ratings.batch import rate
from arena.ratings.leaderboard import (
    ENOUGH_DEALS,
    ENOUGH_IN_TEAMS,
    SURE,
    Leaderboard,
    leaderboard,
)
from arena.ratings.result import Result
from arena.ratings.statistics import design_effect, wilson, won_effect
from arena.ratings.units import units
from arena.referee.category import Category, Mode

COVERED = 0.93
WRONG = 0.05
BEST_SCORE = 28


SHORT = (1, 3, 9)
"""Numbers of deals that are too few for a design effect."""

WIN_RATES = (0.6, 0.75, 0.9, 0.97)

SPREADS = (0.0, 0.2, 0.6)
"""Deviation of the skills of a tournament's bots, from where on they are counted apart."""

Skills = dict[str, float]
"""By bot, in deviations of the luck of a match."""


@dataclass(frozen=True, slots=True)
class World:
    """How large each part of what a match shows is; the luck of the match is 1."""

    skill: float
    deal: float
    """Of a seat of a deal, the same whoever sits there."""

    fit: float
    """Of a deal for one bot, the same wherever it sits."""


@dataclass(slots=True)
class Count:
    """What came of some tournaments."""

    bots: int = 0
    covered: int = 0
    width: float = 0.0
    """Sum over bots of the share of all places that the interval holds."""

    calls: int = 0
    wrong: int = 0

    def __add__(self, other: "Count") -> "Count":
        return Count(
            self.bots + other.bots,
            self.covered + other.covered,
            self.width + other.width,
            self.calls + other.calls,
            self.wrong + other.wrong,
        )

    def add(self, board: Leaderboard, skills: Skills) -> None:
        """Count one leaderboard against the truth."""
        for row in board.rows:
            self.place(row.places, skills[row.bot], skills.values())
            for other in board.rows:
                met = other is not row and other.group == row.group
                if met and board.p_better(row, other) >= SURE:
                    self.calls += 1
                    self.wrong += skills[row.bot] <= skills[other.bot]

    def place(self, places: tuple[int, int], skill: float, skills: Collection[float]) -> None:
        """Count the interval of a bot of ``skill`` among all ``skills``."""
        best, worst = places
        better = sum(other > skill for other in skills)
        as_good = sum(other == skill for other in skills)
        self.bots += 1
        self.covered += best <= better + as_good and worst >= better + 1
        self.width += (worst - best + 1) / len(skills)


def world(rng: random.Random) -> World:
    """Return a world: deals matter little or much, bots are alike or far apart."""
    return World(
        skill=math.exp(rng.uniform(math.log(0.1), math.log(1.5))),
        deal=rng.uniform(0, 1.5),
        fit=rng.uniform(0, 0.7),
    )


def skilled(bots: int, spread: float, rng: random.Random) -> Skills:
    """Return skills; in every other world, each bot has a double with one chance in four."""
    doubles = rng.random() < 0.5  # noqa: PLR2004 - every other
    skills: Skills = {}
    for number in range(bots):
        known = list(skills.values())
        same = doubles and known and rng.random() < 0.25  # noqa: PLR2004 - one in four
        skills[f"b{number:02}"] = rng.choice(known) if same else rng.gauss(0, spread)
    return skills


class _Deals:
    """The deals of a tournament, the same for all tables."""

    def __init__(self, bots: int, rng: random.Random) -> None:
        self.world = world(rng)
        self.skills = skilled(bots, self.world.skill, rng)
        self._rng = rng
        self._luck: dict[tuple[int, object], float] = {}

    def shown(self, deal: int, seat: int, bot: str) -> float:
        """Return what a bot shows in one match, in deviations of the luck of the match."""
        of_seat = self.world.deal * self._of(deal, seat)
        of_bot = self.world.fit * self._of(deal, bot)
        return self.skills[bot] + of_seat + of_bot + self._rng.gauss()

    def _of(self, deal: int, whose: object) -> float:
        if (deal, whose) not in self._luck:
            self._luck[deal, whose] = self._rng.gauss()
        return self._luck[deal, whose]


def tables(
    players: int, most: int, rng: random.Random, number: int = ENOUGH_DEALS
) -> tuple[list[Result], Skills]:
    """Return a competitive tournament of up to ``most`` bots: all tables, in all rotations.

    It is played on ``number`` deals.
    """
    deals = _Deals(rng.randint(players + 1, most), rng)
    category = CATEGORIES[f"donburiko-{players}p"]
    results = []
    for deal in range(number):
        for table in combinations(deals.skills, players):
            for turn in range(players):
                line_up = table[turn:] + table[:turn]
                points = [
                    round(10 + 3 * deals.shown(deal, seat, bot)) for seat, bot in enumerate(line_up)
                ]
                results.append(_result(category, deal, line_up, points))
    return results, deals.skills


def self_play(players: int, rng: random.Random) -> tuple[list[Result], Skills]:
    """Return a co-operative tournament: each bot plays all deals with itself."""
    deals = _Deals(rng.randint(4, 10), rng)
    category = CATEGORIES[f"couperation-self-{players}p"]
    results = []
    for deal in range(ENOUGH_DEALS):
        for bot in deals.skills:
            score = _score(deals.shown(deal, 0, bot))
            results.append(_result(category, deal, (bot,) * players, [score] * players))
    return results, deals.skills


def mixed_teams(players: int, rng: random.Random) -> tuple[list[Result], Skills]:
    """Return a co-operative tournament of mixed teams: a random partition for each deal."""
    deals = _Deals(rng.randint(2 * players, 10), rng)
    category = CATEGORIES[f"couperation-mixed-{players}p"]
    results = []
    for deal in range(ENOUGH_IN_TEAMS):
        bots = rng.sample(list(deals.skills), len(deals.skills))
        for start in range(0, len(bots) - players + 1, players):
            team = tuple(bots[start : start + players])
            score = _score(sum(deals.shown(deal, 0, bot) for bot in team))
            results.append(_result(category, deal, team, [score] * players))
    return results, deals.skills


def _score(shown: float) -> int:
    return min(max(round(21 + 3 * shown), 0), BEST_SCORE)


def _result(category: Category, deal: int, bots: tuple[str, ...], scores: list[int]) -> Result:
    match = f"{category.name}/{deal}/{'+'.join(bots)}"
    ranks = standing(scores)
    return Result("simulated", match, category, deal, bots, tuple(scores), ranks)


CATEGORIES = {
    category.name: category
    for category in (
        *(Category("donburiko", "standard", Mode.TABLE, players) for players in (2, 3, 4)),
        *(Category("couperation", "standard", Mode.SELF, players) for players in (2,)),
        *(Category("couperation", "standard", Mode.MIXED, players) for players in (2, 3, 4)),
    )
}

TOURNAMENTS: dict[str, Callable[[random.Random], tuple[list[Result], Skills]]] = {
    "donburiko-2p": lambda rng: tables(2, 8, rng),
    "donburiko-3p": lambda rng: tables(3, 6, rng),
    "donburiko-4p": lambda rng: tables(4, 6, rng),
    "couperation-self-2p": lambda rng: self_play(2, rng),
    "couperation-mixed-2p": lambda rng: mixed_teams(2, rng),
    "couperation-mixed-3p": lambda rng: mixed_teams(3, rng),
    "couperation-mixed-4p": lambda rng: mixed_teams(4, rng),
}
"""By category, what plays a tournament of it."""

SHORT_TOURNAMENTS: dict[str, Callable[[random.Random], tuple[list[Result], Skills]]] = {
    f"donburiko-{players}p, deals: {deals}": partial(tables, players, most, number=deals)
    for players, most in ((2, 8), (3, 6))
    for deals in SHORT
}
"""The same by category and number of deals."""


def count(name: str, tournaments: int, seed: int) -> tuple[Count, ...]:
    """Return what comes of ``tournaments`` called ``name``, by how far their bots are apart."""
    counts = tuple(Count() for _ in SPREADS)
    for number in range(tournaments):
        rng = random.Random(f"{seed}/{name}/{number}")  # noqa: S311 - a simulation
        results, skills = (TOURNAMENTS | SHORT_TOURNAMENTS)[name](rng)
        category = CATEGORIES[name.partition(",")[0]]
        # The package has no part in what is measured here, and takes its time.
        batch = rate(units(category, results), skills, checked=0)
        spread = pstdev(skills.values())
        at = sum(spread >= bound for bound in SPREADS[1:])
        counts[at].add(leaderboard(category, results, batch), skills)
    return counts


def won_covered(rate_: float, tournaments: int, seed: int) -> float:
    """Return how often the interval of a win rate of ``rate_`` holds it, over ``tournaments``.

    A bot wins each match with that probability, whatever the deal; the two others win by their
    seat alone when they meet, so that their duplicates cancel. There are 50 deals.
    """
    rng = random.Random(f"{seed}/won/{rate_}")  # noqa: S311 - a simulation
    covered = 0
    for _ in range(tournaments):
        values: list[tuple[str, str, float]] = []
        for deal in map(str, range(50)):
            for other in ("b", "c", "b", "c"):
                won = float(rng.random() < rate_)
                values += [(deal, "a", won), (deal, other, 1 - won)]
            values += [(deal, bot, float(bot == first)) for first in "bc" for bot in "bc"]
        own = [value for _, bot, value in values if bot == "a"]
        effect = won_effect(design_effect(values, seats=2))
        low, high = wilson(sum(own) / effect, len(own) / effect)
        covered += low <= rate_ <= high
    return covered / tournaments


def line(name: str, own: Count) -> str:
    """Return a line of the printed table."""
    covered, width = own.covered / max(own.bots, 1), own.width / max(own.bots, 1)
    wrong = own.wrong / max(own.calls, 1)
    return f"{name:27}{own.bots:7}{covered:9.1%}{width:7.2f}{own.calls:8}{wrong:7.1%}"


def main() -> int:
    """Print the table; return 1 if a category misses what it promises."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--tournaments", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    began = time.perf_counter()
    print(f"{'category':27}{'bots':>7}{'covered':>9}{'width':>7}{'calls':>8}{'wrong':>7}")
    missed = []
    everything = [Count() for _ in SPREADS]
    for name in TOURNAMENTS:
        counts = count(name, options.tournaments, options.seed)
        own = sum(counts, Count())
        print(line(name, own), flush=True)
        everything = [one + other for one, other in zip(everything, counts, strict=True)]
        if own.covered < COVERED * own.bots or own.wrong >= WRONG * own.calls:
            missed.append(name)
    for name in SHORT_TOURNAMENTS:
        own = sum(count(name, options.tournaments, options.seed), Count())
        print(line(name, own), flush=True)
        if own.covered < COVERED * own.bots:
            missed.append(name)
    print(line("all but those of few deals", sum(everything, Count())))
    for low, high, own in zip(SPREADS, (*SPREADS[1:], math.inf), everything, strict=True):
        print(line(f"spread {low} to {high}", own))
    for rate_ in WIN_RATES:
        covered = won_covered(rate_, options.tournaments, options.seed)
        print(f"{f'win rate {rate_}':27}{'':7}{covered:9.1%}")
    print(
        f"promised: covered {COVERED:.0%} or more, wrong below {WRONG:.0%}; "
        f"{options.tournaments} tournaments of each, {time.perf_counter() - began:.0f} s"
    )
    if missed:
        print(f"missed by {', '.join(missed)}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
