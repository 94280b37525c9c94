"""Rows of values as a table, Markdown, CSV or JSON; nothing untrusted reaches any of them raw."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from enum import StrEnum

from tabulate import tabulate

from arena.wire.escape import printable

Value = str | int | float | bool | None
Row = Mapping[str, Value]


class Format(StrEnum):
    """How to print a list."""

    TABLE = "table"
    GITHUB = "github"
    CSV = "csv"
    JSON = "json"


_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_MARKDOWN = str.maketrans({sign: f"\\{sign}" for sign in "\\`*_{}[]<>|#~"})
_TABLES = {Format.TABLE: "simple", Format.GITHUB: "github"}


def render(rows: Sequence[Row], form: Format, columns: Sequence[str] = ()) -> str:
    """Return ``rows`` as text that ends in a line feed, or empty where there is nothing to say.

    Args:
        rows: the same keys in each; the keys are the columns' heads.
        form: tables for people have ``None`` as an empty cell; JSON keeps all values as they are.
        columns: heads of a table that may have no rows.
    """
    heads = list(rows[0]) if rows else list(columns)
    match form:
        case Format.JSON:
            # ASCII alone, so that no name can act on the terminal it is shown on.
            return json.dumps([dict(row) for row in rows], indent=2, allow_nan=False) + "\n"
        case Format.CSV:
            out = io.StringIO()
            writer = csv.writer(out, lineterminator="\n")
            writer.writerow(heads)
            writer.writerows([[_csv(row[head]) for head in heads] for row in rows])
            return out.getvalue()
        case Format.TABLE | Format.GITHUB:
            cells = [[_cell(row[head], form) for head in heads] for row in rows]
            numeric = [any(type(row[head]) in {int, float} for row in rows) for head in heads]
            text = tabulate(
                cells,
                headers=heads,
                tablefmt=_TABLES[form],
                disable_numparse=True,
                colalign=["right" if right else "left" for right in numeric] if rows else None,
            )
            return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


def _cell(value: Value, form: Format) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.2f}"
    text = printable(str(value))
    return text.translate(_MARKDOWN) if form is Format.GITHUB and isinstance(value, str) else text


def _csv(value: Value) -> Value:
    if not isinstance(value, str):
        return value
    text = printable(value)
    # A spreadsheet would take such a text for a formula and run it.
    return f"'{text}" if text.startswith(_FORMULA) else text
