"""The batch's ratings against the exact posterior of the same model; takes four seconds."""

import random
from collections.abc import Sequence
from itertools import combinations

import pytest

from arena.ratings.batch import rate
from arena.ratings.units import Unit, ordered
from tests.ratings.posterior import BETA, posterior_means

SKILLS = {"A": 18, "B": 21, "C": 24, "D": 27, "E": 30, "F": 33, "G": 15, "H": 36}


def played(line_ups: Sequence[Sequence[str]], coarse: int) -> list[Unit]:
    """Return units of sides like ``"AB"``; sides tie when performances differ by some ``coarse``.

    In every eighth one the last side has lost all bots but one, as when that bot was at fault.
    """
    rng = random.Random(2)  # noqa: S311 - a simulation
    listed = []
    for number, line_up in enumerate(line_ups):
        shown = [round(sum(SKILLS[b] + rng.gauss(0, BETA) for b in s) / coarse) for s in line_up]
        sides = [tuple(side) for side in line_up]
        if number % 8 == 0:
            sides[-1], shown[-1] = sides[-1][:1], min(shown) - 1
        ranks = tuple(1 + sum(other > own for other in shown) for own in shown)
        listed.append(Unit(f"u{number:02}", tuple(sides), ranks))
    return ordered(listed)


def mixed_teams(deals: int) -> list[list[str]]:
    rng = random.Random(3)  # noqa: S311 - a simulation
    shuffled = ["".join(rng.sample("ABCDEFGH", 8)) for _ in range(deals)]
    return [[bots[at : at + 2] for at in range(0, 8, 2)] for bots in shuffled]


@pytest.mark.parametrize(
    ("units", "tied"),
    [
        pytest.param(played([*combinations("ABCDEF", 2)] * 3, coarse=4), 0.2, id="duels"),
        pytest.param(played([*combinations("ABCDEF", 4)] * 3, coarse=2), 0.1, id="four players"),
        pytest.param(played(mixed_teams(45), coarse=4), 0.1, id="mixed teams"),
    ],
)
def test_the_batch_is_close_to_the_exact_posterior(units: list[Unit], tied: float) -> None:
    batch = rate(units)
    exact = posterior_means(units, batch.draw_probability, sweeps=1500, seed=1)
    mus = {bot: rating.mu for bot, rating in batch.ratings.items()}

    assert len(units) >= 45
    assert batch.draw_probability == pytest.approx(tied, abs=0.1)
    assert sorted(mus, key=mus.__getitem__) == sorted(exact, key=exact.__getitem__)
    assert mus == pytest.approx(exact, abs=0.3)
