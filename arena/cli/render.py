"""Rows of values as a table, Markdown, CSV or JSON; nothing untrusted reaches any of them raw."""

import csv
import io
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import StrEnum

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


_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_MARKDOWN = str.maketrans({sign: f"\\{sign}" for sign in "\\`*_{}[]<>|#~&$"})
_TABLES = {Format.TABLE: "simple", Format.GITHUB: "github"}


def render(
    rows: Sequence[Row],
    form: Format,
    columns: Sequence[str] = (),
    right: Collection[str] = (),
) -> str:
    """Return ``rows`` as text that ends in a line feed.

    Args:
        rows: the same keys in each; the keys are the columns' heads.
        form: tables for people have ``None`` as an empty cell; JSON keeps all values as they are.
        columns: heads of a table that may have no rows.
        right: heads of columns of text that are aligned to the right, as numbers are.
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
            text = tabulate.tabulate(
                [[_cell(row[head], form) for head in heads] for row in rows],
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
