"""The games, by name.

This package is public API, for bots too: it is pure, and needs `arena.errors` and msgspec alone.
A game of the house is a line in `BUILT_IN`; a package of somebody else adds one by an entry point
in the group ``arena.games`` that names its `Game` value.
"""

import difflib
import re
from collections.abc import Iterable, Mapping
from functools import cache

from arena.errors import UsageError
from arena.games.base import AnyGame, Game, by_name
from arena.games.couperation import COUPERATION
from arena.games.donburiko import DONBURIKO

BUILT_IN: tuple[AnyGame, ...] = (DONBURIKO, COUPERATION)
ENTRY_POINTS = "arena.games"
_WORD = re.compile(r"[a-z][a-z0-9]{0,31}")
"""Names of games and variants: they stand in labels, ids and categories."""

_SOME = 12
"""How many names a hint lists where none is close."""


@cache
def games() -> Mapping[str, AnyGame]:
    """Return every game by name: the built-in ones, then those of installed packages.

    Raises:
        UsageError: an entry point cannot be imported, is not a `Game`, or takes a name that is
            already taken.
    """
    # It reads what is installed: most commands need no game but a built-in one.
    from importlib.metadata import entry_points  # noqa: PLC0415

    found = list(BUILT_IN)
    for point in entry_points(group=ENTRY_POINTS):
        try:
            game = point.load()
        except Exception as error:
            raise UsageError(
                f"entry point {point.name!r} of {ENTRY_POINTS} cannot be imported: "
                f"{type(error).__name__}: {error}"
            ) from error
        if not isinstance(game, Game):
            raise UsageError(
                f"entry point {point.name!r} of {ENTRY_POINTS} is not a Game: {point.value}"
            )
        if not all(_WORD.fullmatch(word) for word in (game.name, *game.variants)):
            raise UsageError(
                f"entry point {point.name!r} of {ENTRY_POINTS} names its game or a variant of it "
                "otherwise than with lower-case letters and digits"
            )
        if game.name in (known.name for known in found):
            raise UsageError(
                f"entry point {point.name!r} takes the name of another game: {game.name}"
            )
        found.append(game)
    return by_name(found)


def get_game(name: str) -> AnyGame:
    """Return the game called ``name``, or raise `UsageError` with the closest name."""
    built_in = by_name(BUILT_IN)
    try:
        return built_in[name] if name in built_in else games()[name]
    except KeyError:
        raise UsageError(f"no game is called {name!r}{closest(name, games())}") from None


def closest(name: str, known: Iterable[str]) -> str:
    """Return a hint for a misspelt name: the closest of ``known``, or else some of them."""
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=1)
    if near:
        return f"; did you mean {near[0]!r}?"
    more = ", …" if len(names) > _SOME else ""
    return f"; there is {', '.join(names[:_SOME])}{more}" if names else ""
