"""Suites: the key of a tournament's chance, and how many deals of which categories are played.

A suite file is TOML: ``name``, ``key`` (64 hex digits) and ``[[category]]`` entries, each with
``game``, ``variant``, ``mode``, ``players`` and ``deals``. A key that stands in a file has been
seen, so what is played on it is unrated.
"""

import re
import tomllib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from arena.bundled import bundled
from arena.errors import UsageError
from arena.games import closest, get_game
from arena.games.base import AnyGame, Kind
from arena.games.deal import Deal
from arena.players.files import typed
from arena.players.names import check_name
from arena.referee.category import Category, Mode
from arena.wire.escape import printable

ValueT = TypeVar("ValueT")

MOST_DEALS = 1_000_000
MOST_PLAYERS = 99
MOST_BYTES = 64 * 1024
"""A suite file is longer only by mistake."""

TABLE_DEALS = 50
"""Deals of a competitive category where nobody says otherwise."""

TEAM_DEALS = 100
"""Deals of a co-operative category where nobody says otherwise."""

_KEY_DIGITS = 64
_KEY = re.compile(rf"[0-9A-Fa-f]{{{_KEY_DIGITS}}}")
_SUITE_KEYS = ("name", "key", "category")
_CATEGORY_KEYS = ("game", "variant", "mode", "players", "deals")
_MODES = tuple(mode.value for mode in Mode)
_LONGEST_WORD = 64
_SHOWN = 40
_TOML_TYPES = {
    bool: "a boolean",
    dict: "a table",
    float: "a float",
    int: "an integer",
    list: "an array",
    str: "a string",
}


@dataclass(frozen=True, slots=True)
class Suite:
    """A key, and the deals that a tournament plays with it."""

    name: str
    key: bytes = field(repr=False)
    """32 raw bytes. Whoever holds it knows every card."""

    categories: Mapping[Category, int]
    """Number of deals by category: deals 0 to that number less one are played."""

    def deal(self, category: Category, number: int) -> Deal:
        """Return deal ``number`` of ``category``.

        A deal has no mode, so a bot's self-play and its mixed teams meet the same cards.
        """
        return Deal(self.key, category.game, category.variant, category.players, number)


def default_categories(
    games: Iterable[AnyGame], players: Collection[int] | None = None, deals: int | None = None
) -> dict[Category, int]:
    """Return what is played where no suite says it: number of deals by category.

    Competitive games are played at tables of every size, co-operative ones in self-play and in
    mixed teams of every size, all in their default variant.

    Args:
        games: the games, in the order in which their categories are listed.
        players: sizes to keep; ``None`` keeps all.
        deals: deals of each category, 1 to 1,000,000; ``None``: 50, co-operative 100.

    Raises:
        UsageError: no game is played in one of the sizes, or ``deals`` is out of range.
    """
    everything: dict[Category, int] = {}
    for game in games:
        teams = game.kind is Kind.COOPERATIVE
        for mode in (Mode.SELF, Mode.MIXED) if teams else (Mode.TABLE,):
            for size in game.player_counts:
                category = Category(game.name, game.variants[0], mode, size)
                everything[category] = TEAM_DEALS if teams else TABLE_DEALS
    kept = _of_sizes(everything, players)
    if deals is None:
        return kept
    _check_deals(deals)
    return dict.fromkeys(kept, deals)


def restrict(
    categories: Mapping[Category, int],
    games: Collection[str] | None = None,
    players: Collection[int] | None = None,
    deals: int | None = None,
) -> dict[Category, int]:
    """Return a suite's ``categories`` without what was not asked for.

    Args:
        categories: number of deals by category.
        games: names of the games to keep; ``None`` keeps all.
        players: sizes to keep; ``None`` keeps all.
        deals: play only so many deals of each category, the first ones; ``None``: all.

    Raises:
        UsageError: the suite has no such game or size, or a category with fewer deals.
    """
    if games is not None:
        there = {category.game for category in categories}
        for name in games:
            if name not in there:
                raise UsageError(f"the suite has no {name}{closest(name, there)}")
        categories = {
            category: number for category, number in categories.items() if category.game in games
        }
    kept = _of_sizes(categories, players)
    if deals is None:
        return kept
    _check_deals(deals)
    for category, number in kept.items():
        if number < deals:
            raise UsageError(f"the suite has {number} deals of {category.name}, not {deals}")
    return dict.fromkeys(kept, deals)


def _of_sizes(
    categories: Mapping[Category, int], players: Collection[int] | None
) -> dict[Category, int]:
    if players is None:
        return dict(categories)
    there = sorted({category.players for category in categories})
    for size in players:
        if size not in there:
            known = ", ".join(map(str, there))
            raise UsageError(f"nothing is played by {size} players; there is {known}")
    return {
        category: number for category, number in categories.items() if category.players in players
    }


def _check_deals(deals: int) -> None:
    if not 1 <= deals <= MOST_DEALS:
        raise UsageError(f"deals must be 1 to {MOST_DEALS:,}")


