import contextlib
import json
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.errors import UsageError
from arena.players import sandbox_files
from arena.players.process import BotProcess, Program
from arena.players.sandbox import Sandbox, isolation
from arena.players.tier import Tier
from arena.referee.limits import Limits

pytestmark = pytest.mark.slow

MODULES = os.pathsep.join([str(Path(__file__).resolve().parents[2]), *sys.path])
SANDBOXED = [Tier.BWRAP, Tier.STRICT]
PYTHON_BOT = "import sys\nfor line in sys.stdin.buffer: print(line.decode()[:-1] * 2, flush=True)\n"
NODE_BOT = """
const lines = require("readline").createInterface({ input: process.stdin });
lines.on("line", (line) => process.stdout.write(line + line + "\\n"));
"""
NATIVE_BOT = """
#include <stdio.h>
#include <string.h>
int main(void) {
    char line[100];
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\\n")] = 0;
        printf("%s%s\\n", line, line);
        fflush(stdout);
    }
}
"""


def needs(tier: Tier) -> None:
    if lacking := isolation().lacking:
        pytest.skip(lacking)
    isolation(tier)


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    """A folder as a snapshot is one: everybody may read it."""
    folder = tmp_path / "bot"
    folder.mkdir(mode=0o755)
    return folder


def doubled(argv: tuple[str, ...], folder: Path, tier: Tier) -> bytes:
    """Start a bot that says each line twice, and ask it once."""
    process = BotProcess(Program(argv, folder), Limits(), tier)
    try:
        return process.ask(b"ab\n", 10_000)
    finally:
        process.stop(0)


def python_of(source: str, folder: Path) -> str:
    """Return a Python of the kind ``source``, as somebody may have it."""
    match source:
        case "the system":
            found = shutil.which("python3", path="/usr/bin")
        case "pyenv":
            path = Path(sys.base_prefix, "bin", "python3")
            found = str(path) if ".pyenv" in path.parts else None
        case _:
            made = folder / "environment"
            venv.create(made, symlinks=source == "an environment", with_pip=False)
            found = str(made / "bin" / "python")
    if found is None:
        pytest.skip(f"there is no Python of {source}")
    return found


@pytest.mark.parametrize("tier", SANDBOXED)
@pytest.mark.parametrize(
    "source", ["the system", "pyenv", "an environment", "an environment with a copy"]
)
def test_python_runs_from_wherever_it_is(
    source: str, tier: Tier, bot: Path, tmp_path: Path
) -> None:
    needs(tier)
    (bot / "bot.py").write_text(PYTHON_BOT)

    python = python_of(source, tmp_path)

    assert doubled((python, "-s", "-B", str(bot / "bot.py")), bot, tier) == b"abab"


def test_a_python_behind_several_links_runs(bot: Path, tmp_path: Path) -> None:
    needs(Tier.BWRAP)
    (bot / "bot.py").write_text(PYTHON_BOT)
    for name, target in (("one", Path(sys.executable)), ("two", tmp_path / "one" / "python")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "python").symlink_to(target)

    python = tmp_path / "two" / "python"

    assert doubled((str(python), "-s", "-B", str(bot / "bot.py")), bot, Tier.BWRAP) == b"abab"


def test_node_runs(bot: Path) -> None:
    needs(Tier.BWRAP)
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no Node.js")
    (bot / "bot.js").write_text(NODE_BOT)

    assert doubled((node, str(bot / "bot.js")), bot, Tier.BWRAP) == b"abab"


@pytest.mark.parametrize("tier", SANDBOXED)
def test_a_static_program_runs(tier: Tier, bot: Path, tmp_path: Path) -> None:
    needs(tier)
    (tmp_path / "bot.c").write_text(NATIVE_BOT)
    compiler = shutil.which("gcc") or pytest.skip("there is no C compiler")
    command = [compiler, "-static", "-o", str(bot / "bot"), str(tmp_path / "bot.c")]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("there is no static C library")

    assert doubled((str(bot / "bot"),), bot, tier) == b"abab"


# Interpreters that would show too much


def shown_for(program: Path, folder: Path) -> list[str]:
    return list(sandbox_files.interpreter(str(program), folder))


@pytest.mark.parametrize("place", ["home", "above the home", "bin of the home"])
def test_an_interpreter_that_would_show_the_home_is_refused(
    place: str, bot: Path, tmp_path: Path
) -> None:
    home = tmp_path / "arena" / "results"
    home.mkdir(parents=True)
    sandbox_files.hide(home)
    folder = {"home": home, "above the home": home.parent, "bin of the home": home / "bin"}[place]
    folder.mkdir(exist_ok=True)
    (folder / "python").symlink_to(sys.executable)

    with pytest.raises(UsageError, match="holds more than the interpreter"):
        doubled((str(folder / "python"), "-c", ""), bot, Tier.BWRAP)


