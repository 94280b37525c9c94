"""What a bot can learn of its surroundings, and do to others: nothing where it is isolated.

Each attempt is made outside a sandbox too, where it has to succeed.
"""

import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from arena.games.deal import Deal
from arena.players.process import BotProcess, stop_all
from arena.players.scripted import Scripted
from arena.players.tier import Tier
from arena.referee.limits import Limits
from arena.referee.play import play
from tests.bot_processes import Start, comes_true, states
from tests.tiny_bots import program
from tests.tuck_game import TUCK

pytestmark = pytest.mark.slow


@pytest.fixture
def start_free(tmp_path: Path) -> Iterator[Start]:
    starting = Start(tmp_path / "free", Tier.NONE)
    yield starting
    stop_all(starting.started, grace_ms=0)


def said(bot: BotProcess) -> dict[str, Any]:
    """Return what ``bot`` says when it is asked."""
    found: dict[str, Any] = json.loads(bot.ask(b"{}\n", 5000))
    return found


LOOKING = """
import glob
rivals = [{rival!r}, *glob.glob("../*/rival.py"), *glob.glob("/proc/*/cwd/rival.py")]
sys.path += map(os.path.dirname, rivals)
try:
    import rival
except ImportError:
    rival = None
hear()
say(
    found=[path for path in rivals if os.path.exists(path)],
    imported=getattr(rival, "PLAN", None),
    modules=[name for name in sys.modules if name.split(".")[0] in ("arena", "msgspec")],
    own=sorted(os.listdir(".")),
)
"""


def test_a_bot_sees_its_own_files_and_not_those_of_a_rival(
    tmp_path: Path, start_isolated: Start, start_free: Start
) -> None:
    rival = tmp_path / "rivals" / "rival.py"
    rival.parent.mkdir()
    rival.write_text("PLAN = 'to win'\n")
    body = LOOKING.format(rival=str(rival))

    isolated, free = said(start_isolated(body)), said(start_free(body))

    assert isolated == {"found": [], "imported": None, "modules": [], "own": ["bot.py"]}
    assert (free["found"], free["imported"], free["modules"]) == ([str(rival)], "to win", [])


SURROUNDINGS = """
import glob
def read(path):
    try:
        return open(path, "rb").read(20_000).replace(b"\\0", b" ").decode(errors="replace")
    except OSError as error:
        return error.strerror
same = [sorted(os.environ.items()), os.getcwd(), sys.argv, os.uname(), os.getppid()]
for name in ("cmdline", "environ", "comm"):
    same += [[path, read(path)] for path in sorted(glob.glob("/proc/[0-9]*/" + name))]
more = [read(path) for path in glob.glob("/proc/[0-9]*/*")]
print(json.dumps({"same": same, "more": more}), file=sys.stderr)
ready()
for message in acts():
    answer(message)
"""


def surroundings(folder: Path, key: bytes) -> dict[str, Any]:
    """Return what a bot finds around it in a match whose cards come from ``key``."""
    bot = BotProcess(program(SURROUNDINGS, folder), Limits(stderr_kb=1024), Tier.BWRAP)
    with ExitStack() as stack:
        stack.callback(bot.stop, 0)
        other = Scripted(lambda message: dict(message["legal_actions"][0]))
        played = play(TUCK, Deal(key, "tuck", "standard", 2, 0), [bot, other], Limits())
    assert played.faults == ()
    found: dict[str, Any] = json.loads(bot.stderr)
    return found


@pytest.mark.usefixtures("start_isolated")
def test_what_surrounds_a_bot_does_not_depend_on_the_cards(tmp_path: Path) -> None:
    keys = bytes(range(32)), bytes(range(100, 132))

    found = [surroundings(tmp_path, key) for key in keys]

    assert as_one_user(found[0]["same"]) == as_one_user(found[1]["same"])
    for key, seen in zip(keys, found, strict=True):
        text = json.dumps(seen)
        assert not any(spelt in text for spelt in (key.hex(), str(int.from_bytes(key)), str(key)))


def as_one_user(found: list[Any]) -> str:
    """Return ``found`` with one number for the user: under root each seat is another one."""
    return re.sub(r"\b6[0-3]\d{3}\b", "60000", json.dumps(found, indent=0))


MEDDLING = """
done = {{}}
def attempt(name, deed):
    try:
        done[name] = deed() or "done"
    except OSError as error:
        done[name] = error.strerror
answer = b'{{"type":"action","id":1,"action":{{}}}}\\n'
attempt("memory", lambda: open("/proc/{pid}/mem", "rb").close())
attempt("environment", lambda: open("/proc/{pid}/environ", "rb").close())
attempt("forgery", lambda: open("/proc/{pid}/fd/1", "wb", 0).write(answer) and None)
attempt("stop", lambda: os.kill({pid}, signal.SIGSTOP))
hear()
say(**done)
"""


@pytest.fixture
def rival() -> Iterator["subprocess.Popen[bytes]"]:
    """Start a process that waits to be told something."""
    waiting = [sys.executable, "-I", "-S", "-c", "input()"]
    with subprocess.Popen(waiting, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        yield process
        process.kill()


def test_a_bot_cannot_read_stop_or_speak_for_a_rival(
    rival: "subprocess.Popen[bytes]", start_isolated: Start, start_free: Start
) -> None:
    assert rival.stdout is not None
    body = MEDDLING.format(pid=rival.pid)

    isolated = said(start_isolated(body))

    assert set(isolated.values()) == {"No such file or directory", "No such process"}
    assert "T" not in states(rival.pid)

    free = said(start_free(body))

    assert free["stop"] == free["forgery"] == "done"
    assert comes_true(lambda: states(rival.pid) == ["T"])
    # It is the only line: the isolated one has left none.
    assert os.read(rival.stdout.fileno(), 1000).count(b'"type":"action"') == 1


CALLING = """
import socket
done = []
for family, address in [(socket.AF_INET, ("127.0.0.1", {port})), (socket.AF_UNIX, {name!r})]:
    try:
        with socket.socket(family) as caller:
            caller.settimeout(2)
            caller.connect(address)
            done.append("reached")
    except OSError as error:
        done.append(error.strerror or "timed out")
hear()
say(done=done)
"""


def test_a_bot_reaches_nobody_outside(start_isolated: Start, start_free: Start) -> None:
    name = f"\0arena-test-{os.getpid()}"
    with socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(socket.AF_UNIX) as unix:
        unix.bind(name)
        unix.listen()
        body = CALLING.format(port=tcp.getsockname()[1], name=name)

        isolated, free = said(start_isolated(body)), said(start_free(body))

    assert "reached" not in isolated["done"]
    assert free["done"] == ["reached", "reached"]
