"""Reading the files of a bot that nobody vouches for, as copies of our own.

No link is followed, nothing but regular files is read, and there is a cap on their number, size
and depth: what is submitted may have been made to harm. Knows nothing of bots.
"""

import contextlib
import errno
import os
import shutil
import stat
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from arena.errors import UsageError
from arena.players.names import fold
from arena.wire.escape import printable

MAX_FILES = 2_000
MAX_BYTES = 64 * 1024 * 1024
"""Of all files together."""

MAX_DEPTH = 16
"""Names in a path: 15 folders and the file."""

MAX_NAME_BYTES = 255
MAX_PATH_BYTES = 1_024
"""In UTF-8; file systems hold no longer names, and a path has to fit behind that of a folder."""

PLAIN = 0o644
EXECUTABLE = 0o755

_LONGEST_SHOWN = 160
# O_NONBLOCK: opening a named pipe that was put in place of a file must not wait for a writer.
_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class File(NamedTuple):
    """One file of a snapshot."""

    path: str
    """Relative, with ``/`` between its names; NFC."""

    mode: int
    """`PLAIN` or `EXECUTABLE`."""

    content: bytes

    def __repr__(self) -> str:
        return f"File({self.path!r}, {self.mode:o}, {len(self.content)} bytes)"


def typed(text: str | Path) -> Path:
    """Return the path that a user means by ``text``, in which ``~`` may stand for their folder.

    A shell leaves that to the program in ``--home=~/arena``, behind a comma, and in files that set
    variables. Taken as it is, it would make a folder ``~``, which nobody dares to remove.
    """
    return Path(os.path.expanduser(text))  # noqa: PTH111 - `Path.expanduser` fails at no such user


def shown(path: str | os.PathLike[str]) -> str:
    """Return ``path`` as messages show it."""
    return printable(os.fspath(path), _LONGEST_SHOWN, cut="middle")


def is_folder(path: Path) -> bool:
    """Return whether ``path`` is a folder rather than a regular file.

    Raises:
        UsageError: it is neither, it is a link, or nothing is there.
    """
    with _explained(path):
        return _is_folder(os.lstat(path), path)


def read_file(path: Path) -> File:
    """Return the single file at ``path``, under its own name.

    Raises:
        UsageError: it is missing, unreadable, too large or no regular file.
    """
    reader = _Reader(path, complete=False)
    with _explained(path):
        _is_folder(os.lstat(path), path)
        check_path((path.name,), shown(path))
        reader.file(os.fspath(path), None, path.name, path)
    return reader.files[0]


def read_folder(path: Path, *, complete: bool = False) -> list[File]:
    """Return the files below ``path``, sorted by their paths.

    Args:
        path: a folder, and not a link to one.
        complete: read every file, as in a folder of our own making. Otherwise names that begin
            with a dot, ``__pycache__``, ``*.pyc`` and ``*~`` are left out: they come from tools,
            and are no part of a bot.

    Raises:
        UsageError: something in it is no regular file or folder, cannot be read, or goes beyond a
            cap; a name is not UTF-8, holds a control character, or differs from another one only
            in case. The message names the file.
    """
    reader = _Reader(path, complete=complete)
    with _explained(path):
        folder = os.open(path, _FLAGS | os.O_DIRECTORY)
        try:
            reader.folder(folder, ())
        finally:
            os.close(folder)
    return sorted(reader.files)


def check_unique(paths: Iterable[str], where: str) -> None:
    """Raise `UsageError` if two of ``paths``, or folders on them, are equal but for case."""
    spellings: dict[str, str] = {}
    for path in paths:
        names = path.split("/")
        for depth in range(1, len(names) + 1):
            part = "/".join(names[:depth])
            other = spellings.setdefault(fold(part), part)
            if other != part:
                raise UsageError(
                    f"{where}: {shown(other)} and {shown(part)} differ only in case; rename one"
                )


def discard(folder: Path) -> None:
    """Remove ``folder``, if it is there, with all that came to lie in it, whatever its modes are.

    Nothing may be writing in it any more.
    """
    with contextlib.suppress(OSError):
        folder.chmod(0o700)
    for inner, names, _ in os.walk(folder):
        for path in (Path(inner, name) for name in names):
            with contextlib.suppress(OSError):
                if not path.is_symlink():
                    path.chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)


class Collected:
    """The files of one bot as they are read, and the caps over all of them."""

    def __init__(self, where: str, slack: int = 1) -> None:
        """Begin with nothing.

        Args:
            where: what messages call the whole.
            slack: by how much the caps are higher.
        """
        self.files: list[File] = []
        self.where = where
        self.room = slack * MAX_BYTES
        """How many more bytes there may be."""
        self._most_files = slack * MAX_FILES

    def check_count(self) -> None:
        """Raise `UsageError` unless there may be one more file."""
        if len(self.files) == self._most_files:
            raise too_many(self.where)

    def add(self, file: File, place: str, size: int = 0) -> None:
        """Take ``file``, which messages call ``place``, and which is to count as ``size`` bytes."""
        self.check_count()
        self.room -= max(size, len(file.content))
        if self.room < 0:
            raise UsageError(f"{place} brings the bot over {MAX_BYTES // 1024**2} MiB: too large")
        self.files.append(file)


