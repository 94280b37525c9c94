"""That the benchmarks measure what they say; nothing here is timed. Takes four seconds."""

from pathlib import Path

import pytest

from arena.games import get_game
from arena.games.deal import Deal
from arena.players.scripted import Scripted
from arena.players.tier import Tier
from arena.referee.play import play
from bench import tournament
from bench.floor import (
    COMPILER,
    Case,
    bare,
    c_bots,
    check_bare,
    processes,
    recorded,
    sdk_bot,
    whole,
)
from bench.leaderboard import power
from bench.measuring import Times, in_turn, machine
from bench.null_game import NULL, TURNS
from bench.peer_games import installed
from bench.peers import first, in_process
from bench.rules import decide


def test_things_are_timed_in_turn_and_the_first_round_does_not_count() -> None:
    done: list[str] = []

    times = in_turn({name: lambda name=name: done.append(name) for name in "ab"}, rounds=3)  # type: ignore[misc]

    assert "".join(done) == "ab" * 4
    assert {name: len(taken.wall_s) for name, taken in times.items()} == {"a": 3, "b": 3}
    assert times["a"].all_s == times["a"].cpu_s


def test_a_share_is_the_median_of_the_rounds_own() -> None:
    part, all_of_it = Times(wall_s=[1.0, 10.0, 3.0]), Times(wall_s=[2.0, 40.0, 3.0])

    assert part.share(all_of_it) == 0.5
    assert part.wall == 3.0


def test_figures_are_shown_with_the_machine() -> None:
    assert "cores" in machine()


def test_the_null_game_ends_and_is_nobodys() -> None:
    players = [Scripted(first), Scripted(first)]

    played = play(NULL, Deal(bytes(32), "null", "standard", 2, 0), players, None)

    assert len(played.actions) == TURNS
    assert played.outcome.ranks == (1, 1)


@pytest.mark.slow
@pytest.mark.skipif(not COMPILER, reason="no C compiler")
def test_the_floor_exchanges_the_bytes_of_the_match(tmp_path: Path) -> None:
    case = Case(get_game("donburiko"), 2, matches=2)
    exchange, turns = recorded(case, sdk_bot(tmp_path / "sdk"))

    with processes(c_bots(tmp_path / "c", case, exchange)) as (pipes, _):
        check_bare(exchange, pipes)
        bare(exchange, pipes)

    answers = [answer for _, _, answer in exchange if answer]
    assert len(answers) == turns + 2 * case.players
    assert turns == whole(case, [Scripted(first), Scripted(first)], None) == in_process(case)


def test_random_matches_are_the_same_whatever_else_is_measured() -> None:
    game = get_game("couperation")

    assert decide(game, 2, 2, shown=True) == decide(game, 2, 2, shown=False) > 20


def test_what_is_not_installed_is_said_and_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    def missing() -> None:
        raise ImportError("no such thing", name="nothing")

    assert list(installed({"a game": missing})) == []  # type: ignore[dict-item]
    assert capsys.readouterr().out == "  a game: not installed (nothing)\n"


@pytest.mark.slow
def test_a_tournament_is_played_whole_and_each_time_on_other_deals() -> None:
    row = tournament.Row("trivial", tournament.TRIVIAL, jobs=1, matches=2)

    for number in range(2):
        tournament.play(row, Tier.NONE, number)

    assert [record.deal for record in row.records] == [0, 0, 0, 0]
    assert len({bytes(record.cards) for record in row.records}) == 2
    assert len(row.speeds) == len(row.shares) == 2


def test_growth_is_told_as_a_power() -> None:
    assert power(20.0, 2.0, 10, least=1.0) == "n^1.00"
    assert power(20.0, 0.5, 10, least=1.0).strip() == ""
