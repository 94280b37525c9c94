"""Reading a bot that comes packed: ``.zip``, ``.tar.gz`` or ``.tgz``.

Nothing is ever unpacked into the file system: members are read one by one into memory, under the
caps and by the rules that hold for folders (`arena.players.files`), so a bot has one digest however
it comes. The bytes that come out are what is counted, never what an archive says of itself.
"""

import io
import re
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

from arena.errors import UsageError
from arena.players import tarball
from arena.players.files import (
    EXECUTABLE,
    MAX_FILES,
    PLAIN,
    Collected,
    File,
    check_path,
    check_unique,
    left_out,
    nfc,
    read_file,
    shown,
    too_many,
)
from arena.wire.escape import printable

SUFFIXES = (".zip", ".tar.gz", ".tgz")

_MAX_MEMBERS = 10 * MAX_FILES
"""Folders, and what tools leave behind, are members too."""

_CHUNK = 1024 * 1024
_ECHO = 80
_DRIVE = re.compile(r"[A-Za-z]:")

# APPNOTE.TXT, sections 4.3.12, 4.4.4 and 4.4.5
_ZIP_ENTRY = b"PK\x01\x02"
_ZIP_ENCRYPTED = 0x0001 | 0x0040 | 0x2000
_ZIP_UTF_8 = 0x0800
_ZIP_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Those that can be inflated a little at a time."""

_ZIP_ERRORS = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError),
    *(NotImplementedError, RuntimeError, ValueError, OverflowError, IndexError),
)
"""What the standard library makes of an archive that is none."""

_TAR_FILES = (tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.CONTTYPE)
_TAR_KINDS = {
    tarfile.LNKTYPE: "a hard link",
    tarfile.SYMTYPE: "a link",
    tarfile.CHRTYPE: "a device",
    tarfile.BLKTYPE: "a device",
    tarfile.FIFOTYPE: "a named pipe",
    tarfile.GNUTYPE_SPARSE: "a sparse file",
}
_ZIP_KINDS = {
    stat.S_IFLNK: "a link",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
}


def is_archive(path: Path) -> bool:
    """Return whether the file at ``path`` is called like an archive."""
    return path.name.lower().endswith(SUFFIXES)


def unsuffixed(name: str) -> str:
    """Return the ``name`` of an archive without its suffix."""
    suffix = next(suffix for suffix in SUFFIXES if name.lower().endswith(suffix))
    return name[: -len(suffix)]


def read_archive(path: Path) -> list[File]:
    """Return the files in the archive at ``path``, sorted by their paths.

    What tools leave behind is left out as in a folder. A single folder that all the rest lies in
    is taken off. An archive inside is a file like any other.

    Raises:
        UsageError: it cannot be read, is damaged, goes beyond a cap, or has something in it that
            no bot is made of: a name that leads out of it or that two members have, a link, a
            device, an encrypted member. One line that names the member.
    """
    packed = read_file(path).content
    members = _Members(shown(path))
    if path.name.lower().endswith(".zip"):
        _read_zip(packed, members)
    else:
        _read_tar(packed, members)
    return members.files()


class _Members:
    """What was taken of an archive so far, and the rules for its members."""

    def __init__(self, where: str) -> None:
        self.where = where
        self._found = Collected(where)
        self._paths: set[str] = set()
        self._seen = 0

    @property
    def room(self) -> int:
        return self._found.room

    def wanted(self, name: str) -> str | None:
        """Return the path of the member ``name``; ``None`` if it is no part of a bot."""
        self._seen += 1
        if self._seen > _MAX_MEMBERS:
            raise too_many(self.where)
        if name.startswith("/") or _DRIVE.match(name):
            raise self._misnamed(name, "begins at the root of a file system")
        if "\\" in name:
            raise self._misnamed(name, "has a backslash")
        names = [nfc(part) for part in name.split("/") if part not in {"", "."}]
        if ".." in names:
            raise self._misnamed(name, "leads out of it")
        if not names or any(map(left_out, names)):
            return None
        # One more than there may be: the top folder may be taken off.
        check_path(names[1:] or names, self.place(name))
        return "/".join(names)

    def refuse(self, name: str, kind: str) -> UsageError:
        """Return the refusal of the member ``name``, which is no regular file but a ``kind``."""
        return UsageError(f"{self.place(name)} is {kind}: a bot is made of regular files only")

    def add(self, path: str, name: str, content: bytes, *, executable: bool) -> None:
        """Take a file."""
        if path in self._paths:
            raise UsageError(f"{self.where} holds {shown(path)} twice")
        self._paths.add(path)
        mode = EXECUTABLE if executable else PLAIN
        self._found.add(File(path, mode, content), self.place(name))

    def place(self, name: str) -> str:
        """Return what messages call the member ``name``."""
        return shown(f"{self.where}/{name}")

    def damaged(self, why: object) -> UsageError:
        """Return the refusal of the whole archive."""
        return UsageError(f"{self.where} is damaged or no archive: {printable(str(why), _ECHO)}")

    def files(self) -> list[File]:
        """Return all files, without the folder that all of them lie in."""
        paths = {file.path for file in self._found.files}
        check_unique(paths, self.where)
        for path in paths:
            above = path.split("/")[:-1]
            for depth in range(1, len(above) + 1):
                if (folder := "/".join(above[:depth])) in paths:
                    raise UsageError(f"{self.where}: {shown(folder)} is both a file and a folder")
        tops = {path.partition("/")[0] for path in paths}
        strip = len(tops) == 1 and not tops & paths
        files = [
            file._replace(path=file.path.partition("/")[2] if strip else file.path)
            for file in self._found.files
        ]
        for file in files:
            check_path(file.path.split("/"), self.place(file.path))
        return sorted(files)

    def _misnamed(self, name: str, why: str) -> UsageError:
        return UsageError(f"{self.where}: the name '{printable(name, _ECHO)}' {why}")


def _read_zip(packed: bytes, members: _Members) -> None:
    # All entries are read when it is opened; there cannot be more of them than of this.
    if packed.count(_ZIP_ENTRY) > _MAX_MEMBERS:
        raise too_many(members.where)
    try:
        with zipfile.ZipFile(io.BytesIO(packed)) as archive:
            for member in archive.infolist():
                _take_zipped(archive, member, members)
    except _ZIP_ERRORS as error:
        raise members.damaged(error) from None


def _take_zipped(archive: zipfile.ZipFile, member: zipfile.ZipInfo, members: _Members) -> None:
    name = _zip_name(member, members)
    mode = member.external_attr >> 16
    kind = stat.S_IFMT(mode)
    path = members.wanted(name)
    if path is None or name.endswith("/") or kind == stat.S_IFDIR:
        return
    if kind not in {0, stat.S_IFREG}:
        raise members.refuse(name, _ZIP_KINDS.get(kind, "no file"))
    if member.flag_bits & _ZIP_ENCRYPTED:
        raise UsageError(f"{members.place(name)} is encrypted")
    if member.compress_type not in _ZIP_METHODS:
        raise UsageError(f"{members.place(name)} is packed in an unusual way: use plain deflate")
    content = io.BytesIO()
    with archive.open(member) as stream:
        while content.tell() <= members.room and (chunk := stream.read(_CHUNK)):
            content.write(chunk)
    members.add(path, name, content.getvalue(), executable=bool(mode & 0o111))


def _zip_name(member: zipfile.ZipInfo, members: _Members) -> str:
    name = member.orig_filename
    if member.flag_bits & _ZIP_UTF_8 or name.isascii():
        return name
    # Not said to be UTF-8, it was read in the alphabet of the first PCs. Some tools do not say it.
    try:
        return name.encode("cp437").decode()
    except UnicodeError:
        raise UsageError(f"{members.place(name)} has a name that is not UTF-8: rename it") from None


def _read_tar(packed: bytes, members: _Members) -> None:
    try:
        for member, read in tarball.members(packed):
            _take_tarred(member, read, members)
    except tarball.Damaged as error:
        raise members.damaged(error) from None


def _take_tarred(member: tarfile.TarInfo, read: Callable[[int], bytes], members: _Members) -> None:
    path = members.wanted(member.name)
    if path is None or member.type == tarfile.DIRTYPE:
        return
    if member.type not in _TAR_FILES:
        raise members.refuse(member.name, _TAR_KINDS.get(member.type, "no file"))
    content = read(members.room + 1)
    members.add(path, member.name, content, executable=bool(member.mode & 0o111))
