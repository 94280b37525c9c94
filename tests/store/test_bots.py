from collections.abc import Mapping
from dataclasses import replace
from itertools import permutations

import pytest

from arena.errors import RecordError, UsageError
from arena.store.bots import (
    add_bot,
    bot_versions,
    check_free,
    entry_name,
    find_bot,
    find_version,
    get_bot,
    list_bots,
    list_versions,
    plain_name,
    remove_bot,
    version_labels,
)
from arena.store.db import Store
from arena.store.snapshots import load_bundle
from arena.store.tournaments import add_tournament
from tests.kept import DUELS, snapshot, tournament


def test_a_bot_is_kept_with_its_snapshot_and_its_games(store: Store) -> None:
    bot, new = add_bot(store, "greedy", snapshot("1"), games=["donburiko"])

    assert new
    assert (bot.name, bot.version, bot.digest) == ("greedy", 1, snapshot("1").digest)
    assert bot.command == ("python", "bot.py")
    assert (bot.plays("donburiko"), bot.plays("couperation")) == (True, False)
    assert get_bot(store, "greedy") == bot
    assert load_bundle(store, bot.digest, "bot") == snapshot("1")


def test_no_bot_is_kept_under_the_name_of_a_person(store: Store) -> None:
    for refused in (lambda: check_free(store, "you"), lambda: add_bot(store, "You", snapshot("1"))):
        with pytest.raises(UsageError, match="that is what a person is called"):
            refused()

    assert list_bots(store) == []


def test_a_bot_that_names_no_games_plays_all(store: Store) -> None:
    add_bot(store, "any", snapshot("1"))

    assert get_bot(store, "any").plays("couperation")


def test_the_same_content_under_the_same_name_changes_nothing(store: Store) -> None:
    first, _ = add_bot(store, "greedy", snapshot("1"))

    assert add_bot(store, "greedy", snapshot("1")) == (first, False)
    assert bot_versions(store, "greedy") == [first]


def test_the_same_content_may_play_other_games_from_now_on(store: Store) -> None:
    add_bot(store, "greedy", snapshot("1"))
    bot, changed = add_bot(store, "greedy", snapshot("1"), games=["couperation"])

    assert (bot.version, bot.games, changed) == (1, ("couperation",), True)


def test_author_and_languages_are_kept_with_the_version_that_said_them(store: Store) -> None:
    ours = replace(snapshot("1"), author="Ada", languages=("C", "日本語"))
    add_bot(store, "greedy", snapshot("1"))

    bot, changed = add_bot(store, "greedy", ours)
    add_bot(store, "greedy", snapshot("2"))

    said = [(one.version, one.author, one.languages) for one in bot_versions(store, "greedy")]
    assert (bot.author, bot.languages, changed) == ("Ada", ("C", "日本語"), True)
    assert said == [(1, "Ada", ("C", "日本語")), (2, None, ())]
    assert bot_versions(store, "greedy")[0] == bot


def test_other_content_is_the_next_version_and_earlier_ones_stay(store: Store) -> None:
    for text in "121":
        add_bot(store, "greedy", snapshot(text))

    versions = [(bot.version, bot.digest) for bot in bot_versions(store, "greedy")]
    assert versions == [(n, snapshot(text).digest) for n, text in enumerate("121", start=1)]
    assert [bot.version for bot in list_bots(store)] == [3]
    assert load_bundle(store, snapshot("2").digest, "bot") == snapshot("2")


@pytest.mark.parametrize("name", ["Greedy", "GREEDY"])
def test_a_name_that_differs_only_in_case_from_a_taken_one_is_refused(
    name: str, store: Store
) -> None:
    add_bot(store, "greedy", snapshot("1"))

    with pytest.raises(UsageError, match=f"the name {name} differs only in case from greedy"):
        add_bot(store, name, snapshot("2"))
    with pytest.raises(UsageError, match="differs only in case"):
        check_free(store, name)

    assert [bot.name for bot in list_bots(store)] == ["greedy"]
    assert store.rows("SELECT count(*) FROM snapshots")[0][0] == 1


