import os
import shutil
import tempfile
import time
import zipfile
from collections.abc import Iterable
from pathlib import Path

import pytest

from arena.errors import HostFault, UsageError
from arena.players import build as building
from arena.players import strays
from arena.players.build import build
from arena.players.files import EXECUTABLE, PLAIN, File
from arena.players.sandbox import isolation
from arena.players.submission import read_bundle
from arena.players.tail import TAIL
from arena.players.tier import Tier

pytestmark = pytest.mark.slow

GCC = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
WRITE = "import sys; open(sys.argv[1], 'w').write(sys.argv[2])"

C_BOT = """\
#include <stdio.h>
#include <string.h>

static char line[1 << 20];

int main(void) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  while (fgets(line, sizeof line, stdin)) {
    if (strstr(line, "\\"hello\\"")) puts("{\\"type\\":\\"ready\\",\\"protocol\\":1}");
    if (strstr(line, "\\"quit\\"")) return 0;
  }
  return 0;
}
"""


@pytest.fixture(params=[Tier.BWRAP, Tier.NONE])
def tier(request: pytest.FixtureRequest) -> Tier:
    found: Tier = request.param
    if found is Tier.BWRAP and (lacking := isolation().lacking):
        pytest.skip(lacking)
    return found


@pytest.fixture(autouse=True)
def nothing_is_left(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterable[None]:
    # A place of its own: other tests build at the same time.
    scratch = tmp_path_factory.mktemp("scratch")
    scratch.chmod(0o755)
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    yield
    assert list(scratch.glob("arena-build-*")) == []
    assert strays.live == {}
    assert strays.end() == 0


def python(code: str, *arguments: str) -> tuple[str, ...]:
    return ("python", "-c", code, *arguments)


def refusal(tier: Tier, *steps: tuple[str, ...], files: Iterable[File] = ()) -> str:
    with pytest.raises(UsageError) as caught:
        build(files, steps, tier, "mybot")
    return str(caught.value)


def test_what_the_steps_make_joins_the_files_one_after_the_other(tier: Tier) -> None:
    script = File("a/make.sh", EXECUTABLE, b"#!/bin/sh\ncp in.txt a/out.txt && rm old.txt\n")
    files = [script, File("in.txt", PLAIN, b"1"), File("old.txt", PLAIN, b"")]

    made = build(files, [("./a/make.sh",), python(WRITE, "in.txt", "2")], tier, "mybot")

    out = File("a/out.txt", PLAIN, b"1")
    assert made == [script, out, File("in.txt", PLAIN, b"2")]


def test_what_tools_leave_behind_is_no_part_of_it(tier: Tier) -> None:
    step = ("python", "-m", "compileall", "-q", ".")

    assert build([File("a.py", PLAIN, b"1")], [step], tier, "mybot") == [File("a.py", PLAIN, b"1")]


def test_a_step_that_fails_is_named_with_the_end_of_what_it_wrote(tier: Tier) -> None:
    code = "import sys\nfor n in range(20): print(n, flush=True)\nsys.exit('it \\x1b[2J broke')"

    why, *tail = refusal(tier, python("pass"), python(code)).split(TAIL)

    assert why.startswith("mybot: build step 2 (python -c import sys\\nfor n in range(20)")
    assert why.endswith(" exited with status 1")
    assert tail == [*map(str, range(13, 20)), r"it \x1b[2J broke"]


def test_what_a_step_wrote_has_the_names_that_its_author_knows(tmp_path: Path) -> None:
    code = "import os, sys; sys.exit(os.path.abspath('bot.c') + ': broken')"

    assert refusal(Tier.NONE, python(code)).endswith(f"{TAIL}bot.c: broken")


def test_a_program_that_is_not_there_is_named(tier: Tier) -> None:
    for program in ("no-such-compiler", "/bin/true", "../x"):
        assert refusal(tier, (program,)) == (
            f"mybot: build step 1 ({program}) begins with what is neither a file of the bot nor "
            "installed here"
        )


@pytest.mark.parametrize(
    ("file", "why"),
    [
        (File("a", PLAIN, b"#!/bin/sh\n"), "Permission denied"),
        (File("a", EXECUTABLE, b"#!/no/such/shell\n"), "No such file or directory"),
    ],
)
def test_a_file_that_is_no_program_is_refused(tier: Tier, file: File, why: str) -> None:
    assert why in refusal(tier, ("./a",), files=[file])


def test_a_build_that_takes_too_long_is_stopped(
    tier: Tier, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "LONGEST_S", 0.5)
    began = time.monotonic()

    said = refusal(tier, ("sleep", "0.1"), ("sleep", "60"))

    assert said == (
        "mybot: build step 2 (sleep 60) was not done when the 0.5 s were over that a build may take"
    )
    assert time.monotonic() - began < 5


def test_what_a_step_leaves_running_is_ended(tier: Tier) -> None:
    code = """
import os, subprocess
subprocess.Popen(["sleep", "600"], start_new_session=True)
subprocess.Popen(["sleep", "600"])
"""
    build([], [python(code)], tier, "mybot")

    assert strays.end() == 0


def test_a_build_that_fills_the_disk_is_stopped(
    tier: Tier, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "MOST_BYTES", 1 << 20)
    monkeypatch.setattr(building, "MOST_FILES", 50)
    big = "import time; open('big', 'wb').write(bytes(3 << 20)); time.sleep(60)"
    many = "import time; [open(f'{n}', 'w') for n in range(99)]; time.sleep(60)"

    assert "wrote more than 1 MiB" in refusal(tier, python(big))
    assert "made more than 50 files" in refusal(tier, python(many))


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("import os; os.symlink('/etc/passwd', 'x')", "mybot/x is a link"),
        ("import os; os.mkfifo('x')", "mybot/x is a named pipe"),
        ("open('x', 'wb').truncate(60 << 20); open('y', 'wb').truncate(60 << 20)", "over 64 MiB"),
        ("[open(f'{n}', 'w').close() for n in range(2001)]", "mybot holds more than 2,000 files"),
        ("open('A', 'w'); open('a', 'w')", "differ only in case"),
    ],
)
def test_what_it_leaves_is_held_to_the_rules_for_all_files(tier: Tier, code: str, why: str) -> None:
    said = refusal(tier, python(code))

    assert said.startswith("what the build left is no bot: mybot")
    assert why in said
    assert "arena-build" not in said


