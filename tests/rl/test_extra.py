import subprocess
import sys

import pytest


def run(script: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("missing", ["gymnasium", "numpy", "pettingzoo"])
def test_without_the_extra_a_line_says_how_to_get_it(missing: str) -> None:
    done = run(f"import sys; sys.modules['{missing}'] = None; import arena.rl")

    assert done.stderr.splitlines()[-1] == (
        f"ModuleNotFoundError: arena.rl needs {missing}, which comes with arena's extra rl: "
        "pip install '.[rl]' in a checkout"
    )
    assert "another exception" not in done.stderr


def test_nothing_else_needs_it() -> None:
    done = run(
        "import sys\n"
        "for name in ('gymnasium', 'numpy', 'pettingzoo'): sys.modules[name] = None\n"
        "import arena\n"
        "from arena.cli.app import run\n"
        "from arena.cli.commands import MODULES\n"
        "from importlib import import_module\n"
        "for name in MODULES: import_module(f'arena.cli.{name}')\n"
        "raise SystemExit(run(['games']))\n"
    )

    assert (done.returncode, "donburiko" in done.stdout) == (0, True), done.stderr
