"""A tournament on a cluster is the tournament that one machine plays."""

import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from arena import __version__
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


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    with dask_cluster(tmp_path_factory.mktemp("scheduler"), 0) as running:
        yield running


@pytest.fixture
def unmanned(scheduler: DaskCluster) -> Iterator[DaskCluster]:
    """Yield a cluster without workers; those that a test adds are killed at its end."""
    yield scheduler
    for one in scheduler.workers:
        one.kill()
        one.wait()


@dataclass(frozen=True)
class Gated:
    """A tournament whose matches stand still while the gate is shut."""

    folder: Path

    @property
    def gate(self) -> Path:
        return self.folder / "gate"

    @property
    def asked(self) -> Path:
        return self.folder / "asked"

    @property
    def command(self) -> tuple[str, ...]:
        """What begins it."""
        wanted = suite(self.folder / "cards.toml", "donburiko table 2", deals=4)
        bots = [self.folder / "gated", self.folder / "dice"]
        return ("tournament", "--bots", named(bots), "--suite", str(wanted), *PATIENT)

    def standing(self) -> int:
        """Return how many matches have come to the gate."""
        return len(self.asked.read_text().split()) if self.asked.exists() else 0

    def open(self) -> None:
        self.gate.touch()


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Gated:
    made = Gated(tmp_path_factory.mktemp("game"))
    bot(GATED.format(gate=str(made.gate), asked=str(made.asked)), made.folder / "gated")
    bot(DICE, made.folder / "dice")
    return made


@pytest.fixture(scope="module")
def here(game: Gated) -> Mapping[str, Any]:
    """Return what is on record of it when this machine plays it."""
    arena = Arena(game.folder / "here")
    game.open()
    arena.run(*game.command)
    return arena.played()


@pytest.fixture
def gated(game: Gated) -> Gated:
    game.gate.unlink(missing_ok=True)
    game.asked.unlink(missing_ok=True)
    return game


@pytest.fixture
def there(tmp_path: Path) -> Arena:
    return Arena(tmp_path / "there")


Site = Callable[[str], Path]


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """Return what writes Python that is run first of all, to a folder for the import path."""

    def written(patch: str) -> Path:
        folder = tmp_path / "site"
        folder.mkdir()
        (folder / "sitecustomize.py").write_text(patch)
        return folder

    return written


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


def test_records_and_leaderboards_are_those_of_one_machine(
    cluster: DaskCluster, tmp_path: Path
) -> None:
    bodies = {"dice": DICE, "first": FIRST, "faulty": FAULTY}
    bots = [bot(body, tmp_path / name) for name, body in bodies.items()]
    cards = suite(tmp_path / "cards.toml", "donburiko table 3", "couperation self 2")
    command = ("tournament", "--bots", named(bots), "--suite", str(cards))
    here, there = Arena(tmp_path / "here"), Arena(tmp_path / "there")

    table, _ = here.run(*command, "-j", "1")
    table_there, said = there.run(*command, "--on", cluster.address)

    assert "with 2 workers" in said
    assert there.played() == here.played()
    assert (table_there, there.ratings()) == (table, here.ratings())


def test_processes_that_are_kept_are_kept_on_a_cluster(
    cluster: DaskCluster, tmp_path: Path
) -> None:
    bots = [bot(DICE, tmp_path / "dice"), bot(FIRST, tmp_path / "first")]
    cards = suite(tmp_path / "cards.toml", "donburiko table 2", deals=5)
    command = ("tournament", "--bots", named(bots), "--suite", str(cards), "--keep-alive", "3")
    here, there = Arena(tmp_path / "here"), Arena(tmp_path / "there")

    here.run(*command)
    there.run(*command, "--on", cluster.address)

    assert there.played() == here.played()
    assert there.played()["donburiko-2p/2/dice+first"]["after"] == [0, 1]


def test_a_lost_worker_leaves_nothing_and_its_match_is_played_elsewhere(
    unmanned: DaskCluster, gated: Gated, here: Mapping[str, Any], there: Arena
) -> None:
    lost, _ = unmanned.worker(), unmanned.worker()
    with killed_at_last(there.start(*gated.command, "--on", unmanned.address)) as run:
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
    assert there.played() == here
    assert voids(there) == 1


def test_a_worker_that_joins_meanwhile_plays_too_unless_it_is_another_arena(
    unmanned: DaskCluster, gated: Gated, here: Mapping[str, Any], there: Arena, site: Site
) -> None:
    another = site("import arena\narena.__version__ = '0'\n")
    first = unmanned.worker()
    with killed_at_last(there.start(*gated.command, "--on", unmanned.address)) as run:
        assert holds(lambda: gated.standing() == 1)
        other = unmanned.worker(site=another)
        said = remarks_until(run, "does not play")
        unmanned.worker()
        assert holds(lambda: gated.standing() == 2)
        first.kill()
        remarks_until(run, "void")
        assert not bots_of(other)
        gated.open()
        run.communicate(timeout=60)

    assert "it has 0" in said
    assert there.played() == here