def test_an_interpreter_in_the_user_s_own_bin_is_refused(
    bot: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    program = tmp_path / "user" / "bin" / "python"

    with pytest.raises(UsageError, match="holds more than the interpreter"):
        shown_for(program, bot)
    with pytest.raises(UsageError, match="holds more than the interpreter"):
        shown_for(Path("/tmp/bin/python"), bot)  # noqa: S108 - never made


def test_a_shim_is_refused_with_a_hint(bot: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"only finds another one .* put that first in PATH$"):
        shown_for(tmp_path / "shims" / "python", bot)


def test_an_interpreter_below_a_home_shows_its_own_folder_alone(
    bot: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    program = tmp_path / ".pyenv" / "versions" / "3.11" / "bin" / "python"

    words = shown_for(program, bot)

    bound = [words[at + 1] for at, word in enumerate(words) if word == "--ro-bind"]
    assert bound == [str(program.parents[1])]


# Machines without a sandbox


def machine_with(folder: Path, script: str | None) -> str:
    """Return a PATH on which bubblewrap is ``script``, or is missing."""
    folder.mkdir()
    if script is not None:
        (folder / "bwrap").write_text(f"#!/bin/sh\n{script}\n")
        (folder / "bwrap").chmod(0o755)
    return str(folder)


def asked(path: str, code: str) -> str:
    """Return what a Python with PATH ``path`` prints for an expression."""
    prelude = "from arena.players.sandbox import *\nfrom arena.errors import UsageError\n"
    return subprocess.run(
        [sys.executable, "-c", f"{prelude}{code}"],
        env={"PATH": path, "PYTHONPATH": MODULES},
        capture_output=True,
        check=True,
        text=True,
    ).stdout.strip()


FORBIDDEN = """
[ "$1" = --version ] && echo bubblewrap 0.11.0 && exit
echo bwrap: No permissions to create new namespace >&2; exit 1
"""


@pytest.mark.parametrize(
    ("script", "lacking"),
    [
        (None, "bubblewrap is missing: install the package bubblewrap, or arena[sandbox]"),
        (
            "echo bubblewrap 0.6.1",
            "bubblewrap 0.6.1 is too old: install 0.8 or later, or arena[sandbox]",
        ),
        (FORBIDDEN, "bwrap: No permissions to create new namespace ("),
    ],
)
def test_what_stands_in_the_way_is_said_in_one_line(
    script: str | None, lacking: str, tmp_path: Path
) -> None:
    if Path(sys.executable).with_name("bwrap").exists():
        pytest.skip("bubblewrap lies beside this Python")
    path = machine_with(tmp_path / "path", script)

    found = json.loads(
        asked(path, "import json\nit = isolation()\nprint(json.dumps([it.tier, it.lacking]))")
    )
    refused = asked(
        path, "try: isolation(Tier.BWRAP)\nexcept UsageError as error: print(error, end='')"
    )

    assert found[0] == "none"
    assert found[1].startswith(lacking)
    assert "\n" not in found[1]
    assert refused == f"bots cannot be isolated here: {found[1]}"


def test_the_tier_without_a_sandbox_needs_no_bubblewrap(tmp_path: Path) -> None:
    path = machine_with(tmp_path / "path", "exit 1")

    assert asked(path, "print(isolation(Tier.NONE).tier, isolation(Tier.NONE).lacking)") == "none"


# The object


@contextlib.contextmanager
def no_descriptor_left() -> Iterator[None]:
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - its own descriptor counts, too
    yield
    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208 - likewise


def test_a_sandbox_that_is_not_entered_leaves_no_descriptor() -> None:
    with no_descriptor_left():
        with Sandbox() as sandbox:
            assert not sandbox.was_entered
        sandbox.close()


def test_limits_that_are_lower_already_are_kept(bot: Path) -> None:
    needs(Tier.BWRAP)
    (bot / "bot.py").write_text(
        "import resource\ninput()\nprint(resource.getrlimit(resource.RLIMIT_STACK))\n"
    )
    code = (
        "import resource, sys\n"
        "from pathlib import Path\n"
        "from arena.players.process import BotProcess, Program\n"
        "from arena.players.sandbox import Tier\n"
        "from arena.referee.limits import Limits\n"
        "resource.setrlimit(resource.RLIMIT_STACK, (4 << 20, 4 << 20))\n"
        f"folder = Path({str(bot)!r})\n"
        "argv = (sys.executable, '-I', '-S', str(folder / 'bot.py'))\n"
        "bot = BotProcess(Program(argv, folder), Limits(), Tier.BWRAP)\n"
        "print(bot.ask(b'\\n', 5000).decode())\n"
        "bot.stop(0)\n"
    )

    assert asked(os.environ["PATH"], code) == str((4 << 20, 4 << 20))
