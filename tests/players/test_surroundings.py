import json
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from hypothesis import given
from hypothesis import strategies as st

from arena.players.surroundings import environment, limit, resources
from arena.referee.limits import Limits

SAYS_LIMITS = """
import json, resource, sys
sys.stdin.readline()
names = [name for name in dir(resource) if name.startswith("RLIMIT_")]
print(json.dumps({name: resource.getrlimit(getattr(resource, name)) for name in names}))
"""


@contextmanager
def process() -> Iterator["subprocess.Popen[str]"]:
    """Start a Python that says its limits when it is sent a line."""
    with subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", SAYS_LIMITS],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as started:
        yield started


def test_a_bot_is_told_its_limits_and_no_secret() -> None:
    found = environment("/home", Limits(memory_mb=100, processes=7))

    assert (found["HOME"], found["TMPDIR"]) == ("/home", "/home")
    assert (found["ARENA_MEMORY_MB"], found["ARENA_PROCESSES"]) == ("100", "7")
    assert set(found) - {name for name in found if name.startswith("ARENA_")} == {
        *("PATH", "HOME", "TMPDIR", "LANG", "OMP_NUM_THREADS"),
        *("PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE"),
    }


@given(move_ms=st.integers(1, 3_600_000))
def test_the_environment_does_not_depend_on_the_clock(move_ms: int) -> None:
    assert environment("/", Limits(move_ms=move_ms)) == environment("/", Limits())


def test_without_limits_a_bot_is_held_to_nothing_and_told_nothing() -> None:
    assert resources(None) == {}
    assert not any(name.startswith("ARENA_") for name in environment("/", None))


def test_a_process_is_held_to_all_of_its_limits() -> None:
    limits = Limits(memory_mb=200, file_mb=3, open_files=50)
    with process() as started:
        limit(started.pid, limits)
        found = json.loads(started.communicate("go\n")[0])

    mib = 1024 * 1024
    assert found["RLIMIT_DATA"] == [200 * mib] * 2
    assert found["RLIMIT_FSIZE"] == [3 * mib] * 2
    assert found["RLIMIT_NOFILE"] == [50, 50]
    assert {name for name in found if found[name] == [0, 0]} >= {
        *("RLIMIT_CORE", "RLIMIT_MEMLOCK", "RLIMIT_MSGQUEUE", "RLIMIT_NICE", "RLIMIT_RTPRIO")
    }


def test_a_limit_that_is_lower_already_is_kept() -> None:
    with process() as started:
        resource.prlimit(started.pid, resource.RLIMIT_NOFILE, (20, 20))
        limit(started.pid, Limits(open_files=50))
        found = json.loads(started.communicate("go\n")[0])

    assert found["RLIMIT_NOFILE"] == [20, 20]
