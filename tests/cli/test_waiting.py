import logging
import os
import pty
import subprocess
import sys

import pytest

from arena.cli.waiting import Waiting
from tests.whole_arena import ROOT

SCRIPT = """
from arena.cli.waiting import Waiting
with Waiting() as waiting:
    waiting.told("starting")
    waiting.told("\\x1b[2J" + "x" * 500)
print("done")
"""


def test_a_terminal_shows_what_is_waited_for_on_one_line_that_goes() -> None:
    reader, terminal = pty.openpty()
    subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1", "COLUMNS": "40"},
        stderr=terminal,
        stdout=terminal,
        check=True,
    )
    os.close(terminal)
    shown = os.read(reader, 65536).decode()
    os.close(reader)

    begun, starting, long, left = shown.split("\r\x1b[K")
    assert (begun, starting, left) == ("", "starting …", "done\r\n")
    assert long.startswith("\\x1b[2Jxx")
    assert len(long) == 39


def test_elsewhere_it_is_for_the_log_alone(
    capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG), Waiting() as waiting:
        waiting.told("starting")

    assert capsys.readouterr() == ("", "")
    assert caplog.messages == ["starting"]
