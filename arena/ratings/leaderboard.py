"""The leaderboard of a category: typed rows, best bot first, and what stands under the table."""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from arena.ratings.batch import METHOD_VERSION, Batch, rate
from arena.ratings.result import Result, categories_of
from arena.ratings.retiring import Retired, Seat, has_retired
from arena.ratings.statistics import (
    MIN_DEALS,
    Z95,
    design_effect,
    effective_sigma,
    elo_gap,
    likeness_effect,
    mean_interval,
    p_better,
    rank_intervals,
    wilson,
    won_effect,
)
from arena.ratings.tally import Tally, tally
from arena.ratings.trueskill import Rating
from arena.ratings.units import digest, units
from arena.referee.category import Category, Mode

SURE = 0.95
"""A bot is told from the next one when it is the better of the two with this probability."""

ENOUGH_DEALS = 30

ENOUGH_IN_TEAMS = 100
"""So many deals of mixed teams are enough, a bot having played half of them: some sit out, and a
partner's fault takes a deal away. A deal tells little of each bot of a team: in the simulations of
``bench/calibration.py``, after 30 deals in teams of four, of the calls with 95 % or more 14 % were
wrong.
"""


@dataclass(frozen=True, slots=True)
class Share:
    """A probability as observed, with its 95 % interval; all between 0 and 1."""

    rate: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Row:
    """One bot. ``None`` stands where there is nothing to tell."""

    group: int
    """From 1, the largest first: bots of different groups never met, and cannot be compared."""

    place: int
    """From 1 without gaps, by rating, among the rows of the group."""

    tied: bool
    """Whether the next bot may well be the better one (``p_next`` below 0.95)."""

    bot: str
    rating: Rating
    half_width: float
    """``rating.mu`` plus and minus this is its 95 % interval, relative to the group."""

    places: tuple[int, int]
    """Best and worst place in the group that the ratings leave open at 95 %."""

    p_next: float | None
    """Probability of being better than the bot of the next row, if that is of the group."""

    won: Share | None
    """Matches won, a shared first place counting 1/m; co-operative: deals won by the rules."""

    points: float | None
    """Mean share of the other sides that it beat, 0 to 1; one half is average."""

    score: float | None
    """Mean over matches without a fault: of the bot's own score, of the team's in self-play, and in
    mixed teams of the team's score less the mean of all teams on the deal.
    """

    score_half_width: float | None
    """Co-operative games: ``score`` plus and minus this is its 95 % interval."""

    team_score: float | None
    """Mixed teams: the mean score of the bot's teams as it is, over matches without a fault."""

    matches: int
    deals: int
    faults: int
    provisional: bool
    """Fewer than 30 deals, in mixed teams fewer than 50 of the bot or 100 of the group; or the
    places left open are more than half of the group's.
    """

    elo: float
    """Elo gap to the mean rating of the group."""

    seat_points: tuple[float | None, ...]
    """``points`` by seat; empty for co-operative games."""

    action_ms: tuple[float, float] | None
    """Median and 99th percentile of the bot's decisions; measured, so never twice the same."""


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """The table of a category and how it came about."""

    category: Category
    rows: tuple[Row, ...]
    deals: int
    matches: int
    left_out: int
    """Matches whose line-up cannot be rated, such as one bot in two seats."""

    deff: float
    """The design effect of points; 1 for co-operative games."""

    likeness: float
    """The effect of bots that are alike, in mixed teams; 1 elsewhere. Of groups, the largest one
    counts for all.
    """

    batch: Batch
    """Draw probability, sweeps, components, digest of the units, method version.

    It has the ratings of all bots, of those without a row too.
    """

    hidden: tuple[str, ...]
    """Bots that were rated and have no row, by name."""

    tiers: tuple[str, ...]
    """How the bots were kept apart, by name; more than one in a pool of tournaments."""

    rated: bool
    """Whether every match was played under the conditions of a rated tournament."""

    retired: tuple[Retired, ...] = ()
    """Bots that kept failing. None of their matches in that tournament is in the table."""

    dropped: int = 0
    """Deals that the host spoilt again and again, and that others were played instead of."""

    repeats: int = 0
    """Matches of a pool that do not count: they repeat others on the same cards."""

    @property
    def groups(self) -> int:
        """How many groups of bots there are rows of."""
        return self.rows[-1].group if self.rows else 0

    @property
    def deff_is_assumed(self) -> bool:
        """Whether deals are too few to tell the design effect, so that the largest is taken."""
        return self.category.mode is Mode.TABLE and self.deals < MIN_DEALS and self.deff > 1

    unmatched: tuple[str, ...] = ()
    """Bots that are not retired and have no row, for they only met bots that are."""

    def p_better(self, one: Row, other: Row) -> float:
        """Return the probability that ``one`` is the better bot of two in one group.

        Raises:
            ValueError: they are of different groups.
        """
        if one.group != other.group:
            raise ValueError(f"{one.bot} and {other.bot} never met")
        (bots,) = (len(group) for group in self.batch.components if one.bot in group)
        return p_better(one.rating, other.rating, bots, self.deff * self.likeness)


