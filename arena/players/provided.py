"""What arena adds to a bot's snapshot: the SDK, and the rules for bots that ask for them."""

import ast
import posixpath
import warnings
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import msgspec

import arena
from arena.bundled import python_sdk
from arena.errors import HostFault
from arena.players.files import PLAIN, File
from arena.players.manifest import script_of
from arena.players.names import fold

_CODE_SUFFIXES = (".py", ".pyd", ".so")
_LONGEST_PARSED = 1024 * 1024


def provided(
    command: tuple[str, ...], files: Mapping[str, File], *, rules: bool = False
) -> list[File]:
    """Return the files to be added to ``files``, sorted.

    A bot that runs on Python gets the SDK, ``arena_bot.py``. One whose Python files import
    ``arena``, or that is said to want the ``rules``, gets ``arena.games`` with what that needs: a
    copy of the msgspec package that this arena runs on. They lie beside the script that is
    started, where Python looks first. What the bot brings itself is not replaced.
    """
    script = script_of(command, files)
    beside = posixpath.dirname(script or "")
    added: list[File] = []
    if command[0] == "python" or (script is not None and _names_python(files[script])):
        added += _sdk()
    if rules or any(_imports_arena(file) for file in files.values()):
        added += _rules()
    own = _brought(files, beside)
    return sorted(
        file._replace(path=posixpath.join(beside, file.path))
        for file in added
        if _module(file.path) not in own
    )


def _brought(files: Iterable[str], beside: str) -> set[str]:
    """Return the modules and packages that lie in the folder ``beside`` already."""
    prefix = f"{beside}/" if beside else ""
    tops = {path.removeprefix(prefix) for path in files if path.startswith(prefix)}
    return {_module(path) for path in tops if "/" in path or path.endswith(_CODE_SUFFIXES)}


def _module(path: str) -> str:
    top, *below = fold(path).split("/")
    return top if below else top.split(".")[0]


def _names_python(file: File) -> bool:
    return file.content.startswith(b"#!") and b"python" in file.content.split(b"\n", 1)[0]


def _imports_arena(file: File) -> bool:
    # The search for the word alone spares nearly all files the parser.
    if not file.path.endswith(".py") or b"arena" not in file.content.replace(b"arena_bot", b""):
        return False
    if len(file.content) > _LONGEST_PARSED:
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(file.content)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False  # it will not start either, and then says why itself
    return any(
        name == "arena" or name.startswith("arena.")
        for node in ast.walk(tree)
        for name in _imported(node)
    )


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.level == 0:
        return [node.module or ""]
    return []


@cache
def _sdk() -> tuple[File, ...]:
    path = python_sdk()
    return (_copied(path, path.parent),)


@cache
def _rules() -> tuple[File, ...]:
    package = Path(arena.__file__).parent
    code = [
        package / "__init__.py",
        package / "errors.py",
        *_code(package / "games"),
        *_code(Path(msgspec.__file__).parent),
    ]
    return tuple(
        _copied(path, package.parent if path.is_relative_to(package) else _site()) for path in code
    )


def _site() -> Path:
    return Path(msgspec.__file__).parent.parent


def _code(folder: Path) -> list[Path]:
    return [
        path
        for path in sorted(folder.rglob("*"))
        if path.suffix in _CODE_SUFFIXES and path.is_file()
    ]


def _copied(path: Path, root: Path) -> File:
    try:
        return File(path.relative_to(root).as_posix(), PLAIN, path.read_bytes())
    except OSError as error:
        raise HostFault(f"this copy of arena is damaged: {path}: {error.strerror}") from None
