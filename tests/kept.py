"""Bots, tournaments and records to keep in a store, for tests that need some."""

from collections.abc import Sequence

import msgspec

from arena import __version__
from arena.players.bundle import Bundle, bundle_of
from arena.players.files import PLAIN, File
from arena.players.manifest import manifest_file
from arena.referee.category import Category, Mode
from arena.referee.fixture import Fixture
from arena.referee.limits import Limits
from arena.referee.record import FaultRecord, MatchRecord, Measured, SeatRecord, encode_record
from arena.store.db import Store
from arena.store.tournaments import Tournament, add_tournament

TWO = Category("donburiko", "standard", Mode.TABLE, 2)
THREE = Category("donburiko", "standard", Mode.TABLE, 3)
DUELS = tuple(Fixture(TWO, deal, bots) for deal in (0, 1) for bots in (("a", "b"), ("b", "a")))
TABLES = tuple(Fixture(THREE, 0, bots) for bots in (("a", "b", "c"), ("b", "c", "a")))


def snapshot(text: str) -> Bundle:
    """Return a bundle whose one script is ``text``."""
    return bundle_of(
        [File("bot.py", PLAIN, text.encode()), manifest_file(("python", "bot.py"))], "bot"
    )


def tournament(id_: str = "spring", name: str = "cup", unrated: tuple[str, ...] = ()) -> Tournament:
    """Return a tournament with a secret key."""
    return Tournament(
        id=id_,
        name=name,
        created="2026-01-01T00:00:00Z",
        parameters={"players": [2, 3], "limits": {"move_ms": 1000}},
        suite="drawn",
        key=bytes(range(32)),
        commitment="ab" * 32,
        secret=bytes(32),
        public_value="lottery",
        unrated=unrated,
    )


def planned(
    store: Store, id_: str = "spring", name: str = "cup", fixtures: Sequence[Fixture] = DUELS
) -> str:
    """Store a tournament of the bots a, b and c, and return its id."""
    entries = [(bot, snapshot(bot)) for bot in "abc"]
    add_tournament(store, tournament(id_, name), entries, fixtures)
    return id_


def record_of(id_: str, fixture: Fixture, ms: float = 1.0) -> bytes:
    """Return an encoded record of ``fixture``, in which the last seat was at fault."""
    players = fixture.category.players
    return encode_record(
        MatchRecord(
            record=1,
            arena=__version__,
            match=fixture.match,
            tournament=id_,
            game=fixture.category.game,
            variant=fixture.category.variant,
            rules_version=1,
            players=players,
            mode=fixture.category.mode.value,
            suite="drawn",
            deal=fixture.deal,
            seats=tuple(SeatRecord(bot=bot, digest="sha256:0") for bot in fixture.bots),
            cards=msgspec.Raw(b'{"rounds":[]}'),
            actions=(),
            faults=(FaultRecord(seat=players - 1, at=0, code="exited", text="ünïcode"),),
            scores=(0,) * players,
            ranks=(1,) * players,
            reason="walkover",
            limits=Limits(),
            tier="none",
            rated=False,
            measured=Measured(
                started="2026-01-01T00:00:00Z",
                ms=ms,
                action_ms=(),
                cpu_ms=(0.0,) * players,
                attempt=1,
                stderr=("",) * players,
            ),
        )
    )
