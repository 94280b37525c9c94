import os
import socket
from pathlib import Path

import pytest

from arena.errors import UsageError
from arena.players.files import (
    EXECUTABLE,
    MAX_BYTES,
    PLAIN,
    File,
    check_unique,
    discard,
    is_folder,
    read_file,
    read_folder,
)


def write(folder: Path, *paths: str) -> None:
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(path)


def test_files_come_with_relative_paths_modes_and_bytes_in_order(tmp_path: Path) -> None:
    write(tmp_path, "b/c.txt", "b.txt", "a b's $(id).py")
    (tmp_path / "b.txt").chmod(0o711)
    (tmp_path / "b" / "c.txt").chmod(0o600)

    assert read_folder(tmp_path) == [
        File("a b's $(id).py", PLAIN, b"a b's $(id).py"),
        File("b.txt", EXECUTABLE, b"b.txt"),
        File("b/c.txt", PLAIN, b"b/c.txt"),
    ]


def test_what_tools_leave_behind_is_no_part_of_a_bot(tmp_path: Path) -> None:
    write(tmp_path, "bot.py", ".git/config", "__pycache__/x", "old.pyc", "bot.py~", ".bot.py.swp")
    (tmp_path / ".venv").symlink_to("/usr")

    assert [file.path for file in read_folder(tmp_path)] == ["bot.py"]
    with pytest.raises(UsageError, match=r"\.venv is a link"):
        read_folder(tmp_path, complete=True)


def test_a_link_is_refused_wherever_it_lies_and_wherever_it_leads(tmp_path: Path) -> None:
    write(tmp_path, "inner/bot.py")
    (tmp_path / "inner" / "out").symlink_to("/etc/passwd")

    with pytest.raises(UsageError, match="inner/out is a link: a bot is made of regular files"):
        read_folder(tmp_path)
    with pytest.raises(UsageError, match="out is a link"):
        read_file(tmp_path / "inner" / "out")
    with pytest.raises(UsageError, match="out is a link"):
        is_folder(tmp_path / "inner" / "out")


def test_a_linked_folder_is_not_entered(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path)

    with pytest.raises(UsageError, match="loop is a link"):
        read_folder(tmp_path)


def test_a_named_pipe_is_refused_without_waiting_for_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(UsageError, match="pipe is a named pipe"):
        read_folder(tmp_path)


