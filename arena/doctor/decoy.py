"""The decoy of one run: a process that stands for the referee, and a home that no bot may see.

Every run has its own, with its own secret, so that what one attack got is never taken for what
another did.
"""

import contextlib
import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from arena.doctor import decoy_process
from arena.errors import HostFault

VARIABLE = "ARENA_DOCTOR"
"""The variable of the environment that holds the secret."""

_END_S = 5.0
_WRITABLE = ("/tmp", "/dev/shm", "/var/tmp")  # noqa: S108 - where attacks write


_LONGEST = 70
"""How many bytes the path of a folder may have that a socket is to lie in two folders below: the
kernel knows no sockets by paths of more than 107."""


def _place() -> str:
    """Return where temporary folders are made, unless that is too deep for a socket in them."""
    usual = tempfile.gettempdir()
    return usual if len(os.fsencode(usual)) <= _LONGEST else _WRITABLE[0]


class Decoy:
    """What bots are to get hold of, for the length of a context."""

    def __init__(self) -> None:
        self.secret = secrets.token_hex(16)
        self.mark = secrets.token_hex(16)
        """What a process has in its command line that is to outlive its bot."""

        self._process: subprocess.Popen[bytes] | None = None
        self._descriptor: int | None = None

    def __enter__(self) -> Self:
        self.root = Path(tempfile.mkdtemp(prefix="arena-doctor-", dir=_place()))
        self.home = self.root / "home"
        self.user = self.root / "user"
        """A home folder for bots that are not in a sandbox."""
        self._before = os.environ.get(VARIABLE)
        try:
            self._furnish()
            self._start()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()

    def noticed(self) -> set[str]:
        """Return the names of the attacks by which the process was reached since it was started."""
        return set(self._ask("noticed"))

    def _furnish(self) -> None:
        self.user.mkdir()
        other = self.home / "bots" / "other"
        other.mkdir(parents=True)
        for file in (self.home / "arena.db", self.home / "key", other / "bot.py"):
            file.write_text(self.secret, encoding="ascii")
        os.environ[VARIABLE] = self.secret

    def _start(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", decoy_process.__file__, str(self.home), self.secret],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # Not of the terminal's foreground: a Ctrl-C there is for this process alone.
            process_group=0,
        )
        self.facts: dict[str, Any] = self._ask("") | {"mark": self.mark, "variable": VARIABLE}
        # Open, as it could be by mistake, for whatever this process starts from now on.
        self._descriptor = os.open(self.home / "key", os.O_RDONLY)
        os.set_inheritable(self._descriptor, True)  # noqa: FBT003 - the one way to call it

    def _end(self) -> None:
        """End the process, as far as it was started, and leave nothing behind."""
        try:
            if self._descriptor is not None:
                os.close(self._descriptor)
            if self._process is not None:
                with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                    self._process.communicate(timeout=_END_S)
        finally:
            if self._process is not None:
                self._process.kill()
                self._process.wait()
            self._clear()

    def _ask(self, question: str) -> Any:  # noqa: ANN401 - JSON
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            raise HostFault("the decoy has no pipes")
        to, answers = process.stdin, process.stdout
        with contextlib.suppress(BrokenPipeError):
            to.write(question.encode())
            to.flush()
        line = answers.readline()
        if not line:
            raise HostFault("the decoy has ended")
        return json.loads(line)

    def _clear(self) -> None:
        if self._before is None:
            os.environ.pop(VARIABLE, None)
        else:
            os.environ[VARIABLE] = self._before
        # An attack that was cut short, without a sandbox, may have left something.
        for folder in _WRITABLE:
            for path in Path(folder).glob(f"arena-doctor-{self.mark[:8]}*"):
                with contextlib.suppress(OSError):
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
        shutil.rmtree(self.root, ignore_errors=True)
