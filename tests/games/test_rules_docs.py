"""The rules pages are held to the tests: each rule that is written down is tested by its number."""

import re
from pathlib import Path

import pytest

from arena.games import BUILT_IN

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("game", [game.name for game in BUILT_IN])
def test_every_rule_is_tested_and_every_tested_rule_is_written_down(game: str) -> None:
    page = ROOT / "arena" / "games" / game / "RULES.md"
    tests = ROOT / "tests" / "games" / f"test_{game}_rules.py"

    written = re.findall(r"\*\*(R\d+[a-z]?)\*\*", page.read_text(encoding="utf-8"))
    tested = re.findall(r"def test_(r\d+[a-z]?)_", tests.read_text(encoding="utf-8"))

    assert len(set(written)) == len(written)
    assert set(tested) == {rule.lower() for rule in written}
