import os
import tempfile
from pathlib import Path

import pytest

from arena.doctor.decoy import VARIABLE, Decoy
from arena.doctor.probe import Finding, Kept, Outcome, Probe, Seats, Verdict, judged
from arena.doctor.run import examine, glance
from arena.players.sandbox import isolation
from arena.players.tier import Tier

pytestmark = pytest.mark.slow

WORKS, FAILS = Outcome(got=True), Outcome(got=False, why="refused")
ALWAYS = "def attack(): return GOT"
NEVER = "def attack(): raise OSError(1, 'not today')"
NOISE = """
import random
def hold(): pass
def drop(): pass
def sense(): return random.random()
"""


@pytest.fixture(autouse=True)
def sandbox() -> None:
    if lacking := isolation().lacking:
        pytest.skip(lacking)


def probe(
    code: str, seats: Seats = Seats.ONE, name: str = "it", kept: Kept = Kept.SANDBOXED
) -> Probe:
    return Probe(name, ("A1",), "tries", code, seats, kept)


def verdicts(*probes: Probe, tier: Tier = Tier.BWRAP) -> list[Verdict]:
    return [finding.verdict for finding in examine(tier, probes)]


@pytest.mark.parametrize(
    ("held", "control", "verdict", "why"),
    [
        (FAILS, WORKS, Verdict.CLOSED, "refused"),
        (WORKS, WORKS, Verdict.OPEN, ""),
        (WORKS, FAILS, Verdict.OPEN, ""),
        (FAILS, Outcome(got=False, why="no root"), Verdict.NOT_SHOWN, "no root"),
        (FAILS, None, Verdict.HELD, "refused"),
        (WORKS, None, Verdict.OPEN, ""),
    ],
)
def test_what_a_run_and_its_control_show(
    held: Outcome, control: Outcome | None, verdict: Verdict, why: str
) -> None:
    it = probe(ALWAYS)

    assert judged(it, held, control, Tier.BWRAP, root=True) == Finding(it, verdict, why)


@pytest.mark.parametrize(
    ("kept", "promising"),
    [
        (Kept.EVERYWHERE, {"bwrap by root", "bwrap", "strict", "none"}),
        (Kept.SANDBOXED, {"bwrap by root", "bwrap", "strict"}),
        (Kept.BY_ROOT, {"bwrap by root", "strict"}),
        (Kept.STRICTLY, {"strict"}),
        (Kept.NOWHERE, set()),
    ],
)
def test_what_a_tier_promises(kept: Kept, promising: set[str]) -> None:
    found = {tier.value for tier in Tier if kept.promised(tier, root=False)}
    if kept.promised(Tier.BWRAP, root=True):
        found.add("bwrap by root")

    assert found == promising


def test_an_attack_that_works_is_open_unless_nobody_promises_otherwise() -> None:
    assert verdicts(probe(ALWAYS), probe(ALWAYS, name="other", kept=Kept.STRICTLY)) == [
        Verdict.OPEN,
        Verdict.LEFT_OPEN,
    ]


def test_an_attack_that_works_nowhere_is_never_called_closed() -> None:
    (finding,) = examine(Tier.BWRAP, [probe(NEVER)])

    assert (finding.verdict, finding.why) == (Verdict.NOT_SHOWN, "not today")


def test_an_attack_that_ends_its_seat_leaves_the_next_one_as_it_would_be() -> None:
    ending = "def attack(): os.kill(os.getppid(), 9); signal.pause()"

    assert verdicts(probe(ending), probe(ALWAYS, name="next"))[1] is Verdict.OPEN


def test_an_attack_that_hangs_is_over_in_the_end() -> None:
    code = "import time\ndef attack(): signal.alarm(1); time.sleep(60)"

    (finding,) = examine(Tier.BWRAP, [probe(code)])

    assert (finding.verdict, finding.why) == (Verdict.NOT_SHOWN, "was ended by SIGALRM")


@pytest.mark.parametrize("seats", [Seats.ONE, Seats.AWAY, Seats.TWO])
def test_code_that_does_not_even_load_shows_nothing(seats: Seats) -> None:
    (finding,) = examine(Tier.BWRAP, [probe("import nothing", seats)])

    assert finding.verdict is Verdict.NOT_SHOWN
    assert finding.why.startswith("ModuleNotFoundError")


def test_noise_is_not_taken_for_a_message() -> None:
    assert verdicts(probe(NOISE, Seats.TWO)) == [Verdict.NOT_SHOWN]


def test_a_message_is_found_in_one_of_many_figures() -> None:
    code = (
        "import random\n"
        "path = '/tmp/arena-doctor-' + decoy['mark']\n"
        "def hold(): open(path, 'w').close()\n"
        "def drop(): os.path.exists(path) and os.unlink(path)\n"
        "def sense():\n"
        "    return {'noise': random.random(), 'there': os.path.exists(path), 'same': 1}\n"
    )

    (finding,) = examine(Tier.NONE, [probe(code, Seats.TWO)])

    assert (finding.verdict, finding.why) == (Verdict.LEFT_OPEN, "")


def test_a_run_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    tmp_path.chmod(0o755)
    # The first bot of a process brings a guard, which stays.
    examine(Tier.BWRAP, [probe(ALWAYS)])
    before = os.sched_getaffinity(0), os.environ.get(VARIABLE), descriptors()

    examine(Tier.BWRAP, [probe(ALWAYS), probe(NOISE, Seats.TWO, name="noise")])

    assert (os.sched_getaffinity(0), os.environ.get(VARIABLE), descriptors()) == before
    assert list(tmp_path.iterdir()) == []


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_the_short_form_says_nothing_of_a_control() -> None:
    found = glance(Tier.BWRAP)

    assert {finding.verdict for finding in found} == {Verdict.HELD}
    assert len(found) > 80


def test_the_decoy_has_its_socket_however_deep_temporary_folders_are(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    deep = tmp_path / ("deep" * 20)
    deep.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(deep))

    with Decoy() as decoy:
        assert (decoy.home / "socket").is_socket()

    assert not decoy.root.exists()
