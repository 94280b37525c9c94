"""Which tournaments are rated together, and what is said of their differences."""

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from arena.cli.remarks import counted, remark
from arena.errors import UsageError
from arena.games import closest, games
from arena.games.base import Kind
from arena.referee.category import Category, Mode
from arena.store.db import Store
from arena.store.tournaments import (
    Progress,
    Tournament,
    damaged_tournaments,
    get_tournament,
    list_tournaments,
)
from arena.wire.escape import printable

ALL = "all"
"""What means all tournaments; one that has this name goes by its id."""

_ECHO = 60
_SHOWN = 4


def category_names() -> list[str]:
    """Return the names of all categories that there can be."""
    return [
        Category(game.name, variant, mode, players).name
        for game in games().values()
        for variant in game.variants
        for mode in ((Mode.TABLE,) if game.kind is Kind.COMPETITIVE else (Mode.SELF, Mode.MIXED))
        for players in game.player_counts
    ]


def chosen_categories(
    names: Collection[str] | None, chosen: Collection[str]
) -> Collection[str] | None:
    """Return the categories that are asked for by name, ``None`` if all are.

    Raises:
        UsageError: there is no such category, or games are ``chosen`` besides.
    """
    if not names:
        return None
    if chosen:
        raise UsageError("a category says of which game it is: leave out GAME, or --category")
    known = category_names()
    for name in names:
        if name not in known:
            raise UsageError(
                f"no category is called '{printable(name, _ECHO)}'{closest(name[:_ECHO], known)}"
            )
    return set(names)


def pool_of(
    store: Store, names: Sequence[str] | None, since: str | None, chosen: Collection[str]
) -> list[Progress]:
    """Return the tournaments that are asked for, oldest first; the newest if none are.

    All those there are, or were since a time, are the ones that were played as such: a single
    match and a comparison of two bots are rated where they are named.

    Args:
        store: an open home.
        names: ids or names, or `ALL`.
        since: a date or a time.
        chosen: games; rules of others may differ.

    Raises:
        UsageError: there is none, or they cannot be pooled: their rules differ.
    """
    wanted = set(names or ())
    if since is not None and wanted - {ALL}:
        raise UsageError(f"--since goes with all tournaments: leave out --tournament, or say {ALL}")
    there = list_tournaments(store)
    if ALL in wanted or not wanted:
        tell_damaged(store)
    played = [
        one for one in there if not one.tournament.single and one.tournament.comparison is None
    ]
    if not played and (ALL in wanted or not wanted):
        raise UsageError("no tournament was played yet: `arena tournament` plays one")
    if since is not None:
        pool = _since(since, played)
    elif not wanted:
        pool = played[-1:]
    else:
        ids = {get_tournament(store, name).tournament.id for name in wanted - {ALL}}
        ids |= {one.tournament.id for one in played} if ALL in wanted else set()
        pool = [one for one in there if one.tournament.id in ids]
    _check_rules(pool, chosen)
    _tell_differences(pool)
    return pool


def longest_block(pool: Sequence[Tournament], category: Category) -> int:
    """Return how many deals of ``category`` the same processes played at most in ``pool``."""
    return max((one.keep_alive for one in pool if _plays(one, category)), default=1)


def _plays(tournament: Tournament, category: Category) -> bool:
    wanted = {
        "game": category.game,
        "variant": category.variant,
        "mode": category.mode.value,
        "players": category.players,
    }
    return any(wanted.items() <= it.items() for it in tournament.parameters.get("categories", ()))


def tell_damaged(store: Store) -> None:
    """Say which tournaments are left out because their rows cannot be read."""
    for damaged in damaged_tournaments(store):
        remark(f"{printable(damaged, _ECHO)} is left out: its row in the database is damaged")


def _since(text: str, played: Sequence[Progress]) -> list[Progress]:
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        first = moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError):
        raise UsageError(
            "--since takes a date or a time, UTC, as in 2026-11-30 or 2026-11-30T18:00, not "
            f"'{printable(text, _ECHO)}'"
        ) from None
    pool = [one for one in played if one.tournament.created >= first]
    if not pool:
        last = played[-1].tournament
        raise UsageError(
            f"no tournament was begun since {first}; the newest is {last.id} of "
            f"{printable(last.created, _ECHO)}"
        )
    return pool


def _check_rules(pool: Sequence[Progress], chosen: Collection[str]) -> None:
    """Raise `UsageError` if a game was played by rules of different versions."""
    first: dict[str, tuple[Any, str]] = {}
    for one in pool:
        versions = one.tournament.parameters.get("rules_versions")
        for game, version in versions.items() if isinstance(versions, Mapping) else ():
            if chosen and game not in chosen:
                continue
            known, where = first.setdefault(game, (version, one.tournament.id))
            if known != version:
                raise UsageError(
                    f"{printable(game, _ECHO)} had rules {_said(known)} in {where} and rules "
                    f"{_said(version)} in {one.tournament.id}: they cannot be pooled"
                )


def _tell_differences(pool: Sequence[Progress]) -> None:
    """Say in which limits, and in which tiers, the tournaments of a pool were played."""
    found: dict[str, dict[str, None]] = {}
    for one in pool:
        limits = one.tournament.parameters.get("limits")
        conditions = {
            "tier": one.tournament.parameters.get("tier"),
            **(limits if isinstance(limits, Mapping) else {"limits": "off"}),
        }
        for name, value in conditions.items():
            found.setdefault(name, {})[_said(value)] = None
    mixed = [f"{name} {' and '.join(values)}" for name, values in found.items() if len(values) > 1]
    if mixed:
        more = f", and {counted(len(mixed) - _SHOWN, 'more', 'more')}" * (len(mixed) > _SHOWN)
        remark(f"pooled although conditions differ: {', '.join(mixed[:_SHOWN])}{more}")


def _said(value: object) -> str:
    return printable(str(value), _ECHO)
