import csv
import io
import json
import re
import sqlite3
from contextlib import closing

import pytest

from arena.cli.leaderboard import NUMBERS
from tests.command_line import NO_TIER, CommandLine

CATEGORIES = ["donburiko-2p", "couperation-self-2p", "couperation-mixed-2p"]
UNRATED = "the key is published; bots are not isolated; not registered: dice, first, last, other"
LEGEND = [
    "= not told from the next bot: P>next is below 0.95",
    "? provisional: fewer than 30 deals, or more than half of the places are open",
    f"unrated: {UNRATED}",
    "NOT ISOLATED: bots can read the referee's memory and talk to each other",
]


def test_there_is_a_table_for_each_category_and_one_legend(played: CommandLine) -> None:
    answer = played("leaderboard")

    *tables, legend = answer.out.split("\n\n")
    assert answer.status == 0
    assert re.fullmatch(r"cup-\w{8}: 18 of 18 matches played", answer.line)
    assert [table.splitlines()[0] for table in tables] == CATEGORIES
    assert legend.splitlines() == LEGEND


def test_a_table_has_a_row_for_each_bot_and_a_footer(played: CommandLine) -> None:
    heads, rule, *rows, footer = (
        played("leaderboard", "donburiko").out.split("\n\n")[0].splitlines()[1:]
    )

    assert heads.split() == [
        *("#", "bot", "rating", "±", "rank", "95%", "P>next", "win%", "points", "tokens"),
        *("matches", "deals", "faults"),
    ]
    assert set(rule) == {"-", " "}
    assert sorted(row.split()[1] for row in rows) == ["dice", "first", "last", "other"]
    assert all(re.match(r"[1-4]=?\? ", row) for row in rows)
    assert re.fullmatch(
        r"1 deal, 12 matches, draw probability 0\.\d{3}, deff 1\.00, \d+ sweeps?, "
        r"units [0-9a-f]{12}, method 1, unrated",
        footer,
    )


def test_tables_fit_a_terminal_of_a_hundred_and_twenty_columns(played: CommandLine) -> None:
    assert max(map(len, played("leaderboard").out.splitlines())) <= 120


def test_a_co_operative_table_has_the_score_of_a_team_or_its_lead(played: CommandLine) -> None:
    _, alone, mixed, _ = played("leaderboard").out.split("\n\n")

    assert "won%" in alone.splitlines()[1]
    assert alone.splitlines()[1].split()[8:] == ["cards", "matches", "deals", "faults"]
    assert "cards over mean" in mixed.splitlines()[1]


def test_games_can_be_chosen(played: CommandLine) -> None:
    boards = json.loads(played("leaderboard", "couperation", "-f", "json").out)

    assert [board["category"] for board in boards] == CATEGORIES[1:]


def test_the_json_has_every_number_as_it_is(played: CommandLine) -> None:
    board, *_ = json.loads(played("leaderboard", "-f", "json").out)

    assert (board["deals"], board["matches"], board["rated"]) == (1, 12, False)
    assert board["tiers"] == ["none"]
    assert tuple(board["rows"][0]) == NUMBERS
    assert [row["place"] for row in board["rows"]] == [1, 2, 3, 4]
    assert board["rows"][-1]["p_next"] is None


def test_the_csv_has_all_categories_under_one_head(played: CommandLine) -> None:
    rows = list(csv.DictReader(io.StringIO(played("leaderboard", "-f", "csv").out)))

    assert tuple(rows[0]) == NUMBERS
    assert [row["category"] for row in rows] == [name for name in CATEGORIES for _ in range(4)]
    assert {row["provisional"] for row in rows} == {"true"}
    assert 0 < float(rows[0]["sigma"]) < 9


def test_the_markdown_is_one_table_a_heading_and_a_list(played: CommandLine) -> None:
    text = played("leaderboard", "-f", "github").out

    rows = [line for line in text.splitlines() if line.startswith("|")]
    cells = {len(re.findall(r"(?<!\\)\|", line)) for line in rows}
    assert re.findall(r"^### (.*)$", text, re.MULTILINE) == CATEGORIES
    assert cells == {13, 12}
    assert [line for line in text.splitlines() if line.startswith("- ")] == [
        f"- {line.replace('>', chr(92) + '>')}" for line in LEGEND
    ]


def test_the_same_home_gives_the_same_tables(played: CommandLine) -> None:
    first = played("leaderboard")

    assert played("leaderboard", "-t", "cup") == first


def test_it_is_of_the_newest_tournament_unless_one_is_named(played: CommandLine) -> None:
    words = ("--bots", played.bots("first", "last"), "--players", "2", "--deals", "1")
    played("tournament", "couperation", *words, "--name", "newer", *NO_TIER)
    played("match", "couperation", "first_legal", "first_legal", *NO_TIER)

    assert played("leaderboard").line.startswith("newer-")
    assert played("leaderboard", "--tournament", "cup").line.startswith("cup-")
    assert "did you mean 'newer'?" in played.refuses("leaderboard", "-t", "never")


def test_a_tournament_that_goes_on_has_tables_so_far(played: CommandLine) -> None:
    with closing(sqlite3.connect(played.home / "arena.db")) as db, db:
        db.execute("DELETE FROM matches WHERE category != 'donburiko-2p'")
        db.execute("UPDATE tournaments SET finished = NULL")

    answer = played("leaderboard")

    assert answer.line.endswith("12 of 18 matches played so far")
    assert answer.out.splitlines()[0] == CATEGORIES[0]
    assert "no match of couperation was played yet" in played("leaderboard", "couperation").err


@pytest.mark.parametrize(
    ("form", "text"), [("table", ""), ("json", "[]\n"), ("csv", f"{','.join(NUMBERS)}\n")]
)
def test_before_the_first_match_there_is_no_table(
    form: str, text: str, played: CommandLine
) -> None:
    with closing(sqlite3.connect(played.home / "arena.db")) as db, db:
        db.execute("DELETE FROM matches")

    answer = played("leaderboard", "--format", form)

    assert (answer.status, answer.out) == (0, text)
    assert answer.err.splitlines()[1] == "no match was played yet"


def test_a_match_of_one_bot_against_itself_is_left_out_and_said_so(arena: CommandLine) -> None:
    arena("match", "donburiko", arena.bot("first"), arena.bot("first"), *NO_TIER)

    first, second, footer, *_ = arena("leaderboard", "-t", "match-1").out.splitlines()

    assert (first, second) == ("donburiko-2p", "no match of it can be rated")
    assert footer.startswith("0 deals, 0 matches, 1 left out, draw probability ")
    assert arena("leaderboard", "-t", "match-1", "-f", "csv").out == f"{','.join(NUMBERS)}\n"


def test_before_anything_was_played_it_says_what_to_do(arena: CommandLine) -> None:
    assert "`arena tournament` comes first" in arena.refuses("leaderboard")
    arena("submit", arena.script(), *NO_TIER)
    assert "no tournament was played yet: `arena tournament`" in arena.refuses("leaderboard")


def test_ratings_that_are_kept_and_damaged_are_made_again(played: CommandLine) -> None:
    first = played("leaderboard")
    with closing(sqlite3.connect(played.home / "arena.db")) as db, db:
        assert db.execute("UPDATE ratings SET payload = 'x'").rowcount == len(CATEGORIES)

    assert played("leaderboard") == first
