import contextlib
import gzip
import hashlib
import io
import os
import stat
import struct
import tarfile
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import UsageError
from arena.players.archives import is_archive, read_archive, unsuffixed
from arena.players.files import EXECUTABLE, MAX_BYTES, PLAIN, File
from arena.players.submission import read_bundle
from arena.wire.escape import printable

Member = tuple[str, bytes]
Pack = Callable[..., Path]

KINDS = ["bot.zip", "bot.tar.gz"]


def zipped(path: Path, *members: Member | zipfile.ZipInfo) -> Path:
    """Write a zip archive; a `ZipInfo` stands for itself, with the content ``x``."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for member in members:
            name, content = (member, b"x") if isinstance(member, zipfile.ZipInfo) else member
            archive.writestr(name, content)
    return path


def tarred(path: Path, *members: Member | tarfile.TarInfo, form: int = tarfile.PAX_FORMAT) -> Path:
    """Write a tar archive; a `TarInfo` stands for itself, without content."""
    with tarfile.open(path, "w:gz", format=form) as archive:
        for member in members:
            if isinstance(member, tarfile.TarInfo):
                archive.addfile(member)
                continue
            info = tarfile.TarInfo(member[0])
            info.size = len(member[1])
            archive.addfile(info, io.BytesIO(member[1]))
    return path


@pytest.fixture(params=KINDS)
def pack(request: pytest.FixtureRequest, tmp_path: Path) -> Pack:
    """Return a function that packs members into an archive of one kind after the other."""
    kind: str = request.param
    write: Pack = zipped if kind.endswith("zip") else tarred
    return lambda *members: write(tmp_path / kind, *members)


def linked(name: str, target: str, kind: bytes = tarfile.SYMTYPE) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, target
    return member


def of_mode(name: str, mode: int) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(name)
    member.create_system, member.external_attr = 3, mode << 16
    return member


def refusal(path: Path) -> str:
    """Return the one line with which the archive at ``path`` is refused."""
    with pytest.raises(UsageError) as caught:
        read_archive(path)
    assert printable(str(caught.value)) == str(caught.value)
    return str(caught.value)


def test_an_archive_is_known_by_its_name() -> None:
    names = ["a.zip", "A.ZIP", "a.tar.gz", "a.tgz", "a.tar", "a.gz", "a.tar.xz", "zip"]

    assert [name for name in names if is_archive(Path(name))] == names[:4]
    assert [unsuffixed(name) for name in ("a-1.2.tar.gz", "b.Zip")] == ["a-1.2", "b"]


def test_files_come_with_paths_modes_and_bytes_in_order(tmp_path: Path) -> None:
    script = tarfile.TarInfo("run")
    script.mode = 0o711
    packed = [
        zipped(tmp_path / "a.zip", ("b/c.txt", b"1"), of_mode("run", stat.S_IFREG | 0o700)),
        tarred(tmp_path / "a.tgz", ("./b/c.txt", b"1"), script),
    ]

    assert [read_archive(path) for path in packed] == [
        [File("b/c.txt", PLAIN, b"1"), File("run", EXECUTABLE, content)] for content in (b"x", b"")
    ]


def test_a_folder_and_its_archives_are_one_bot(tmp_path: Path) -> None:
    folder = tmp_path / "bot"
    long = "n" * 200
    for path in ("bot.py", f"café/{long}/x.txt", ".git/config", "old.pyc"):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text("import arena_bot\n")
    (folder / "bot.py").chmod(0o755)
    with zipfile.ZipFile(tmp_path / "bot.zip", "w") as made:
        for file in sorted(folder.rglob("*")):
            made.write(file, file.relative_to(tmp_path))
    for name, form in (("bot.tgz", tarfile.PAX_FORMAT), ("bot.tar.gz", tarfile.GNU_FORMAT)):
        with tarfile.open(tmp_path / name, "w:gz", format=form) as archive:
            archive.add(folder, ".")

    names = ("bot", "bot.zip", "bot.tgz", "bot.tar.gz")
    bundles = [read_bundle(tmp_path / name) for name in names]

    assert [bundle.name for bundle in bundles] == ["bot"] * 4
    assert len({bundle.digest for bundle in bundles}) == 1
    assert f"café/{long}/x.txt" in [file.path for file in bundles[1].files]


def test_one_folder_that_all_lies_in_is_taken_off_and_no_more(pack: Pack) -> None:
    assert [file.path for file in read_archive(pack(("top/in/a", b""), ("top/in/b", b"")))] == [
        "in/a",
        "in/b",
    ]
    assert [file.path for file in read_archive(pack(("top/a", b""), ("b", b"")))] == ["b", "top/a"]


def test_what_tools_leave_behind_is_no_part_of_a_bot(tmp_path: Path) -> None:
    left = [("__MACOSX/._bot.py", b"x"), (".git/config", b"x"), ("x.pyc", b"x"), ("bot.py~", b"x")]
    packed = zipped(tmp_path / "bot.zip", ("bot.py", b"1"), *left)
    venv = linked("my/.venv", "/usr")
    other = tarred(tmp_path / "bot.tgz", ("my/bot.py", b"1"), venv, linked("my/.git/x", "y", b"6"))

    assert read_archive(packed) == read_archive(other) == [File("bot.py", PLAIN, b"1")]


def test_an_archive_inside_is_a_file_like_any_other(pack: Pack, tmp_path: Path) -> None:
    inner = zipped(tmp_path / "inner.zip", ("../../x", b"1")).read_bytes()

    assert read_archive(pack(("lib.zip", inner), ("bot.py", b"1"))) == [
        File("bot.py", PLAIN, b"1"),
        File("lib.zip", PLAIN, inner),
    ]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("../x", "the name '../x' leads out of it"),
        ("a/../../x", "leads out of it"),
        ("a/..", "leads out of it"),
        ("/etc/passwd", "begins at the root of a file system"),
        ("C:/x", "begins at the root of a file system"),
        ("c:x", "begins at the root of a file system"),
        ("a\\..\\x", "has a backslash"),
        ("a\x1b[2Jb", "has a control character in its name"),
        ("n" * 256, "has too long a name"),
        ("/".join(["n" * 100] * 12), "has too long a name"),
        ("/".join("n" * 18), "lies over 16 names deep"),
        (".git/../../x", "leads out of it"),
    ],
)
def test_a_name_that_no_file_of_a_bot_has_is_refused(pack: Pack, name: str, why: str) -> None:
    assert why in refusal(pack(("bot.py", b"1"), (name, b"x")))


@pytest.mark.parametrize(
    ("one", "other", "why"),
    [
        ("a/x.py", "a/x.py", "holds a/x.py twice"),
        ("a/x.py", "a//./x.py", "holds a/x.py twice"),
        ("a/X.py", "a/x.py", "differ only in case"),
        ("A/x", "a/y", "differ only in case"),
        ("café", "cafe\u0301", "twice"),
        ("straße", "STRASSE", "differ only in case"),
        ("a", "a/b", "a is both a file and a folder"),
    ],
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_names_that_clash_are_refused(pack: Pack, one: str, other: str, why: str) -> None:
    assert why in refusal(pack(("bot.py", b"1"), (one, b"1"), (other, b"2")))


@pytest.mark.parametrize(
    ("member", "why"),
    [
        (linked("x", "/etc/passwd"), "x is a link: a bot is made of regular files only"),
        (linked("x", "bot.py", tarfile.LNKTYPE), "x is a hard link"),
        (linked("x", "", tarfile.CHRTYPE), "x is a device"),
        (linked("x", "", tarfile.BLKTYPE), "x is a device"),
        (linked("x", "", tarfile.FIFOTYPE), "x is a named pipe"),
        (linked("x", "", tarfile.GNUTYPE_SPARSE), "x is a sparse file"),
        (linked("x", "", b"V"), "x is no file"),
    ],
)
def test_a_member_of_a_tar_that_is_no_file_is_refused(
    tmp_path: Path, member: tarfile.TarInfo, why: str
) -> None:
    assert why in refusal(tarred(tmp_path / "bot.tgz", ("bot.py", b"1"), member))


def test_a_sparse_file_in_the_newer_form_is_refused(tmp_path: Path) -> None:
    member = tarfile.TarInfo("GNUSparseFile.1/x")
    member.pax_headers = {"GNU.sparse.major": "1", "GNU.sparse.name": "x"}

    assert "is a sparse file" in refusal(tarred(tmp_path / "bot.tgz", member))


@pytest.mark.parametrize(
    ("mode", "why"),
    [
        (stat.S_IFLNK | 0o777, "x is a link"),
        (stat.S_IFIFO, "x is a named pipe"),
        (stat.S_IFCHR, "x is a device"),
        (stat.S_IFSOCK, "x is a socket"),
    ],
)
def test_a_member_of_a_zip_that_is_no_file_is_refused(tmp_path: Path, mode: int, why: str) -> None:
    path = zipped(tmp_path / "bot.zip", ("bot.py", b"1"), of_mode("x", mode))

    assert why in refusal(path)


def test_an_encrypted_member_is_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "bot.zip", ("bot.py", b"1"))
    packed = bytearray(path.read_bytes())
    packed[6] |= 1
    packed[packed.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(packed)

    assert refusal(path).endswith("bot.zip/bot.py is encrypted")


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_way_of_packing_that_cannot_be_undone_bit_by_bit_is_refused(
    tmp_path: Path, method: int
) -> None:
    with zipfile.ZipFile(tmp_path / "bot.zip", "w", method) as archive:
        archive.writestr("bot.py", "x")

    assert "is packed in an unusual way" in refusal(tmp_path / "bot.zip")


def test_names_in_a_zip_are_utf_8_whether_it_says_so_or_not(tmp_path: Path) -> None:
    path = zipped(tmp_path / "bot.zip", ("ä.py", b"1"))
    packed = path.read_bytes()
    # Bit 11 of the flags says so, in the header of the member and in the directory.
    unsaid = packed.replace(b"\x00\x08", b"\x00\x00")
    path.write_bytes(unsaid)
    assert [file.path for file in read_archive(path)] == ["ä.py"]

    path.write_bytes(unsaid.replace("ä".encode(), b"\x84\xff"))
    assert "has a name that is not UTF-8" in refusal(path)
    path.write_bytes(packed.replace("ä".encode(), b"\x84\xff"))
    assert "is damaged or no archive" in refusal(path)


def test_names_in_a_tar_are_utf_8(tmp_path: Path) -> None:
    path = tarred(tmp_path / "bot.tgz", ("\udcff.py", b"1"), form=tarfile.GNU_FORMAT)

    assert "has a name that is not UTF-8" in refusal(path)


def test_a_bomb_is_stopped_by_what_comes_out_of_it(pack: Pack) -> None:
    path = pack(("bot.py", b"1"), ("zeros", bytes(MAX_BYTES)))
    assert path.stat().st_size < MAX_BYTES // 500

    tracemalloc.start()
    try:
        assert "zeros brings the bot over 64 MiB: too large" in refusal(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 4 * MAX_BYTES


def test_a_zip_that_lies_about_a_size_is_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "bot.zip", ("zeros", bytes(1000)))
    path.write_bytes(path.read_bytes().replace(struct.pack("<I", 1000), struct.pack("<I", 10)))

    assert "is damaged or no archive" in refusal(path)


def test_what_is_skipped_of_a_tar_is_counted_too(tmp_path: Path) -> None:
    path = tmp_path / "bot.tgz"
    huge = tarfile.TarInfo(".zeros")
    huge.size = 900 * 1024**2
    with gzip.open(path, "wb", compresslevel=1) as packed:
        packed.write(huge.tobuf())
        for _ in range(260):
            packed.write(bytes(1024**2))

    assert "it unpacks to more than 256 MiB" in refusal(path)


def test_two_thousand_files_are_read_and_one_more_is_refused(pack: Pack) -> None:
    members = [(f"{number}.txt", b"") for number in range(2_001)]

    assert len(read_archive(pack(*members[:-1]))) == 2_000
    assert "holds more than 2,000 files" in refusal(pack(*members))


def test_a_hundred_thousand_members_are_not_even_listed(tmp_path: Path) -> None:
    header = bytes.fromhex("504b0102") + bytes(24) + b"\x01\x00" + bytes(16) + b"d"
    end = struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, 65535, 65535, 100_000 * 47, 0, 0)
    (tmp_path / "bot.zip").write_bytes(header * 100_000 + end)
    with gzip.open(tmp_path / "bot.tgz", "wb", compresslevel=1) as packed:
        packed.write(linked("d/", "", tarfile.DIRTYPE).tobuf() * 100_000)

    assert "holds more than 2,000 files" in refusal(tmp_path / "bot.zip")
    assert "holds more than 2,000 files" in refusal(tmp_path / "bot.tgz")


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("content", [b"", b"#!/bin/sh\n", b"PK\x05\x06", bytes(600)])
def test_what_is_no_archive_is_refused(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)

    assert "is damaged or no archive" in refusal(tmp_path / name)


@pytest.mark.parametrize("name", KINDS)
def test_a_link_to_an_archive_and_a_packed_bot_over_the_cap_are_refused(
    tmp_path: Path, name: str
) -> None:
    (tmp_path / name).symlink_to("/etc/passwd")
    assert "is a link" in refusal(tmp_path / name)

    (tmp_path / name).unlink()
    os.truncate(os.open(tmp_path / name, os.O_CREAT | os.O_WRONLY), MAX_BYTES + 1)
    assert "over 64 MiB: too large" in refusal(tmp_path / name)


def test_a_part_of_an_archive_is_refused_wherever_it_ends(pack: Pack) -> None:
    path = pack(("a.py", hashlib.shake_128(b"").digest(3000)), ("b.py", b"1"))
    whole = path.read_bytes()

    for size in range(0, len(whole), 97):
        path.write_bytes(whole[:size])
        assert "is damaged or no archive" in refusal(path)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"0 path=x\n", "an extended header is garbled"),
        (b"99 path=x\n", "an extended header is garbled"),
        (b"x path=y\n", "an extended header is garbled"),
        (b"10 path=xyz", "an extended header is garbled"),
        (b"11 size=-1\n", "impossible size"),
        (b"25 size=9999999999999999\n", "impossible size"),
        (b"11 path=/x\n", "begins at the root"),
        (b"13 path=../x\n", "leads out of it"),
        (bytes(70_000), "a header is too long"),
    ],
)
def test_an_extended_header_is_read_strictly(tmp_path: Path, body: bytes, why: str) -> None:
    header = tarfile.TarInfo("ext")
    header.type, header.size = tarfile.XHDTYPE, len(body)
    padding = bytes(-len(body) % 512)
    with gzip.open(tmp_path / "bot.tgz", "wb") as packed:
        packed.write(header.tobuf() + body + padding + tarfile.TarInfo("x").tobuf() + bytes(1024))

    assert why in refusal(tmp_path / "bot.tgz")


def test_a_header_for_all_members_may_say_what_does_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "bot.tgz"
    with tarfile.open(path, "w:gz", pax_headers={"comment": "made by git"}) as archive:
        archive.addfile(tarfile.TarInfo("bot.py"))
    assert [file.path for file in read_archive(path)] == ["bot.py"]

    with tarfile.open(path, "w:gz", pax_headers={"path": "x"}) as archive:
        archive.addfile(tarfile.TarInfo("bot.py"))
    assert "one name or size" in refusal(path)


@given(data=st.data())
@settings(max_examples=40)
@pytest.mark.parametrize("kind", KINDS)
def test_whatever_bytes_are_changed_it_is_read_or_refused(
    kind: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("any") / kind
    (zipped if kind == "bot.zip" else tarred)(path, ("d/bot.py", b"1" * 600), ("d/ä", b"2"))
    inner = path.read_bytes() if kind == "bot.zip" else gzip.decompress(path.read_bytes())
    changed = bytearray(inner)
    for _ in range(data.draw(st.integers(1, 4))):
        changed[data.draw(st.integers(0, len(changed) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(changed if kind == "bot.zip" else gzip.compress(changed, 1))

    with contextlib.suppress(UsageError):
        assert all(".." not in file.path.split("/") for file in read_archive(path))
