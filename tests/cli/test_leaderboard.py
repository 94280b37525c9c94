import csv
import io
import json
import re
import sqlite3
from contextlib import closing

import pytest

from arena.cli.numbers import NUMBERS, OF_CATEGORY
from arena.store.db import open_store
from tests.command_line import NO_TIER, CommandLine
from tests.league import duel, held

CATEGORIES = ["donburiko-2p", "couperation-self-2p", "couperation-mixed-2p"]
TITLES = [CATEGORIES[0], " and ".join(CATEGORIES[1:]), "overall"]
UNRATED = (
    "the key is published; bots are not isolated; played from a path: dice, first, last, other"
)
IN_TEAMS = "in mixed teams 100"
LEGEND = [
    "= not told from the next bot: P>next is below 0.95",
    f"? provisional: fewer than 30 deals ({IN_TEAMS}), or more than half of the places are open",
    "mixed score: of the bot's teams, over the mean of all teams on the same deals",
    "gap: self score less the mean score of the bot's mixed teams",
    "deals: those of self-play; faults: in self-play and in mixed teams",
    f"unrated: {UNRATED}",
    "NOT ISOLATED: bots can read the referee's memory and talk to each other",
]


def test_there_is_a_table_for_each_category_and_one_legend(played: CommandLine) -> None:
    answer = played("leaderboard")

    *tables, legend = answer.out.split("\n\n")
    assert answer.status == 0
    assert re.fullmatch(r"cup-\w{8}: 18 of 18 matches played", answer.line)
    assert [table.splitlines()[0] for table in tables] == TITLES
    assert legend.splitlines() == LEGEND


def test_a_table_has_a_row_for_each_bot_and_a_footer(played: CommandLine) -> None:
    heads, rule, *rows, first, second = (
        played("leaderboard", "donburiko").out.split("\n\n")[0].splitlines()[1:]
    )

    assert heads.split() == [
        *("#", "bot", "rating", "±", "rank", "95%", "P>next", "win%", "points", "tokens"),
        *("matches", "deals", "faults"),
    ]
    assert set(rule) == {"-", " "}
    assert sorted(row.split()[1] for row in rows) == ["dice", "first", "last", "other"]
    assert all(re.match(r"[1-4]=?\? ", row) for row in rows)
    assert first == "donburiko-2p: 1 deal, 12 matches, tier none, unrated"
    assert re.fullmatch(
        r"draw probability 0\.\d{3}, deff 2\.00 \(fewer than 10 deals\), \d+ sweeps?, "
        r"units [0-9a-f]{12}, method \d",
        second,
    )


def test_tables_fit_a_terminal_of_a_hundred_and_twenty_columns(played: CommandLine) -> None:
    assert max(map(len, played("leaderboard", "--all").out.splitlines())) <= 120


def test_a_co_operative_table_has_self_play_and_mixed_teams_side_by_side(
    played: CommandLine,
) -> None:
    _, teams, *_ = played("leaderboard").out.split("\n\n")
    heads = re.split("  +", teams.splitlines()[1].strip())

    assert heads == [
        *("#", "bot", "self rating", "rank 95%", "self score", "won%"),
        *("mixed rating", "mixed score", "gap", "deals", "faults"),
    ]
    assert [line.split(":")[0] for line in teams.splitlines()[-4::2]] == CATEGORIES[1:]


def test_a_category_can_be_had_alone(played: CommandLine) -> None:
    mixed, _ = played("leaderboard", "--category", CATEGORIES[2]).out.split("\n\n")
    boards = json.loads(
        played("leaderboard", "-c", CATEGORIES[0], "-c", CATEGORIES[2], "-fjson").out
    )

    assert mixed.splitlines()[0] == CATEGORIES[2]
    assert "cards over mean" in mixed.splitlines()[1]
    assert "P>next" in mixed.splitlines()[1]
    assert [board["category"] for board in boards] == [CATEGORIES[0], CATEGORIES[2]]


def test_categories_that_are_asked_for_stand_apart(played: CommandLine) -> None:
    words = [word for name in CATEGORIES[1:] for word in ("--category", name)]

    first, second, _ = played("leaderboard", *words).out.split("\n\n")

    assert [table.splitlines()[0] for table in (first, second)] == CATEGORIES[1:]
    assert first.splitlines()[1].split()[8:] == ["cards", "matches", "deals", "faults"]


def test_without_mixed_teams_there_are_no_columns_for_them(played: CommandLine) -> None:
    with closing(sqlite3.connect(played.home / "arena.db")) as db, db:
        db.execute("DELETE FROM matches WHERE category = ?", (CATEGORIES[2],))

    alone, legend = played("leaderboard", "couperation").out.split("\n\n")

    assert alone.splitlines()[0] == CATEGORIES[1]
    assert alone.splitlines()[1].split()[-3:] == ["won%", "deals", "faults"]
    assert "mixed" not in alone + legend


