"""Bots of the tests of processes, in each tier."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.players.process import stop_all
from arena.players.sandbox import isolation
from arena.players.tier import Tier
from tests.bot_processes import Start


@pytest.fixture(params=[Tier.BWRAP, Tier.NONE])
def start(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Start]:
    """Start bots in each tier; whatever a test leaves of them is stopped."""
    tier = request.param
    if tier is Tier.BWRAP and (lacking := isolation().lacking):
        pytest.skip(lacking)
    starting = Start(tmp_path, tier)
    yield starting
    stop_all(starting.started, grace_ms=0)


@pytest.fixture
def start_isolated(tmp_path: Path) -> Iterator[Start]:
    """Start bots in sandboxes."""
    if lacking := isolation().lacking:
        pytest.skip(lacking)
    starting = Start(tmp_path, Tier.BWRAP)
    yield starting
    stop_all(starting.started, grace_ms=0)


@pytest.fixture
def start_unheld(tmp_path: Path) -> Iterator[Start]:
    """Start bots without a sandbox: the controls of what a sandbox prevents."""
    starting = Start(tmp_path, Tier.NONE)
    yield starting
    stop_all(starting.started, grace_ms=0)
