"""Matches that the host spoils until they are given up, in blocks of kept processes.

Takes eight seconds.
"""

import shutil
from pathlib import Path

import pytest

from arena.games.deal import Deal, DealtChance
from tests import tuck_game
from tests.tournament.test_chunks import ELEPHANT, after
from tests.whole_arena import DICE, Arena, bot, named, suite

pytestmark = pytest.mark.slow

# Tuck that fails on some deals, until it is mended.
HOLED = """
import dataclasses, os
from tests import tuck_game

def apply(state, action, chance):
    if len(state.row) == 2 and state.deck in {decks} and "MENDED" not in os.environ:
        raise ZeroDivisionError("by nought")
    return tuck_game.apply(state, action, chance)

TUCK = dataclasses.replace(tuck_game.TUCK, apply=apply)
"""
DEALS, KEPT = 10, 5
DROPPED, HOPELESS = (1, 2, 3), 6
"""No more deals than the three can be dropped: what is spoilt then is given up."""

PLAYED: dict[int, list[int]] = (
    {0: [], 4: [0]}
    | {5: [], 7: [5], 8: [5, 7], 9: [5, 7, 8]}
    | {10: [], 11: [10], 12: [10, 11]}  # in place of those that were dropped
)
"""What has a record, by deal, and after which others it was played."""


def deck(deal: int) -> tuple[int, ...]:
    chance = DealtChance(Deal(bytes.fromhex("5a" * 32), "tuck", "standard", 2, deal))
    return tuck_game.deal(chance, 2, "standard").deck


def by_seating(arena: Arena) -> dict[str, dict[int, list[int]]]:
    """Return the same as `PLAYED` for each seating."""
    found: dict[str, dict[int, list[int]]] = {}
    for match, deals in after(arena.played()).items():
        _, deal, seating = match.split("/")
        found.setdefault(seating, {})[int(deal)] = deals
    return found


@pytest.fixture(scope="module")
def given_up(tmp_path_factory: pytest.TempPathFactory) -> Arena:
    """A home with a tournament that was played as far as it can be."""
    folder = tmp_path_factory.mktemp("hopeless")
    site = tuck_game.install(folder / "site")
    decks = {deck(deal) for deal in (*DROPPED, HOPELESS)}
    (site / "holed.py").write_text(HOLED.format(decks=decks))
    points = site / "tuck-1.0.dist-info" / "entry_points.txt"
    points.write_text("[arena.games]\ntuck = holed:TUCK\n")
    bots = [bot(ELEPHANT, folder / "elephant"), bot(DICE, folder / "dice")]
    cards = str(suite(folder / "cards.toml", "tuck table 2", deals=DEALS))
    arena = Arena(folder / "home", site)
    words = ["--suite", cards, "--bots", named(bots), "--tier", "none", "--keep-alive", str(KEPT)]
    _, said = arena.run("tournament", *words, "-j", "1", status=70)
    for deal in DROPPED:
        assert f"deal {deal} of dice, elephant is dropped" in said
    assert f"arena: tuck-2p/{HOPELESS}/dice+elephant was void 3 times: ZeroDivisionError" in said
    return arena


def test_what_else_is_in_its_block_is_played_by_kept_processes(given_up: Arena) -> None:
    assert by_seating(given_up) == {"dice+elephant": PLAYED, "elephant+dice": PLAYED}


def test_what_was_played_is_verified_and_exported_as_far_as_it_goes(
    given_up: Arena, tmp_path: Path
) -> None:
    verified, played_again = given_up.run("verify", "--replay-bots")
    given_up.run("export", "short", str(tmp_path / "export"), "--bots")
    exported, _ = given_up.run("verify", "--records", str(tmp_path / "export"))

    assert "36 seats played again, 0 differ" in played_again
    for said in (verified, exported):
        assert "18 matches verified" in said
        assert "not checked: 2 matches (they have no record yet), why deals were dropped" in said


def test_once_it_can_be_played_it_has_fresh_processes_and_the_rest_stays_as_it_is(
    given_up: Arena, tmp_path: Path
) -> None:
    shutil.copytree(given_up.home, tmp_path / "home")
    mended = Arena(tmp_path / "home", given_up.site, {"MENDED": "yes"})
    mended.run("tournament", "--resume", "short", "-j", "1")

    now = PLAYED | {HOPELESS: []}
    assert by_seating(mended) == {"dice+elephant": now, "elephant+dice": now}
    assert given_up.played().items() <= mended.played().items()
    _, played_again = mended.run("verify", "--replay-bots")
    assert "40 seats played again, 0 differ" in played_again
    mended.run("export", "short", str(tmp_path / "export"), "--bots")
    exported, _ = mended.run("verify", "--records", str(tmp_path / "export"))
    assert "20 matches verified" in exported
    assert "no record yet" not in exported
