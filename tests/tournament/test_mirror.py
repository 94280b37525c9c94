import tempfile
from pathlib import Path

import pytest

from arena.players.submission import read_bundle
from arena.players.tier import Tier
from arena.referee.category import Category, Mode
from arena.referee.limits import Limits
from arena.tournament.mirror import MOST_DEALS, Mirrored, against_itself
from tests.whole_arena import DICE, FIRST, bot

pytestmark = pytest.mark.slow

DUEL = Category("donburiko", "standard", Mode.TABLE, 2)
ALONE = Category("couperation", "standard", Mode.SELF, 2)
URANDOM = "import os\nplay(lambda number, legal: os.urandom(1)[0] % len(legal))"
FAULTY = "play(lambda number, legal: sys.exit(3))"


def mirrored(body: str, folder: Path, *categories: Category, deals: int = 4) -> list[Mirrored]:
    bundle = read_bundle(bot(body, folder / "bot"))
    return list(against_itself(bundle, categories, deals, Limits(), Tier.NONE, 1))


def test_a_bot_that_repeats_itself_is_equal_to_itself_on_every_deal(tmp_path: Path) -> None:
    played = mirrored(DICE, tmp_path, DUEL, ALONE)

    assert [one.category for one in played] == [DUEL, ALONE]
    assert [one.evidence.tied for one in played] == [4, 4]
    assert all(one.equal for one in played)


def test_a_bot_that_does_not_repeat_itself_is_found_out(tmp_path: Path) -> None:
    (played,) = mirrored(URANDOM, tmp_path, DUEL, deals=10)

    assert not played.equal


def test_ties_by_faults_are_none(tmp_path: Path) -> None:
    (played,) = mirrored(FAULTY, tmp_path, ALONE, deals=1)

    assert (played.evidence.tied, played.faults, played.equal) == (1, 2, False)


def test_all_deals_are_played_although_they_decide_nothing(tmp_path: Path) -> None:
    (played,) = mirrored(FIRST, tmp_path, DUEL, deals=99)

    assert played.evidence.blocks == MOST_DEALS


def test_nothing_is_left_of_the_matches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))

    mirrored(FIRST, tmp_path, DUEL, deals=1)

    assert list(scratch.iterdir()) == []
