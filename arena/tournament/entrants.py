"""From what a user types to the bots that take part."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from arena.bundled import sample_bots
from arena.errors import UsageError
from arena.games import closest
from arena.players.bundle import Bundle, missing_runtime
from arena.players.files import typed
from arena.players.submission import read_bundle
from arena.players.tier import Tier
from arena.referee.limits import Limits
from arena.store.bots import Bot, entry_name, find_bot, find_version, list_bots, plain_name
from arena.store.db import Store
from arena.store.snapshots import load_bundle
from arena.tournament.trial import declared_games
from arena.wire.escape import printable

_ECHO = 40
_SCRIPTS = (".py", ".js")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A bot that is to take part."""

    name: str
    bundle: Bundle
    games: tuple[str, ...] | None
    """The games that it plays; ``None``: all."""

    by_path: bool = False
    """It is played from where it lies, and not registered."""

    author: str | None = None
    """As its ``bot.toml`` names them; bots of one author are kept apart."""

    def plays(self, game: str) -> bool:
        """Return whether it plays ``game``."""
        return self.games is None or game in self.games


@dataclass(frozen=True, slots=True)
class Field:
    """The bots of a tournament, and what there is to say about those that stay out."""

    candidates: tuple[Candidate, ...]
    remarks: tuple[str, ...] = ()


def everybody(store: Store, limits: Limits, tier: Tier, where: str = "the home") -> Field:
    """Return all registered bots, or the sample bots where none is registered.

    A sample bot whose runtime is missing stays out, with a remark.

    Args:
        store: where registered bots are kept.
        limits: what sample bots are held to while they are tried.
        tier: how they are kept apart then.
        where: what remarks call the home.

    Raises:
        UsageError: a sample bot does not start.
    """
    registered = list_bots(store)
    if registered:
        damaged = [
            f"{bot.name} stays out: its row in the database is damaged"
            for bot in registered
            if bot.damaged
        ]
        whole = (bot for bot in registered if not bot.damaged)
        return Field(tuple(_registered(store, bot, bot.name) for bot in whole), tuple(damaged))
    candidates, remarks = [], [f"no bot is registered in {where}: the sample bots play"]
    for path in sample_bots():
        bundle = read_bundle(path)
        if missing := missing_runtime(bundle):
            remarks.append(f"{bundle.name} stays out: {missing}")
        else:
            candidates.append(_tried(bundle, limits, tier))
    return Field(tuple(candidates), tuple(remarks))


def named(
    store: Store,
    texts: Sequence[str],
    limits: Limits | None,
    tier: Tier,
    build_in: Tier | None = None,
) -> tuple[Candidate, ...]:
    """Return the bots that ``texts`` mean, in their order.

    Each is the name of a registered bot, such a name with ``@`` and the number of a version, a
    path, or else the name of a sample bot. A version that is not the current one takes part as
    ``name@version``.

    Args:
        store: where registered bots are kept.
        texts: what the user typed.
        limits: what bots are held to while they are tried; ``None``: none is tried.
        tier: how they are kept apart then.
        build_in: how bots are kept apart that have to be built; ``None``: none is built.

    Raises:
        UsageError: there is no such bot or version, it does not start, two files have one name,
            or one bot is meant twice, once as a version.
    """
    found: dict[str, Candidate] = {}
    for text in dict.fromkeys(texts):
        found[text] = _named(store, text, limits, tier, build_in)
    owners: dict[str, str] = {}
    for text, candidate in found.items():
        other = owners.setdefault(candidate.name, text)
        if found[other].bundle.digest != candidate.bundle.digest:
            raise UsageError(
                f"{printable(other, _ECHO)} and {printable(text, _ECHO)} are two bots with one "
                f"name, {candidate.name}: submit one of them under another --name"
            )
    _check_versions(list(found.values()))
    return tuple(found[text] for text in texts)


def is_bot(store: Store, text: str) -> bool:
    """Return whether ``text`` is the name of a bot or the path of a file, so that it can play."""
    if "/" not in text and (find_bot(store, text) or find_version(store, text)):
        return True
    return text in {sample.stem for sample in sample_bots()} or _exists(typed(text))


def _named(
    store: Store, text: str, limits: Limits | None, tier: Tier, build_in: Tier | None
) -> Candidate:
    path = typed(text)
    if "/" not in text and (bot := find_bot(store, text)):
        return _registered(store, bot, bot.name)
    if "/" not in text and (version := find_version(store, text)):
        return _registered(store, version, entry_name(store, version))
    if "/" not in text and path.suffix not in _SCRIPTS:
        samples = {sample.stem: sample for sample in sample_bots()}
        if text in samples:
            return _tried(read_bundle(samples[text]), limits, tier)
        if not _exists(path):
            known = {bot.name for bot in list_bots(store)} | samples.keys()
            raise UsageError(
                f"no bot is called '{printable(text, _ECHO)}'{closest(text[:_ECHO], known)}"
            )
    return _tried(read_bundle(path, build_in=build_in), limits, tier, by_path=True)


def _tried(
    bundle: Bundle, limits: Limits | None, tier: Tier, *, by_path: bool = False
) -> Candidate:
    # With limits off, a debugger may hold the bot up: it is started once, for the match.
    games = None if limits is None else declared_games(bundle, limits, tier)
    return Candidate(bundle.name, bundle, games, by_path, bundle.author)


def _registered(store: Store, bot: Bot, name: str) -> Candidate:
    bundle = load_bundle(store, bot.digest, bot.name)
    return Candidate(name, bundle, bot.games, author=bot.author)


def _check_versions(candidates: Sequence[Candidate]) -> None:
    """Refuse one content under a name and as a version of it: it would play against itself."""
    there: dict[tuple[str, str], str] = {}
    for candidate in candidates:
        content = plain_name(candidate.name), candidate.bundle.digest
        other = there.setdefault(content, candidate.name)
        if other != candidate.name:
            raise UsageError(f"{other} and {candidate.name} are one bot: name it once")


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False
