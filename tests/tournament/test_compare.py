import random
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import HostFault, UsageError
from arena.games import games
from arena.players.submission import read_bundle
from arena.players.tier import Tier
from arena.ratings.result import Result
from arena.ratings.sequential import FIRST_LOOK, Evidence, Verdict
from arena.referee.category import Category, Mode
from arena.referee.limits import Limits
from arena.store.db import Store, open_store
from arena.store.fixtures import open_fixtures
from arena.store.matches import void_attempts
from arena.store.tournaments import Stage, get_tournament
from arena.tournament.compare import Blocks, Comparison, plan_comparison, play, so_far
from arena.tournament.entrants import Candidate
from arena.tournament.leaderboards import leaderboards
from arena.tournament.plan import Plan, plan
from arena.tournament.runner import ATTEMPTS, Stop, run
from arena.tournament.suite import Suite
from tests import tuck_game
from tests.kept import snapshot
from tests.ratings.made import result
from tests.whole_arena import FIRST, bot

DUEL = Category("donburiko", "standard", Mode.TABLE, 2)
THREE = Category("donburiko", "standard", Mode.TABLE, 3)
ALONE = Category("couperation", "standard", Mode.SELF, 2)
TUCK = Category("tuck", "standard", Mode.TABLE, 2)
BOLD = "play(lambda number, legal: 1 if len(legal) > 2 else 0)"
"""Of Tuck: lays its lower card face down, for 5, and then the higher one face up."""

PUBLISHED = Suite("spring", bytes(range(32)), {DUEL: 2})


def candidates(names: str, **more: Any) -> list[Candidate]:
    return [Candidate(name, snapshot(name), **{"games": None, **more}) for name in names]


def planned(comparison: Comparison, names: str = "abcd", **more: Any) -> Plan:
    asked = {"suite": PUBLISHED, **more}
    return plan_comparison(candidates(names), comparison, Limits(), Tier.BWRAP, **asked)


# What is planned


def test_block_n_is_played_on_deal_n() -> None:
    fixtures = planned(Comparison("a", "b", DUEL, blocks=3)).fixtures

    assert [(fixture.deal, "".join(fixture.bots)) for fixture in fixtures] == [
        *((0, "ab"), (0, "ba"), (1, "ab"), (1, "ba"), (2, "ab"), (2, "ba"))
    ]


def test_in_a_co_operative_game_each_plays_the_deal_by_itself() -> None:
    assert Comparison("a", "b", ALONE).line_ups == [("a", "a"), ("b", "b")]


@pytest.mark.parametrize(
    "comparison",
    [
        Comparison("a", "b", DUEL),
        Comparison("b", "a", THREE, ("c", "d"), relevant=0.1, blocks=20),
        Comparison("a", "b", ALONE, blocks=16),
    ],
)
def test_a_comparison_is_known_again_by_its_parameters(comparison: Comparison) -> None:
    made = planned(comparison)

    assert Comparison.of(made.tournament) == comparison
    assert tuple(comparison.fixtures()) == made.fixtures


def test_another_tournament_is_none() -> None:
    other = plan(candidates("ab"), {DUEL: 1}, Limits(), Tier.BWRAP, suite=PUBLISHED).tournament

    assert other.comparison is None
    with pytest.raises(UsageError, match="is no comparison: `arena tournament --resume spring-"):
        Comparison.of(other)


@pytest.mark.parametrize(
    "more",
    [
        {"comparison": 3},
        {"comparison": {"a": "a", "b": "b", "field": "cd", "relevant_thousandths": 200}},
        {"comparison": {"a": "a", "b": "b", "field": [], "relevant_thousandths": 0}},
        {"categories": []},
        {"categories": [{"game": "donburiko"}]},
    ],
)
def test_parameters_that_nobody_planned_are_refused(more: dict[str, Any]) -> None:
    made = planned(Comparison("a", "b", DUEL)).tournament
    forged = replace(made, parameters={**made.parameters, **more})

    with pytest.raises(UsageError, match="cannot be read as a comparison: "):
        Comparison.of(forged)


