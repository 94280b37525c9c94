"""``arena tournaments``: what there is, and how to go on with what was stopped."""

from collections.abc import Sequence

import typer

from arena.cli.options import HOME, As, Home, browsed, placed
from arena.cli.playing import way_on
from arena.cli.pools import tell_damaged
from arena.cli.remarks import remark
from arena.cli.render import Format, Row, Value, render
from arena.store.tournaments import Stage, list_tournaments

COLUMNS = (
    *("tournament", "state", "matches", "of", "dropped", "retired"),
    *("suite", "created", "rated", "unrated"),
)
_SELDOM = ("dropped", "retired")
"""Columns that a table for people has only where one of them is not 0."""


def register(app: typer.Typer) -> None:
    """Add the command of this module to ``app``."""
    app.command(epilog="Example: arena tournaments --format json")(tournaments)


def tournaments(home: Home = HOME, form: As = Format.TABLE) -> None:
    """List the tournaments and how far they are.

    What was stopped is listed again with the command that goes on with it.
    """
    with browsed(home) as store:
        there = list_tournaments(store)
        tell_damaged(store)
    if not there:
        remark(f"no tournament is in {placed(home)} yet: `arena tournament` plays one")
    rows: list[dict[str, Value]] = [
        {
            "tournament": one.tournament.id,
            "state": "decided" if one.decided else one.stage.value,
            "matches": one.played,
            "of": one.total,
            "dropped": one.dropped,
            "retired": one.retired,
            "suite": one.tournament.suite,
            "created": one.tournament.created,
            "rated": one.tournament.rated,
            "unrated": one.tournament.unrated,
        }
        for one in there
    ]
    if form in {Format.JSON, Format.CSV}:
        text = render(rows, form, COLUMNS)
    else:
        shown, heads = _narrow(rows)
        text = render(shown, form, heads, fitted="rated")
    typer.echo(text, nl=False)
    for one in there:
        if one.stage in {Stage.STOPPED, Stage.PLANNED}:
            remark(f"go on with: {way_on(one.tournament, home)}")


def _narrow(rows: Sequence[Row]) -> tuple[list[Row], list[str]]:
    """Return rows and heads for people: without columns in which there is nothing."""
    bare = {head for head in _SELDOM if not any(row[head] for row in rows)}
    heads = [head for head in COLUMNS if head not in {*bare, "unrated"}]
    whole = [{**row, "rated": _rated(row["unrated"])} for row in rows]
    return [{head: row[head] for head in heads} for row in whole], heads


def _rated(unrated: Value) -> str:
    reasons = "; ".join(map(str, unrated)) if isinstance(unrated, tuple) else ""
    return f"no: {reasons}" if reasons else "yes"
