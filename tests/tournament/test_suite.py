import os
import pickle
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import UsageError
from arena.games import games
from arena.games.couperation import COUPERATION
from arena.games.deal import Deal
from arena.games.donburiko import DONBURIKO
from arena.referee.category import Category, Mode
from arena.tournament.suite import (
    MOST_BYTES,
    Suite,
    default_categories,
    find_suite,
    load_suite,
    restrict,
)

KEY = "0123456789abcdefABCDEF0123456789" * 2
HEAD = f'name = "mine"\nkey = "{KEY}"\n'
ENTRY = '[[category]]\ngame = "donburiko"\nmode = "table"\nplayers = 3\ndeals = 5\n'


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("suites") / "mine.toml"


def complaint(file: Path, content: str | bytes) -> str:
    """Return what is wrong with ``content``, without the name of the file before it."""
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(UsageError) as caught:
        load_suite(file)
    where, _, what = str(caught.value).partition(": ")
    assert where == str(file)
    assert "\n" not in what
    assert KEY not in what
    return what


def test_a_suite_is_read_from_toml(file: Path) -> None:
    file.write_text(
        HEAD
        + ENTRY
        + '[[category]]\ngame = "couperation"\nvariant = "finish"\nmode = "self"\n'
        + "players = 2\ndeals = 1_000_000\n"
    )

    assert load_suite(file) == Suite(
        name="mine",
        key=bytes.fromhex(KEY),
        categories={
            Category("donburiko", "standard", Mode.TABLE, 3): 5,
            Category("couperation", "finish", Mode.SELF, 2): 1_000_000,
        },
    )


BROKEN = [
    ("name = ", "not TOML: "),
    ("a = " + "[" * 20_000, "not TOML: "),
    (f"deals = {'9' * 5000}", "not TOML: Exceeds the limit (4300 digits)"),
    ('name = "\x1b[31m"', "not TOML: "),
    (b'name = "\xff"', "not UTF-8"),
    (b"#" * (MOST_BYTES + 1), "larger than 65,536 bytes, so hardly a suite"),
    (HEAD + 'cathegory = "x"\n' + ENTRY, "unknown key 'cathegory'; did you mean 'category'?"),
    (HEAD + '"a\\nb" = 1\n' + ENTRY, r"unknown key 'a\nb'; there is category, key, name"),
    (f'key = "{KEY}"\n' + ENTRY, "name is missing"),
    ('name = "mine"\n' + ENTRY, "key is missing"),
    (HEAD, "category is missing"),
    (HEAD.replace('"mine"', "7") + ENTRY, "name must be a string, not an integer"),
    (
        HEAD.replace("mine", "../mine") + ENTRY,
        "a suite cannot be called '../mine': a name has 1 to 32 of",
    ),
    (HEAD.replace(KEY, KEY[1:]) + ENTRY, "key must have 64 hex digits, not 63"),
    (HEAD.replace(KEY, f"{KEY[1:]} ") + ENTRY, "key must have 64 hex digits, not others"),
    (HEAD.replace(KEY, f"{KEY[1:]}٣") + ENTRY, "key must have 64 hex digits, not others"),
    (HEAD + "category = []", "no [[category]] entry"),
    (HEAD + "[category]", "category must be an array, not a table"),
    (HEAD + "category = [1979-05-27]", "category 1: must be a table, not a date or time"),
    (HEAD + ENTRY * 2, "category 2: donburiko-3p stands there twice"),
]

BROKEN_ENTRIES = [
    ("deals = 5", "deal = 5", "unknown key 'deal'; did you mean 'deals'?"),
    ("deals = 5\n", "", "deals is missing"),
    ("deals = 5", "deals = 0", "deals must be 1 to 1,000,000"),
    ("deals = 5", "deals = 1_000_001", "deals must be 1 to 1,000,000"),
    ("deals = 5", "deals = true", "deals must be an integer, not a boolean"),
    ("deals = 5", "deals = 5.0", "deals must be an integer, not a float"),
    ("players = 3", "players = true", "players must be an integer, not a boolean"),
    ("players = 3", f"players = 0x{'f' * 9000}", "players must be 1 to 99"),
    ("players = 3", "players = 5", "donburiko has no game for 5: 2, 3, 4 players"),
    ('"donburiko"', '"dunburiko"', "no game is called 'dunburiko'; did you mean 'donburiko'?"),
    ('"donburiko"', f'"{"x" * 65}"', "game is longer than 64 characters"),
    ('"donburiko"', '["donburiko"]', "game must be a string, not an array"),
    ('"table"', '"tables"', "no mode is called 'tables'; did you mean 'table'?"),
    ('"table"', '"self"', "donburiko is competitive: mode self is not for it"),
    ('"table"', '"table"\nvariant = "finish"', "donburiko has no variant 'finish': standard"),
    ('"table"', '"table"\nvariant = ""', "donburiko has no variant '': standard"),
]


@pytest.mark.parametrize(("content", "what"), BROKEN)
def test_what_is_wrong_with_a_suite_is_said_in_one_line(
    content: str | bytes, what: str, file: Path
) -> None:
    assert complaint(file, content).startswith(what)


@pytest.mark.parametrize(("right", "wrong", "what"), BROKEN_ENTRIES)
def test_what_is_wrong_with_an_entry_is_said_with_its_number(
    right: str, wrong: str, what: str, file: Path
) -> None:
    other = ENTRY.replace("players = 3", "players = 2")

    assert complaint(file, HEAD + other + ENTRY.replace(right, wrong)) == f"category 2: {what}"


@given(content=st.binary(max_size=300) | st.text(max_size=300).map(str.encode))
def test_any_other_file_is_refused_in_one_line(content: bytes, file: Path) -> None:
    complaint(file, content)


