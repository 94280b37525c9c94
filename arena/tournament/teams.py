"""Mixed teams: for each deal a fresh partition of the bots, so that all partners come round.

Bots are numbers here, from 0, and so are authors. The partitions depend on how many bots there
are, on how large a team is and on who is of one author, and on nothing else: whoever makes them
again gets the same ones.
"""

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, count, product

from arena.tournament.tables import most_tables

Teams = tuple[tuple[int, ...], ...]
"""The teams of one deal: bots by seat. Who is in none of them sits the deal out."""

_NEVER = 10**12
"""What it costs to make partners of two bots that must not be; more than all else together."""


def teams(bots: int, size: int, authors: Sequence[int] | None = None) -> Iterator[Teams]:
    """Yield the teams of deal 0, 1, 2, … without end.

    A deal begins with the bots in an order drawn by SHA-256. Those who have sat out least sit out
    now, the others are cut into teams, and bots change places as long as that brings together
    bots that have been partners less often. At last those in a team change seats, as long as that
    brings them to seats that they have had less often.

    At any time the numbers of deals sat out differ by at most 1. Over the first thousand deals of
    2, 3 or 4 in a team and up to 40 bots, how often two bots were partners differs by at most
    ``size`` between any two pairs, and how often a bot had each of its seats by at most 4.

    With ``authors``, nobody has a partner of the same author. If an author has more bots than
    there can be teams, all but so many of them sit out, in turn, and more often than others.

    Args:
        bots: how many there are, at least one team.
        size: bots in a team, at least 1.
        authors: number of its author, by bot; ``None``: everybody may be everybody's partner.

    Raises:
        ValueError: there are too few bots for a team.
    """
    of = list(range(bots)) if authors is None else list(authors)
    number = most_tables(Counter(of).values(), size) if size > 0 else 0
    if number < 1:
        raise ValueError(f"no team of {size} out of {bots} bots")
    partners = _Partners(of)
    seated = [[0] * size for _ in range(bots)]
    sat_out = [0] * bots
    for deal in count():
        order = sorted(range(bots), key=lambda bot: _draw(bots, size, deal, bot))
        order.sort(key=lambda bot: sat_out[bot])
        playing, bench = _chosen(order, of, number, size)
        drawn = _cut(playing, of, number)
        _part(drawn, bench, partners, sat_out)
        for bot in bench:
            sat_out[bot] += 1
        for team in drawn:
            _seat(team, seated)
            for seat, bot in enumerate(team):
                seated[bot][seat] += 1
        partners.meet(drawn)
        yield tuple(map(tuple, drawn))


def _draw(bots: int, size: int, deal: int, bot: int) -> bytes:
    return hashlib.sha256(f"{bots}/{size}/{deal}/{bot}".encode("ascii")).digest()


class _Partners:
    """How often any two bots were partners, and what it costs to make them partners once more.

    It costs the square of how much more often they have been than the two that have been least
    often: squares, because one pair far ahead is worse than two a little ahead.
    """

    def __init__(self, authors: Sequence[int]) -> None:
        bots = range(len(authors))
        self.forbids = len(set(authors)) < len(authors)
        self.cost = [
            [_NEVER if authors[one] == authors[other] and one != other else 0 for other in bots]
            for one in bots
        ]
        self.highest = 0
        """The highest cost of two that may be partners."""

        self._times = [[0] * len(authors) for _ in bots]
        self._pairs = [
            pair for pair in combinations(bots, 2) if authors[pair[0]] != authors[pair[1]]
        ]
        self._least = 0
        self._at_least = len(self._pairs)
        """How many pairs have been partners `_least` times."""

    def meet(self, drawn: Sequence[Sequence[int]]) -> None:
        """Count the teams ``drawn``."""
        for team in drawn:
            for one, other in combinations(team, 2):
                self._at_least -= self._times[one][other] == self._least
                self._times[one][other] += 1
                self._times[other][one] += 1
                self._price(one, other)
        if self._pairs and not self._at_least:
            self._least += 1
            self.highest = 0
            for one, other in self._pairs:
                self._at_least += self._times[one][other] == self._least
                self._price(one, other)

    def _price(self, one: int, other: int) -> None:
        cost = (self._times[one][other] - self._least) ** 2
        self.cost[one][other] = self.cost[other][one] = cost
        self.highest = max(self.highest, cost)


def _chosen(
    order: Sequence[int], authors: Sequence[int], number: int, size: int
) -> tuple[list[int], list[int]]:
    """Return who plays and who sits out: the last in ``order`` play, ``number`` of each author."""
    places = Counter[int]()
    playing: list[int] = []
    for bot in reversed(order):
        if len(playing) < number * size and places[authors[bot]] < number:
            places[authors[bot]] += 1
            playing.append(bot)
    there = set(playing)
    return playing[::-1], [bot for bot in order if bot not in there]


