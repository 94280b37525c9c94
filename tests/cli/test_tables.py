"""Every table through real homes, also with names that only an import or a hand can bring in."""

import csv
import io
import json
import unicodedata
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from markdown_it import MarkdownIt

from arena.cli.numbers import NUMBERS
from arena.cli.tables import _chance, bot_name
from arena.store.db import open_store
from arena.wire.escape import printable
from tests.command_line import CommandLine
from tests.league import Outcome, duel, held, team

ACTING = {"Cc", "Cf", "Cs", "Zl", "Zp"}
"""Categories of characters that can act on a terminal, or that change the order of others."""

HOSTILE = (
    *("a|b", "<script>", '"quoted"', "it's", "\x1b[2J", "\u202egnp.exe", "🂡", "=1+1", "two\nlines"),
    *("`x`", "\\", "\\|", "&lt;", "$x$", "-", "#", "*", "\u2028", "\0", "[a](b)", "x" * 5000, " "),
)
WAYS = ("", "--all", "--matrix")


@pytest.fixture
def hostile(arena: CommandLine) -> CommandLine:
    """A home in which bots of such names have played everything."""
    pairs = list(pairwise(HOSTILE))
    played = [outcome for one, other in pairs for outcome in duel(one, other)]
    played += [team([bot, bot], at % 29) for at, bot in enumerate(HOSTILE)]
    played += [team(HOSTILE[at : at + 2], at) for at in range(0, len(HOSTILE), 2)]
    with open_store(arena.home) as store:
        held(store, "cup", played)
    return arena


def parsed(text: str) -> Iterator[list[list[str]]]:
    """Yield the tables of a Markdown text, row by row, each cell as a reader sees it."""
    table: list[list[str]] = []
    cell = False
    for token in MarkdownIt("commonmark", {"html": True}).enable("table").parse(text):
        cell = token.type in {"th_open", "td_open"} or (cell and token.type == "inline")
        if token.type == "table_open":
            table = []
        elif token.type == "tr_open":
            table.append([])
        elif token.type == "inline" and cell:
            table[-1].append(seen(token))
        elif token.type == "table_close":
            yield table


def seen(token: Any) -> str:
    """Return the text of a token, which has nothing in it but text."""
    parts = token.children or []
    assert {part.type for part in parts} <= {"text", "text_special"}
    return "".join(part.content for part in parts)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("form", ["table", "github", "csv", "json"])
def test_nothing_in_a_name_can_act_on_a_terminal(form: str, way: str, hostile: CommandLine) -> None:
    answer = hostile("leaderboard", *way.split(), "--format", form)

    assert answer.status == 0
    assert {unicodedata.category(char) for char in answer.out if char != "\n"} & ACTING == set()


@pytest.mark.parametrize("way", WAYS)
def test_a_name_takes_one_line_of_a_table_and_no_more_than_its_width(
    way: str, hostile: CommandLine
) -> None:
    lines = hostile("leaderboard", *way.split()).out.splitlines()

    assert max(map(len, lines)) < 200
    for name in HOSTILE:
        cell = f"  {bot_name(name)}".rstrip()
        assert sum(cell in line for line in lines) >= 2


@pytest.mark.parametrize("way", WAYS)
def test_markdown_shows_every_name_as_it_is(way: str, hostile: CommandLine) -> None:
    tables = list(parsed(hostile("leaderboard", *way.split(), "--format", "github").out))

    assert len(tables) == {"": 3, "--all": 6, "--matrix": 2}[way]
    names = {bot_name(name).strip() for name in HOSTILE}
    for heads, *rows in tables:
        assert {len(row) for row in rows} == {len(heads)}
        assert {row[1] for row in rows} == names


@pytest.mark.parametrize("way", ["", "--all"])
def test_csv_has_a_line_for_each_bot_and_no_formula(way: str, hostile: CommandLine) -> None:
    text = hostile("leaderboard", *way.split(), "--format", "csv").out
    heads, *rows = csv.reader(io.StringIO(text))

    assert tuple(heads[: len(NUMBERS)]) == NUMBERS
    assert len(rows) == 4 * len(HOSTILE)
    assert {len(row) for row in rows} == {len(heads)}
    assert {row[3].removeprefix("'") for row in rows} == {
        printable(name).removeprefix("'") for name in HOSTILE
    }
    assert not any(row[3].startswith(("=", "+", "-", "@")) for row in rows)


