"""Moves a second of arena and of its peers, with agents that take no time to choose.

    python bench/peers.py [--rounds 7] [--moves 2000]

In process: arena's referee with scripted players, who read and write the lines of the protocol as
any bot does; matches of kaggle-environments, which runs tournaments too; and OpenSpiel and
PettingZoo, which are rules alone and have no referee. With processes: arena's referee and the
smallest bot that the SDK can make, on one core.

All take turns within one run. What is not installed is said, and left out.
"""

import argparse
import tempfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from arena.games import get_game
from arena.players.scripted import Scripted
from arena.players.tier import Tier
from arena.referee.player import Player
from bench.floor import Case, case_of, sdk_bot, seated, whole
from bench.measuring import ROUNDS, Times, in_turn, machine, one_core
from bench.null_game import NULL
from bench.peer_games import BOARDS, CARDS, RUNNERS, installed

KAGGLE = 50
"""So many times the moves of kaggle-environments are promised, in process."""


def first(message: dict[str, Any]) -> dict[str, Any]:
    """Choose the first legal action."""
    legal: list[dict[str, Any]] = message["legal_actions"]
    return legal[0]


def in_process(case: Case) -> int:
    """Play the matches of ``case`` between functions; return the moves."""
    players: list[Player] = [Scripted(first) for _ in range(case.players)]
    return whole(case, players, None)


def report(moves: Mapping[str, int], times: Mapping[str, Times]) -> None:
    """Print moves a second, and how many times those of each runner arena's are."""
    for name, taken in times.items():
        print(f"  {name:36}{moves[name] / taken.wall:10,.0f} moves/s")
    own = [name for name in times if name.startswith("arena") and name.endswith("in process")]
    for runner in (name for name in times if name in RUNNERS):
        ratios = {
            name.split()[1]: moves[name] / moves[runner] / times[name].share(times[runner])
            for name in own
        }
        shown = " ".join(f"{name} {ratio:.0f}" for name, ratio in ratios.items())
        print(f"  in process, so many times {runner} (target {KAGGLE}): {shown}")


def main() -> None:
    """Play all in turn, and compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--moves", type=int, default=2000, help="in each round, about")
    options = parser.parse_args()
    print(machine())
    things: dict[str, Callable[[], object]] = {}
    moves: dict[str, int] = {}
    with one_core(), ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        sdk = sdk_bot(folder / "first_legal")
        for game in (NULL, get_game("donburiko"), get_game("couperation")):
            case = case_of(game, 2, options.moves, sdk)
            bots = stack.enter_context(seated([sdk] * case.players, None, Tier.NONE))
            for how, thing in (
                ("in process", partial(in_process, case)),
                ("with processes", partial(whole, case, bots, None)),
            ):
                name = f"arena {game.name}, {how}"
                things[name], moves[name] = thing, thing()
        for name, play in installed({**RUNNERS, **CARDS, **BOARDS}):
            some = options.moves if name not in RUNNERS else options.moves // 10
            things[name], moves[name] = partial(play, some), play(some)
        times = in_turn(things, options.rounds)
    report(moves, times)


if __name__ == "__main__":
    main()
