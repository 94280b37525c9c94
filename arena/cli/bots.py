"""``arena submit`` and ``arena bots``: the registered bots."""

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.options import HOME, As, Home, MoveMs, store_at
from arena.cli.remarks import remark
from arena.cli.render import Format, Value, render
from arena.players.bundle import read_bundle
from arena.referee.limits import Limits
from arena.store.bots import add_bot, check_free, list_bots, remove_bot
from arena.tournament.trial import try_out

COLUMNS = ("bot", "version", "games", "submitted", "digest")
_DIGEST_SHOWN = 19


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


def submit(
    path: Annotated[Path, typer.Argument(help="A script, an executable file or a folder.")],
    name: Annotated[str | None, typer.Option("--name", help="What to call the bot.")] = None,
    home: Home = HOME,
    move_ms: MoveMs = Limits().move_ms,
) -> None:
    """Check a bot, and keep a snapshot of it under its name.

    It is started, and plays the beginning of a match of each game, before it is accepted.
    """
    bundle = read_bundle(path, name)
    with store_at(home) as store:
        check_free(store, bundle.name)
        games = try_out(bundle, Limits(move_ms=move_ms))
        bot, changed = add_bot(store, bundle.name, bundle, games)
    if not changed:
        remark(f"{bot.name} is registered with this very content: nothing changed")
    row: dict[str, Value] = {
        "bot": bot.name,
        "version": bot.version,
        "games": _games(bot.games),
        "digest": bot.digest,
    }
    typer.echo(render([row], Format.TABLE), nl=False)


def bots(context: typer.Context, home: Home = HOME, form: As = Format.TABLE) -> None:
    """List the registered bots."""
    if context.invoked_subcommand:
        return
    with store_at(home) as store:
        rows: list[dict[str, Value]] = [
            {
                "bot": bot.name,
                "version": bot.version,
                "games": _games(bot.games),
                "submitted": bot.submitted,
                "digest": bot.digest[:_DIGEST_SHOWN] if form is Format.TABLE else bot.digest,
            }
            for bot in list_bots(store)
        ]
    if not rows:
        remark("no bot is registered yet: `arena submit PATH` does it")
    typer.echo(render(rows, form, COLUMNS), nl=False)


def remove(
    name: Annotated[str, typer.Argument(help="A name from `arena bots`.")], home: Home = HOME
) -> None:
    """Take a bot off the list; what it has played stays."""
    with store_at(home, create=False) as store:
        bot = remove_bot(store, name)
    remark(f"{bot.name} is no longer registered")


def _games(names: tuple[str, ...] | None) -> str:
    return "all" if names is None else ", ".join(names)
