import math
import random
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from random import Random
from statistics import fmean, pvariance

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.ratings.result import Result
from arena.ratings.sequential import (
    BOUND,
    FINE,
    FIRST_LOOK,
    RELEVANT,
    Evidence,
    Verdict,
    block_value,
    elo,
    line_ups,
)
from arena.referee.category import Category, Mode
from bench.sequential import SHAPES, bent, wrong
from tests.ratings.made import SELF, THREE, TWO, alone, result

FOUR = Category("donburiko", "standard", Mode.TABLE, 4)
halves = st.sampled_from([Fraction(steps, 2) for steps in range(-2, 3)])


def evidence(values: Sequence[float | Fraction]) -> Evidence:
    """Return the evidence of blocks with these values."""
    found = Evidence()
    for value in values:
        found = found.plus(Fraction(value))
    return found


# The test


def test_vector_8_llr_and_confidence_sequence() -> None:
    counts = {-1: 18, -0.5: 61, 0: 120, 0.5: 79, 1: 22}
    found = evidence([value for value, times in counts.items() for _ in range(times)])

    low, high = found.mean - found.half_width, found.mean + found.half_width
    assert (found.blocks, found.won, found.tied, found.lost) == (300, 101, 120, 79)
    assert (round(found.mean, 6), round(found.variance, 6)) == (0.043333, 0.248122)
    assert round(found.llr(0.2), 4) == -0.7804
    assert (round(low, 4), round(high, 4)) == (-0.0442, 0.1309)


def test_the_bounds_are_those_of_five_per_cent() -> None:
    assert round(BOUND, 4) == 2.9444


@given(st.lists(halves, min_size=2, max_size=60), st.randoms(use_true_random=False))
def test_the_evidence_is_that_of_its_values_in_any_order(
    values: list[Fraction], dice: random.Random
) -> None:
    mixed = sorted(values, key=lambda _: dice.random())
    found = evidence(values)

    assert evidence(mixed) == found
    assert found.mean == pytest.approx(fmean(values))
    assert found.variance == pytest.approx(pvariance([float(value) for value in values]))
    assert found.won + found.tied + found.lost == found.blocks == len(values)


@given(st.lists(halves, min_size=FIRST_LOOK, max_size=200), st.sampled_from([RELEVANT, FINE]))
def test_the_other_bot_has_the_evidence_turned_round(
    values: list[Fraction], relevant: float
) -> None:
    found, turned = evidence(values), evidence([-value for value in values])

    assert (turned.mean, turned.variance, turned.half_width) == (
        -found.mean,
        found.variance,
        found.half_width,
    )
    assert {found.verdict(relevant), turned.verdict(relevant)} != {Verdict.BETTER}


def test_nothing_is_decided_before_the_first_look() -> None:
    clear = [1, 0.5] * FIRST_LOOK

    assert evidence(clear[: FIRST_LOOK - 1]).verdict() is None
    assert evidence(clear[:FIRST_LOOK]).verdict() is Verdict.BETTER


@pytest.mark.parametrize(
    ("value", "blocks", "verdict"),
    [
        (1, FIRST_LOOK, Verdict.BETTER),
        (-1, FIRST_LOOK, Verdict.NOT_BETTER),
        (0, 147, None),
        (0, 148, Verdict.NOT_BETTER),
        (Fraction(1, 28), 60, None),
        (Fraction(1, 28), 150, Verdict.BETTER),
    ],
)
def test_equal_blocks_decide_once_something_else_can_hardly_be_to_come(
    value: float | Fraction, blocks: int, verdict: Verdict | None
) -> None:
    found = evidence([value] * blocks)

    assert (found.variance, found.credible) == (0, 3 / blocks)
    assert found.verdict() is verdict


