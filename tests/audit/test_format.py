import os
import re
from pathlib import Path

import pytest

from arena.audit import format as files
from arena.audit.standings import COLUMNS
from arena.errors import Difference, UsageError
from arena.referee.chain import first_link, head, record_digest
from tests.protocol_files import SPEC

SECTION = SPEC.read_text("utf-8").partition("## 13. Checking")[2].partition("\n## ")[0]


def test_the_specification_has_every_file_and_every_field() -> None:
    names = re.findall(r"^\| (`.*?) \|", SECTION, re.MULTILINE)
    said = [name for cell in names for name in re.findall(r"`([a-z_.]+)`", cell)]
    of_arena = [
        value for name, value in vars(files).items() if name.isupper() and "." in str(value)
    ]

    assert sorted(said) == sorted([*of_arena, *files.Facts.__struct_fields__])
    assert [name for name in COLUMNS if f"`{name}`" not in SECTION] == []


def test_the_digests_of_the_specification_are_those_of_its_record() -> None:
    (record,) = re.findall(r'^\{"record":1,.*$', SPEC.read_text("utf-8"), re.MULTILINE)
    said = dict(re.findall(r"^\| ([a-z0 ]+) \| `([0-9a-f]{64})` \|$", SECTION, re.MULTILINE))

    assert said == {
        "digest of the record": record_digest(record.encode()).hex(),
        "link 0": first_link("practice-05cb1bd8").hex(),
        "head": head("practice-05cb1bd8", [record.encode()]),
    }


def test_lines_and_files_have_a_cap(tmp_path: Path) -> None:
    folder = files.Folder(tmp_path)
    (tmp_path / "a").write_bytes(b"12345\n1234\n")
    (tmp_path / "b").write_bytes(b"1234\n12")

    assert list(folder.lines("a", 5)) == [b"12345", b"1234"]
    assert folder.content("b", 7) == b"1234\n12"
    with pytest.raises(Difference, match="a: line 1: too long"):
        list(folder.lines("a", 4))
    with pytest.raises(Difference, match="b: line 2: too long, or without an end"):
        list(folder.lines("b", 4))
    with pytest.raises(Difference, match="b: longer than 6 bytes"):
        folder.content("b", 6)


def test_only_regular_files_are_read(tmp_path: Path) -> None:
    folder = files.Folder(tmp_path)
    (tmp_path / "real").touch()
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "inside").mkdir()
    os.mkfifo(tmp_path / "pipe")

    for name in ("link", "inside", "pipe", "gone", "nul\0"):
        with pytest.raises(UsageError, match=r"cannot be read|no regular file"):
            folder.content(name)
