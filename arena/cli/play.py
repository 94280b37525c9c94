"""``arena play``: a person against bots, or with them."""

import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.endings import print_ending
from arena.cli.isolation import isolation_wanted
from arena.cli.match import DealNumber, tell_way_on
from arena.cli.options import (
    HOME,
    As,
    ExtraMs,
    Home,
    MoveMs,
    OneGame,
    StartMs,
    SuiteName,
    TierName,
    Variant,
    browsed,
    complete_bots,
    one_of,
    settings_at,
    store_at,
    words,
)
from arena.cli.prompt import Prompt
from arena.cli.render import Format
from arena.cli.sitting import Sitting
from arena.errors import UsageError
from arena.games import get_game
from arena.games.base import AnyGame
from arena.players.names import PERSON_NAME, fold
from arena.players.person import SNAPSHOT, Person
from arena.referee.player import Player
from arena.referee.record import MatchRecord, encode_record
from arena.store.bots import plain_name
from arena.store.matches import add_matches
from arena.store.tournaments import finish
from arena.tournament.entrants import Candidate, named
from arena.tournament.machine import on_one_core
from arena.tournament.match import play_match
from arena.tournament.plan import Plan, plan_match
from arena.tournament.suite import find_suite
from arena.tournament.tasks import entrant_of, task_of

Against = Annotated[
    list[str],
    typer.Option(
        "--vs",
        metavar="BOT,…",
        help="The bots in the other seats, by name or path, with commas between them.",
        autocompletion=complete_bots,
    ),
]
OwnSeat = Annotated[
    int | None,
    typer.Option("--seat", metavar="N", min=0, help="Your seat, from 0; by default drawn."),
]


def register(app: typer.Typer) -> None:
    """Add the commands of this module to ``app``."""
    app.command(epilog="Example: arena play donburiko --vs greedy,random_legal")(play)


def play(  # noqa: PLR0913, PLR0917 - a command's options
    game: OneGame,
    vs: Against,
    seat: OwnSeat = None,
    deal: DealNumber = 0,
    suite: SuiteName = None,
    variant: Variant = None,
    move_ms: MoveMs = None,
    extra_ms: ExtraMs = None,
    start_ms: StartMs = None,
    tier: TierName = None,
    home: Home = HOME,
    form: As = Format.TABLE,
) -> None:
    """Play a match yourself: type the number of an action, or the beginning of its text.

    You are shown what a bot in your seat would be sent. Times are for the bots: you have as much as
    you like. The match is kept as an unrated tournament of its own.
    """
    rules = get_game(game)
    others = words(vs, "--vs") or []
    own = _seat(rules, others, seat)
    settings = settings_at(home)
    limits = settings.limits_with(move_ms=move_ms, extra_ms=extra_ms, start_ms=start_ms)
    isolated = isolation_wanted(tier, settings)
    chosen = find_suite(suite) if suite is not None else None
    with browsed(home) as store:
        seats = list(named(store, others, limits, isolated.tier, isolated.build_in))
        _check_names(seats)
        seats.insert(own, Candidate(PERSON_NAME, SNAPSHOT, games=None))
        made = plan_match(
            store, rules, seats, limits, isolated.tier, variant=variant, deal=deal, suite=chosen
        )
    prompt = Prompt(err=form is not Format.TABLE)
    names = [bot.name for bot in seats]
    sitting = Sitting(rules, names, own, prompt, err=form is not Format.TABLE)
    sitting.welcome()
    with prompt.minding_interrupts():
        record = _played(made, {own: Person(sitting.choose, sitting.tell)}, home)
    print_ending(record, form)
    tell_way_on(record, home)


def _seat(game: AnyGame, others: list[str], wanted: int | None) -> int:
    """Return the person's seat among ``others``: the ``wanted`` one, or one that is drawn."""
    players = 1 + len(others)
    if players not in game.player_counts:
        counts = one_of([count - 1 for count in game.player_counts])
        raise UsageError(f"{game.name} takes {counts} bots beside you, not {len(others)}: see --vs")
    if wanted is None:
        return secrets.randbelow(players)
    if wanted >= players:
        raise UsageError(f"--seat {wanted}: with {players} players there are 0 to {players - 1}")
    return wanted


def _check_names(bots: Sequence[Candidate]) -> None:
    """Refuse bots that are called as the person is: they were registered before none could be."""
    for bot in bots:
        if fold(plain_name(bot.name)) == PERSON_NAME:
            raise UsageError(
                f"{bot.name} is what you are called in the match: submit that bot under another "
                "--name"
            )


def _played(made: Plan, people: dict[int, Player], home: Path) -> MatchRecord:
    """Play the single match of ``made``, and return its record, which is kept.

    Nothing is stored before the end: a match whose person is gone could never be resumed.
    """
    with store_at(home) as store:
        entrants = {name: entrant_of(store, name, bundle) for name, bundle in made.entries}
    task = task_of(made.tournament, made.fixtures[0], entrants, attempt=1)
    with on_one_core():
        record = play_match(task, people=people)
    with store_at(home) as store:
        made.store(store)
        add_matches(store, made.tournament.id, [encode_record(record)])
        finish(store, made.tournament.id)
    return record
