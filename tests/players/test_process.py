import json
import os
import time
from pathlib import Path

import pytest

from arena.errors import BotFault, FaultCode
from arena.players import strays
from arena.players.process import BotProcess, Program
from arena.players.surroundings import environment
from arena.players.tier import Tier
from arena.referee.limits import Limits
from arena.wire.messages import MAX_LINE_BYTES
from tests.bot_processes import Start, descendants, running

QUESTION = b'{"type":"act","id":7,"legal_actions":[{"type":"go"}]}\n'
ANSWER = b'{"type":"action","id":7,"action":{"type":"go"}}'

pytestmark = pytest.mark.slow


def test_a_bot_answers_a_question(start: Start) -> None:
    bot = start("answer(hear())")

    assert bot.ask(QUESTION, 5000) == ANSWER


SAYS = f"hear(); raw({ANSWER!r} + "

FAULTS = [
    ("sys.exit(3)", FaultCode.EXITED, "exited with status 3"),
    ("sys.exit(0)", FaultCode.EXITED, "exited with status 0"),
    ("os.kill(os.getpid(), 9)", FaultCode.EXITED, "was ended by SIGKILL"),
    ("os.kill(os.getpid(), 62)", FaultCode.EXITED, "was ended by signal 62"),
    ("hear(); os.close(0); sys.exit(1)", FaultCode.EXITED, "exited with status 1"),
    (SAYS + "b''); sys.exit(0)", FaultCode.EXITED, "exited with status 0"),
    ("time.sleep(60)", FaultCode.TIMEOUT, "wrote nothing in time"),
    ("os.kill(os.getpid(), signal.SIGSTOP)", FaultCode.TIMEOUT, "wrote nothing in time"),
    ("os.close(0); time.sleep(60)", FaultCode.TIMEOUT, "wrote nothing in time"),
    (SAYS + "b''); time.sleep(60)", FaultCode.TIMEOUT, "it began one and did not end it"),
    ("while True: pass", FaultCode.TIMEOUT, "wrote nothing in time"),
    ("print('hello'); time.sleep(60)", FaultCode.TIMEOUT, "does not flush its output"),
    (
        "while True: raw(b'x'); time.sleep(0.02)",
        FaultCode.TIMEOUT,
        "it began one and did not end it",
    ),
    ("hear(); raw(b'x' * 70_000); time.sleep(60)", FaultCode.BAD_MESSAGE, "longer than 65536"),
    ("hear(); raw(b'x' * 65_537 + b'\\n'); time.sleep(60)", FaultCode.BAD_MESSAGE, "longer than"),
    ("hear()\nwhile True: raw(b'x' * 65_536)", FaultCode.BAD_MESSAGE, "longer than 65536"),
    ("raise MemoryError", FaultCode.OUT_OF_MEMORY, "ran out of memory (512 MiB)"),
    ("bytearray(1 << 30)", FaultCode.OUT_OF_MEMORY, "exited with status 1"),
    (
        "hold = []\nwhile True: hold.append(bytearray(50_000_000))",
        FaultCode.OUT_OF_MEMORY,
        "ran out of memory",
    ),
]


@pytest.mark.parametrize(("body", "code", "text"), FAULTS)
def test_misbehaviour_is_named(start: Start, body: str, code: FaultCode, text: str) -> None:
    bot = start(body)

    with pytest.raises(BotFault) as fault:
        bot.ask(QUESTION, 5000 if code is not FaultCode.TIMEOUT else 400)

    assert (fault.value.code, text in fault.value.text) == (code, True), fault.value.text


def test_an_answer_behind_a_line_that_is_too_long_is_none(start: Start) -> None:
    bot = start(f"hear(); raw(b' ' * 200_000 + {ANSWER!r} + b'\\n' + {ANSWER!r} + b'\\n'); hear()")

    with pytest.raises(BotFault, match="bad_message: a line is longer than 65536 bytes"):
        bot.ask(QUESTION, 5000)


def test_a_bot_that_closes_its_output_is_found_out(start: Start) -> None:
    bot = start("os.close(1); time.sleep(60)")

    with pytest.raises(BotFault) as fault:
        bot.ask(QUESTION, 2000)

    # A sandbox holds the other end of the pipe open, so there only the clock tells.
    expected = {Tier.NONE: "closed its output", Tier.BWRAP: "wrote nothing in time"}
    assert expected[start.tier] in fault.value.text


def test_a_program_that_is_not_there_fails_at_its_first_question(tmp_path: Path) -> None:
    bot = BotProcess(Program(argv=(str(tmp_path / "nothing"),), folder=tmp_path), Limits())

    with pytest.raises(BotFault, match="start_failed: could not be started: No such file"):
        bot.ask(QUESTION, 5000)
    bot.stop(0)


