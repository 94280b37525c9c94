import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.ratings.result import Result
from arena.referee.category import Category, Mode
from arena.tournament.compare import Blocks, Comparison
from tests import spec_comparison

TABLES = [(2, ()), (3, ()), (4, ()), (2, ("x",)), (3, ("x", "y")), (4, ("x", "x", "y"))]


def comparison(players: int, field: tuple[str, ...]) -> Comparison:
    category = Category("donburiko", "standard", Mode.TABLE, players)
    return Comparison("a", "b", category, field, relevant=0.2, blocks=40)


@pytest.mark.parametrize(("players", "field"), TABLES)
def test_the_schedule_is_the_one_of_the_specification(players: int, field: tuple[str, ...]) -> None:
    made = [(one.deal, one.bots) for one in comparison(players, field).fixtures()]

    block = spec_comparison.block("a", "b", players, field)
    assert made == [(deal, bots) for deal in range(40) for bots in block]


@given(st.sampled_from(TABLES), st.integers(0, 2**32), st.floats(0, 1))
def test_it_ends_where_the_specification_says(
    table: tuple[int, tuple[str, ...]], seed: int, bias: float
) -> None:
    players, field = table
    dice, wanted = random.Random(seed), comparison(players, field)  # noqa: S311 - no secret
    blocks, values = Blocks(wanted), []
    for deal in range(wanted.blocks):
        block = []
        for bots in wanted.line_ups:
            worth = [dice.randrange(6) + (bot == "a" and dice.random() < bias) for bot in bots]
            ranks = tuple(1 + sum(other > own for other in worth) for own in worth)
            block.append((bots, ranks))
            name = f"{deal}/{'+'.join(bots)}"
            zeros = (0,) * players
            blocks.add(Result("t", name, wanted.category, deal, bots, zeros, ranks))
        values.append(spec_comparison.value("a", "b", block))

        said = spec_comparison.verdict(values, 0.2, wanted.blocks)
        assert said == blocks.verdict
        if said:
            return
    pytest.fail("it never ended")
