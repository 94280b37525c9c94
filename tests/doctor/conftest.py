"""What the doctor finds, as root and as an ordinary user."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from arena.doctor.probe import Verdict
from arena.doctor.run import examine
from arena.players.sandbox import Tier, isolation

ROOT = Path(__file__).resolve().parents[2]
FREE_UID = 23_456
"""Of nobody, one hopes, and of no sandbox."""

SAYS = """
import json, sys
from arena.cli.app import run
sys.exit(run(["doctor", "--format", "json", *sys.argv[1:]]))
"""
Found = dict[str, tuple[Verdict, str]]


class Case(NamedTuple):
    """A kind of sandbox: its tier, and who makes it."""

    tier: Tier
    root: bool


CASES = {
    "bwrap, as root": Case(Tier.BWRAP, root=True),
    "bwrap, as an ordinary user": Case(Tier.BWRAP, root=False),
    "strict, as root": Case(Tier.STRICT, root=True),
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep these tests in one process, so that it is looked once: `pytest --dist loadgroup`."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.xdist_group("doctor"))


def found_in(case: Case) -> Found:
    """Return what the doctor finds, once for all tests, also if that is nothing."""
    found = _tried(case)
    if isinstance(found, BaseException):
        raise found
    return found


@cache
def _tried(case: Case) -> "Found | BaseException":
    try:
        return _find_in(case)
    except (Exception, pytest.skip.Exception, pytest.fail.Exception) as error:  # noqa: BLE001
        return error


def _find_in(case: Case) -> Found:
    if lacking := isolation().lacking:
        pytest.skip(lacking)
    is_root = os.geteuid() == 0
    if case.root and not is_root:
        pytest.skip("only root can")
    if is_root and not case.root:
        return _as_ordinary_user(case.tier)
    return {it.probe.name: (it.verdict, it.why) for it in examine(case.tier)}


def _as_ordinary_user(tier: Tier) -> Found:
    with _ordinary_home() as home:
        begin = _ordinary_python(home)
        said = subprocess.run(
            [*begin, "-c", SAYS, "--tier", tier.value],
            cwd=home,
            capture_output=True,
            check=False,
            text=True,
        )
    if said.returncode not in {0, 1}:
        pytest.fail(said.stderr)
    rows = json.loads(said.stdout)
    return {row["check"]: (Verdict(row["verdict"]), row["text"]) for row in rows if row["verdict"]}


class _ordinary_home(tempfile.TemporaryDirectory[str]):  # noqa: N801 - called as a function
    """A folder that belongs to an ordinary user."""

    def __enter__(self) -> str:
        name = super().__enter__()
        os.chown(name, FREE_UID, FREE_UID)
        return name


def _ordinary_python(home: str) -> list[str]:
    """Return the beginning of a command that runs a Python with arena as an ordinary user."""
    places = [str(ROOT), sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
    for python in (sys.executable, *map(shutil.which, (_versioned(), "python3"))):
        command = [
            *("setpriv", "--reuid", str(FREE_UID), "--regid", str(FREE_UID), "--clear-groups"),
            *("env", "-i", f"PATH={os.environ['PATH']}", f"HOME={home}", "LANG=C.UTF-8"),
            *(f"PYTHONPATH={os.pathsep.join(places)}", "PYTHONDONTWRITEBYTECODE=1", str(python)),
        ]
        tried = subprocess.run(
            [*command, "-c", "import arena.cli.app"], cwd=home, capture_output=True, check=False
        )
        if python and tried.returncode == 0:
            return command
    pytest.skip("no Python with arena's packages is open to an ordinary user here")


def _versioned() -> str:
    return f"/usr/bin/python{sys.version_info.major}.{sys.version_info.minor}"