@pytest.mark.parametrize("name", ["a/b", "greedy ", "\x1b[2J", "x" * 200, ""])
def test_a_name_that_cannot_be_one_is_refused_and_changes_nothing(name: str, store: Store) -> None:
    with pytest.raises(UsageError, match="a bot cannot be called"):
        add_bot(store, name, snapshot("1"))
    with pytest.raises(UsageError, match="a bot cannot be called"):
        check_free(store, name)

    assert list_bots(store) == []


def test_a_name_is_free_for_a_new_bot_and_for_a_new_version(store: Store) -> None:
    add_bot(store, "greedy", snapshot("1"))

    assert check_free(store, "greedy") == "greedy"
    assert check_free(store, "other") == "other"


def test_a_removed_bot_is_off_the_list_but_its_name_and_snapshot_stay(store: Store) -> None:
    add_bot(store, "greedy", snapshot("1"))

    assert remove_bot(store, "greedy").version == 1

    assert list_bots(store) == []
    assert find_bot(store, "greedy") is None
    assert find_bot(store, "greedy", removed=True) is not None
    assert load_bundle(store, snapshot("1").digest, "bot") == snapshot("1")
    with pytest.raises(UsageError, match="differs only in case from greedy"):
        add_bot(store, "Greedy", snapshot("2"))


@pytest.mark.parametrize(("text", "version"), [("1", 1), ("2", 2)])
def test_a_removed_bot_comes_back_when_it_is_submitted_again(
    text: str, version: int, store: Store
) -> None:
    add_bot(store, "greedy", snapshot("1"))
    remove_bot(store, "greedy")

    bot, changed = add_bot(store, "greedy", snapshot(text))

    assert (bot.version, bot.removed, changed) == (version, None, True)
    assert list_bots(store) == [bot]


def test_an_unknown_bot_is_refused_with_the_closest_name(store: Store) -> None:
    with pytest.raises(UsageError, match="no bot is registered yet"):
        get_bot(store, "greedy")
    add_bot(store, "greedy", snapshot("1"))

    with pytest.raises(UsageError, match="no bot is called 'gredy'; did you mean 'greedy'"):
        get_bot(store, "gredy")
    with pytest.raises(UsageError, match="no bot is called 'zzz'; there is greedy"):
        remove_bot(store, "zzz")


def test_bots_are_listed_by_name_whatever_their_case(store: Store) -> None:
    for name in ("b", "C", "a"):
        add_bot(store, name, snapshot(name))

    assert [bot.name for bot in list_bots(store)] == ["a", "b", "C"]


# Versions


def test_all_versions_are_listed_but_of_removed_bots(store: Store) -> None:
    for name, text in (("b", "1"), ("A", "2"), ("b", "3"), ("c", "4")):
        add_bot(store, name, snapshot(text))
    remove_bot(store, "c")

    assert [(bot.name, bot.version) for bot in list_versions(store)] == [
        ("A", 1),
        ("b", 1),
        ("b", 2),
    ]


def test_a_version_is_found_by_name_and_number(store: Store) -> None:
    for text in "12":
        add_bot(store, "greedy", snapshot(text))

    found = find_version(store, "greedy@1")

    assert found == bot_versions(store, "greedy")[0]
    assert find_version(store, "greedy") is find_version(store, "other@1") is None
    with pytest.raises(UsageError, match="greedy has versions 1 to 2, no 7"):
        find_version(store, "greedy@7")


def test_a_version_takes_part_by_the_last_number_of_its_content(store: Store) -> None:
    for text in "12132":
        add_bot(store, "greedy", snapshot(text))

    names = [entry_name(store, bot) for bot in bot_versions(store, "greedy")]

    assert names == ["greedy@3", "greedy", "greedy@3", "greedy@4", "greedy"]
    assert {plain_name(name) for name in names} == {"greedy"}


# Labels of several tournaments


def played(store: Store, id_: str, entries: Mapping[str, str], day: int = 1) -> None:
    """Store a tournament of that day with a bot of some content for each name."""
    made = replace(tournament(id_), created=f"2999-01-{day:02}T00:00:00Z")
    add_tournament(store, made, [(name, snapshot(text)) for name, text in entries.items()], DUELS)


