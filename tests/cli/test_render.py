import csv
import io
import json
import re
import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.cli.render import WIDTH, Format, Row, Value, for_markdown, render
from arena.wire.escape import printable

ACTING = {"Cc", "Cf", "Cs", "Zl", "Zp"}
"""Categories of characters that can act on a terminal, or that change the order of others."""

TEXTS = st.text(max_size=12) | st.sampled_from(
    [
        "=1+1",
        "+SUM(A1)",
        "-2+3",
        "@x",
        "\t=1",
        "a|b",
        "<script>",
        "`x`",
        "\x1b[2J",
        "\u202egnp.exe",
        "a\nb",
        "\u2028",
        '"',
        "\\|",
        "\0",
        "\x01",
    ]
)
VALUES: st.SearchStrategy[Value] = (
    st.none()
    | st.booleans()
    | st.integers(-(10**6), 10**6)
    | st.floats(-1e6, 1e6)
    | st.tuples(TEXTS, st.integers(-9, 9))
    | TEXTS
)


@st.composite
def tables(draw: st.DrawFn) -> list[Row]:
    """Draw some rows with the same few heads."""
    heads = draw(st.lists(TEXTS, min_size=1, max_size=3, unique=True))
    rows = draw(st.lists(st.tuples(*[VALUES] * len(heads)), min_size=1, max_size=3))
    return [dict(zip(heads, row, strict=True)) for row in rows]


EACH = pytest.mark.parametrize("form", list(Format))


def cells(line: str) -> list[str]:
    """Return the cells of a line of a Markdown table, as a reader sees them."""
    return [part.strip() for part in re.split(r"(?<!\\)(?:\\\\)*\|", line)[1:-1]]


@EACH
@given(rows=tables())
def test_nothing_in_a_row_can_act_on_a_terminal(form: Format, rows: list[Row]) -> None:
    text = render(rows, form)

    assert {unicodedata.category(char) for char in text if char != "\n"} & ACTING == set()
    assert text.endswith("\n")


@given(rows=tables())
def test_json_keeps_all_values_as_they_are(rows: list[dict[str, Any]]) -> None:
    text = render(rows, Format.JSON)

    lists = [
        {head: list(value) if isinstance(value, tuple) else value for head, value in row.items()}
        for row in rows
    ]
    assert json.loads(text) == lists
    assert text.isascii()


@given(rows=tables())
def test_csv_has_a_line_for_each_row_and_no_cell_is_a_formula(rows: list[Row]) -> None:
    head, *lines = csv.reader(io.StringIO(render(rows, Format.CSV)))

    assert len(head) == len(rows[0])
    assert [len(line) for line in lines] == [len(row) for row in rows]
    for line, row in zip(lines, rows, strict=True):
        for cell, value in zip(line, row.values(), strict=True):
            if isinstance(value, str | tuple):
                assert not cell.startswith(("=", "+", "-", "@", "\t", "\r"))


@given(rows=tables())
def test_a_markdown_table_has_as_many_cells_in_each_line(rows: list[Row]) -> None:
    lines = render(rows, Format.GITHUB).splitlines()

    assert len(lines) == len(rows) + 2
    assert {len(cells(line)) for line in lines} == {len(rows[0])}


@given(text=TEXTS)
def test_markdown_has_no_sign_of_its_own_in_what_it_is_given(text: str) -> None:
    bare = re.sub(r"\\.", "", for_markdown(text))

    assert set(bare) & set("\\`*_{}[]<>|#~") == set()


def test_a_table_has_no_spaces_at_the_ends_of_its_lines() -> None:
    text = render([{"bot": "a", "fault": None}, {"bot": "bcd", "fault": "exited"}], Format.TABLE)

    assert text == "bot  fault\n---  ------\na\nbcd  exited\n"


def test_numbers_and_what_is_said_to_be_like_them_stand_to_the_right() -> None:
    rows: list[Row] = [
        {"bot": "a", "rating": 7.125, "points": "9.5"},
        {"bot": "a", "rating": 7.125, "points": "10.5"},
    ]

    text = render(rows, Format.TABLE, right=["points"])

    assert text.splitlines()[2:] == ["a      7.12     9.5", "a      7.12    10.5"]


@pytest.mark.parametrize(
    ("form", "text"),
    [
        (Format.TABLE, "bot  rated\n---  -----\n"),
        (Format.GITHUB, "| bot | rated |\n|-----|-------|\n"),
        (Format.CSV, "bot,rated\n"),
        (Format.JSON, "[]\n"),
    ],
)
def test_a_list_without_rows_still_has_its_heads(form: Format, text: str) -> None:
    assert render([], form, ["bot", "rated"]) == text


@pytest.mark.parametrize(
    ("value", "table", "markdown", "line", "whole"),
    [
        (True, "yes", "yes", "true", True),
        (3, "3", "3", "3", 3),
        (-2.5, "-2.50", "-2.50", "-2.5", -2.5),
        ((2, 3), "2, 3", "2, 3", '"2, 3"', [2, 3]),
        ("a_b", "a_b", "a\\_b", "a_b", "a_b"),
        ("=1", "=1", "=1", "'=1", "=1"),
    ],
)
def test_each_kind_of_value_in_each_format(
    value: Value, table: str, markdown: str, line: str, whole: object
) -> None:
    rows: list[Row] = [{"x": value}]

    assert render(rows, Format.TABLE).splitlines()[2] == table
    assert cells(render(rows, Format.GITHUB).splitlines()[2]) == [markdown]
    assert render(rows, Format.CSV).splitlines()[1] == line
    assert json.loads(render(rows, Format.JSON)) == [{"x": whole}]


def test_what_is_not_known_is_an_empty_cell_and_null() -> None:
    rows: list[Row] = [{"x": None, "y": 1}]

    assert list(csv.reader(io.StringIO(render(rows, Format.CSV))))[1] == ["", "1"]
    assert json.loads(render(rows, Format.JSON)) == rows


@given(st.lists(st.tuples(TEXTS, st.text(max_size=200)), min_size=1, max_size=4))
def test_a_fitted_column_keeps_its_words_and_the_table_its_width(
    texts: list[tuple[str, str]],
) -> None:
    rows: list[Row] = [{"short": short, "long": text} for short, text in texts]

    lines = render(rows, Format.TABLE, fitted="long").splitlines()

    assert max(map(len, lines)) <= WIDTH
    at = lines[0].index("long")
    said = " ".join("".join(line[at:] for line in lines[2:]).split())
    wanted = " ".join(printable(text) for _, text in texts)
    assert "".join(said.split()) == "".join(wanted.split())
