"""Where the files are that come with arena beside its code: sample bots, suites, the protocol.

Imports the standard library alone, so that anything may ask.
"""

from pathlib import Path
from typing import Literal

SAMPLE_SUFFIXES = (".js", ".py")


def bundled(name: Literal["bots", "protocol", "seeds"]) -> Path:
    """Return the folder ``name`` that belongs to this very copy of arena.

    An installed wheel carries it inside the package, in a folder called ``_bundled``; in a
    checkout it is beside the package.
    """
    package = Path(__file__).resolve().parent
    installed = package / "_bundled" / name
    return installed if installed.is_dir() else package.parent / name


def sample_bots() -> list[Path]:
    """Return the sample bots' files, by name."""
    return sorted(path for path in bundled("bots").iterdir() if path.suffix in SAMPLE_SUFFIXES)


def python_sdk() -> Path:
    """Return the file of the Python SDK."""
    return bundled("protocol") / "sdk" / "python" / "arena_bot.py"
