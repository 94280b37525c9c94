from pathlib import Path

import msgspec
import pytest

from arena.cli.record_files import read_record
from arena.errors import RecordError, UsageError
from arena.referee.record import MatchRecord, encode_record
from tests.records import played_record

ONE = msgspec.structs.replace(played_record("couperation", "standard", 2, 0, {}), match="c/0/a+b")
OTHER = msgspec.structs.replace(ONE, match="c/1/a+b")


def written(folder: Path, *records: MatchRecord, end: bytes = b"\n") -> Path:
    path = folder / "records.jsonl"
    path.write_bytes(b"\n".join(map(encode_record, records)) + end)
    return path


@pytest.mark.parametrize("end", [b"\n", b""], ids=["with LF", "without"])
@pytest.mark.parametrize("match", [None, "c/0", "c/0/a+b"])
def test_the_only_record_needs_no_name(match: str | None, end: bytes, tmp_path: Path) -> None:
    assert read_record(written(tmp_path, ONE, end=end), match) == ONE


@pytest.mark.parametrize("match", ["c/1/a+b", "c/1"])
def test_one_of_several_is_had_by_its_id_or_the_beginning_of_it(match: str, tmp_path: Path) -> None:
    assert read_record(written(tmp_path, ONE, OTHER), match) == OTHER


def test_an_id_is_meant_before_those_that_begin_with_it(tmp_path: Path) -> None:
    many = [msgspec.structs.replace(ONE, match=f"m{number}") for number in (10, 11, 12, 13, 14, 1)]

    assert read_record(written(tmp_path, *many), "m1").match == "m1"


@pytest.mark.parametrize(
    ("match", "said"),
    [
        (None, "holds several matches, --match says which: c/0/a+b, c/1/a+b"),
        ("c/", "holds several matches"),
        ("c/1/a-b", "holds no match 'c/1/a-b'; did you mean 'c/1/a+b'"),
        ("\x1b", "holds no match '\\x1b'"),
    ],
)
def test_what_is_not_clear_is_a_mistake(match: str | None, said: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        read_record(written(tmp_path, ONE, OTHER), match)

    assert said in str(caught.value)


@pytest.mark.parametrize("line", [b"{}", b"\n", b"[" * 5000, b"\xff", b'{"match":3}', b"null"])
def test_a_line_that_is_no_record_is_said_with_its_number(line: bytes, tmp_path: Path) -> None:
    path = written(tmp_path, ONE)
    path.write_bytes(path.read_bytes() + line + b"\n")

    with pytest.raises(RecordError, match="line 2: not a match record"):
        read_record(path, None)


def test_a_line_with_the_name_alone_is_no_record_either(tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    path.write_bytes(b'{"match":"m"}\n')

    with pytest.raises(RecordError, match="not a match record"):
        read_record(path, None)


def test_a_line_without_end_is_not_read_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.cli.record_files.MOST_RECORD", 100)

    with pytest.raises(RecordError, match="line 1: longer than 100 bytes"):
        read_record(written(tmp_path, ONE), None)


@pytest.mark.parametrize("name", ["none.json", "folder.json", "empty.json", "\0.json", "/dev/null"])
def test_what_is_no_file_of_records_is_a_mistake(name: str, tmp_path: Path) -> None:
    (tmp_path / "folder.json").mkdir()
    (tmp_path / "empty.json").touch()

    with pytest.raises(UsageError, match=r"cannot be read: |is no regular file|is empty"):
        read_record(tmp_path / name, None)
