"""Tournaments whose results are made up, kept in real homes: any names, any scores, no process."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import msgspec

from arena import __version__
from arena.games.base import standing
from arena.referee.category import Category, Mode
from arena.referee.fixture import Fixture
from arena.referee.limits import Limits
from arena.referee.record import FaultRecord, MatchRecord, Measured, SeatRecord, encode_record
from arena.store.db import Store
from arena.store.matches import add_matches
from arena.store.tournaments import Tournament, add_tournament
from tests.kept import snapshot


@dataclass(frozen=True)
class Outcome:
    """How a match ended."""

    category: Category
    deal: int
    bots: tuple[str, ...]
    scores: tuple[int, ...]
    faults: tuple[int, ...] = ()

    @property
    def fixture(self) -> Fixture:
        """The match as it was scheduled."""
        return Fixture(self.category, self.deal, self.bots)


def duel(one: str, other: str, deal: int = 0, *, won: bool = True) -> list[Outcome]:
    """Return both seatings of two bots on a deal of Donburiko, won by ``one`` or by neither."""
    two = Category("donburiko", "standard", Mode.TABLE, 2)
    scores = (30, 20) if won else (25, 25)
    return [
        Outcome(two, deal, (one, other), scores),
        Outcome(two, deal, (other, one), scores[::-1]),
    ]


def team(bots: Sequence[str], score: int, deal: int = 0) -> Outcome:
    """Return a match of two at Couperation; of one bot in both seats it is self-play."""
    mode = Mode.SELF if len(set(bots)) == 1 else Mode.MIXED
    return Outcome(
        Category("couperation", "standard", mode, 2), deal, tuple(bots), (score,) * len(bots)
    )


def held(
    store: Store,
    id_: str,
    outcomes: Sequence[Outcome],
    *,
    contents: Mapping[str, str] | None = None,
    created: str = "2026-01-01T00:00:00Z",
    key: bytes | None = None,
    open_ones: Sequence[Outcome] = (),
    **parameters: Any,
) -> str:
    """Store a tournament with its records, and return its id.

    Args:
        store: an open home.
        id_: of the tournament.
        outcomes: what was played.
        contents: what a bot is made of, if not of its name.
        created: when it was begun.
        key: that its cards come from, if not one of its own.
        open_ones: what is on its schedule besides.
        parameters: of the tournament, instead of usual ones.
    """
    listed = [*outcomes, *open_ones]
    bots = dict.fromkeys(bot for outcome in listed for bot in outcome.bots)
    facts = {
        "rules_versions": {"donburiko": 1, "couperation": 1},
        "limits": {"move_ms": 1000},
        "tier": "none",
    }
    made = Tournament(
        id=id_,
        name=id_,
        created=created,
        parameters=facts | parameters,
        suite="made up",
        key=key or sha256(id_.encode()).digest(),
        unrated=("the key is published",),
    )
    entries = [(bot, snapshot((contents or {}).get(bot, bot))) for bot in bots]
    digests = {bot: bundle.digest for bot, bundle in entries}
    add_tournament(store, made, entries, [outcome.fixture for outcome in listed])
    add_matches(store, id_, [record(id_, outcome, digests) for outcome in outcomes])
    return id_


def record(id_: str, outcome: Outcome, digests: Mapping[str, str] | None = None) -> bytes:
    """Return the record of a match without actions; by default a bot is made of its name."""
    players = outcome.category.players
    competitive = outcome.category.mode is Mode.TABLE
    worth = [-1 if seat in outcome.faults else score for seat, score in enumerate(outcome.scores)]
    return encode_record(
        MatchRecord(
            record=1,
            arena=__version__,
            match=outcome.fixture.match,
            tournament=id_,
            game=outcome.category.game,
            variant=outcome.category.variant,
            rules_version=1,
            players=players,
            mode=outcome.category.mode.value,
            suite="made up",
            deal=outcome.deal,
            seats=tuple(
                SeatRecord(bot=bot, digest=(digests or {}).get(bot) or snapshot(bot).digest)
                for bot in outcome.bots
            ),
            cards=msgspec.Raw(b"{}"),
            actions=(),
            faults=tuple(
                FaultRecord(seat=seat, at=0, code="exited", text="") for seat in outcome.faults
            ),
            scores=outcome.scores,
            ranks=standing(worth) if competitive else (1,) * players,
            reason="finished",
            limits=Limits(),
            tier="none",
            rated=False,
            measured=Measured(
                started="2026-01-01T00:00:00Z",
                ms=1.0,
                action_ms=(),
                cpu_ms=(0.0,) * players,
                attempt=1,
                stderr=("",) * players,
            ),
        )
    )
