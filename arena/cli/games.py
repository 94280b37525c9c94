"""``arena games``: what can be played."""

import typer

from arena.cli.options import As
from arena.cli.render import Format, Value, render
from arena.games import games as all_games


def register(app: typer.Typer) -> None:
    """Add the commands of this module to ``app``."""
    app.command(epilog="Example: arena games --format json")(games)


def games(form: As = Format.TABLE) -> None:
    """List the games that can be played."""
    rows: list[dict[str, Value]] = [
        {
            "game": game.name,
            "kind": game.kind.value,
            "players": game.player_counts,
            "variants": game.variants,
            "rules": game.rules_version,
        }
        for game in all_games().values()
    ]
    typer.echo(render(rows, form), nl=False)