def test_a_program_that_may_not_be_executed_fails_at_its_first_question(tmp_path: Path) -> None:
    script = tmp_path / "bot"
    script.write_text("#!/bin/sh\n")
    bot = BotProcess(Program(argv=(str(script),), folder=tmp_path), Limits())

    with pytest.raises(BotFault, match="start_failed: could not be started: Permission denied"):
        bot.ask(QUESTION, 5000)
    bot.stop(0)


def test_a_line_of_exactly_the_cap_is_accepted(start: Start) -> None:
    bot = start(f"hear(); raw(b'x' * {MAX_LINE_BYTES} + b'\\n'); hear()")

    assert len(bot.ask(QUESTION, 5000)) == MAX_LINE_BYTES


def test_what_a_bot_writes_unasked_is_taken_for_its_next_answer(start: Start) -> None:
    bot = start("raw(b'early\\n'); hear(); raw(b'late\\n'); hear()")
    bot.start()
    deadline = time.monotonic() + 5
    while not bot.unasked() and time.monotonic() < deadline:
        pass

    assert bot.ask(QUESTION, 5000) == b"early"


def test_it_makes_no_difference_when_a_second_line_is_written(start: Start) -> None:
    bot = start(f"hear(); raw({ANSWER!r} + b'\\n'); time.sleep(0.05); raw(b'more\\n'); hear()")

    assert bot.ask(QUESTION, 5000) == ANSWER
    assert bot.ask(QUESTION, 5000) == b"more"


def test_nothing_of_a_bot_runs_before_its_first_question(start: Start) -> None:
    bot = start("answer(hear())")

    assert bot.pid == 0
    assert bot.ask(QUESTION, 5000) == ANSWER
    assert bot.pid > 0


def test_what_began_a_late_line_is_kept(start: Start) -> None:
    bot = start('raw(b\'{"id":1,"mo\'); time.sleep(60)')
    bot.start()
    deadline = time.monotonic() + 5
    while not bot.unasked() and time.monotonic() < deadline:
        pass

    with pytest.raises(BotFault) as fault:
        bot.ask(QUESTION, 200)

    assert fault.value.offending == b'{"id":1,"mo'


def test_standard_error_is_drained_while_a_bot_thinks_and_kept_at_both_ends(start: Start) -> None:
    bot = start("hear(); os.write(2, b'first' + b'.' * 900_000 + b'last'); raw(b'go\\n'); hear()")

    assert bot.ask(QUESTION, 5000) == b"go"
    bot.stop(1000)
    assert bot.stderr.startswith(b"first")
    assert bot.stderr.endswith(b"last")
    assert b"bytes dropped" in bot.stderr
    assert len(bot.stderr) < 9_000


def test_a_bot_that_closes_standard_error_still_plays(start: Start) -> None:
    bot = start("os.close(2); answer(hear()); answer(hear())")

    assert bot.ask(QUESTION, 5000) == ANSWER
    assert bot.ask(QUESTION, 5000) == ANSWER


def test_a_bot_that_never_reads_cannot_block_the_referee(start: Start) -> None:
    bot = start("os.write(2, b'x' * 200_000); time.sleep(60)")
    began = time.monotonic()

    with pytest.raises(BotFault, match="timeout: did not read its input in time"):
        bot.ask(b"x" * 1_000_000, 300)

    assert time.monotonic() - began < 3


def test_a_bot_that_is_slow_to_read_gets_all_of_a_long_line(start: Start) -> None:
    bot = start("os.close(2); raw(str(len(sys.stdin.buffer.readline())).encode() + b'\\n')")

    assert bot.ask(b"x" * 999_999 + b"\n", 5000) == b"1000000"


def test_a_child_that_keeps_the_output_open_does_not_hide_the_exit(start: Start) -> None:
    bot = start("hear(); subprocess.Popen(['sleep', '600']); os._exit(5)")
    began = time.monotonic()

    with pytest.raises(BotFault, match="exited with status 5"):
        bot.ask(QUESTION, 20_000)

    assert time.monotonic() - began < 5


STUBBORN = [
    "signal.signal(signal.SIGTERM, signal.SIG_IGN); say(); time.sleep(60)",
    "subprocess.Popen(['sleep', '600']); say(); sys.exit(0)",
    "subprocess.Popen(['sleep', '600'], start_new_session=True); say(); time.sleep(60)",
    """
    reads, writes = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.write(writes, b"x")
            time.sleep(600)
        os._exit(0)
    os.read(reads, 1)
    say()
    os._exit(0)
    """,
]


