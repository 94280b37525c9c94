"""Ratings of an export from the text of protocol/SPEC.md alone, by the ``trueskill`` package."""

import hashlib
import json
import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import combinations
from pathlib import Path
from statistics import NormalDist
from typing import Any

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import trueskill

MU, SIGMA, BETA = 25.0, 25 / 3, 25 / 6
SETTLED = 1e-7
NORMAL = NormalDist()

Side = tuple[tuple[str, ...], int]
"""(bots, rank)."""


def unit_of_match(record: dict[str, Any]) -> list[Side]:
    bots = [seat["bot"] for seat in record["seats"]]
    repeated = len(set(bots)) < len(bots)
    ranked = zip(bots, record["ranks"], strict=True)
    return [] if repeated else [((bot,), rank) for bot, rank in ranked]


def unit_of_deal(records: Iterable[dict[str, Any]]) -> list[Side]:
    scored: list[tuple[tuple[str, ...], int]] = []
    for record in records:
        bots = [seat["bot"] for seat in record["seats"]]
        if record["faults"]:
            scored += [((bot,), -1) for bot in {bots[it["seat"]] for it in record["faults"]}]
        else:
            scored.append((tuple(sorted(set(bots))), record["scores"][0]))
    return [(bots, 1 + sum(other > own for _, other in scored)) for bots, own in scored]


def units_of(records: list[dict[str, Any]]) -> Iterator[list[Side]]:
    """Yield the units of a category, the sides of each in order."""
    found: dict[str, list[Side]] = {}
    deals = defaultdict(list)
    for record in records:
        category = record["match"].split("/")[0]
        if record["mode"] == "table":
            found[f"{record['tournament']}/{record['match']}"] = unit_of_match(record)
        else:
            deals[f"{record['tournament']}/{category}/{record['deal']}"].append(record)
    found |= {name: unit_of_deal(played) for name, played in deals.items()}
    for name, sides in found.items():
        if len(sides) > 1:
            hashes = {
                bots: hashlib.sha256(f"{name}|{'+'.join(bots)}".encode()).hexdigest()
                for bots, _ in sides
            }
            yield sorted(sides, key=lambda side: (side[1], hashes[side[0]]))


def fitted(units: list[list[Side]]) -> dict[str, tuple[float, float]]:
    """Return mu and sigma of every bot, all of which some chain of units joins."""
    pairs = [one == other for unit in units for (_, one), (_, other) in combinations(unit, 2)]
    draws = min(max((sum(pairs) + 1) / (len(pairs) + 20), 0.005), 0.8)
    backend = (NORMAL.cdf, NORMAL.pdf, NORMAL.inv_cdf)
    model = trueskill.TrueSkill(MU, SIGMA, BETA, 0, draws, backend)
    beliefs = {
        bot: (SIGMA**-2, MU * SIGMA**-2) for unit in units for side in unit for bot in side[0]
    }
    messages: list[dict[str, tuple[float, float]]] = [{} for _ in units]
    moved = 1.0
    while moved > SETTLED:
        moved = 0.0
        for unit, said in zip(units, messages, strict=True):
            rest = {
                bot: tuple(a - b for a, b in zip(beliefs[bot], said.get(bot, (0, 0)), strict=True))
                for bots, _ in unit
                for bot in bots
            }
            most = max(len(bots) for bots, _ in unit)
            updated = model.rate(
                [
                    tuple(
                        model.create_rating(rest[bot][1] / rest[bot][0], rest[bot][0] ** -0.5)
                        for bot in bots
                    )
                    for bots, _ in unit
                ],
                [rank for _, rank in unit],
                [(most / len(bots),) * len(bots) for bots, _ in unit],
                1e-8,
            )
            for (bots, _), ratings in zip(unit, updated, strict=True):
                for bot, rating in zip(bots, ratings, strict=True):
                    precise = rating.sigma**-2
                    moved = max(moved, abs(rating.mu - beliefs[bot][1] / beliefs[bot][0]))
                    beliefs[bot] = precise, rating.mu * precise
                    said[bot] = precise - rest[bot][0], rating.mu * precise - rest[bot][1]
    return {bot: (tau / pi, pi**-0.5) for bot, (pi, tau) in beliefs.items()}


def ratings(folder: Path) -> dict[tuple[str, str], tuple[float, float]]:
    """Return mu and sigma by category and bot, for an export in which everything counts."""
    by_category = defaultdict(list)
    for line in (folder / "records.jsonl").read_text("utf-8").splitlines():
        record = json.loads(line)
        by_category[record["match"].split("/")[0]].append(record)
    return {
        (category, bot): rating
        for category, records in by_category.items()
        for bot, rating in fitted(list(units_of(records))).items()
    }