def test_another_comparison_has_another_id() -> None:
    wanted = Comparison("a", "b", THREE, ("c", "d"))
    others = [
        replace(wanted, a="b", b="a"),
        replace(wanted, field=("d", "c")),
        replace(wanted, relevant=0.1),
        replace(wanted, blocks=20),
    ]

    ids = {planned(it).tournament.id for it in (wanted, *others)}
    assert len(ids) == 1 + len(others)
    assert planned(wanted).tournament.id in ids


def test_it_is_never_rated_and_a_fresh_secret_is_committed_to() -> None:
    tournament = planned(Comparison("a", "b", DUEL), "ab", suite=None).tournament

    assert tournament.unrated == ("a comparison",)
    assert tournament.secret is not None
    assert tournament.commitment
    assert tournament.name == "compare"


@pytest.mark.parametrize(
    ("comparison", "line"),
    [
        (Comparison("a", "a", DUEL), "a is compared with itself: name another bot, or an older"),
        (Comparison("a", "b", replace(DUEL, players=5)), "donburiko has no game for 5: 2, 3, 4"),
        (Comparison("a", "b", replace(DUEL, variant="x")), "donburiko has no variant 'x'"),
        (Comparison("a", "b", ALONE, ("c",)), "couperation is compared in self-play: leave out"),
        (Comparison("a", "b", THREE, ("c", "b")), "b is compared, and cannot be in the field as"),
        (Comparison("a", "b", THREE, ("c",)), "--field names who sits beside the bot that is com"),
    ],
)
def test_what_cannot_be_compared_is_refused(comparison: Comparison, line: str) -> None:
    with pytest.raises(UsageError) as refusal:
        planned(comparison)

    assert str(refusal.value).startswith(line)


def test_both_must_play_the_game() -> None:
    bots = [*candidates("a"), *candidates("b", games=("donburiko",))]

    with pytest.raises(UsageError, match="b does not play couperation"):
        plan_comparison(bots, Comparison("a", "b", ALONE), Limits(), Tier.BWRAP)


# What decides


def played(seed: int, blocks: int, edge: float = 0.8) -> list[Result]:
    """Return the results of ``blocks`` blocks, in which a is better more often than not."""
    dice = random.Random(seed)  # noqa: S311 - dice, not keys
    return [
        result(
            DUEL,
            bots,
            [3, 1] if (bots == "a b") == (dice.random() < edge) else [1, 3],
            deal=deal,
            faults=[1] if dice.random() < 0.1 else [],
        )
        for deal in range(blocks)
        for bots in ("a b", "b a")
    ]


def counted(results: list[Result], blocks: int = 100) -> Blocks:
    found = Blocks(Comparison("a", "b", DUEL, blocks=blocks))
    for one in results:
        found.add(one)
    return found


def facts(blocks: Blocks) -> tuple[Evidence, Verdict | None, Mapping[str, int], int]:
    return blocks.evidence, blocks.verdict, blocks.faults, blocks.matches


@given(st.integers(0, 20), st.randoms(use_true_random=False))
def test_the_same_block_decides_whatever_order_matches_end_in(
    seed: int, dice: random.Random
) -> None:
    results = played(seed, 60)
    mixed = [*results, *results[:10]]
    dice.shuffle(mixed)

    assert facts(counted(mixed)) == facts(counted(results))


def test_matches_beyond_the_block_that_decides_do_not_count() -> None:
    results = played(1, 60)
    decided = counted(results)
    last = decided.evidence.blocks

    assert decided.verdict is Verdict.BETTER
    assert facts(counted(results[: 2 * last])) == facts(decided)
    assert counted(results[: 2 * last - 1]).verdict is None


