from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import Difference, RecordError
from arena.referee.record import MatchRecord, decode_record, encode_record, unmeasured
from arena.referee.replay import replay
from tests.records import KEY, played_record

GAMES = st.sampled_from(
    [("donburiko", "standard"), ("couperation", "standard"), ("couperation", "finish")]
)


@given(
    game=GAMES,
    players=st.integers(2, 4),
    deal=st.integers(0, 10**6),
    quits=st.dictionaries(st.integers(0, 3), st.integers(0, 12), max_size=3),
)
def test_a_record_replays_to_the_same_match(
    game: tuple[str, str], players: int, deal: int, quits: dict[int, int]
) -> None:
    record = played_record(*game, players, deal, quits)

    outcome = replay(record)

    assert (outcome.scores, outcome.ranks) == (record.scores, record.ranks)


@given(game=GAMES, players=st.integers(2, 4), deal=st.integers(0, 10**6))
def test_a_record_survives_its_own_encoding(game: tuple[str, str], players: int, deal: int) -> None:
    record = played_record(*game, players, deal, {})

    assert unmeasured(decode_record(encode_record(record))) == unmeasured(record)
    assert encode_record(decode_record(encode_record(record))) == encode_record(record)


def changed(record: MatchRecord, **fields: Any) -> MatchRecord:
    return msgspec.structs.replace(record, **fields)


def without_an_action(record: MatchRecord) -> MatchRecord:
    return changed(record, actions=record.actions[:-1])


def with_an_action_more(record: MatchRecord) -> MatchRecord:
    return changed(record, actions=(*record.actions, record.actions[-1]))


def other_action(record: MatchRecord, **fields: Any) -> MatchRecord:
    action = msgspec.structs.replace(record.actions[3], **fields)
    return changed(record, actions=(*record.actions[:3], action, *record.actions[4:]))


FORGERIES: list[tuple[Callable[[MatchRecord], MatchRecord], str]] = [
    (without_an_action, "the match goes on after its"),
    (with_an_action_more, "is not to act, but None"),
    (lambda record: other_action(record, seat=9), "action 3: seat 9 is not to act, but 1"),
    (lambda record: other_action(record, sent="0" * 16), "action 3: seat 1 was sent something"),
    (lambda record: other_action(record, house=True), "action 3: seat 1 is open"),
    (
        lambda record: other_action(record, action=msgspec.Raw(b'{"type":"claim","column":99}')),
        "action 3: seat 1 may not do that",
    ),
    (lambda record: changed(record, scores=(99, 0)), r"scores: \(99, 0\) is recorded"),
    (lambda record: changed(record, ranks=(1, 1)), "ranks: "),
    (lambda record: changed(record, reason="round_limit"), "reason: 'round_limit' is recorded"),
    (lambda record: changed(record, rules_version=99), "played by version 99 of the rules"),
    (lambda record: changed(record, players=7), "no such game"),
    (lambda record: changed(record, variant="none"), "no such game"),
    (lambda record: changed(record, cards=msgspec.Raw(b"{}")), "cards: "),
    (lambda record: changed(record, cards=msgspec.Raw(b"[")), "cards: "),
]


@pytest.mark.parametrize(("forge", "text"), FORGERIES, ids=range(len(FORGERIES)))
def test_a_forged_record_is_refused_with_the_first_difference(
    forge: Callable[[MatchRecord], MatchRecord], text: str
) -> None:
    record = played_record("donburiko", "standard", 2, 0, {})

    with pytest.raises(RecordError, match=text):
        replay(forge(record))


def test_a_house_action_for_an_open_seat_and_a_bots_for_a_closed_one_are_refused() -> None:
    record = played_record("donburiko", "standard", 3, 0, {1: 0})
    number = next(at for at, action in enumerate(record.actions) if action.house)
    forged = msgspec.structs.replace(record.actions[number], house=False)

    with pytest.raises(RecordError, match=f"action {number}: seat 1 is closed"):
        replay(changed(record, actions=(*record.actions[:number], forged)))


@pytest.mark.parametrize(
    ("seat", "at", "text"),
    [(5, 0, "no such seat"), (0, 1, "was not to act then"), (1, 0, "was not to act then")],
)
def test_a_fault_that_could_not_have_been_is_refused(seat: int, at: int, text: str) -> None:
    record = played_record("donburiko", "standard", 3, 0, {1: 0})
    fault = msgspec.structs.replace(
        record.faults[0], seat=seat, at=at, code="start_failed" if seat == 5 else "exited"
    )

    with pytest.raises(RecordError, match=text):
        replay(changed(record, faults=(*record.faults, fault)))


# With the key of the tournament


@given(
    game=GAMES,
    players=st.integers(2, 4),
    deal=st.integers(0, 10**6),
    quits=st.dictionaries(st.integers(0, 3), st.integers(0, 12), max_size=3),
)
def test_with_the_key_cards_and_house_follow_from_it(
    game: tuple[str, str], players: int, deal: int, quits: dict[int, int]
) -> None:
    record = played_record(*game, players, deal, quits)

    replay(record, key=KEY)

    with pytest.raises(Difference, match=r"^cards: .* is recorded, .* follows$"):
        replay(record, key=bytes(31) + b"\x01")


def test_another_choice_of_the_house_than_that_of_the_deal_is_refused() -> None:
    record = played_record("donburiko", "standard", 3, 0, {1: 0})
    number = next(
        at
        for at, action in enumerate(record.actions)
        if action.house and b'"up":true' in bytes(action.action)
    )
    house = record.actions[number]
    other = bytes(house.action).replace(b'"up":true', b'"up":false')
    forged = msgspec.structs.replace(house, action=msgspec.Raw(other))
    actions = (*record.actions[:number], forged, *record.actions[number + 1 :])

    with pytest.raises(Difference, match=f"action {number}: the house: "):
        replay(changed(record, actions=actions), key=KEY)


def test_every_question_to_a_bot_is_told_also_the_one_it_did_not_answer() -> None:
    record = played_record("donburiko", "standard", 3, 0, {1: 1})
    asked: list[tuple[int, int, str]] = []

    replay(record, asked=lambda at, seat, question: asked.append((at, seat, question.digest)))

    by_bots = [
        (at, action.seat, action.sent)
        for at, action in enumerate(record.actions)
        if not action.house
    ]
    (fault,) = record.faults
    assert [it for it in asked if it in by_bots] == by_bots
    assert [it[:2] for it in asked if it not in by_bots] == [(fault.at, fault.seat)]


@pytest.mark.parametrize("quits", [{}, {1: 1}], ids=["played out", "broken off"])
def test_the_state_in_which_a_match_ended_is_told_once_it_has_proved_right(
    quits: dict[int, int],
) -> None:
    record = played_record("donburiko", "standard", 2, 3, quits)
    states: list[Any] = []

    replay(record, ended=states.append)

    assert [state.tokens for state in states] == [record.scores]
    with pytest.raises(RecordError):
        replay(msgspec.structs.replace(record, scores=(1, 1)), ended=states.append)
    assert len(states) == 1
