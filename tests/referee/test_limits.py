import msgspec
import pytest

from arena.referee.limits import BOUNDS, UNCLOCKED_MS, Limits, told


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
