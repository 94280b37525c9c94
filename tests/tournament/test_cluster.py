"""A tournament on a cluster is the tournament that one machine plays."""

import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from arena.players.sandbox import isolation
from arena.players.strays import family
from arena.store.db import open_store
from arena.store.matches import void_attempts
from arena.store.tournaments import list_tournaments
from tests.dask_cluster import DaskCluster, dask_cluster, gone
from tests.whole_arena import (
    DICE,
    FAULTY,
    FIRST,
    Arena,
    bot,
    holds,
    killed_at_last,
    named,
    suite,
)

# One cluster for all, wherever tests are shared out.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("cluster"), pytest.mark.timeout(240)]

# Plays on only while the gate is open, and tells that it stands before it.
GATED = """
import os, time
def choose(number, legal):
    if not os.path.exists({gate!r}):
        note({asked!r}, "asked")
        while not os.path.exists({gate!r}):
            time.sleep(0.01)
    return number % len(legal)
play(choose)
"""

PATIENT = ("--tier", "none", "--move-ms", "60000")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    with dask_cluster(tmp_path_factory.mktemp("cluster"), 2, signal.SIGTERM) as running:
        yield running


@pytest.fixture
def own_cluster(tmp_path: Path) -> Iterator[DaskCluster]:
    """Yield a cluster without workers, for tests that spoil it."""
    folder = tmp_path / "cluster"
    folder.mkdir()
    with dask_cluster(folder, workers=0) as running:
        yield running


@dataclass(frozen=True)
class Gated:
    """A tournament whose matches stand still while the gate is shut."""

    folder: Path

    @property
    def gate(self) -> Path:
        return self.folder / "gate"

    @property
    def command(self) -> tuple[str, ...]:
        """What begins it."""
        wanted = suite(self.folder / "cards.toml", "donburiko table 2", deals=5)
        bots = [self.folder / "gated", self.folder / "dice"]
        return ("tournament", "--bots", named(bots), "--suite", str(wanted), *PATIENT)

    def standing(self) -> int:
        """Return how many matches have come to the gate."""
        asked = self.folder / "asked"
        return len(asked.read_text().split()) if asked.exists() else 0

    def open(self) -> None:
        self.gate.touch()

    def shut(self) -> None:
        self.gate.unlink()


@pytest.fixture
def gated(tmp_path: Path) -> Gated:
    made = Gated(tmp_path)
    body = GATED.format(gate=str(made.gate), asked=str(tmp_path / "asked"))
    bot(body, tmp_path / "gated")
    bot(DICE, tmp_path / "dice")
    return made


@pytest.fixture
def here(gated: Gated, tmp_path: Path) -> Arena:
    """Return the same tournament, played on this machine; the gate is shut again."""
    arena = Arena(tmp_path / "here")
    gated.open()
    arena.run(*gated.command)
    gated.shut()
    return arena


def voids(arena: Arena) -> int:
    """Return how many attempts at matches were void."""
    with open_store(arena.home, create=False) as store:
        (only,) = (one.tournament.id for one in list_tournaments(store))
        return sum(void_attempts(store, only).values())


def remarks_until(run: "subprocess.Popen[str]", text: str) -> str:
    """Return what is remarked up to the line that has ``text`` in it."""
    said = ""
    for line in run.stderr or ():
        said += line
        if text in line:
            return said
    raise AssertionError(said)


def bots_of(worker: "subprocess.Popen[bytes]") -> list[int]:
    """Return the processes that run below ``worker``, but for its deputy."""
    return family(worker.pid)[2:]


@pytest.mark.parametrize("tier", ["bwrap", "none"])
def test_records_and_leaderboards_are_those_of_one_machine(
    cluster: DaskCluster, tmp_path: Path, tier: str
) -> None:
    if tier == "bwrap" and (lacking := isolation().lacking):
        pytest.skip(lacking)
    bodies = {"dice": DICE, "first": FIRST, "faulty": FAULTY}
    bots = [bot(body, tmp_path / name) for name, body in bodies.items()]
    cards = suite(tmp_path / "cards.toml", "donburiko table 3", "couperation self 2")
    command = ("tournament", "--bots", named(bots), "--suite", str(cards), "--tier", tier)
    here, there = Arena(tmp_path / "here"), Arena(tmp_path / "there")

    table, _ = here.run(*command, "-j", "1")
    table_there, said = there.run(*command, "--on", cluster.address)

    assert "with 2 workers" in said
    assert there.played() == here.played()
    assert (table_there, there.ratings()) == (table, here.ratings())


def test_a_lost_worker_leaves_nothing_and_its_match_is_played_elsewhere(
    own_cluster: DaskCluster, gated: Gated, here: Arena, tmp_path: Path
) -> None:
    lost, _ = own_cluster.worker(), own_cluster.worker()
    there = Arena(tmp_path / "there")

    with killed_at_last(there.start(*gated.command, "--on", own_cluster.address)) as run:
        assert holds(lambda: gated.standing() == 2)
        below = family(lost.pid)
        assert len(below) > 2
        lost.kill()
        assert gone(below[1:])
        said = remarks_until(run, "void")
        gated.open()
        run.communicate(timeout=60)

    assert "is void and played again: its worker tcp://127.0.0.1:" in said
    assert run.returncode == 0
    assert there.played() == here.played()
    assert voids(there) == 1