def test_a_variance_is_believed_from_five_blocks_that_came_out_otherwise_on() -> None:
    two, five = evidence([1] * 2 + [0] * 98), evidence([1] * 5 + [0] * 95)

    assert two.credible == 3 / 100
    assert five.credible == five.variance
    assert evidence([1, 0] * 8).credible == 0.25


@pytest.mark.parametrize(
    ("usual", "rare", "per_mille"),
    [(0, 1, 40), (Fraction(1, 20), -1, 50)],
    ids=["better now and then", "worse now and then"],
)
def test_what_happens_rarely_decides_wrongly_as_seldom_as_anything(
    usual: Fraction, rare: int, per_mille: int
) -> None:
    """Without the rule of three that is every other time."""
    dice = Random(1)  # noqa: S311 - made up, and the same every time
    better = 0
    for _ in range(60):
        found = Evidence()
        while (verdict := found.verdict()) is None:
            found = found.plus(Fraction(rare if dice.random() < per_mille / 1000 else usual))
        better += verdict is Verdict.BETTER

    wrong = 60 - better if rare > 0 else better
    assert wrong <= 9


def test_a_bot_is_worse_once_the_whole_interval_is_below_zero() -> None:
    lost, close = evidence([-1] * 15 + [0]), evidence([-1, 1, -1, 0] * 4)

    assert lost.interval == (lost.mean - lost.half_width, lost.mean + lost.half_width)
    assert (lost.worse, close.worse) == (True, False)
    assert close.mean < 0


def test_after_the_last_block_it_is_undecided() -> None:
    close = evidence([1, -1, 1, 0] * 5)

    assert abs(close.llr()) < BOUND
    assert close.verdict(most=21) is None
    assert close.verdict(most=20) is Verdict.UNDECIDED


def test_a_fine_look_needs_more_blocks() -> None:
    clear = [1, 1, 1, 0, -1] * 40

    def blocks(relevant: float) -> int:
        return next(n for n in range(1, 200) if evidence(clear[:n]).verdict(relevant))

    assert blocks(RELEVANT) < blocks(FINE)


def test_the_confidence_sequence_narrows() -> None:
    widths = [evidence([1, 0, -1, 0] * times).half_width for times in range(1, 200)]

    assert all(later < earlier for earlier, later in pairwise(widths))


# Blocks


def test_line_ups_are_those_of_the_page() -> None:
    joined = {players: {"".join(it) for it in line_ups("A", "B", players)} for players in (2, 3, 4)}

    assert joined == {
        2: {"AB", "BA"},
        3: {"AAB", "ABA", "BAA", "ABB", "BAB", "BBA"},
        4: {"ABAB", "BABA"},
    }


@pytest.mark.parametrize("players", range(2, 8))
def test_both_hold_every_seat_equally_often(players: int) -> None:
    made = line_ups("A", "B", players)

    assert len(set(made)) == len(made)
    for column in zip(*made, strict=True):
        assert column.count("A") == column.count("B")


def test_with_a_field_the_two_take_turns_at_equal_tables() -> None:
    made = line_ups("A", "B", 3, ("C", "D"))

    with_a, with_b = made[:3], made[3:]
    assert with_a == [("A", "C", "D"), ("C", "D", "A"), ("D", "A", "C")]
    assert with_b == [tuple({"A": "B"}.get(bot, bot) for bot in table) for table in with_a]


def test_the_value_of_two_players_is_the_difference_of_their_points() -> None:
    won_both = [result(TWO, "A B", [9, 3]), result(TWO, "B A", [3, 9])]
    split = [result(TWO, "A B", [9, 3]), result(TWO, "B A", [9, 3])]
    won_and_tied = [result(TWO, "A B", [9, 3]), result(TWO, "B A", [3, 3])]

    values = [block_value("A", "B", block) for block in (won_both, split, won_and_tied)]
    assert values == [1, 0, Fraction(1, 2)]


