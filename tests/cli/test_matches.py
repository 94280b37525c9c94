"""The list of matches, most of them made here."""

import json
import sqlite3
from contextlib import closing

import pytest

from arena.store.db import open_store
from arena.store.matches import add_matches
from tests.command_line import CommandLine
from tests.kept import DUELS, TABLES, planned, record_of

FIXTURES = (*DUELS, *TABLES)


@pytest.fixture
def kept(arena: CommandLine) -> CommandLine:
    """A home with two tournaments of a, b and c, in which the last seat is always at fault."""
    with open_store(arena.home) as store:
        for id_, fixtures in (("spring", FIXTURES), ("summer", DUELS[:1])):
            planned(store, id_, id_, fixtures)
            for fixture in fixtures:
                add_matches(store, id_, [record_of(id_, fixture)])
    return arena


def listed(arena: CommandLine, *words: str) -> list[tuple[str, str]]:
    rows = json.loads(arena("matches", "-f", "json", *words).out)
    return [(row["tournament"], row["match"]) for row in rows]


def test_the_newest_match_comes_last(kept: CommandLine) -> None:
    every = [*(("spring", fixture.match) for fixture in FIXTURES), ("summer", DUELS[0].match)]

    assert listed(kept) == every
    assert listed(kept, "--last", "2") == every[-2:]
    assert (
        kept("matches", "--last", "2").line == "these are the last 2 matches: --last N shows more"
    )
    assert kept("matches", "--last", "1").line == "this is the last match: --last N shows more"
    assert kept("matches", "--last", str(len(every))).err == ""


def test_those_of_a_tournament_or_of_a_bot_are_chosen(kept: CommandLine) -> None:
    assert listed(kept, "-t", "summer") == [("summer", DUELS[0].match)]
    assert listed(kept, "--bot", "c") == [("spring", fixture.match) for fixture in TABLES]
    assert kept("matches", "-t", "summer", "--bot", "c").line == "no such match was played yet"
    assert kept("matches", "--bot", "d").line.startswith("arena: no bot is called 'd' in any tourn")


def test_a_match_is_told_by_its_ids_and_how_it_ended(kept: CommandLine) -> None:
    (row,) = json.loads(kept("matches", "-t", "summer", "-f", "json").out)
    heads, _, line = kept("matches", "-t", "summer").out.splitlines()

    assert row.pop("finished").endswith("Z")
    assert row == {
        "tournament": "summer",
        "match": DUELS[0].match,
        "bots": ["a", "b"],
        "scores": [0, 0],
        "ranks": [1, 1],
        "reason": "walkover",
        "actions": 0,
        "faults": ["seat 1: exited"],
    }
    assert heads.split() == [head for head in (*row, "finished") if head != "bots"]
    assert "0, 0" in line
    assert kept("matches", "-t", "summer", "-f", "csv").out.splitlines()[0] == ",".join(
        (*row, "finished")
    )


def test_those_without_a_fault_can_be_left_out(played: CommandLine) -> None:
    assert played("matches", "--faults").line == "no such match was played yet"
    assert played("matches").err == ""
    assert len(listed(played)) == 18


def test_the_faults_of_a_bot_are_its_own(kept: CommandLine) -> None:
    last = [("spring", one.match) for one in FIXTURES if one.bots[-1] == "b"]

    assert listed(kept, "-t", "spring", "--bot", "b", "--faults") == last
    assert len(listed(kept, "-t", "spring", "--bot", "b")) == len(FIXTURES)


def test_results_are_shown_while_a_tournament_goes_on_and_cards_are_not(
    played: CommandLine,
) -> None:
    with closing(sqlite3.connect(played.home / "arena.db")) as db, db:
        db.execute("UPDATE tournaments SET finished = NULL, secret = key, commitment = ''")

    answer = played("matches", "-f", "json")

    assert answer.status == 0
    assert "cards" not in json.loads(answer.out)[0]


def test_every_id_in_the_list_can_be_replayed(played: CommandLine) -> None:
    for tournament, match in listed(played, "--last", "3"):
        assert played("replay", match, "-t", tournament).status == 0


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("replay", "donburiko-2p/0/"), ["donburiko-2p/0/a+b", "donburiko-2p/0/b+a"]),
        (("replay", "-t", "summer", "don"), ["donburiko-2p/0/a+b"]),
        (("verify", "-m", "donburiko-3p/0/a"), ["donburiko-3p/0/a+b+c"]),
        (("logs", "b", "--match", "donburiko-2p/1/a"), ["donburiko-2p/1/a+b"]),
        (("compare", "a", "b", "--field", "greedy,random_l"), ["greedy,random_legal"]),
    ],
    ids=str,
)
def test_the_shell_completes_ids_and_lists(
    words: tuple[str, ...], offered: list[str], kept: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_ARENA_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", " ".join(["arena", *words]))
    monkeypatch.setenv("COMP_CWORD", str(len(words)))

    assert kept().out.split() == offered


def test_without_a_home_there_is_nothing_to_list(arena: CommandLine) -> None:
    assert "nothing is kept in" in arena.refuses("matches")
