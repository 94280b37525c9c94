"""A bot that keeps notes of what it saw, and is dealt the same cards again in the other seat.

It looks for notes once, as it starts: any note that it finds changes how it plays, and a note of
the very deal most of all. The same bot with an empty store finds none, so where nothing is kept
from match to match the two play alike.
"""

import os
import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from arena.games import get_game
from arena.games.deal import Deal
from arena.players.process import BotProcess, Program, stop_all
from arena.players.sandbox import isolation
from arena.players.tier import Tier
from arena.referee.limits import Limits
from arena.referee.play import Played, play
from tests.tiny_bots import HONEST, program

pytestmark = pytest.mark.slow

GAME = "donburiko"
LIMITS = Limits(move_ms=20_000)
FOLDERS = ("/tmp", "/var/tmp", "/dev/shm", "/bot")  # noqa: S108

NOTING = """
folders = [".", os.environ["HOME"], os.environ["TMPDIR"], *{folders!r}]
places = [os.path.join(folder, {name!r}) for folder in folders]

def recalled():
    found = []
    for place in places:
        try:
            with open(place) as file:
                found += file.read().splitlines()
        except OSError:
            pass
    return found

def keep(note):
    kept = 0
    for place in places:
        try:
            with open(place, "a") as file:
                kept += file.write(note + "\\n") > 0
        except OSError:
            pass
    return kept

notes = [] if "empty" in sys.argv else recalled()
ready()
met = kept = questions = 0
for message in acts():
    seen = message["observation"]
    if not questions:
        # What both seats see of a deal: the first card of each column.
        deal = json.dumps([column["cards"][0] for column in seen["columns"]])
        met = sum(note.startswith(deal) for note in notes)
    kept = max(kept, keep(deal + json.dumps(seen["hand"])))
    legal = len(message["legal_actions"])
    answer(message, legal - 1 if met else (questions + len(notes)) % legal)
    questions += 1
print(f"found {{len(notes)}}, met {{met}}, kept in {{kept}}", file=sys.stderr)
"""


@dataclass(frozen=True)
class Told:
    """What the bot says in its log."""

    found: int
    """How many notes it found as it started."""

    met: int
    """How many of them were of the deal that it was dealt."""

    kept: int
    """In how many places it could write."""


@pytest.fixture
def noting(tmp_path: Path) -> Iterator[Program]:
    """Write the bot, and remove what it keeps outside of `tmp_path`."""
    name = f"notes-{os.getpid()}-{tmp_path.name}"
    yield program(NOTING.format(folders=FOLDERS, name=name), tmp_path, "noting")
    for folder in FOLDERS:
        Path(folder, name).unlink(missing_ok=True)


@pytest.fixture
def rival(tmp_path: Path) -> Program:
    return program(HONEST, tmp_path, "rival")


def emptied(bot: Program) -> Program:
    """Return ``bot`` with an empty store: it finds none of its notes."""
    return replace(bot, argv=(*bot.argv, "empty"))


def match(bots: tuple[Program, ...], number: int, tier: Tier) -> tuple[Played, list[str]]:
    """Play a deal, a fresh process a seat; return the match and the logs."""
    deal = Deal(bytes(range(32)), GAME, "standard", len(bots), number)
    held: list[BotProcess] = []
    with ExitStack() as stack:
        stack.callback(stop_all, held, 0)
        held.extend(BotProcess(bot, LIMITS, tier) for bot in bots)
        played = play(get_game(GAME), deal, held, LIMITS)
        stop_all(held, grace_ms=5_000)
    assert played.faults == ()
    return played, [bot.stderr.decode() for bot in held]


def duplicate(
    bot: Program, rival: Program, number: int, tier: Tier
) -> Iterator[tuple[Played, Told]]:
    """Play a deal in both seatings, one after the other, and say what ``bot`` had of it."""
    for seat, bots in enumerate([(bot, rival), (rival, bot)]):
        played, logs = match(bots, number, tier)
        said = re.fullmatch(r"found (\d+), met (\d+), kept in (\d+)\n", logs[seat])
        assert said, logs[seat]
        yield played, Told(*map(int, said.groups()))


def check_nothing_is_gained(bot: Program, rival: Program, deals: int) -> None:
    if lacking := isolation().lacking:
        pytest.skip(lacking)
    tried = 0
    for number in range(deals):
        with_notes = list(duplicate(bot, rival, number, Tier.BWRAP))
        without = list(duplicate(emptied(bot), rival, number, Tier.BWRAP))

        assert [played.actions for played, _ in with_notes] == [
            played.actions for played, _ in without
        ]
        assert [played.outcome for played, _ in with_notes] == [
            played.outcome for played, _ in without
        ]
        assert {(told.found, told.met) for _, told in with_notes} == {(0, 0)}
        tried += sum(told.kept > 0 for _, told in with_notes)
    # It did find places to write in: they were gone with its process.
    assert tried == 2 * deals


def test_a_bot_that_keeps_notes_plays_as_if_it_had_none(noting: Program, rival: Program) -> None:
    check_nothing_is_gained(noting, rival, deals=4)


@pytest.mark.long
@pytest.mark.timeout(3_600)
def test_a_bot_that_keeps_notes_gains_nothing_over_two_hundred_deals(
    noting: Program, rival: Program
) -> None:
    check_nothing_is_gained(noting, rival, deals=200)


def test_without_a_sandbox_it_meets_a_deal_that_it_knows(noting: Program, rival: Program) -> None:
    (_, first), (played, second) = duplicate(noting, rival, 0, Tier.NONE)
    _, (empty, _) = duplicate(emptied(noting), rival, 0, Tier.NONE)

    assert first.found == 0
    assert first.kept >= 2
    assert second.met == second.found > 0
    assert played.actions != empty.actions
