"""The commands, each of whose modules is imported once somebody asks for it.

What all of them need takes several times as long to import as most commands take to run.
"""

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup

from arena.cli.mistakes import spelt
from arena.errors import UsageError

MODULES: Mapping[str, tuple[str, ...]] = {
    "new": ("new",),
    "check": ("check",),
    "bots": ("submit", "bots"),
    "tournament": ("tournament",),
    "tournaments": ("tournaments",),
    "leaderboard": ("leaderboard",),
    "compare": ("compare",),
    "match": ("match",),
    "play": ("play",),
    "matches": ("matches",),
    "replay": ("replay",),
    "logs": ("logs",),
    "verify": ("verify",),
    "export": ("export", "import"),
    "games": ("games",),
    "doctor": ("doctor",),
}
"""The commands that each module of this package registers, in the order of the help."""

_NAMES = {command: module for module, commands in MODULES.items() for command in commands}


class Commands(TyperGroup):
    """The group of all commands."""

    def __init__(self, **attributes: Any) -> None:  # noqa: ANN401 - typer's own
        super().__init__(**attributes)
        self.commands: Any = _OnDemand()

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ANN401, ARG002 - typer's own
        """Return the names of all commands, in the order of the help."""
        return list(self.commands)


class _OnDemand(Mapping[str, Any]):
    """Commands by name."""

    def __init__(self) -> None:
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - typer's own
        if name not in self._made:
            module = import_module(f"{__package__}.{_NAMES[name]}")
            part = typer.Typer(rich_markup_mode=None)
            module.register(part)
            made = typer.main.get_group(part)
            _mind_empty(made)
            self._made.update(made.commands)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(_NAMES)

    def __len__(self) -> int:
        return len(_NAMES)

    def __contains__(self, name: object) -> bool:
        return name in _NAMES


def _mind_empty(command: Any) -> None:  # noqa: ANN401 - typer's own
    """Have ``command``, and those below it, refuse an empty text where it is not the default.

    It mostly comes from a variable of the shell that is not set. It must mean neither the current
    folder, as an empty path would, nor everything, as an option that is left out does.
    """
    for param in command.params:
        param.process_value = _not_empty(param, param.process_value)
    for below in getattr(command, "commands", {}).values():
        _mind_empty(below)


def _not_empty(param: Any, process: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:  # noqa: ANN401
    """Return ``process``, which makes a value of what is typed for ``param``, with that refusal."""

    def checked(context: Any, typed: Any) -> Any:  # noqa: ANN401
        empty = typed == "" or (isinstance(typed, (list, tuple)) and "" in typed)
        if empty and param.default != "" and not context.resilient_parsing:
            raise UsageError(f"{spelt(param)} is empty (see `{context.command_path} --help`)")
        return process(context, typed)

    return checked
