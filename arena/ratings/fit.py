"""Expectation propagation over the units of one component, until nothing moves.

A bot's belief is the prior and the sum of what each of its units says; a unit is asked anew on the
belief without its own message (the cavity). The messages inside a unit are kept from sweep to
sweep, so that once through them is enough each time: both settle together, and where they settle
each message is what a whole update says (`Fit.check` holds it against the package).
"""

import math
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, islice

from arena.errors import HostFault
from arena.ratings import trueskill
from arena.ratings.anderson import mixture
from arena.ratings.equations import LUCK, Natural, form, pass_along, performance, share
from arena.ratings.trueskill import MU0, SIGMA0, Rating
from arena.ratings.units import Unit

SETTLED = 1e-8
"""A fit has converged when a sweep moves no mu and no sigma this far."""

DEPTH = 4
"""How many sweeps before the latest one are mixed with it."""

PLAIN_SWEEPS = 2
"""The first ones move too far to tell where they lead."""

AGREED = 1e-6
"""How far from the package's a rating may be."""

PI0 = SIGMA0**-2
PRIOR = (PI0, PI0 * MU0)


@dataclass(frozen=True, slots=True)
class _Step:
    """What a sweep did."""

    moved: list[float]
    """By how much, for mu and sigma of every bot."""

    pis: Sequence[float]
    """The messages it came to."""

    taus: Sequence[float]


def settled(
    bots: Sequence[str],
    units: Sequence[Unit],
    draw_probability: float,
    start: Sequence[Sequence[float]],
    max_sweeps: int,
) -> "Fit":
    """Return the fit of one component, from ``start`` if that leads anywhere; else from nothing.

    Args:
        bots: as for `Fit`.
        units: likewise.
        draw_probability: likewise.
        start: likewise.
        max_sweeps: 1 or more; with ``start`` and without it.
    """
    fit = Fit(bots, units, draw_probability, start)
    fit.solve(max_sweeps)
    if not fit.converged and any(start):
        fit = Fit(bots, units, draw_probability)
        fit.solve(max_sweeps)
    return fit


