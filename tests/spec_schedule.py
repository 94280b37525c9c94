"""The schedule of protocol/SPEC.md a second time, from its text alone: nothing of arena is used.

Tests compare it with `arena.tournament`, so a misreading would have to be made twice. It takes no
care to be fast.
"""

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

Table = tuple[int, ...]
Match = tuple[str, str, str, int, int, tuple[str, ...]]
"""Game, variant, mode, players, deal, and the bots by seat."""


def drawn(*numbers: int) -> bytes:
    """Return what bots are compared by."""
    return hashlib.sha256("/".join(map(str, numbers)).encode()).digest()


def matches(parameters: dict[str, Any]) -> Iterator[Match]:
    """Yield the matches of a tournament in order."""
    played = [(category, deals_of(parameters, category)) for category in parameters["categories"]]
    for deal in range(max(category["deals"] for category, _ in played)):
        for category, deals in played:
            for bots in deals[deal] if deal < len(deals) else ():
                names = ("game", "variant", "mode", "players")
                game, variant, mode, players = (category[name] for name in names)
                yield game, variant, mode, players, deal, bots


def deals_of(parameters: dict[str, Any], category: dict[str, Any]) -> list[list[tuple[str, ...]]]:
    """Return the bots by seat of each match of a category, deal by deal; none if it is left out."""
    names = sorted(name for name, _, games in parameters["bots"] if category["game"] in games)
    k, mode, limit = category["players"], category["mode"], parameters["matches_each"]
    authors = list(range(len(names)))
    if k >= 3:
        texts = [parameters["authors"].get(name, f"\0{name}") for name in names]
        authors = [texts.index(text) for text in texts]
    deals = category["deals"]
    if mode != "table":
        deals = deals if limit is None else min(limit, deals)
    if mode == "self":
        made: list[list[Table]] = [[(bot,) * k for bot in range(len(names))]] * deals
    elif mode == "mixed":
        made = mixed(authors, k, deals) if len(names) >= 2 * k else []
    else:
        made = rotated(authors, k, deals, limit)
    return [[tuple(names[bot] for bot in seats) for seats in deal] for deal in made]


# Tables


