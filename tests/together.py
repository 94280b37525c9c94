"""Python programs that are let go at the same moment, for tests of what happens then."""

import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

ROOT = Path(__file__).parents[1]

GATE = """
print("ready", flush=True)
sys.stdin.read(1)
"""
"""Where a program waits for the others."""


def run_together(program: str, *arguments: Sequence[str]) -> list[int]:
    """Run ``program`` once with each of ``arguments``, from the project's root.

    Each stops at its `GATE` until all have come there.

    Returns:
        Their exit statuses.
    """
    with ExitStack() as stack:
        running = [
            stack.enter_context(
                subprocess.Popen(
                    [sys.executable, "-c", program, *words],
                    cwd=ROOT,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                )
            )
            for words in arguments
        ]
        for one in running:
            assert one.stdout is not None
            assert one.stdout.readline() == b"ready\n"
        for one in running:
            assert one.stdin is not None
            one.stdin.write(b"x")
            one.stdin.close()
        return [one.wait() for one in running]
