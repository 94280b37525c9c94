import msgspec
import pytest

from arena.audit.bots import _chunks, questions
from arena.referee.limits import Limits
from arena.referee.record import encode_record
from tests.command_line import NO_TIER, CommandLine
from tests.records import played_record
from tests.whole_arena import DICE, FAULTY, FIRST, bot, named, suite

pytestmark = pytest.mark.slow

TOLD = """
import os
def choose(number, legal):
    # What it is told on a way of its own decides.
    return number % len(legal) if os.path.exists({path!r}) else 0
play(choose)
"""
MOODY = """
import os
play(lambda number, legal: os.getpid() % len(legal))
"""


def play(arena: CommandLine, **bodies: str) -> None:
    """Play a small tournament of bots with these ``bodies``, by name."""
    bots = named(bot(body, arena.folder / name) for name, body in bodies.items())
    words = ["--bots", bots, "--players", "2", "--deals", "2", "--name", "spring", *NO_TIER]
    assert arena("tournament", "donburiko", *words).status == 0


def test_what_the_same_processes_played_is_played_again_together() -> None:
    """Also where a match was void for long, and was played after those behind it."""
    after = [(), (), (0,), (0, 2), (), (4,)]
    lines = [
        encode_record(
            msgspec.structs.replace(
                played_record("donburiko", "standard", 2, deal, {}), after=had or msgspec.UNSET
            )
        )
        for deal, had in enumerate(after)
    ]

    found = [[lines.index(line) for line in chunk] for chunk in _chunks(lines, 4)]

    assert found == [[1], [0, 2, 3], [4, 5]]


def test_bots_that_are_functions_of_what_they_are_sent_repeat_themselves(
    arena: CommandLine,
) -> None:
    play(arena, first=FIRST, dice=DICE, faulty=FAULTY)

    answer = arena("verify", "--replay-bots")

    assert answer.status == 0
    assert answer.line == "24 seats played again, 0 differ"


def test_a_bot_that_was_told_something_differs_without_it_and_is_named(arena: CommandLine) -> None:
    whisper = arena.folder / "whisper"
    whisper.touch()
    play(arena, told=TOLD.format(path=str(whisper)), first=FIRST)
    assert arena("verify", "--replay-bots").status == 0
    whisper.unlink()

    answer = arena("verify", "--replay-bots")

    assert answer.status == 1
    counts, line = answer.err.splitlines()
    assert counts.startswith("8 seats played again, ")
    assert " told: question " in line
    assert "alone it does something else: {" in line


def test_a_bot_that_does_not_repeat_itself_is_listed_and_not_accused(arena: CommandLine) -> None:
    play(arena, moody=MOODY, first=FIRST)

    answer = arena("verify", "--replay-bots")

    assert answer.status == 0
    assert (
        answer.err.splitlines()[0] == "moody does not repeat itself, so nothing can be told of it"
    )


CLOCKED = """
import os, time
def choose(number, legal):
    # As a search that had less time when it counted.
    if not os.path.exists({path!r}):
        return 0
    time.sleep(0.3)
    return number % len(legal)
play(choose)
"""


def test_a_bot_that_the_clock_may_have_cut_short_is_not_accused(arena: CommandLine) -> None:
    loaded = arena.folder / "loaded"
    loaded.touch()
    bots = [bot(CLOCKED.format(path=str(loaded)), arena.folder / "clocked")]
    bots.append(bot(FIRST, arena.folder / "first"))
    cards = suite(arena.folder / "cards.toml", "donburiko table 2")
    words = ("--bots", named(bots), "--suite", str(cards), *NO_TIER)
    assert arena("tournament", *words).status == 0
    loaded.unlink()

    answer = arena("verify", "--replay-bots")

    assert answer.status == 0
    assert answer.err.startswith("clocked does not repeat itself, so nothing can be told of it")


def test_one_match_can_be_played_again_alone(arena: CommandLine) -> None:
    play(arena, first=FIRST, dice=DICE)

    answer = arena("verify", "--replay-bots", "--match", "donburiko-2p/1/first")

    assert answer.line == "2 seats played again, 0 differ"


def test_the_questions_of_a_record_come_with_what_was_left_of_the_extra_time() -> None:
    record = played_record("donburiko", "standard", 2, 0, {1: 2})
    limits = Limits(move_ms=1, extra_ms=50)
    times = tuple(11.0 for _ in record.actions)
    slow = msgspec.structs.replace(record.measured, action_ms=times)
    asked = questions(msgspec.structs.replace(record, limits=limits, measured=slow))

    assert [one.extra_ms for one in asked[0]][:3] == [50, 40, 30]
    assert [one.answer for one in asked[1]][-1] == "fault exited"
    assert sum(map(len, asked)) == len(record.actions) + 1
