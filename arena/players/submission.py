"""Reading what somebody hands in as a bot: a script, a folder or an archive; built if need be."""

import os
from pathlib import Path

from arena.errors import UsageError
from arena.players.archives import is_archive, read_archive, unsuffixed
from arena.players.build import build
from arena.players.bundle import Bundle
from arena.players.files import File, check_unique, is_folder, read_file, read_folder, shown
from arena.players.manifest import (
    MANIFEST,
    Manifest,
    check_command,
    find_command,
    manifest_file,
    read_manifest,
    script_command,
    script_of,
)
from arena.players.names import check_bot_name
from arena.players.provided import provided
from arena.players.tier import Tier


def read_bundle(path: Path, name: str | None = None, build_in: Tier | None = None) -> Bundle:
    """Take a snapshot of the bot at ``path``.

    Args:
        path: a script (``.py``, ``.js``, or any executable file); or a folder or an archive with a
            ``bot.toml`` or one entry point of a usual name (`arena.players.manifest.find_command`).
        name: what to call the bot, instead of what ``bot.toml`` or the path says.
        build_in: how the commands of a build step are kept apart; ``None`` runs none.

    Raises:
        UsageError: there is no bot there, it cannot be built, or the name cannot be one. One line
            that says what to do, and the end of what a build step wrote.
    """
    if name is not None:
        check_bot_name(name)
    path = Path(path)
    where = shown(path)
    folder = is_folder(path)
    if folder or is_archive(path):
        found = read_folder(path) if folder else read_archive(path)
        said, files = _manifest_of(found, where)
        if name is None and said.name:
            check_bot_name(said.name)
        if said.build:
            files = _built(files, said, build_in, where)
        command = said.command or find_command(files, where)
        command = check_command(command, files, where)
    else:
        script = read_file(path)
        said = Manifest()
        command = script_command(script, where)
        files = {script.path: script}
    started = script_of(command, files)
    if started is not None and not files[started].content.strip():
        raise UsageError(f"{where}: the bot's script {shown(started)} is empty")
    added = [manifest_file(command, said.build), *provided(command, files, rules=said.rules)]
    check_unique([*files, *(file.path for file in added)], where)
    return Bundle(
        files=tuple(sorted([*files.values(), *added])),
        command=command,
        name=name or said.name or _name_of(path),
        author=said.author,
        languages=said.languages,
    )


def _manifest_of(found: list[File], where: str) -> tuple[Manifest, dict[str, File]]:
    """Return what the ``bot.toml`` among the files ``found`` says, and the files by path."""
    files = {file.path: file for file in found}
    if not files:
        raise UsageError(f"{where} has no file in it: it needs a bot.py or a {MANIFEST}")
    said = read_manifest(files[MANIFEST], where) if MANIFEST in files else Manifest()
    if not said.build:
        files.pop(MANIFEST, None)
    return said, files


def _built(
    files: dict[str, File], said: Manifest, build_in: Tier | None, where: str
) -> dict[str, File]:
    if build_in is None:
        raise UsageError(
            f"{where} has to be built, and bots are not isolated here: --tier none builds it as you"
        )
    made = build(files.values(), said.build, build_in, where)
    return {file.path: file for file in made if file.path != MANIFEST}


def _name_of(path: Path) -> str:
    absolute = Path(os.path.abspath(path))  # noqa: PTH100 - `resolve` would follow links
    name = absolute.name if path.is_dir() else absolute.stem
    if is_archive(path) and not path.is_dir():
        name = unsuffixed(path.name)
    try:
        return check_bot_name(name)
    except UsageError as error:
        raise UsageError(f"{error}; rename it, or submit it under another --name") from None
