"""The command line as users run it, in processes of its own, with bots that start fast.

`bot(body, folder)` writes a bot whose ``body`` may call ``play(choose)``: it plays a match, and
``choose(number, legal)`` returns the index of one of the ``legal`` actions, which are given as they
are spelt, without braces. ``number`` is the id of the question: others differ, and it is the same
whenever the match is repeated. ``note(path, text)`` appends to a file, by which a test learns how
far a bot is.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent
from typing import Any

from arena.referee.record import decode_record, unmeasured
from arena.store.cache import load_ratings
from arena.store.db import open_store
from arena.store.matches import categories, records
from arena.store.tournaments import list_tournaments

ROOT = Path(__file__).parents[1]

PRELUDE = """\
import sys

def note(path, text):
    with open(path, "a") as file:
        file.write(text + "\\n")

def play(choose, more=""):
    for line in sys.stdin:
        if line.startswith('{"type":"hello"'):
            print('{"type":"ready","protocol":1%s}' % more, flush=True)
        elif line.startswith('{"type":"act"'):
            number = int(line[19:line.index(",", 19)])
            start, end = line.index('"legal_actions":[{'), line.rindex('}],"move_ms"')
            legal = line[start + 18:end].split("},{")
            action = legal[choose(number, legal)]
            print('{"type":"action","id":%d,"action":{%s}}' % (number, action), flush=True)
        elif line.startswith('{"type":"quit"'):
            break

"""

FIRST = "play(lambda number, legal: 0)"
LAST = "play(lambda number, legal: len(legal) - 1)"
DICE = "play(lambda number, legal: number % len(legal))"
FAULTY = """
import os
asked = 0
def choose(number, legal):
    global asked
    asked += 1
    if asked == 3:
        if number % 3 == 0:
            os.kill(os.getpid(), 9)
        if number % 3 == 1:
            sys.exit(3)
        print('{"type":"action","id":%d,"action":{}}' % number, flush=True)
    return number % len(legal)
play(choose)
"""
"""Is at its third question killed by the system, or exits, or takes an illegal action."""


def bot(body: str, folder: Path, *words: str) -> Path:
    """Write the bot ``body`` to ``folder``, whose name is the bot's, and return the folder.

    It is started with ``words``, which mean nothing to it.
    """
    folder.mkdir(parents=True)
    command = ["python", "-I", "-S", "bot.py", *words]
    (folder / "bot.toml").write_text(f"command = {json.dumps(command)}\n")
    (folder / "bot.py").write_text(PRELUDE + dedent(body))
    return folder


def named(bots: Iterable[Path]) -> str:
    """Return what ``--bots`` takes for ``bots``."""
    return ",".join(map(str, bots))


@dataclass(frozen=True)
class Arena:
    """The command line over one home."""

    home: Path
    site: Path | None = None
    """A folder that comes first on the import path."""

    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def scratch(self) -> Path:
        """Where its commands keep what is temporary."""
        return self.home.with_name(f"{self.home.name}-tmp")

    def start(self, *arguments: str) -> "subprocess.Popen[str]":
        """Start a command as the leader of a process group of its own."""
        paths = [str(path) for path in (self.site, ROOT) if path]
        self.scratch.mkdir(exist_ok=True)
        return subprocess.Popen(
            [
                sys.executable,
                # The comment tells its processes from others.
                *("-c", f"from arena.cli.app import main; main()  # {self.home}"),
                *arguments,
            ],
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(paths),
                "ARENA_HOME": str(self.home),
                "TMPDIR": str(self.scratch),
                **self.environment,
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def run(self, *arguments: str, status: int = 0) -> tuple[str, str]:
        """Run a command, which is to exit with ``status``; return what it wrote, and remarked."""
        running = self.start(*arguments)
        out, remarks = running.communicate(timeout=60)
        assert running.returncode == status, (running.returncode, out, remarks)
        return out, remarks

    def played(self, tournament: str | None = None) -> dict[str, dict[str, Any]]:
        """Return what is on record of ``tournament``, or of the only one there is, by match."""
        with open_store(self.home, create=False) as store:
            ids = [one.tournament.id for one in list_tournaments(store)]
            assert tournament or len(ids) == 1
            found = [decode_record(line) for line in records(store, [tournament or ids[0]])]
        by_match = {record.match: unmeasured(record) for record in found}
        assert len(by_match) == len(found)
        return by_match

    def ratings(self) -> dict[str, bytes]:
        """Return the ratings that are kept of that tournament, to the last digit, by category."""
        with open_store(self.home, create=False) as store:
            (only,) = (one.tournament.id for one in list_tournaments(store))
            kept = {name: load_ratings(store, [only], name) for name in categories(store, [only])}
        return {name: ratings.payload for name, ratings in kept.items() if ratings}

    def running(self, what: str = "") -> list[int]:
        """Return the processes that run for this home: commands, workers and bots.

        With ``what``, only those that have it in their command line.
        """
        return [
            process for process, line in _processes() if str(self.home) in line and what in line
        ]

    def all_gone(self, within_s: float = 3.0) -> bool:
        """Return whether no such process is left ``within_s`` seconds from now."""
        return holds(lambda: not self.running(), within_s)


def _processes() -> Iterator[tuple[int, str]]:
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            line = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        # A zombie has none: what is left of it is for its parent to know.
        yield int(folder.name), line.replace(b"\0", b" ").decode(errors="replace")


def children(process: int | None = None) -> list[int]:
    """Return the children of ``process``, or of this one, zombies included, but for its guard."""
    tasks = Path("/proc", str(process or "self"), "task").glob("*/children")
    found = [int(child) for task in tasks for child in task.read_text().split()]
    return [child for child in found if not _is_guard(child)]


def _is_guard(pid: int) -> bool:
    try:
        return b"players/guard.py" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except FileNotFoundError:
        return False


def holds(condition: Callable[[], object], within_s: float = 20.0) -> bool:
    """Return whether ``condition`` comes true ``within_s`` seconds from now."""
    until = time.monotonic() + within_s
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.005)
    return True


@contextmanager
def killed_at_last(running: "subprocess.Popen[str]") -> Iterator["subprocess.Popen[str]"]:
    """Yield ``running``, and kill it if it still runs at the end, so that a failed test ends."""
    try:
        yield running
    finally:
        if running.poll() is None:
            running.kill()
        running.communicate()


SUITE = """\
name = "short"
key = "{key}"
"""


def suite(path: Path, *wanted: str, deals: int = 1) -> Path:
    """Write a suite with the categories ``wanted``, each as in ``donburiko table 2``."""
    entries = [
        f'[[category]]\ngame = "{game}"\nmode = "{mode}"\nplayers = {players}\ndeals = {deals}\n'
        for game, mode, players in map(str.split, wanted)
    ]
    path.write_text(SUITE.format(key="5a" * 32) + "".join(entries))
    return path