def _cut(playing: Sequence[int], authors: Sequence[int], number: int) -> list[list[int]]:
    """Return ``number`` teams of those who play, none with two bots of one author."""
    if len(set(authors)) == len(authors):
        size = len(playing) // number
        return [list(playing[at : at + size]) for at in range(0, len(playing), size)]
    # Bots of one author stand side by side, so they go to teams side by side.
    first: dict[int, int] = {}
    for place, bot in enumerate(playing):
        first.setdefault(authors[bot], place)
    grouped = sorted(playing, key=lambda bot: first[authors[bot]])
    return [grouped[at::number] for at in range(number)]


def _part(
    drawn: list[list[int]], bench: list[int], partners: _Partners, sat_out: Sequence[int]
) -> None:
    """Let bots of two teams, or of a team and the bench, change places while it pays.

    Every change makes the sum of the costs of all pairs within teams smaller, so this ends.
    """
    cost = partners.cost
    sums = [_sums(team, cost) for team in drawn]
    dear = [any(map(sums[at].__getitem__, team)) for at, team in enumerate(drawn)]
    ages = [0] * (len(drawn) + 1)
    tried: dict[tuple[int, int], tuple[int, int]] = {}
    most = _NEVER if partners.forbids else partners.highest
    changed = True
    while changed:
        changed = False
        for here, there in combinations(range(len(drawn) + bool(bench)), 2):
            idle = there == len(drawn)
            state = ages[here], ages[there]
            if not (dear[here] or (not idle and dear[there])) or tried.get((here, there)) == state:
                continue  # nothing to gain, or as they are they had nothing to change
            tried[here, there] = state
            if idle:
                traded = _relieve(drawn[here], bench, cost, sums, here, sat_out)
            else:
                traded = _trade(drawn, cost, sums, here, there, most)
            if traded:
                changed = True
                for at in (here,) if idle else (here, there):
                    dear[at] = any(map(sums[at].__getitem__, drawn[at]))
                ages[here] += 1
                ages[there] += 1


def _sums(team: Sequence[int], cost: Sequence[Sequence[int]]) -> list[int]:
    """Return, by bot, what it costs to make it the partner of all of ``team``."""
    return list(map(sum, zip(*(cost[bot] for bot in team), strict=True)))


def _trade(
    drawn: Sequence[list[int]],
    cost: Sequence[Sequence[int]],
    sums: list[list[int]],
    here: int,
    there: int,
    most: int,
) -> bool:
    """Let bots of two teams change places; return whether any did. No cost is over ``most``."""
    team, other = drawn[here], drawn[there]
    mine, theirs = sums[here], sums[there]
    leaving = [mine[bot] - theirs[bot] for bot in team]
    coming = [theirs[bot] - mine[bot] for bot in other]
    if max(leaving) + max(coming) + 2 * most <= 0:
        return False
    traded = False
    for at, place in product(range(len(team)), range(len(other))):
        one, two = team[at], other[place]
        # Each was counted as a partner of the other, whom it does not meet.
        if leaving[at] + coming[place] + 2 * cost[one][two] > 0:
            team[at], other[place] = two, one
            mine = sums[here] = _sums(team, cost)
            theirs = sums[there] = _sums(other, cost)
            leaving = [mine[bot] - theirs[bot] for bot in team]
            coming = [theirs[bot] - mine[bot] for bot in other]
            traded = True
    return traded


def _relieve(
    team: list[int],
    bench: list[int],
    cost: Sequence[Sequence[int]],
    sums: list[list[int]],
    here: int,
    sat_out: Sequence[int],
) -> bool:
    """Let bots of a team change places with those who sit out; return whether any did."""
    traded = False
    for at, place in product(range(len(team)), range(len(bench))):
        one, two = team[at], bench[place]
        if sat_out[one] != sat_out[two]:
            continue  # or the numbers of deals sat out would drift apart
        if sums[here][one] > sums[here][two] - cost[one][two]:
            team[at], bench[place] = two, one
            sums[here] = _sums(team, cost)
            traded = True
    return traded


def _seat(team: list[int], seated: list[list[int]]) -> None:
    """Let two bots of a team change seats while that brings them to rarer seats of theirs."""
    cost = {bot: [(times - min(seated[bot])) ** 2 for times in seated[bot]] for bot in team}
    changed = True
    while changed:
        changed = False
        for here, there in combinations(range(len(team)), 2):
            one, two = team[here], team[there]
            if cost[one][there] + cost[two][here] < cost[one][here] + cost[two][there]:
                team[here], team[there] = two, one
                changed = True
