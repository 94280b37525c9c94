"""Results, units and records made by hand, and strategies for them."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec
from hypothesis import strategies as st

from arena.games.base import standing
from arena.ratings.result import Result
from arena.ratings.units import Unit
from arena.referee.category import Category, Mode
from arena.referee.limits import Limits
from arena.referee.record import (
    ActionRecord,
    FaultRecord,
    MatchRecord,
    Measured,
    SeatRecord,
)

TWO = Category("donburiko", "standard", Mode.TABLE, 2)
THREE = Category("donburiko", "standard", Mode.TABLE, 3)
SELF = Category("couperation", "standard", Mode.SELF, 2)
MIXED = Category("couperation", "standard", Mode.MIXED, 2)


def result(
    category: Category,
    bots: str,
    scores: Sequence[int],
    *,
    deal: int = 0,
    ranks: Sequence[int] | None = None,
    faults: Iterable[int] = (),
    tournament: str = "cup",
) -> Result:
    """Return a result of ``bots``, whose names are one word each; most points win."""
    seats = tuple(bots.split())
    return Result(
        tournament=tournament,
        match=f"{category.name}/{deal}/{'+'.join(seats)}",
        category=category,
        deal=deal,
        bots=seats,
        scores=tuple(scores),
        ranks=standing(scores) if ranks is None else tuple(ranks),
        faults=frozenset(faults),
    )


def alone(bot: str, score: int, *, deal: int = 0, faults: Iterable[int] = ()) -> Result:
    """Return a self-play result of ``bot`` in two seats."""
    return result(SELF, f"{bot} {bot}", [score, score], deal=deal, faults=faults)


def team(bots: str, score: int, *, deal: int = 0, faults: Iterable[int] = ()) -> Result:
    """Return a result of a mixed team of two."""
    return result(MIXED, bots, [score, score], deal=deal, faults=faults)


def self_play(scores: Mapping[str, Sequence[int]]) -> list[Result]:
    """Return the self-play results of each bot on deals 0, 1, ..."""
    return [
        alone(bot, score, deal=deal)
        for bot, own in scores.items()
        for deal, score in enumerate(own)
    ]


def duel(name: str, first: str, second: str, ranks: tuple[int, int] = (1, 2)) -> Unit:
    """Return a unit of two bots."""
    return Unit(name, ((first,), (second,)), ranks)


def free_for_all(name: str, bots: str, ranks: Sequence[int]) -> Unit:
    """Return a unit of one bot a side; ``bots`` has one letter for each."""
    return Unit(name, tuple((bot,) for bot in bots), tuple(ranks))


def record(
    actions: Sequence[tuple[int, bool]] = (),
    action_ms: Sequence[float] = (),
    faults: Sequence[int] = (),
    scores: Sequence[int] = (21, 9),
    mode: str = "table",
) -> MatchRecord:
    """Return a record of alpha against beta; ``actions`` are (seat, whether by the house)."""
    return MatchRecord(
        record=1,
        arena="0.1.0",
        match="donburiko-2p/17/alpha+beta",
        tournament="cup",
        game="donburiko",
        variant="standard",
        rules_version=1,
        players=2,
        mode=mode,
        suite="dev",
        deal=17,
        seats=(
            SeatRecord(bot="alpha", digest="sha256:0a"),
            SeatRecord(bot="beta", digest="sha256:0b"),
        ),
        cards=msgspec.Raw(b"{}"),
        actions=tuple(
            ActionRecord(seat=seat, action=msgspec.Raw(b"{}"), house=house)
            for seat, house in actions
        ),
        faults=tuple(FaultRecord(seat=seat, at=0, code="timeout", text="") for seat in faults),
        scores=tuple(scores),
        ranks=standing(scores),
        reason="finished",
        limits=Limits(),
        tier="bwrap",
        rated=True,
        measured=Measured(
            started="2026-01-01T00:00:00Z",
            ms=18.2,
            action_ms=tuple(action_ms),
            cpu_ms=(11.0, 9.5),
            attempt=1,
            stderr=("", ""),
        ),
    )


@st.composite
def duels(draw: st.DrawFn, bots: str = "ABCD", most: int = 12) -> list[Unit]:
    """Return units of two bots each."""
    pairs = st.permutations(bots).map(lambda shuffled: shuffled[:2])
    ranks = st.sampled_from([(1, 2), (2, 1), (1, 1)])
    played = draw(st.lists(st.tuples(pairs, ranks), min_size=1, max_size=most))
    return [
        duel(f"u{number:02}", pair[0], pair[1], ranks)
        for number, (pair, ranks) in enumerate(played)
    ]


@st.composite
def tables(draw: st.DrawFn, bots: str = "ABCD", most: int = 4) -> list[Result]:
    """Return results of three players on a few deals, with closed seats among them."""
    listed = []
    for deal in range(draw(st.integers(1, most))):
        seated = st.permutations(bots).map(lambda shuffled: " ".join(shuffled[:3]))
        for seats in draw(st.lists(seated, min_size=1, max_size=3, unique=True)):
            scores = draw(st.tuples(*[st.integers(0, 3)] * 3))
            closed = draw(st.sampled_from([(), (), (0,), (2,), (1, 2)]))
            worth = [-1 if seat in closed else score for seat, score in enumerate(scores)]
            listed.append(
                result(THREE, seats, scores, deal=deal, ranks=standing(worth), faults=closed)
            )
    return listed