def test_json_keeps_every_name_as_it_is(hostile: CommandLine) -> None:
    text = hostile("leaderboard", "--format", "json").out

    for board in json.loads(text):
        assert {row["bot"] for row in board["rows"]} == set(HOSTILE)
    assert text.isascii()


def test_the_pairs_keep_every_name_too(hostile: CommandLine) -> None:
    first, second = json.loads(hostile("leaderboard", "--matrix", "--format", "json").out)
    rows = list(csv.DictReader(io.StringIO(hostile("leaderboard", "--matrix", "-fcsv").out)))

    assert set(first["bots"]) == set(second["bots"]) == set(HOSTILE)
    assert len(rows) == len(first["cells"]) + len(second["cells"])
    assert len(first["cells"]) == 2 * (len(HOSTILE) - 1)


# Co-operative games


def row_of(text: str, bot: str) -> list[str]:
    """Return the cells of a bot in the first table of a Markdown text."""
    heads, *rows = next(iter(parsed(text)))
    (found,) = (row for row in rows if row[heads.index("bot")] == bot)
    return found


@pytest.fixture
def teams(arena: CommandLine) -> CommandLine:
    """A home in which ``c`` and ``d`` have played in mixed teams alone, and ``e`` by itself."""
    played = [team("aa", 20), team("bb", 28), team("ee", 3), team("ab", 9), team("cd", 12)]
    with open_store(arena.home) as store:
        held(store, "cup", played)
    return arena


def test_a_bot_that_mixed_teams_alone_have_is_listed_last_without_a_place(
    teams: CommandLine,
) -> None:
    text = teams("leaderboard", "--format", "github").out
    place, _, *own, mixed, score, gap, deals, faults = row_of(text, "c")

    assert (place, own) == ("-", ["", "", "", ""])
    assert mixed.endswith("?")
    assert (score, gap, deals, faults) == ("+1.50", "", "0", "0")


def test_a_bot_that_no_mixed_team_has_leaves_those_columns_empty(teams: CommandLine) -> None:
    text = teams("leaderboard", "--format", "github").out

    assert row_of(text, "e")[6:9] == ["", "", ""]
    assert row_of(text, "b")[7:9] == ["-1.50", "+19.00"]
    assert row_of(text, "b")[5].startswith("100 [")


def test_gap_and_team_score_are_in_the_numbers(teams: CommandLine) -> None:
    alone, mixed = json.loads(teams("leaderboard", "--format", "json").out)

    assert [(row["bot"], row["gap"]) for row in alone["rows"]] == [
        ("b", 19),
        ("a", 11),
        ("e", None),
    ]
    assert {row["bot"]: row["team_score"] for row in mixed["rows"]} == {
        "a": 9,
        "b": 9,
        "c": 12,
        "d": 12,
    }


# Wide tables


@pytest.fixture
def many(arena: CommandLine) -> CommandLine:
    """A home in which forty bots have met in pairs."""
    names = [f"bot-number-{number:02}" for number in range(40)]
    pairs = [*pairwise(names), *pairwise(names[::3])]
    with open_store(arena.home) as store:
        held(store, "cup", [one for pair in pairs for one in duel(*pair)])
    return arena


def test_a_matrix_of_many_bots_is_cut_into_blocks_that_fit(many: CommandLine) -> None:
    lines = many("leaderboard", "--matrix").out.splitlines()

    heads = [line.split()[2:] for line in lines if line.startswith(" #  bot")]
    assert max(map(len, lines)) <= 100
    assert len(heads) > 1
    assert [number for block in heads for number in block] == [str(at + 1) for at in range(40)]
    assert sum("bot-number-07" in line for line in lines) == len(heads)


def test_in_markdown_it_is_one_table(many: CommandLine) -> None:
    ((heads, *rows),) = parsed(many("leaderboard", "--matrix", "--format", "github").out)

    assert len(heads) == 42
    assert len(rows) == 40


