"""The messages of the protocol, as types; keys go over the wire in the order of the fields.

What a field means to a bot's author stands in protocol/SPEC.md. `Public.forbid_unknown_fields`
makes the referee strict; bots are told to ignore what they do not know.
"""

import msgspec

from arena.games.base import Public

PROTOCOL = 1
"""Raised with any change of a message that a bot of before could misread."""

MAX_LINE_BYTES = 64 * 1024
"""Longest line of a bot, without its LF."""

MAX_NESTING = 64
"""Deepest nesting of arrays and objects in a bot's line."""

MAX_DECORATION = 256
"""Longest name or version in `Ready`, in characters: decoration, and never an identity."""


class HelloLimits(Public, frozen=True, kw_only=True):
    """What a bot is held to, beside the time for its decisions."""

    start_ms: int
    """Wall time from ``hello`` to ``ready``."""

    memory_mb: int
    """Of all processes together, in MiB."""

    processes: int
    """Threads included."""

    file_mb: int
    """Of any file written, in MiB."""

    tmp_mb: int
    """Of all files written, in MiB."""

    open_files: int
    """Of each process."""

    stderr_kb: int
    """What is kept of standard error, in KiB."""


class Hello(Public, frozen=True, kw_only=True, tag="hello"):
    """Referee to bot, first of all: who is speaking."""

    protocol: int = PROTOCOL
    arena: str
    limits: HelloLimits | None = None
    """Null where limits are off."""


class Start(Public, frozen=True, kw_only=True, tag="start"):
    """Referee to bot: a match begins; there is no reply.

    It names no match, deal or rival: all here is independent of the cards.
    """

    game: str
    variant: str
    players: int
    seat: int
    seed: int
    """Below 2^53, for the bot's own random numbers."""

    move_ms: int
    extra_ms: int


class Act(Public, frozen=True, kw_only=True, tag="act"):
    """Referee to bot: it is your turn."""

    id: int
    """Unpredictable, below 2^53; the answer repeats it."""

    observation: msgspec.Raw
    events: msgspec.Raw
    legal_actions: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    """Absent where the bot asked for that in `Ready`."""

    move_ms: int
    extra_ms: int
    """What is left of the match's extra time."""


class End(Public, frozen=True, kw_only=True, tag="end"):
    """Referee to bot: the match is over."""

    events: msgspec.Raw
    scores: tuple[int, ...]
    ranks: tuple[int, ...]
    reason: str


class Error(Public, frozen=True, kw_only=True, tag="error"):
    """Referee to bot: you are at fault, and your seat is closed."""

    code: str
    message: str


class Quit(Public, frozen=True, kw_only=True, tag="quit"):
    """Referee to bot: exit."""


class Ready(Public, frozen=True, kw_only=True, tag="ready"):
    """Bot to referee: the answer to `Hello`."""

    protocol: int
    name: str = ""
    version: str = ""
    games: tuple[str, ...] | None = None
    """The games that it plays; ``None`` means all."""

    legal_actions: bool = True
    """False asks the referee to leave ``legal_actions`` out of `Act`."""


class Action(Public, frozen=True, kw_only=True, tag="action"):
    """Bot to referee: the answer to `Act`."""

    id: int
    action: dict[str, object]
    """Equal to one of the legal actions: same keys, same values, exact types."""


ToBot = Hello | Start | Act | End | Error | Quit
FromBot = Ready | Action
