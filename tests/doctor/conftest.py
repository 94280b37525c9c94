"""What the doctor finds in each kind of sandbox, as root and as an ordinary user."""

import fcntl
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import NamedTuple

import pytest

from arena.doctor.run import examine
from arena.players.sandbox import isolation
from arena.players.tier import Tier

ROOT = Path(__file__).resolve().parents[2]
FREE_UID = 23_456
"""Of nobody, one hopes, and of no sandbox."""

SAYS = """
import json, sys
from arena.doctor.run import examine
from arena.players.sandbox import isolation
from arena.players.tier import Tier
tier = Tier(sys.argv[1])
if lacking := isolation().lacking:
    sys.exit(lacking)
print(json.dumps({it.probe.name: (it.verdict, it.why) for it in examine(tier)}))
"""
Found = dict[str, tuple[str, str]]
"""Verdict, and what an attack ran into, by the name of the probe."""


class Case(NamedTuple):
    """A kind of sandbox: its tier, and who makes it."""

    tier: Tier
    root: bool


CASES = {
    "bwrap, as root": Case(Tier.BWRAP, root=True),
    "bwrap, as an ordinary user": Case(Tier.BWRAP, root=False),
    "strict, as root": Case(Tier.STRICT, root=True),
}


class Findings:
    """What the doctor finds, looked for once for all tests and all of their workers."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __getitem__(self, case: Case) -> Found:
        """Return what it finds in a kind of sandbox."""
        place = self._folder / f"doctor-{case.tier.value}-{case.root}.json"
        with place.open("a+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            if not place.stat().st_size:
                place.write_text(json.dumps(_found_in(case)))
        found: Found = json.loads(place.read_text())
        return found


@pytest.fixture(scope="session")
def findings(tmp_path_factory: pytest.TempPathFactory) -> Findings:
    """What the doctor finds, by the kind of sandbox."""
    folder = tmp_path_factory.getbasetemp()
    return Findings(folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder)


def _found_in(case: Case) -> Found:
    if lacking := isolation().lacking:
        pytest.skip(lacking)
    is_root = os.geteuid() == 0
    if case.root and not is_root:
        pytest.skip("only root can")
    if is_root and not case.root:
        return _as_ordinary_user(case.tier)
    return {it.probe.name: (it.verdict, it.why) for it in examine(case.tier)}


def _as_ordinary_user(tier: Tier) -> Found:
    with tempfile.TemporaryDirectory() as home:
        os.chown(home, FREE_UID, FREE_UID)
        said = subprocess.run(
            [*_ordinary_python(home), "-c", SAYS, tier.value],
            cwd=home,
            capture_output=True,
            check=False,
            text=True,
        )
    if said.returncode == 1 and said.stderr.count("\n") == 1:
        pytest.skip(f"as an ordinary user: {said.stderr.strip()}")
    if said.returncode:
        pytest.fail(said.stderr)
    found: Found = json.loads(said.stdout)
    return found


def _ordinary_python(home: str) -> list[str]:
    """Return the beginning of a command that runs a Python with arena as an ordinary user."""
    places = [str(ROOT), sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    # One whose compiled packages are ours.
    for python in filter(None, (sys.executable, shutil.which(f"/usr/bin/python{version}"))):
        command = [
            *("setpriv", "--reuid", str(FREE_UID), "--regid", str(FREE_UID), "--clear-groups"),
            *("env", "-i", f"PATH={os.environ['PATH']}", f"HOME={home}", "LANG=C.UTF-8"),
            *(f"PYTHONPATH={os.pathsep.join(places)}", "PYTHONDONTWRITEBYTECODE=1", python),
        ]
        tried = subprocess.run(
            [*command, "-c", "import arena.doctor.run"], cwd=home, capture_output=True, check=False
        )
        if tried.returncode == 0:
            return command
    pytest.skip("no Python with arena's packages is open to an ordinary user here")
