"""What runtimes say when they come up against a limit, as they said it in trials."""

import shutil
import signal
from pathlib import Path

import pytest

from arena.errors import BotFault, FaultCode
from arena.players.process import BotProcess, Program
from arena.players.sandbox import isolation
from arena.players.verdicts import Held, exit_fault, limit_hit, not_started
from arena.referee.limits import Limits
from tests.bot_processes import Start

QUESTION = b'{"type":"act","id":7}\n'

LAST_WORDS = {
    Held.MEMORY: """
Traceback (most recent call last): | MemoryError
numpy.core._exceptions._ArrayMemoryError: Unable to allocate 7.45 GiB for an array
OSError: [Errno 12] Cannot allocate memory
terminate called after throwing an instance of 'std::bad_alloc' |   what():  std::bad_alloc
FATAL ERROR: Reached heap limit - JavaScript heap out of memory | -- Native stack trace -- | 1: 0xca
node:internal/buffer:1063 | RangeError: Array buffer allocation failed | Node.js v20.20.2
Exception in thread "main" java.lang.OutOfMemoryError: Java heap space | at M.main(M.java:4)
# There is insufficient memory for the Java Runtime Environment to continue.
memory allocation of 8589934592 bytes failed
fatal error: runtime: out of memory
""",
    Held.PROCESSES: """
RuntimeError: can't start new thread
BlockingIOError: [Errno 11] Resource temporarily unavailable
an instance of 'std::system_error' |   what():  Resource temporarily unavailable
fork: Resource temporarily unavailable
bash: fork: retry: Resource temporarily unavailable
bot.sh: 3: Cannot fork
java.lang.OutOfMemoryError: unable to create native thread: possibly out of memory | at M.java:5
node:internal/worker:297 | Error: EAGAIN |   code: 'ERR_WORKER_INIT_FAILED' | }
Error: spawn sleep EAGAIN |   errno: -11, |   code: 'EAGAIN'
#  Assertion failed: (0) == (uv_thread_create(t.get(), start_thread, this))
runtime: failed to create new OS thread (have 5 already; errno=11)
""",
    Held.OPEN_FILES: """
OSError: [Errno 24] Too many open files: '/dev/null'
Error: EMFILE: too many open files, open '/dev/null' |   errno: -24,
java.io.FileNotFoundException: /dev/null (Too many open files)
""",
    Held.FILE_SIZE: """
OSError: [Errno 27] File too large
Error: EFBIG: file too large, write |   errno: -27,
Exception in thread "main" java.io.IOException: File too large
""",
    Held.DISK: """
OSError: [Errno 28] No space left on device
Error: ENOSPC: no space left on device, write |   errno: -28,
Exception in thread "main" java.io.IOException: No space left on device
""",
}
"""One a line, their own lines set apart by a bar."""


@pytest.mark.parametrize(
    ("held", "words"),
    [(held, words) for held, lines in LAST_WORDS.items() for words in lines.strip().split("\n")],
)
def test_the_limit_that_a_bot_hit_is_told_from_its_last_words(held: Held, words: str) -> None:
    log = "\n".join(["thinking ...", *words.split(" | "), ""]).encode()

    assert limit_hit(1, log) is held
    assert limit_hit(-int(signal.SIGABRT), log) is held


def test_a_bot_that_is_ended_for_its_file_need_not_say_so() -> None:
    assert limit_hit(-int(signal.SIGXFSZ), b"") is Held.FILE_SIZE


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (0, "MemoryError"),
        (3, ""),
        (1, "KeyError: 'no such column'"),
        (1, "BlockingIOError: [Errno 115] Operation now in progress"),
        (1, "pipe: Resource temporarily unavailable"),
        (-9, "I have a good memory, files and threads"),
    ],
)
def test_other_ends_are_put_down_to_no_limit(status: int, words: str) -> None:
    assert limit_hit(status, words.encode()) is None


