import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from math import comb
from statistics import NormalDist

import msgspec
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from arena.ratings.batch import Batch, observed_draws, rate
from arena.ratings.equations import weights
from arena.ratings.kept import Kept
from arena.ratings.trueskill import BETA, MU0, SIGMA0, Rating, update
from arena.ratings.units import Unit, ordered, units
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


def two_decimals(batch: Batch) -> dict[str, str]:
    return {bot: f"{own.mu:.2f} {own.sigma:.2f}" for bot, own in batch.ratings.items()}


@st.composite
def connected(draw: st.DrawFn, most: int = 30) -> list[Unit]:
    """Return units of two to four sides of one or two bots, which all bots stand in."""
    listed = [duel(f"ring{at}", *pair) for at, pair in enumerate(pairwise("ABCDEFGHA"))]
    for number in range(draw(st.integers(0, most - len(listed)))):
        bots = draw(st.permutations("ABCDEFGH"))
        size = draw(st.integers(1, 2))
        count = draw(st.integers(2, 4))
        sides = [tuple(bots[at * size : at * size + size]) for at in range(count)]
        # Last, and alone: as if its partner had nothing to do with a fault.
        sides[-1] = sides[-1][: draw(st.integers(1, size))]
        ranks = draw(st.lists(st.integers(1, count), min_size=count, max_size=count))
        listed.append(Unit(f"u{number:02}", tuple(sides), tuple(ranks)))
    return listed


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


def by_package(listed: Sequence[Unit], draw_probability: float, sweeps: int) -> dict[str, float]:
    """Return mu by bot as the package alone has it: sweeps of its own updates on cavities."""
    beliefs = {bot: [SIGMA0**-2, MU0 * SIGMA0**-2] for unit in listed for bot in unit.bots}
    said = {unit.id: dict.fromkeys(unit.bots, (0.0, 0.0)) for unit in listed}
    for _ in range(sweeps):
        for unit in listed:
            for bot, (pi, tau) in said[unit.id].items():
                beliefs[bot] = [beliefs[bot][0] - pi, beliefs[bot][1] - tau]
            before = [
                [Rating(beliefs[bot][1] / beliefs[bot][0], beliefs[bot][0] ** -0.5) for bot in side]
                for side in unit.sides
            ]
            counted = weights([len(side) for side in unit.sides])
            after = update(before, unit.ranks, draw_probability, counted)
            for bot, rating in zip(unit.bots, [own for side in after for own in side], strict=True):
                new = [rating.sigma**-2, rating.mu * rating.sigma**-2]
                said[unit.id][bot] = (new[0] - beliefs[bot][0], new[1] - beliefs[bot][1])
                beliefs[bot] = new
        # No result says where on the scale all skills lie.
        told = sum((pi - SIGMA0**-2) / pi for pi, _ in beliefs.values())
        shift = sum(MU0 - tau / pi for pi, tau in beliefs.values()) / told
        for bot, (pi, _) in beliefs.items():
            beliefs[bot][1] += (pi - SIGMA0**-2) * shift
        for own in said.values():
            own.update({bot: (pi, tau + pi * shift) for bot, (pi, tau) in own.items()})
    return {bot: tau / pi for bot, (pi, tau) in beliefs.items()}


@settings(max_examples=10)  # the package is slow
@given(connected(most=14))
def test_the_package_alone_comes_to_the_same_ratings(listed: list[Unit]) -> None:
    batch = rate(listed)
    expected = by_package(ordered(listed), batch.draw_probability, sweeps=40)

    assert mus(batch) == pytest.approx(expected, abs=1e-5)


@given(connected(), st.data())
def test_a_warm_start_prints_what_a_fresh_fit_prints(
    listed: list[Unit], data: st.DataObject
) -> None:
    """Units are added, removed and changed; so the draw probability moves, too."""
    start = data.draw(st.integers(0, len(listed) - 1))
    end = data.draw(st.integers(start + 1, len(listed)))
    changed = [
        replace(unit, ranks=unit.ranks[::-1]) if number % 5 == 0 else unit
        for number, unit in enumerate(listed)
    ]
    kept = rate(listed[start:end])
    warm, fresh = rate(changed, kept=kept), rate(changed)

    assert two_decimals(warm) == two_decimals(fresh)
    assert mus(warm) == pytest.approx(mus(fresh), abs=1e-6)


def test_a_fit_that_starts_where_it_ended_is_soon_done() -> None:
    listed = [free_for_all(f"u{at}", bots, (1, 2, 2)) for at, bots in enumerate(["ABC", "CAD"] * 9)]
    kept = rate(listed)
    thawed = msgspec.json.decode(msgspec.json.encode(kept), type=Batch)

    assert rate(listed, kept=thawed).sweeps <= 4 < kept.sweeps


@pytest.mark.parametrize(
    "messages",
    [
        pytest.param(Kept(), id="none"),
        pytest.param(Kept(b"x" * 60, b"y" * 99), id="noise"),
        pytest.param(
            Kept(rate(VECTOR_5).messages.marks, b"\x00\x00\x20\x42\x00\x00\x1c\x46" * 12),
            id="40 and 9984, as far off as numbers may be",
        ),
    ],
)
def test_damaged_messages_do_no_harm(messages: Kept) -> None:
    kept = replace(rate(VECTOR_5), messages=messages)

    assert two_decimals(rate(VECTOR_5, kept=kept)) == two_decimals(rate(VECTOR_5))


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
    batch = rate((duel(f"u{at}", "A", "B") for at in range(400)), max_sweeps=8)

    assert not batch.converged
    assert batch.sweeps == 8
    assert 1e-7 <= batch.moved < 1


@pytest.mark.parametrize("players", [2, 4])
def test_bots_that_are_worlds_apart_settle_in_few_sweeps(players: int) -> None:
    """Plain sweeps would take hundreds."""
    names = "ABCDEFGH"
    listed = [
        free_for_all(f"{number}-{at}", "".join(bots), range(1, players + 1))
        for number, bots in enumerate(combinations(names, players))
        for at in range(20)
    ]
    batch = rate([*listed, duel("upset", "H", "A")])

    assert batch.converged
    assert batch.sweeps < 40


def test_a_bot_that_only_faults_is_last_in_mixed_teams() -> None:
    """Its side is itself alone, against teams of two."""
    rng = random.Random(1)  # noqa: S311 - a simulation
    listed = []
    for deal in range(40):
        one, two, three, four, *_ = rng.sample("ABCDE", 4)
        sides = ((one, two), (three, four), ("X",))
        listed.append(Unit(f"d{deal:02}", sides, rng.choice([(1, 2, 3), (2, 1, 3)])))
    ratings = rate(listed).ratings

    assert min(ratings, key=lambda bot: ratings[bot].mu) == "X"
    assert ratings["X"].mu < 15


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


def test_another_win_never_costs_the_winner_anything() -> None:
    won = [duel(f"g{number}", "A", "B") for number in range(100)]
    found = [rate(won[:played]).ratings["A"].mu for played in (1, 2, 5, 20, 100)]

    assert found == sorted(found)


def test_bots_do_not_change_so_certainty_grows_with_every_match() -> None:
    """A tau above 0 would hold it up: it supposes that skills drift."""
    played = [duel(f"g{number}", *("AB" if number % 3 else "BA")) for number in range(2_001)]
    few, more, many = (rate(played[:count]).ratings["A"] for count in (501, 1_998, 2_001))

    # The level itself is not known any better: sigma falls towards that of the mean of the two.
    assert many.sigma < few.sigma
    assert many.mu == pytest.approx(more.mu, abs=0.01)