def find_suite(text: str) -> Suite:
    """Return the suite that ``text`` names: a bundled suite by its name, or a file by its path.

    What has a slash or ends in ``.toml`` is a path, anything else a name.

    Raises:
        UsageError: no bundled suite has the name, or the file is not a suite.
    """
    if "/" in text or text.endswith(".toml"):
        return load_suite(typed(text))
    there = {path.stem: path for path in sorted(bundled("seeds").glob("*.toml"))}
    if text not in there:
        raise UsageError(
            f"no suite is called '{printable(text, _SHOWN)}'{closest(text, there)} "
            "(a path has a slash or ends in .toml)"
        )
    return load_suite(there[text])


def load_suite(path: Path) -> Suite:
    """Return the suite in the file ``path``.

    Raises:
        UsageError: the file cannot be read or is not a suite; one line that names the file, the
            entry and what is wrong with it. The key is never repeated.
    """
    where = printable(str(path))
    try:
        if not path.is_file():
            raise UsageError(f"{where}: no such file")
        with path.open("rb") as file:
            raw = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{where}: cannot be read: {error.strerror}") from None
    if len(raw) > MOST_BYTES:
        raise UsageError(f"{where}: larger than {MOST_BYTES:,} bytes, so hardly a suite")
    try:
        document = tomllib.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise UsageError(f"{where}: not UTF-8") from None
    except RecursionError:  # a few thousand opening brackets
        raise UsageError(f"{where}: not TOML: nested too deeply") from None
    except ValueError as error:  # TOMLDecodeError, and a number with too many digits
        raise UsageError(f"{where}: not TOML: {printable(str(error), 2 * _LONGEST_WORD)}") from None
    return _suite(document, where)


def _suite(document: dict[str, Any], where: str) -> Suite:
    _only_keys(document, _SUITE_KEYS, where)
    name = _typed(document, "name", str, where)
    try:
        check_name(name, "a suite")
    except UsageError as error:
        raise UsageError(f"{where}: {error}") from None
    key = _typed(document, "key", str, where)
    if not _KEY.fullmatch(key):
        found = "others" if len(key) == _KEY_DIGITS else f"{len(key):,}"
        raise UsageError(f"{where}: key must have {_KEY_DIGITS} hex digits, not {found}")
    entries = _typed(document, "category", list, where)
    if not entries:
        raise UsageError(f"{where}: no [[category]] entry")
    categories: dict[Category, int] = {}
    for number, entry in enumerate(entries, start=1):
        at = f"{where}: category {number}"
        category, deals = _category(entry, at)
        if category in categories:
            raise UsageError(f"{at}: {category.name} stands there twice")
        categories[category] = deals
    return Suite(name, bytes.fromhex(key), categories)


def _category(entry: object, where: str) -> tuple[Category, int]:
    if not isinstance(entry, dict):
        raise UsageError(f"{where}: must be a table, not {_type_name(entry)}")
    _only_keys(entry, _CATEGORY_KEYS, where)
    name = _word(entry, "game", where)
    mode = _word(entry, "mode", where)
    if mode not in _MODES:
        raise UsageError(f"{where}: no mode is called {mode!r}{closest(mode, _MODES)}")
    players = _whole(entry, "players", MOST_PLAYERS, where)
    deals = _whole(entry, "deals", MOST_DEALS, where)
    try:
        variant = (
            _word(entry, "variant", where) if "variant" in entry else get_game(name).variants[0]
        )
        category = Category(name, variant, Mode(mode), players).check()
    except UsageError as error:
        raise UsageError(f"{where}: {error}") from None
    return category, deals


def _only_keys(table: dict[str, Any], known: Collection[str], where: str) -> None:
    for key in table:
        if key not in known:
            shown = printable(key, _SHOWN)
            raise UsageError(f"{where}: unknown key '{shown}'{closest(key, known)}")


def _typed(table: dict[str, Any], key: str, kind: type[ValueT], where: str) -> ValueT:
    if key not in table:
        raise UsageError(f"{where}: {key} is missing")
    value = table[key]
    # Exact types: in Python true is an int, in a suite it is a mistake.
    if type(value) is not kind:
        raise UsageError(f"{where}: {key} must be {_TOML_TYPES[kind]}, not {_type_name(value)}")
    checked: ValueT = value
    return checked


def _word(table: dict[str, Any], key: str, where: str) -> str:
    word = _typed(table, key, str, where)
    if len(word) > _LONGEST_WORD:
        raise UsageError(f"{where}: {key} is longer than {_LONGEST_WORD} characters")
    return word


def _whole(table: dict[str, Any], key: str, most: int, where: str) -> int:
    number = _typed(table, key, int, where)
    if not 1 <= number <= most:
        raise UsageError(f"{where}: {key} must be 1 to {most:,}")
    return number


def _type_name(value: object) -> str:
    return _TOML_TYPES.get(type(value), "a date or time")