def test_asked_to_stop_it_finishes_what_is_in_play_and_one_machine_goes_on(
    cluster: DaskCluster, gated: Gated, here: Mapping[str, Any], there: Arena
) -> None:
    with killed_at_last(there.start(*gated.command, "--on", cluster.address)) as run:
        assert holds(lambda: gated.standing() == 2)
        run.send_signal(signal.SIGINT)
        remarks_until(run, "stopping")
        gated.open()
        _, said = run.communicate(timeout=60)
    begun = len(there.played())
    (way_on,) = (line for line in said.splitlines() if "go on with" in line)
    there.run("tournament", "--resume", way_on.split("--resume ")[1].split()[0])

    assert run.returncode == 130
    assert 2 <= begun < len(here)
    assert there.played() == here
    assert voids(there) == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_stopped_at_once_it_leaves_no_bots_on_the_workers_and_goes_on(
    cluster: DaskCluster,
    gated: Gated,
    here: Mapping[str, Any],
    there: Arena,
    number: signal.Signals,
) -> None:
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

    assert there.played() == here


def test_without_its_scheduler_a_run_ends_in_a_line_and_what_was_played_is_kept(
    tmp_path: Path, gated: Gated, here: Mapping[str, Any], there: Arena
) -> None:
    with (
        dask_cluster(tmp_path / "cluster", 1) as lost,
        killed_at_last(there.start(*gated.command, "--on", lost.address)) as run,
    ):
        assert holds(lambda: gated.standing() == 1)
        lost.started[0].kill()
        _, said = run.communicate(timeout=60)
    gated.open()
    way_on = said.split("go on with: arena ")[1].split()[:3]
    there.run(*way_on)

    assert run.returncode == 70
    assert said.splitlines()[-1] == f"arena: the scheduler at {lost.address} is gone"
    assert there.played() == here


def test_a_bot_that_was_changed_where_a_worker_keeps_it_is_sent_again(
    cluster: DaskCluster, tmp_path: Path
) -> None:
    bots = [bot(DICE, tmp_path / "dice"), bot(FIRST, tmp_path / "first")]
    cards = suite(tmp_path / "cards.toml", "donburiko table 2")
    command = ("tournament", "--bots", named(bots), "--suite", str(cards), *PATIENT)
    before, after = Arena(tmp_path / "before"), Arena(tmp_path / "after")
    before.run(*command, "--on", cluster.address)
    for script in cluster.cache.glob("*/bot.py"):
        script.chmod(0o644)
        script.write_text("raise SystemExit\n")

    after.run(*command, "--on", cluster.address)

    assert after.played() == before.played()
    assert voids(after) == 0


VERSION = "import arena\narena.__version__ = '0'\n"
REFUSED = [
    pytest.param(("--nthreads", "2"), "", "start it with --nthreads 1", id="threads"),
    pytest.param((), VERSION, f"arena {__version__} is needed, and it has 0", id="version"),
    pytest.param((), "import sys\nsys.modules['arena'] = None", "cannot run this arena", id="none"),
]


@pytest.mark.parametrize(("options", "patch", "why"), REFUSED)
def test_a_worker_that_does_not_fit_is_refused_before_anything_is_kept(
    unmanned: DaskCluster, there: Arena, site: Site, options: tuple[str, ...], patch: str, why: str
) -> None:
    unmanned.worker(*options, site=site(patch))

    bots = ("--bots", "greedy,first_legal", *PATIENT)
    _, said = there.run("tournament", "donburiko", *bots, "--on", unmanned.address, status=2)

    (line,) = said.splitlines()
    assert line.startswith("arena: worker tcp://127.0.0.1:")
    assert why in line
    assert not there.home.exists()


def test_where_no_scheduler_is_or_no_worker_or_no_dask_it_is_said_in_a_line(
    unmanned: DaskCluster, gated: Gated, there: Arena, tmp_path: Path
) -> None:
    (tmp_path / "distributed.py").write_text("raise ImportError\n")
    lonely = ("--on", unmanned.address)
    bare = Arena(there.home, site=tmp_path)
    plain = Arena(there.home, environment={"DASK_CONFIG": str(tmp_path / "none")})

    found = [
        there.run(*gated.command, "--on", "tcp://127.0.0.1:9", status=2)[1],
        there.run(*gated.command, *lonely, status=2)[1],
        bare.run(*gated.command, *lonely, status=2)[1],
        plain.run(*gated.command, "--on", "tls://127.0.0.1:9", status=2)[1],
    ]

    assert [one.count("\n") for one in found] == [1, 1, 1, 1]
    assert found[0].startswith("arena: no scheduler answers at tcp://127.0.0.1:9: ")
    assert found[1].startswith(f"arena: no worker has joined {unmanned.address}: ")
    assert "pip install '.[dask]'" in found[2]
    assert found[3].startswith("arena: tls:// takes a certificate")
    assert not there.home.exists()