@given(at=st.integers(0, len(HEAD + ENTRY) - 1), put=st.binary(max_size=3))
def test_a_damaged_suite_is_read_or_refused_in_one_line(at: int, put: bytes, file: Path) -> None:
    whole = (HEAD + ENTRY).encode()
    damaged = whole[:at] + put + whole[at + len(put) :]
    file.write_bytes(damaged)

    try:
        said = repr(load_suite(file))
    except UsageError as error:
        said = str(error)

    assert "\n" not in said


def test_a_byte_order_mark_before_a_suite_says_nothing(file: Path) -> None:
    file.write_text(HEAD + ENTRY)
    plain = load_suite(file)
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())

    assert load_suite(file) == plain


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")

    for name in ("gone.toml", "fifo", "."):
        path = tmp_path / name
        with pytest.raises(UsageError) as caught:
            load_suite(path)
        assert str(caught.value) == f"{path}: no such file"
    with pytest.raises(UsageError, match=r"cannot be read: File name too long$"):
        load_suite(tmp_path / ("x" * 300))


def test_a_bundled_suite_is_found_by_its_name() -> None:
    assert find_suite("donburiko").name == "donburiko"


def test_a_misspelt_suite_gets_the_closest_name() -> None:
    with pytest.raises(UsageError) as caught:
        find_suite("donburico")

    assert str(caught.value) == (
        "no suite is called 'donburico'; did you mean 'donburiko'? "
        "(a path has a slash or ends in .toml)"
    )


def test_a_path_is_told_from_a_name_by_a_slash_or_its_ending(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("donburiko", "donburiko.toml"):
        Path(name).write_text(HEAD + ENTRY)

    found = [find_suite(text).name for text in ("donburiko", "./donburiko", "donburiko.toml")]

    assert found == ["donburiko", "mine", "mine"]


def test_the_key_stays_out_of_what_is_printed_of_a_suite() -> None:
    suite = Suite("mine", bytes.fromhex(KEY), {})

    assert repr(suite) == "Suite(name='mine', categories={})"


def test_a_suite_goes_to_another_process_whole() -> None:
    suite = find_suite("development")

    assert pickle.loads(pickle.dumps(suite)) == suite  # noqa: S301 - our own bytes


def test_a_deal_is_named_by_all_of_its_category_but_the_mode() -> None:
    suite = Suite("mine", bytes.fromhex(KEY), {})
    mixed = Category("couperation", "finish", Mode.MIXED, 4)

    deal = suite.deal(mixed, 17)

    assert deal == Deal(bytes.fromhex(KEY), "couperation", "finish", 4, 17)
    assert deal == suite.deal(replace(mixed, mode=Mode.SELF), 17)


def test_by_default_every_game_is_played_in_every_way_in_its_default_variant() -> None:
    categories = default_categories([DONBURIKO, COUPERATION])

    assert {category.name: deals for category, deals in categories.items()} == {
        "donburiko-2p": 50,
        "donburiko-3p": 50,
        "donburiko-4p": 50,
        "couperation-self-2p": 100,
        "couperation-self-3p": 100,
        "couperation-self-4p": 100,
        "couperation-mixed-2p": 100,
        "couperation-mixed-3p": 100,
        "couperation-mixed-4p": 100,
    }


def test_a_game_of_somebody_else_gets_its_categories_too() -> None:
    toy = replace(COUPERATION, name="toy", player_counts=(5,), variants=("plain", "odd"))

    assert list(default_categories([toy])) == [
        Category("toy", "plain", Mode.SELF, 5),
        Category("toy", "plain", Mode.MIXED, 5),
    ]


def test_every_default_category_exists() -> None:
    for category in default_categories(games().values()):
        assert category.check() == category


def test_deals_and_players_restrict_the_default() -> None:
    categories = default_categories([DONBURIKO, COUPERATION], players=[4, 2], deals=7)

    assert set(categories.values()) == {7}
    assert [category.name for category in categories] == [
        "donburiko-2p",
        "donburiko-4p",
        "couperation-self-2p",
        "couperation-self-4p",
        "couperation-mixed-2p",
        "couperation-mixed-4p",
    ]


def test_games_players_and_deals_restrict_a_suite() -> None:
    suite = find_suite("development")

    kept = restrict(suite.categories, games=["donburiko"], players=[3], deals=2)

    assert kept == {Category("donburiko", "standard", Mode.TABLE, 3): 2}
    assert restrict(suite.categories) == suite.categories


@pytest.mark.parametrize("deals", [0, -1, 1_000_001])
def test_a_number_of_deals_that_cannot_be_is_refused(deals: int) -> None:
    with pytest.raises(UsageError, match=r"^deals must be 1 to 1,000,000$"):
        default_categories([DONBURIKO], deals=deals)
    with pytest.raises(UsageError, match=r"^deals must be 1 to 1,000,000$"):
        restrict(default_categories([DONBURIKO]), deals=deals)


def test_a_size_that_nothing_is_played_in_is_refused() -> None:
    with pytest.raises(UsageError, match=r"^nothing is played by 5 players; there is 2, 3, 4$"):
        default_categories([DONBURIKO], players=[2, 5])


def test_what_a_suite_does_not_have_is_refused() -> None:
    donburiko = default_categories([DONBURIKO])

    with pytest.raises(UsageError, match=r"^the suite has no couperation; there is donburiko$"):
        restrict(donburiko, games=["couperation"])
    with pytest.raises(UsageError, match=r"^the suite has 50 deals of donburiko-2p, not 51$"):
        restrict(donburiko, deals=51)
