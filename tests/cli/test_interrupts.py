import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from arena.cli.interrupts import interrupts
from arena.tournament.runner import Stop

ASKING = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


@contextmanager
def handled(number: signal.Signals, handler: "signal.Handlers | None") -> Iterator[None]:
    """Have ``handler`` for a signal meanwhile."""
    before = signal.signal(number, handler or signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(number, before)


@pytest.mark.parametrize("number", ASKING)
def test_the_first_signal_asks_to_stop_and_the_second_to_do_it_at_once(
    number: signal.Signals, capfd: pytest.CaptureFixture[str]
) -> None:
    stop = Stop()
    with interrupts(stop):
        signal.raise_signal(number)
        assert (stop.asked, stop.at_once) == (True, False)
        signal.raise_signal(number)
        assert (stop.asked, stop.at_once) == (True, True)

    assert capfd.readouterr().err.count("stopping: matches in play are finished") == 1


def test_afterwards_signals_do_what_they_did(capfd: pytest.CaptureFixture[str]) -> None:
    before = [signal.getsignal(number) for number in ASKING]
    with interrupts(Stop()):
        assert [signal.getsignal(number) for number in ASKING] != before

    assert [signal.getsignal(number) for number in ASKING] == before
    assert capfd.readouterr().err == ""


def test_a_hangup_that_is_ignored_stops_nothing() -> None:
    stop = Stop()
    with handled(signal.SIGHUP, signal.SIG_IGN), interrupts(stop):
        signal.raise_signal(signal.SIGHUP)

    assert not stop.asked