@pytest.mark.parametrize("body", STUBBORN)
def test_nothing_of_a_bot_is_left_after_it_is_stopped(start: Start, body: str) -> None:
    before = descendants(os.getpid())
    bot = start(body)
    bot.ask(b"\n", 5000)
    started = descendants(os.getpid()) - before
    began = time.monotonic()

    bot.stop(0)

    assert time.monotonic() - began < 3
    assert started
    assert [pid for pid in started if running(pid)] == []


def test_stopping_twice_is_stopping_once(start: Start) -> None:
    bot = start("time.sleep(60)")

    bot.stop(0)
    bot.stop(0)

    bot.tell(b"x\n")
    assert bot.unasked() == b""


def test_stopped_bots_leave_no_descriptor_no_scratch_folder_and_no_entry(start: Start) -> None:
    # The first bot of a process brings the guard, which stays.
    first = start("hear()")
    first.start()
    first.stop(0)
    before = len(list(Path("/proc/self/fd").iterdir()))
    bot = start("say(home=os.environ['HOME']); hear()")
    home = json.loads(bot.ask(b"\n", 5000))["home"]

    bot.stop(1000)

    assert start.tier is Tier.BWRAP or not Path(home).exists()
    assert len(list(Path("/proc/self/fd").iterdir())) == before
    assert not strays.live


def test_what_a_bot_wrote_and_closed_to_all_is_removed(start: Start) -> None:
    bot = start(
        """
        home = os.environ["HOME"]
        os.makedirs(home + "/closed/inner")
        os.chmod(home + "/closed", 0)
        say(home=home); hear()
        """
    )
    home = json.loads(bot.ask(b"\n", 5000))["home"]

    bot.stop(1000)

    assert start.tier is Tier.BWRAP or not Path(home).exists()


def test_processor_time_is_counted(start: Start) -> None:
    bot = start("end = time.process_time() + 0.1\nwhile time.process_time() < end: pass")
    bot.start()

    bot.stop(5000)

    assert bot.cpu_ms >= 100


def test_the_environment_of_a_bot_holds_nothing_of_ours(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_OF_THE_OPERATOR", "1")
    bot = start("say(**os.environ)")

    seen = json.loads(bot.ask(b"\n", 5000))

    expected = environment(seen["HOME"], Limits())
    assert {name: seen[name] for name in expected} == expected
    # What the interpreter and bubblewrap may set, and nothing else.
    assert seen.keys() - expected.keys() <= {"LC_CTYPE", "PWD"}


def test_a_bot_inherits_three_descriptors_and_no_more(start: Start) -> None:
    secret = os.open("/dev/null", os.O_RDONLY)
    os.set_inheritable(secret, True)
    bot = start("say(fds=sorted(int(name) for name in os.listdir('/proc/self/fd')))")

    seen = json.loads(bot.ask(b"\n", 5000))["fds"]
    os.close(secret)

    # The fourth is the listing's own.
    assert seen[:3] == [0, 1, 2]
    assert len(seen) == 4


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ("open(os.environ['HOME'] + '/big', 'wb').write(b'x' * (17 << 20))", "File too large"),
        ("hold = [os.open('/dev/null', 0) for _ in range(300)]", "Too many open files"),
    ],
)
def test_files_are_limited(start: Start, body: str, error: str) -> None:
    bot = start(f"signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n{body}")

    with pytest.raises(BotFault, match="exited with status 1"):
        bot.ask(QUESTION, 5000)

    assert error in bot.stderr.decode()


def test_what_a_bot_writes_unasked_can_be_listened_to(start: Start) -> None:
    bot = start("answer(hear()); raw(b'more\\n'); hear()")
    bot.ask(QUESTION, 5000)

    assert not bot.listen(5000, for_a_line=True)

    assert bot.unasked() == b"more\n"


def test_a_bot_that_is_listened_to_learns_that_its_input_ends(start: Start) -> None:
    bot = start("answer(hear()); raw(b'more'); hear()")
    bot.ask(QUESTION, 5000)

    assert bot.listen(5000, end_input=True)

    assert bot.unasked() == b"more"
    bot.stop(0)
    assert bot.status == 0


def test_of_a_bot_that_is_listened_to_no_more_than_a_line_is_kept(start: Start) -> None:
    bot = start("answer(hear()); [raw(b'x' * 65_536) for _ in range(100)]; sys.exit(3)")
    bot.ask(QUESTION, 5000)

    assert bot.listen(5000)

    assert MAX_LINE_BYTES < len(bot.unasked()) < 4 * MAX_LINE_BYTES
    bot.stop(0)
    assert bot.status == 3


def test_a_bot_that_never_started_is_gone(tmp_path: Path) -> None:
    bot = BotProcess(Program(argv=(str(tmp_path / "nothing"),), folder=tmp_path), Limits())

    assert bot.listen(5000, end_input=True)
    assert bot.status is None
