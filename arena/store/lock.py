"""Who is playing a tournament: a lock that the system gives back when its holder dies."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from arena.errors import UsageError
from arena.store.db import Store

_FOLDER = "running"
_PATIENCE_S = 0.5
_PAUSE_S = 0.02

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

    The lock ends with the process, however that ends; forked workers do not share it.

    Raises:
        UsageError: another process is playing it.
    """
    path = _path(store, tournament)
    try:
        path.parent.mkdir(exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise UsageError(f"cannot write in {store.home}: {error.strerror}") from None
    _held.add(descriptor)
    try:
        # Somebody who only looks holds it for an instant, so one refusal says little.
        until = time.monotonic() + _PATIENCE_S
        while not _locked(descriptor, fcntl.LOCK_EX):
            if time.monotonic() > until:
                raise UsageError(f"tournament {tournament} is being played by another arena")
            time.sleep(_PAUSE_S)
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


def _locked(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
