"""The commands, each of whose modules is imported once somebody asks for it.

What all of them need takes several times as long to import as most commands take to run.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup

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
            self._made.update(typer.main.get_group(part).commands)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(_NAMES)

    def __len__(self) -> int:
        return len(_NAMES)

    def __contains__(self, name: object) -> bool:
        return name in _NAMES
