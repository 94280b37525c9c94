import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from arena.errors import UsageError
from arena.store.db import Store
from arena.store.lock import hold, is_held

HOLDER = """
import os, sys, time
from pathlib import Path
from arena.store.db import open_store
from arena.store.lock import hold
with open_store(Path(sys.argv[1])) as store, hold(store, "spring"):
    if os.fork() == 0:
        os.close(1)
        os.read(0, 1)
        os._exit(0)
    print("held", flush=True)
    time.sleep(60)
"""


def test_only_one_process_at_a_time_plays_a_tournament(store: Store) -> None:
    assert not is_held(store, "spring")
    with hold(store, "spring"):
        assert is_held(store, "spring")
        assert not is_held(store, "autumn")
        with (
            pytest.raises(UsageError, match="spring is being played by another arena"),
            hold(store, "spring"),
        ):
            pass
        assert is_held(store, "spring")
    assert not is_held(store, "spring")


def test_a_killed_holder_lets_go_even_if_a_worker_of_its_lives_on(store: Store) -> None:
    command = [sys.executable, "-c", HOLDER, str(store.home)]
    with subprocess.Popen(
        command, cwd=Path(__file__).parents[2], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        assert is_held(store, "spring")
        os.kill(holder.pid, signal.SIGKILL)
        holder.wait()

        deadline = time.monotonic() + 5
        while is_held(store, "spring"):
            assert time.monotonic() < deadline
        with hold(store, "spring"):
            pass


def test_a_home_in_which_no_lock_can_be_made_is_one_line(store: Store) -> None:
    (store.home / "running").write_text("in the way")

    with pytest.raises(UsageError, match="cannot write in"), hold(store, "spring"):
        pass


def test_whoever_is_refused_learns_who_plays_where_and_since_when(store: Store) -> None:
    with hold(store, "spring"), pytest.raises(UsageError) as refused, hold(store, "spring"):
        pass

    said = str(refused.value)
    start = "tournament spring is being played by another arena: process "
    assert said.startswith(f"{start}{os.getpid()} on {socket.gethostname()}, since 2")


@pytest.mark.parametrize("said", [b"", b"\xff\x1b[2J", b"x" * 100_000])
def test_whatever_the_locks_file_says_is_one_short_line(store: Store, said: bytes) -> None:
    with hold(store, "spring"):
        (store.home / "running" / "spring").write_bytes(said)
        with pytest.raises(UsageError) as refused, hold(store, "spring"):
            pass
    assert str(refused.value).isprintable()
    assert len(str(refused.value)) < 300
    # What a dead holder said is gone with the next one.
    with hold(store, "spring"):
        text = (store.home / "running" / "spring").read_text()
    assert text.startswith(f"process {os.getpid()} on ")


def test_another_runner_of_the_same_process_group_takes_over_from_a_dead_one(store: Store) -> None:
    child = os.fork()
    if child == 0:
        with hold(store, "spring"):
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)

    with hold(store, "spring"):
        assert is_held(store, "spring")