def test_games_can_be_chosen(played: CommandLine) -> None:
    boards = json.loads(played("leaderboard", "couperation", "-f", "json").out)

    assert [board["category"] for board in boards] == CATEGORIES[1:]


def test_the_table_over_all_categories_comes_last(played: CommandLine) -> None:
    *_, table, _ = played("leaderboard").out.split("\n\n")
    *_, found = json.loads(played("leaderboard", "-f", "json").out)
    *_, last = csv.DictReader(io.StringIO(played("leaderboard", "-f", "csv").out))

    _, heads, _, *rows = table.splitlines()
    assert heads.split() == ["#", "bot", "overall", "1", "2"]
    assert "P-scores of 1 donburiko-2p, 2 couperation-self-2p" in rows
    assert [row["bot"] for row in found["rows"]] == [row.split()[1] for row in rows[:4]]
    assert found["categories"] == CATEGORIES[:2]
    assert (last["category"], last["bot"]) == ("overall", found["rows"][-1]["bot"])
    assert float(last["overall"]) == found["rows"][-1]["overall"]


def test_one_category_alone_needs_no_such_table(played: CommandLine) -> None:
    assert "overall" not in played("leaderboard", "donburiko").out
    assert "overall" not in played("leaderboard", "couperation").out


def test_the_json_has_every_number_as_it_is(played: CommandLine) -> None:
    board, *_ = json.loads(played("leaderboard", "-f", "json").out)

    assert (board["deals"], board["matches"], board["rated"]) == (1, 12, False)
    assert board["tiers"] == ["none"]
    assert {*board["rows"][0], "overall", *OF_CATEGORY} == set(NUMBERS)
    assert (board["deff"], board["deff_assumed"], board["likeness"]) == (2, True, None)
    assert [row["place"] for row in board["rows"]] == [1, 2, 3, 4]
    assert board["rows"][-1]["p_next"] is None


def test_the_csv_has_all_categories_under_one_head(played: CommandLine) -> None:
    rows = list(csv.DictReader(io.StringIO(played("leaderboard", "-f", "csv").out)))

    assert tuple(rows[0]) == NUMBERS
    assert [row["category"] for row in rows] == [
        name for name in [*CATEGORIES, "overall"] for _ in range(4)
    ]
    assert {row["provisional"] for row in rows} == {"true", ""}
    assert 0 < float(rows[0]["sigma"]) < 9


def test_the_markdown_is_one_table_a_heading_and_a_list(played: CommandLine) -> None:
    text = played("leaderboard", "-f", "github").out

    rows = [line for line in text.splitlines() if line.startswith("|")]
    cells = {len(re.findall(r"(?<!\\)\|", line)) for line in rows}
    assert re.findall(r"^### (.*)$", text, re.MULTILINE) == TITLES
    assert cells == {13, 12, 6}
    assert [line for line in text.splitlines() if line.startswith("- ")] == [
        f"- {line.replace('>', chr(92) + '>')}" for line in LEGEND
    ]


def test_all_numbers_are_a_second_table(played: CommandLine) -> None:
    _, more, *_ = played("leaderboard", "donburiko", "--all").out.split("\n\n")

    assert re.split("  +", more.splitlines()[0].strip()) == [
        *("#", "bot", "sigma", "conservative", "Elo gap", "seat 0", "seat 1"),
        *("median ms", "p99 ms"),
    ]
    assert len(re.findall(r"^[1-4]=?\? ", more, re.MULTILINE)) == 4


def test_all_numbers_are_more_columns_for_programs(played: CommandLine) -> None:
    row, *_ = csv.DictReader(io.StringIO(played("leaderboard", "--all", "-f", "csv").out))
    board, *_ = json.loads(played("leaderboard", "--all", "-f", "json").out)

    added = [
        *("conservative", "elo_gap", "median_ms", "p99_ms"),
        *("points_seat_0", "points_seat_1"),
    ]
    assert list(row)[len(NUMBERS) :] == added
    assert set(added) <= set(board["rows"][0])
    assert float(row["conservative"]) == pytest.approx(
        float(row["mu"]) - 3 * float(row["sigma"]), abs=1e-3
    )


def test_the_pairs_are_a_matrix_for_each_game(played: CommandLine) -> None:
    first, second = played("leaderboard", "--matrix").out.split("\n\n")

    assert [first.splitlines()[0], second.splitlines()[0]] == TITLES[:2]
    assert first.splitlines()[1].split() == ["#", "bot", "1", "2", "3", "4"]
    # On one deal a bot has itself for a partner, and one other.
    assert [len(line.split()) for line in second.splitlines()[3:7]] == [4] * 4


