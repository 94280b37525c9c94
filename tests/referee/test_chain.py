import hashlib

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import RecordError
from arena.referee.chain import first_link, head, next_link, record_digest
from arena.referee.record import encode_record
from arena.tournament.key import canonical_json
from tests.records import played_record

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abzAB_"), inner),
)


@given(fields=st.dictionaries(st.text("abzAB_"), VALUES, max_size=4))
def test_the_digest_is_taken_of_canonical_json_without_what_was_measured(
    fields: dict[str, object],
) -> None:
    line = msgspec.json.encode({**fields, "measured": {"ms": 1.5}})

    assert record_digest(line) == hashlib.sha256(canonical_json(fields)).digest()


def test_a_link_binds_the_one_before_and_the_first_one_the_tournament() -> None:
    line = encode_record(played_record("donburiko", "standard", 2, 0, {}))

    first = next_link(first_link("spring-1"), record_digest(line))

    assert head("spring-1", [line]) == first.hex()
    assert head("spring-1", [line, line]) == next_link(first, record_digest(line)).hex()
    assert head("spring-1", []) == hashlib.sha256(b"spring-1").hexdigest()
    assert head("spring-2", [line]) != first.hex()


@pytest.mark.parametrize("line", [b"", b"[]", b"{", b'{"a":' * 3000, b"\xff"])
def test_what_is_no_record_has_no_digest(line: bytes) -> None:
    with pytest.raises(RecordError, match="a record is not JSON"):
        record_digest(line)
