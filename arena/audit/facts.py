"""What has to hold of a tournament before any match of it is looked at: secret, key, entries."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from arena.errors import Difference, UsageError
from arena.players.names import check_entry, check_name
from arena.players.sandbox import Tier
from arena.referee.category import Category, Mode
from arena.referee.fixture import Fixture
from arena.referee.limits import Limits
from arena.store.drops import Drop, with_replacements
from arena.store.tournaments import SINGLE, Entry, Tournament
from arena.tournament.compare import Comparison
from arena.tournament.key import (
    PARAMETERS_VERSION,
    commitment,
    parameters,
    parameters_digest,
    tournament_id,
    tournament_key,
    unrated_reasons,
)
from arena.tournament.plan import schedule_of
from arena.tournament.suite import MOST_DEALS, MOST_PLAYERS
from arena.wire.escape import printable

SHOWN = 100
"""How much of a value a difference shows, in characters."""

_MOST_BOTS = 10_000
"""A schedule of more takes too long to make for one that nobody vouches for."""


class _Category(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    game: str
    variant: str
    mode: Mode
    players: Annotated[int, Meta(ge=1, le=MOST_PLAYERS)]
    deals: Annotated[int, Meta(ge=1, le=MOST_DEALS)]


class _Comparison(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    a: str
    b: str
    field: tuple[str, ...]
    relevant_thousandths: Annotated[int, Meta(ge=1, le=100_000)]


class _Parameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    parameters: int
    bots: Annotated[tuple[tuple[str, str, tuple[str, ...]], ...], Meta(max_length=_MOST_BOTS)]
    categories: tuple[_Category, ...]
    authors: dict[str, str]
    matches_each: Annotated[int, Meta(ge=1)] | None
    limits: Limits | None
    tier: Tier
    rules_versions: dict[str, int]
    comparison: _Comparison | None = None


@dataclass(frozen=True, slots=True)
class Terms:
    """What every record of a tournament has to agree with."""

    tournament: str
    suite: str
    key: bytes | None
    """``None`` while it is not opened."""

    digests: Mapping[str, str]
    """By name of the bot."""

    categories: Mapping[Category, int]
    """Number of deals."""

    limits: Limits | None
    tier: Tier
    rated: bool


def shown(value: object) -> str:
    """Return ``value`` as a difference shows it: as JSON where it is that, and not all of it."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return printable(text, SHOWN)


def check(what: str, recorded: object, follows: object) -> None:
    """Raise `Difference` unless the two are equal, types included."""
    if recorded != follows or type(recorded) is not type(follows):
        raise Difference(what, shown(recorded), shown(follows))


def check_facts(tournament: Tournament, entries: Sequence[Entry], *, opened: bool) -> Terms:
    """Return what every record of ``tournament`` has to agree with.

    Args:
        tournament: what is told of it.
        entries: its bots, as they are told.
        opened: whether the secret and the key may be looked at.

    Raises:
        Difference: secret, commitment, key, parameters, id or entries do not fit each other.
        UsageError: one of its games is not installed.
    """
    said = _said(tournament.parameters)
    digests = {bot: digest for bot, digest, _ in said.bots}
    plays = {bot: games for bot, _, games in said.bots}
    categories = {
        Category(one.game, one.variant, one.mode, one.players): one.deals for one in said.categories
    }
    follows = parameters(
        digests,
        plays,
        categories,
        said.limits,
        said.tier,
        authors=said.authors,
        matches_each=said.matches_each,
    )
    for name, value in follows.items():
        check(f"parameters: {name}", _plain(tournament.parameters.get(name)), _plain(value))
    if said.comparison and len(categories) != 1:
        raise Difference("parameters: categories", str(len(categories)), "1")
    _check_names(tournament, digests, categories)
    digest = parameters_digest(tournament.parameters)
    if opened:
        _check_key(tournament, digest)
    committed = tournament.commitment or commitment(tournament.key)
    check("id", tournament.id, tournament_id(tournament.name, digest, committed))
    _check_unrated(tournament, said)
    _check_entries(entries, digests)
    return Terms(
        tournament=tournament.id,
        suite=tournament.suite,
        key=tournament.key if opened else None,
        digests=digests,
        categories=categories,
        limits=said.limits,
        tier=said.tier,
        rated=tournament.rated,
    )