def rotated(authors: list[int], k: int, deals: int, limit: int | None) -> list[list[Table]]:
    if len(set(authors)) < k:
        return []
    choices = combinations(range(len(authors)), k)
    tables = [one for one in choices if len({authors[bot] for bot in one}) == k]
    chosen = k > 2 and len(tables) > 60
    if chosen:
        tables = balanced(authors, k, 12)
    if limit is not None:
        most = max(Counter(bot for one in tables for bot in one).values())
        if most * k <= limit:
            deals = min(deals, limit // (most * k))
        elif limit < k:
            return []
        else:
            deals, chosen, w = 1, True, limit // k
            tables = rounds(len(authors), w) if k == 2 else balanced(authors, k, w)
    return [
        [
            circle[start:] + circle[:start]
            for number, one in enumerate(tables)
            for circle in [seated(one, deal + number if chosen else deal)]
            for start in range(k)
        ]
        for deal in range(deals)
    ]


def seated(one: Table, c: int) -> Table:
    first, *others = sorted(one)
    circle = [first]
    for r in range(len(others), 0, -1):
        circle.append(others.pop(c % r))
        c //= r
    return tuple(circle)


def rounds(bots: int, w: int) -> list[Table]:
    m = bots + bots % 2
    pairs = []
    for r in range(w):
        pairs.append((r, m - 1))
        pairs += [((r + s) % (m - 1), (r - s) % (m - 1)) for s in range(1, m // 2)]
    return [(min(pair), max(pair)) for pair in pairs if max(pair) < bots]


def balanced(authors: list[int], k: int, w: int) -> list[Table]:
    sizes = Counter(authors).values()
    could = most(k, [w * bots for bots in sizes])
    draws = []
    for draw in range(16):
        tables = one_draw(authors, k, w, draw)
        shared = Counter(pair for one in tables for pair in combinations(one, 2))
        times = [
            shared[pair]
            for pair in combinations(range(len(authors)), 2)
            if authors[pair[0]] != authors[pair[1]]
        ]
        spread = max(times) - min(times)
        draws.append((could - len(tables), spread, draw, tables))
        if len(tables) == could and spread <= 3:
            return tables
    return min(draws)[-1]


def most(k: int, seats: Sequence[int]) -> int:
    return max(t for t in range(sum(seats) // k + 1) if sum(min(s, t) for s in seats) >= k * t)


def one_draw(authors: list[int], k: int, w: int, draw: int) -> list[Table]:
    bots = range(len(authors))
    made: list[Table] = []
    tables = dict.fromkeys(bots, 0)
    out: set[int] = set()

    def lacks(author: int) -> int:
        return sum(w - tables[bot] for bot in bots if authors[bot] == author and bot not in out)

    def ranked(there: Table) -> list[int]:
        def rank(bot: int) -> tuple[bool, int, int, bytes]:
            met = sum(bot in one and other in one for other in there for one in made)
            tie = drawn(draw, len(authors), k, tables[bot], bot)
            return lacks(authors[bot]) < left, tables[bot], met, tie

        free = [bot for bot in bots if tables[bot] < w and bot not in out]
        seated = {authors[bot] for bot in there}
        return sorted((bot for bot in free if authors[bot] not in seated), key=rank)

    def complete(there: Table) -> Table | None:
        if len(there) == k:
            return None if tuple(sorted(there)) in made else tuple(sorted(there))
        tried = (complete((*there, bot)) for bot in ranked(there))
        return next((one for one in tried if one), None)

    while left := sum(lacks(author) for author in set(authors)) // k:
        first = ranked(())[0]
        if one := complete((first,)):
            made.append(one)
            for bot in one:
                tables[bot] += 1
        else:
            out.add(first)
    return made


# Mixed teams


def mixed(authors: list[int], k: int, deals: int) -> list[list[Table]]:
    bots = range(len(authors))
    number = most(k, list(Counter(authors).values()))
    partners: Counter[frozenset[int]] = Counter()
    seats: Counter[tuple[int, int]] = Counter()
    benched: Counter[int] = Counter()
    played: list[list[Table]] = []
    for deal in range(deals if number >= 2 else 0):
        order = sorted(bots, key=lambda bot: drawn(len(authors), k, deal, bot))
        order.sort(key=lambda bot: benched[bot])
        teams = cut(order, authors, k, number)
        bench = [bot for bot in order if not any(bot in team for team in teams)]
        swap(teams, bench, authors, partners, benched)
        for team in teams:
            seat(team, seats)
        for team in teams:
            partners.update(map(frozenset, combinations(team, 2)))
            seats.update((bot, place) for place, bot in enumerate(team))
        benched.update(bench)
        played.append([tuple(team) for team in teams])
    return played


def cut(order: list[int], authors: list[int], k: int, number: int) -> list[list[int]]:
    taken: list[int] = []
    for bot in reversed(order):
        same = [other for other in taken if authors[other] == authors[bot]]
        if len(taken) < k * number and len(same) < number:
            taken.insert(0, bot)
    if len(set(authors)) == len(authors):
        return [taken[k * team : k * (team + 1)] for team in range(number)]
    come = [authors[bot] for bot in taken]
    taken.sort(key=lambda bot: come.index(authors[bot]))
    return [[bot for i, bot in enumerate(taken) if i % number == team] for team in range(number)]


def swap(
    teams: list[list[int]],
    bench: list[int],
    authors: list[int],
    partners: Counter[frozenset[int]],
    benched: Counter[int],
) -> None:
    pairs = combinations(range(len(authors)), 2)
    q = min(partners[frozenset(p)] for p in pairs if authors[p[0]] != authors[p[1]])

    def cost() -> int:
        total = 0
        for team in teams:
            for one, other in combinations(team, 2):
                same = authors[one] == authors[other]
                total += 10**15 if same else (partners[frozenset((one, other))] - q) ** 2
        return total

    before, now = None, cost()
    while before != now:
        before = now
        for left, right in combinations([*teams, bench], 2):
            for at in range(len(left)):
                for place in range(len(right)):
                    one, two = left[at], right[place]
                    if right is bench and benched[one] != benched[two]:
                        continue
                    left[at], right[place] = two, one
                    if (changed := cost()) < now:
                        now = changed
                    else:
                        left[at], right[place] = one, two


def seat(team: list[int], seats: Counter[tuple[int, int]]) -> None:
    places = range(len(team))

    def cost(bot: int, place: int) -> int:
        least = min(seats[bot, other] for other in places)
        return (seats[bot, place] - least) ** 2

    changed = True
    while changed:
        changed = False
        for here, there in combinations(places, 2):
            one, two = team[here], team[there]
            if cost(one, there) + cost(two, here) < cost(one, here) + cost(two, there):
                team[here], team[there] = two, one
                changed = True
