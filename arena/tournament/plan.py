"""From bots and a suite, or a fresh secret, to a tournament that can be stored."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.errors import UsageError
from arena.games.base import AnyGame, Kind
from arena.players.bundle import Bundle
from arena.players.names import fold_author
from arena.players.person import SNAPSHOT as PERSON
from arena.players.tier import Tier
from arena.referee.category import Category, Mode
from arena.referee.fixture import Fixture
from arena.referee.limits import Limits
from arena.store.db import Store, utc_now
from arena.store.fixtures import Extent
from arena.store.matches import mean_ms
from arena.store.tournaments import SINGLE, Tournament, add_tournament, list_tournaments
from arena.tournament.entrants import Candidate
from arena.tournament.key import (
    PARAMETERS_VERSION,
    commitment,
    fresh_secret,
    parameters,
    parameters_digest,
    tournament_id,
    tournament_key,
    unrated_reasons,
)
from arena.tournament.meetings import groups
from arena.tournament.schedule import Conditions, Schedule, schedule
from arena.tournament.suite import Suite

SECRET_SUITE = "secret"  # noqa: S105 - the name of the suites that are not published
DEFAULT_NAME = "arena"
MATCH = "match"
"""What single matches are called, with a number."""

MOST_BOTS = 1_000
"""How many can enter: that teams are made of, pair by pair, takes time and memory."""

_MS_A_MATCH = 60.0
_MS_A_SEAT = 60.0
"""What a match takes where none of its category was played yet: mostly the start of its bots."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A tournament that has not been stored."""

    tournament: Tournament
    entries: tuple[tuple[str, Bundle], ...]
    fixtures: tuple[Fixture, ...]
    left_out: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    """What else is to be said of the schedule."""

    def store(self, store: Store) -> None:
        """Store the tournament and its whole schedule, before any match is played."""
        add_tournament(store, self.tournament, self.entries, self.fixtures)


def plan(  # noqa: PLR0913 - what a tournament is asked to be
    candidates: Sequence[Candidate],
    categories: Mapping[Category, int],
    limits: Limits,
    tier: Tier,
    *,
    suite: Suite | None = None,
    name: str | None = None,
    public_value: str = "",
    matches_each: int | None = None,
    keep_alive: int = 1,
) -> Plan:
    """Return the tournament of ``candidates`` over ``categories``.

    Args:
        candidates: the bots, each under a name of its own; those of one author are kept apart
            (`arena.tournament.schedule.APART`).
        categories: number of deals by category.
        limits: of every seat.
        tier: how the bots are kept apart.
        suite: whose published key to play with; without one a fresh secret is drawn.
        name: of the tournament; by default the suite's.
        public_value: goes into the key beside a fresh secret.
        matches_each: the most matches of a bot in each category.
        keep_alive: how many deals of one line-up in one seating the same processes play, see
            `arena.tournament.chunks`; 1: each match has fresh ones.

    Raises:
        UsageError: no match can be played, two bots have one name, or there are too many matches.
    """
    names = [candidate.name for candidate in candidates]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise UsageError(f"{twice[0]} is entered twice: name each bot once")
    if len(names) > MOST_BOTS:
        raise UsageError(f"{len(names):,} bots are entered, and {MOST_BOTS:,} is the most")
    authors = {bot.name: it for bot in candidates if (it := fold_author(bot.author)) is not None}
    conditions = Conditions(authors, matches_each)
    made = schedule(categories, {bot.name: bot.games for bot in candidates}, conditions)
    if not made.count:
        reasons = "; ".join(made.left_out) or "no category is left"
        raise UsageError(f"there is no match to play: {reasons}")
    tournament = new_tournament(
        candidates,
        categories,
        limits,
        tier,
        suite=suite,
        name=name,
        public_value=public_value,
        more={"keep_alive": keep_alive} if keep_alive > 1 else None,
        conditions=conditions,
    )
    entries = tuple((bot.name, bot.bundle) for bot in candidates)
    remarks = tuple(_remarks(made, matches_each))
    return Plan(tournament, entries, tuple(made.fixtures()), made.left_out, remarks)


def _remarks(made: Schedule, matches_each: int | None) -> Iterator[str]:
    """Yield a line for each condition that the schedule heeds."""
    if apart := made.apart():
        several = ", ".join(f"{len(bots)} of one author ({' '.join(bots)})" for bots in apart)
        yield f"kept apart at tables and in teams of three and more: {several}"
    if matches_each is not None:
        extents = ", ".join(section.extent for section in made.sections)
        yield f"at most {matches_each} matches of a bot in a category: {extents}"
    for section in made.sections:
        if (number := len(groups(section))) > 1:
            way = "play more deals" if matches_each is None else "raise --games"
            name = section.category.name
            yield f"{name}: its bots fall into {number} groups that never meet: {way}"


def schedule_of(parameters: Mapping[str, Any]) -> Schedule:
    """Return the schedule that follows from the ``parameters`` of a stored tournament.

    It is not that of a single match (`single_fixture`) or of a comparison.

    Raises:
        UsageError: another version of arena made them, by other rules.
    """
    version = parameters["parameters"]
    if version != PARAMETERS_VERSION:
        raise UsageError(
            f"the schedule was made by version {version} of its rules, and this arena has version "
            f"{PARAMETERS_VERSION}"
        )
    categories = {
        Category(it["game"], it["variant"], Mode(it["mode"]), it["players"]): it["deals"]
        for it in parameters["categories"]
    }
    bots = {name: games for name, _, games in parameters["bots"]}
    return schedule(categories, bots, Conditions(parameters["authors"], parameters["matches_each"]))


