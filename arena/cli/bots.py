"""``arena submit`` and ``arena bots``: the registered bots."""

import logging
from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap
from typing import Annotated

import typer

from arena.bundled import sample_bots
from arena.cli.isolation import isolation_wanted
from arena.cli.options import (
    HOME,
    As,
    Home,
    MoveMs,
    StartMs,
    TierName,
    at_home,
    browsed,
    complete_registered,
    given,
    placed,
    quoted,
    settings_at,
    shown,
    store_at,
)
from arena.cli.remarks import counted, remark
from arena.cli.render import WIDTH, Format, Value, render
from arena.cli.waiting import Waiting
from arena.errors import UsageError
from arena.games import games as all_games
from arena.players.files import typed
from arena.players.submission import read_bundle
from arena.players.tail import TAIL
from arena.players.tier import Tier
from arena.referee.limits import Limits
from arena.store.bots import (
    Bot,
    add_bot,
    bot_versions,
    check_free,
    list_bots,
    list_versions,
    remove_bot,
)
from arena.tournament.trial import try_out
from arena.wire.escape import printable

COLUMNS = ("bot", "version", "games", "author", "submitted", "digest")
_DIGEST_SHOWN = 19

log = logging.getLogger(__name__)

BotPath = Annotated[
    Path,
    typer.Argument(
        metavar="PATH",
        help="A script, an executable file, a folder, a .zip or a .tar.gz.",
        parser=typed,
    ),
]
NewName = Annotated[
    str | None, typer.Option("--name", metavar="NAME", help="What to call the bot.")
]
Versions = Annotated[
    bool,
    typer.Option(
        "--versions", help="With all versions: an older one plays as `--bots NAME@VERSION`."
    ),
]
RegisteredName = Annotated[
    str,
    typer.Argument(
        metavar="NAME", help="A name from `arena bots`.", autocompletion=complete_registered
    ),
]


def register(app: typer.Typer) -> None:
    """Add the commands of this module to ``app``."""
    app.command(epilog="Example: arena submit mybot.py --name clever")(submit)
    listing = typer.Typer(
        rich_markup_mode=None,
        invoke_without_command=True,
        epilog="Example: arena bots --format csv",
    )
    listing.callback()(bots)
    listing.command(epilog="Example: arena bots remove clever")(remove)
    app.add_typer(listing, name="bots")


def submit(  # noqa: PLR0917 - a command's options
    path: BotPath,
    name: NewName = None,
    home: Home = HOME,
    move_ms: MoveMs = None,
    start_ms: StartMs = None,
    tier: TierName = None,
    form: As = Format.TABLE,
) -> None:
    """Check a bot, and keep a snapshot of it under its name.

    It is built if its bot.toml says so, started, and plays the beginning of a match of each game,
    before it is accepted. What is changed in its files later does not matter until it is submitted
    again.
    """
    settings = settings_at(home)
    limits = settings.limits_with(move_ms=move_ms, start_ms=start_ms)
    isolated = isolation_wanted(tier, settings)
    log.debug("tier %s: %s", isolated.tier, limits)
    with Waiting() as waiting:
        waiting.told(f"reading {shown(path)}, and building it if its bot.toml says so")
        bundle = read_bundle(path, name, isolated.build_in)
        log.debug("%s: %s, started by %s", bundle.name, bundle.digest, bundle.command)
        with browsed(home) as store:
            check_free(store, bundle.name)
        try:
            trial = try_out(bundle, limits, isolated.tier, waiting.told)
        except UsageError as refusal:
            way_on = _examination(path, name, home, move_ms, start_ms, tier)
            raise _with_way_on(refusal, way_on) from None
    with store_at(home) as store:
        before = bot_versions(store, bundle.name)
        bot, changed = add_bot(store, bundle.name, bundle, trial.games)
    taken = _news_of_samples(before, bot)
    for news in filter(None, [_news(before, bot, changed=changed), taken, trial.misspelt]):
        remark(news)
    for line in wrap(_held(limits), WIDTH):
        remark(line)
    typer.echo(render([_row(bot, form)], form), nl=False)


