"""The page for authors: whoever types what it shows is answered as it shows."""

import re
from pathlib import Path

import pytest

from arena.players.sandbox import isolation
from tests.sessions import blocks, lasting, session, texts, typed

PAGE = Path(__file__).resolve().parents[2] / "protocol" / "AUTHORS.md"
NAMED = re.compile(r"`(\w+\.py)`:$")

BY_CHANCE = ("arena compare",)
"""Commands that play fresh deals: their figures differ each time."""

PASSING = (
    (r"\d{4}-\d\d-\d\dT[\d:]+Z", "INSTANT"),
    (r"^(time +ok +).*", r"\1TIMES"),
    (r"\S*/(arena/games/\w+/RULES\.md)", r"\1"),
    (r"^-+( +-+)*$", "---"),
)
FIGURES = ((r"[+-]?\d+(\.\d+)?|\+inf", "N"), (r" +", " "))


def without_chance(command: str, said: str) -> list[str]:
    """Return the lines that ``command`` said as far as they are the same each time."""
    return lasting(said, PASSING + (FIGURES if command.startswith(BY_CHANCE) else ()))


@pytest.mark.slow
def test_the_session_of_the_page_is_what_arena_says(tmp_path: Path) -> None:
    if lacking := isolation().lacking:
        pytest.skip(lacking)
    stale = []
    for language, text, before in blocks(PAGE):
        if language == "python":
            named = NAMED.search(before)
            assert named, f"{before!r} names no file"
            (tmp_path / named[1]).write_text(text, "utf-8")
            continue
        command, shown = session(text)
        said = typed(command, tmp_path, statuses=(0, 1))
        if without_chance(command, said) != without_chance(command, shown):
            stale.append(f"$ {command}\n{said}")

    assert stale == [], "the page is stale, arena says now:\n" + "\n".join(stale)


def test_the_page_shows_every_command_that_an_author_needs() -> None:
    shown = {text.split()[2] for text in texts(PAGE, "console")}

    assert shown == {"new", "check", "submit", "tournament", "compare", "match", "logs", "replay"}
