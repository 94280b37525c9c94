"""The command line as users run it, in processes of its own, with bots that start fast.

`bot(body, folder)` writes a bot whose ``body`` may call ``play(choose)``: it plays a match, and
``choose(number, count)`` says which of ``count`` legal actions to take. ``number`` is the id of the
question: others differ, and it is the same whenever the match is repeated. ``note(path, text)``
appends to a file, by which a test learns how far a bot is.
"""

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

def play(choose):
    for line in sys.stdin:
        if line.startswith('{"type":"hello"'):
            print('{"type":"ready","protocol":1}', flush=True)
        elif line.startswith('{"type":"act"'):
            number = int(line[19:line.index(",", 19)])
            start, end = line.index('"legal_actions":[{'), line.rindex('}],"move_ms"')
            legal = line[start + 18:end].split("},{")
            action = legal[choose(number, len(legal))]
            print('{"type":"action","id":%d,"action":{%s}}' % (number, action), flush=True)
        elif line.startswith('{"type":"quit"'):
            break

"""

FIRST = "play(lambda number, count: 0)"
LAST = "play(lambda number, count: count - 1)"
DICE = "play(lambda number, count: number % count)"
FAULTY = """
import os
asked = 0
def choose(number, count):
    global asked
    asked += 1
    if asked == 3:
        if number % 3 == 0:
            os.kill(os.getpid(), 9)
        if number % 3 == 1:
            sys.exit(3)
        print('{"type":"action","id":%d,"action":{}}' % number, flush=True)
    return number % count
play(choose)
"""
"""Is at its third question killed by the system, or exits, or takes an illegal action."""


def bot(body: str, folder: Path) -> Path:
    """Write the bot ``body`` to ``folder``, whose name is the bot's, and return the folder."""
    folder.mkdir(parents=True)
    (folder / "bot.toml").write_text('command = ["python", "-I", "-S", "bot.py"]\n')
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

    def start(self, *arguments: str) -> "subprocess.Popen[str]":
        """Start a command as the leader of a process group of its own."""
        paths = [str(path) for path in (self.site, ROOT) if path]
        return subprocess.Popen(
            [
                sys.executable,
                *("-c", "from arena.cli.app import main; main()"),
                *arguments,
                *("--home", str(self.home)),
            ],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), **self.environment},
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

    def played(self) -> dict[str, dict[str, Any]]:
        """Return what is on record of the one tournament there is, by match."""
        with open_store(self.home, create=False) as store:
            (only,) = (one.tournament.id for one in list_tournaments(store))
            found = [decode_record(line) for line in records(store, [only])]
        by_match = {record.match: unmeasured(record) for record in found}
        assert len(by_match) == len(found)
        return by_match

    def ratings(self) -> dict[str, bytes]:
        """Return the ratings that are kept of that tournament, to the last digit, by category."""
        with open_store(self.home, create=False) as store:
            (only,) = (one.tournament.id for one in list_tournaments(store))
            kept = {name: load_ratings(store, [only], name) for name in categories(store, [only])}
        return {name: ratings.payload for name, ratings in kept.items() if ratings}

    def running(self) -> list[int]:
        """Return the processes that run for this home: commands, workers and bots."""
        return [process for process, line in _processes() if str(self.home) in line]

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