def _examination(
    path: Path,
    name: str | None,
    home: Path,
    move_ms: int | None,
    start_ms: int | None,
    tier: Tier | None,
) -> str:
    """Return the command that examines the bot at ``path`` as it was submitted."""
    values = {"--name": name, "--move-ms": move_ms, "--start-ms": start_ms, "--tier": tier}
    said = [f" {option} {value}" for option, value in values.items() if value is not None]
    return f"arena check {quoted(path)}{''.join(said)}{at_home(home)}"


def _with_way_on(refusal: UsageError, command: str) -> UsageError:
    """Return the ``refusal`` of a bot with the ``command`` that says more of it, whole."""
    said, tail, log_lines = str(refusal).partition(TAIL)
    return UsageError(f"{said}; `{printable(command)}` says more{tail}{log_lines}")


def _news(before: Sequence[Bot], bot: Bot, *, changed: bool) -> str:
    """Return what a submission did to the versions ``before`` it; empty if it was the first.

    Several people may have a file called bot.py, so whatever took another's place is told.
    """
    if not before:
        return ""
    last = before[-1]
    if not changed:
        return f"{bot.name} is registered with this very content: nothing changed"
    if last.version == bot.version:
        what = "is back on the list" if last.removed else "says something else of itself now"
        return f"{bot.name}: version {bot.version} {what}; its files are the same"
    same = [one.version for one in before if one.digest == bot.digest]
    files = f", with the files of version {same[-1]}" if same else ""
    gone = " and removed" if last.removed else ""
    return (
        f"{bot.name}: version {bot.version}{files}; version {last.version} was submitted "
        f"{last.submitted}{gone} (another bot? give it a --name)"
    )


def _news_of_samples(before: Sequence[Bot], bot: Bot) -> str:
    """Return whether ``bot``, once it is on the list, takes its name from a sample bot; or empty.

    One with the very files of the sample bot takes nothing from anybody.
    """
    if before and not before[-1].removed:
        return ""
    sample = next((path for path in sample_bots() if path.stem == bot.name), None)
    if sample is None or read_bundle(sample).digest == bot.digest:
        return ""
    return f"{bot.name}: from now on the name means this bot, and not the sample bot"


def _held(limits: Limits) -> str:
    """Return what a bot is held to, for its author."""
    return (
        f"limits: {limits.start_ms} ms to start, {limits.move_ms} ms a move, "
        f"{limits.extra_ms} ms extra a match; {limits.memory_mb} MiB of memory, "
        f"{counted(limits.processes, 'process', 'processes')}, {limits.open_files} open files "
        f"each; {limits.file_mb} MiB a file, {limits.tmp_mb} MiB of files; "
        f"{limits.stderr_kb} KiB of standard error are kept"
    )


def bots(
    context: typer.Context,
    versions: Versions = False,
    home: Home = HOME,
    form: As = Format.TABLE,
) -> None:
    """List the registered bots."""
    if context.invoked_subcommand:
        if versions:
            raise UsageError("--versions is of the list: leave it out")
        if early := given(context, ("home", "form")):
            below = context.invoked_subcommand
            raise UsageError(f"{early[0]} goes behind {below}: arena bots {below} {early[0]}")
        return
    with browsed(home) as store:
        there = list_versions(store) if versions else list_bots(store)
    if not there:
        remark(f"no bot is registered in {placed(home)} yet: `arena submit PATH` does it")
    typer.echo(render([_row(bot, form) for bot in there], form, COLUMNS), nl=False)


def remove(
    name: RegisteredName,
    home: Home = HOME,
) -> None:
    """Take a bot off the list; what it has played stays."""
    with store_at(home, create=False) as store:
        bot = remove_bot(store, name)
    remark(f"{bot.name} is no longer registered")


def _row(bot: Bot, form: Format) -> dict[str, Value]:
    everything: Value = tuple(all_games()) if form is Format.JSON else "all"
    row: dict[str, Value] = {
        "bot": bot.name,
        "version": bot.version,
        "games": "damaged" if bot.damaged else everything if bot.games is None else bot.games,
        "author": bot.author,
        "submitted": bot.submitted,
        "digest": bot.digest[:_DIGEST_SHOWN] if form is Format.TABLE else bot.digest,
    }
    return row | {"languages": bot.languages} if form is Format.JSON else row
