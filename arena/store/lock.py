"""Who is playing a tournament: a lock that the system gives back when its holder dies."""

import fcntl
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from arena.errors import UsageError
from arena.store.db import Store, utc_now
from arena.wire.escape import printable

_FOLDER = "running"
_PATIENCE_S = 0.5
_PAUSE_S = 0.02
_SHOWN = 160

_held: set[int] = set()


def _close_in_child() -> None:
    # A child that outlives its parent must not keep the parent's lock.
    for descriptor in _held:
        with suppress(OSError):
            os.close(descriptor)
    _held.clear()


os.register_at_fork(after_in_child=_close_in_child)


@contextmanager
def hold(store: Store, tournament: str) -> Iterator[None]:
    """Be the one process that plays ``tournament`` (an id) for the length of the context.

    The lock ends with the process, however that ends; forked workers do not share it. Who holds it
    is said in its file, for whoever is refused.

    Raises:
        UsageError: another process is playing it; which, where and since when is said.
    """
    path = _path(store, tournament)
    try:
        path.parent.mkdir(exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        home = printable(str(store.home), _SHOWN, cut="middle")
        raise UsageError(f"cannot write in {home}: {error.strerror}") from None
    _held.add(descriptor)
    try:
        # Somebody who only looks holds it for an instant, so one refusal says little.
        until = time.monotonic() + _PATIENCE_S
        while not _locked(descriptor, fcntl.LOCK_EX):
            if time.monotonic() > until:
                raise UsageError(
                    f"tournament {tournament} is being played by another arena{_holder(descriptor)}"
                )
            time.sleep(_PAUSE_S)
        _sign(descriptor)
        yield
    finally:
        _held.discard(descriptor)
        os.close(descriptor)


def is_held(store: Store, tournament: str) -> bool:
    """Return whether some process is playing ``tournament`` (an id)."""
    try:
        descriptor = os.open(_path(store, tournament), os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return not _locked(descriptor, fcntl.LOCK_SH)
    finally:
        os.close(descriptor)


def _path(store: Store, tournament: str) -> Path:
    return store.home / _FOLDER / tournament


def _sign(descriptor: int) -> None:
    """Say in the lock's file who holds it. That it cannot be said is no reason not to play."""
    said = f"process {os.getpid()} on {socket.gethostname()}, since {utc_now()}"
    with suppress(OSError):
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, said.encode("utf-8", "backslashreplace"), 0)


def _holder(descriptor: int) -> str:
    """Return what the lock's file says of its holder, as the end of a sentence."""
    with suppress(OSError):
        if said := os.pread(descriptor, _SHOWN, 0).decode("utf-8", "backslashreplace"):
            return f": {printable(said, _SHOWN)}"
    return ""


def _locked(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
