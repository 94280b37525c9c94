from hypothesis import given
from hypothesis import strategies as st

from arena.players.tail import Tail


def test_what_fits_is_kept_whole() -> None:
    tail = Tail(4, 4)
    tail.add(b"abc")
    tail.add(b"defgh")

    assert tail.text() == b"abcdefgh"


def test_the_middle_is_dropped_and_counted() -> None:
    tail = Tail(2, 3)
    tail.add(b"abcdefgh")

    assert tail.text() == b"ab\n[... 3 bytes dropped ...]\nfgh"


@given(chunks=st.lists(st.binary(max_size=40)))
def test_the_ends_do_not_depend_on_how_the_text_was_cut(chunks: list[bytes]) -> None:
    pieces, whole = Tail(10, 20), Tail(10, 20)
    for chunk in chunks:
        pieces.add(chunk)
    whole.add(b"".join(chunks))

    assert pieces.text() == whole.text()
