import subprocess
import sys
from importlib import import_module
from typing import Any

import pytest
import typer

from arena.cli.app import app
from arena.cli.commands import MODULES

GROUP: Any = typer.main.get_command(app)


@pytest.mark.parametrize("module", MODULES)
def test_a_module_registers_the_commands_that_are_said_to_be_its_own(module: str) -> None:
    part = typer.Typer()
    import_module(f"arena.cli.{module}").register(part)

    assert tuple(sorted(typer.main.get_group(part).commands)) == tuple(sorted(MODULES[module]))


def test_every_command_can_be_had_by_its_name() -> None:
    assert [GROUP.get_command(None, name).name for name in GROUP.list_commands(None)] == [
        name for names in MODULES.values() for name in names
    ]
    assert GROUP.get_command(None, "nosuch") is None
    assert "nosuch" not in GROUP.commands
    assert len(GROUP.commands) == len(list(GROUP.commands))


def test_a_command_imports_nothing_that_only_others_need() -> None:
    script = (
        "import sys; from arena.cli.app import run; run(['leaderboard', '--help']);"
        "print([name for name in sys.modules if name.startswith('arena.cli.')])"
    )

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)

    assert b"'arena.cli.leaderboard'" in done.stdout
    assert not any(f"arena.cli.{name}'".encode() in done.stdout for name in ("match", "doctor"))
