"""How a bot is built and started: its ``bot.toml``, or what its files are called."""

import difflib
import json
import posixpath
import tomllib
import unicodedata
from collections.abc import Mapping
from typing import Any, NamedTuple

from arena.errors import UsageError
from arena.games import closest
from arena.players.files import EXECUTABLE, PLAIN, File, shown
from arena.wire.escape import printable

MANIFEST = "bot.toml"
RUNTIMES = ("node", "python")
"""First words of a command that stand for an interpreter of this machine."""

LONGEST_AUTHOR = 80
LONGEST_LANGUAGE = 32
MOST_LANGUAGES = 8
MOST_STEPS = 32

_KEYS = ("author", "build", "command", "languages", "name", "rules")
_BY_SUFFIX = {".py": "python", ".js": "node", ".mjs": "node", ".cjs": "node"}
_SOURCES = frozenset({".c", ".cc", ".cpp", ".cs", ".go", ".java", ".kt", ".rs", ".ts", ".zig"})
"""What cannot be executed before it is built; there are more, and those are told less."""

_SCRIPTS = ("bot.py", "main.py", "bot.js")
_PROGRAM = "bot"
_MAX_MANIFEST_BYTES = 64 * 1024
_NO_SCRIPT = ("-m", "-c")
"""Options of Python after which no file is started."""

_MEANINGS = {
    "command": 'command is a list of strings, such as ["python", "bot.py"]',
    "build": 'build is a list of commands, such as [["gcc", "-O2", "bot.c", "-o", "bot"]]',
    "author": "author is a string with something in it",
    "languages": 'languages is a list of strings, such as ["C", "Python"]',
}

_ECHO = 60


class Manifest(NamedTuple):
    """What a ``bot.toml`` says."""

    command: tuple[str, ...] | None = None
    """``python`` or ``node`` and what follows, or a program of the folder; absent: to be found."""

    name: str | None = None
    rules: bool = False
    """Whether the bot wants the rules package, where its imports do not show it."""

    build: tuple[tuple[str, ...], ...] = ()
    """Commands that make of the files what ``command`` starts, one after the other."""

    author: str | None = None
    languages: tuple[str, ...] = ()
    """No digest covers author and languages. Bots of one author are kept apart at tables."""


