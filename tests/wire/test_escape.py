import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.wire.escape import ELLIPSIS, printable

CUTS = st.sampled_from(["start", "middle", "end"])
ANYTHING = st.text(alphabet=st.characters(exclude_categories=())) | st.binary()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain, Ünïcode, 日本語 and 🂡", "plain, Ünïcode, 日本語 and 🂡"),
        ("\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
        ("a\nb\tc\rd\0", r"a\nb\tc\rd\x00"),
        ("abc\u202edef", r"abc\u202edef"),
        ("zero\u200bwidth\ufeff", r"zero\u200bwidth\ufeff"),
        ("\u3164\ufe0f\u034f", r"\u3164\ufe0f\u034f"),
        ("tag\U000e0041", r"tag\U000e0041"),
        ("line\u2028para\u2029", r"line\u2028para\u2029"),
        ("lone \udcff", r"lone \udcff"),
        ("C1 \x9b", r"C1 \x9b"),
    ],
)
def test_what_acts_or_hides_is_spelt_out_and_all_else_stays(text: str, expected: str) -> None:
    assert printable(text) == expected


def test_bytes_are_read_as_utf_8_and_what_is_not_is_shown_as_bytes() -> None:
    assert printable("é".encode() + b"\xff\x1b") == r"é\xff\x1b"


def test_lines_and_tabs_can_be_kept_but_a_carriage_return_cannot() -> None:
    assert printable("a\n\tb\r\n", lines=True) == "a\n\tb\\r\n"


@pytest.mark.parametrize(
    ("cut", "expected"), [("end", "0123…"), ("middle", "01…89"), ("start", "…6789")]
)
def test_what_is_too_long_is_cut_where_it_is_asked(cut: str, expected: str) -> None:
    assert printable("0123456789", 5, cut=cut) == expected  # type: ignore[arg-type]


def test_a_limit_of_one_leaves_the_sign_that_something_was_there() -> None:
    assert [printable("ab", 1), printable("a", 1), printable("", 1)] == ["…", "a", ""]


def test_no_escape_is_cut_in_two() -> None:
    assert printable("ab\x1bcd", 5) == "ab…"
    assert printable(b"a" * 100 + "é".encode() * 100_000, 4, cut="start") == "…ééé"
    assert printable("é".encode() * 100_000, 4) == "ééé…"


@given(text=ANYTHING, lines=st.booleans())
def test_no_output_holds_anything_that_acts_or_hides(text: str | bytes, lines: bool) -> None:
    allowed = "\n\t" if lines else ""

    shown = printable(text, lines=lines)

    assert not [
        char
        for char in shown
        if unicodedata.category(char) in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
        and char not in allowed
    ]
    assert printable(shown, lines=lines) == shown


@given(text=ANYTHING, limit=st.integers(1, 40), cut=CUTS)
def test_output_keeps_to_its_limit_and_is_a_part_of_the_whole(
    text: str | bytes, limit: int, cut: str
) -> None:
    whole = printable(text)

    shown = printable(text, limit, cut=cut)  # type: ignore[arg-type]

    assert len(shown) <= limit
    if len(whole) <= limit:
        assert shown == whole
    else:
        cuts = [at for at, char in enumerate(shown) if char == ELLIPSIS]
        assert any(whole.startswith(shown[:at]) and whole.endswith(shown[at + 1 :]) for at in cuts)