def test_a_worker_that_joins_meanwhile_plays_too_unless_it_is_another_arena(
    own_cluster: DaskCluster, gated: Gated, here: Arena, tmp_path: Path
) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text("import arena\narena.__version__ = '0'\n")
    first = own_cluster.worker()
    there = Arena(tmp_path / "there")

    with killed_at_last(there.start(*gated.command, "--on", own_cluster.address)) as run:
        assert holds(lambda: gated.standing() == 1)
        other = own_cluster.worker(site=tmp_path / "site")
        said = remarks_until(run, "does not play")
        own_cluster.worker()
        assert holds(lambda: gated.standing() == 2)
        first.kill()
        remarks_until(run, "void")
        assert not bots_of(other)
        gated.open()
        run.communicate(timeout=60)

    assert "it has 0" in said
    assert there.played() == here.played()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_asked_to_stop_it_finishes_what_is_in_play_and_one_machine_goes_on(
    cluster: DaskCluster, gated: Gated, here: Arena, tmp_path: Path, number: signal.Signals
) -> None:
    there = Arena(tmp_path / "there")

    with killed_at_last(there.start(*gated.command, "--on", cluster.address)) as run:
        assert holds(lambda: gated.standing() == 2)
        run.send_signal(number)
        remarks_until(run, "stopping")
        gated.open()
        _, said = run.communicate(timeout=60)
    begun = len(there.played())
    (way_on,) = (line for line in said.splitlines() if "go on with" in line)
    there.run("tournament", "--resume", way_on.split("--resume ")[1].split()[0])

    assert run.returncode == 130
    assert 2 <= begun < len(here.played())
    assert there.played() == here.played()
    assert voids(there) == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_stopped_at_once_it_leaves_no_bots_on_the_workers_and_goes_on(
    cluster: DaskCluster, gated: Gated, here: Arena, tmp_path: Path, number: signal.Signals
) -> None:
    there = Arena(tmp_path / "there")
    workers = cluster.started[1:]

    with killed_at_last(there.start(*gated.command, "--on", cluster.address)) as run:
        assert holds(lambda: gated.standing() == 2)
        left = [pid for worker in workers for pid in bots_of(worker)]
        assert left
        run.send_signal(number)
        if number == signal.SIGINT:
            remarks_until(run, "stopping")
            run.send_signal(number)
        assert run.wait(5) in {130, -signal.SIGKILL}
        assert gone(left)
    with open_store(there.home) as store:
        (stopped,) = (one.tournament.id for one in list_tournaments(store))
    gated.open()
    there.run("tournament", "--resume", stopped, "--on", cluster.address)

    assert there.played() == here.played()


def test_without_its_scheduler_a_run_ends_in_a_line_and_what_was_played_is_kept(
    own_cluster: DaskCluster, gated: Gated, here: Arena, tmp_path: Path
) -> None:
    own_cluster.worker()
    there = Arena(tmp_path / "there")

    with killed_at_last(there.start(*gated.command, "--on", own_cluster.address)) as run:
        assert holds(lambda: gated.standing() == 1)
        own_cluster.started[0].kill()
        _, said = run.communicate(timeout=60)
    gated.open()
    way_on = said.split("go on with: arena ")[1].split()[:3]
    there.run(*way_on)

    assert run.returncode == 70
    assert said.splitlines()[-1] == f"arena: the scheduler at {own_cluster.address} is gone"
    assert there.played() == here.played()


def test_a_bot_that_was_changed_where_a_worker_keeps_it_is_sent_again(
    cluster: DaskCluster, gated: Gated, here: Arena, tmp_path: Path
) -> None:
    gated.open()
    first, second = Arena(tmp_path / "first"), Arena(tmp_path / "second")
    first.run(*gated.command, "--on", cluster.address)
    for script in cluster.cache.glob("*/bot.py"):
        script.chmod(0o644)
        script.write_text("raise SystemExit\n")

    second.run(*gated.command, "--on", cluster.address)

    assert second.played() == here.played()


REFUSED = [
    pytest.param(("--nthreads", "2"), "", "start it with --nthreads 1", id="threads"),
    pytest.param((), "import arena\narena.__version__ = '0'", "arena 0.1.0 is needed", id="arena"),
    pytest.param((), "import sys\nsys.modules['arena'] = None", "cannot run this arena", id="none"),
    pytest.param(
        (),
        "import dataclasses, arena.games as it\n"
        "it.BUILT_IN = tuple(dataclasses.replace(one, rules_version=99) for one in it.BUILT_IN)",
        "rules of donburiko",
        id="rules",
    ),
]


@pytest.mark.parametrize(("options", "site", "why"), REFUSED)
def test_a_worker_that_does_not_fit_is_refused_before_anything_is_kept(
    own_cluster: DaskCluster,
    gated: Gated,
    tmp_path: Path,
    options: tuple[str, ...],
    site: str,
    why: str,
) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(site)
    own_cluster.worker(*options, site=tmp_path / "site")
    arena = Arena(tmp_path / "there")

    _, said = arena.run(*gated.command, "--on", own_cluster.address, status=2)

    (line,) = said.splitlines()
    assert line.startswith("arena: worker tcp://127.0.0.1:")
    assert why in line
    assert not arena.home.exists()
