from typing import Any

import pytest
import typer

from arena.cli.app import app
from arena.cli.mistakes import Stopped, UsageMistake, is_help, mistake

ROOT: Any = typer.main.get_command(app)


def said_of(*words: str) -> str:
    """Return what is said of the mistake in ``words``."""
    with pytest.raises(UsageMistake) as caught:
        ROOT.main(list(words), prog_name="arena", standalone_mode=False)
    return mistake(caught.value, ROOT, words)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("--helb", "no such option: --helb; did you mean '--help'? (see `arena --help`)"),
        ("-x", "no such option: -x (see `arena --help`)"),
        ("games --xyzzy", "no such option: --xyzzy (see `arena games --help`)"),
        ("gaems", "no such command: gaems; did you mean 'games'? (see `arena --help`)"),
        ("--home x replay y", "no such option: --home; it goes behind replay: arena replay --home"),
        ("bots list", "no such command: list; there is remove (see `arena bots --help`)"),
    ],
)
def test_an_unknown_word_brings_the_closest_known_one(words: str, text: str) -> None:
    assert said_of(*words.split()).startswith(text)


def test_bots_with_spaces_between_them_are_too_many_words() -> None:
    said = said_of("compare", "a", "b", "--field", "c,", "d")
    assert "(d); put commas between bots, without spaces (see" in said
    assert "commas" not in said_of("compare", "a", "b", "c")


@pytest.mark.parametrize(
    ("words", "path"),
    [
        ("replay x --tournament", "arena replay"),
        ("bots remove x --home", "arena bots remove"),
        ("bots --home x --format", "arena bots"),
        ("--verbose games --format", "arena games"),
    ],
)
def test_an_option_without_its_value_leads_to_the_help_of_its_command(
    words: str, path: str
) -> None:
    text = said_of(*words.split())

    assert "requires an argument" in text
    assert text.endswith(f"(see `{path} --help`)")


def test_numbers_are_refused_in_plain_words() -> None:
    texts = [
        said_of("tournament", "--jobs", jobs).removesuffix(" (see `arena tournament --help`)")
        for jobs in ("0", "5000", "many")
    ]

    assert [text.startswith("invalid value for '-j' / '--jobs': ") for text in texts] == [True] * 3
    assert not any(word in text for text in texts for word in ("Input", "string", "Value error"))


def test_what_has_several_lines_is_said_in_one() -> None:
    assert "\n" not in said_of("games", "--format", "a\nb\n\nc")


def test_the_help_of_a_group_is_no_mistake() -> None:
    assert [is_help(Stopped()), is_help(ValueError())] == [False, False]
