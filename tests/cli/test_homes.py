"""Homes that are not as one would wish: read-only, full, damaged, or in a folder with a name."""

import os
import random
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from arena.store.db import FILE_NAME
from arena.wire.escape import printable
from tests.command_line import NO_TIER, CommandLine, contents
from tests.whole_arena import Arena, bot, named, suite

LOOKING = [
    ["leaderboard"],
    ["leaderboard", "--matrix", "--format", "json"],
    ["tournaments"],
    ["bots"],
    ["replay", "donburiko-2p/0/dice+first"],
    ["verify", "-j", "1"],
    ["export", "cup", "copy"],
]
"""Commands that write nothing in a home."""


def mounted(*words: str) -> None:
    mount = shutil.which("mount")
    if mount is None:
        pytest.skip("there is no mount(8)")
    found = subprocess.run([mount, *words], capture_output=True, text=True, check=False)
    if found.returncode:
        pytest.skip(f"mount: {found.stderr}")


def unmounted(folder: Path) -> None:
    umount = shutil.which("umount")
    assert umount
    subprocess.run([umount, str(folder)], check=True)


@contextmanager
def unwritable(home: Path) -> Iterator[None]:
    """See that nothing can be written in ``home`` meanwhile."""
    if os.geteuid():
        modes = {path: path.stat().st_mode for path in (home, *home.rglob("*"))}
        for path in modes:
            path.chmod(0o555 if path.is_dir() else 0o444)
        yield
        for path, mode in modes.items():
            path.chmod(mode)
        return
    mounted("--bind", str(home), str(home))
    try:
        mounted("-o", "remount,ro,bind", str(home))
        yield
    finally:
        unmounted(home)


def with_log(home: Path) -> None:
    """Leave what was written last in the log beside the database, as a killed runner does."""
    with closing(sqlite3.connect(home / FILE_NAME)) as db, db:
        db.execute("UPDATE tournaments SET name = 'cup'")
        for suffix in ("", "-wal"):
            shutil.copyfile(home / f"{FILE_NAME}{suffix}", home / f"copy{suffix}")
    for suffix in ("", "-wal"):
        (home / f"copy{suffix}").replace(home / f"{FILE_NAME}{suffix}")


@pytest.mark.parametrize("log", [False, True], ids=["a file alone", "a file and its log"])
def test_a_home_that_cannot_be_written_can_be_looked_at(played: CommandLine, log: bool) -> None:
    if log:
        with_log(played.home)
    told = [played(*words) for words in LOOKING[:-1]]
    if log:
        with_log(played.home)
    files = {path.name for path in played.home.iterdir()}

    with unwritable(played.home):
        assert [played(*words).out.split()[:40] for words in LOOKING[:5]] == [
            answer.out.split()[:40] for answer in told[:5]
        ]
        assert played("verify", "-j", "1").status == 0
        assert played("export", "cup", played.folder / "copy").status == 0
    assert {path.name for path in played.home.iterdir()} == files


def test_what_has_to_be_written_in_such_a_home_is_refused_in_a_line(played: CommandLine) -> None:
    script = played.script()
    with unwritable(played.home):
        for words in (
            ["submit", script, *NO_TIER],
            ["remove", "nobody"],
            ["tournament", "donburiko", "--bots", played.bots("first", "last"), *NO_TIER],
        ):
            answer = played(*words)
            assert answer.status == 2, words
            assert printable(answer.err.splitlines()[-1]).startswith("arena: "), answer.err
        assert "cannot write in" in played("submit", script, *NO_TIER).err


@pytest.mark.parametrize("words", ["tournament donburiko --bots {}", "compare {} --game donburiko"])
def test_nothing_is_announced_that_cannot_be_kept(words: str, arena: CommandLine) -> None:
    bots = arena.bots("first", "last")
    called = words.format(bots if "--bots" in words else bots.replace(",", " ")).split()
    nowhere = Path("/proc/nowhere")

    line = arena.refuses(*called, "--home", nowhere, *NO_TIER)

    assert line.startswith(f"arena: cannot write in {nowhere}: ")