def test_a_socket_and_a_device_are_refused(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(os.fspath(tmp_path / "talk"))
        with pytest.raises(UsageError, match="talk is a socket"):
            read_folder(tmp_path)
    with pytest.raises(UsageError, match="/dev/null is a device"):
        read_file(Path("/dev/null"))


def test_a_huge_sparse_file_is_refused_unread(tmp_path: Path) -> None:
    with (tmp_path / "huge").open("wb") as huge:
        huge.truncate(2**40)

    with pytest.raises(UsageError, match="huge brings the bot over 64 MiB"):
        read_folder(tmp_path)


def test_the_cap_on_bytes_is_over_all_files_together(tmp_path: Path) -> None:
    for name in "ab":
        with (tmp_path / name).open("wb") as half:
            half.truncate(MAX_BYTES // 2)
    assert len(read_folder(tmp_path)) == 2

    write(tmp_path, "c")
    with pytest.raises(UsageError, match="c brings the bot over 64 MiB"):
        read_folder(tmp_path)


def test_two_thousand_files_are_read_and_one_more_is_refused(tmp_path: Path) -> None:
    for number in range(2_000):
        (tmp_path / f"{number}.txt").touch()
    assert len(read_folder(tmp_path)) == 2_000

    (tmp_path / "last.txt").touch()
    with pytest.raises(UsageError, match="holds more than 2,000 files"):
        read_folder(tmp_path)


def test_sixteen_names_are_the_longest_path(tmp_path: Path) -> None:
    deepest = "/".join(["d"] * 15)
    write(tmp_path, f"{deepest}/file")
    assert [file.path for file in read_folder(tmp_path)] == [f"{deepest}/file"]

    write(tmp_path, f"{deepest}/d/file")
    with pytest.raises(UsageError, match="over 16 names deep"):
        read_folder(tmp_path)


def test_an_endless_row_of_empty_folders_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "/".join(["d"] * 17)).mkdir(parents=True)

    with pytest.raises(UsageError, match="over 16 names deep"):
        read_folder(tmp_path)


def test_names_and_paths_can_be_as_long_as_file_systems_have_them(tmp_path: Path) -> None:
    long = "/".join(["n" * 200] * 5)
    write(tmp_path, f"{long}/{'f' * 19}")
    assert [file.path for file in read_folder(tmp_path)] == [f"{long}/{'f' * 19}"]

    write(tmp_path, f"{long}/{'f' * 20}")
    with pytest.raises(UsageError, match="has too long a name"):
        read_folder(tmp_path)


def test_folders_are_counted_too(tmp_path: Path) -> None:
    for number in range(2_000):
        (tmp_path / f"{number}").mkdir()

    with pytest.raises(UsageError, match="holds more than 2,000 folders"):
        read_folder(tmp_path)


def test_whatever_its_modes_are_a_folder_is_removed_and_no_link_is_followed(
    tmp_path: Path,
) -> None:
    write(tmp_path, "kept/x", "gone/a/b/c")
    (tmp_path / "gone" / "a" / "link").symlink_to(tmp_path / "kept")
    (tmp_path / "gone" / "a" / "b").chmod(0)
    (tmp_path / "kept").chmod(0o500)

    discard(tmp_path / "gone")
    discard(tmp_path / "gone")

    assert not (tmp_path / "gone").exists()
    assert (tmp_path / "kept").stat().st_mode & 0o777 == 0o500


@pytest.mark.parametrize(
    ("one", "other"),
    [("Bot.py", "bot.py"), ("a/x", "A/y"), ("caf\u00e9", "CAFE\u0301"), ("stra\u00dfe", "STRASSE")],
)
def test_names_that_clash_in_case_or_composition_are_refused(
    one: str, other: str, tmp_path: Path
) -> None:
    write(tmp_path, one, other)

    with pytest.raises(UsageError, match="differ only in case"):
        read_folder(tmp_path)
    with pytest.raises(UsageError, match="differ only in case"):
        check_unique([one, other], "bot")


def test_names_are_composed(tmp_path: Path) -> None:
    write(tmp_path, "cafe\u0301.txt")

    assert [file.path for file in read_folder(tmp_path)] == ["caf\u00e9.txt"]


@pytest.mark.parametrize(
    ("name", "reason"),
    [(b"a\x1b[31m", "control character"), (b"a\nb", "control character"), (b"\xff", "not UTF-8")],
)
def test_names_that_could_harm_a_terminal_or_a_digest_are_refused(
    name: bytes, reason: str, tmp_path: Path
) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).touch()

    with pytest.raises(UsageError, match=reason) as caught:
        read_folder(tmp_path)

    assert str(caught.value).isprintable()


@pytest.mark.parametrize("path", ["gone", "gone/bot.py", "nul\0", "x" * 300])
def test_a_path_to_nothing_is_one_line(path: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        read_file(tmp_path / path)

    assert str(caught.value).isprintable()


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is a folder where a file is expected"):
        read_file(tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file_is_one_line(tmp_path: Path) -> None:
    write(tmp_path, "bot.py")
    (tmp_path / "bot.py").chmod(0)

    with pytest.raises(UsageError, match=r"cannot read .*bot\.py: Permission denied"):
        read_file(tmp_path / "bot.py")


def test_a_file_prints_without_its_content() -> None:
    assert repr(File("bot", EXECUTABLE, b"1" * 1000)) == "File('bot', 755, 1000 bytes)"
