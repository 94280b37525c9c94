import hashlib
import shutil
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import HostFault, RecordError, UsageError
from arena.players.bundle import (
    Bundle,
    _put,
    argv,
    bundle_of,
    check_unpacked,
    digest_of,
    missing_runtime,
    unpack,
)
from arena.players.files import EXECUTABLE, PLAIN, File, discard, read_folder
from arena.players.manifest import manifest_file
from arena.players.submission import read_bundle
from tests.together import GATE, run_together

NAMES = st.text(
    st.characters(codec="utf-8", exclude_categories=["C"], exclude_characters="/"),
    min_size=1,
    max_size=8,
).filter(lambda name: name not in {".", ".."})
FILES = st.lists(
    st.builds(File, NAMES, st.sampled_from([PLAIN, EXECUTABLE]), st.binary(max_size=40)),
    max_size=6,
    unique_by=lambda file: file.path,
)


def bundle_with(*files: File, command: tuple[str, ...] = ("python", "bot.py")) -> Bundle:
    return bundle_of([*files, manifest_file(command)], "b")


def script(path: Path, text: str = "import arena_bot\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_the_digest_is_the_one_that_is_published() -> None:
    rows = (
        '[["a/é.py","644","' + hashlib.sha256(b"1").hexdigest() + '"],'
        '["b","755","' + hashlib.sha256(b"").hexdigest() + '"]]'
    )

    digest = digest_of([File("b", EXECUTABLE, b""), File("a/é.py", PLAIN, b"1")])

    assert digest == "sha256:" + hashlib.sha256(rows.encode()).hexdigest()


@given(files=FILES, data=st.data())
def test_the_digest_does_not_depend_on_the_order_of_files(
    files: list[File], data: st.DataObject
) -> None:
    assert digest_of(data.draw(st.permutations(files))) == digest_of(files)


@given(files=FILES, data=st.data())
def test_the_digest_covers_every_path_mode_and_byte(files: list[File], data: st.DataObject) -> None:
    files = [*files, File("bot.py", PLAIN, b"x")]
    at = data.draw(st.integers(0, len(files) - 1))
    file = files[at]
    changed = data.draw(
        st.sampled_from(
            [
                file._replace(path=file.path + "x" * 9),
                file._replace(mode=EXECUTABLE if file.mode == PLAIN else PLAIN),
                file._replace(content=file.content + b"x"),
            ]
        )
    )

    assert digest_of([*files[:at], changed, *files[at + 1 :]]) != digest_of(files)


@given(files=FILES)
@settings(max_examples=20)
def test_a_snapshot_is_unpacked_as_it_was_taken(
    files: list[File], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("bot") / "copy"
    bundle = bundle_with(*(file for file in files if file.path != "bot.toml"))

    unpack(bundle, folder)

    assert tuple(read_folder(folder, complete=True)) == bundle.files
    check_unpacked(folder, bundle.digest)
    discard(folder)


def test_an_unpacked_snapshot_is_for_reading_only(tmp_path: Path) -> None:
    bundle = bundle_with(File("a/b", EXECUTABLE, b"1"), File("bot.py", PLAIN, b"2"))

    unpack(bundle, tmp_path / "x" / "bot")

    modes = {
        path.name: path.stat().st_mode & 0o777 for path in [tmp_path / "x", *tmp_path.rglob("*")]
    }
    assert {name: modes[name] for name in ("bot", "a", "b", "bot.py")} == {
        "bot": 0o555,
        "a": 0o555,
        "b": 0o555,
        "bot.py": 0o444,
    }
    assert [path.name for path in (tmp_path / "x").iterdir()] == ["bot"]


def test_unpacking_again_leaves_an_intact_folder_alone_and_replaces_a_changed_one(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "bot"
    bundle = bundle_with(File("bot.py", PLAIN, b"1"))
    unpack(bundle, folder)
    before = folder.stat().st_ino
    unpack(bundle, folder)
    assert folder.stat().st_ino == before

    (folder / "bot.py").chmod(0o600)
    (folder / "bot.py").write_bytes(b"2")
    with pytest.raises(HostFault, match="was changed or removed"):
        check_unpacked(folder, bundle.digest)
    unpack(bundle, folder)

    check_unpacked(folder, bundle.digest)
    assert [path.name for path in tmp_path.iterdir()] == ["bot"]


UNPACKER = f"""
import sys
from pathlib import Path
from arena.players.bundle import unpack
from arena.players.submission import read_bundle
bundle = read_bundle(Path(sys.argv[1]))
{GATE}
unpack(bundle, Path(sys.argv[2]))
"""


def test_processes_that_unpack_one_snapshot_at_once_get_one_folder(tmp_path: Path) -> None:
    source, place = script(tmp_path / "bot.py", "import arena.games"), tmp_path / "place" / "bot"

    assert run_together(UNPACKER, *([str(source), str(place)] for _ in range(3))) == [0, 0, 0]

    check_unpacked(place, read_bundle(source).digest)
    assert [path.name for path in place.parent.iterdir()] == ["bot"]


def test_whoever_comes_second_leaves_the_folder_of_the_first(tmp_path: Path) -> None:
    bundle = bundle_with(File("bot.py", PLAIN, b"1"))
    unpack(bundle, tmp_path / "first")
    unpack(bundle, tmp_path / "second")
    before = (tmp_path / "first").stat().st_ino

    _put(tmp_path / "second", tmp_path / "first", bundle.digest)

    assert (tmp_path / "first").stat().st_ino == before


@pytest.mark.parametrize("harm", ["more", "less", "none"])
def test_a_file_too_many_or_too_few_is_noticed(harm: str, tmp_path: Path) -> None:
    folder = tmp_path / "bot"
    bundle = bundle_with(File("bot.py", PLAIN, b"1"))
    unpack(bundle, folder)

    if harm == "none":
        discard(folder)
    else:
        folder.chmod(0o755)
        (folder / ".notes").touch() if harm == "more" else (folder / "bot.py").unlink()

    with pytest.raises(HostFault, match="was changed or removed"):
        check_unpacked(folder, bundle.digest)


def test_a_place_that_cannot_be_written_is_a_fault_of_the_host(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(HostFault, match="cannot unpack a bot into"):
        unpack(bundle_with(), tmp_path / "file" / "bot")


@pytest.mark.parametrize("path", ["../x", "/etc/x", "a//b", "a/./b", "", "a\0"])
def test_kept_files_that_lead_out_of_their_folder_are_no_snapshot(path: str) -> None:
    with pytest.raises(RecordError, match="a snapshot holds the path"):
        bundle_with(File(path, PLAIN, b""))


@pytest.mark.parametrize("text", [None, b"", b"command = 1", b"\xff"])
def test_kept_files_that_say_no_command_are_no_snapshot(text: bytes | None) -> None:
    files = [] if text is None else [File("bot.toml", PLAIN, text)]

    with pytest.raises(RecordError, match=r"no bot\.toml with a command"):
        bundle_of(files, "b")


def test_python_is_this_one_and_files_of_the_bot_become_absolute(tmp_path: Path) -> None:
    folder = tmp_path / "it's a $(bot)"
    unpack(bundle_with(File("bot.py", PLAIN, b"1"), File("data", PLAIN, b"1")), folder)

    assert argv(("python", "bot.py", "-v", "data", "x" * 5000), folder) == [
        sys.executable,
        "-s",
        "-B",
        f"{folder}/bot.py",
        "-v",
        f"{folder}/data",
        "x" * 5000,
    ]
    assert argv(("run/it", "now"), folder) == [f"{folder}/run/it", "now"]


def test_node_is_where_it_is_installed_or_said_to_be_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle = bundle_with(File("bot.js", PLAIN, b"1"), command=("node", "bot.js"))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert missing_runtime(bundle) == "node is not installed"
    with pytest.raises(UsageError, match="node is not installed: a JavaScript bot needs"):
        argv(bundle.command, tmp_path)

    shutil.copy("/bin/true", tmp_path / "node")
    assert missing_runtime(bundle) is None
    assert argv(bundle.command, tmp_path) == [f"{tmp_path}/node", "bot.js"]


@pytest.mark.parametrize(
    ("first", "missing"),
    [
        (b"#!/bin/sh\n", None),
        (b"#!/usr/bin/env -S sh -e\n", None),
        (b"#!/usr/bin/env no-such-\x1b-runtime\n", r"no-such-\x1b-runtime is not installed"),
        (b"#! /opt/gone/ruby", "/opt/gone/ruby is not installed"),
        (b"#!", None),
        (b"\x7fELF", None),
    ],
)
def test_a_program_whose_interpreter_is_missing_is_known_before_it_is_started(
    first: bytes, missing: str | None
) -> None:
    bundle = bundle_with(File("bot", EXECUTABLE, first), command=("bot",))

    assert missing_runtime(bundle) == missing
