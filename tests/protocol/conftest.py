"""Bots for the tests of the SDKs, one in each language: what `probes/` holds, made ready to run."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conversation import ROOT, python

PROBES = Path(__file__).parent / "probes"
CPP = ROOT / "protocol" / "sdk" / "cpp"
WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror")

Probe = Callable[..., list[str]]
"""The words after the program's name -> the command that starts it."""

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
needs_gcc = pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")
# Compiled once a process of pytest, so all of them in the same one.
IN_CPP = (needs_gcc, pytest.mark.slow, pytest.mark.xdist_group("cpp"))


@pytest.fixture(scope="session")
def cpp_program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the probe in C++, compiled."""
    program = tmp_path_factory.mktemp("cpp") / "probe"
    source = PROBES / "probe.cpp"
    command = ["g++", "-std=c++17", *WARNINGS, f"-I{CPP}", str(source), "-o", str(program)]
    subprocess.run(command, check=True, timeout=100)
    return program


@pytest.fixture(
    params=[
        "python",
        pytest.param("javascript", marks=needs_node),
        pytest.param("cpp", marks=IN_CPP),
    ]
)
def probe(request: pytest.FixtureRequest) -> Probe:
    """Return how to start the probe of a language."""
    if request.param == "python":
        command = python(PROBES / "probe.py")
    elif request.param == "javascript":
        command = ["node", str(PROBES / "probe.js")]
    else:
        command = [str(request.getfixturevalue("cpp_program"))]
    return lambda *words: [*command, *map(str, words)]
