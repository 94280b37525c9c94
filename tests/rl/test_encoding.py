import copy
import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.games.base import Seat
from arena.games.couperation.actions import Reserve
from arena.games.couperation.observation import Slot
from arena.games.couperation.tower import SIZE
from arena.games.donburiko.actions import Claim, Play
from arena.rl import couperation, donburiko
from arena.rl.couperation import GOALS, MOST_HELD, SPENT
from arena.rl.encoding import AnyEncoding, by_seat, whole
from arena.rl.tables import ENCODINGS
from tests.random_play import states

RESERVE = couperation.encoding(2).actions[-1].start
EVERY = [
    pytest.param(encoding(players), id=f"{name}-{players}p")
    for name, encoding in ENCODINGS.items()
    for players in encoding(2).game.player_counts
]
each = pytest.mark.parametrize("encoding", EVERY)


def seen_by_all(encoding: AnyEncoding, number: int) -> Iterator[Any]:
    """Yield what every seat sees at each turn of a match of the last variant."""
    game = encoding.game
    for state in states(game, encoding.players, number, game.variants[-1]):
        for seat in range(encoding.players):
            yield game.observe(state, Seat(seat))


# Observations


@each
def test_every_observation_lies_in_both_spaces(encoding: AnyEncoding) -> None:
    flat_space, named_space = encoding.layout.flat_space(), encoding.layout.named_space()

    for seen in seen_by_all(encoding, 0):
        named = encoding.named(seen)
        assert named_space.contains(named)
        assert flat_space.contains(encoding.layout.flat(named))


@each
def test_different_observations_have_different_numbers(encoding: AnyEncoding) -> None:
    numbers: dict[bytes, Any] = {}

    for deal in range(2):
        for seen in seen_by_all(encoding, deal):
            row = encoding.layout.flat(encoding.named(seen)).tobytes()
            assert numbers.setdefault(row, seen) == seen


@each
def test_each_part_stands_where_the_layout_says(encoding: AnyEncoding) -> None:
    layout = encoding.layout
    seen = list(seen_by_all(encoding, 1))[-1]
    named = encoding.named(seen)
    row = layout.flat(named)

    end = 0
    for part, span in zip(layout.parts, layout.spans, strict=True):
        assert (span.name, span.start, span.length) == (part.name, end, part.length)
        end = span.start + span.length
        assert np.allclose(row[span.start : end] * part.most, named[part.name].ravel())
    assert end == layout.size == len(row)


def test_a_table_of_donburiko_as_its_seats_see_it() -> None:
    encoding = donburiko.encoding(3)
    opening, *_, later = list(states(encoding.game, 3, 0))[:5]
    seen = encoding.game.observe(later, Seat(1))
    named = encoding.named(seen)

    assert encoding.named(encoding.game.observe(opening, Seat(0)))["to_act"].tolist() == [1, 0, 0]
    assert named["seat"].tolist() == [0, 1, 0]
    assert named["tokens"].tolist() == [seen.tokens[1], seen.tokens[2], seen.tokens[0]]
    assert named["hand"].sum() == len(seen.hand)
    for number, column in enumerate(seen.columns):
        assert named["card_face"][number].sum() == len(column.cards)
        assert named["card_by"][number].sum() == len(column.cards) - 1


def test_a_card_that_is_not_known_has_a_number_of_its_own() -> None:
    unknown = {"donburiko": ("card_face", 9), "couperation": ("slot_card", 51)}

    for name, (part, last) in unknown.items():
        encoding = ENCODINGS[name](3)
        found = [encoding.named(seen)[part][..., last] for seen in seen_by_all(encoding, 0)]
        assert any(one.any() for one in found)


def test_the_own_seat_comes_first() -> None:
    assert [by_seat([5, 6, 7], own) for own in range(3)] == [[5, 6, 7], [6, 7, 5], [7, 5, 6]]


def test_the_finish_card_is_told_by_who_has_it_and_then_by_its_slot() -> None:
    encoding = couperation.encoding(2)
    seen = next(one for one in seen_by_all(encoding, 0) if one.finish not in {None, one.seat})
    row = (Slot(card="finish", up=True, by=seen.finish), *seen.tower[0][1:])
    placed = replace(seen, finish=None, tower=(row, *seen.tower[1:]))

    before, after = encoding.named(seen), encoding.named(placed)

    assert (before["finish"].tolist(), after["finish"].tolist()) == ([0, 1], [0, 0])
    assert not before["slot_card"][:, 50].any()
    assert after["slot_card"][0].nonzero()[0].tolist() == [50]
    assert (after["slot_up"][0], after["slot_by"][0].tolist()) == (1, [0, 1])


# Actions