def leaderboard(
    category: Category,
    results: Iterable[Result],
    batch: Batch | None = None,
    hidden: Collection[str] = (),
) -> Leaderboard:
    """Return the leaderboard of ``category``, the same for any order of ``results``.

    Args:
        category: results of others are passed over.
        results: of one tournament, or of several as a pool.
        batch: ratings kept from before. They are used if they are of the same units, and else are
            where the fit starts.
        hidden: bots that get no row. They are rated like all others and change no rating; places
            and ``p_next`` are those among the rows.

    Raises:
        RecordError: two results of a tournament have one match id.
    """
    found = [result for result in results if result.category == category]
    ratable = [result for result in found if result.ratable]
    listed = units(category, ratable)
    tallies = tally(category, ratable, listed)
    if batch is None or not _stands_for(batch, tallies, digest(listed)):
        batch = rate(listed, bots=tallies, kept=batch)
    competitive = category.mode is Mode.TABLE
    deff = deff_won = likeness = 1.0
    if competitive:
        deff = _deff({bot: own.points for bot, own in tallies.items()}, category)
        deff_won = won_effect(_deff({bot: own.won for bot, own in tallies.items()}, category))
    elif category.mode is Mode.MIXED:
        likeness = max((_likeness(batch, group) for group in batch.components), default=1.0)
    shown = {bot: own for bot, own in tallies.items() if bot not in hidden}
    return Leaderboard(
        category=category,
        rows=tuple(_rows(category, shown, batch, deff * likeness, deff_won)),
        deals=len({result.deal_id for result in ratable}),
        matches=len(ratable),
        left_out=len(found) - len(ratable),
        deff=deff,
        likeness=likeness,
        batch=batch,
        hidden=tuple(bot for bot in tallies if bot not in shown),
        tiers=tuple(sorted({result.tier for result in ratable})),
        rated=bool(ratable) and all(result.rated for result in ratable),
    )


def leaderboards_of(
    results: Sequence[Result], retired: Mapping[Seat, Retired]
) -> list[Leaderboard]:
    """Return the leaderboards of one tournament, a category each, without those ``retired``.

    Raises:
        RecordError: two results have one match id.
    """
    boards = []
    for category in categories_of(results):
        kept = [one for one in results if not has_retired(retired, category.name, one.bots)]
        out = sorted((category.name, bot) for name, bot in retired if name == category.name)
        board = leaderboard(category, kept)
        boards.append(
            replace(
                board,
                retired=tuple(retired[seat] for seat in out),
                unmatched=unmatched(results, kept, category, {bot for _, bot in out}),
            )
        )
    return boards


def unmatched(
    results: Iterable[Result],
    kept: Iterable[Result],
    category: Category,
    retired: Collection[str],
) -> tuple[str, ...]:
    """Return who of ``category`` has no match left: in ``results``, not ``kept``, not ``retired``.

    In the order of names.
    """
    played = {bot for one in results if one.category == category for bot in one.bots}
    left = {bot for one in kept if one.category == category for bot in one.bots}
    return tuple(sorted(played - left - set(retired)))