def read_manifest(file: File, where: str) -> Manifest:
    """Return what ``file`` says; ``where`` stands for its folder in messages.

    Raises:
        UsageError: it is not TOML, or says what no bot.toml can say.
    """
    place = f"{where}/{MANIFEST}"
    if len(file.content) > _MAX_MANIFEST_BYTES:
        raise UsageError(f"{place} is longer than {_MAX_MANIFEST_BYTES // 1024} KiB")
    try:
        table = tomllib.loads(file.content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{place} is not TOML: {printable(str(error), 120)}") from None
    for key in table:
        if key not in _KEYS:
            near = closest(key[:_ECHO], _KEYS)
            raise UsageError(f"{place} has no key '{printable(key, _ECHO)}'{near}")
    author = table.get("author")
    return Manifest(
        command=_words(table["command"], "command", place) if "command" in table else None,
        name=_typed(table, "name", str, "a string", place),
        rules=bool(_typed(table, "rules", bool, "true or false", place)),
        build=_steps(table, place),
        author=None if author is None else _shown(author, "author", LONGEST_AUTHOR, place),
        languages=_languages(table, place),
    )


def _typed(table: dict[str, Any], key: str, kind: type, meaning: str, place: str) -> Any:  # noqa: ANN401 - TOML data
    value = table.get(key)
    if value is not None and type(value) is not kind:
        raise UsageError(f"{place}: {key} is {meaning}")
    return value


def _words(value: object, key: str, place: str) -> tuple[str, ...]:
    words = value if isinstance(value, list) else []
    if not words or not all(isinstance(word, str) and word for word in words):
        raise UsageError(f"{place}: {_MEANINGS[key]}")
    for word in words:
        if any(unicodedata.category(char) in {"Cc", "Cs"} for char in word):
            raise UsageError(
                f"{place}: the {key} has a control character: '{printable(word, _ECHO)}'"
            )
    return tuple(words)


def _steps(table: dict[str, Any], place: str) -> tuple[tuple[str, ...], ...]:
    steps = table.get("build", [])
    if not isinstance(steps, list) or ("build" in table and not steps):
        raise UsageError(f"{place}: {_MEANINGS['build']}")
    if len(steps) > MOST_STEPS:
        raise UsageError(f"{place}: build has {len(steps)} steps, and {MOST_STEPS} is the most")
    return tuple(_words(step, "build", place) for step in steps)


def _languages(table: dict[str, Any], place: str) -> tuple[str, ...]:
    said = table.get("languages", [])
    if not isinstance(said, list):
        raise UsageError(f"{place}: {_MEANINGS['languages']}")
    if len(said) > MOST_LANGUAGES:
        raise UsageError(f"{place}: {MOST_LANGUAGES} languages is the most")
    return tuple(_shown(one, "languages", LONGEST_LANGUAGE, place) for one in said)


def _shown(value: object, key: str, longest: int, place: str) -> str:
    """Return ``value`` if it is a text that can stand in a table."""
    if not isinstance(value, str) or not value.strip():
        raise UsageError(f"{place}: {_MEANINGS[key]}")
    if len(value) > longest:
        raise UsageError(f"{place}: {key} is too long: {longest} characters is the most")
    if printable(value) != value:
        raise UsageError(f"{place}: {key} has characters to hide in: '{printable(value, _ECHO)}'")
    return value.strip()


def check_command(
    command: tuple[str, ...], files: Mapping[str, File], where: str
) -> tuple[str, ...]:
    """Return ``command`` with plain paths, or raise `UsageError` if it starts nothing."""
    program = command[0]
    words = [_plain(word, files) for word in command[1:]]
    if program not in RUNTIMES:
        path = posixpath.normpath(program)
        if path not in files:
            near = difflib.get_close_matches(program[:_ECHO], [*RUNTIMES, *files], n=1)
            hint = f"; did you mean '{printable(near[0], _ECHO)}'?" if near else ""
            raise UsageError(
                f"{where}: a command begins with python, node or a file of the folder, "
                f"not with '{printable(program, _ECHO)}'{hint}"
            )
        if files[path].mode != EXECUTABLE:
            raise UsageError(f"{where}: {shown(path)} is not executable: chmod +x it")
        return (path, *words)
    script = next((word for word in words if not word.startswith("-")), None)
    if script is None:
        raise UsageError(f"{where}: the command says no script for {program} to run")
    # With an option before it, the word may be a module or the option's own value.
    if words[0] == script and script not in files:
        raise UsageError(
            f"{where}: the command names '{printable(script, _ECHO)}', which is no file of the bot"
        )
    return (program, *words)


def _plain(word: str, files: Mapping[str, File]) -> str:
    path = posixpath.normpath(word)
    return path if path in files else word


def script_of(command: tuple[str, ...], files: Mapping[str, File]) -> str | None:
    """Return the path of the file in ``files`` that ``command`` starts, if it starts one."""
    for word in command:
        if word in files:
            return word
        if word in _NO_SCRIPT:
            break
    return None


def find_command(files: Mapping[str, File], where: str) -> tuple[str, ...]:
    """Return the command of a folder that does not say it: it has one entry point by name.

    Raises:
        UsageError: it has none or several.
    """
    found = [name for name in _SCRIPTS if name in files]
    if _PROGRAM in files and files[_PROGRAM].mode == EXECUTABLE:
        found.append(_PROGRAM)
    if not found:
        raise UsageError(
            f"{where} has no entry point: it needs bot.py, main.py, bot.js, an executable called "
            f"bot, or a {MANIFEST} with a command"
        )
    if len(found) > 1:
        raise UsageError(
            f"{where} has several entry points ({', '.join(found)}): say which one by the command "
            f"in a {MANIFEST}"
        )
    return script_command(files[found[0]], where)


def script_command(file: File, where: str) -> tuple[str, ...]:
    """Return the command that starts ``file``, by its suffix or its executable bit."""
    suffix = posixpath.splitext(file.path)[1].lower()
    runtime = _BY_SUFFIX.get(suffix)
    if runtime is not None:
        return (runtime, file.path)
    if file.path == MANIFEST:
        raise UsageError(f"{where} is no bot but says how one is started: name its folder")
    if suffix in _SOURCES and file.mode != EXECUTABLE:
        raise UsageError(
            f"{where} has to be built: put it into a folder, with a {MANIFEST} that says build and "
            "command, and name that"
        )
    if file.mode != EXECUTABLE:
        raise UsageError(
            f"{where} is neither a .py or .js script nor executable: rename it or chmod +x it"
        )
    return (file.path,)


def manifest_file(command: tuple[str, ...], build: tuple[tuple[str, ...], ...] = ()) -> File:
    """Return the ``bot.toml`` of a snapshot: the command, how it was built, and nothing else.

    It is always written alike, so that a snapshot's digest also covers how the bot is started.
    """
    text = f"command = {_list(command)}\n"
    if build:
        text += f"build = [{', '.join(map(_list, build))}]\n"
    return File(MANIFEST, PLAIN, text.encode())


def _list(words: tuple[str, ...]) -> str:
    # With control characters refused, a JSON string is a TOML string.
    return f"[{', '.join(json.dumps(word, ensure_ascii=False) for word in words)}]"
