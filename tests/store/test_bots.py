from dataclasses import replace

import pytest

from arena.errors import UsageError
from arena.store.bots import (
    add_bot,
    bot_versions,
    check_free,
    find_bot,
    get_bot,
    list_bots,
    remove_bot,
)
from arena.store.db import Store
from arena.store.snapshots import load_bundle
from tests.kept import snapshot


def test_a_bot_is_kept_with_its_snapshot_and_its_games(store: Store) -> None:
    bot, new = add_bot(store, "greedy", snapshot("1"), games=["donburiko"])

    assert new
    assert (bot.name, bot.version, bot.digest) == ("greedy", 1, snapshot("1").digest)
    assert bot.command == ("python", "bot.py")
    assert (bot.plays("donburiko"), bot.plays("couperation")) == (True, False)
    assert get_bot(store, "greedy") == bot
    assert load_bundle(store, bot.digest, "bot") == snapshot("1")


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
