"""The members of a ``.tar.gz``, one by one, from bytes that may have been made to harm.

`tarfile` would read a header of any size into memory, search it at length and follow what it says;
only its decoder of a single header's block is used. Knows nothing of files and bots.
"""

import gzip
import io
import tarfile
import zlib
from collections.abc import Callable, Iterator

MAX_STREAM = 256 * 1024 * 1024
"""Of inflated bytes; to reach the next member, all has to be inflated that comes before it."""

_MAX_HEADER = 64 * 1024
"""Of headers that hold a long name or further fields."""

_CHUNK = 1024 * 1024
_BODILESS = {
    *(tarfile.LNKTYPE, tarfile.SYMTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE),
    *(tarfile.FIFOTYPE, tarfile.DIRTYPE),
}
"""Whatever the size in their headers says."""


class Damaged(Exception):
    """The bytes are no archive, or not all of one; the text says why."""


def members(packed: bytes) -> Iterator[tuple[tarfile.TarInfo, Callable[[int], bytes]]]:
    """Yield the header of each member, and what returns at most so many bytes of its content.

    The content can be had until the next member is asked for. Names that are not UTF-8 have lone
    surrogates in them. A sparse file has the type `tarfile.GNUTYPE_SPARSE` however it is spelt.

    Raises:
        Damaged: it is no archive, ends too early, or unpacks to more than `MAX_STREAM`.
    """
    if not packed:
        raise Damaged("it is empty")
    stream = _Stream(packed)
    for member in _headers(stream):
        left = 0 if member.type in _BODILESS else member.size
        body = _Body(stream, left)
        yield member, body.read
        body.finish()
    stream.finish()


class _Stream:
    """The inflated bytes in their order."""

    def __init__(self, packed: bytes) -> None:
        self._inflated = gzip.GzipFile(fileobj=io.BytesIO(packed))
        self._passed = 0

    def some(self, most: int) -> bytes:
        """Return the next bytes, at least one and at most ``most``; none at the end."""
        try:
            chunk = self._inflated.read(min(most, _CHUNK))
        except (OSError, EOFError, zlib.error) as error:
            raise Damaged(str(error)) from None
        self._passed += len(chunk)
        if self._passed > MAX_STREAM:
            raise Damaged(f"it unpacks to more than {MAX_STREAM // 1024**2} MiB")
        return chunk

    def exactly(self, size: int) -> bytes:
        """Return the next ``size`` bytes."""
        kept = io.BytesIO()
        while (left := size - kept.tell()) > 0:
            chunk = self.some(left)
            if not chunk:
                raise Damaged("it ends in the middle of a member")
            kept.write(chunk)
        return kept.getvalue()

    def finish(self) -> None:
        """Pass over all the rest, at whose end gzip's check sum stands."""
        while self.some(_CHUNK):
            pass


class _Body:
    """The content of one member, and what fills its last block."""

    def __init__(self, stream: _Stream, size: int) -> None:
        self._stream = stream
        self._left = size
        self._padding = -size % tarfile.BLOCKSIZE

    def read(self, most: int) -> bytes:
        content = self._stream.exactly(min(most, self._left))
        self._left -= len(content)
        return content

    def finish(self) -> None:
        while self._left:
            self.read(_CHUNK)
        self._stream.exactly(self._padding)


def _headers(stream: _Stream) -> Iterator[tarfile.TarInfo]:
    """Yield the header of each member, with what headers before it say of it."""
    said: dict[str, str] = {}
    while begun := stream.some(tarfile.BLOCKSIZE):
        block = begun + stream.exactly(tarfile.BLOCKSIZE - len(begun))
        if not any(block):
            return
        try:
            member = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
        except (tarfile.HeaderError, ValueError) as error:
            raise Damaged(str(error)) from None
        match member.type:
            case tarfile.GNUTYPE_LONGNAME:
                name, _, _ = _extension(stream, member).partition(b"\0")
                said["path"] = name.decode("utf-8", "surrogateescape")
            case tarfile.GNUTYPE_LONGLINK:
                _extension(stream, member)
            case tarfile.XHDTYPE | tarfile.SOLARIS_XHDTYPE:
                said |= _fields(_extension(stream, member))
            case tarfile.XGLTYPE:
                if _fields(_extension(stream, member)).keys() & {"path", "size"}:
                    raise Damaged("it gives all members one name or size")
            case _:
                _apply(said, member)
                said = {}
                yield member


def _extension(stream: _Stream, member: tarfile.TarInfo) -> bytes:
    if not 0 <= member.size <= _MAX_HEADER:
        raise Damaged("a header is too long")
    body = _Body(stream, member.size)
    content = body.read(member.size)
    body.finish()
    return content


def _fields(content: bytes) -> dict[str, str]:
    """Return the fields of an extended header (POSIX.1-2017, pax, "pax Extended Header")."""
    fields: dict[str, str] = {}
    at = 0
    while at < len(content):
        # A record is its own length in decimal, a space, the key, "=", the value, a line feed.
        length, _, _ = content[at : at + 8].partition(b" ")
        end = at + int(length) if length.isdigit() else 0
        if not at < end <= len(content) or content[end - 1 : end] != b"\n":
            raise Damaged("an extended header is garbled")
        key, _, value = content[at + len(length) + 1 : end - 1].partition(b"=")
        fields[key.decode("utf-8", "replace")] = value.decode("utf-8", "surrogateescape")
        at = end
    return fields


def _apply(said: dict[str, str], member: tarfile.TarInfo) -> None:
    """Put what headers before it ``said`` into the header of ``member``."""
    member.name = said.get("path", member.name)
    if any(key.startswith("GNU.sparse.") for key in said):
        member.type = tarfile.GNUTYPE_SPARSE
    size = said.get("size", str(member.size))
    if not (size.isascii() and size.isdigit()) or len(size) > len(str(MAX_STREAM)):
        raise Damaged("a member says an impossible size")
    member.size = int(size)
