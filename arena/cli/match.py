"""``arena match`` and ``arena replay``: one match, played or looked at."""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from arena.cli.options import (
    HOME,
    As,
    ExtraMs,
    Home,
    InTournament,
    MoveMs,
    OneGame,
    SlotMs,
    StartMs,
    SuiteName,
    TierName,
    at_home,
    browsed,
    complete_bot,
    given,
    isolation_wanted,
    one_of,
    store_at,
)
from arena.cli.remarks import counted, remark
from arena.cli.render import Format, Value, render
from arena.errors import UsageError
from arena.games import get_game
from arena.games.base import AnyGame, Public, Seat
from arena.players.sandbox import Tier
from arena.players.tail import last_lines
from arena.referee.lines import lines_of
from arena.referee.play import Watch
from arena.referee.record import MatchRecord, decode_record, encode_record
from arena.referee.replay import replay as replay_record
from arena.store.matches import add_matches, get_match
from arena.store.tournaments import finish, get_tournament
from arena.tournament.entrants import named
from arena.tournament.match import Started, play_match
from arena.tournament.plan import Plan, plan_match
from arena.tournament.runner import match_task
from arena.tournament.settings import read_settings
from arena.tournament.suite import find_suite
from arena.tournament.workers import cores
from arena.wire.codec import encode_value
from arena.wire.escape import printable

_CLOCKS = ("move_ms", "extra_ms", "start_ms", "slot_ms")


def register(app: typer.Typer) -> None:
    """Add the commands of this module to ``app``."""
    app.command(epilog="Example: arena match donburiko greedy mybot.py --watch")(match)
    app.command(epilog="Example: arena replay donburiko-2p/0/greedy+random_legal")(replay)


def match(  # noqa: PLR0913, PLR0917 - a command's options
    context: typer.Context,
    game: OneGame,
    bots: Annotated[
        list[str],
        typer.Argument(
            metavar="BOT",
            help="Names or paths, one for each seat; a name several times if it holds several.",
            autocompletion=complete_bot,
        ),
    ],
    deal: Annotated[
        int, typer.Option("--deal", metavar="N", min=0, max=999_999, help="Which one, from 0.")
    ] = 0,
    suite: SuiteName = None,
    variant: Annotated[
        str | None,
        typer.Option(
            "--variant", metavar="VARIANT", help="Of the rules; by default the game's first one."
        ),
    ] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Show the table at every turn.")] = False,
    move_ms: MoveMs = None,
    extra_ms: ExtraMs = None,
    start_ms: StartMs = None,
    slot_ms: SlotMs = None,
    no_limits: Annotated[
        bool,
        typer.Option("--no-limits", help="Under a debugger: no clock and no limits, so unrated."),
    ] = False,
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
    settings = read_settings(home)
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
    _print(record, form)
    remark(f"kept: arena replay {record.match} -t {record.tournament}{at_home(home)}")


def replay(
    match: Annotated[
        str, typer.Argument(metavar="MATCH", help="A match's id, or the beginning of one.")
    ],
    tournament: InTournament = None,
    lines: Annotated[
        int | None,
        typer.Option(
            "--lines", metavar="SEAT", min=0, help="Print what a seat was sent, to try a bot on."
        ),
    ] = None,
    operator: Annotated[
        bool, typer.Option("--operator", help="Show cards although the tournament is going on.")
    ] = False,
    home: Home = HOME,
    form: As = Format.TABLE,
) -> None:
    """Show a match turn by turn, with every card.

    With --format json its record is printed, with csv or github how it ended.
    """
    with store_at(home, create=False) as store:
        where = get_tournament(store, tournament).tournament.id if tournament else None
        stored = get_match(store, match, where)
        played = get_tournament(store, stored.tournament).tournament
    if played.secret is not None and played.finished is None and not operator:
        raise UsageError(
            f"{played.id} is going on, and its deals are still played: --operator shows them"
        )
    record = decode_record(stored.record)
    if lines is not None:
        typer.echo(b"".join(lines_of(record, lines, key=played.key)), nl=False)
        return
    rules = get_game(record.game)
    names = [seat.bot for seat in record.seats]
    replay_record(record, _watch(rules, names, form) if form is Format.TABLE else None)
    _print(record, form)


def _played(
    made: Plan, show: Watch | None, home: Path, started: Started | None = None
) -> MatchRecord:
    """Store the single match of ``made``, play it, and return its record, which is kept."""
    with store_at(home) as store:
        made.store(store)
        with _on_one_core():
            task = match_task(store, made.tournament, made.fixtures[0])
            record = play_match(task, show, started)
        add_matches(store, made.tournament.id, [encode_record(record)])
        finish(store, made.tournament.id)
    return record


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
        who = f"seat {seat} {names[seat]}" + (" (house)" if house else "")
        action_text = encode_value(action).decode()
        text = f"{game.draw(state)}\n{turn}. {who}: {action_text}\n"
        typer.echo(printable(text, lines=True), err=form is not Format.TABLE)
        turn += 1

    return show


def _print(record: MatchRecord, form: Format) -> None:
    """Print how a match ended, and the end of what bots at fault had logged."""
    if form is Format.JSON:
        # Spelt in ASCII again, so that nothing a bot wrote can act on a terminal.
        typer.echo(json.dumps(json.loads(encode_record(record)), separators=(",", ":")))
    else:
        typer.echo(render(_rows(record), form), nl=False)
    remark(f"{record.match}: {record.reason} after {_actions(record)}")
    for fault in record.faults:
        if lines := last_lines(record.measured.stderr[fault.seat]):
            remark(f"seat {fault.seat} {record.seats[fault.seat].bot} wrote to standard error:")
            for line in lines:
                remark(f"  | {line}")


def _actions(record: MatchRecord) -> str:
    return counted(len(record.actions), "action", "actions")


def _rows(record: MatchRecord) -> list[dict[str, Value]]:
    faults = {fault.seat: f"{fault.code}: {fault.text}" for fault in record.faults}
    unit = get_game(record.game).unit
    return [
        {
            "seat": seat,
            "bot": record.seats[seat].bot,
            unit: record.scores[seat],
            "rank": record.ranks[seat],
            "fault": faults.get(seat),
        }
        for seat in range(record.players)
    ]


@contextmanager
def _on_one_core() -> Iterator[None]:
    """Keep this process and the bots that it starts on one core: a pipe across two is slow."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = cores()
    os.sched_setaffinity(0, {before[-1]})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
