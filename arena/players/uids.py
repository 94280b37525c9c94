"""Users for sandboxes that root makes: each running seat is another one, on the whole machine.

A user of its own is what keeps a bot from signalling, tracing and counting the processes of
another, and from files that belong to root.
"""

import fcntl
import os
import secrets
import stat
import tempfile
from pathlib import Path

from arena.errors import HostFault

FIRST = 60_000
COUNT = 4_000

_PLACE = Path("/run")
"""Empty after a start of the machine, when no seat runs; and not the user's to choose."""


class Uid:
    """A user id that no other running seat has, for as long as this object is not closed.

    It is claimed by a lock on a file, which the system gives back however its holder ends.

    Raises:
        HostFault: all are taken, or the locks cannot be trusted.
    """

    def __init__(self) -> None:
        folder = _folder()
        # Beginning at different places, processes seldom try for the same one, nor do containers
        # that share a kernel and no folder.
        start = secrets.randbelow(COUNT)
        for step in range(COUNT):
            number = FIRST + (start + step) % COUNT
            descriptor = os.open(folder / str(number), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                os.close(descriptor)
                continue
            self.number = number
            self._descriptor = descriptor
            return
        raise HostFault(f"all {COUNT} users for sandboxes are taken")

    def becoming(self) -> list[str]:
        """Return the beginning of a command that the rest of it runs as this user."""
        return [
            "/usr/bin/setpriv", "--reuid", str(self.number), "--regid", str(self.number),
            "--clear-groups", "--inh-caps=-all", "--ambient-caps=-all", "--bounding-set=-all", "--",
        ]  # fmt: skip

    def close(self) -> None:
        """Give the user id back."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def _folder() -> Path:
    """Return the folder of the locks, which must be root's alone, and the same for all runs."""
    place = _PLACE if os.access(_PLACE, os.W_OK) else Path(tempfile.gettempdir())
    folder = place / "arena-uids"
    folder.mkdir(mode=0o700, exist_ok=True)
    facts = folder.lstat()
    private = stat.S_ISDIR(facts.st_mode) and not facts.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    if not private or facts.st_uid != os.geteuid():
        raise HostFault(f"{folder} belongs to somebody else: remove it")
    return folder