@each
def test_legal_actions_have_numbers_of_their_own_that_lead_back_to_them(
    encoding: AnyEncoding,
) -> None:
    game = encoding.game
    for state in states(game, encoding.players, 2, game.variants[-1]):
        seat = game.to_act(state)
        legal = game.legal_actions(state)
        if seat is None:
            continue
        seen = game.observe(state, seat)
        numbers = [encoding.index(action, seen) for action in legal]
        assert len({*numbers}) == len(legal)
        assert {*numbers} <= {*range(encoding.size)}
        assert [encoding.action(number, seen) for number in numbers] == list(legal)


@each
def test_the_numbers_of_actions_leave_no_gap(encoding: AnyEncoding) -> None:
    starts = [span.start for span in encoding.actions]
    ends = [span.start + span.length for span in encoding.actions]

    assert [*starts, encoding.size] == [0, *ends]


@each
def test_other_numbers_are_no_actions(encoding: AnyEncoding) -> None:
    seen = next(seen_by_all(encoding, 0))

    for number in (-1, encoding.size):
        with pytest.raises(ValueError, match=f"has no action {number}"):
            encoding.action(number, seen)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_number_of_donburiko_is_an_action(players: int) -> None:
    encoding = donburiko.encoding(players)
    seen = next(seen_by_all(encoding, 0))
    actions = [encoding.action(number, seen) for number in range(encoding.size)]

    assert [encoding.index(action, seen) for action in actions] == [*range(encoding.size)]
    assert actions[0] == Play(card="1", column=0, up=True)
    assert actions[-1] == Claim(column=players - 1)
    assert any(isinstance(one, Play) and one.card == "1/5" for one in actions) == (players > 2)


@given(number=st.integers(0, couperation.encoding(2).size - 1))
def test_a_number_of_couperation_is_an_action_or_needs_more_cards(number: int) -> None:
    encoding = couperation.encoding(2)
    seen = next(seen_by_all(encoding, 0))
    (pair, extra) = SPENT[max(number - RESERVE, 0) // (GOALS * SIZE)]
    if number >= RESERVE and max(*pair, *extra) >= len(seen.hand):
        with pytest.raises(ValueError, match="a hand of 3 cards does not have those of action"):
            encoding.action(number, seen)
        return

    action = encoding.action(number, seen)
    again = encoding.index(action, seen)
    assert encoding.action(again, seen) == action
    # A card can be reached in two ways, and then the first one counts.
    assert again == number or (isinstance(action, Reserve) and again < number)


def test_what_reserve_spends_is_numbered_as_the_page_says() -> None:
    assert len(SPENT) == len({*SPENT}) == 672
    assert SPENT[:4] == (((0, 1), ()), ((0, 1), (2,)), ((0, 1), (2, 3)), ((0, 1), (2, 3, 4)))
    assert SPENT[-1] == ((5, 6), (4,))


@pytest.mark.parametrize("players", [2, 3, 4])
def test_no_hand_has_more_cards_than_there_are_places(players: int) -> None:
    encoding = couperation.encoding(players)
    sizes = [
        max(seen.hand_sizes) for deal in range(30) for seen in seen_by_all(encoding, 100 + deal)
    ]

    assert 4 <= max(sizes) <= MOST_HELD


@pytest.mark.parametrize("name", ENCODINGS)
def test_a_game_has_encodings_for_its_own_numbers_of_players(name: str) -> None:
    for count in (1, 5, -2):
        with pytest.raises(
            ValueError, match=f"{name.capitalize()} is for 2 to 4 players, not {count}"
        ):
            ENCODINGS[name](count)


# Where they are from


@pytest.mark.parametrize("name", ENCODINGS)
def test_a_process_has_one_encoding_of_each(name: str) -> None:
    encoding = ENCODINGS[name](3)

    assert ENCODINGS[name](np.int64(3)) is encoding  # type: ignore[arg-type]
    assert pickle.loads(pickle.dumps(encoding)) is encoding  # noqa: S301 - our own
    assert copy.deepcopy(encoding) is encoding
    assert (type(encoding.players), encoding.of) == (int, ENCODINGS[name])


@pytest.mark.parametrize("name", ENCODINGS)
@pytest.mark.parametrize("players", [2.0, "x", None, True])
def test_what_is_no_number_of_players_is_refused(name: str, players: Any) -> None:
    ENCODINGS[name](2)

    said = f"^players is of type {type(players).__name__}, and has to be a whole number$"
    with pytest.raises(TypeError, match=said):
        ENCODINGS[name](players)


@given(number=st.integers(-(2**63), 2**63 - 1))
def test_a_whole_number_is_pythons_or_numpys(number: int) -> None:
    for same in (number, np.int64(number), np.array(number)):
        found = whole("seed", same)
        assert (type(found), found) == (int, number)


@pytest.mark.parametrize(
    "value", [1.0, np.float64(2), "3", b"4", None, True, np.False_, np.zeros((9, 9)), np.array([5])]
)
def test_anything_else_is_none_whatever_it_is_worth(value: Any) -> None:
    said = f"^seed is of type {type(value).__name__}, and has to be a whole number$"
    with pytest.raises(TypeError, match=said):
        whole("seed", value)
