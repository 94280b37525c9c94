"""Exports of a tournament that kept processes: after what each match was played. Two seconds."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from arena.audit.imports import Export
from arena.audit.verify import verify_account
from arena.cli.app import run
from arena.errors import Difference
from tests import checker
from tests.command_line import NO_TIER
from tests.whole_arena import FIRST, bot, named, suite

pytestmark = pytest.mark.slow

TIRES = """
asked = 0
def choose(number, legal):
    global asked
    asked += 1
    if asked == 60:
        sys.exit(3)
    return number % len(legal)
play(choose)
"""
"""Leaves at the sixtieth question that its process is asked."""

AFTER = {
    "first+tires": [None, [0], None, [2], None, [4]],
    "tires+first": [None, [0], [0, 1], None, None, [4]],
}
"""What is on record, by seating and deal. Blocks begin with deals 0 and 4."""

FAULTY = {"1/first+tires", "3/first+tires", "2/tires+first"}


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An export: six deals, whose processes were kept for four."""
    folder = tmp_path_factory.mktemp("kept")
    bots = named([bot(FIRST, folder / "first"), bot(TIRES, folder / "tires")])
    cards = str(suite(folder / "cards.toml", "donburiko table 2", deals=6))
    home = ("--home", str(folder / "home"))
    words = ["--suite", cards, "--bots", bots, "--keep-alive", "4", *NO_TIER]
    assert run(["tournament", *words, *home, "-j", "1"]) == 0
    assert run(["export", "short", str(folder / "export"), "--bots", *home]) == 0
    return folder / "export"


@pytest.fixture
def export(kept: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    shutil.copytree(kept, tmp_path / "export")
    return tmp_path / "export"


def records(export: Path) -> dict[str, dict[str, Any]]:
    """Return the records of ``export``, by deal and seating."""
    lines = (export / "records.jsonl").read_text("utf-8").splitlines()
    return {record["match"].partition("/")[2]: record for record in map(json.loads, lines)}


def forge(export: Path, match: str, after: list[int] | None) -> None:
    """Let the record of ``match`` tell of other matches before it, and all else agree with that."""
    changed = records(export)
    record, measured = changed[match], changed[match].pop("measured")
    record.pop("after", None)
    record |= ({} if after is None else {"after": after}) | {"measured": measured}
    lines = [json.dumps(one, ensure_ascii=False, separators=(",", ":")) for one in changed.values()]
    (export / "records.jsonl").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    facts = json.loads((export / "tournament.json").read_text("utf-8"))
    link, chain = checker.sha256(facts["tournament"].encode()), []
    for record in changed.values():
        del record["measured"]
        digest = checker.sha256(checker.canonical(record))
        link = checker.sha256(bytes.fromhex(link + digest))
        chain.append(f"{link}  {record['match']}\n")
    (export / "chain.txt").write_text("".join(chain), "utf-8")
    (export / "tournament.json").write_text(json.dumps(facts | {"head": link}), "utf-8")


def test_a_forgery_of_what_is_so_anyway_is_no_difference(export: Path, kept: Path) -> None:
    forge(export, "1/tires+first", [0])

    for name in ("records.jsonl", "chain.txt"):
        assert (export / name).read_bytes() == (kept / name).read_bytes()
    assert verify_account(Export(export)).unchecked == []
    assert checker.first_difference(export) is None


def test_an_honest_export_is_verified_and_the_checker_agrees(export: Path) -> None:
    played = records(export)

    assert verify_account(Export(export)).unchecked == []
    assert checker.first_difference(export) is None
    assert {name for name, record in played.items() if record["faults"]} == FAULTY
    for seating, after in AFTER.items():
        assert [played[f"{deal}/{seating}"].get("after") for deal in range(6)] == after


@pytest.mark.parametrize(
    ("match", "after"),
    [
        pytest.param("1/tires+first", [], id="none, and said to be kept"),
        pytest.param("0/first+tires", [0], id="itself"),
        pytest.param("1/first+tires", [0, 2], id="one that came later"),
        pytest.param("2/tires+first", [0], id="one that another match follows"),
        pytest.param("2/tires+first", [1], id="not the one before that"),
        pytest.param("2/tires+first", [1, 0], id="two, the other way round"),
        pytest.param("2/first+tires", [0, 1], id="those of the other seating"),
        pytest.param("3/tires+first", [0, 1, 2], id="one with a fault"),
        pytest.param("4/tires+first", [3], id="one of the block before"),
    ],
)
def test_what_a_match_cannot_have_been_played_after_is_named(
    match: str, after: list[int], export: Path
) -> None:
    forge(export, match, after)

    with pytest.raises(Difference, match=f"donburiko-2p/{match}: ".replace("+", r"\+")) as caught:
        verify_account(Export(export))
    assert "after" in str(caught.value)
    assert checker.first_difference(export) == f"donburiko-2p/{match}: after"


def test_a_match_that_is_said_to_have_had_fresh_processes_leaves_the_next_without_its_own(
    export: Path,
) -> None:
    forge(export, "1/tires+first", None)

    with pytest.raises(Difference, match=r"2/tires\+first: after: \[0, 1\] is recorded"):
        verify_account(Export(export))
    assert checker.first_difference(export) == "donburiko-2p/2/tires+first: after"
