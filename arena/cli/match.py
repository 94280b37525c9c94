"""``arena match`` and ``arena replay``: one match, played or looked at."""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from arena.cli.options import HOME, ExtraMs, Home, MoveMs, OneGame, store_at
from arena.cli.remarks import remark
from arena.cli.render import Format, Value, render
from arena.errors import UsageError
from arena.games import get_game
from arena.games.base import AnyGame, Public, Seat
from arena.referee.limits import Limits
from arena.referee.play import Watch
from arena.referee.record import MatchRecord, decode_record, encode_record
from arena.referee.replay import replay as replay_record
from arena.store.matches import add_matches, get_match
from arena.store.tournaments import finish, get_tournament
from arena.tournament.entrants import named
from arena.tournament.match import play_match
from arena.tournament.plan import plan_match
from arena.tournament.runner import match_task
from arena.tournament.suite import find_suite
from arena.tournament.workers import cores
from arena.wire.codec import encode_value
from arena.wire.escape import printable


def register(app: typer.Typer) -> None:
    """Add the commands of this module to ``app``."""
    app.command(epilog="Example: arena match donburiko greedy mybot.py --watch")(match)
    app.command(epilog="Example: arena replay donburiko-2p/0/greedy+random_legal")(replay)


def match(  # noqa: PLR0913, PLR0917 - a command's options
    game: OneGame,
    bots: Annotated[
        list[str], typer.Argument(metavar="BOT...", help="Names or paths, one for each seat.")
    ],
    deal: Annotated[int, typer.Option("--deal", min=0, max=999_999, help="Number, from 0.")] = 0,
    suite: Annotated[
        str | None, typer.Option("--suite", help="A suite's file or name; else a fresh secret.")
    ] = None,
    variant: Annotated[
        str | None, typer.Option("--variant", help="Of the rules; by default the first one.")
    ] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Show the table at every turn.")] = False,
    move_ms: MoveMs = Limits().move_ms,
    extra_ms: ExtraMs = 0,
    home: Home = HOME,
    form: Annotated[
        Format, typer.Option("--format", "-f", help="How to print; json: the record.")
    ] = Format.TABLE,
) -> None:
    """Play one match, show how it ended, and keep it as an unrated tournament of its own."""
    rules = get_game(game)
    limits = Limits(move_ms=move_ms, extra_ms=extra_ms)
    with store_at(home) as store:
        seats = named(store, bots, limits)
        chosen = find_suite(suite) if suite else None
        made = plan_match(store, rules, seats, limits, variant=variant, deal=deal, suite=chosen)
        made.store(store)
        with _on_one_core():
            record = play_match(
                match_task(store, made.tournament, made.fixtures[0]),
                _watch(rules, [seat.name for seat in seats]) if watch else None,
            )
        add_matches(store, made.tournament.id, [encode_record(record)])
        finish(store, made.tournament.id)
    _print(record, form)
    remark(f"kept: arena replay {record.match} --tournament {record.tournament}")


def replay(
    match: Annotated[str, typer.Argument(help="A match's id, or the beginning of one.")],
    tournament: Annotated[
        str | None, typer.Option("--tournament", "-t", help="Where it was played.")
    ] = None,
    operator: Annotated[
        bool, typer.Option("--operator", help="Show cards although the tournament is going on.")
    ] = False,
    home: Home = HOME,
    form: Annotated[
        Format, typer.Option("--format", "-f", help="How to print; json: the record.")
    ] = Format.TABLE,
) -> None:
    """Show a match turn by turn, with every card."""
    with store_at(home, create=False) as store:
        where = get_tournament(store, tournament).tournament.id if tournament else None
        stored = get_match(store, match, where)
        played = get_tournament(store, stored.tournament).tournament
    if played.secret is not None and played.finished is None and not operator:
        raise UsageError(
            f"{played.id} is going on, and its deals are still played: --operator shows them"
        )
    record = decode_record(stored.record)
    rules = get_game(record.game)
    names = [seat.bot for seat in record.seats]
    show = _watch(rules, names) if form is not Format.JSON else None
    replay_record(record, show)
    _print(record, form)


def _watch(game: AnyGame, names: Sequence[str]) -> Watch:
    """Return what draws the table and says the action at every turn."""
    turn = 0

    def show(state: Any, seat: Seat, action: Public, house: bool) -> None:  # noqa: ANN401, FBT001
        nonlocal turn
        who = f"seat {seat} {names[seat]}" + (" (house)" if house else "")
        action_text = encode_value(action).decode()
        text = f"{game.draw(state)}\n{turn}. {who}: {action_text}\n"
        typer.echo(printable(text, lines=True))
        turn += 1

    return show


def _print(record: MatchRecord, form: Format) -> None:
    if form is Format.JSON:
        # Spelt in ASCII again, so that nothing a bot wrote can act on a terminal.
        typer.echo(json.dumps(json.loads(encode_record(record)), separators=(",", ":")))
        return
    faults = {fault.seat: f"{fault.code}: {fault.text}" for fault in record.faults}
    unit = get_game(record.game).unit
    rows: list[dict[str, Value]] = [
        {
            "seat": seat,
            "bot": record.seats[seat].bot,
            unit: record.scores[seat],
            "rank": record.ranks[seat],
            "fault": faults.get(seat, ""),
        }
        for seat in range(record.players)
    ]
    typer.echo(render(rows, form), nl=False)
    remark(f"{record.match}: {record.reason} after {len(record.actions)} actions")


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
