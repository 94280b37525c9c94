"""Ratings of a category from all its units at once, whatever order they were played in.

Expectation propagation to convergence: every unit is rated on what all other units say about its
bots, over and over, until nothing moves. One pass in order of play would rank bots by luck of the
order.

Source:
    P. Dangauthier, R. Herbrich, T. Minka, T. Graepel, "TrueSkill Through Time", NIPS 20, 2007.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain, combinations

from arena.ratings.kept import Kept, keep, recall
from arena.ratings.trueskill import Rating
from arena.ratings.units import Unit, digest, ordered

METHOD_VERSION = 3
"""Raised whenever the same matches could be rated otherwise in a printed digit, ± included."""

MAX_SWEEPS = 200
"""Twenty is what a fit needs at most, as a rule."""

CHECKED = 200


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
    """False if the sweeps allowed were too few.

    Ratings then hang on the order of units, by a few times ``moved``.
    """

    components: tuple[tuple[str, ...], ...]
    """Groups of bots, each compared with its own kind alone; one, unless the schedule fell apart.

    Ratings of different components are not comparable.
    """

    digest: str
    """Of the units (`arena.ratings.units.digest`)."""

    method: int = METHOD_VERSION
    messages: Kept = field(default_factory=Kept)
    """Where a fit of much the same units may start."""


def rate(
    units: Iterable[Unit],
    bots: Iterable[str] = (),
    draw_probability: float | None = None,
    kept: Batch | None = None,
    max_sweeps: int = MAX_SWEEPS,
    checked: int = CHECKED,
) -> Batch:
    """Return the ratings of all bots in ``units``.

    Args:
        units: of one category, in any order.
        bots: those to be listed even if they stand in no unit; such a one keeps the prior.
        draw_probability: between 0 and 1; by default it is estimated from the units.
        kept: of other units, some of which may be the same: the fit starts from what these have
            said. That saves sweeps and changes no printed digit.
        max_sweeps: 1 or more.
        checked: how many units of each component the ``trueskill`` package rates, too.

    Raises:
        RecordError: two units have one id.
        HostFault: the ratings are not those of the ``trueskill`` package.
    """
    # Whoever shows ratings that are kept needs none of it, and it takes longer to import than they.
    from arena.ratings.fit import settled  # noqa: PLC0415

    listed = ordered(units)
    chance = observed_draws(listed) if draw_probability is None else draw_probability
    parts = _components(listed, bots)
    home = {bot: number for number, part in enumerate(parts) for bot in part}
    shared: list[list[Unit]] = [[] for _ in parts]
    for unit in listed:
        shared[home[unit.sides[0][0]]].append(unit)
    start = kept.messages if kept else Kept()
    fits = [
        settled(part, own, chance, recall(start, own), max_sweeps)
        for part, own in zip(parts, shared, strict=True)
    ]
    for fit in fits:
        fit.check(checked)
    ratings = {bot: rating for fit in fits for bot, rating in fit.ratings().items()}
    return Batch(
        ratings={bot: ratings[bot] for bot in sorted(ratings)},
        draw_probability=chance,
        sweeps=max((fit.sweeps for fit in fits), default=0),
        moved=max((fit.moved for fit in fits), default=0.0),
        converged=all(fit.converged for fit in fits),
        components=parts,
        digest=digest(listed),
        messages=keep(
            chain.from_iterable(shared), chain.from_iterable(fit.messages() for fit in fits)
        ),
    )


def observed_draws(units: Iterable[Unit]) -> float:
    """Return the share of compared pairs of sides that are tied, smoothed towards 1 in 20."""
    pairs = tied = 0
    for unit in units:
        sides = len(unit.ranks)
        pairs += sides * (sides - 1) // 2
        if len(set(unit.ranks)) < sides:
            tied += sum(one == other for one, other in combinations(unit.ranks, 2))
    return min(max((tied + 1) / (pairs + 20), 0.005), 0.8)


def _components(units: Iterable[Unit], bots: Iterable[str]) -> tuple[tuple[str, ...], ...]:
    """Return the connected groups of bots, each by name, the largest group first."""
    group = {bot: [bot] for bot in bots}
    for unit in units:
        members = group.setdefault(unit.sides[0][0], [unit.sides[0][0]])
        for bot in unit.bots:
            other = group.setdefault(bot, [bot])
            if other is not members:
                members += other
                group.update(dict.fromkeys(other, members))
    found = {id(members): tuple(sorted(members)) for members in group.values()}
    return tuple(sorted(found.values(), key=lambda members: (-len(members), members)))