def test_what_a_bot_says_last_counts() -> None:
    log = b"MemoryError\n(handled)\nOSError: [Errno 24] Too many open files\n"

    assert limit_hit(1, log) is Held.OPEN_FILES


@pytest.mark.parametrize(
    ("held", "isolated", "unheld"),
    [
        (None, "exited: exited with status 1", "exited: exited with status 1"),
        (Held.MEMORY, *["out_of_memory: ran out of memory (512 MiB) and exited with status 1"] * 2),
        (
            Held.PROCESSES,
            "exited: exited with status 1 at its limit of 64 processes",
            "exited: exited with status 1",
        ),
        (Held.OPEN_FILES, *["exited: exited with status 1 at its limit of 256 open files"] * 2),
        (Held.FILE_SIZE, *["exited: exited with status 1 at its limit of a file of 16 MiB"] * 2),
        (
            Held.DISK,
            "exited: exited with status 1 at its limit of 64 MiB of files",
            "exited: exited with status 1",
        ),
    ],
)
def test_each_limit_has_a_text_of_its_own(held: Held | None, isolated: str, unheld: str) -> None:
    faults = [exit_fault(1, held, Limits(), b"", isolated=there) for there in (True, False)]

    assert [str(fault) for fault in faults] == [isolated, unheld]


def test_without_limits_none_is_named() -> None:
    fault = exit_fault(-11, Held.MEMORY, None, b"half", isolated=True)

    assert (fault.code, fault.text, fault.offending) == (
        FaultCode.EXITED,
        "was ended by SIGSEGV",
        b"half",
    )


def test_a_program_that_cannot_be_executed_is_told_from_one_that_exits() -> None:
    said = b"setpriv: failed to execute /home/ann/bot: Exec format error\n"

    assert not_started(126, said) == "could not be started: Exec format error"
    assert not_started(127, said.replace(b"setpriv", b"prlimit")).endswith("Exec format error")
    assert not_started(1, said) == ""
    assert not_started(127, b"sh: 1: stockfish: not found\n") == ""


@pytest.mark.slow
def test_a_program_without_its_interpreter_fails_to_start_in_each_tier(
    start: Start, tmp_path: Path
) -> None:
    bot = BotProcess(script(tmp_path, "#!/no/such/interpreter\n"), Limits(), start.tier)
    start.started.append(bot)

    with pytest.raises(BotFault) as fault:
        bot.ask(QUESTION, 5000)

    assert str(fault.value) == "start_failed: could not be started: No such file or directory"


def script(folder: Path, text: str, *before: str) -> Program:
    home = folder / "bot"
    home.mkdir()
    path = home / "bot"
    path.write_text(text)
    path.chmod(0o755)
    return Program((*before, str(path)), home)


NODE = {
    "const a = []; for (;;) a.push(Buffer.alloc(50000000, 1))": "ran out of memory (256 MiB)",
    "for (;;) fs.openSync('/dev/null')": "at its limit of 64 open files",
    "const f = fs.openSync(big, 'w'); for (;;) fs.writeSync(f, Buffer.alloc(1 << 20))": (
        "at its limit of a file of 2 MiB"
    ),
    "for (let n = 0; n < 9; n++) fs.writeFileSync(big + n, Buffer.alloc(1 << 20))": (
        "at its limit of 4 MiB of files"
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize(("body", "said"), NODE.items())
def test_a_bot_for_node_is_told_its_limit(tmp_path: Path, body: str, said: str) -> None:
    node = shutil.which("node")
    if node is None or isolation().lacking:
        pytest.skip("node is not installed, or there is no sandbox")
    text = f"const fs = require('fs'), big = process.env.HOME + '/big'; {body}"
    limits = Limits(memory_mb=256, open_files=64, file_mb=2, tmp_mb=4)
    bot = BotProcess(script(tmp_path, text, node), limits, isolation().tier)

    try:
        with pytest.raises(BotFault) as fault:
            bot.ask(QUESTION, 20_000)
    finally:
        bot.stop(0)

    assert said in fault.value.text, bot.stderr
