"""One bot's three pipes: bytes and time, and nothing of messages or games.

Raw non-blocking descriptors, one `poll`, one absolute deadline a question: a bot that trickles,
floods, stalls or never reads costs its own time and nothing else.
"""

import contextlib
import math
import os
import select
import time
from collections.abc import Callable

from arena.errors import BotFault, FaultCode
from arena.players.tail import Tail
from arena.wire.messages import MAX_LINE_BYTES

_CHUNK = 64 * 1024
_ANSWER = 4096
"""As much as is read at first: most answers are shorter by far."""

_LAST_CHUNKS = 16
_TELL_S = 0.25
"""How long a line without an answer may wait for room in the pipe."""

_FIRST_LOOK_S = 0.002
_LOOK_S = 0.05
_OF_BUDGET = 4
"""When a question that is still open is looked after, first and from then on; at least so often."""

_PROMPT_MS = int(_FIRST_LOOK_S * 1000)

_ABSENT_S = 0.01
"""Going on so much later than meant means that arena itself was kept from running."""


class LineChannel:
    """Standard input, output and error of a bot's process.

    The channel owns the three descriptors and closes them.
    """

    def __init__(
        self, to_bot: int, from_bot: int, log: int, gone: int, kept: Tail | None = None
    ) -> None:
        """Take over the descriptors.

        Args:
            to_bot: writes to the bot's standard input.
            from_bot: reads its standard output.
            log: reads its standard error.
            gone: becomes readable when the process has exited; not owned.
            kept: what keeps of standard error what is to be kept.
        """
        for descriptor in (to_bot, from_bot, log):
            os.set_blocking(descriptor, False)
        self._resume: Callable[[], None] = _nothing
        self._look: Callable[[], None] = _nothing
        self._more: Callable[[float, float], float] = _no_more
        self._look_after_s = math.inf
        self._to_bot = to_bot
        self._from_bot = from_bot
        self._log = log
        self._gone = gone
        self._log_open = True
        self._look_at: float = math.inf
        self._budget_s = self._deadline = self._awake_at = self._absent_s = 0.0
        self._asked = self._overtime = self._waited = False
        self._pending = bytearray()
        self._answered = [(from_bot, select.POLLIN)]
        """What `poll` returns when the bot has written output, and nothing else has happened."""

        self._poll = select.poll()
        for descriptor in (from_bot, log, gone):
            self._poll.register(descriptor, select.POLLIN)
        self.stderr = kept or Tail()

    def ask(self, line: bytes, budget_ms: int) -> bytes:
        """Send ``line`` and return the next line of the bot, without its LF.

        Raises:
            BotFault: as `arena.referee.player.Player.ask` has it.
        """
        self._begin(budget_ms / 1000)
        # What it wrote since its last answer, unasked, is now taken for the answer: whether it was
        # there before the question is a matter of chance, and must not make a difference.
        if not self._send(line):
            raise BotFault(FaultCode.TIMEOUT, "did not read its input in time")
        # Only now, so that it wakes up once.
        self._resume()
        if not self._waited:
            # It has had none of the time until now, which is long if arena itself was stopped.
            self._deadline = time.monotonic() + self._budget_s
            if not self._pending and (answer := self._prompt(budget_ms)) is not None:
                return answer
        return self._receive()

    def tell(self, line: bytes) -> None:
        """Send ``line`` as far as the bot takes it at once; one that is gone is no matter."""
        self._begin(_TELL_S)
        self._look_at, self._asked = math.inf, False
        with contextlib.suppress(BotFault):
            self._send(line)

    def attend(
        self,
        resume: Callable[[], None],
        look: Callable[[], None],
        more: Callable[[float, float], float],
    ) -> None:
        """Have the process looked after.

        Args:
            resume: lets it run; called when it has something to read.
            look: sees to it while a question is open, every now and then. It may raise `BotFault`,
                and the question is not waited for any longer.
            more: (time for the question, time that arena itself did not run meanwhile) -> more
                time for it, all in seconds; called at its deadline. It may raise `HostFault`.
        """
        self._resume, self._look, self._more = resume, look, more
        self._look_after_s = _FIRST_LOOK_S

    def watch(self, gone: int) -> None:
        """From now on take ``gone`` for what becomes readable when the process has exited."""
        self._poll.unregister(self._gone)
        self._poll.register(gone, select.POLLIN)
        self._gone = gone

    def unasked(self) -> bytes:
        """Return what the bot has written that no question has taken for an answer yet."""
        self._read()
        return bytes(self._pending)

    def drain(self, until: float) -> bool:
        """Read standard error until the process is gone; return whether it went before ``until``.

        Args:
            until: an instant of `time.monotonic`.
        """
        gone = False
        while not gone and (left := until - time.monotonic()) > 0:
            ready = self._poll.poll(left * 1000)
            gone = any(descriptor == self._gone for descriptor, _ in ready)
            for descriptor, _ in ready:
                if descriptor == self._log:
                    self._read_log()
                elif descriptor == self._from_bot:
                    self._skip_output()
        return gone

    def listen(self, until: float, *, for_a_line: bool = False) -> bool:
        """Take note of what the bot writes unasked; return whether it went before ``until``.

        Args:
            until: an instant of `time.monotonic`.
            for_a_line: be done once there is a whole line.
        """
        gone = False
        while not gone and (left := until - time.monotonic()) > 0:
            if for_a_line and b"\n" in self._pending:
                break
            ready = {descriptor for descriptor, _ in self._poll.poll(left * 1000)}
            gone = self._gone in ready
            if self._log in ready:
                self._read_log()
            if self._from_bot in ready and (self._is_full or not self._read()):
                self._skip_output()
        # What a process that is gone has left in the pipe is read to its end.
        while gone and not self._is_full and self._read():
            pass
        return gone

    @property
    def _is_full(self) -> bool:
        return len(self._pending) > MAX_LINE_BYTES

    def end_input(self) -> None:
        """Close the bot's standard input, so that it reads the end of the file."""
        if self._to_bot >= 0:
            os.close(self._to_bot)
            self._to_bot = -1

    def close(self) -> None:
        """Close all; what standard error still holds is kept."""
        self.end_input()
        if self._from_bot >= 0:
            with contextlib.suppress(BlockingIOError):
                # A pipe holds a mebibyte at most; whoever fills it again and again is not heard.
                for _ in range(_LAST_CHUNKS):
                    self.stderr.add(os.read(self._log, _CHUNK))
            os.close(self._from_bot)
            os.close(self._log)
            self._from_bot = self._log = -1

    def _begin(self, budget_s: float) -> None:
        """Begin a question, or a line without an answer, that has so long."""
        self._awake_at = time.monotonic()
        self._budget_s = budget_s
        self._deadline = self._awake_at + budget_s
        self._look_at = self._awake_at + self._look_after_s
        self._asked, self._overtime, self._waited, self._absent_s = True, False, False, 0.0

    def _send(self, line: bytes) -> bool:
        """Write all of ``line``; return False where the deadline came first."""
        try:
            sent = os.write(self._to_bot, line)
        except BlockingIOError:
            sent = 0
        except OSError:
            # Its last words may still be in the pipe; whoever reads next finds its end.
            return True
        return sent == len(line) or self._send_rest(memoryview(line)[sent:])

    def _send_rest(self, view: memoryview) -> bool:
        # Only a bot that does not read brings us here: a pipe holds 64 KiB.
        self._waited = True
        self._resume()
        writable = select.poll()
        writable.register(self._to_bot, select.POLLOUT)
        if self._log_open:
            writable.register(self._log, select.POLLIN)
        while view:
            try:
                view = view[os.write(self._to_bot, view) :]
            except BlockingIOError:
                if not self._ready(writable):
                    return False
                if self._log_open and not self._read_log():
                    writable.unregister(self._log)
            except OSError:
                return True
        return True

    def _prompt(self, budget_ms: int) -> bytes | None:
        """Return the answer of a bot that is prompt and writes nothing else, as nearly all do.

        Whatever else there is to see is left for `_receive`.
        """
        if self._poll.poll(min(budget_ms, _PROMPT_MS)) != self._answered:
            return None
        chunk = os.read(self._from_bot, _ANSWER)
        if 0 <= chunk.find(b"\n") == len(chunk) - 1:
            return chunk[:-1]
        self._pending += chunk
        return None

    def _receive(self) -> bytes:
        searched = 0
        while (end := self._pending.find(b"\n", searched)) < 0:
            searched = len(self._pending)
            if searched > MAX_LINE_BYTES:
                raise self._too_long()
            self._wait()
        if end > MAX_LINE_BYTES:
            raise self._too_long()
        line = bytes(self._pending[:end])
        del self._pending[: end + 1]
        return line

    def _wait(self) -> None:
        """Wait for more output, and read it.

        Raises:
            BotFault: the deadline passed, or there will be no more.
        """
        ready = self._ready(self._poll)
        if len(ready) == 1 and ready[0][0] == self._from_bot and self._read():
            return
        if not ready:
            # No figure here: what is left of the extra time differs when a match is repeated.
            text = (
                "no complete line in time: it began one and did not end it"
                if self._pending
                else "wrote nothing in time: it is too slow, or does not flush its output"
            )
            raise BotFault(FaultCode.TIMEOUT, text, bytes(self._pending))
        readable = {descriptor for descriptor, _ in ready}
        if self._log in readable:
            self._read_log()
        # A process that is gone may have left its last line: read before calling it a crash.
        if self._from_bot in readable or self._gone in readable:
            more = self._read()
            if more == 0 or (more is None and self._gone in readable):
                text = "closed its output" if more == 0 else "exited, and left its output open"
                raise BotFault(FaultCode.EXITED, text, bytes(self._pending))

    def _ready(self, watched: "select.poll") -> list[tuple[int, int]]:
        """Return what of ``watched`` is ready, nothing if the deadline comes first."""
        while True:
            now = self._awake(self._awake_at)
            if now >= self._look_at:
                self._look()
                self._look_at = now + max(min(_LOOK_S, self._budget_s / _OF_BUDGET), _FIRST_LOOK_S)
            if now >= self._deadline and self._overtime:
                if not self._extended():
                    return []
                continue
            # Once more after the deadline: what was written while arena was kept from looking.
            self._overtime = now >= self._deadline
            until = max(min(self._deadline, self._look_at), now)
            ready = watched.poll((until - now) * 1000)
            self._awake(until)
            if ready:
                return ready

    def _awake(self, meant: float) -> float:
        """Return the time, and take note if it is much later than was ``meant``."""
        self._awake_at = time.monotonic()
        if (late := self._awake_at - meant) > _ABSENT_S:
            self._absent_s += late
        return self._awake_at

    def _extended(self) -> bool:
        """Return whether there is more time for the question, because the machine took some."""
        if not self._asked:
            return False
        more_s = self._more(self._budget_s, self._absent_s)
        self._deadline = time.monotonic() + more_s
        self._overtime = False
        return more_s > 0

    def _read(self) -> int | None:
        """Read what is there; return the bytes, 0 at the end of the file, None where none are."""
        try:
            chunk = os.read(self._from_bot, _CHUNK)
        except BlockingIOError:
            return None
        except OSError:
            return 0
        self._pending += chunk
        return len(chunk)

    def _skip_output(self) -> None:
        """Drop output that nobody waits for any more; at its end, stop looking at it."""
        try:
            if not os.read(self._from_bot, _CHUNK):
                self._poll.unregister(self._from_bot)
        except (OSError, KeyError):
            return

    def _read_log(self) -> bool:
        """Keep some of what standard error holds; return whether more may come."""
        if self._log_open:
            try:
                chunk = os.read(self._log, _CHUNK)
            except BlockingIOError:
                return True
            self.stderr.add(chunk)
            if not chunk:
                # The end of a file stays readable and would turn waiting into spinning.
                self._poll.unregister(self._log)
                self._log_open = False
        return self._log_open

    def _too_long(self) -> BotFault:
        text = f"a line is longer than {MAX_LINE_BYTES} bytes"
        return BotFault(FaultCode.BAD_MESSAGE, text, bytes(self._pending[:_CHUNK]))


def _nothing() -> None:
    pass


def _no_more(_budget_s: float, _absent_s: float) -> float:
    return 0.0
