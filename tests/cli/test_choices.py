from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.cli.choices import MOST, in_columns, listed, matching
from arena.games import get_game
from tests.random_play import states

CARDS = ["place 1 face up", "place 12 face up", "place 12 face down", "discard 4", "discard 47"]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("1", (0,)),
        (" 5 ", (4,)),
        ("0", ()),
        ("6", ()),
        ("9" * 9, ()),
        ("place 12", (1, 2)),
        ("place 1", (0,)),
        ("PLACE 12,  face d", (2,)),
        ("discard 4", (3,)),
        ("disc", (3, 4)),
        ("fold", ()),
        ("-1", ()),
    ],
)
def test_an_action_is_meant_by_its_number_or_by_what_it_begins_with(
    typed: str, meant: tuple[int, ...]
) -> None:
    assert matching(typed, CARDS) == meant


@given(st.text(max_size=20))
def test_whatever_is_typed_means_some_of_the_actions_or_none(typed: str) -> None:
    assert set(matching(typed, CARDS)) <= set(range(len(CARDS)))


def test_a_few_actions_are_listed_with_their_numbers_as_wide_as_the_greatest() -> None:
    assert listed(["a"] * 12, (8, 9), columns=3) == [" 9  a", "10  a"]


def test_of_many_actions_those_that_begin_alike_share_a_line() -> None:
    texts = [f"{verb} card {number}" for verb in ("play", "hold") for number in range(20)]

    lines = listed([*texts, "claim"], range(41), columns=1)

    assert lines == ["    play card …  (20 actions)", "    hold card …  (20 actions)", "41  claim"]


def test_of_many_actions_with_little_in_common_the_first_are_listed() -> None:
    lines = listed([f"say {number}" for number in range(MOST + 5)], range(MOST + 5), columns=1)

    assert (len(lines), lines[-1]) == (MOST + 1, "… and 5 more beginnings")
    assert lines[0] == " 1  say 0"


def test_actions_that_a_game_calls_alike_share_a_line_and_keep_their_numbers() -> None:
    texts = ["wait"] * (MOST + 5)

    assert listed(texts, range(len(texts)), columns=1) == ["    wait …  (35 actions)"]
    assert matching("35", texts) == (34,)


@pytest.mark.parametrize(
    ("columns", "lines"),
    [(3, ["a", "bb", "c"]), (7, ["a    c", "bb"]), (0, ["a", "bb", "c"]), (99, ["a    bb   c"])],
)
def test_lines_stand_side_by_side_as_far_as_there_is_room(
    columns: int, lines: Sequence[str]
) -> None:
    assert in_columns(["a", "bb", "c"], columns) == lines


@pytest.mark.parametrize("name", ["couperation", "donburiko"])
def test_every_action_of_a_game_is_meant_by_its_own_text(name: str) -> None:
    game = get_game(name)
    say = game.say_action
    assert say is not None
    for state in states(game, 4, 0):
        texts = [say(action) for action in game.legal_actions(state)]
        assert [matching(text, texts) for text in texts] == [(at,) for at in range(len(texts))]
        assert len(listed(texts, range(len(texts)), columns=1)) <= MOST + 1
