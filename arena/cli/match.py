"""``arena match``: one match, played by itself."""

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from arena.cli.endings import print_ending
from arena.cli.frames import action_line
from arena.cli.isolation import isolation_wanted
from arena.cli.options import (
    HOME,
    As,
    ExtraMs,
    Home,
    MoveMs,
    OneGame,
    SlotMs,
    StartMs,
    SuiteName,
    TierName,
    Variant,
    at_home,
    browsed,
    complete_bot,
    given,
    one_of,
    settings_at,
    store_at,
)
from arena.cli.remarks import remark
from arena.cli.render import Format
from arena.errors import UsageError
from arena.games import get_game
from arena.games.base import AnyGame, Public, Seat
from arena.players.person import SNAPSHOT as PERSON
from arena.players.tier import Tier
from arena.referee.play import Watch
from arena.referee.record import MatchRecord, encode_record
from arena.store.matches import add_matches
from arena.store.tournaments import finish
from arena.tournament.entrants import named
from arena.tournament.machine import on_one_core
from arena.tournament.match import Started, play_match
from arena.tournament.plan import Plan, plan_match
from arena.tournament.suite import find_suite
from arena.tournament.tasks import match_task
from arena.wire.codec import encode_value
from arena.wire.escape import printable

_CLOCKS = ("move_ms", "extra_ms", "start_ms", "slot_ms")

log = logging.getLogger(__name__)

DealNumber = Annotated[
    int, typer.Option("--deal", metavar="N", min=0, max=999_999, help="Which one, from 0.")
]
BotOfSeat = Annotated[
    list[str],
    typer.Argument(
        metavar="BOT",
        help="Names or paths, one for each seat; a name several times if it holds several.",
        autocompletion=complete_bot,
    ),
]
Watched = Annotated[bool, typer.Option("--watch", help="Show the table at every turn.")]
NoLimits = Annotated[
    bool,
    typer.Option("--no-limits", help="Under a debugger: no clock and no limits, so unrated."),
]


def register(app: typer.Typer) -> None:
    """Add the commands of this module to ``app``."""
    app.command(epilog="Example: arena match donburiko greedy mybot.py --watch")(match)


def match(  # noqa: PLR0913, PLR0917 - a command's options
    context: typer.Context,
    game: OneGame,
    bots: BotOfSeat,
    deal: DealNumber = 0,
    suite: SuiteName = None,
    variant: Variant = None,
    watch: Watched = False,
    move_ms: MoveMs = None,
    extra_ms: ExtraMs = None,
    start_ms: StartMs = None,
    slot_ms: SlotMs = None,
    no_limits: NoLimits = False,
    tier: TierName = None,
    home: Home = HOME,
    form: As = Format.TABLE,
) -> None:
    """Play a single match, and show how it ended.

    It is kept as an unrated tournament of its own. With --format json its record is printed.
    """
    rules = get_game(game)
    if len(bots) not in rules.player_counts:
        counts = one_of(rules.player_counts)
        raise UsageError(f"{rules.name} takes {counts} bots, one for each seat, not {len(bots)}")
    settings = settings_at(home)
    if no_limits and (clocks := given(context, _CLOCKS)):
        raise UsageError(f"--no-limits stops all clocks: leave out {', '.join(clocks)}")
    limits = settings.limits_with(
        move_ms=move_ms, extra_ms=extra_ms, start_ms=start_ms, slot_ms=slot_ms
    )
    held = None if no_limits else limits
    isolated = isolation_wanted(tier, settings)
    chosen = find_suite(suite) if suite is not None else None
    with browsed(home) as store:
        seats = named(store, bots, held, isolated.tier, isolated.build_in)
        made = plan_match(
            store, rules, seats, held, isolated.tier, variant=variant, deal=deal, suite=chosen
        )
    names = [seat.name for seat in seats]
    show = _watch(rules, names, form) if watch else None
    record = _played(made, show, home, _debugged(names, isolated.tier) if no_limits else None)
    print_ending(record, form)
    tell_way_on(record, home)


def tell_way_on(record: MatchRecord, home: Path) -> None:
    """Say how to look at a match that is kept, and into the logs of its bots at fault."""
    where = f"-t {record.tournament}{at_home(home)}"
    at_fault = [record.seats[fault.seat] for fault in record.faults]
    for bot in dict.fromkeys(one.bot for one in at_fault if one.digest != PERSON.digest):
        remark(f"all that {bot} logged: arena logs {bot} --faults {where}")
    remark(f"kept: arena replay {record.match} {where}")


def _played(
    made: Plan, show: Watch | None, home: Path, started: Started | None = None
) -> MatchRecord:
    """Store the single match of ``made``, play it, and return its record, which is kept."""
    with store_at(home) as store:
        made.store(store)
        with on_one_core():
            task = match_task(store, made.tournament, made.fixtures[0])
            record = play_match(task, show, started)
        add_matches(store, made.tournament.id, [encode_record(record)])
        finish(store, made.tournament.id)
    _log_turns(record)
    return record


def _log_turns(record: MatchRecord) -> None:
    """Log each decision, with the time that it took."""
    if not log.isEnabledFor(logging.DEBUG):
        return
    for turn, (it, ms) in enumerate(zip(record.actions, record.measured.action_ms, strict=True)):
        bot, action = record.seats[it.seat].bot, bytes(it.action)
        log.debug("%s", action_line(turn, it.seat, bot, action, house=it.house, ms=ms))


def _debugged(names: Sequence[str], tier: Tier) -> Started:
    """Return what says which process a debugger has to attach to."""
    around = "" if tier is Tier.NONE else " is a sandbox, the bot below it"

    def say(seat: int, pid: int) -> None:
        remark(f"seat {seat} {names[seat]}: process {pid}{around}")

    return say


def _watch(game: AnyGame, names: Sequence[str], form: Format) -> Watch:
    """Return what draws the table and says the action at every turn.

    It goes where the data go, except for data that a program is to read.
    """
    turn = 0

    def show(state: Any, seat: Seat, action: Public, house: bool) -> None:  # noqa: ANN401, FBT001
        nonlocal turn
        table = printable(game.draw(state), lines=True)
        line = action_line(turn, seat, names[seat], encode_value(action), house=house)
        signs = f"{printable(game.legend)}\n\n" if game.legend and not turn else ""
        typer.echo(f"{signs}{table}\n{line}\n", err=form is not Format.TABLE)
        turn += 1

    return show
