import json
from typing import Any, Never

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import BotFault, FaultCode, UsageError
from arena.games import get_game
from arena.games.deal import Deal
from arena.players.scripted import Scripted, at_random
from arena.referee.limits import Limits
from arena.referee.lines import actions_of, lines_of
from arena.referee.play import play
from arena.referee.record import MatchRecord, decode_record, encode_record
from tests.records import KEY, Quitter, played_record, record_of

GAMES = st.sampled_from(
    [("donburiko", "standard"), ("couperation", "standard"), ("couperation", "finish")]
)


class Absent(Scripted):
    """Never comes to be ready."""

    def __init__(self) -> None:
        super().__init__(at_random(b""))

    def ask(self, line: bytes, budget_ms: int) -> Never:
        self.heard.append(line)
        raise BotFault(FaultCode.EXITED, "exited with status 1")


def played(
    deal: Deal, seats: list[Scripted], limits: Limits | None = None
) -> tuple[MatchRecord, list[list[bytes]]]:
    """Return the record of a match, as it is read back, and what each seat heard in it."""
    record = record_of(play(get_game(deal.game), deal, seats, limits or Limits()), deal, limits)
    return decode_record(encode_record(record)), [seat.heard for seat in seats]


@given(
    game=GAMES,
    players=st.integers(2, 4),
    number=st.integers(0, 10**6),
    quits=st.dictionaries(st.integers(0, 3), st.integers(0, 12), max_size=3),
    absent=st.sampled_from([None, None, 0, 1]),
)
def test_each_line_of_a_match_follows_from_its_record_and_key(
    game: tuple[str, str], players: int, number: int, quits: dict[int, int], absent: int | None
) -> None:
    seats: list[Scripted] = [
        Absent() if seat == absent else Quitter(bytes([seat]), quits.get(seat))
        for seat in range(players)
    ]

    record, heard = played(Deal(KEY, *game, players, number), seats)

    assert [lines_of(record, seat, key=KEY) for seat in range(players)] == heard


def test_without_the_key_only_ids_and_seed_are_others() -> None:
    record = played_record("donburiko", "standard", 3, 5, {})

    known, unknown = (
        [json.loads(line) for line in lines_of(record, 1, key=key)] for key in (KEY, b"")
    )

    asked = [message for message in unknown if message["type"] == "act"]
    assert [message["id"] for message in asked] == list(range(1, len(asked) + 1))
    assert unknown[1]["seed"] == 1
    assert [without_chance(it) for it in unknown] == [without_chance(it) for it in known]


def without_chance(message: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in message.items() if key not in {"id", "seed"}}


def test_limits_are_told_as_they_were() -> None:
    deal = Deal(KEY, "donburiko", "standard", 2, 0)
    limits = Limits(move_ms=300, extra_ms=700, memory_mb=99)

    record, heard = played(deal, [Quitter(b"a", None), Quitter(b"b", None)], limits)

    lines = lines_of(record, 0, key=KEY)
    assert json.loads(lines[0])["limits"]["memory_mb"] == 99
    assert lines == heard[0], "these players need no extra time, so it is full at every question"


def test_a_bot_that_wants_no_legal_actions_is_sent_none() -> None:
    record = played_record("couperation", "standard", 2, 0, {})

    lines = lines_of(record, 0, offer=False)

    assert not any(b'"legal_actions"' in line for line in lines)
    assert sum(b'"type":"act"' in line for line in lines) == len(actions_of(record, 0))


def test_what_the_house_did_is_nobodys_action() -> None:
    record = played_record("donburiko", "standard", 3, 0, {1: 2})

    assert len(actions_of(record, 1)) == 2
    assert sum(one.house for one in record.actions) > 0


def test_a_seat_that_is_not_there_and_a_key_that_is_none_are_refused() -> None:
    record = played_record("donburiko", "standard", 2, 0, {})

    with pytest.raises(UsageError, match="the match has the seats 0 to 1, and no seat 2"):
        lines_of(record, 2)
    with pytest.raises(UsageError, match="no seat -1"):
        actions_of(record, -1)
    with pytest.raises(UsageError, match="a key has 32 bytes, not 3"):
        lines_of(record, 0, key=b"abc")
