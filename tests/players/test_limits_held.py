"""Each limit alone, with a bot that stays a little below it and one that goes a little beyond."""

from pathlib import Path
from typing import NamedTuple

import pytest

from arena.games.deal import Deal
from arena.players.process import BotProcess
from arena.players.sandbox import isolation
from arena.players.scripted import Scripted
from arena.players.tier import Tier
from arena.referee.limits import BOUNDS, Limits
from arena.referee.play import play
from tests.tiny_bots import program
from tests.tuck_game import TUCK

pytestmark = pytest.mark.slow

AT_START = """
{deed}
ready()
for message in acts():
    answer(message)
"""
AT_FIRST_MOVE = """
ready()
for turn, message in enumerate(acts()):
    if turn == 0:
        {deed}
    answer(message)
"""
HOME = "open(os.environ['HOME'] + '/{name}', 'wb').write(bytes(int({{}} * 2**20)))"
FORKS = """
        children = []
        for _ in range({}):
            children.append(os.fork())
            if not children[-1]:
                time.sleep(60)
        for child in children:
            os.kill(child, 9)
            os.waitpid(child, 0)
"""


class Case(NamedTuple):
    """A limit, and what a bot does that uses so much of it."""

    name: str
    limits: Limits
    deed: str
    below: float
    beyond: float
    fault: str
    """Code, and what the text has in it."""

    says: str = ""
    """What then stands in the bot's log."""

    when: str = AT_FIRST_MOVE
    everywhere: bool = True
    """Held without isolation too."""


CASES = (
    Case("move_ms", Limits(move_ms=500), "time.sleep({})", 0.2, 0.7, "timeout: "),
    Case("extra_ms", Limits(move_ms=100, extra_ms=500), "time.sleep({})", 0.3, 0.75, "timeout: "),
    Case(
        "start_ms",
        Limits(start_ms=800),
        "time.sleep({})",
        0.1,
        1.0,
        "start_failed: was not ready in its time to start: wrote nothing in time",
        when=AT_START,
    ),
    Case(
        "memory_mb",
        Limits(memory_mb=64),
        "bytearray({} << 20)",
        40,
        66,
        "out_of_memory: ran out of memory (64 MiB)",
        "MemoryError",
    ),
    Case(
        "processes",
        Limits(processes=16),
        FORKS,
        10,
        17,
        "exited: exited with status 1 at its limit of 16 processes",
        "Resource temporarily unavailable",
        everywhere=False,
    ),
    Case(
        "file_mb",
        Limits(file_mb=2),
        HOME.format(name="a"),
        1.9,
        2.1,
        "exited: exited with status 1 at its limit of a file of 2 MiB",
        "File too large",
    ),
    Case(
        "tmp_mb",
        Limits(tmp_mb=2),
        HOME.format(name="a") + "; " + HOME.format(name="b").replace("{}", "0.5"),
        1.3,
        1.7,
        "exited: exited with status 1 at its limit of 2 MiB of files",
        "No space left on device",
        everywhere=False,
    ),
    Case(
        "open_files",
        Limits(open_files=32),
        "held = [os.open('/dev/null', 0) for _ in range({})]",
        25,
        33,
        "exited: exited with status 1 at its limit of 32 open files",
        "Too many open files",
    ),
)


@pytest.fixture(params=[Tier.BWRAP, Tier.NONE])
def tier(request: pytest.FixtureRequest) -> Tier:
    found: Tier = request.param
    if found is Tier.BWRAP and (lacking := isolation().lacking):
        pytest.skip(lacking)
    return found


def outcome(body: str, limits: Limits | None, tier: Tier, folder: Path) -> tuple[str, str]:
    """Play a match with the bot ``body``; return its fault, if any, and its log."""
    bot = BotProcess(program(body, folder), limits, tier)
    other = Scripted(lambda message: dict(message["legal_actions"][0]))
    try:
        played = play(TUCK, Deal(bytes(32), "tuck", "standard", 2, 0), [bot, other], limits)
    finally:
        bot.stop(0)
    faults = [f"{fault.code}: {fault.text}" for fault in played.faults]
    return "; ".join(faults), bot.stderr.decode()


def used(case: Case, amount: float) -> str:
    return case.when.format(deed=case.deed.format(amount))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_bot_that_stays_below_a_limit_plays_on(case: Case, tier: Tier, tmp_path: Path) -> None:
    assert outcome(used(case, case.below), case.limits, tier, tmp_path) == ("", "")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_bot_that_goes_beyond_a_limit_is_at_fault(case: Case, tier: Tier, tmp_path: Path) -> None:
    fault, log = outcome(used(case, case.beyond), case.limits, tier, tmp_path)

    if case.everywhere or tier is not Tier.NONE:
        assert fault.startswith(case.fault)
        assert case.says in log
    else:
        # What protocol/SPEC.md says is not held without isolation.
        assert (fault, log) == ("", "")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_without_limits_a_bot_goes_beyond_all_of_them(case: Case, tmp_path: Path) -> None:
    assert outcome(used(case, case.beyond), None, Tier.NONE, tmp_path) == ("", "")


def test_of_standard_error_a_quarter_is_kept_from_the_beginning_and_the_rest_from_the_end(
    tier: Tier, tmp_path: Path
) -> None:
    said = "os.write(2, b'a' * 256 + b'b' * {} + b'c' * 768)"
    body = AT_FIRST_MOVE.replace("{deed}", said)
    limits = Limits(stderr_kb=1)

    below = outcome(body.format(0), limits, tier, tmp_path)
    beyond = outcome(body.format(5), limits, tier, tmp_path)

    assert below == ("", "a" * 256 + "c" * 768)
    assert beyond == ("", f"{'a' * 256}\n[... 5 bytes dropped ...]\n{'c' * 768}")


def test_a_bot_that_is_ended_by_a_signal_for_its_limit_is_told_which(
    tier: Tier, tmp_path: Path
) -> None:
    deed = f"signal.signal(signal.SIGXFSZ, signal.SIG_DFL); {HOME.format(name='a').format(3)}"

    fault, _ = outcome(AT_FIRST_MOVE.format(deed=deed), Limits(file_mb=2), tier, tmp_path)

    assert fault == "exited: was ended by SIGXFSZ at its limit of a file of 2 MiB"


def test_every_limit_has_a_case() -> None:
    tested = {case.name for case in CASES} | {"stderr_kb", "slot_ms"}

    assert tested == set(BOUNDS)
