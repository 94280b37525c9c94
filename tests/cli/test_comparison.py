"""What a comparison comes to, in words and numbers; nothing is played."""

from pathlib import Path

import pytest

from arena.cli import comparison
from arena.cli.comparison import Live, print_result, size, tell_faults
from arena.cli.render import Format
from arena.ratings.sequential import Verdict
from arena.tournament.compare import Blocks, Comparison
from tests.ratings.made import TWO, result

HOME = Path("results")


def blocks(outcomes: str, faults: int = 0) -> Blocks:
    """Return blocks of mybot against greedy that were, in turn, won, lost or tied by mybot."""
    found = Blocks(Comparison("mybot", "greedy", TWO, blocks=max(16, len(outcomes))))
    for deal, outcome in enumerate(outcomes):
        own = {"+": 3, "-": 1, "=": 2}[outcome]
        at_fault = [0] if deal < faults else []
        found.add(result(TWO, "mybot greedy", [own, 2], deal=deal, faults=at_fault))
        found.add(result(TWO, "greedy mybot", [2, own], deal=deal))
    return found


@pytest.mark.parametrize(
    ("outcomes", "verdict", "said"),
    [
        ("+++=" * 4, Verdict.BETTER, "mybot is better than greedy"),
        ("-" * 15 + "=", Verdict.NOT_BETTER, "greedy is better than mybot"),
        ("-" * 16, Verdict.NOT_BETTER, "greedy is better than mybot"),
        ("=" * 150, Verdict.NOT_BETTER, "mybot and greedy did equally well in every block"),
        (
            "-+-=" * 16,
            Verdict.NOT_BETTER,
            "mybot is not better than greedy by a relevant amount",
        ),
        ("+-=" * 5 + "=", Verdict.UNDECIDED, "it is undecided whether mybot is better than greedy"),
    ],
)
def test_the_last_line_says_what_is_known(
    outcomes: str, verdict: Verdict, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert print_result("duel", blocks(outcomes), Format.TABLE) is verdict

    assert capsys.readouterr().err == f"{said}\n"


def test_at_its_beginning_a_comparison_says_how_far_it_is_and_how_long_it_takes() -> None:
    assert size("duel", blocks("+"), 1, 2.04) == (
        "duel: mybot against greedy, donburiko-2p, at most 16 blocks of 2 matches, 1 played, "
        "about 2.0 s a block, with 1 worker"
    )
    assert size("duel", blocks(""), 2, None).endswith("of 2 matches, with 2 workers")
    assert ", about 5 min a block, " in size("duel", blocks(""), 2, 300)


def test_faults_are_told_with_the_way_to_them(capsys: pytest.CaptureFixture[str]) -> None:
    tell_faults("duel", blocks("+=-", faults=2), HOME)
    tell_faults("duel", blocks("+=-"), HOME)

    assert capsys.readouterr().err == (
        "mybot was at fault in 2 matches: arena logs mybot --faults -t duel\n"
    )


def test_elsewhere_than_on_a_terminal_it_is_a_plain_line_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with Live(0) as live:
        live.counted(blocks("+"))
        monkeypatch.setattr(comparison, "_PLAIN_EVERY_S", 0.0)
        live.counted(blocks("+"))

    said = capsys.readouterr().err
    assert said == "1 block, the first look is at 16, 0.0 s a block\n"
