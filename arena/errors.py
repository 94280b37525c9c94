"""Every error arena raises, on one page.

ArenaError
├── UsageError       the person at the terminal can mend it     one line, exit 2
├── IllegalAction    a game refused an action                   the referee makes it a fault
├── RecordError      a record says something impossible         one line, exit 1
│   └── Difference   what is kept is not what follows
├── BotFault         a bot broke the protocol or the rules      its seat is closed, the match counts
└── HostFault        arena or its machine failed                the match is void, exit 70

Whose fault it is decides what happens, so there is a branch for each.
"""

from enum import StrEnum


class ArenaError(Exception):
    """Base of all errors that arena raises on purpose."""


class UsageError(ArenaError):
    """The user asked for something that cannot be; the message says what to do."""


class IllegalAction(ArenaError):
    """A game refused an action; the message cites the rule by its number.

    The text is sent to the bot that chose the action, so it may depend only on what the
    seat to act is allowed to know.
    """


class RecordError(ArenaError):
    """A record, or the chance in it, could not have come from a match."""


class Difference(RecordError):
    """Something that is recorded is not what follows from all the rest.

    Args:
        what: the field, and where in it.
        recorded: its value as it is kept, or what is wrong with it where nothing else follows.
        follows: what it has to be.
        where: what the field is part of, outermost first: a tournament, a match.
    """

    def __init__(
        self, what: str, recorded: str, follows: str | None = None, where: tuple[str, ...] = ()
    ) -> None:
        said = recorded if follows is None else f"{recorded} is recorded, {follows} follows"
        super().__init__(": ".join([*where, what, said]))
        self.what = what
        self.recorded = recorded
        self.follows = follows
        self.where = where

    def __reduce__(self) -> "tuple[type[Difference], tuple[object, ...]]":
        # It comes home from worker processes.
        return type(self), (self.what, self.recorded, self.follows, self.where)

    def within(self, *where: str) -> "Difference":
        """Return the same difference as a part of ``where``, outermost first."""
        return Difference(self.what, self.recorded, self.follows, (*where, *self.where))


class FaultCode(StrEnum):
    """Why a seat was closed; the value is what messages, records and tables say."""

    START_FAILED = "start_failed"
    TIMEOUT = "timeout"
    EXITED = "exited"
    BAD_MESSAGE = "bad_message"
    ILLEGAL_ACTION = "illegal_action"
    OUT_OF_MEMORY = "out_of_memory"


class BotFault(ArenaError):
    """A bot broke the protocol or the rules, so the seat that it holds is closed.

    Args:
        code: the kind of fault.
        text: one sentence for the bot's author. It is sent to the bot and recorded, so it
            depends only on what the seat may know and repeats when the match is repeated.
        offending: the bytes that broke the rule, as far as there are any. They are for the
            operator and may differ when a match is repeated.
    """

    def __init__(self, code: FaultCode, text: str, offending: bytes = b"") -> None:
        super().__init__(f"{code.value}: {text}")
        self.code = code
        self.text = text
        self.offending = offending


class HostFault(ArenaError):
    """Arena itself or the machine failed: the match rates nobody and is played again."""
