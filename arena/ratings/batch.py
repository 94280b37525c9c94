"""Ratings of a category from all its units at once, whatever order they were played in.

Expectation propagation to convergence: every unit is rated on what all other units say about its
bots, over and over, until nothing moves. One pass in order of play would rank bots by luck of the
order.

Source:
    P. Dangauthier, R. Herbrich, T. Minka, T. Graepel, "TrueSkill Through Time", NIPS 20, 2007.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from arena.ratings import equations, trueskill
from arena.ratings.equations import NOTHING, Natural
from arena.ratings.trueskill import MU0, SIGMA0, Rating
from arena.ratings.units import Unit, digest, ordered

METHOD_VERSION = 1
"""Raised whenever the same units could be rated otherwise in a printed digit."""

SETTLED = 1e-7
"""A fit has converged when a sweep moves no mu and no sigma this far."""

MAX_SWEEPS = 50

PI0 = SIGMA0**-2
PRIOR: Natural = (PI0, PI0 * MU0)

Engine = Callable[[Sequence[Sequence[Natural]], Sequence[int], float], Sequence[Sequence[Natural]]]
"""(beliefs about the bots of each side, ranks, draw probability) -> what the result says."""


@dataclass(frozen=True, slots=True)
class Batch:
    """The ratings of a category, and how they came about."""

    ratings: Mapping[str, Rating]
    """By bot, in order of name."""

    draw_probability: float
    sweeps: int
    """Of the component that took most."""

    moved: float
    """How far the last sweep still moved any mu or sigma."""

    converged: bool
    """False if `MAX_SWEEPS` were too few.

    Ratings then hang on the order of units, by a few times ``moved``.
    """

    components: tuple[tuple[str, ...], ...]
    """Groups of bots, each compared with its own kind alone; one, unless the schedule fell apart.

    Ratings of different components are not comparable.
    """

    digest: str
    """Of the units (`arena.ratings.units.digest`)."""

    method: int = METHOD_VERSION


def rate(
    units: Iterable[Unit],
    bots: Iterable[str] = (),
    draw_probability: float | None = None,
    engines: Sequence[Engine] | None = None,
) -> Batch:
    """Return the ratings of all bots in ``units``.

    Args:
        units: of one category, in any order.
        bots: those to be listed even if they stand in no unit; such a one keeps the prior.
        draw_probability: between 0 and 1; by default it is estimated from the units.
        engines: each sweeps until nothing moves, then the next one has its turn. By default plain
            equations go ahead and the package has the last word: what is returned has settled
            under its own updates.

    Raises:
        RecordError: two units have one id.
    """
    listed = ordered(units)
    chance = observed_draws(listed) if draw_probability is None else draw_probability
    parts = _components(listed, bots)
    home = {bot: number for number, part in enumerate(parts) for bot in part}
    fits = [
        _Fit(part, [unit for unit in listed if home[unit.bots[0]] == number], chance)
        for number, part in enumerate(parts)
    ]
    for fit in fits:
        fit.solve(engines or (equations.messages, by_package))
    ratings = {bot: rating for fit in fits for bot, rating in fit.ratings().items()}
    return Batch(
        ratings={bot: ratings[bot] for bot in sorted(ratings)},
        draw_probability=chance,
        sweeps=max((fit.sweeps for fit in fits), default=0),
        moved=max((fit.moved for fit in fits), default=0.0),
        converged=all(fit.converged for fit in fits),
        components=parts,
        digest=digest(listed),
    )


def observed_draws(units: Iterable[Unit]) -> float:
    """Return the share of compared pairs of sides that are tied, smoothed towards 1 in 20."""
    pairs = [one == other for unit in units for one, other in combinations(unit.ranks, 2)]
    return min(max((sum(pairs) + 1) / (len(pairs) + 20), 0.005), 0.8)


def _components(units: Sequence[Unit], bots: Iterable[str]) -> tuple[tuple[str, ...], ...]:
    """Return the connected groups of bots, each by name, the largest group first."""
    group = {bot: {bot} for bot in bots}
    for unit in units:
        merged = set(unit.bots).union(*(group.get(bot, ()) for bot in unit.bots))
        group.update(dict.fromkeys(merged, merged))
    found = {tuple(sorted(members)) for members in group.values()}
    return tuple(sorted(found, key=lambda members: (-len(members), members)))


def by_package(
    sides: Sequence[Sequence[Natural]], ranks: Sequence[int], draw_probability: float
) -> list[list[Natural]]:
    """Do what `arena.ratings.equations.messages` does, by the package."""
    before = [[_rating(bot) for bot in side] for side in sides]
    after = trueskill.update(before, ranks, draw_probability)
    return [
        [_said(bot, rating) for bot, rating in zip(side, rated, strict=True)]
        for side, rated in zip(sides, after, strict=True)
    ]


def _said(before: Natural, after: Rating) -> Natural:
    pi = after.sigma**-2
    return max(pi - before[0], 0.0), pi * after.mu - before[1]


def _rating(belief: Natural) -> Rating:
    pi, tau = belief
    return Rating(tau / pi, pi**-0.5) if belief != PRIOR else Rating()


class _Fit:
    """The fit of one component.

    A bot's belief is the prior and the sum of what each of its units says; a unit is asked anew
    on the belief without its own message (the cavity).
    """

    def __init__(self, bots: Sequence[str], units: Sequence[Unit], draw_probability: float) -> None:
        self._units = units
        self._draw_probability = draw_probability
        self._beliefs: dict[str, Natural] = dict.fromkeys(bots, PRIOR)
        self._messages: list[Sequence[Sequence[Natural]]] = [
            [[NOTHING for _ in side] for side in unit.sides] for unit in units
        ]
        self.sweeps = 0
        self.moved = 0.0
        self.converged = not units

    def solve(self, engines: Sequence[Engine]) -> None:
        """Sweep with each engine in turn until nothing moves."""
        waiting = list(engines)
        while not self.converged and self.sweeps < MAX_SWEEPS:
            before = self.ratings()
            self._sweep(waiting[0])
            self.moved = _distance(before, self.ratings())
            if self.moved < SETTLED:
                del waiting[0]
                self.converged = not waiting

    def ratings(self) -> dict[str, Rating]:
        """Return the ratings as they stand, by bot."""
        return {bot: _rating(belief) for bot, belief in self._beliefs.items()}

    def _sweep(self, engine: Engine) -> None:
        """Ask every unit once, forwards and backwards by turns."""
        self.sweeps += 1
        order = range(len(self._units))
        for at in order if self.sweeps % 2 else reversed(order):
            unit, messages = self._units[at], self._messages[at]
            cavities = [
                [self._without(bot, message) for bot, message in zip(side, said, strict=True)]
                for side, said in zip(unit.sides, messages, strict=True)
            ]
            self._messages[at] = engine(cavities, unit.ranks, self._draw_probability)
            for side, before, said in zip(unit.sides, cavities, self._messages[at], strict=True):
                for bot, (pi, tau), message in zip(side, before, said, strict=True):
                    self._beliefs[bot] = (pi + message[0], tau + message[1])
        self._recentre()

    def _without(self, bot: str, message: Natural) -> Natural:
        pi, tau = self._beliefs[bot]
        # The rest is the prior and more; only rounding could make it less.
        return max(pi - message[0], PI0), tau - message[1]

    def _recentre(self) -> None:
        """Move all skills so that their mean is the prior's.

        It is there once the fit has converged; results say nothing of it, so sweeps alone would
        take long to find it.
        """
        beliefs = list(self._beliefs.values())
        # Above 0: a unit tells its bots something unless they are hopelessly far apart already.
        told = sum((pi - PI0) / pi for pi, _ in beliefs)
        shift = (MU0 * len(beliefs) - sum(tau / pi for pi, tau in beliefs)) / told
        for bot, (pi, tau) in self._beliefs.items():
            self._beliefs[bot] = (pi, tau + (pi - PI0) * shift)
        for at, messages in enumerate(self._messages):
            self._messages[at] = [[(pi, tau + pi * shift) for pi, tau in said] for said in messages]


def _distance(before: Mapping[str, Rating], after: Mapping[str, Rating]) -> float:
    return max(
        max(abs(after[bot].mu - rating.mu), abs(after[bot].sigma - rating.sigma))
        for bot, rating in before.items()
    )
