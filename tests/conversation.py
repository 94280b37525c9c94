"""A conversation with a bot process, held by a test: say lines, see what comes back.

`converse` says everything at once and waits for the end; `Conversation` takes turns.
"""

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

ROOT = Path(__file__).resolve().parents[1]
SDK = ROOT / "protocol" / "sdk" / "python"
PATIENCE_S = 20.0
"""When to give up on a bot; no test waits that long unless it fails."""

HELLO = (
    '{"type":"hello","protocol":1,"arena":"0.1.0","limits":{"start_ms":10000,"memory_mb":512,'
    '"processes":64,"file_mb":16,"tmp_mb":64,"open_files":256,"stderr_kb":8}}'
)
QUIT = '{"type":"quit"}'

Line = str | bytes | Mapping[str, Any]


class Heard(NamedTuple):
    """What a bot left behind."""

    lines: list[bytes]
    """Its standard output, without the LFs."""

    log: str
    """Its standard error."""

    status: int


def python(script: Path) -> list[str]:
    """Return the command for a Python bot, without the site packages that only cost time."""
    return [sys.executable, "-S", str(script)]


def start(game: str = "donburiko", seed: int = 1, players: int = 2) -> dict[str, Any]:
    """Return a ``start`` message."""
    return {
        "type": "start",
        "game": game,
        "variant": "standard",
        "players": players,
        "seat": 0,
        "seed": seed,
        "move_ms": 1000,
        "extra_ms": 0,
    }


def act(number: int, legal_actions: Sequence[Any], **more: object) -> dict[str, Any]:
    """Return an ``act`` message about nothing."""
    return {
        "type": "act",
        "id": number,
        "observation": {},
        "events": [],
        "legal_actions": legal_actions,
        "move_ms": 1000,
        "extra_ms": 0,
        **more,
    }


def encoded(line: Line) -> bytes:
    """Return the bytes of ``line`` with its LF, as the referee writes them."""
    if isinstance(line, bytes):
        return line
    if isinstance(line, Mapping):
        line = json.dumps(line, separators=(",", ":"))
    return line.encode() + b"\n"


def environment() -> dict[str, str]:
    """Return an environment in which a Python bot finds the SDK."""
    return {"PATH": os.environ["PATH"], "PYTHONPATH": str(SDK)}


def converse(command: Sequence[str], lines: Iterable[Line]) -> Heard:
    """Say ``lines`` to a bot, close its input, and return what it left; bytes go as they are."""
    done = subprocess.run(
        command,
        input=b"".join(map(encoded, lines)),
        capture_output=True,
        env=environment(),
        timeout=PATIENCE_S,
        check=False,
    )
    assert not done.stdout or done.stdout.endswith(b"\n")
    return Heard(done.stdout.splitlines(), done.stderr.decode(), done.returncode)


class Conversation:
    """A bot that is spoken to line by line; ended with the ``with`` block, whatever happens."""

    def __init__(self, command: Sequence[str]) -> None:
        self._bot = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment(), bufsize=0
        )
        self._pending = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bot.kill()
        self._bot.communicate()

    def say(self, line: Line) -> None:
        """Write one line, or raw bytes as they are."""
        assert self._bot.stdin is not None
        for at in range(0, len(text := encoded(line)), 4096):
            self._bot.stdin.write(text[at : at + 4096])

    def hear(self) -> bytes:
        """Return the bot's next line, without its LF."""
        assert self._bot.stdout is not None
        deadline = time.monotonic() + PATIENCE_S
        while b"\n" not in self._pending:
            left = max(deadline - time.monotonic(), 0)
            assert select.select([self._bot.stdout], [], [], left)[0], "the bot is silent"
            chunk = os.read(self._bot.stdout.fileno(), 65536)
            assert chunk, "the bot closed its output"
            self._pending += chunk
        line, _, self._pending = self._pending.partition(b"\n")
        return line

    def wait(self) -> int:
        """Return the bot's exit status."""
        return self._bot.wait(PATIENCE_S)
