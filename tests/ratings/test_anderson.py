import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from arena.ratings.anderson import mixture

vectors = st.lists(
    st.lists(st.floats(-10, 10), min_size=3, max_size=3),
    min_size=1,
    max_size=4,
)


def length(weights: list[float], moved: list[list[float]]) -> float:
    return math.hypot(
        *(
            sum(w * own for w, own in zip(weights, column, strict=True))
            for column in zip(*moved, strict=True)
        )
    )


@given(vectors)
@example([[0.0, 0.0, 0.0], [0.0, 2.987277275485933e-151, 0.0], [0.0, 1.0, 0.0]])
def test_weights_add_up_to_one_and_the_mixture_moves_no_further_than_the_latest_step(
    moved: list[list[float]],
) -> None:
    weights = mixture(moved)

    assert sum(weights) == pytest.approx(1, abs=1e-6)
    assert length(weights, moved) <= math.hypot(*moved[-1]) * (1 + 1e-3) + 1e-6


def test_one_step_is_taken_as_it_is() -> None:
    assert mixture([[0.5, 0.2]]) == [1]


def test_a_step_that_closes_the_same_share_of_the_distance_each_time_is_seen_through() -> None:
    """x -> 0.9 x + 1 ends at 10."""
    xs = [0.0, 1.0, 1.9]
    weights = mixture([[xs[1] - xs[0]], [xs[2] - xs[1]]])

    assert sum(w * x for w, x in zip(weights, xs[1:], strict=True)) == pytest.approx(10)


def test_steps_that_repeat_each_other_are_no_error() -> None:
    assert sum(mixture([[1.0, 2.0]] * 3)) == pytest.approx(1)
    assert mixture([[0.0, 0.0]] * 3) == [0, 0, 1]
