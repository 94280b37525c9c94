"""The beginning of a bot: a folder with a small bot in it that can be submitted as it is.

What goes into it are files of ``protocol/sdk/LANGUAGE/template``, a bot in order that is called
`PLACEHOLDER`, and the library of that language, so that the folder needs nothing beside it.
"""

import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from arena.bundled import bundled
from arena.errors import HostFault, UsageError
from arena.players.build import SYSTEM_PATH
from arena.players.files import discard, shown
from arena.players.names import check_bot_name

PLACEHOLDER = "mybot"
"""What the bot of a template is called, in all of its files."""

_RENAMED = {"gitignore": ".gitignore"}
"""Files that would do something in the place where the templates are kept."""


@dataclass(frozen=True, slots=True)
class Language:
    """What a bot in one language begins with."""

    folder: str
    """Of its SDK, below ``protocol/sdk``."""

    library: tuple[str, ...]
    """Files of the SDK that the bot's folder gets."""

    program: str | None = None
    """What this machine needs beside arena; ``None``: nothing."""

    why: str = ""
    """What for."""


LANGUAGES: Mapping[str, Language] = MappingProxyType(
    {
        "python": Language("python", ("arena_bot.py",)),
        "js": Language(
            "javascript", ("arena_bot.cjs", "arena_bot.d.cts"), "node", "bots in JavaScript run on"
        ),
        "cpp": Language("cpp", ("arena_bot.hpp",), "g++", "`arena submit` builds the bot with"),
    }
)
"""Languages by the names that ``arena new --lang`` takes."""


def scaffold(name: str, language: str, parent: Path) -> list[Path]:
    """Make the folder ``name`` in ``parent``, with the beginning of a bot of that name.

    It is there whole or not at all, and nothing that is there is touched.

    Args:
        name: of the folder and of the bot.
        language: one of `LANGUAGES`.
        parent: a folder.

    Returns:
        The files, sorted.

    Raises:
        UsageError: a bot cannot be called so, there is something of that name, or the place cannot
            be written.
    """
    folder = parent / check_bot_name(name)
    files = _files(name, LANGUAGES[language])
    _check_free(folder)
    try:
        around = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=parent))
    except OSError as error:
        raise UsageError(f"cannot write {shown(folder)}: {error.strerror}") from None
    try:
        new = around / name
        new.mkdir()
        for path, content in files.items():
            (new / path).write_bytes(content)
        _check_free(folder)
        new.rename(folder)
    except OSError as error:
        # Somebody else may have been faster, and filled it.
        _check_free(folder)
        raise UsageError(f"cannot write {shown(folder)}: {error.strerror}") from None
    finally:
        discard(around)
    return sorted(folder / path for path in files)


def lacking(language: str) -> str:
    """Return what this machine lacks for bots in ``language``, in a sentence; empty if nothing."""
    its = LANGUAGES[language]
    # A build finds programs of the system alone, a bot its interpreter wherever the user has it.
    path = None if its.program == "node" else SYSTEM_PATH
    if its.program is None or shutil.which(its.program, path=path):
        return ""
    return f"{its.program}, which {its.why}, is not installed"


def _check_free(folder: Path) -> None:
    if folder.is_symlink() or folder.exists():
        raise UsageError(f"{shown(folder)} is there already: choose another name, or move it away")


def _files(name: str, language: Language) -> dict[str, bytes]:
    """Return the files of a new bot, by their names."""
    sdk = bundled("protocol") / "sdk" / language.folder
    try:
        template = sorted(path for path in (sdk / "template").iterdir() if path.is_file())
        found = {
            _RENAMED.get(path.name, path.name): path.read_bytes().replace(
                PLACEHOLDER.encode(), name.encode()
            )
            for path in template
        }
        return found | {file: (sdk / file).read_bytes() for file in language.library}
    except OSError as error:
        raise HostFault(f"this copy of arena is damaged: {sdk}: {error.strerror}") from None
