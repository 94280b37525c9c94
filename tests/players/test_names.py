import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import UsageError
from arena.players.names import check_name, fold


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


@given(name=st.text())
def test_folding_joins_what_differs_only_in_case_or_composition(name: str) -> None:
    assert fold("É" + name) == fold("e\u0301" + name)
    assert fold(fold(name)) == fold(name)
