"""Rows of values as a table, Markdown, CSV or JSON; nothing untrusted reaches any of them raw."""

import csv
import io
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from textwrap import wrap

import tabulate

from arena.wire.escape import printable

Value = str | int | float | bool | tuple[str | int, ...] | None
Row = Mapping[str, Value]

# Heads need no room beyond their own width: a leaderboard has many columns.
tabulate.MIN_PADDING = 0


class Format(StrEnum):
    """How to print a list."""

    TABLE = "table"
    GITHUB = "github"
    CSV = "csv"
    JSON = "json"


WIDTH = 100
"""Columns that tables, and lines under them, fit where they can.

It is the same on every terminal, so that the same matches give the same text.
"""

_BETWEEN = 2
_LEAST = 20
"""Columns that a text has at least, however wide the others are."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_MARKDOWN = str.maketrans({sign: f"\\{sign}" for sign in "\\`*_{}[]<>|#~&$"})
_TABLES = {Format.TABLE: "simple", Format.GITHUB: "github"}


def render(
    rows: Sequence[Row],
    form: Format,
    columns: Sequence[str] = (),
    right: Collection[str] = (),
    fitted: str | None = None,
) -> str:
    """Return ``rows`` as text that ends in a line feed.

    Args:
        rows: the same keys in each; the keys are the columns' heads.
        form: tables for people have ``None`` as an empty cell; JSON keeps all values as they are.
        columns: heads of a table that may have no rows.
        right: heads of columns of text that are aligned to the right, as numbers are.
        fitted: head of a column whose text goes over several lines in a table for a terminal, so
            that it has at most `WIDTH` columns.
    """
    heads = list(rows[0]) if rows else list(columns)
    match form:
        case Format.JSON:
            # ASCII alone, so that no name can act on the terminal it is shown on.
            return json.dumps([dict(row) for row in rows], indent=2, allow_nan=False) + "\n"
        case Format.CSV:
            out = io.StringIO()
            writer = csv.writer(out, lineterminator="\n")
            writer.writerow(map(_csv, heads))
            writer.writerows([[_csv(row[head]) for head in heads] for row in rows])
            return out.getvalue()
        case Format.TABLE | Format.GITHUB:
            cells = [[_cell(row[head], form) for head in heads] for row in rows]
            if form is Format.TABLE and fitted in heads:
                _fit(cells, heads, heads.index(fitted))
            text = tabulate.tabulate(
                cells,
                headers=[_cell(head, form) for head in heads],
                tablefmt=_TABLES[form],
                disable_numparse=True,
                colalign=[
                    "right" if head in right or _is_numeric(row[head] for row in rows) else "left"
                    for head in heads
                ]
                if rows
                else None,
            )
            return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


def _fit(cells: list[list[str]], heads: Sequence[str], at: int) -> None:
    """Break the texts of the column with number ``at`` into lines, so that all columns fit."""
    widths = [max(map(len, column)) for column in zip(heads, *cells, strict=True)]
    room = max(_LEAST, WIDTH - _BETWEEN * (len(heads) - 1) - sum(widths) + widths[at])
    for row in cells:
        row[at] = "\n".join(wrap(row[at], room, break_on_hyphens=False))


def for_markdown(text: str) -> str:
    """Return ``text`` so that Markdown shows it as it is, in a cell of a table too."""
    return printable(text).translate(_MARKDOWN)


def _is_numeric(values: Iterable[Value]) -> bool:
    return any(type(value) in {int, float} for value in values)


def _cell(value: Value, form: Format) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = f"{value:.2f}" if isinstance(value, float) else _text(value)
    return for_markdown(text) if form is Format.GITHUB else printable(text)


def _csv(value: Value) -> Value:
    if type(value) in {int, float}:
        return value
    text = printable(_text(value))
    # A spreadsheet would take such a text for a formula and run it.
    return f"'{text}" if text.startswith(_FORMULA) else text


def _text(value: Value) -> str:
    match value:
        case None:
            return ""
        case True | False:
            return str(value).lower()
        case tuple():
            return ", ".join(map(str, value))
        case _:
            return str(value)
