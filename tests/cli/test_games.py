import csv
import io
import json

from tests.command_line import CommandLine


def test_games_lists_what_can_be_played(arena: CommandLine) -> None:
    answer = arena("games")

    assert (answer.status, answer.err) == (0, "")
    assert answer.out.splitlines()[0].split() == ["game", "kind", "players", "variants", "rules"]
    assert "couperation  cooperative  2, 3, 4  standard, finish      1" in answer.out


def test_games_for_programs_has_lists_where_there_are_several(arena: CommandLine) -> None:
    games = json.loads(arena("games", "--format", "json").out)

    assert games[0] == {
        "game": "donburiko",
        "kind": "competitive",
        "players": [2, 3, 4],
        "variants": ["standard"],
        "rules": 1,
    }


def test_games_in_the_other_formats(arena: CommandLine) -> None:
    lines = list(csv.reader(io.StringIO(arena("games", "-f", "csv").out)))
    markdown = arena("games", "-f", "github").out.splitlines()

    assert lines[1] == ["donburiko", "competitive", "2, 3, 4", "standard", "1"]
    assert [line.count("|") for line in markdown] == [6, 6, 6, 6]


def test_games_makes_no_home(arena: CommandLine) -> None:
    arena("games")

    assert not arena.home.exists()