def _stands_for(batch: Batch, bots: Iterable[str], units_digest: str) -> bool:
    return (
        batch.method == METHOD_VERSION
        and batch.digest == units_digest
        and set(batch.ratings) == set(bots)
    )


def _deff(values: Mapping[str, Sequence[tuple[str, float]]], category: Category) -> float:
    listed = ((deal, bot, value) for bot, own in values.items() for deal, value in own)
    return design_effect(listed, category.players)


def _likeness(batch: Batch, group: Iterable[str]) -> float:
    return likeness_effect([batch.ratings[bot] for bot in group])


def _rows(
    category: Category, tallies: Mapping[str, Tally], batch: Batch, effect: float, deff_won: float
) -> Iterator[Row]:
    """Yield the rows of those in ``tallies``, group by group."""
    groups = [group for group in batch.components if any(bot in tallies for bot in group)]
    for number, group in enumerate(groups, start=1):
        ratings = {bot: batch.ratings[bot] for bot in group}
        mean = math.fsum(rating.mu for rating in ratings.values()) / len(group)
        # Rounded, because a fit stops short of the last digits.
        bots = sorted(
            (bot for bot in group if bot in tallies),
            key=lambda bot: (-round(batch.ratings[bot].mu, 4), bot),
        )
        deals = len({deal for bot in bots for deal in tallies[bot].deals})
        sigmas = [effective_sigma(ratings[bot].sigma, len(group), effect) for bot in bots]
        places = rank_intervals([ratings[bot].mu for bot in bots], sigmas)
        for at, bot in enumerate(bots):
            own, rating, (best, worst) = tallies[bot], ratings[bot], places[at]
            p_next = (
                p_better(rating, ratings[bots[at + 1]], len(group), effect)
                if at + 1 < len(bots)
                else None
            )
            score, score_half_width = _mean(own.scores)
            yield Row(
                group=number,
                place=at + 1,
                tied=p_next is not None and p_next < SURE,
                bot=bot,
                rating=rating,
                half_width=Z95 * sigmas[at],
                places=(best, worst),
                p_next=p_next,
                won=_share([share for _, share in own.won], deff_won),
                points=_mean([share for _, share in own.points])[0],
                score=score,
                score_half_width=None if category.mode is Mode.TABLE else score_half_width,
                team_score=_mean(own.team_scores)[0],
                matches=own.matches,
                deals=len(own.deals),
                faults=own.faults,
                provisional=_few(category, len(own.deals), deals)
                or worst - best + 1 > len(bots) / 2,
                elo=elo_gap(rating.mu - mean, batch.draw_probability),
                seat_points=_by_seat(category, own),
                action_ms=_quantiles(own.action_ms),
            )


def _few(category: Category, own: int, deals: int) -> bool:
    """Return whether ``own`` deals of a bot, out of ``deals`` of all, are few."""
    if category.mode is Mode.MIXED:
        return deals < ENOUGH_IN_TEAMS or own < ENOUGH_IN_TEAMS / 2
    return own < ENOUGH_DEALS


def _mean(values: Sequence[float]) -> tuple[float | None, float | None]:
    return mean_interval(values) if values else (None, None)


def _share(won: Sequence[float], deff: float) -> Share | None:
    if not won:
        return None
    total = math.fsum(won)
    return Share(total / len(won), *wilson(total / deff, len(won) / deff))


def _by_seat(category: Category, own: Tally) -> tuple[float | None, ...]:
    if category.mode is not Mode.TABLE:
        return ()
    return tuple(_mean(own.seat_points.get(seat, []))[0] for seat in range(category.players))


def _quantiles(times: Sequence[float]) -> tuple[float, float] | None:
    """Return median and 99th percentile by nearest rank."""
    ranked = sorted(times)
    if not ranked:
        return None
    return ranked[math.ceil(0.5 * len(ranked)) - 1], ranked[math.ceil(0.99 * len(ranked)) - 1]
