"""Mixed teams: for each deal a fresh partition of the bots, so that all partners come round.

Bots are numbers here, from 0. The partitions depend on how many bots there are and on how large
a team is, and on nothing else: whoever makes them again gets the same ones.
"""

import hashlib
from collections.abc import Iterator
from itertools import combinations, count, product

Teams = tuple[tuple[int, ...], ...]
"""The teams of one deal: bots by seat. Who is in none of them sits the deal out."""


def teams(bots: int, size: int) -> Iterator[Teams]:
    """Yield the teams of deal 0, 1, 2, … without end.

    A deal begins with the bots in an order drawn by SHA-256. Those who have sat out least sit out
    now, the others are cut into teams, and bots change places as long as that brings together
    bots that have been partners less often. At last those in a team change seats, as long as that
    brings them to seats that they have had less often.

    At any time the numbers of deals sat out differ by at most 1. Over the first thousand deals of
    2, 3 or 4 in a team and up to 12 bots, how often two bots were partners differs by at most
    ``size`` between any two pairs, and how often a bot had each of its seats by at most 3.

    Args:
        bots: how many there are, at least one team.
        size: bots in a team, at least 1.

    Raises:
        ValueError: there are too few bots for a team.
    """
    if not 1 <= size <= bots:
        raise ValueError(f"no team of {size} out of {bots} bots")
    met = [[0] * bots for _ in range(bots)]
    seated = [[0] * size for _ in range(bots)]
    sat_out = [0] * bots
    for deal in count():
        order = sorted(range(bots), key=lambda bot: _draw(bots, size, deal, bot))
        order.sort(key=lambda bot: sat_out[bot])
        idle = bots % size
        bench, playing = order[:idle], order[idle:]
        drawn = [playing[at : at + size] for at in range(0, len(playing), size)]
        _part(drawn, bench, _excess(met), sat_out)
        for bot in bench:
            sat_out[bot] += 1
        for team in drawn:
            _seat(team, seated)
            for seat, bot in enumerate(team):
                seated[bot][seat] += 1
            for one, other in combinations(team, 2):
                met[one][other] += 1
                met[other][one] += 1
        yield tuple(map(tuple, drawn))


def _draw(bots: int, size: int, deal: int, bot: int) -> bytes:
    return hashlib.sha256(f"{bots}/{size}/{deal}/{bot}".encode("ascii")).digest()


def _excess(met: list[list[int]]) -> list[list[int]]:
    """Return what it costs to bring two bots together once more.

    It is the square of how much more often they have met than the pair that has met least:
    squares, because one pair far ahead is worse than two a little ahead.
    """
    least = min((times for bot, row in enumerate(met) for times in row[:bot]), default=0)
    return [[(times - least) ** 2 for times in row] for row in met]


def _part(
    drawn: list[list[int]], bench: list[int], cost: list[list[int]], sat_out: list[int]
) -> None:
    """Let bots of two teams, or of a team and the bench, change places while it pays.

    Every change makes the sum of the costs of all pairs within teams smaller, so this ends.
    """

    def price(bot: int, team: list[int], leaver: int) -> int:
        row = cost[bot]
        return sum(row[mate] for mate in team if mate != leaver)

    def total(team: list[int]) -> int:
        return sum(cost[one][other] for one, other in combinations(team, 2))

    changed = True
    while changed:
        changed = False
        for team, other in combinations([*drawn, bench], 2):
            idle = other is bench
            if total(team) + (0 if idle else total(other)) == 0:
                continue  # nothing to gain; with many bots that is most of the pairs
            for at, place in product(range(len(team)), range(len(other))):
                one, two = team[at], other[place]
                if idle and sat_out[one] != sat_out[two]:
                    continue  # or the numbers of deals sat out would drift apart
                gain = price(one, team, one) - price(two, team, one)
                if not idle:
                    gain += price(two, other, two) - price(one, other, two)
                if gain > 0:
                    team[at], other[place] = two, one
                    changed = True


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
