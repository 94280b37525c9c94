import signal
import subprocess
import sys

from tests.together import ROOT

# Interrupts itself as soon as something is imported that only the app needs.
INTERRUPTED = """
import os, signal, sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "typer":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder())
from arena.cli.entry import main
main()
"""
ASKED = """
import signal, sys
sys.argv[1:] = ["--version"]
from arena.cli.entry import main
try:
    main()
except SystemExit:
    print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)
"""


def run(program: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )


def test_an_interrupt_during_the_import_ends_the_command_without_a_traceback() -> None:
    ended = run(INTERRUPTED)

    assert ended.returncode == -signal.SIGINT
    assert ended.stderr == ""


def test_afterwards_interrupts_are_for_the_app_to_handle() -> None:
    assert run(ASKED).stdout.splitlines()[-1] == "True"