def test_what_is_not_played_needs_no_home_to_write_in(arena: CommandLine) -> None:
    bots = arena.bots("first", "last")
    words = ["tournament", "donburiko", "--bots", bots, "--home", "/proc/nowhere"]

    assert arena(*words, "--dry-run", *NO_TIER).status == 0


def test_an_older_home_that_cannot_be_written_is_refused_in_a_line(played: CommandLine) -> None:
    with closing(sqlite3.connect(played.home / FILE_NAME)) as db, db:
        db.execute("PRAGMA user_version = 1")

    with unwritable(played.home):
        answer = played("tournaments")
    assert answer.status == 2
    assert "was written by an older arena" in answer.line


def test_a_home_may_have_any_name(tmp_path: Path, played: CommandLine) -> None:
    home = tmp_path / "Übungs hof" / "100 % 'arena'#?&"
    shutil.copytree(played.home, home)

    for words in LOOKING[:-1]:
        assert played(*words, "--home", home).status == 0
    with unwritable(home):
        for words in LOOKING[:-1]:
            assert played(*words, "--home", home).status == 0


def damaged(content: bytes, dice: random.Random) -> bytes:
    """Return the file cut in its last page, or with one bit flipped."""
    if dice.random() < 0.3:
        return content[: -dice.randrange(1, 4097)]
    changed = bytearray(content)
    changed[dice.randrange(len(changed))] ^= 1 << dice.randrange(8)
    return bytes(changed)


@pytest.mark.parametrize("count", [60, pytest.param(2000, marks=pytest.mark.long)])
def test_a_damaged_database_is_a_line_in_every_command(played: CommandLine, count: int) -> None:
    dice = random.Random(5)  # noqa: S311 - repeatable
    contents(played.home)  # the log is written back
    whole = (played.home / FILE_NAME).read_bytes()
    statuses = set()

    for number in range(count):
        for path in played.home.glob(f"{FILE_NAME}*"):
            path.unlink()
        (played.home / FILE_NAME).write_bytes(damaged(whole, dice))
        words = dice.choice([*LOOKING, ["tournament", "--resume", "cup", "-j", "1"]])
        answer = played(*(f"copy-{number}" if word == "copy" else word for word in words))
        statuses.add(answer.status)
        assert answer.status in {0, 1, 2, 70}, (words, answer)
        assert "internal error" not in answer.err
        assert "Traceback" not in answer.err
        if answer.status:
            assert answer.err.splitlines()[-1].startswith("arena: ")
    assert {0, 70} <= statuses


@pytest.mark.slow
def test_a_full_disk_ends_a_run_in_a_line_and_makes_it_wait_for_room(tmp_path: Path) -> None:
    if os.geteuid():
        pytest.skip("only root can mount a small disk")
    bots = [bot("play(lambda number, legal: 0)", tmp_path / name) for name in ("one", "two")]
    chosen = suite(tmp_path / "s.toml", "donburiko table 2", deals=60)
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted("-t", "tmpfs", "-o", "size=800k", "arena-test", str(disk))
    try:
        arena = Arena(disk / "home")
        words = ("--bots", named(bots), "--suite", str(chosen), "--tier", "none", "-j", "2")
        full = {"TMPDIR": str(tmp_path)}
        _, remarks = Arena(disk / "home", environment=full).run("tournament", *words, status=70)
        assert "the disk is full; what was stored is kept, make room and go on" in remarks
        assert "Traceback" not in remarks
        kept = arena.played()
        assert kept

        mounted("-o", "remount,size=40m", str(disk))
        arena.run("tournament", "--resume", "short", "-j", "2")
        whole = arena.played()
        assert kept.items() <= whole.items()
        assert len(whole) == 120
    finally:
        unmounted(disk)