def single_fixture(seats: Sequence[str], category: Category, deals: int) -> Fixture:
    """Return the one match of a single match: it is played on the last deal of its category.

    Args:
        seats: names of the bots by seat: the parameter ``single`` of the tournament.
        category: its one category.
        deals: number of deals of that.

    Raises:
        UsageError: bots in such seats do not play this category.
    """
    if len(seats) != category.players:
        raise UsageError(f"{len(seats)} seats for {category.players} players")
    alone = category.mode is not Mode.TABLE and len(set(seats)) == 1
    if alone != (category.mode is Mode.SELF):
        raise UsageError(f"mode {category.mode.value} with {len(set(seats))} different bots")
    return Fixture(category, deals - 1, tuple(seats))


def new_tournament(  # noqa: PLR0913 - what a tournament is made of
    candidates: Sequence[Candidate],
    categories: Mapping[Category, int],
    limits: Limits | None,
    tier: Tier,
    *,
    suite: Suite | None,
    name: str | None,
    public_value: str = "",
    more_unrated: tuple[str, ...] = (),
    more: Mapping[str, Any] | None = None,
    conditions: Conditions | None = None,
) -> Tournament:
    """Return the tournament that `plan` has been asked for, under a key of its own.

    Args:
        candidates: the bots.
        categories: number of deals by category.
        limits: of every seat; ``None`` where they are off.
        tier: how the bots are kept apart.
        suite: whose published key to play with; without one a fresh secret is drawn.
        name: of the tournament; by default the suite's.
        public_value: goes into the key beside a fresh secret.
        more_unrated: why it is not rated, whatever else there is.
        more: further parameters, in plain JSON values without fractions.
        conditions: what its schedule heeds.
    """
    heeded = conditions or Conditions()
    facts = parameters(
        {bot.name: bot.bundle.digest for bot in candidates},
        {bot.name: bot.games for bot in candidates},
        categories,
        limits,
        tier,
        authors=heeded.authors,
        matches_each=heeded.matches_each,
    ) | dict(more or {})
    digest = parameters_digest(facts)
    secret = None if suite else fresh_secret()
    key = suite.key if suite else tournament_key(secret or b"", digest, public_value)
    committed = commitment(secret or key)
    called = name or (suite.name if suite else DEFAULT_NAME)
    return Tournament(
        id=tournament_id(called, digest, committed),
        name=called,
        created=utc_now(),
        parameters=facts,
        suite=suite.name if suite else SECRET_SUITE,
        key=key,
        commitment=committed if secret else None,
        secret=secret,
        public_value=public_value or None,
        unrated=(*_unrated(candidates, suite, limits, tier), *more_unrated),
    )


def _unrated(
    candidates: Sequence[Candidate], suite: Suite | None, limits: Limits | None, tier: Tier
) -> tuple[str, ...]:
    """Return why what ``candidates`` play so cannot be rated; nothing if it can."""
    return unrated_reasons(
        published_key=suite is not None,
        tier=tier,
        limits=limits,
        paths=[bot.name for bot in candidates if bot.by_path],
        people=[bot.name for bot in candidates if bot.bundle.digest == PERSON.digest],
    )


def plan_match(
    store: Store,
    game: AnyGame,
    seats: Sequence[Candidate],
    limits: Limits | None,
    tier: Tier,
    *,
    variant: str | None = None,
    deal: int = 0,
    suite: Suite | None = None,
) -> Plan:
    """Return the tournament of one single match: ``seats`` play ``deal`` of ``game``.

    Args:
        store: whose single matches number the new one.
        game: what is played.
        seats: the bots by seat; one bot may hold several.
        limits: of every seat; ``None`` where they are off.
        tier: how the bots are kept apart.
        variant: of the rules; by default the first one.
        deal: number of the deal, from 0.
        suite: whose published key to play with; without one a fresh secret is drawn.

    Raises:
        UsageError: the game is not played so, or a bot does not play it.
    """
    if game.kind is Kind.COMPETITIVE:
        mode = Mode.TABLE
    else:
        mode = Mode.SELF if len({bot.name for bot in seats}) == 1 else Mode.MIXED
    category = Category(game.name, variant or game.variants[0], mode, len(seats)).check()
    for bot in seats:
        if not bot.plays(game.name):
            raise UsageError(f"{bot.name} does not play {game.name}")
    there = {bot.name: bot for bot in seats}
    fixture = single_fixture([bot.name for bot in seats], category, deal + 1)
    number = 1 + sum(one.tournament.single for one in list_tournaments(store))
    tournament = new_tournament(
        list(there.values()),
        {category: deal + 1},
        limits,
        tier,
        suite=suite,
        name=f"{MATCH}-{number}",
        more_unrated=(SINGLE,),
        more={"single": list(fixture.bots)},
    )
    entries = tuple((bot.name, bot.bundle) for bot in there.values())
    return Plan(tournament, entries, (fixture,))


def expected_s(store: Store, there: Collection[Extent], jobs: int) -> float:
    """Return about how many seconds it takes to play what is ``there`` with ``jobs`` workers.

    It goes by the matches of the same category that the home holds, and else by a guess.
    """
    known = mean_ms(store)
    total = sum(
        one.matches * known.get(one.category.name, _MS_A_MATCH + _MS_A_SEAT * one.category.players)
        for one in there
    )
    return total / 1000 / jobs
