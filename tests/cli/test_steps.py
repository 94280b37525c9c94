"""Keys, lines and screens, without a terminal."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.cli.frames import Frame
from arena.cli.steps import View, command, fitted, keys_in, screen, status, step, wrapped
from arena.wire.escape import printable

FRAMES = [Frame(number, (f"table {number}",), (f"{number}. seat",)) for number in range(5)]


def width(line: str) -> int:
    return sum(
        0
        if unicodedata.category(char) in {"Mn", "Me"} or unicodedata.combining(char)
        else 1 + (unicodedata.east_asian_width(char) in "WF")
        for char in line
    )


# Keys


@pytest.mark.parametrize(
    ("read", "names"),
    [
        (b"\r\n nq", ["enter", "enter", " ", "n", "q"]),
        (b"\x1b[C\x1bOC\x1b[D", ["right", "right", "left"]),
        (b"\x1b[A\x1b[B\x1b[5~\x1b[6~", ["up", "down", "pageup", "pagedown"]),
        (b"\x1b[H\x1b[1~\x1bOF\x1b[4~", ["home", "home", "end", "end"]),
        (b"\x1b[1;5C\x1b[99~", []),
        (b"\x1bq", ["escape", "q"]),
        (b"\x7f\x08\x04", ["erase", "erase", "end of input"]),
        ("é\x00\xff".encode(), []),
    ],
)
def test_keys_have_names(read: bytes, names: list[str]) -> None:
    assert keys_in(read) == (names, b"")


@given(cut=st.integers(0, 12))
def test_a_key_that_comes_in_pieces_is_one_key(cut: int) -> None:
    sent = b"n\x1b[C\x1b[1;5C\x1bq"
    names, begun = keys_in(sent[:cut])
    more, rest = keys_in(begun + sent[cut:])

    assert (names + more, rest) == (["n", "right", "escape", "q"], b"")


@given(st.binary(max_size=40))
def test_whatever_is_sent_has_keys(read: bytes) -> None:
    _, begun = keys_in(read)

    assert read.endswith(begun)


# Steps


def at(keys: list[str], begin: int = 2) -> View:
    view = View(begin)
    for key in keys:
        view = step(view, key, FRAMES)
    return view


@pytest.mark.parametrize(
    ("keys", "leads_to"),
    [
        (["enter"], 3),
        ([" ", "n"], 4),
        (["right", "right", "right"], 4),
        (["b"], 1),
        (["p", "left", "erase"], 0),
        (["<"], 0),
        ([">"], 4),
        (["end", "home"], 0),
        (["x", "escape"], 2),
        (["g", "1", "enter"], 1),
        (["g", "9", "9", "escape"], 2),
        (["g", "4", "enter"], 4),
        (["?", "n"], 3),
        (["g", *"first", "enter"], 0),
        (["g", *"last", "enter"], 4),
        (["g", "enter"], 2),
        (["g", "0", "escape"], 2),
        (["g", "1", "erase", "3", "enter"], 3),
        (["g", "erase", "n"], 3),
    ],
    ids=str,
)
def test_a_key_leads_somewhere(keys: list[str], leads_to: int) -> None:
    assert at(keys) == View(leads_to)


@pytest.mark.parametrize("typed", ["99", "5", "x", "no"])
def test_where_nothing_is_one_stays_and_is_told_where_one_can_go(typed: str) -> None:
    view = at(["g", *typed, "enter"])

    said = f"no action is called '{typed}': 0 to 3, first or last"
    assert view == View(2, said=said)
    assert status(view, FRAMES).startswith(said)
    assert step(view, "n", FRAMES) == View(3)
    assert command(View(2), f"g {typed}\n", FRAMES).at == 2


def test_what_the_signs_mean_is_shown_until_another_key_is_pressed() -> None:
    assert at(["?"]) == command(View(2), "?", FRAMES) == View(2, signs=True)
    assert at(["?", "?"]) == View(2)
    assert at(["?", "g", "1", "enter"]) == View(1)


@given(st.binary(max_size=60))
def test_whatever_is_typed_one_stays_within_the_match(read: bytes) -> None:
    view = at(keys_in(read)[0])

    assert 0 <= view.at < len(FRAMES)
    assert status(view, FRAMES)


@pytest.mark.parametrize("keys", [["q"], ["end of input"], ["g", "end of input"], ["q", "n"]])
def test_some_keys_end_it(keys: list[str]) -> None:
    assert at(keys).quit


@pytest.mark.parametrize(
    ("line", "leads_to"),
    [
        *[("", 3), ("n", 3), ("b", 1), ("g 1", 1), ("g1", 1), ("4", 4), ("g last", 4)],
        *[("first", 0), (" > ", 4)],
    ],
)
def test_a_line_leads_somewhere(line: str, leads_to: int) -> None:
    assert command(View(2), f"{line}\n", FRAMES) == View(leads_to)


@pytest.mark.parametrize("line", ["g", "nonsense", "g -1", "٣", "g 99", "\x1b[2J"])
def test_a_line_that_leads_nowhere_is_answered(line: str) -> None:
    view = command(View(2), f"{line}\n", FRAMES)

    assert view.at == 2
    assert view.said.endswith("': 0 to 3, first or last")
    assert printable(view.said) == view.said


def test_a_line_ends_it() -> None:
    assert command(View(2), "q\n", FRAMES).quit


def test_the_last_line_says_where_one_is() -> None:
    assert status(View(0), FRAMES).startswith("action 0 (0 to 3): Enter next")
    assert status(View(4), FRAMES).startswith("end, 4 actions: ")
    assert status(View(0), FRAMES[1:]).startswith("action 1 (0 to 3): ")
    assert status(View(4, "12"), FRAMES).endswith(": 12_")


# Screens


def test_a_screen_has_title_table_and_notes_and_below_all_where_one_is() -> None:
    assert screen("title", FRAMES[1], "below", 80, 7) == [
        "title",
        "table 1",
        "",
        "1. seat",
        "",
        "",
        "below",
    ]


def test_of_a_table_that_is_too_large_the_end_is_shown() -> None:
    frame = Frame(0, tuple(map(str, range(9))), ("note",))

    assert screen("title", frame, "below", 80, 7) == [
        "title",
        "… 7 lines",
        "7",
        "8",
        "",
        "note",
        "below",
    ]


def test_what_happened_is_wrapped() -> None:
    frame = Frame(0, ("a table that is cut",), ("a note that is wrapped",))

    assert screen("title", frame, "below", 10, 8)[1:5] == [
        "a table t…",
        "",
        "a note tha",
        "t is wrapp",
    ]


@given(
    lines=st.lists(st.text(st.characters(exclude_categories=["C"])), max_size=9),
    columns=st.integers(1, 30),
    rows=st.integers(1, 12),
    table=st.integers(0, 9),
)
def test_a_screen_is_never_larger_than_the_terminal(
    lines: list[str], columns: int, rows: int, table: int
) -> None:
    frame = Frame(0, tuple(lines[:table]), tuple(lines[table:]))

    drawn = screen("title", frame, "below", columns, rows)

    assert len(drawn) == rows
    assert drawn[-1] == fitted("below", columns)
    if columns > 1:
        assert max(map(width, drawn)) <= columns


@given(line=st.text(st.characters(exclude_categories=["C"])), columns=st.integers(2, 20))
def test_wrapping_loses_nothing(line: str, columns: int) -> None:
    parts = wrapped(line, columns)

    assert "".join(parts) == line
    assert max(map(width, parts)) <= columns


def test_wide_characters_take_two_columns_and_marks_none() -> None:
    assert wrapped("塔塔塔", 5) == ["塔塔", "塔"]
    assert wrapped("ééé", 3) == ["ééé"]
    assert fitted("塔塔塔", 5) == "塔塔…"
