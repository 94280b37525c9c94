import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from arena.bundled import sample_bots
from arena.errors import UsageError
from arena.players.submission import read_bundle
from arena.players.tier import Tier
from arena.referee.limits import Limits
from arena.store.bots import add_bot, remove_bot
from arena.store.db import Store, open_store
from arena.tournament.entrants import Candidate, everybody, named
from tests.kept import snapshot
from tests.whole_arena import DICE, FIRST, LAST, bot

LIMITS = Limits()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "home") as opened:
        yield opened


def find(store: Store, *texts: str | Path) -> list[tuple[str, bool]]:
    """Return name, and whether it is played by its path, of the bots that ``texts`` mean."""
    candidates = named(store, [str(text) for text in texts], LIMITS, Tier.NONE)
    return [(candidate.name, candidate.by_path) for candidate in candidates]


def test_a_candidate_that_names_no_games_plays_all() -> None:
    assert Candidate("a", snapshot("a"), None).plays("chess")
    assert not Candidate("a", snapshot("a"), ("couperation",)).plays("chess")


def test_registered_bots_take_part_with_what_was_submitted(store: Store) -> None:
    add_bot(store, "b", snapshot("1"), ["couperation"])
    add_bot(store, "a", snapshot("2"))
    add_bot(store, "gone", snapshot("3"))
    remove_bot(store, "gone")

    field = everybody(store, LIMITS, Tier.NONE)

    assert field.remarks == ()
    assert [(one.name, one.bundle.digest, one.games) for one in field.candidates] == [
        ("a", snapshot("2").digest, None),
        ("b", snapshot("1").digest, ("couperation",)),
    ]


def test_where_none_is_registered_the_sample_bots_take_part(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)

    field = everybody(store, LIMITS, Tier.NONE)

    assert field.remarks[0] == "no bot is registered in the home: the sample bots play"
    assert "random_js stays out: node is not installed" in field.remarks
    assert [one.name for one in field.candidates] == [
        path.stem for path in sample_bots() if path.suffix == ".py"
    ]
    assert not any(one.by_path for one in field.candidates)


