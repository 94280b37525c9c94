"""The settings of a home: an ``arena.toml`` that says what holds where a command does not say it.

::

    jobs = 2
    tier = "bwrap"

    [limits]
    move_ms = 500
    memory_mb = 1024
"""

import tomllib
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from arena.errors import UsageError
from arena.games import closest
from arena.players.tier import Tier
from arena.referee.limits import BOUNDS, Limits, check_slot
from arena.wire.escape import printable

FILE_NAME = "arena.toml"
MOST_JOBS = 1024

_KEYS = ("jobs", "limits", "tier")
_MOST_BYTES = 64 * 1024
_SHOWN = 40


@dataclass(frozen=True, slots=True)
class Settings:
    """What holds in a home unless a command says otherwise."""

    limits: Limits = field(default_factory=Limits)
    jobs: int | None = None
    """Matches at a time; ``None``: one for each core."""

    tier: Tier | None = None
    """``None``: the best that this machine can give."""

    def limits_with(self, **said: int | None) -> Limits:
        """Return the limits, with those in their place that a command ``said``.

        Raises:
            UsageError: the slot is shorter than a decision may be.
        """
        given = {name: value for name, value in said.items() if value is not None}
        return check_slot(msgspec.structs.replace(self.limits, **given))


def read_settings(home: Path) -> Settings:
    """Return the settings of ``home``; the usual ones where it has no ``arena.toml``.

    Raises:
        UsageError: the file cannot be read, or says what cannot be. One line that names the file
            and the key, with the closest name where one was misspelt.
    """
    path = home / FILE_NAME
    where = printable(str(path), 160, cut="middle")
    try:
        with path.open("rb") as file:
            raw = file.read(_MOST_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return Settings()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "no possible path"
        raise UsageError(f"{where}: cannot be read: {reason}") from None
    if len(raw) > _MOST_BYTES:
        raise UsageError(f"{where}: larger than {_MOST_BYTES // 1024} KiB")
    try:
        table = tomllib.loads(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{where}: not TOML: {printable(str(error), 120)}") from None
    _only(table, _KEYS, where, "")
    return Settings(
        limits=_limits(table.get("limits", {}), where),
        jobs=_whole(table["jobs"], "jobs", 1, MOST_JOBS, where) if "jobs" in table else None,
        tier=_tier(table["tier"], where) if "tier" in table else None,
    )


def _limits(table: object, where: str) -> Limits:
    if not isinstance(table, dict):
        raise UsageError(f"{where}: limits is a table: [limits]")
    _only(table, BOUNDS, where, "limits.")
    said = {
        name: _whole(value, f"limits.{name}", *BOUNDS[name], where) for name, value in table.items()
    }
    return Limits(**said)


def _whole(value: object, key: str, least: int, most: int, where: str) -> int:
    # Exact types: in Python true is an int, here it is a mistake, and so is 0.5.
    if type(value) is not int or not least <= value <= most:
        echo = printable(_as_toml(value), _SHOWN)
        raise UsageError(f"{where}: {key} is a whole number from {least:,} to {most:,}, not {echo}")
    return value


def _as_toml(value: object) -> str:
    """Return ``value`` much as the file has it: a text in quotes, which may be what is wrong."""
    match value:
        case str():
            return f'"{value}"'
        case bool():
            return str(value).lower()
        case _:
            return str(value)


def _tier(value: object, where: str) -> Tier:
    tiers = [tier.value for tier in Tier]
    if not isinstance(value, str):
        echo = printable(_as_toml(value), _SHOWN)
        raise UsageError(f"{where}: tier is a name in quotes, not {echo}: {', '.join(tiers)}")
    if value not in tiers:
        echo = printable(value, _SHOWN)
        raise UsageError(f"{where}: no tier is called '{echo}'{closest(echo, tiers)}")
    return Tier(value)


def _only(table: dict[str, Any], known: Collection[str], where: str, above: str) -> None:
    for key in table:
        if key not in known:
            echo = printable(key, _SHOWN)
            raise UsageError(f"{where}: unknown key '{above}{echo}'{closest(echo, known)}")