def test_a_block_waits_for_those_before_it() -> None:
    results = played(1, 60)

    late = counted(results[1:])
    assert (late.evidence.blocks, late.verdict) == (0, None)
    late.add(results[0])
    assert facts(late) == facts(counted(results))


def test_faults_are_counted_in_the_blocks_that_count() -> None:
    found = counted([result(DUEL, "a b", [3, 1], faults=[1]), result(DUEL, "b a", [3, 1])])

    assert (found.faults, found.matches) == ({"b": 1}, 2)


def test_after_the_last_block_it_is_undecided() -> None:
    assert counted(played(1, 2), blocks=2).verdict is Verdict.UNDECIDED


# Comparisons that are played


class Quiet:
    """A report that asks to stop after so many blocks."""

    def __init__(self, after: int = 0) -> None:
        self.stop = Stop()
        self.said: list[int] = []
        self._after = after

    def counted(self, blocks: Blocks) -> None:
        self.said.append(blocks.evidence.blocks)
        self.stop.asked |= blocks.evidence.blocks == self._after

    def remark(self, text: str) -> None:
        pass


@pytest.fixture
def tuck(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Install Tuck."""
    site = tuck_game.install(tmp_path / "site")
    monkeypatch.syspath_prepend(site)
    games.cache_clear()
    yield site
    games.cache_clear()


@pytest.fixture
def bots(tmp_path: Path) -> Mapping[str, Path]:
    bodies = {"bold": BOLD, "first": FIRST}
    return {name: bot(body, tmp_path / "bots" / name) for name, body in bodies.items()}


def compared(
    store: Store,
    bots: Mapping[str, Path],
    category: Category,
    *,
    suite: Suite | None = PUBLISHED,
    name: str | None = None,
    **more: Any,
) -> str:
    """Store a comparison of the first two of ``bots``, and return its id."""
    entered = [Candidate(bot, read_bundle(path), None) for bot, path in bots.items()]
    a, b, *field = bots
    wanted = Comparison(a, b, category, tuple(field), **more)
    made = plan_comparison(entered, wanted, Limits(), Tier.NONE, suite=suite, name=name)
    made.store(store)
    return made.tournament.id


def played_by(store: Store, id_: str, jobs: int = 1, report: Quiet | None = None) -> Blocks:
    report = report or Quiet()
    return play(store, get_tournament(store, id_).tournament, jobs, report, report.stop)


def shown(store: Store, id_: str) -> list[list[object]]:
    """Return what a leaderboard and the pairs under it show of a comparison."""
    return [
        [(row.bot, row.matches, row.deals, row.points, row.score, row.rating) for row in board.rows]
        for board in leaderboards(store, [id_])
    ]


@pytest.mark.slow
def test_workers_and_stops_change_nothing(
    tmp_path: Path, bots: Mapping[str, Path], tuck: Path
) -> None:
    outcomes, kept = [], []
    for name, jobs, stops in (("a", 1, 0), ("b", 2, 0), ("c", 2, 5)):
        with open_store(tmp_path / name) as store:
            id_ = compared(store, bots, TUCK, relevant=0.15)
            if stops:
                assert played_by(store, id_, jobs, Quiet(after=stops)).verdict is None
                assert get_tournament(store, id_).stage is Stage.STOPPED
            outcomes.append(facts(played_by(store, id_, jobs)))
            there = get_tournament(store, id_)
            kept.append((there.played, there.tournament.head, shown(store, id_)))

    assert outcomes[1:] == outcomes[:1] * 2
    assert kept[1:] == kept[:1] * 2
    assert kept[0][0] == outcomes[0][3]
    assert outcomes[0][1] is Verdict.BETTER
    assert outcomes[0][0].blocks > FIRST_LOOK


@pytest.mark.slow
def test_what_is_decided_is_finished_and_the_rest_stays_unplayed(
    tmp_path: Path, bots: Mapping[str, Path], tuck: Path
) -> None:
    with open_store(tmp_path / "home") as store:
        id_ = compared(store, bots, TUCK)
        report = Quiet()
        blocks = played_by(store, id_, 2, report)

        progress = get_tournament(store, id_)
        assert report.said == list(range(1, blocks.evidence.blocks + 1))
        assert (progress.stage, progress.decided, progress.total) == (Stage.FINISHED, True, 4000)
        assert progress.played == blocks.matches
        assert len(open_fixtures(store, id_)) == progress.total - progress.played

        run(store, id_, 1, NobodyPlays(), Stop())
        assert facts(played_by(store, id_)) == facts(so_far(store, progress.tournament))
        assert get_tournament(store, id_) == progress


class NobodyPlays:
    def played(self, record: object, done: int, total: int) -> None:
        raise AssertionError("a match was played after the secret was shown")

    def remark(self, text: str) -> None:
        raise AssertionError(text)


@pytest.mark.slow
def test_nothing_is_played_beyond_a_match_that_cannot_be_played(
    tmp_path: Path, bots: Mapping[str, Path], tuck: Path
) -> None:
    hole = "import dataclasses\nfrom tests import tuck_game\nTUCK = dataclasses.replace("
    (tuck / "broken.py").write_text(f"{hole}tuck_game.TUCK, apply=lambda *_: 1 / 0)\n")
    (tuck / "tuck-1.0.dist-info" / "entry_points.txt").write_text(
        "[arena.games]\ntuck = broken:TUCK\n"
    )
    with open_store(tmp_path / "home") as store:
        id_ = compared(store, bots, TUCK)

        with pytest.raises(HostFault, match="was void 3 times"):
            played_by(store, id_)

        assert sum(void_attempts(store, id_).values()) <= 2 * ATTEMPTS
        assert get_tournament(store, id_).played == 0


@pytest.mark.slow
@pytest.mark.parametrize("category", [THREE, replace(DUEL, players=4), ALONE])
def test_every_kind_of_table_is_played(
    category: Category, tmp_path: Path, bots: Mapping[str, Path]
) -> None:
    with open_store(tmp_path / "home") as store:
        blocks = played_by(store, compared(store, bots, category, blocks=1))

    assert (blocks.verdict, blocks.evidence.blocks) == (Verdict.UNDECIDED, 1)
    assert blocks.matches == {(3, Mode.TABLE): 6}.get((category.players, category.mode), 2)


@pytest.mark.slow
def test_a_field_holds_the_other_seats(tmp_path: Path, bots: Mapping[str, Path]) -> None:
    field = {name: bot(f"{FIRST}  # {name}", tmp_path / "bots" / name) for name in ("c", "d")}
    with open_store(tmp_path / "home") as store:
        id_ = compared(store, {**bots, **field}, THREE, blocks=1)
        blocks = played_by(store, id_)

    assert blocks.matches == 6
    assert blocks.verdict is Verdict.UNDECIDED


URANDOM = "import os\nplay(lambda number, legal: os.urandom(1)[0] % len(legal))"
RUNS = 20


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_a_bot_that_never_repeats_itself_is_rarely_better_than_its_copy(tmp_path: Path) -> None:
    """Of 20 runs, each wrong in 5 % of the cases, more than 4 are in 1 of 400 cases."""
    bots = {
        name: bot(f"{URANDOM}  # {name}", tmp_path / "bots" / name) for name in ("one", "other")
    }
    ends = []
    with open_store(tmp_path / "home") as store:
        for number in range(RUNS):
            id_ = compared(store, bots, DUEL, suite=None, name=f"run-{number}")
            blocks = played_by(store, id_, 2)
            ends.append((blocks.verdict, blocks.evidence.blocks))
    print(*(f"{verdict} after {number} blocks" for verdict, number in ends), sep="\n")  # noqa: T201 - `make long` shows it

    assert sum(verdict is Verdict.BETTER for verdict, _ in ends) <= 4
