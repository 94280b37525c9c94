import math
import struct

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.ratings.kept import Kept, keep, recall
from arena.ratings.units import ordered
from tests.ratings.made import duel, free_for_all

UNITS = ordered([duel("u0", "A", "B"), free_for_all("u1", "ABC", (1, 1, 3)), duel("u2", "C", "A")])
MESSAGES = [(0.5, -1.0, 0.25, 2.0), (0.5, 1.0) * 4, (0.125, 3.0, 0.0, 0.0)]


def test_messages_come_back_to_their_units_whatever_the_order() -> None:
    kept = keep(UNITS, MESSAGES)

    assert recall(kept, reversed(UNITS)) == MESSAGES[::-1]


def test_a_unit_that_is_new_or_has_changed_has_none() -> None:
    kept = keep(UNITS, MESSAGES)
    changed = ordered([duel("u0", "A", "B", (1, 1)), duel("u3", "A", "B"), duel("u2", "C", "A")])

    assert recall(kept, changed) == [(), MESSAGES[2], ()]


def test_a_number_takes_four_bytes_and_a_unit_ten() -> None:
    kept = keep(UNITS, MESSAGES)

    assert (len(kept.marks), len(kept.numbers)) == (10 * 3, 4 * 16)


def test_they_can_be_kept_as_json() -> None:
    kept = keep(UNITS, MESSAGES)

    assert msgspec.json.decode(msgspec.json.encode(kept), type=Kept) == kept


@pytest.mark.parametrize("damage", [math.nan, math.inf, -1.0, 1e30])
def test_what_is_no_message_is_passed_over(damage: float) -> None:
    kept = keep(UNITS, MESSAGES)
    damaged = Kept(kept.marks, struct.pack("<f", damage) + kept.numbers[4:])

    assert recall(damaged, UNITS) == [(), *MESSAGES[1:]]


@given(st.binary(max_size=60), st.binary(max_size=80))
def test_any_bytes_at_all_are_survived(marks: bytes, numbers: bytes) -> None:
    recall(Kept(marks, numbers), UNITS)
    good = keep(UNITS, MESSAGES)

    assert len(recall(Kept(good.marks, numbers), UNITS)) == 3
    assert len(recall(Kept(marks + good.marks, good.numbers), UNITS)) == 3