class Fit:
    """The fit of one component.

    Args:
        bots: all of its bots.
        units: all of its units, ordered.
        draw_probability: of two equal sides of one bot each.
        start: the `messages` of each unit to start from; empty where there are none.
    """

    def __init__(
        self,
        bots: Sequence[str],
        units: Sequence[Unit],
        draw_probability: float,
        start: Sequence[Sequence[float]] = (),
    ) -> None:
        number = {bot: at for at, bot in enumerate(bots)}
        self._bots = bots
        self._draw_probability = draw_probability
        # By unit: its form, its bots' numbers side by side, and where its messages begin.
        self._forms = [
            form(tuple(map(len, unit.sides)), unit.ranks, draw_probability) for unit in units
        ]
        self._ranks = [unit.ranks for unit in units]
        self._seated = [[number[bot] for side in unit.sides for bot in side] for unit in units]
        self._starts = list(accumulate(map(len, self._seated), initial=0))
        self._message_pis = [0.0] * self._starts[-1]
        self._message_taus = self._message_pis.copy()
        # By unit, what its comparisons have last told the sides on their left.
        self._back = [([0.0] * len(of.margins), [0.0] * len(of.margins)) for of in self._forms]
        self._history: list[_Step] = []
        for at, numbers in enumerate(start):
            self._take(at, numbers)
        self._hear()
        self.sweeps = 0
        self.moved = math.inf if units else 0.0
        self.converged = not units

    def solve(self, max_sweeps: int) -> None:
        """Sweep until nothing moves, ``max_sweeps`` times at most."""
        while not self.converged and self.sweeps < max_sweeps:
            if self._history:
                self._mix()
            before, before_moved = self._numbers(), self.moved
            self._sweep()
            steps = [new - old for old, new in zip(before, self._numbers(), strict=True)]
            self.moved = max(map(abs, steps))
            self.converged = self.moved < SETTLED
            if self.moved > before_moved:
                # Far from the end a mixture can mislead: what it was made of is forgotten.
                self._history.clear()
            if self.sweeps > PLAIN_SWEEPS:
                image = array("d", self._message_pis), array("d", self._message_taus)
                self._history = [*self._history[-DEPTH:], _Step(steps, *image)]

    def messages(self) -> Iterator[list[float]]:
        """Yield for each unit where a fit may start: pi, tau, pi, tau, ...

        These are what it says about each of its bots, and what its comparisons but the first have
        told the sides on their left.
        """
        for at, (back_pis, back_taus) in enumerate(self._back):
            slots = slice(self._starts[at], self._starts[at + 1])
            pis = self._message_pis[slots] + back_pis[1:]
            taus = self._message_taus[slots] + back_taus[1:]
            yield [number for pair in zip(pis, taus, strict=True) for number in pair]

    def _take(self, at: int, numbers: Sequence[float]) -> None:
        """Take what `messages` once gave of a unit."""
        pis, taus = list(numbers[::2]), list(numbers[1::2])
        bots, (back_pis, back_taus) = len(self._seated[at]), self._back[at]
        if len(pis) == len(taus) == bots + len(back_pis) - 1:
            slots = slice(self._starts[at], self._starts[at + 1])
            self._message_pis[slots], self._message_taus[slots] = pis[:bots], taus[:bots]
            back_pis[1:], back_taus[1:] = pis[bots:], taus[bots:]

    def ratings(self) -> dict[str, Rating]:
        """Return the ratings as they stand, by bot."""
        return {
            # A bot without units is exactly at the prior.
            bot: Rating(mu, sigma) if pi != PI0 else Rating()
            for bot, (mu, sigma), pi in zip(self._bots, self._normals(), self._pis, strict=True)
        }

    def _hear(self) -> None:
        """Take all beliefs from the prior and the messages."""
        self._pis = [PI0] * len(self._bots)
        self._taus = [PI0 * MU0] * len(self._bots)
        slots = zip(
            chain.from_iterable(self._seated), self._message_pis, self._message_taus, strict=True
        )
        for bot, pi, tau in slots:
            self._pis[bot] += pi
            self._taus[bot] += tau

    def _mix(self) -> None:
        """Start the next sweep from a mixture of where the last ones ended."""
        weights = mixture([step.moved for step in self._history])
        # A message that is less than nothing has no meaning, so the mixture stops short of it.
        pis = _mixed(weights, [step.pis for step in self._history])
        self._message_pis = [max(pi, 0.0) for pi in pis]
        self._message_taus = _mixed(weights, [step.taus for step in self._history])
        self._hear()

    def _numbers(self) -> list[float]:
        """Return mu and sigma of every bot."""
        return [number for normal in self._normals() for number in normal]

    def _normals(self) -> list[tuple[float, float]]:
        return [(tau / pi, pi**-0.5) for pi, tau in zip(self._pis, self._taus, strict=True)]

    def _sweep(self) -> None:
        """Ask every unit once."""
        self.sweeps += 1
        for at in range(len(self._forms)):
            if len(self._seated[at]) == len(self._forms[at].sizes):
                self._ask_bots(at)
            else:
                self._ask_teams(at)
        self._recentre()

    def _ask_bots(self, at: int) -> None:
        """Ask a unit of one bot a side: `_ask_teams` in fewer steps."""
        bots, pis, taus = self._seated[at], self._pis, self._taus
        message_pis, message_taus = self._message_pis, self._message_taus
        start = self._starts[at]
        cavity_pis, cavity_taus, shown_pis, shown_taus = [], [], [], []
        for slot, bot in enumerate(bots, start):
            pi = pis[bot] - message_pis[slot]
            tau = taus[bot] - message_taus[slot]
            if pi < PI0:  # noqa: PLR1730 - a call would take a tenth of a sweep
                pi = PI0
            scale = 1 + LUCK * pi
            cavity_pis.append(pi)
            cavity_taus.append(tau)
            shown_pis.append(pi / scale)
            shown_taus.append(tau / scale)
        said_pis, said_taus = pass_along(shown_pis, shown_taus, self._forms[at], *self._back[at])
        for place, bot in enumerate(bots):
            scale = 1 + LUCK * said_pis[place]
            pi, tau = said_pis[place] / scale, said_taus[place] / scale
            message_pis[start + place], message_taus[start + place] = pi, tau
            pis[bot], taus[bot] = cavity_pis[place] + pi, cavity_taus[place] + tau

    def _ask_teams(self, at: int) -> None:
        """Ask a unit whatever its sides are."""
        of = self._forms[at]
        sides = self._cavities(at)
        normals = [
            performance(side, weight) for side, weight in zip(sides, of.weights, strict=True)
        ]
        said = pass_along(
            [1 / variance for _, variance in normals],
            [mean / variance for mean, variance in normals],
            of,
            *self._back[at],
        )
        slot = self._starts[at]
        for side, weight, pi, tau in zip(sides, of.weights, *said, strict=True):
            for belief, message in zip(side, share(pi, tau, side, weight), strict=True):
                bot = self._seated[at][slot - self._starts[at]]
                self._message_pis[slot], self._message_taus[slot] = message
                self._pis[bot], self._taus[bot] = (
                    belief[0] + message[0],
                    belief[1] + message[1],
                )
                slot += 1

    def _cavities(self, at: int) -> list[list[Natural]]:
        """Return by side the beliefs about a unit's bots without its own messages."""
        slots = range(self._starts[at], self._starts[at + 1])
        beliefs = iter(
            [
                # The rest is the prior and more; only rounding could make it less.
                (
                    max(self._pis[bot] - self._message_pis[slot], PI0),
                    self._taus[bot] - self._message_taus[slot],
                )
                for slot, bot in zip(slots, self._seated[at], strict=True)
            ]
        )
        return [list(islice(beliefs, size)) for size in self._forms[at].sizes]

    def _recentre(self) -> None:
        """Move all skills so that their mean is the prior's.

        It is there once the fit has converged. Results say nothing of it, since the sides of a unit
        count for equally many bots (`arena.ratings.equations.weights`), so sweeps alone would take
        long to find it.
        """
        told = sum((pi - PI0) / pi for pi in self._pis)
        missing = MU0 * len(self._pis) - sum(
            tau / pi for pi, tau in zip(self._pis, self._taus, strict=True)
        )
        if told == 0:  # all units were certain before
            return
        shift = missing / told
        self._taus = [
            tau + (pi - PI0) * shift for pi, tau in zip(self._pis, self._taus, strict=True)
        ]
        self._message_taus = [
            tau + pi * shift for pi, tau in zip(self._message_pis, self._message_taus, strict=True)
        ]

    def check(self, most: int) -> None:
        """Rate units that are spread over the list with the package: it must say the same.

        Args:
            most: how many units of up to four bots; fewer of larger ones, which take longer.

        Raises:
            HostFault: it does not.
        """
        units = len(self._forms)
        wanted = min(units, most, math.ceil(most * 4 * units / max(self._starts[-1], 1)))
        for number in range(wanted):
            apart = self._apart(number * units // wanted)
            if not apart <= AGREED + 10 * self.moved:
                raise HostFault(
                    f"ratings differ from those of the trueskill package by {apart:.1e} in a match"
                )

    def _apart(self, at: int) -> float:
        """Return how far the package's ratings after a unit are from the fit's."""
        sides = self._cavities(at)
        after = trueskill.update(
            [[Rating(tau / pi, pi**-0.5) for pi, tau in side] for side in sides],
            self._ranks[at],
            self._draw_probability,
            self._forms[at].weights,
        )
        settled = self._normals()
        return max(
            max(abs(rating.mu - settled[bot][0]), abs(rating.sigma - settled[bot][1]))
            for bot, rating in zip(self._seated[at], chain.from_iterable(after), strict=True)
        )


def _mixed(weights: Sequence[float], vectors: Sequence[Sequence[float]]) -> list[float]:
    mixed = [weights[0] * value for value in vectors[0]]
    for weight, vector in zip(weights[1:], vectors[1:], strict=True):
        mixed = [value + weight * new for value, new in zip(mixed, vector, strict=True)]
    return mixed
