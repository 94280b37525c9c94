import random
from itertools import combinations, pairwise
from math import comb
from statistics import NormalDist

import msgspec
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from arena.ratings import equations
from arena.ratings.batch import MAX_SWEEPS, Batch, by_package, observed_draws, rate
from arena.ratings.trueskill import BETA, MU0, SIGMA0, Rating
from arena.ratings.units import Unit, units
from tests.ratings.made import SELF, duel, duels, free_for_all, self_play

NEWCOMER = Rating(MU0, SIGMA0)

VECTOR_5 = [
    duel("g1", "A", "B"),
    duel("g2", "A", "B"),
    duel("g3", "A", "C"),
    duel("g4", "A", "C", (1, 1)),
    duel("g5", "B", "C"),
    duel("g6", "C", "B"),
]

VECTOR_6 = [
    Unit(f"s{number}", unit.sides, unit.ranks)
    for number, unit in enumerate(
        units(
            SELF,
            self_play(
                {
                    "A": [28, 24, 19, 28, 22],
                    "B": [26, 24, 15, 28, 20],
                    "C": [28, 20, 17, 25, 14],
                    "D": [21, 17, 12, 23, 16],
                }
            ),
        )
    )
]


def printed(batch: Batch) -> dict[str, tuple[float, float]]:
    return {bot: (round(own.mu, 4), round(own.sigma, 4)) for bot, own in batch.ratings.items()}


def mus(batch: Batch) -> dict[str, float]:
    return {bot: own.mu for bot, own in batch.ratings.items()}


def test_vector_5_six_duels() -> None:
    assert printed(rate(VECTOR_5, draw_probability=0.10)) == {
        "A": (29.1074, 4.1266),
        "B": (21.8783, 4.1799),
        "C": (24.0143, 3.8892),
    }


def test_vector_6_five_deals_of_self_play() -> None:
    batch = rate(VECTOR_6)

    assert batch.draw_probability == 0.08
    assert batch.converged
    assert printed(batch) == {
        "A": (30.4756, 2.6416),
        "B": (26.8079, 2.5327),
        "C": (24.5806, 2.5963),
        "D": (18.1358, 3.1784),
    }


@given(duels(), st.randoms(use_true_random=False))
def test_the_order_of_the_list_changes_nothing_at_all(
    listed: list[Unit], rng: random.Random
) -> None:
    shuffled = list(listed)
    rng.shuffle(shuffled)

    assert rate(shuffled) == rate(listed)


@given(duels(), st.randoms(use_true_random=False))
def test_the_order_of_sweeping_changes_less_than_is_printed(
    listed: list[Unit], rng: random.Random
) -> None:
    """New ids put the units into another order; none here has tied sides beyond two."""
    names = [unit.id for unit in listed]
    rng.shuffle(names)
    renamed = [Unit(name, unit.sides, unit.ranks) for name, unit in zip(names, listed, strict=True)]
    one, other = rate(listed), rate(renamed)

    assert one.converged
    assert mus(other) == pytest.approx(mus(one), abs=1e-5)


@settings(max_examples=10)  # the package is slow
@given(duels(most=8))
def test_the_package_alone_comes_to_the_same_ratings(listed: list[Unit]) -> None:
    one, other = rate(listed), rate(listed, engines=[by_package])

    assert other.converged
    assert mus(other) == pytest.approx(mus(one), abs=1e-6)


@given(duels())
def test_ratings_are_finite_centred_and_surer_than_before(listed: list[Unit]) -> None:
    batch = rate(listed)

    assert all(0 < own.sigma < SIGMA0 for own in batch.ratings.values())
    for part in batch.components:
        assert sum(batch.ratings[bot].mu for bot in part) / len(part) == pytest.approx(MU0)


@given(duels())
def test_names_do_not_matter(listed: list[Unit]) -> None:
    other = dict(zip("ABCD", "QDBZ", strict=True))
    renamed = [
        Unit(unit.id, tuple((other[side[0]],) for side in unit.sides), unit.ranks)
        for unit in listed
    ]

    assert mus(rate(renamed)) == pytest.approx(
        {other[bot]: mu for bot, mu in mus(rate(listed)).items()}, abs=1e-5
    )


@given(duels("AB"))
def test_of_two_bots_the_one_that_won_more_is_rated_higher(listed: list[Unit]) -> None:
    ahead = sum(
        {"A": 1, "B": -1}[unit.sides[0][0]] * (unit.ranks[1] - unit.ranks[0]) for unit in listed
    )
    assume(ahead)
    ratings = rate(listed).ratings

    assert (ratings["A"].mu > ratings["B"].mu) is (ahead > 0)


