import msgspec
import pytest

from arena.errors import UsageError
from arena.referee.limits import BOUNDS, UNCLOCKED_MS, Limits, check_slot, told


def test_a_bot_is_told_of_all_limits_but_those_of_a_match() -> None:
    limits = Limits(memory_mb=77)
    held = told(limits)
    assert held is not None

    said = msgspec.structs.asdict(held)

    assert said == {name: getattr(limits, name) for name in said}
    assert set(BOUNDS) - said.keys() == {"move_ms", "extra_ms", "slot_ms"}
    assert told(None) is None


def test_the_usual_limits_lie_within_their_bounds() -> None:
    usual = msgspec.structs.asdict(Limits())

    assert usual.keys() == BOUNDS.keys()
    assert [
        name for name, (least, most) in BOUNDS.items() if not least <= usual[name] <= most
    ] == []


@pytest.mark.parametrize("value", ["0", "-1", "0.5", "true", "1e3", "3600001", '"1000"', "null"])
def test_a_record_has_whole_numbers_within_bounds(value: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(f'{{"move_ms":{value}}}', type=Limits)


def test_no_clock_is_no_more_than_poll_can_wait() -> None:
    assert BOUNDS["move_ms"][1] + BOUNDS["extra_ms"][1] < UNCLOCKED_MS < 2**31


@pytest.mark.parametrize("limits", [Limits(), Limits(slot_ms=1000), Limits(move_ms=1, slot_ms=2)])
def test_a_slot_lasts_as_long_as_a_decision_may(limits: Limits) -> None:
    assert check_slot(limits) is limits


@pytest.mark.parametrize("limits", [Limits(slot_ms=999), Limits(slot_ms=1000, extra_ms=1)])
def test_a_slot_that_a_decision_can_outlast_is_refused(limits: Limits) -> None:
    with pytest.raises(UsageError, match="shorter than a decision may be") as refusal:
        check_slot(limits)

    assert f"({limits.move_ms + limits.extra_ms} ms, extra time included)" in str(refusal.value)
