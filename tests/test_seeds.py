import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import msgspec
import pytest

from arena.games import BUILT_IN
from arena.games.base import Kind
from arena.games.deal import Deal, DealtChance
from arena.games.donburiko import DONBURIKO
from arena.referee.category import Category, Mode
from arena.tournament.suite import find_suite, load_suite

SEEDS = Path(__file__).resolve().parents[1] / "seeds"
FILES = sorted(SEEDS.glob("*.toml"))
README = (SEEDS / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_suite_is_found_by_the_name_of_its_file(path: Path) -> None:
    suite = load_suite(path)

    assert suite.name == path.stem
    assert suite == find_suite(path.stem)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_suite_says_what_it_is_for(path: Path) -> None:
    assert path.read_text(encoding="utf-8").startswith("# ")
    assert f"| `{path.stem}` |" in README


def test_no_two_suites_share_a_key() -> None:
    keys = [load_suite(path).key for path in FILES]

    assert len(set(keys)) == len(keys) > 0


def test_no_key_was_made_up() -> None:
    for path in FILES:
        assert max(Counter(load_suite(path).key).values()) <= 4


def test_the_suites_cover_every_way_to_play_every_game() -> None:
    covered = {category for path in FILES for category in load_suite(path).categories}

    assert covered == {
        Category(game.name, variant, mode, players)
        for game in BUILT_IN
        for variant in game.variants
        for mode in Mode
        if (mode is Mode.TABLE) == (game.kind is Kind.COMPETITIVE)
        for players in game.player_counts
    }


def test_the_development_suite_has_everything() -> None:
    everything = {category for path in FILES for category in load_suite(path).categories}

    assert set(find_suite("development").categories) == everything


def test_the_format_shown_is_a_suite(tmp_path: Path) -> None:
    (shown,) = re.findall(r"```toml\n(.*?)```", README, re.DOTALL)
    path = tmp_path / "mine.toml"
    path.write_text(shown, encoding="utf-8")

    assert load_suite(path).key == bytes(32)


def test_the_worked_example_prints_the_cards_that_are_dealt() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    (shown,) = re.findall(r"prints\n\n```\n(.*?)```", README, re.DOTALL)
    chance = DealtChance(Deal(bytes(32), "donburiko", "standard", 3, 0))

    printed = subprocess.run(
        [sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True
    ).stdout

    assert printed == shown
    cards = msgspec.to_builtins(DONBURIKO.cards(DONBURIKO.deal(chance, 3, "standard")))
    assert printed.split() == list(cards["rounds"][0])
