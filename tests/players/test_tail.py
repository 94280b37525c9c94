from hypothesis import given
from hypothesis import strategies as st

from arena.players.tail import STDERR_LINES, TRACEBACK_LINES, Tail, last_lines, was_cut

HEAD = "Traceback (most recent call last):"
FRAME = ('  File "bot.py", line 3, in choose', "    return legal[99]", "           ~~~~~^^^^")
END = "IndexError: list index out of range"


def test_what_fits_is_kept_whole() -> None:
    tail = Tail(4, 4)
    tail.add(b"abc")
    tail.add(b"defgh")

    assert tail.text() == b"abcdefgh"
    assert not was_cut(tail.text())


def test_the_middle_is_dropped_and_counted() -> None:
    tail = Tail(2, 3)
    tail.add(b"abcdefgh")

    assert tail.text() == b"ab\n[... 3 bytes dropped ...]\nfgh"
    assert was_cut(tail.text())


def test_what_was_forgotten_takes_no_room() -> None:
    tail = Tail(2, 3)
    tail.add(b"abcdefgh")

    tail.clear()
    tail.add(b"klmno")

    assert tail.text() == b"klmno"


@given(chunks=st.lists(st.binary(max_size=40)))
def test_the_ends_do_not_depend_on_how_the_text_was_cut(chunks: list[bytes]) -> None:
    pieces, whole = Tail(10, 20), Tail(10, 20)
    for chunk in chunks:
        pieces.add(chunk)
    whole.add(b"".join(chunks))

    assert pieces.text() == whole.text()


def test_of_a_long_log_the_last_lines_are_shown() -> None:
    assert last_lines("".join(f"{number}\n\n" for number in range(100))) == [
        str(number) for number in range(100 - STDERR_LINES, 100)
    ]


def test_a_traceback_is_shown_from_its_beginning_on() -> None:
    first = [HEAD, *FRAME, "KeyError: 1", "During handling …", "thinking"]
    last = [HEAD, *FRAME * 4, END]

    assert last_lines("\n".join([*first, *last])) == last
    assert last_lines("\n".join([*first, *last]).encode()) == last


def test_a_traceback_too_long_to_show_begins_with_a_frame() -> None:
    log = [HEAD, *FRAME * TRACEBACK_LINES, END]

    assert last_lines("\n".join(log)) == [*FRAME * 2, END]


def test_what_a_bot_went_on_to_log_is_shown_without_a_traceback_long_before_it() -> None:
    after = [str(number) for number in range(TRACEBACK_LINES)]

    assert last_lines("\n".join([HEAD, *FRAME, END, *after])) == after[-STDERR_LINES:]


def test_a_line_that_the_reader_knows_is_left_out() -> None:
    assert last_lines("thinking\narena: timeout: late\n", "arena: timeout: late") == ["thinking"]


def test_what_is_shown_of_a_log_cannot_act_on_a_terminal() -> None:
    assert last_lines(b"\x1b[2J\xff" + b"x" * 500)[0].startswith("\\x1b[2J\\xffxx")
