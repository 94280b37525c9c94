"""A short run of ``bench/calibration.py``; takes five seconds.

Bots of one tournament are not independent, so the bounds are three times the binomial error below
the promise.
"""

import math

import pytest

from bench.calibration import COVERED, WIN_RATES, WRONG, Count, count, won_covered

TOURNAMENTS = 4


@pytest.fixture(scope="module")
def counted() -> Count:
    names = ("donburiko-2p", "donburiko-3p", "couperation-self-2p", "couperation-mixed-2p")
    return sum((own for name in names for own in count(name, TOURNAMENTS, seed=1)), Count())


def test_rank_intervals_hold_the_true_rank_as_often_as_they_promise(counted: Count) -> None:
    error = math.sqrt(COVERED * (1 - COVERED) / counted.bots)

    assert counted.bots > 50
    assert counted.covered / counted.bots >= COVERED - 3 * error


def test_bots_that_are_called_better_are(counted: Count) -> None:
    error = math.sqrt(WRONG * (1 - WRONG) / counted.calls)

    assert counted.calls > 50
    assert counted.wrong / counted.calls < WRONG + 3 * error


def test_intervals_are_not_bought_by_width(counted: Count) -> None:
    """An interval of all places would hold any rank."""
    assert counted.width / counted.bots < 0.8


def test_bots_of_the_same_skill_share_their_ranks() -> None:
    own = Count()
    own.place((2, 2), 1.0, [3.0, 1.0, 1.0, 0.0])
    own.place((1, 1), 1.0, [3.0, 1.0, 1.0, 0.0])

    assert (own.bots, own.covered) == (2, 1)


def test_rank_intervals_of_a_single_deal_hold_the_true_rank_too() -> None:
    own = sum(count("donburiko-3p, deals: 1", 20, seed=1), Count())
    error = math.sqrt(COVERED * (1 - COVERED) / own.bots)

    assert own.bots > 50
    assert own.covered / own.bots >= COVERED - 3 * error


@pytest.mark.parametrize("rate", WIN_RATES)
def test_the_interval_of_a_win_rate_holds_it_however_far_it_is_from_one_half(rate: float) -> None:
    """Divided by a design effect below 1 it held 0.97 in 71 % of all tournaments."""
    error = math.sqrt(0.95 * 0.05 / 200)

    assert won_covered(rate, 200, seed=1) >= 0.95 - 3 * error
