import os
import signal
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