def test_the_pairs_are_a_list_for_programs(played: CommandLine) -> None:
    rows = list(csv.DictReader(io.StringIO(played("leaderboard", "--matrix", "-fcsv").out)))
    found = json.loads(played("leaderboard", "--matrix", "-f", "json").out)

    assert list(rows[0]) == ["category", "row", "column", "value", "matches"]
    assert [row["category"] for row in rows].count(CATEGORIES[0]) == 12
    assert {row["category"] for row in rows if row["row"] == row["column"]} == {CATEGORIES[1]}
    assert [one["categories"] for one in found] == [CATEGORIES[:1], CATEGORIES[1:]]
    assert sum(len(one["cells"]) for one in found) == len(rows)


def test_the_same_home_gives_the_same_tables(played: CommandLine) -> None:
    first = played("leaderboard", "--all")

    assert played("leaderboard", "-t", "cup", "--all") == first


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
    ("words", "text"),
    [
        ("", ""),
        ("-f json", "[]\n"),
        ("-f csv", f"{','.join(NUMBERS)}\n"),
        ("--matrix", ""),
        ("--matrix -f json", "[]\n"),
        ("--matrix -f csv", "category,row,column,value,matches\n"),
    ],
)
def test_before_the_first_match_there_is_no_table(
    words: str, text: str, played: CommandLine
) -> None:
    with closing(sqlite3.connect(played.home / "arena.db")) as db, db:
        db.execute("DELETE FROM matches")

    answer = played("leaderboard", *words.split())

    assert (answer.status, answer.out) == (0, text)
    assert answer.err.splitlines()[1] == "no match was played yet"


def test_a_match_of_one_bot_against_itself_is_left_out_and_said_so(arena: CommandLine) -> None:
    arena("match", "donburiko", arena.bot("first"), arena.bot("first"), *NO_TIER)

    first, second, footer, *_ = arena("leaderboard", "-t", "match-1").out.splitlines()

    assert (first, second) == ("donburiko-2p", "no match of it can be rated")
    assert footer == "donburiko-2p: 0 deals, 0 matches, 1 left out, unrated"
    assert arena("leaderboard", "-t", "match-1", "-f", "csv").out == f"{','.join(NUMBERS)}\n"
    assert (
        "can be rated"
        in arena("leaderboard", "-t", "match-1", "--matrix", "--format", "github").out
    )


def test_a_tournament_in_place_of_a_game_is_told_from_one(played: CommandLine) -> None:
    assert played.refuses("leaderboard", "cup") == (
        f"arena: cup is a tournament and no game: arena leaderboard -t cup --home {played.home}"
    )
    assert "no game is called 'cap'" in played.refuses("leaderboard", "cap")


def test_of_a_game_that_the_newest_has_not_the_newest_that_has_it_is_named(
    played: CommandLine,
) -> None:
    bots = played.bots("first", "last")
    words = ("--bots", bots, "--players", "2", "--deals", "1", "--name", "later", *NO_TIER)
    assert played("tournament", "donburiko", *words).status == 0

    _, said, hint = played("leaderboard", "couperation").err.splitlines()

    assert re.fullmatch(r"no match of couperation was played in later-\w{8}", said)
    way = re.fullmatch(r"the newest tournament with it: arena (.* -t cup-\w{8}) --home .*", hint)
    assert way is not None
    assert played(*way[1].split()).out.startswith("couperation-self-2p")


def test_before_anything_was_played_it_says_what_to_do(arena: CommandLine) -> None:
    assert "`arena tournament` comes first" in arena.refuses("leaderboard")
    arena("submit", arena.script(), *NO_TIER)
    assert "no tournament was played yet: `arena tournament`" in arena.refuses("leaderboard")


def test_tables_that_are_kept_and_damaged_are_made_again(played: CommandLine) -> None:
    first = played("leaderboard"), played("leaderboard", "--matrix")
    with closing(sqlite3.connect(played.home / "arena.db")) as db, db:
        assert db.execute("UPDATE ratings SET payload = 'x'").rowcount == len(CATEGORIES) + 2

    assert (played("leaderboard"), played("leaderboard", "--matrix")) == first


def test_older_versions_are_shown_on_request(arena: CommandLine) -> None:
    with open_store(arena.home) as store:
        held(store, "old", duel("b", "a"), contents={"a": "weak"})
        held(store, "new", duel("a", "b"), created="2026-02-01T00:00:00Z")

    words = ("leaderboard", "-t", "old", "-t", "new")

    assert "1 older version is rated and not shown (--versions)" in arena(*words).out
    assert "a@1" not in arena(*words).out
    assert "a@1" in arena(*words, "--versions").out
    assert arena(*words, "--versions").out.count("not shown") == 0
    (board,) = json.loads(arena(*words, "--format", "json").out)
    assert (board["hidden"], [row["place"] for row in board["rows"]]) == (["a@1"], [1, 2])


def test_what_does_not_go_together_is_refused(played: CommandLine) -> None:
    assert "leave out --all" in played.refuses("leaderboard", "--matrix", "--all")
    assert "leave out GAME" in played.refuses("leaderboard", "donburiko", "-c", CATEGORIES[0])