def test_in_one_tournament_bots_are_called_as_they_took_part(store: Store) -> None:
    add_bot(store, "greedy", snapshot("1"))
    add_bot(store, "greedy", snapshot("2"))
    played(store, "one", {"greedy@1": "1", "greedy": "2", "path": "3"})
    played(store, "alone", {"greedy@1": "1", "a": "4"})

    assert version_labels(store, ["one"]) == {
        ("one", name): name for name in ("greedy@1", "greedy", "path")
    }
    assert version_labels(store, ["alone"])["alone", "greedy@1"] == "greedy@1"


def test_what_was_changed_between_tournaments_is_several_players(store: Store) -> None:
    for number, text in enumerate("123", start=1):
        add_bot(store, "greedy", snapshot(text))
        played(store, f"t{number}", {"greedy": text, "same": "x"}, number)
    played(store, "t4", {"greedy@1": "1", "greedy": "3"}, 4)

    for ids in permutations(["t1", "t2", "t3", "t4"]):
        assert version_labels(store, ids) == {
            ("t1", "greedy"): "greedy@1",
            ("t2", "greedy"): "greedy@2",
            ("t3", "greedy"): "greedy",
            ("t4", "greedy@1"): "greedy@1",
            ("t4", "greedy"): "greedy",
            **{(id_, "same"): "same" for id_ in ("t1", "t2", "t3")},
        }
    assert version_labels(store, ["t2", "t1"]) == {
        ("t1", "greedy"): "greedy@1",
        ("t2", "greedy"): "greedy",
        ("t1", "same"): "same",
        ("t2", "same"): "same",
    }


def test_what_is_not_registered_is_numbered_by_the_order_of_the_tournaments(store: Store) -> None:
    for day, text in enumerate("abac", start=1):
        played(store, f"t{day}", {"mine": text, "other": "x"}, 10 - day)

    labels = version_labels(store, ["t1", "t2", "t3", "t4"])

    mine = {id_: label for (id_, name), label in labels.items() if name == "mine"}
    assert mine == {"t4": "mine@1", "t3": "mine@2", "t2": "mine", "t1": "mine@2"}
    assert version_labels(store, ["t4", "t3"])["t4", "mine"] == "mine@1"


def test_numbers_of_registered_versions_are_theirs_alone(store: Store) -> None:
    add_bot(store, "mine", snapshot("r"))
    played(store, "t1", {"mine": "a"}, 1)
    played(store, "t2", {"mine@2": "b"}, 2)
    played(store, "t3", {"mine": "r"}, 3)
    played(store, "t4", {"mine": "d"}, 4)

    labels = version_labels(store, ["t1", "t2", "t3", "t4"])

    assert [labels[id_, name] for id_, name in sorted(labels)] == [
        "mine@3",
        "mine@2",
        "mine@1",
        "mine",
    ]


def test_a_newer_version_that_took_part_as_such_alone_keeps_its_number(store: Store) -> None:
    for text in "12":
        add_bot(store, "greedy", snapshot(text))
    played(store, "t1", {"greedy": "1"}, 1)
    played(store, "t2", {"greedy@2": "2"}, 2)

    assert version_labels(store, ["t1", "t2"]) == {
        ("t1", "greedy"): "greedy@1",
        ("t2", "greedy@2"): "greedy@2",
    }


@pytest.mark.parametrize("text", ["{", "7", "[7]", "\u00e4"])
def test_a_damaged_bot_is_marked_in_lists_and_named_where_it_is_asked_for(
    text: str, store: Store
) -> None:
    for name in ("greedy", "other"):
        add_bot(store, name, snapshot(name))
    with store.atomic() as db:
        db.execute("UPDATE bot_versions SET languages = ? WHERE name = 'greedy'", (text,))

    assert [(bot.name, bot.damaged) for bot in list_bots(store)] == [
        ("greedy", True),
        ("other", False),
    ]
    with pytest.raises(RecordError, match="greedy: version 1: its games, languages or command"):
        get_bot(store, "greedy")
    with pytest.raises(RecordError, match="greedy: version 1"):
        find_version(store, "greedy@1")
    assert get_bot(store, "other").languages == ()
    assert remove_bot(store, "greedy").damaged
    assert [bot.name for bot in list_bots(store)] == ["other"]


def test_no_tournaments_have_no_labels(store: Store) -> None:
    assert version_labels(store, []) == version_labels(store, ["nowhere"]) == {}
