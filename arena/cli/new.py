"""``arena new``: the beginning of a bot."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.remarks import remark
from arena.players.scaffold import lacking, scaffold
from arena.wire.escape import printable


class Lang(StrEnum):
    """The languages, as `arena.players.scaffold.LANGUAGES` calls them."""

    PYTHON = "python"
    JS = "js"
    CPP = "cpp"


NewName = Annotated[
    str, typer.Argument(metavar="NAME", help="What to call the bot, and its folder.")
]
InLanguage = Annotated[
    Lang,
    typer.Option(
        "--lang",
        "-l",
        metavar="|".join(Lang),
        case_sensitive=False,
        help="The language to write it in.",
    ),
]


def register(app: typer.Typer) -> None:
    """Add the command of this module to ``app``."""
    app.command(epilog="Example: arena new mybot --lang js")(new)


def new(
    name: NewName,
    lang: InLanguage = Lang.PYTHON,
) -> None:
    """Make a folder with a small bot in it, which `arena submit` takes as it is.

    The bot plays both games, and its folder holds all that it needs: the library of its language,
    and a bot.toml that says how it is built and started. Whatever is there already is left alone.
    """
    for path in scaffold(name, lang.value, Path()):
        typer.echo(printable(str(path)))
    if missing := lacking(lang.value):
        remark(f"{missing}: until it is, the bot cannot play here")
    remark(f"next: arena check {name}; arena submit {name}")
