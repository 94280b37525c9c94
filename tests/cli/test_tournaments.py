import csv
import io
import json
import re

from arena.cli.render import WIDTH
from arena.cli.tournaments import COLUMNS
from tests.cli.test_tournament import cup, unfinished
from tests.command_line import CommandLine


def test_without_a_tournament_the_list_is_empty_and_says_what_to_do(arena: CommandLine) -> None:
    answer = arena("tournaments")

    heads = [head for head in COLUMNS if head not in {"dropped", "retired", "unrated"}]
    assert (answer.status, answer.out.split()[: len(heads)]) == (0, heads)
    assert answer.line.endswith("yet: `arena tournament` plays one")
    assert arena("tournaments", "-f", "json").out == "[]\n"
    assert not arena.home.exists()


def test_the_list_says_how_far_each_is_and_how_to_go_on(arena: CommandLine) -> None:
    cup(arena, "--name", "cup")
    unfinished(arena)

    answer = arena("tournaments")

    assert answer.out.splitlines()[2].split()[1:4] == ["stopped", "1", "2"]
    assert re.fullmatch(
        rf"go on with: arena tournament --resume cup-\w{{8}} --home {arena.home}", answer.line
    )


def test_the_list_in_the_other_formats(played: CommandLine) -> None:
    (row,) = json.loads(played("tournaments", "-f", "json").out)
    (line,) = csv.DictReader(io.StringIO(played("tournaments", "-f", "csv").out))
    markdown = played("tournaments", "-f", "github").out.splitlines()

    assert (row["state"], row["matches"], row["of"], row["suite"]) == ("finished", 18, 18, "short")
    assert row["rated"] is False
    assert row["unrated"][:2] == ["the key is published", "bots are not isolated"]
    assert (line["tournament"], line["rated"]) == (row["tournament"], "false")
    # Without those in which there is nothing, and why it is unrated stands beside that it is.
    assert {text.count("|") for text in markdown} == {len(COLUMNS) - 3 + 1}


def test_the_table_is_no_wider_than_a_page_and_says_every_reason(arena: CommandLine) -> None:
    cup(arena, "--name", "cup")
    cup(arena, "--name", "winter-league")

    lines = arena("tournaments").out.splitlines()

    assert max(map(len, lines)) <= WIDTH
    cell = " ".join(line[lines[0].index("rated") :].strip() for line in lines[2:])
    assert cell.count("no: bots are not isolated; played from a path: first, last") == 2