def too_many(where: str) -> UsageError:
    """Return the refusal of more files than a bot may have."""
    return UsageError(f"{where} holds more than {MAX_FILES:,} files: too many")


class _Reader:
    """Collects files below one root of the file system."""

    def __init__(self, root: Path, *, complete: bool) -> None:
        # What was added to a snapshot must not push the unpacked copy over a cap.
        self._slack = 2 if complete else 1
        self._found = Collected(shown(root), self._slack)
        self._folders = 0
        self._root = root
        self._complete = complete

    @property
    def files(self) -> list[File]:
        return self._found.files

    def folder(self, folder: int, names: tuple[str, ...]) -> None:
        """Read all that lies in the open ``folder``, found under ``names`` from the root."""
        self._folders += 1
        if self._folders > self._slack * MAX_FILES:
            raise UsageError(f"{shown(self._root)} holds more than {MAX_FILES:,} folders: too many")
        with os.scandir(folder) as entries:
            found = sorted(entry.name for entry in entries)
        if not self._complete:
            found = [name for name in found if not left_out(name)]
            check_unique(map(nfc, found), shown(self._root))
        for name in found:
            path = self._root.joinpath(*names, name)
            with _explained(path):
                check_path((*names, name), shown(path), self._slack)
                if not _is_folder(os.stat(name, dir_fd=folder, follow_symlinks=False), path):
                    self.file(name, folder, "/".join([*names, name]), path)
                    continue
                inner = os.open(name, _FLAGS | os.O_DIRECTORY, dir_fd=folder)
                try:
                    self.folder(inner, (*names, name))
                finally:
                    os.close(inner)

    def file(self, name: str, folder: int | None, path: str, place: Path) -> None:
        """Read the file ``name`` of the open ``folder``; ``place`` stands for it in messages."""
        self._found.check_count()
        room = self._found.room
        descriptor = os.open(name, _FLAGS, dir_fd=folder)
        try:
            # Asked of the open file: what lies under a name can be swapped at any time.
            facts = os.fstat(descriptor)
            if _is_folder(facts, place):
                raise UsageError(f"{shown(place)} is a folder where a file is expected")
            with os.fdopen(descriptor, "rb", closefd=False) as opened:
                content = b"" if facts.st_size > room else opened.read(room + 1)
        finally:
            os.close(descriptor)
        mode = EXECUTABLE if facts.st_mode & 0o111 else PLAIN
        file = File(path if self._complete else nfc(path), mode, content)
        self._found.add(file, shown(place), facts.st_size)


def check_path(names: Sequence[str], place: str, slack: int = 1) -> None:
    """Raise `UsageError` if a file or folder cannot be called by ``names``, one in the other.

    Args:
        names: from the bot's folder down; neither empty nor ``.`` or ``..``.
        place: what messages call it.
        slack: by how much the caps on a path are higher.
    """
    try:
        sizes = [len(name.encode()) for name in names]
    except UnicodeEncodeError:
        raise UsageError(f"{place} has a name that is not UTF-8: rename it") from None
    if any(unicodedata.category(char) == "Cc" for name in names for char in name):
        raise UsageError(f"{place} has a control character in its name: rename it")
    if max(sizes) > MAX_NAME_BYTES or sum(sizes) + len(sizes) - 1 > slack * MAX_PATH_BYTES:
        raise UsageError(f"{place} has too long a name: rename it")
    if len(names) > slack * MAX_DEPTH:
        raise UsageError(f"{place} lies over {MAX_DEPTH} names deep: too deep")


def nfc(name: str) -> str:
    """Return ``name`` in the one spelling that a snapshot has."""
    return unicodedata.normalize("NFC", name)


def left_out(name: str) -> bool:
    """Return whether a file or folder called ``name`` is a tool's own, and no part of a bot."""
    return name == "__pycache__" or name.startswith(".") or name.endswith((".pyc", "~"))


_KINDS = {
    stat.S_IFLNK: "a link",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def _is_folder(facts: os.stat_result, path: Path) -> bool:
    kind = stat.S_IFMT(facts.st_mode)
    if kind not in {stat.S_IFREG, stat.S_IFDIR}:
        raise UsageError(
            f"{shown(path)} is {_KINDS.get(kind, 'no file')}: a bot is made of regular files only"
        )
    return kind == stat.S_IFDIR


@contextlib.contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn errors of the operating system into one line about ``path``."""
    try:
        yield
    except FileNotFoundError:
        raise UsageError(f"there is no file or folder {shown(path)}") from None
    except ValueError:  # a NUL in a path
        raise UsageError(f"{shown(path)} cannot be a path") from None
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise UsageError(f"{shown(path)} is a link: name what it points to") from None
        raise UsageError(f"cannot read {shown(path)}: {error.strerror}") from None