def fixtures_of(
    terms: Terms, tournament: Tournament, told: Iterable[str], drops: Sequence[Drop] = ()
) -> Iterator[Fixture]:
    """Yield the matches that follow from the parameters, each checked against what is told.

    Args:
        terms: of the tournament.
        tournament: whose schedule it is.
        told: ids of its matches, in order.
        drops: the deals that were dropped, whose replacements stand behind all others.

    Raises:
        Difference: other matches are told, or in another order.
    """
    if SINGLE in tournament.unrated:
        yield from _single(terms, list(islice(told, 2)))
        return
    if drops and not tournament.ruled:
        raise Difference("drops", str(len(drops)), "none")
    made = with_replacements(_made(tournament), drops)
    for number, (match, fixture) in enumerate(zip_longest(told, made)):
        check(f"schedule: match {number}", match, fixture and fixture.match)
        if fixture:
            yield fixture


def _made(tournament: Tournament) -> Iterator[Fixture]:
    try:
        if tournament.comparison is None:
            yield from schedule_of(tournament.parameters).fixtures()
        else:
            yield from Comparison.of(tournament).fixtures()
    except (UsageError, ValueError) as error:  # parameters of which nothing can be made
        raise Difference("parameters", printable(str(error), SHOWN)) from None


def _single(terms: Terms, told: Sequence[str]) -> Iterator[Fixture]:
    """Yield the match of a tournament of one, where nothing but its own name tells who sat where.

    All of its bots took part, on the last deal of its one category.
    """
    category, deals = next(iter(terms.categories.items()))
    bots = tuple(told[0].rpartition("/")[2].split("+")) if told else ()
    fixture = Fixture(category, deals - 1, bots)
    fits = set(bots) == terms.digests.keys() and len(bots) == category.players
    check("schedule", list(told), [fixture.match if fits else f"one of {sorted(terms.digests)}"])
    yield fixture


def _said(told: Mapping[str, Any]) -> _Parameters:
    try:
        version = told["parameters"]
        if type(version) is int and version != PARAMETERS_VERSION:
            raise UsageError(
                f"its parameters have version {version}, and this one knows {PARAMETERS_VERSION}: "
                "verify it by the arena that it was made with"
            )
        return msgspec.convert(dict(told), _Parameters)
    except (KeyError, TypeError):
        raise Difference("parameters", "no list of parameters", "one") from None
    except msgspec.ValidationError as error:
        raise Difference("parameters", printable(str(error), SHOWN)) from None


def _plain(value: object) -> object:
    return msgspec.json.decode(msgspec.json.encode(value))


def _check_names(
    tournament: Tournament, bots: Mapping[str, str], categories: Mapping[Category, int]
) -> None:
    try:
        check_name(tournament.name, "a tournament")
        check_name(tournament.suite, "a suite")
        for bot in bots:
            check_entry(bot)
        for category in categories:
            category.check()
    except UsageError as error:
        raise Difference("parameters", printable(str(error), 2 * SHOWN)) from None


def _check_key(tournament: Tournament, digest: bytes) -> None:
    secret, public = tournament.secret, tournament.public_value or ""
    if (secret is None) != (tournament.commitment is None):
        raise Difference("commitment", "one of secret and commitment", "both or none")
    if secret is None:
        return
    try:
        follows = tournament_key(secret, digest, public)
    except (ValueError, UsageError) as error:
        raise Difference("secret", printable(str(error), SHOWN)) from None
    check("commitment", tournament.commitment, commitment(secret))
    check("key", tournament.key.hex(), follows.hex())


def _check_unrated(tournament: Tournament, said: _Parameters) -> None:
    for reason in tournament.unrated:
        if reason != printable(reason):  # it is shown under tables
            raise Difference("unrated", shown(reason), "text that can be shown")
    for reason in unrated_reasons(
        published_key=tournament.commitment is None, tier=said.tier, limits=said.limits
    ):
        if reason not in tournament.unrated:
            raise Difference("unrated", shown(tournament.unrated), shown(reason))


def _check_entries(entries: Sequence[Entry], digests: Mapping[str, str]) -> None:
    told = {entry.bot: entry.digest for entry in entries}
    for bot in sorted({*told, *digests}):
        check(f"entries: {bot}", told.get(bot, "none"), digests.get(bot, "none"))
    check("entries", len(entries), len(digests))
