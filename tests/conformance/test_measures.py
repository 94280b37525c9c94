from dataclasses import replace

import pytest

from arena.conformance import measures
from arena.conformance.dress import everything
from arena.conformance.findings import Check
from arena.conformance.scenes import Scene, Seen
from arena.conformance.witness import Ending, Exchange
from arena.errors import BotFault, FaultCode
from arena.games import get_game
from arena.referee.limits import Limits

SCENE = Scene(get_game("donburiko"), 2)
HELLO = b'{"type":"hello"}\n'
LIMITS = Limits(start_ms=1_000, move_ms=100)


def seen(start_ms: float = 50, *decisions_ms: float, log: bytes = b"", status: int = 0) -> Seen:
    """Return a match in which a bot that was not at fault took so long for each answer."""
    asked = [
        Exchange(b'{"type":"act"}\n', b'{"action":{"n":%d}}' % number, ms)
        for number, ms in enumerate(decisions_ms)
    ]
    ending = Ending(left=b"", gone=True, ms=5, status=status)
    exchanges = (Exchange(HELLO, b"{}", start_ms), *asked)
    return Seen(SCENE, SCENE.name, exchanges, log, ending=ending)


def told(check: Check) -> list[tuple[str, str, str]]:
    return [(it.severity.value, it.text, it.where) for it in check.findings]


def test_times_are_those_of_all_matches() -> None:
    check = measures.time([seen(40, 1, 2), seen(60, 3)], LIMITS)

    assert check.text == "starts in 50 ms, of 1000; decides in 2.0 ms, 3.0 at worst, of 100"
    assert check.verdict == "ok"


def test_times_of_lines_that_nobody_sends_yet_are_not_counted() -> None:
    odd = replace(seen(40, 500), scene=replace(SCENE, dress=everything))

    assert measures.time([seen(40, 1), odd], LIMITS).verdict == "ok"


@pytest.mark.parametrize(("ms", "severity"), [(59, None), (61, "tip"), (91, "warning")])
def test_a_decision_near_its_limit_is_told(ms: float, severity: str | None) -> None:
    found = told(measures.time([seen(40, 1, ms, 1)], LIMITS))

    text = f"takes {ms} ms for a decision, and has 100"
    assert found == ([(severity, text, "donburiko, 2 players, decision 2")] if severity else [])


def test_a_start_that_takes_more_than_half_of_its_time_is_told() -> None:
    found = told(measures.time([seen(40), seen(501)], LIMITS))

    assert found == [("warning", "takes 501 ms to start, and has 1000", "")]


def test_a_start_that_costs_every_match_a_second_is_a_tip() -> None:
    found = told(measures.time([seen(1_001)], Limits()))

    assert found == [("tip", "takes 1001 ms to start, before each match", "")]


def test_a_bot_that_was_never_asked_has_no_times() -> None:
    assert measures.time([], LIMITS).text == "no decision was made"


def test_a_log_that_is_not_kept_whole_is_told() -> None:
    log = b"x\n[... 12 bytes dropped ...]\nx"

    found = told(measures.logged([seen(log=log), seen(log=log)], 8))

    text = "writes more than the 8 KiB of standard error that are kept"
    assert found == [("tip", text, SCENE.name)]


def test_an_exception_that_a_bot_survives_is_told() -> None:
    check = measures.logged([seen(log=b"Traceback (most recent call last):\n...")], 8)

    assert [text for _, text, _ in told(check)] == [
        "an exception is in its log, though it played on"
    ]
    assert check.text == "38 bytes of standard error a match at most"


def test_decisions_of_a_repeated_match_are_compared_one_by_one() -> None:
    before, after = seen(1, 1, 1, 1), seen(1, 1, 1, 1)
    other = Exchange(b'{"type":"act"}\n', b'{"action":{"n":7}}', 1)
    changed = replace(after, exchanges=(*after.exchanges[:2], other, after.exchanges[3]))

    assert measures.differences(before, after) == []
    (found,) = measures.differences(before, changed)
    assert found.where == "donburiko, 2 players, decision 2"
    assert found.back == b'{"action":{"n":1}}\n{"action":{"n":7}}'


def test_what_is_left_and_how_lines_end_is_told_once() -> None:
    left = replace(seen(), ending=Ending(b"bye\n", gone=True, ms=1, status=0))
    with_cr = replace(seen(), exchanges=(Exchange(HELLO, b"{}\r", 1),))

    check = measures.lines([left, left, with_cr])

    assert [(it.severity.value, it.times) for it in check.findings] == [("warning", 2), ("tip", 1)]


def test_lines_are_in_order_only_in_matches_that_a_bot_gets_through() -> None:
    fault = BotFault(FaultCode.BAD_MESSAGE, "not JSON: 'thinking...'", b"thinking...")
    broken = replace(seen(), fault=fault, ending=None)

    none, some, every = (
        measures.lines(they) for they in ([broken], [broken, seen()], [seen(), seen()])
    )

    assert (none.verdict, none.text) == ("skipped", measures.NOT_TRIED)
    assert some.text == "writes one line for each question, in the matches that it gets through"
    assert (every.verdict, every.text) == ("ok", "writes one line for each question")