def test_a_bot_that_is_missing_in_a_category_is_listed_unranked(arena: CommandLine) -> None:
    played: list[Outcome] = [*duel("a", "b"), *duel("a", "c"), team("aa", 20), team("bb", 21)]
    with open_store(arena.home) as store:
        held(store, "cup", played)

    *_, table, _ = arena("leaderboard").out.split("\n\n")

    assert table.splitlines()[5].split()[:2] == ["-", "c"]
    assert table.splitlines()[-1] == "- not ranked: missing in a category"


# Groups


@pytest.fixture
def apart(arena: CommandLine) -> CommandLine:
    """A home in which a and b, and c and d, have met each other alone."""
    played = [one for pair in ("ab", "cd") for one in duel(*pair)]
    played += [team(bot * 2, 20 + at) for at, bot in enumerate("abcd")]
    played += [team("ac", 20), team("bd", 9), team("ef", 9, deal=1), team("gh", 8, deal=1)]
    with open_store(arena.home) as store:
        held(store, "cup", played)
    return arena


def test_a_group_that_never_met_the_others_has_a_table_of_its_own(apart: CommandLine) -> None:
    text = apart("leaderboard", "donburiko").out
    first, second = parsed(apart("leaderboard", "donburiko", "--format", "github").out)

    assert text.count("\n\ngroup 2, never met the others\n#") == 1
    assert [[row[1] for row in rows] for _, *rows in (first, second)] == [["a", "b"], ["c", "d"]]
    assert [row[0][0] for row in second[1:]] == ["1", "2"]
    assert "donburiko-2p: 2 groups of bots never met, and each has ratings and places" in text


def test_its_further_numbers_stand_apart_too(apart: CommandLine) -> None:
    text = apart("leaderboard", "donburiko", "--all").out

    assert text.count("\ngroup 2, never met the others\n#") == 2


def test_a_rating_in_mixed_teams_says_of_which_group_it_is(apart: CommandLine) -> None:
    text = apart("leaderboard", "couperation", "--format", "github").out

    assert row_of(text, "a")[6].endswith("?")
    assert row_of(text, "e")[6].endswith("? (group 2)")


def test_programs_are_told_the_group(apart: CommandLine) -> None:
    (board,) = json.loads(apart("leaderboard", "donburiko", "-fjson").out)
    rows = csv.DictReader(io.StringIO(apart("leaderboard", "donburiko", "-fcsv").out))

    assert [(row["group"], row["place"], row["bot"]) for row in board["rows"]] == [
        (1, 1, "a"),
        (1, 2, "b"),
        (2, 1, "c"),
        (2, 2, "d"),
    ]
    assert [row["group"] for row in rows] == ["1", "1", "2", "2"]


def test_a_category_of_groups_does_not_count_for_the_table_over_all(apart: CommandLine) -> None:
    answer = apart("leaderboard")

    assert "\noverall\n" not in answer.out
    assert answer.err.splitlines()[-1] == (
        "overall does not count donburiko-2p: groups of bots never met there"
    )


# What the numbers are called, and how they are rounded


def test_mixed_teams_have_a_likeness_and_no_design_effect(apart: CommandLine) -> None:
    text = apart("leaderboard").out
    *_, mixed = json.loads(apart("leaderboard", "-c", "couperation-mixed-2p", "-fjson").out)

    assert [text.count(word) for word in ("deff ", "likeness ")] == [2, 1]
    assert (mixed["deff"], mixed["likeness"] >= 1) == (None, True)


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        (0.5, "0.50"),
        (0.58, "0.58"),
        (0.9499, "0.94"),
        (0.99, "0.99"),
        (0.9901, ">0.99"),
        (1, ">0.99"),
    ],
)
def test_nothing_is_printed_as_surer_than_it_is(value: float, cell: str) -> None:
    assert _chance(value) == cell


def test_repeats_in_a_pool_are_counted_under_its_table(arena: CommandLine) -> None:
    with open_store(arena.home) as store:
        for name in ("first", "again"):
            held(store, name, duel("a", "b"), key=bytes(32))

    text = arena("leaderboard", "-t", "all").out
    (board,) = json.loads(arena("leaderboard", "-t", "all", "-fjson").out)
    rows = csv.DictReader(io.StringIO(arena("leaderboard", "-t", "all", "-fcsv").out))

    assert "2 matches repeat others on the same cards and do not count\n" in text
    assert (board["matches"], board["repeats"]) == (2, 2)
    assert [row["repeats"] for row in rows] == ["2", "2"]
