"""What has to hold of a tournament before any match of it is looked at: secret, key, entries."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from arena.errors import Difference, UsageError
from arena.players.names import check_entry, check_name
from arena.players.person import SNAPSHOT as PERSON
from arena.players.tier import Tier
from arena.referee.category import Category, Mode
from arena.referee.fixture import Fixture
from arena.referee.limits import Limits
from arena.store.drops import Drop, with_replacements
from arena.store.tournaments import SINGLE, Entry, Tournament
from arena.tournament.compare import UNRATED, Compared, Comparison
from arena.tournament.key import (
    PARAMETERS_VERSION,
    commitment,
    parameters,
    parameters_digest,
    tournament_id,
    tournament_key,
    unrated_reasons,
)
from arena.tournament.plan import MOST_BOTS, schedule_of, single_fixture
from arena.tournament.suite import MOST_DEALS, MOST_PLAYERS
from arena.wire.escape import printable

SHOWN = 100
"""How much of a value a difference shows, in characters."""

_MOST_CATEGORIES = 1_000
_MOST_GAMES = 100
_Games = Annotated[tuple[str, ...], Meta(max_length=_MOST_GAMES)]
_Seats = Annotated[tuple[str, ...], Meta(min_length=1, max_length=MOST_PLAYERS)]


class _Category(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    game: str
    variant: str
    mode: Mode
    players: Annotated[int, Meta(ge=1, le=MOST_PLAYERS)]
    deals: Annotated[int, Meta(ge=1, le=MOST_DEALS)]


class _Parameters(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    parameters: int
    bots: Annotated[tuple[tuple[str, str, _Games], ...], Meta(max_length=MOST_BOTS)]
    categories: Annotated[tuple[_Category, ...], Meta(min_length=1, max_length=_MOST_CATEGORIES)]
    authors: Annotated[dict[str, str], Meta(max_length=MOST_BOTS)]
    matches_each: Annotated[int, Meta(ge=1, le=2**53 - 1)] | None
    limits: Limits | None
    tier: Tier
    rules_versions: Annotated[dict[str, int], Meta(max_length=_MOST_GAMES)]
    comparison: Compared | msgspec.UnsetType = msgspec.UNSET
    single: _Seats | msgspec.UnsetType = msgspec.UNSET
    keep_alive: Annotated[int, Meta(ge=2, le=MOST_DEALS)] | msgspec.UnsetType = msgspec.UNSET


class _Version(msgspec.Struct, frozen=True):
    parameters: int


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
    if value is None or value == "":
        return "nothing"
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
    _check_asked_for(said, digests)
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
    if drops and not tournament.ruled:
        raise Difference("drops", str(len(drops)), "none")
    made = with_replacements(_made(terms, tournament), drops)
    for number, (match, fixture) in enumerate(zip_longest(told, made)):
        check(f"schedule: match {number}", match, fixture and fixture.match)
        if fixture:
            yield fixture


def _made(terms: Terms, tournament: Tournament) -> Iterator[Fixture]:
    try:
        if tournament.single:
            ((category, deals),) = terms.categories.items()
            yield single_fixture(tournament.parameters["single"], category, deals)
        elif tournament.comparison is None:
            yield from schedule_of(tournament.parameters).fixtures()
        else:
            yield from Comparison.of(tournament).fixtures()
    except (UsageError, ValueError) as error:  # parameters of which nothing can be made
        raise Difference("parameters", printable(str(error), SHOWN)) from None


def plain_parameters(text: bytes | msgspec.Raw) -> dict[str, Any]:
    """Return the parameters in ``text``, JSON that nobody vouches for, as plain values.

    It is read as what it has to be first, so that it cannot take more memory than that.

    Raises:
        Difference: they are none.
        UsageError: they are of another version.
    """
    try:
        version = msgspec.json.decode(text, type=_Version).parameters
        _check_version(version)
        msgspec.json.decode(text, type=_Parameters)
        plain: dict[str, Any] = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        raise Difference("parameters", printable(str(error), SHOWN)) from None
    return plain


def _said(told: Mapping[str, Any]) -> _Parameters:
    try:
        version = told["parameters"]
        if type(version) is int:
            _check_version(version)
        return msgspec.convert(dict(told), _Parameters)
    except (KeyError, TypeError):
        raise Difference("parameters", "no list of parameters", "one") from None
    except msgspec.ValidationError as error:
        raise Difference("parameters", printable(str(error), SHOWN)) from None


def _check_version(version: int) -> None:
    if version != PARAMETERS_VERSION:
        raise UsageError(
            f"its parameters have version {version}, and this one knows {PARAMETERS_VERSION}: "
            "verify it by the arena that it was made with"
        )


def _check_asked_for(said: _Parameters, digests: Mapping[str, str]) -> None:
    """Check what a comparison or a single match has to be besides."""
    asked = said.comparison or said.single
    if not asked:
        return
    if said.keep_alive:
        raise Difference("parameters: keep_alive", shown(said.keep_alive), "nothing")
    if said.comparison and said.single:
        raise Difference("parameters: single", "a comparison", "one of the two")
    check("parameters: categories", len(said.categories), 1)
    if isinstance(asked, Compared):
        check("parameters: comparison", sorted({asked.a, asked.b, *asked.field}), sorted(digests))
    else:
        check("parameters: single", sorted(set(asked)), sorted(digests))


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
    follow = unrated_reasons(
        published_key=tournament.commitment is None,
        tier=said.tier,
        limits=said.limits,
        people=[bot for bot, digest, _ in said.bots if digest == PERSON.digest],
    )
    asked_for = [UNRATED] * bool(said.comparison) + [SINGLE] * bool(said.single)
    for reason in (*follow, *asked_for):
        if reason not in tournament.unrated:
            raise Difference("unrated", shown(tournament.unrated), shown(reason))


def _check_entries(entries: Sequence[Entry], digests: Mapping[str, str]) -> None:
    told = {entry.bot: entry.digest for entry in entries}
    for bot in sorted({*told, *digests}):
        check(f"entries: {bot}", told.get(bot, "none"), digests.get(bot, "none"))
    check("entries", len(entries), len(digests))
