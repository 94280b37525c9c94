"""Snapshots of bots: the files a bot is made of, and how it is started.

A snapshot is taken once, when a bot is submitted or named for a tournament. Every process of that
bot is then started from an unpacked copy of it, whatever becomes of the files it was taken from.
"""

import hashlib
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from arena.errors import HostFault, RecordError, UsageError
from arena.players.files import File, discard, read_folder, shown
from arena.players.manifest import MANIFEST, read_manifest
from arena.wire.escape import printable

_READ_ONLY = 0o222
"""Bits that an unpacked file or folder does not have."""

_FOLDER = 0o555


@dataclass(frozen=True)
class Bundle:
    """A snapshot of a bot."""

    files: tuple[File, ...] = field(repr=False)
    """Sorted by path; `MANIFEST` with the command is always among them."""

    command: tuple[str, ...]
    """``python`` or ``node`` and its arguments, or a path in ``files`` and its arguments."""

    name: str
    """What the bot is called unless somebody calls it otherwise; no part of the digest."""

    author: str | None = None
    languages: tuple[str, ...] = ()
    """Author and languages as its ``bot.toml`` says them; no part of the digest either."""

    @cached_property
    def digest(self) -> str:
        """The bot's identity, see `digest_of`."""
        return digest_of(self.files)


def digest_of(files: Iterable[File]) -> str:
    """Return the digest of a snapshot that is made of ``files``.

    It is ``sha256:`` and the hex SHA-256 of a JSON text in UTF-8: the array, without white space,
    of one ``[path, mode, content]`` for each file, sorted by path in the order of code points.
    *path* is relative with ``/`` between names, in NFC, and non-ASCII characters stand for
    themselves; *mode* is ``"644"``, or ``"755"`` for an executable file; *content* is the hex
    SHA-256 of the file's bytes. How the bot is started is covered too: the snapshot holds it in
    its ``bot.toml``.
    """
    rows = [
        [file.path, f"{file.mode:o}", hashlib.sha256(file.content).hexdigest()]
        for file in sorted(files)
    ]
    text = json.dumps(rows, ensure_ascii=False, separators=(",", ":"))
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def bundle_of(files: Iterable[File], name: str) -> Bundle:
    """Return the bundle that is made of ``files``, as they are kept or handed on.

    Raises:
        RecordError: they are no snapshot: a path leads out of it, or its ``bot.toml`` says no
            command.
    """
    ordered = tuple(sorted(files))
    for file in ordered:
        if any(part in {"", ".", ".."} for part in file.path.split("/")) or "\0" in file.path:
            raise RecordError(f"a snapshot holds the path '{printable(file.path, 80)}'")
    try:
        command = next(
            read_manifest(file, "snapshot").command for file in ordered if file.path == MANIFEST
        )
    except (StopIteration, UsageError):
        command = None
    if command is None:
        raise RecordError(f"a snapshot has no {MANIFEST} with a command")
    return Bundle(files=ordered, command=command, name=name)


def unpack(bundle: Bundle, folder: Path) -> None:
    """Write the files of ``bundle`` into the new ``folder``, for reading only.

    Whoever sees ``folder`` sees it whole: it gets its name last. A folder that is there and intact
    is left alone; one that was changed is replaced.

    Raises:
        HostFault: the disk is full, or the place cannot be written.
    """
    if _is_intact(folder, bundle.digest):
        return
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        new = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
        try:
            _write(bundle, new)
            _put(new, folder, bundle.digest)
        finally:
            discard(new)
    except OSError as error:
        raise HostFault(f"cannot unpack a bot into {shown(folder)}: {error.strerror}") from None


def _write(bundle: Bundle, folder: Path) -> None:
    for file in bundle.files:
        path = folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.content)
        path.chmod(file.mode & ~_READ_ONLY)
    for inner, _, _ in os.walk(folder):
        Path(inner).chmod(_FOLDER)


def _put(new: Path, folder: Path, digest: str) -> None:
    """Give ``new`` the name ``folder``, unless somebody else was faster."""
    try:
        new.rename(folder)
    except OSError:
        if _is_intact(folder, digest):
            return
        old = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
        try:
            folder.rename(old)
            new.rename(folder)
        finally:
            discard(old)


def check_unpacked(folder: Path, digest: str) -> None:
    """Raise `HostFault` unless ``folder`` still holds exactly the snapshot called ``digest``."""
    if not _is_intact(folder, digest):
        raise HostFault(f"the unpacked bot in {shown(folder)} was changed or removed")


def _is_intact(folder: Path, digest: str) -> bool:
    try:
        return digest_of(read_folder(folder, complete=True)) == digest
    except UsageError:
        return False


def argv(command: Sequence[str], folder: Path) -> list[str]:
    """Return the argument list that starts the bot unpacked in ``folder``.

    The bot's files become absolute paths. Python runs without the user's own packages and without
    writing compiled files, but not isolated: the folder of the script must stay the first place
    to import from.

    Raises:
        UsageError: the runtime is not installed.
    """
    program, *words = command
    words = [_absolute(word, folder) for word in words]
    if program == "python":
        return [sys.executable, "-s", "-B", *words]
    if program == "node":
        node = shutil.which("node")
        if node is None:
            raise UsageError("node is not installed: a JavaScript bot needs Node.js (nodejs.org)")
        return [node, *words]
    return [str(folder / program), *words]


def _absolute(word: str, folder: Path) -> str:
    try:
        return str(folder / word) if (folder / word).is_file() else word
    except OSError:  # an argument too long to be a path
        return word


def missing_runtime(bundle: Bundle) -> str | None:
    """Return what this machine lacks to run the bot, in a few words; ``None`` if nothing."""
    program = bundle.command[0]
    if program == "node":
        return None if shutil.which("node") else "node is not installed"
    first = next((file.content for file in bundle.files if file.path == program), b"")
    if not first.startswith(b"#!"):
        return None
    words = first[2:].split(b"\n", 1)[0].decode(errors="replace").split()
    if words and Path(words[0]).name == "env":
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    if words and not shutil.which(words[0]):
        return f"{printable(words[0], 60)} is not installed"
    return None