@given(st.lists(st.permutations("ABC"), min_size=1, max_size=6))
def test_a_bot_that_is_always_last_is_rated_last(played: list[list[str]]) -> None:
    listed = [
        free_for_all(f"u{at}", "".join(bots) + "X", (1, 2, 3, 4)) for at, bots in enumerate(played)
    ]
    ratings = rate(listed).ratings

    assert min(ratings, key=lambda bot: ratings[bot].mu) == "X"


def test_teams_share_a_rating_until_their_bots_are_told_apart() -> None:
    listed = [
        Unit("d0", (("A", "B"), ("C", "D")), (1, 2)),
        Unit("d1", (("A", "C"), ("B", "D")), (1, 2)),
    ]
    ratings = rate(listed).ratings

    assert ratings["B"].mu == pytest.approx(ratings["C"].mu, abs=1e-5)
    assert ratings["A"].mu > ratings["B"].mu > ratings["D"].mu


def test_a_graph_that_falls_apart_is_rated_part_by_part() -> None:
    batch = rate([duel("u0", "A", "B"), duel("u1", "C", "D"), duel("u2", "D", "E")], bots=["F"])
    alone = rate([duel("u1", "C", "D"), duel("u2", "D", "E")], draw_probability=1 / 23)

    assert batch.components == (("C", "D", "E"), ("A", "B"), ("F",))
    assert batch.ratings["F"] == NEWCOMER
    assert {bot: batch.ratings[bot] for bot in "CDE"} == alone.ratings


def test_no_units_leave_everybody_at_the_prior() -> None:
    batch = rate([], bots=["A"])

    assert batch.ratings == {"A": NEWCOMER}
    assert (batch.sweeps, batch.converged, batch.draw_probability) == (0, True, 1 / 20)


def test_drawn_pairs_are_counted_smoothed_and_bounded() -> None:
    tied = free_for_all("u", "ABCD", (1, 1, 1, 4))

    assert observed_draws([]) == 1 / 20
    assert observed_draws([tied]) == 4 / 26
    assert observed_draws([tied, duel("v", "A", "B")]) == 4 / 27
    assert observed_draws([duel(f"u{at}", "A", "B") for at in range(400)]) == 0.005
    assert observed_draws([free_for_all("u", "ABCDEFGHIJKLMNOP", [1] * 16)]) == 0.8


def test_a_fit_that_has_not_settled_says_so_and_how_far_it_still_moves() -> None:
    batch = rate(duel(f"u{at}", "A", "B") for at in range(400))

    assert not batch.converged
    assert batch.sweeps == MAX_SWEEPS
    assert 1e-7 <= batch.moved < 1e-4


def test_an_upset_across_a_long_ladder_is_survived() -> None:
    names = [f"b{at:02}" for at in range(20)]
    ladder = [
        duel(f"{step}-{upper}", upper, lower)
        for step in range(40)
        for upper, lower in pairwise(names)
    ]
    ratings = rate([*ladder, duel("upset", names[-1], names[0])]).ratings

    assert sorted(ratings, key=lambda bot: -ratings[bot].mu) == names


@pytest.mark.parametrize("players", [2, 3, 4])
def test_skills_that_are_known_are_found(players: int) -> None:
    skills = {bot: 15 + 4 * at for at, bot in enumerate("ABCDEF")}
    tables = [*combinations("ABCDEF", players)] * (60 // comb(6, players) * 4)
    luck = iter(NormalDist(0, BETA).samples(len(tables) * players, seed=players))
    listed = []
    for number, bots in enumerate(tables):
        shown = [skills[bot] + next(luck) for bot in bots]
        ranks = [1 + sum(other > own for other in shown) for own in shown]
        listed.append(free_for_all(f"u{number}", "".join(bots), ranks))
    ratings = rate(listed).ratings

    for bot, skill in skills.items():
        assert abs(ratings[bot].mu - skill) < 3 * ratings[bot].sigma


def test_ratings_can_be_kept_as_json() -> None:
    batch = rate(VECTOR_5)

    assert msgspec.json.decode(msgspec.json.encode(batch), type=Batch) == batch


def test_both_engines_say_the_same_of_one_unit() -> None:
    sides = [[(0.02, 0.6)], [(0.03, 0.5)], [(0.05, 1.2), (0.02, 0.1)]]

    for one, other in zip(
        by_package(sides, [1, 1, 3], 0.2), equations.messages(sides, [1, 1, 3], 0.2), strict=True
    ):
        for said, same in zip(one, other, strict=True):
            assert said == pytest.approx(same, abs=1e-9)