@given(st.data())
def test_a_value_is_within_bounds_and_turns_with_the_bots(data: st.DataObject) -> None:
    category = data.draw(st.sampled_from([TWO, THREE, FOUR]))
    ranks = st.lists(st.integers(0, 3), min_size=category.players, max_size=category.players)
    field = data.draw(st.sampled_from([(), ("C", "D", "E")[: category.players - 1]]))
    block = [
        result(category, " ".join(bots), data.draw(ranks))
        for bots in line_ups("A", "B", category.players, field)
    ]

    value = block_value("A", "B", block)
    assert -1 <= value <= 1
    assert block_value("B", "A", block) == -value


def test_copies_at_one_table_share_its_points() -> None:
    """A wins all, so that its best copy beats both others, and the second the copy of B alone."""
    block = [
        result(THREE, " ".join(bots), [{"A": 5, "B": 1}[bot] for bot in bots])
        for bots in line_ups("A", "B", 3)
    ]

    value = block_value("A", "B", block)
    assert value == Fraction(3, 4)
    assert evidence([value]).score(THREE, met=True) == 1


def test_with_a_field_the_value_is_by_how_much_more_the_one_got_at_equal_tables() -> None:
    def table(bots: Sequence[str]) -> Result:
        return result(THREE, " ".join(bots), [{"A": 5, "B": 2, "C": 3, "D": 1}[it] for it in bots])

    block = [table(bots) for bots in line_ups("A", "B", 3, ("C", "D"))]

    assert block_value("A", "B", block) == Fraction(1, 2)


def test_in_a_co_operative_game_the_value_is_a_share_of_the_best_score() -> None:
    assert block_value("A", "B", [alone("A", 21), alone("B", 14)]) == Fraction(7, 28)


def test_a_co_operative_match_with_a_fault_scores_nothing() -> None:
    block = [alone("A", 21, faults=[1]), alone("B", 14)]

    assert block_value("A", "B", block) == Fraction(-14, 28)


def test_faults_of_a_competitive_match_count_as_its_ranks_say() -> None:
    block = [
        result(TWO, "A B", [9, 3], ranks=[2, 1], faults=[0]),
        result(TWO, "B A", [3, 9]),
    ]

    assert block_value("A", "B", block) == 0


# Elo


def test_elo_is_that_of_the_expected_score() -> None:
    assert round(elo(10 / 11), 6) == 400
    assert (elo(0.5), elo(0), elo(1)) == (0, -math.inf, math.inf)


def test_the_expected_score_follows_from_the_mean_where_the_two_meet() -> None:
    mean_of_a_quarter = evidence([0.5, 0, 0.5, 0])

    assert mean_of_a_quarter.score(TWO, met=True) == 0.625
    assert round(mean_of_a_quarter.score(THREE, met=True), 6) == 0.666667
    assert mean_of_a_quarter.score(FOUR, met=True) == 0.6875


def test_the_expected_score_is_the_share_of_the_blocks_elsewhere() -> None:
    found = evidence([0.5, 0, 0.5, 0])

    assert found.score(SELF, met=True) == found.score(THREE, met=False) == 0.75


# How often it is wrong


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("target", [0, 0.1, 0.2])
def test_simulated_blocks_have_the_advantage_that_they_are_to_have(
    shape: str, target: float
) -> None:
    values, weights = bent(SHAPES[shape], target)
    total = sum(weights)

    mean = sum(float(x) * w for x, w in zip(values, weights, strict=True)) / total
    square = sum(float(x) ** 2 * w for x, w in zip(values, weights, strict=True)) / total
    assert mean / math.sqrt(square - mean**2) == pytest.approx(target, abs=1e-9)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("equal", [True, False])
def test_either_answer_is_rarely_wrong(shape: str, equal: bool) -> None:
    """At most 8 % in the long run; three deviations more for 100 comparisons."""
    errors, _ = wrong(shape, RELEVANT, equal=equal, runs=100, seed=1)

    assert errors <= 0.08 + 3 * math.sqrt(0.08 * 0.92 / 100)
