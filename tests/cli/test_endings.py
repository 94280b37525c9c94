import msgspec
import pytest

from arena.cli.endings import print_ending
from arena.cli.render import Format
from arena.referee.record import MatchRecord
from tests.records import played_record


def faulty() -> MatchRecord:
    """Return a match in which seat 1 logged something and exited."""
    record = played_record("donburiko", "standard", 3, 0, {1: 1})
    measured = msgspec.structs.replace(record.measured, stderr=("fine", "oh\x1b\n\nno", "fine"))
    return msgspec.structs.replace(record, measured=measured)


@pytest.mark.parametrize("seat", [None, 1])
def test_a_fault_is_told_with_what_the_bot_had_logged(
    seat: int | None, capsys: pytest.CaptureFixture[str]
) -> None:
    print_ending(faulty(), Format.TABLE, seat)

    said = capsys.readouterr()
    assert "exited: exited with status 1" in said.out
    assert said.err.splitlines()[1:] == [
        "seat 1 bot1 wrote to standard error:",
        "  | oh\\x1b",
        "  | no",
    ]


def test_what_to_do_about_a_fault_is_said_behind_the_log(
    capsys: pytest.CaptureFixture[str],
) -> None:
    record = faulty()
    (fault,) = record.faults
    fault = msgspec.structs.replace(fault, code="timeout", text="wrote nothing in time")
    log = "loading\narena: timeout: wrote nothing in time\n"
    measured = msgspec.structs.replace(record.measured, stderr=("", log, ""))

    print_ending(msgspec.structs.replace(record, faults=(fault,), measured=measured), Format.TABLE)

    assert capsys.readouterr().err.splitlines()[2:] == [
        "  | loading",
        "seat 1 bot1: a decision may take 1000 ms: --move-ms, or move_ms in an arena.toml, sets it",
    ]


def test_a_seat_is_not_told_why_another_one_was_closed(capsys: pytest.CaptureFixture[str]) -> None:
    print_ending(faulty(), Format.TABLE, 0)

    said = capsys.readouterr()
    assert "exited" not in said.out
    assert len(said.err.splitlines()) == 1
