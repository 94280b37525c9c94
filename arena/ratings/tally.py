"""What each bot of a category did, counted: matches, wins, points, scores, faults, times."""

import math
from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from arena.games import get_game
from arena.ratings.result import Result
from arena.ratings.statistics import share_beaten, share_won
from arena.ratings.units import Unit, deal_sides
from arena.referee.category import Category, Mode


@dataclass(slots=True)
class Tally:
    """The counts of one bot."""

    matches: int = 0
    deals: set[str] = field(default_factory=set)
    """Those on which it has a result; a co-operative partner of a bot at fault has none."""

    faults: int = 0
    """Matches in which a seat of the bot was closed."""

    points: list[tuple[str, float]] = field(default_factory=list)
    """(deal, share of the other sides that it beat) for each rated unit."""

    won: list[tuple[str, float]] = field(default_factory=list)
    """(deal, share of the win): a competitive match's first place, or, for a co-operative game
    that can be won, 1 where it was and 0 where it was not. It is won with its best score.
    """

    scores: list[float] = field(default_factory=list)
    """Of matches without a fault: tokens or the like, the team's score in self-play, and in mixed
    teams the team's score less the mean of all teams on the deal.
    """

    team_scores: list[int] = field(default_factory=list)
    """Mixed teams: the same scores as they are."""

    seat_points: dict[int, list[float]] = field(default_factory=lambda: defaultdict(list))
    """Competitive games: ``points`` by seat."""

    action_ms: "array[float]" = field(default_factory=lambda: array("d"))
    """Of all decisions, which are many."""


def tally(category: Category, results: Iterable[Result], units: Iterable[Unit]) -> dict[str, Tally]:
    """Return the counts of every bot by name.

    Args:
        category: what all of ``results`` belong to.
        results: those that can be rated.
        units: what `arena.ratings.units.units` makes of them.
    """
    tallies: dict[str, Tally] = defaultdict(Tally)
    played = list(results)
    for result in played:
        for bot in set(result.bots):
            tallies[bot].matches += 1
            tallies[bot].faults += bot in result.at_fault
        for bot, times in zip(result.bots, result.action_ms, strict=False):
            tallies[bot].action_ms.extend(times)
    if category.mode is Mode.TABLE:
        for result in played:
            _count_match(result, tallies)
    else:
        _count_deals(category, played, tallies)
        for unit in units:
            for side, share in zip(unit.sides, share_beaten(unit.ranks), strict=True):
                for bot in side:
                    tallies[bot].points.append((unit.id, share))
    return {bot: tallies[bot] for bot in sorted(tallies)}


def _count_match(result: Result, tallies: Mapping[str, Tally]) -> None:
    deal = result.deal_id
    beaten, won = share_beaten(result.ranks), share_won(result.ranks)
    for seat, bot in enumerate(result.bots):
        own = tallies[bot]
        own.deals.add(deal)
        own.points.append((deal, beaten[seat]))
        own.seat_points[seat].append(beaten[seat])
        own.won.append((deal, won[seat]))
        if not result.faults:
            own.scores.append(result.scores[seat])


def _count_deals(
    category: Category, results: Sequence[Result], tallies: Mapping[str, Tally]
) -> None:
    best = get_game(category.game).best_score
    on_deal: dict[str, list[int]] = defaultdict(list)
    for result in results:
        if not result.faults:
            on_deal[result.deal_id].append(result.scores[0])
    # A team alone on its deal is its own mean, which says nothing.
    means = {
        deal: math.fsum(scores) / len(scores) for deal, scores in on_deal.items() if len(scores) > 1
    }
    for result in results:
        deal = result.deal_id
        for side, score in deal_sides(result):
            for bot in side:
                own = tallies[bot]
                own.deals.add(deal)
                if best is not None:
                    own.won.append((deal, float(score == best)))
                if score is None:
                    continue
                if category.mode is Mode.SELF:
                    own.scores.append(score)
                else:
                    own.team_scores.append(score)
                    if deal in means:
                        own.scores.append(score - means[deal])
