"""A bot's process that somebody watches: what was said to it, what it answered, how it ended."""

import time
from dataclasses import dataclass
from enum import Enum, auto

from arena.conformance.dress import Dress, plain
from arena.errors import BotFault, FaultCode
from arena.players.process import BotProcess, Program
from arena.players.sandbox import INSIDE
from arena.players.tier import Tier
from arena.referee.limits import Limits
from arena.referee.play import Met
from arena.referee.player import Player
from arena.wire.codec import encode, read_ready
from arena.wire.messages import Quit

QUIT_MS = 1000
"""How long a bot has to exit, once it was told to."""

_LATE_MS = 2000
_HELD_BACK_MS = 1000
"""How long an answer that is overdue is still waited for: by itself, then with the input closed."""


class Silence(Enum):
    """Why there was no answer in time."""

    LATE = auto()
    """It came later."""

    HELD_BACK = auto()
    """It came once the input had ended: it is not flushed, or the whole input is read first."""

    UNKNOWN = auto()


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question and its answer."""

    sent: bytes
    back: bytes
    ms: float
    """Wall time from the one to the other, less what others took of a long one."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a bot went that was not at fault."""

    left: bytes
    """What it wrote after its last answer."""

    gone: bool
    """Whether it exited by itself, in its time."""

    ms: float
    """How long it took to exit."""

    status: int | None
    """Its exit status, or minus the signal that ended it."""


class Witness(Player):
    """A bot's process that can play several matches, and tells all that there is to tell of it."""

    def __init__(
        self,
        program: Program,
        limits: Limits,
        tier: Tier,
        dress: Dress = plain,
        *,
        patient: bool = True,
    ) -> None:
        """Prepare to start ``program``.

        Args:
            program: what to start.
            limits: what it is held to.
            tier: how it is kept apart.
            dress: what becomes of the lines that it is sent.
            patient: whether it is found out why an answer did not come in time, which takes time.
        """
        self._bot = BotProcess(program, limits, tier)
        self._folders = (program.folder, INSIDE)
        self._dress = dress
        self._patient = patient
        self.asked = b""
        """The line that it was to answer last."""

        self.exchanges: list[Exchange] = []
        """All questions that were answered; the first one is the handshake."""

        self.failed: BotFault | None = None
        """The fault that left a question without an answer."""

        self.silence: Silence | None = None
        """Why it was at fault, if that was because no answer came in time."""

        self.overdue = b""
        """What it wrote too late, then."""

        self.overdue_ms = 0.0
        """How long that took."""

    @property
    def met(self) -> Met:
        """What it said of itself when it was greeted."""
        return Met(offer=read_ready(self.exchanges[0].back).legal_actions)

    @property
    def log(self) -> bytes:
        """Its standard error, with its files called as the author knows them."""
        log = self._bot.stderr
        for folder in self._folders:
            log = log.replace(f"{folder}/".encode(), b"")
        return log

    def ask(self, line: bytes, budget_ms: int) -> bytes:
        """Send ``line`` and return the answer, as `Player.ask` has it."""
        *more, self.asked = self._dress(line)
        for one in more:
            self._bot.tell(one)
        began = time.monotonic()
        try:
            back = self._bot.ask(self.asked, budget_ms)
        except BotFault as fault:
            self.failed = fault
            if fault.code is FaultCode.TIMEOUT and not fault.offending:
                self.silence = self._why_silent(began, budget_ms)
            raise
        took_ms = (time.monotonic() - began) * 1000
        if took_ms > budget_ms / 2:
            # So far it is of no interest to whom the time belongs.
            took_ms = max(0.0, took_ms - self._bot.excused_ns() / 1e6)
        self.exchanges.append(Exchange(self.asked, back, took_ms))
        return back

    def excused_ns(self) -> int:
        """Return what others took of the last question's time."""
        return self._bot.excused_ns()

    def tell(self, line: bytes) -> None:
        """Send ``line``."""
        for one in self._dress(line):
            self._bot.tell(one)

    def stop(self, grace_ms: int) -> None:
        """End the process."""
        self._bot.stop(grace_ms)

    def quits(self) -> bool:
        """Tell it to quit, and nothing else; return whether it exits in its time."""
        self._bot.tell(encode(Quit()))
        return self._bot.listen(QUIT_MS)

    def leave(self, wait_ms: int = QUIT_MS) -> Ending:
        """Close its input, and return how it goes within ``wait_ms``."""
        began = time.monotonic()
        gone = self._bot.listen(wait_ms, end_input=True)
        took = (time.monotonic() - began) * 1000
        left = self._bot.unasked()
        self._bot.stop(0)
        return Ending(left, gone, took, self._bot.status)

    def _why_silent(self, began: float, budget_ms: int) -> Silence:
        if not self._patient:
            return Silence.UNKNOWN
        self._bot.listen(min(2 * budget_ms, _LATE_MS), for_a_line=True)
        self.overdue_ms = (time.monotonic() - began) * 1000
        silence = Silence.LATE
        if b"\n" not in self._bot.unasked():
            silence = Silence.HELD_BACK
            self._bot.listen(_HELD_BACK_MS, end_input=True)
        self.overdue = self._bot.unasked()
        return silence if self.overdue else Silence.UNKNOWN