def test_whatever_modes_it_leaves_nothing_stays_behind(tier: Tier) -> None:
    code = "import os; os.makedirs('a/b'); open('a/b/c', 'w'); os.chmod('a/b', 0); os.chmod('a', 0)"
    if os.geteuid():
        assert "cannot read mybot/a" in refusal(tier, python(code))
    else:
        assert build([], [python(code)], tier, "mybot") == [File("a/b/c", PLAIN, b"")]


def test_a_build_in_the_sandbox_reaches_nothing_outside(tmp_path: Path) -> None:
    if lacking := isolation().lacking:
        pytest.skip(lacking)
    code = """
import os, socket, sys
for path in sys.argv[1:]:
    assert not os.path.exists(path), path
try:
    socket.create_connection(("192.0.2.1", 80), 1)
except OSError as error:
    print(error.strerror)
else:
    sys.exit("connected")
try:
    open("/usr/x", "w")
except OSError as error:
    print(error.strerror)
else:
    sys.exit("wrote")
assert os.environ["ARENA_MEMORY_MB"] == "2048"
"""
    build([], [python(code, str(tmp_path), __file__)], Tier.BWRAP, "mybot")


def test_a_machine_without_room_is_no_matter_of_the_bot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    with pytest.raises(HostFault, match="a bot could not be built"):
        build([File("a", PLAIN, b""), File("a/b", PLAIN, b"")], [], Tier.NONE, "mybot")


# Whole bots


def made(folder: Path, manifest: str, **files: str) -> Path:
    folder.mkdir()
    (folder / "bot.toml").write_text(manifest)
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text)
    return folder


@GCC
def test_a_bot_in_c_is_built_twice_into_the_same_snapshot(tmp_path: Path, tier: Tier) -> None:
    manifest = 'command = ["./bot"]\nbuild = [["gcc", "-O1", "-o", "bot", "bot.c"]]\n'
    folder = made(tmp_path / "c", manifest, bot_c=C_BOT)

    bundle = read_bundle(folder, build_in=tier)

    assert {file.path: file.mode for file in bundle.files} == {
        "bot": EXECUTABLE,
        "bot.c": PLAIN,
        "bot.toml": PLAIN,
    }
    assert bundle.command == ("bot",)
    assert read_bundle(folder, build_in=tier).digest == bundle.digest
    assert [path.name for path in folder.iterdir() if path.name == "bot"] == []


@GCC
def test_the_digest_covers_sources_commands_and_results(tmp_path: Path) -> None:
    manifest = 'command = ["./bot"]\nbuild = [["gcc", "-O1", "-o", "bot", "bot.c"]]\n'
    one = made(tmp_path / "one", manifest, bot_c=C_BOT)
    other = made(tmp_path / "other", manifest, bot_c=C_BOT + "// another\n")
    debug = made(tmp_path / "debug", manifest.replace("-O1", "-O0"), bot_c=C_BOT)
    named = made(tmp_path / "named", manifest + 'author = "Ada"\nlanguages = ["C"]\n', bot_c=C_BOT)

    bundles = [read_bundle(path, build_in=Tier.NONE) for path in (one, other, debug, named)]

    assert len({bundle.digest for bundle in bundles}) == 3
    assert bundles[3].digest == bundles[0].digest
    assert (bundles[3].author, bundles[3].languages) == ("Ada", ("C",))


def test_a_python_bot_brings_its_packages_along(tmp_path: Path, tier: Tier) -> None:
    manifest = 'build = [["python", "-m", "zipfile", "-e", "dice.whl", "."]]\n'
    folder = made(tmp_path / "p", manifest, bot_py="import dice, arena_bot\n")
    with zipfile.ZipFile(folder / "dice.whl", "w") as wheel:
        wheel.writestr("dice/__init__.py", "SIDES = 6\n")

    bundle = read_bundle(folder, build_in=tier)

    assert [file.path for file in bundle.files] == [
        "arena_bot.py",
        "bot.py",
        "bot.toml",
        "dice.whl",
        "dice/__init__.py",
    ]


def test_without_a_sandbox_nothing_is_built_unless_that_is_asked_for(tmp_path: Path) -> None:
    folder = made(tmp_path / "b", 'build = [["touch", "bot.py"]]\n')

    with pytest.raises(UsageError, match="has to be built, and bots are not isolated here: --tier"):
        read_bundle(folder)
