"""The moments of a match, as text."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.cli.frames import Frame, also_in, frames, legend_of, position_of
from arena.errors import BotFault, FaultCode, RecordError
from arena.games import get_game
from arena.games.base import Seat
from arena.games.deal import Deal
from arena.players.scripted import Scripted, at_random
from arena.referee.limits import Limits
from arena.referee.play import play
from arena.referee.record import MatchRecord, Offending, SeatRecord
from arena.referee.replay import replay
from arena.wire.escape import printable
from tests import tuck_game
from tests.records import KEY, Quitter, played_record, record_of

replaced = msgspec.structs.replace


def records() -> st.SearchStrategy[MatchRecord]:
    """Return matches in some of which a seat exits."""
    return st.builds(
        lambda game, players, deal, quits: played_record(game, "standard", players, deal, quits),
        st.sampled_from(["donburiko", "couperation"]),
        st.integers(2, 4),
        st.integers(0, 50),
        st.dictionaries(st.integers(0, 1), st.integers(0, 6), max_size=2),
    )


def text(frame: Frame) -> str:
    return "\n".join([*frame.table, *frame.notes])


# The operator's view


@given(record=records())
def test_the_operator_sees_each_action_and_each_fault_where_it_was_and_then_the_end(
    record: MatchRecord,
) -> None:
    found = frames(record)

    happened = [(number, False) for number in range(len(record.actions))]
    faults = [(fault.at, True) for fault in record.faults]
    expected = sorted([*happened, *faults], key=lambda one: (one[0], not one[1]))
    assert [(frame.number, ": FAULT " in frame.notes[0]) for frame in found[:-1]] == expected
    assert found[-1].number == len(record.actions)
    assert record.reason in found[-1].notes[-1]


def test_the_operator_sees_the_tables_that_lay_there() -> None:
    record = played_record("couperation", "standard", 2, 3, {1: 2})
    drawn = []
    game = get_game("couperation")
    replay(
        record,
        lambda state, *_: drawn.append(game.draw(state)),
        ended=lambda state: drawn.append(game.draw(state)),
    )

    found = ["\n".join(frame.table) for frame in frames(record)]
    assert list(dict.fromkeys(found)) == list(dict.fromkeys(drawn))


def test_a_fault_says_code_text_and_what_was_written_and_the_house_is_marked() -> None:
    record = played_record("donburiko", "standard", 3, 0, {1: 1})
    (fault,) = record.faults
    measured = replaced(record.measured, offending=(Offending(seat=1, text="tru\x1b"),))

    found = frames(replaced(record, measured=measured))

    (at,) = [at for at, frame in enumerate(found) if ": FAULT " in frame.notes[0]]
    assert found[at].notes == (
        f"{fault.at}. seat 1 bot1: FAULT exited: exited with status 1",
        "it had written: tru\\x1b",
    )
    assert found[at + 1].notes[0].startswith(f"{fault.at}. seat 1 bot1 (house): {{")
    assert " ms]" not in found[at + 1].notes[0]


def test_a_decision_has_its_time() -> None:
    record = played_record("donburiko", "standard", 2, 0, {})
    times = (1234.56, *record.measured.action_ms[1:])

    first, *_ = frames(replaced(record, measured=replaced(record.measured, action_ms=times)))

    assert first.notes[0].endswith("}  [1,234.6 ms]")


class Unstarted(Scripted):
    """Never gets ready."""

    def ask(self, line: bytes, budget_ms: int) -> bytes:
        raise BotFault(FaultCode.START_FAILED, "no such file")


def test_a_seat_that_did_not_start_is_told_before_all_else() -> None:
    seats = [Quitter(b"0", None), Unstarted(at_random(b"1")), Quitter(b"2", None)]
    deal = Deal(KEY, "donburiko", "standard", 3, 0)
    record = record_of(play(get_game("donburiko"), deal, seats, Limits()), deal)
    note = "start. seat 1 bot1: FAULT start_failed: no such file"

    first, second, *_ = frames(record)
    mine, end = frames(record, Seat(1))

    assert (first.number, first.notes) == (0, (note,))
    assert (second.number, second.table) == (0, first.table)
    assert (mine, end.table) == (Frame(0, (), (note,)), ())


# A seat's view


@given(record=records(), data=st.data())
def test_a_seat_sees_the_questions_that_it_was_asked_and_nothing_else(
    record: MatchRecord, data: st.DataObject
) -> None:
    seat = Seat(data.draw(st.integers(0, record.players - 1)))
    game = get_game(record.game)
    asked: list[tuple[int, str]] = []

    def ask(number: int, whose: Seat, question: object) -> None:
        if whose == seat:
            sent = question.observation  # type: ignore[attr-defined]
            seen = msgspec.json.decode(sent, type=game.observation_type)
            assert game.draw_observation
            asked.append((number, game.draw_observation(seen)))

    replay(record, asked=ask)
    *found, end = frames(record, seat)

    tables = [
        (frame.number, "\n".join(line for line in frame.table if not line.startswith("+ ")))
        for frame in found
    ]
    assert tables == asked
    assert end.table == ()


def test_a_seat_is_told_the_events_since_it_was_asked_before() -> None:
    _, second, *_ = frames(played_record("donburiko", "standard", 2, 0, {}), Seat(1))

    events = [json.loads(line[2:]) for line in second.table if line.startswith("+ ")]
    assert [event["type"] for event in events][:1] == ["play"]
    assert {event["seat"] for event in events} == {0, 1}


def test_a_seat_sees_its_own_fault_and_no_question_after_it() -> None:
    record = played_record("donburiko", "standard", 3, 0, {1: 1})
    (fault,) = record.faults

    *_, last, _ = frames(record, Seat(1))

    assert last.number == fault.at
    assert ": FAULT exited: " in last.notes[0]
    others = [text(frame) for frame in frames(record, Seat(0))]
    assert not any("exited" in other for other in others)
    assert any('+ {"type":"fault","seat":1}' in other for other in others)


def test_a_game_that_does_not_draw_observations_has_them_as_json(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("arena.games.BUILT_IN", (tuck_game.TUCK,))
    from arena.games import games  # noqa: PLC0415 - its cache is emptied around this test

    games.cache_clear()
    try:
        record = played_record("tuck", "standard", 2, 0, {})
        first, *_ = frames(record, Seat(0))
    finally:
        games.cache_clear()

    assert first.table[:4] == ("{", '  "seat": 0,', '  "hand": [', f"    {first.table[3].strip()}")


# Whatever a record holds


@given(name=st.text(max_size=20), seat=st.sampled_from([None, Seat(0), Seat(1)]))
def test_no_line_can_act_on_a_terminal(name: str, seat: Seat | None) -> None:
    record = played_record("donburiko", "standard", 2, 0, {1: 1})
    seats = tuple(SeatRecord(bot=name, digest=name) for _ in record.seats)
    faults = tuple(replaced(fault, text=name) for fault in record.faults)

    for frame in frames(replaced(record, seats=seats, faults=faults), seat):
        for line in (*frame.table, *frame.notes):
            assert printable(line) == line


def amiss() -> dict[str, dict[str, Any]]:
    """Return what may be wrong with a record, by name: fields and what they hold instead."""
    record = played_record("donburiko", "standard", 3, 0, {1: 1})
    (fault,) = record.faults
    return {
        "a seat too few": {"seats": record.seats[:1]},
        "no scores": {"scores": ()},
        "a crowd": {"players": 10**9},
        "nothing logged": {"measured": replaced(record.measured, stderr=())},
        "no times": {"measured": replaced(record.measured, action_ms=())},
        "a fault of nobody": {"faults": (replaced(fault, seat=9),)},
        "a fault of less than nobody": {"faults": (replaced(fault, seat=-1),)},
        "a fault twice": {"faults": (fault, fault)},
        "two faults of one seat": {"faults": (replaced(fault, at=99), fault)},
        "an action too few": {"actions": record.actions[:-1]},
    }


@pytest.mark.parametrize("seat", [None, Seat(0), Seat(1)])
@pytest.mark.parametrize("change", amiss())
def test_a_record_in_which_something_is_amiss_is_refused(change: str, seat: Seat | None) -> None:
    record = played_record("donburiko", "standard", 3, 0, {1: 1})

    with pytest.raises(RecordError):
        frames(replaced(record, **amiss()[change]), seat)


def test_the_legend_is_of_what_is_drawn() -> None:
    record = played_record("couperation", "standard", 2, 0, {})
    (own,) = legend_of(record)

    assert own == get_game("couperation").legend
    assert legend_of(record, Seat(0)) == (
        own,
        "+ what the seat was told since it was asked before",
    )


def test_the_other_tournaments_of_a_match_are_told_in_a_few_words() -> None:
    assert also_in([]) == ""
    assert also_in(["one"]) == " (also in one: -t chooses)"
    assert also_in(list("abcde")) == " (also in a, b, c and 2 more: -t chooses)"


def test_the_place_of_an_action_is_its_moment_or_the_next_one_there() -> None:
    found = [Frame(number, (), ()) for number in (1, 3, 3, 7)]

    assert [position_of(found, number) for number in (0, 1, 2, 3, 4, 7, 8)] == [0, 0, 1, 1, 3, 3, 3]
