"""How fast the rules are: random matches in process, without bots, referee or records.

    python bench/rules.py [--rounds 7] [--matches 20]

``rules`` lists the legal actions, takes one of them and applies it. ``shown`` does besides what a
referee does for a bot: it observes the table for the seat to act, and makes the events for all.
Both are compared with a bare loop of Python, timed in the same run, which says how fast the machine
is; and with card games of OpenSpiel and PettingZoo, where these are installed.
"""

import argparse
import random
from collections.abc import Callable
from functools import partial

from arena.games import BUILT_IN
from arena.games.base import AnyGame, Seat
from arena.games.deal import Deal, DealtChance
from bench.measuring import ROUNDS, in_turn, machine
from bench.peer_games import BOARDS, CARDS, installed

KEY = bytes(32)
STEPS = 1_000_000
PEER_MOVES = 2000
TARGETS = {"donburiko": 60_000, "couperation": 15_000}
"""Decisions a second, by the rules alone."""


def loop() -> None:
    """Take a million steps."""
    total = 0
    for step in range(STEPS):
        total += step


def decide(game: AnyGame, players: int, matches: int, *, shown: bool) -> int:
    """Play whole matches at random; return the decisions."""
    dice = random.Random(1).random  # noqa: S311 - the same matches each time
    decisions = 0
    seats = [Seat(seat) for seat in range(players)]
    for number in range(matches):
        variant = game.variants[number % len(game.variants)]
        chance = DealtChance(Deal(KEY, game.name, variant, players, number))
        state = game.deal(chance, players, variant)
        while (seat := game.to_act(state)) is not None:
            legal = game.legal_actions(state)
            if shown:
                game.observe(state, seat)
            state = game.apply(state, legal[int(dice() * len(legal))], chance)
            if shown:
                for viewer in seats:
                    game.events(state, viewer)
            decisions += 1
    return decisions


def main() -> None:
    """Print decisions a second for each game."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--matches", type=int, default=20, help="in each round")
    options = parser.parse_args()
    print(machine())
    things: dict[str, Callable[[], object]] = {"loop": loop}
    moves = {"loop": STEPS}
    for game in BUILT_IN:
        for players in game.player_counts:
            for kind in ("rules", "shown"):
                name = f"{game.name} {players}p {kind}"
                things[name] = partial(
                    decide, game, players, options.matches, shown=kind == "shown"
                )
                moves[name] = decide(game, players, options.matches, shown=False)
    for name, play in installed({**CARDS, **BOARDS}):
        things[name] = partial(play, PEER_MOVES)
        moves[name] = play(PEER_MOVES)
    times = in_turn(things, options.rounds)
    steps_s = STEPS / times["loop"].cpu
    print(f"bare loop: {steps_s:,.0f} steps/s")
    for name, taken in times.items():
        if name == "loop":
            continue
        steps = taken.cpu_share(times["loop"]) * STEPS / moves[name]
        target = TARGETS.get(name.split()[0]) if name.endswith("rules") else None
        wanted = f"   target {target:,}" if target else ""
        print(
            f"  {name:26}{moves[name] / taken.cpu:10,.0f} decisions/s, "
            f"each as long as {steps:7,.0f} steps of the loop{wanted}"
        )


if __name__ == "__main__":
    main()