def test_a_bot_is_a_registered_name_a_path_or_a_sample(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_bot(store, "clever", read_bundle(bot(LAST, tmp_path / "elsewhere")))
    bot(FIRST, tmp_path / "here")
    monkeypatch.chdir(tmp_path)

    found = find(store, "clever", "here", "./here", tmp_path / "here", "first_legal")

    assert found == [
        ("clever", False),
        ("here", True),
        ("here", True),
        ("here", True),
        ("first_legal", False),
    ]


def test_a_registered_name_goes_before_a_file_and_a_sample(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = bot(LAST, tmp_path / "elsewhere")
    for name in ("first_legal", "here", "v1.py"):
        add_bot(store, name, read_bundle(mine))
    bot(FIRST, tmp_path / "here")
    (tmp_path / "v1.py").write_text("broken")
    monkeypatch.chdir(tmp_path)

    names = ["first_legal", "here", "v1.py"]
    candidates = named(store, names, LIMITS, Tier.NONE)

    assert [one.name for one in candidates] == names
    assert {one.bundle.digest for one in candidates} == {read_bundle(mine).digest}


def test_one_bot_may_be_meant_several_times(store: Store, tmp_path: Path) -> None:
    path = bot(FIRST, tmp_path / "mybot")
    add_bot(store, "mybot", read_bundle(path))

    assert find(store, "mybot", path, "mybot") == [
        ("mybot", False),
        ("mybot", True),
        ("mybot", False),
    ]


def test_two_bots_with_one_name_are_refused(store: Store, tmp_path: Path) -> None:
    one, two = (
        bot(body, tmp_path / str(count) / "mybot") for count, body in enumerate((FIRST, DICE))
    )

    with pytest.raises(UsageError, match="are two bots with one name, mybot"):
        find(store, one, two)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("first_leagl", "no bot is called 'first_leagl'; did you mean 'first_legal'?"),
        ("cleverr", "did you mean 'clever'"),
        ("nosuch.py", "there is no file or folder nosuch.py"),
        ("nosuch.js", "there is no file or folder nosuch.js"),
        ("no/such", "there is no file or folder no/such"),
        ("a\x1b[2J", r"no bot is called 'a\\x1b\[2J'"),
        ("x" * 5000, "no bot is called 'x{39}…'"),
        ("a\0", r"no bot is called 'a\\x00'"),
        ("\udcff", r"no bot is called '\\udcff'|is not UTF-8"),
        ("", "no bot is called ''|has no entry point"),
    ],
)
def test_what_means_no_bot_is_refused(
    text: str, why: str, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_bot(store, "clever", snapshot("1"))
    monkeypatch.chdir(tmp_path)

    with pytest.raises(UsageError, match=why):
        find(store, text)


def test_a_bot_that_does_not_start_is_refused(store: Store, tmp_path: Path) -> None:
    broken = bot("sys.exit(1)", tmp_path / "broken")

    with pytest.raises(UsageError, match="broken was refused: not ready: exited with status 1"):
        find(store, broken)


# Versions and authors


def test_an_earlier_version_takes_part_under_a_name_of_its_own(store: Store) -> None:
    add_bot(store, "clever", snapshot("1"), ["couperation"])
    for text in "23":
        add_bot(store, "clever", snapshot(text))

    found = named(store, ["clever@1", "clever", "clever@2"], LIMITS, Tier.NONE)

    assert [(one.name, one.bundle.digest, one.games, one.by_path) for one in found] == [
        ("clever@1", snapshot("1").digest, ("couperation",), False),
        ("clever", snapshot("3").digest, None, False),
        ("clever@2", snapshot("2").digest, None, False),
    ]


def test_the_current_version_is_the_bot_itself(store: Store) -> None:
    for text in "121":
        add_bot(store, "clever", snapshot(text))

    assert find(store, "clever@3", "clever@1", "clever@2") == [
        ("clever", False),
        ("clever", False),
        ("clever@2", False),
    ]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("clever@3", "clever has versions 1 to 2, no 3: see `arena bots --versions`"),
        ("other@2", "other has only version 1, no 2: see"),
        ("clevre@1", "no bot is called 'clevre@1'; did you mean 'clever'"),
        ("clever@0", "no bot is called 'clever@0'; did you mean 'clever'"),
        ("clever@1@1", "no bot is called 'clever@1@1'"),
        ("clever@" + "9" * 99, "no bot is called 'clever@9+…'"),
        ("gone@1", "no bot is called 'gone@1'"),
    ],
)
def test_a_version_that_there_is_not_is_refused(text: str, why: str, store: Store) -> None:
    for version in "12":
        add_bot(store, "clever", snapshot(version))
    add_bot(store, "other", snapshot("3"))
    add_bot(store, "gone", snapshot("4"))
    remove_bot(store, "gone")

    with pytest.raises(UsageError, match=why):
        find(store, text)


def test_one_content_is_not_entered_twice_as_a_version(store: Store, tmp_path: Path) -> None:
    path = bot(FIRST, tmp_path / "mybot")
    add_bot(store, "mybot", read_bundle(path))
    add_bot(store, "mybot", snapshot("2"))

    with pytest.raises(UsageError, match=r"^mybot@1 and mybot are one bot: name it once$"):
        find(store, "mybot@1", path)


def test_an_author_is_known_of_a_registered_version_and_of_a_path(
    store: Store, tmp_path: Path
) -> None:
    add_bot(store, "clever", replace(snapshot("1"), author="Ada"))
    add_bot(store, "clever", replace(snapshot("2"), author="Bob"))
    path = bot(FIRST, tmp_path / "mine")
    with (path / "bot.toml").open("a") as manifest:
        manifest.write('author = "Cleo"\n')

    found = named(store, ["clever@1", "clever", str(path), "first_legal"], LIMITS, Tier.NONE)

    assert [one.author for one in found] == ["Ada", "Bob", "Cleo", None]
    assert [one.author for one in everybody(store, LIMITS, Tier.NONE).candidates] == ["Bob"]
