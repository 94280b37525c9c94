import json
from dataclasses import replace

from arena.cli.numbers import NUMBERS, csv_rows, json_boards
from arena.ratings.leaderboard import leaderboard
from arena.ratings.overall import overall
from tests.ratings.made import SELF, THREE, TWO, result, self_play


def test_what_a_category_lacks_is_empty_in_the_one_table() -> None:
    three = leaderboard(THREE, [result(THREE, "A B C", [3, 2, 1])])
    two = leaderboard(TWO, [result(TWO, "A B", [3, 2])])
    own = leaderboard(SELF, self_play({"A": [3], "B": [2]}))

    heads, rows = csv_rows([three, two, own], overall([three, two, own]), more=True)

    assert heads[: len(NUMBERS)] == NUMBERS
    assert heads[-3:] == ("points_seat_0", "points_seat_1", "points_seat_2")
    assert all(tuple(row) == heads for row in rows)
    assert [row["points_seat_2"] for row in rows if row["bot"] == "A"] == [None] * 4
    assert [row["points_seat_1"] for row in rows if row["bot"] == "B"] == [0.5, 0, None, None]
    assert [(row["bot"], row["place"]) for row in rows if row["category"] == "overall"] == [
        ("A", 1),
        ("B", 2),
        ("C", None),
    ]


def test_a_gap_beyond_all_numbers_is_none() -> None:
    board = leaderboard(TWO, [result(TWO, "A B", [3, 2])])
    far = replace(board, rows=tuple(replace(row, elo=float("inf")) for row in board.rows))

    text = json.dumps(json_boards([far], None, more=True), allow_nan=False)

    assert {row["elo_gap"] for row in json.loads(text)[0]["rows"]} == {None}
