"""The example bots of the SDKs, submitted as their pages say, in matches that arena plays."""

import json
import re
import shutil
from pathlib import Path

import pytest

from arena.players.bundle import argv, unpack
from arena.players.process import Program
from arena.players.submission import read_bundle
from arena.players.tier import Tier
from arena.referee.category import Category, Mode
from arena.referee.fixture import Fixture
from arena.referee.limits import Limits
from arena.referee.lines import lines_of
from arena.referee.record import MatchRecord
from arena.tournament.match import Entrant, MatchTask, play_match
from bots import greedy
from tests.conversation import ROOT, converse
from tests.protocol.conftest import IN_CPP, needs_node
from tests.records import KEY, played_record

pytestmark = pytest.mark.slow

SDK = ROOT / "protocol" / "sdk"

VALUES = {"donburiko": greedy.donburiko, "couperation": greedy.couperation}
CATEGORIES = [
    Category("donburiko", "standard", Mode.TABLE, 2),
    Category("donburiko", "standard", Mode.TABLE, 4),
    Category("couperation", "standard", Mode.MIXED, 2),
    Category("couperation", "finish", Mode.MIXED, 4),
]


def in_javascript(folder: Path, example: str) -> None:
    shutil.copy(SDK / "javascript" / "arena_bot.cjs", folder)
    shutil.copy(SDK / "javascript" / f"{example}.js", folder / "bot.js")


def in_cpp(folder: Path, example: str) -> None:
    shutil.copy(SDK / "cpp" / "arena_bot.hpp", folder)
    shutil.copy(SDK / "cpp" / f"{example}.cpp", folder / "bot.cpp")
    page = (SDK / "cpp" / "README.md").read_text("utf-8")
    (manifest,) = re.findall(r"^```toml\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    (folder / "bot.toml").write_text(manifest, "utf-8")


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(in_javascript, id="javascript", marks=needs_node),
        pytest.param(in_cpp, id="cpp", marks=IN_CPP),
    ],
)
def examples(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Entrant]:
    """Return the examples of a language by name, built where that has to be."""
    found = {}
    for example in ("greedy", "random"):
        folder = tmp_path_factory.mktemp(example)
        request.param(folder, example)
        bundle = read_bundle(folder, name=example, build_in=Tier.NONE)
        laid = folder / "laid"
        unpack(bundle, laid)
        program = Program(tuple(argv(bundle.command, laid)), laid)
        found[example] = Entrant(example, bundle.digest, program)
    return found


def play(category: Category, seats: list[Entrant]) -> MatchRecord:
    task = MatchTask(
        tournament="examples",
        suite="examples",
        key=KEY,
        fixture=Fixture(category, 0, tuple(seat.name for seat in seats)),
        seats=tuple(seats),
        limits=Limits(move_ms=10_000),
        tier=Tier.NONE,
        rated=False,
    )
    return play_match(task)


@pytest.mark.parametrize("category", CATEGORIES, ids=lambda it: it.name)
def test_the_examples_play_without_a_fault(
    category: Category, examples: dict[str, Entrant]
) -> None:
    seats = [examples["greedy"], examples["random"]] * (category.players // 2)

    record = play(category, seats)

    assert record.faults == ()
    assert record.reason in {"finished", "won", "lost"}
    assert record.measured.stderr == ("",) * category.players


@pytest.mark.parametrize(
    ("game", "variant"),
    [("donburiko", "standard"), ("couperation", "standard"), ("couperation", "finish")],
)
def test_greedy_thinks_as_the_one_in_python_does(
    game: str, variant: str, examples: dict[str, Entrant]
) -> None:
    """Their dice differ, so actions of equal value may; rounding makes some of them unequal."""
    asked, answered = [], []
    for deal in range(3):
        lines = lines_of(played_record(game, variant, 2 + deal, deal, {}), 1, key=KEY)
        heard = converse(examples["greedy"].program.argv, lines)
        asked += [json.loads(line) for line in lines if b'"type":"act"' in line]
        answered += [json.loads(line)["action"] for line in heard.lines[1:]]

    assert len(answered) == len(asked) > 15
    for question, action in zip(asked, answered, strict=True):
        value = VALUES[game](question["observation"])
        assert value(action) >= max(map(value, question["legal_actions"])) - 1e-9
