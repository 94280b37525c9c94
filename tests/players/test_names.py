from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import UsageError
from arena.players.names import check_bot_name, check_entry, check_name, fold, fold_author


@pytest.mark.parametrize("name", ["a", "7", "first_legal", "Greedy-2.1", "x" * 32])
def test_letters_digits_and_three_signs_make_a_name(name: str) -> None:
    assert check_name(name) == name


@pytest.mark.parametrize(
    "name",
    [
        "",
        "a/b",
        "..",
        ".hidden",
        "-v",
        "a b",
        "a ",
        "a\n",
        "é",
        "=SUM(A1)",
        "a+b",
        "x" * 33,
        "\u212a",
    ],
)
def test_anything_else_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="a bot cannot be called"):
        check_name(name)


@pytest.mark.parametrize("name", ["\x1b[2J", "a\u202eb", "x" * 200, "a\nb", "\udcff"])
def test_a_refused_name_is_shown_in_one_short_harmless_line(name: str) -> None:
    with pytest.raises(UsageError) as caught:
        check_name(name)

    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 160


@pytest.mark.parametrize("name", ["you", "You", "YOU"])
def test_a_bot_is_not_called_as_a_person_is_but_what_takes_part_can_be(name: str) -> None:
    with pytest.raises(UsageError, match=f"a bot cannot be called '{name}': that is what a person"):
        check_bot_name(name)

    assert [check_entry(name), check_entry(f"{name}@1")] == [name, f"{name}@1"]
    assert check_name(name, "a tournament") == name


@pytest.mark.parametrize("name", ["youth", "you2", "you.", "a b", ""])
def test_other_names_are_a_bots_if_they_are_names(name: str) -> None:
    with suppress(UsageError):
        assert check_name(name) == check_bot_name(name)
        return
    with pytest.raises(UsageError, match="a name has 1 to 32"):
        check_bot_name(name)


@given(name=st.text())
def test_folding_joins_what_differs_only_in_case_or_composition(name: str) -> None:
    assert fold("É" + name) == fold("e\u0301" + name)
    assert fold(fold(name)) == fold(name)


@pytest.mark.parametrize("name", ["greedy", "greedy@1", "a@999999999", "v1.2@30"])
def test_a_bot_takes_part_by_its_name_or_as_a_version(name: str) -> None:
    assert check_entry(name) == name


@pytest.mark.parametrize(
    "name",
    ["@1", "a@", "a@0", "a@01", "a@x", "a@1@2", "a@-1", "a b@1", "a@\N{ARABIC-INDIC DIGIT ONE}"],
)
def test_nothing_else_takes_part(name: str) -> None:
    with pytest.raises(UsageError, match=r"cannot be called|is no version"):
        check_entry(name)


@pytest.mark.parametrize(
    "author", ["Ada Lovelace", " ada lovelace\t", "ADA LOVELACE", "ada lovelace\N{NO-BREAK SPACE}"]
)
def test_an_author_is_one_however_the_name_is_spelt(author: str) -> None:
    assert fold_author(author) == "ada lovelace"


@given(author=st.text())
def test_composition_and_case_of_an_author_make_no_difference(author: str) -> None:
    assert fold_author(f"É{author}") == fold_author(f" e\u0301{author} ")
    assert fold_author(fold_author(author)) == fold_author(author)


@pytest.mark.parametrize("author", [None, "", " \n"])
def test_an_author_without_a_name_is_none(author: str | None) -> None:
    assert fold_author(author) is None
