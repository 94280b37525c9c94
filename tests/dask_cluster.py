"""A Dask cluster on this machine: a scheduler and workers, each a process as users start it."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from arena.players.strays import family
from tests.whole_arena import ROOT, holds

_START_S = 60.0
_END_S = 20.0


@dataclass
class DaskCluster:
    """A scheduler, and what workers were started."""

    folder: Path
    started: "list[subprocess.Popen[bytes]]" = field(default_factory=list)
    address: str = ""

    @property
    def cache(self) -> Path:
        """Where its workers keep the bots that they are sent."""
        return self.folder / "cache" / "arena" / "snapshots"

    def start(self) -> None:
        """Start the scheduler."""
        said = self.folder / "scheduler.json"
        self._run("scheduler", "--port", "0", "--scheduler-file", str(said))
        assert holds(lambda: said.exists() and said.read_text(), _START_S), self._log(0)
        self.address = json.loads(said.read_text())["address"]

    def worker(self, *more: str, site: Path | None = None) -> "subprocess.Popen[bytes]":
        """Start a worker of one thread, or as ``more`` options say, and wait until it has joined.

        Args:
            more: options.
            site: a folder that comes first on its import path.
        """
        number = len(self.started)
        options = more or ("--nthreads", "1")
        where = ("--local-directory", str(self.folder / f"worker-{number}"))
        one = self._run("worker", self.address, "--no-nanny", *options, *where, site=site)
        assert holds(lambda: "Registered to" in self._log(number), _START_S), self._log(number)
        return one

    def _run(self, kind: str, *words: str, site: Path | None = None) -> "subprocess.Popen[bytes]":
        paths = [str(path) for path in (site, ROOT) if path]
        scratch = self.folder / "tmp"
        scratch.mkdir(exist_ok=True)
        with (self.folder / f"{len(self.started)}.log").open("wb") as log:
            one = subprocess.Popen(
                [
                    *(sys.executable, "-m", "dask", kind),
                    *("--host", "127.0.0.1", "--no-dashboard", *words),
                ],
                cwd=self.folder,
                env={
                    **os.environ,
                    "PYTHONPATH": os.pathsep.join(paths),
                    "XDG_CACHE_HOME": str(self.folder / "cache"),
                    "DASK_CONFIG": str(self.folder / "config"),
                    "TMPDIR": str(scratch),
                },
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.started.append(one)
        return one

    def _log(self, number: int) -> str:
        return (self.folder / f"{number}.log").read_text("utf-8")

    @property
    def workers(self) -> "list[subprocess.Popen[bytes]]":
        """The workers that were started and have not been waited for."""
        return [one for one in self.started[1:] if one.returncode is None]

    def end(self, number: signal.Signals) -> None:
        """End all that was started by the signal ``number``; see that nothing is left of it."""
        everything = {pid for one in self.started if one.poll() is None for pid in family(one.pid)}
        # One after the other: a worker that loses its scheduler while it leaves hangs on.
        for one in reversed(self.started):
            one.send_signal(number)
            try:
                one.wait(_END_S)
            except subprocess.TimeoutExpired:
                one.kill()
                one.wait()
        assert gone(everything)


def gone(processes: "set[int] | list[int]", within_s: float = 3.0) -> bool:
    """Return whether none of ``processes`` is left ``within_s`` seconds from now; kill the rest."""
    if holds(lambda: not any(map(_runs, processes)), within_s):
        return True
    for pid in filter(_runs, processes):
        os.kill(pid, signal.SIGKILL)
    return False


def _runs(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(") ")[2][0]
    except OSError:
        return False
    return state != "Z"


@contextmanager
def dask_cluster(
    folder: Path, workers: int, number: signal.Signals = signal.SIGKILL
) -> Iterator[DaskCluster]:
    """Yield a cluster of so many ``workers``; at the end nothing of it runs.

    By default it is killed: it takes some seconds to end by itself when it gets another ``number``.
    """
    folder.mkdir(exist_ok=True)
    cluster = DaskCluster(folder)
    try:
        cluster.start()
        for _ in range(workers):
            cluster.worker()
        yield cluster
    finally:
        cluster.end(number)
