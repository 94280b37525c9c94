import io
import os
import signal
import sys
import threading

import pytest

from arena.cli.prompt import Prompt
from arena.errors import UsageError


@pytest.mark.parametrize(
    ("typed", "answers"),
    [
        (b"one\ntwo", ["one", "two", None]),
        (b"\n \xff\xfe\r\n", ["", "\ufffd\ufffd", None]),
        (b"x" * 1500 + b"\n", ["x" * 1024, "x" * 476, None]),
        (b"", [None, None]),
    ],
)
def test_lines_are_answers_until_there_are_no_more(
    typed: bytes, answers: list[str | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(typed)))
    prompt = Prompt()

    assert [prompt.ask("? ") for _ in answers] == answers


def test_what_comes_through_a_pipe_is_shown_and_cannot_act_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\x1b[2J\n")))

    Prompt(err=True).ask("which? ")

    assert capsys.readouterr() == ("", "which? \\x1b[2J\n")


def test_a_pipe_that_never_says_anything_of_use_is_not_asked_forever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"0\n")))
    prompt = Prompt()

    prompt.check_patience(19)
    with pytest.raises(UsageError, match="gave 20 answers in a row that are no action"):
        prompt.check_patience(20)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    prompt.check_patience(20)


def test_ctrl_c_ends_a_question_and_answers_all_that_follow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read, write = os.pipe()
    monkeypatch.setattr(sys, "stdin", os.fdopen(read, encoding="utf-8"))
    prompt = Prompt()
    main = threading.main_thread().ident
    assert main is not None

    with prompt.minding_interrupts(), os.fdopen(write, "wb"):
        threading.Timer(0.05, signal.pthread_kill, (main, signal.SIGINT)).start()
        assert prompt.ask("? ") is None
        assert prompt.ask("? ") is None
    sys.stdin.close()


def test_between_questions_the_first_ctrl_c_waits_and_the_second_interrupts(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"one\n")))
    prompt = Prompt()

    with prompt.minding_interrupts():
        signal.raise_signal(signal.SIGINT)
        assert prompt.ask("? ") is None
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)

    assert "you resign at your next turn (Ctrl-C once more: at once" in capfd.readouterr().err


def test_afterwards_ctrl_c_means_what_it_did_before() -> None:
    before = signal.getsignal(signal.SIGINT)

    with Prompt().minding_interrupts():
        assert signal.getsignal(signal.SIGINT) is not before

    assert signal.getsignal(signal.SIGINT) is before
