"""Everything that a bot for arena needs, in one file: Python 3.9 or later, standard library alone.

A whole bot::

    from arena_bot import run

    run("first-legal", lambda observation, legal_actions: legal_actions[0])

A bot that wants dice, a clock, the events or a memory derives from `Bot` instead::

    from arena_bot import Action, Bot, Turn

    class RandomLegal(Bot):
        name = "random-legal"

        def choose(self, turn: Turn) -> Action:
            return turn.rng.choice(turn.legal_actions)

    RandomLegal().run()

What a bot is given are plain JSON values. `donburiko` and `couperation` make typed values of them::

    from arena_bot import donburiko, run

    def choose(observation, legal_actions):
        table = donburiko.observation(observation)
        plays = donburiko.legal_actions(legal_actions)
        return max(plays, key=lambda play: isinstance(play, donburiko.Claim))

`answers` and `replay_record` try a bot in process, on the lines of a match that was played.

Standard output belongs to the protocol. While a bot runs, its own `print` goes to standard error,
which arena keeps as the bot's log.
"""

from __future__ import annotations

import json
import os
import sys
import time
from enum import Enum

# Imports of `typing`, `random` and `dataclasses` together would double the time to start, so the
# first is for type checkers alone, the second waits until it is used, the third is done without.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from random import Random
    from types import TracebackType
    from typing import Any, ClassVar, Literal, Self, dataclass_transform

    Observation = dict[str, Any]
    Action = dict[str, Any]
    Event = dict[str, Any]
    Choose = Callable[[Observation, list[Action]], "Action | Record"]
else:
    Observation = Action = Event = dict

    def dataclass_transform(**_: object) -> Callable[[type], type]:
        return lambda made: made  # it tells type checkers alone


__all__ = [
    "ABSENT",
    "Action",
    "Bot",
    "Event",
    "Fault",
    "Match",
    "Observation",
    "Record",
    "Result",
    "Turn",
    "answers",
    "couperation",
    "donburiko",
    "replay_record",
    "run",
]

PROTOCOL = 1
MAX_LINE_BYTES = 65_536
"""Longest line that a bot may write, without its LF."""

_BUFFER = 1 << 16

# Compact, and never NaN or Infinity, which are not JSON.
_encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


class Match:
    """What a bot is told of the match that begins. It names no rival, deal or match."""

    __slots__ = ("_rng", "extra_ms", "game", "move_ms", "players", "seat", "seed", "variant")

    def __init__(self, message: dict[str, Any]) -> None:
        self.game: str = message["game"]
        self.variant: str = message["variant"]
        self.players: int = message["players"]
        self.seat: int = message["seat"]
        """The bot's own seat, from 0."""
        self.seed: int = message["seed"]
        """Below 2^53; the same when the match is repeated. It says nothing about the cards."""
        self.move_ms: int = message.get("move_ms", 0)
        """Wall time for each decision."""
        self.extra_ms: int = message.get("extra_ms", 0)
        """Wall time for the whole match, to be used where a decision takes longer."""
        self._rng: Random | None = None

    @property
    def rng(self) -> Random:
        """The bot's dice for this match, seeded from `seed` so that a match can be repeated."""
        if self._rng is None:
            from random import Random  # noqa: PLC0415  # 2 ms, for bots that use dice alone

            self._rng = Random(self.seed)  # noqa: S311  # dice, not keys
        return self._rng


class Turn:
    """One decision: what the seat knows and what it may do."""

    __slots__ = ("_asked", "events", "extra_ms", "legal_actions", "match", "move_ms", "observation")

    def __init__(self, message: dict[str, Any], match: Match, asked: float) -> None:
        self.observation: Observation = message["observation"]
        """The table as it is now, complete."""
        self.events: list[Event] = message.get("events", [])
        """What happened since this bot was last asked, its own action included, oldest first."""
        self.legal_actions: list[Action] = message.get("legal_actions", [])
        """Every legal action once; empty for a bot that did not want them."""
        self.move_ms: int = message.get("move_ms", match.move_ms)
        """Wall time for this decision."""
        self.extra_ms: int = message.get("extra_ms", 0)
        """What is left of the match's extra time."""
        self.match = match
        self._asked = asked

    @property
    def game(self) -> str:
        """Name of the game, such as ``"donburiko"``."""
        return self.match.game

    @property
    def variant(self) -> str:
        """Variant of the game, such as ``"standard"``."""
        return self.match.variant

    @property
    def players(self) -> int:
        """Number of seats at the table."""
        return self.match.players

    @property
    def seat(self) -> int:
        """The bot's own seat, from 0."""
        return self.match.seat

    @property
    def rng(self) -> Random:
        """The bot's dice for this match; see `Match.rng`."""
        return self.match.rng

    def elapsed_ms(self) -> float:
        """Return how long ago the question was read, in milliseconds."""
        return (time.monotonic() - self._asked) * 1000


class Result:
    """How the match ended."""

    __slots__ = ("events", "match", "ranks", "reason", "scores")

    def __init__(self, message: dict[str, Any], match: Match) -> None:
        self.events: list[Event] = message.get("events", [])
        """What happened since this bot was last asked."""
        self.scores: list[int] = message.get("scores", [])
        """Points by seat."""
        self.ranks: list[int] = message.get("ranks", [])
        """Places by seat, 1 best; ties share a place and the next is skipped (1, 1, 3)."""
        self.reason: str = message.get("reason", "")
        """Why the match is over, such as ``"finished"``."""
        self.match = match


class Bot:
    """Base of bots that are more than one function: override `choose`, then call `run`.

    An instance serves one seat. It may be asked to play several matches, one after the other, so
    whatever it remembers of a match belongs into `start`.
    """

    name: str = ""
    """Shown in logs alone; a class without one goes by the name of the class."""

    version: str = ""
    games: Sequence[str] | None = None
    """Names of the games that the bot plays; ``None`` for all."""

    legal_actions: bool = True
    """Whether `Turn.legal_actions` is wanted; without it the lines to read are much shorter."""

    limits: dict[str, int] | None = None
    """What the bot is held to, by name, as in ``limits["memory_mb"]``, once `start` is called.

    ``None``: limits are off.
    """

    def start(self, match: Match) -> None:
        """Prepare for ``match``; the time it takes counts towards the first decision."""

    def choose(self, turn: Turn) -> Action | Record:
        """Return one of the legal actions of ``turn``, plain or typed."""
        raise NotImplementedError(f"{type(self).__name__} has no choose")

    def end(self, result: Result) -> None:
        """Take note of how the match ended."""

    def run(self) -> None:
        """Play over standard input and output until told to quit, or until the input ends.

        Whatever the bot raises passes through, so that Python prints a traceback to standard
        error, without the frames of this file, and exits with status 1.
        """
        lines, send = _take_over_stdio()
        sys.excepthook = _without_own_frames(sys.excepthook)
        _converse(self, lines, send)


def run(
    name: str,
    choose: Choose,
    *,
    version: str = "",
    games: Sequence[str] | None = None,
    legal_actions: bool = True,
) -> None:
    """Play with ``choose`` until told to quit, or until the input ends.

    Args:
        name: shown in logs alone.
        choose: (observation, legal actions) -> one of the legal actions, plain or typed.
        version: shown in logs alone.
        games: names of the games that the bot plays; ``None`` for all.
        legal_actions: whether ``choose`` wants them; if not, it is given an empty list.
    """
    bot = _OneFunction(choose)
    bot.name, bot.version, bot.games, bot.legal_actions = name, version, games, legal_actions
    bot.run()


def answers(bot: Bot | Choose, lines: Iterable[bytes | str]) -> list[Action]:
    """Return the actions that ``bot`` takes when it is sent ``lines``, all in this process.

    Args:
        bot: a bot, or the function that `run` would be given.
        lines: what the referee writes, from ``hello`` or ``start`` on: kept lines of a match, or
            the question of a table that you made up. Without `start` no question is answered.

    Raises:
        Exception: whatever the bot raises.
    """
    sent: list[bytes] = []
    _converse(_bot(bot), lines, sent.append)
    messages = [json.loads(line) for line in sent]
    return [message["action"] for message in messages if message["type"] == "action"]


def replay_record(
    bot: Bot | Choose, record: bytes | str, seat: int, *, key: str = ""
) -> list[tuple[Action, Action]]:
    """Ask ``bot`` all that a seat was asked in a match, and return what it would have done.

    A record holds cards and actions but no lines: they are derived from it by arena's own referee,
    so the arena package has to be installed. Whatever the bot answers, the match goes on as it
    went; so it can be compared with the one that played it, or with its own former version.

    Args:
        bot: a bot, or the function that `run` would be given.
        record: a match record, as ``arena match`` and ``arena replay`` print it with
            ``--format json``.
        seat: whose decisions to ask for, from 0.
        key: of the tournament, 64 hex digits. Without it, the bot's seed is not the one of the
            match, and a bot with dice answers otherwise.

    Returns:
        For each decision of the seat, what was done and what the bot would do.

    Raises:
        ImportError: arena is not installed.
        ValueError: the key is not in hex.
        arena.errors.ArenaError: there is no such seat, or the record is not that of a match.
        Exception: whatever the bot raises.
    """
    # By name, so that a bot that brings this file with it does not seem to import arena.
    from importlib import import_module  # noqa: PLC0415  # only here

    records = import_module("arena.referee.record")
    sent = import_module("arena.referee.lines")
    played = records.decode_record(record.encode() if isinstance(record, str) else record)
    asked = _bot(bot)
    lines = sent.lines_of(played, seat, key=bytes.fromhex(key), offer=asked.legal_actions)
    return list(zip(sent.actions_of(played, seat), answers(asked, lines)))  # noqa: B905  # Python 3.9


def _bot(bot: Bot | Choose) -> Bot:
    return bot if isinstance(bot, Bot) else _OneFunction(bot)


class _OneFunction(Bot):
    def __init__(self, function: Choose) -> None:
        self._function = function

    def choose(self, turn: Turn) -> Action | Record:
        return self._function(turn.observation, turn.legal_actions)


def _converse(bot: Bot, lines: Iterable[bytes | str], send: Callable[[bytes], None]) -> None:
    """Answer ``lines`` for ``bot``; types and fields that are not known here are passed over."""
    match: Match | None = None
    for line in lines:
        asked = time.monotonic()
        message = json.loads(line)
        kind = message.get("type")
        if kind == "act" and match is not None:
            chosen = bot.choose(Turn(message, match, asked))
            action = chosen.plain() if isinstance(chosen, Record) else chosen
            if not isinstance(action, dict):
                raise TypeError(f"choose returned {action!r}, not an action")
            send(_line({"type": "action", "id": message["id"], "action": action}))
        elif kind == "hello":
            bot.limits = message.get("limits")
            send(_line(_ready(bot)))
        elif kind == "start":
            match = Match(message)
            bot.start(match)
        elif kind == "end" and match is not None:
            bot.end(Result(message, match))
        elif kind == "error":
            # The seat is closed by now; the log is where the author will look.
            print(f"arena: {message.get('code')}: {message.get('message')}", file=sys.stderr)
        elif kind == "quit":
            return


def _ready(bot: Bot) -> dict[str, Any]:
    ready: dict[str, Any] = {
        "type": "ready",
        "protocol": PROTOCOL,
        "name": bot.name or type(bot).__name__,
    }
    if bot.version:
        ready["version"] = bot.version
    if isinstance(bot.games, str):
        raise TypeError(f"games is a list of names: games=[{bot.games!r}]")
    if bot.games is not None:
        ready["games"] = list(bot.games)
    if not bot.legal_actions:
        ready["legal_actions"] = False
    return ready


def _line(message: dict[str, Any]) -> bytes:
    line = _encode(message).encode("ascii")
    if len(line) > MAX_LINE_BYTES:
        raise ValueError(f"a line of {len(line)} bytes, and {MAX_LINE_BYTES} is the most")
    return line + b"\n"


def _without_own_frames(hook: Callable[..., object]) -> Callable[..., object]:
    """Return what prints an exception by ``hook``, without the frames of this file.

    They stand between the bot's own, are always the same, and fill the few lines of a log that its
    author is shown.
    """
    own = _converse.__code__.co_filename

    def shortened(
        kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        kept: list[TracebackType] = []
        while trace is not None:
            if trace.tb_frame.f_code.co_filename != own:
                kept.append(trace)
            trace = trace.tb_next
        for at, one in enumerate(kept):
            one.tb_next = kept[at + 1] if at + 1 < len(kept) else None
        first = kept[0] if kept else None
        hook(kind, error.with_traceback(first), first)

    return shortened


def _take_over_stdio() -> tuple[Iterable[bytes], Callable[[bytes], None]]:
    """Move the protocol to private descriptors, out of reach of the bot and its child processes.

    From here on descriptor 1 is standard error, so that a stray print becomes a line of the log
    instead of a fault, and descriptor 0 is empty, so that no child swallows a question.
    """
    questions, answers = os.dup(0), os.dup(1)
    os.dup2(2, 1)
    sys.stdout.flush()
    sys.stdout = sys.stderr  # written line by line: a killed bot's last words are not lost
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return _lines(questions), lambda line: _write(answers, line)


def _lines(descriptor: int) -> Iterable[bytes]:
    """Yield whole lines, however long; half a line before the end of the input is none."""
    with open(descriptor, "rb", buffering=_BUFFER) as stream:
        for line in stream:
            if line.endswith(b"\n") and not line.isspace():
                yield line


def _write(descriptor: int, line: bytes) -> None:
    """Write ``line`` past all buffers, in one piece unless the pipe is short of room."""
    while line:
        line = line[os.write(descriptor, line) :]


# Typed values: what stands in observations, legal actions and events, field by field as in the
# specification. Arrays are tuples, and fields that are not known here are left out.


class _Absent(Enum):
    ABSENT = "absent"

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = _Absent.ABSENT
"""Value of a field that a message leaves out."""


@dataclass_transform(frozen_default=True)
class Record:
    """Base of the typed values: like frozen dataclasses, without what those cost at start-up.

    They are made with their fields by place or by name, compare by value, can be keys, and match
    patterns.
    """

    tag: ClassVar[str] = ""
    """The value's ``type`` on the wire; empty where it has none."""

    _names: ClassVar[tuple[str, ...]] = ()
    _inner: ClassVar[type[Record] | None] = None

    def __init_subclass__(cls, tag: str = "", inner: type[Record] | None = None) -> None:
        cls.tag, cls._inner = tag, inner
        cls._names = tuple(cls.__annotations__)
        setattr(cls, "__match_args__", cls._names)  # noqa: B010  # type checkers set it themselves

    def __init__(self, *values: object, **named: object) -> None:
        names = self._names
        given = dict(zip(names, values))  # noqa: B905  # Python 3.9
        if len(values) > len(names) or given.keys() & named or not named.keys() <= set(names):
            raise TypeError(f"{type(self).__name__} has the fields {', '.join(names)}")
        given.update(named)
        for name in names:
            self.__dict__[name] = given[name] if name in given else self._default(name)

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> Self:
        """Return the JSON object ``value`` as a typed value."""
        made = cls.__new__(cls)
        fields, inner = made.__dict__, cls._inner
        for name in cls._names:
            if name in value:
                item = value[name]
                fields[name] = _typed(item, inner) if isinstance(item, (dict, list)) else item
            else:
                fields[name] = cls._default(name)
        return made

    @classmethod
    def _default(cls, name: str) -> object:
        try:
            return getattr(cls, name)
        except AttributeError:
            raise TypeError(f"{cls.__name__} needs the field {name}") from None

    def plain(self) -> dict[str, Any]:
        """Return the value as a JSON object, spelt as arena spells it."""
        fields: dict[str, Any] = {"type": self.tag} if self.tag else {}
        for name, value in self.__dict__.items():
            if value is not ABSENT:
                fields[name] = _plain(value)
        return fields

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__}.{name} cannot be changed")

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash((type(self), *self.__dict__.values()))

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in self.__dict__.items())
        return f"{type(self).__name__}({fields})"


def _typed(value: Any, inner: type[Record] | None) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, list):
        return tuple([_typed(item, inner) for item in value])
    return inner.of(value) if inner and isinstance(value, dict) else value


def _plain(value: Any) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value.plain() if isinstance(value, Record) else value


def _known(values: Iterable[Mapping[str, Any]], *kinds: type[Record]) -> list[Any]:
    """Return ``values`` typed by what they say themselves; types of later versions are left out."""
    by_type = {kind.tag: kind for kind in kinds}
    return [by_type[value["type"]].of(value) for value in values if value["type"] in by_type]


class Fault(Record, tag="fault"):
    """Event of every game: a seat is closed."""

    seat: int


class donburiko:  # noqa: N801 - a namespace, called as the game is
    """Donburiko: what its observations, actions and events hold; faces as in the specification."""

    class Card(Record):
        """A card in a column."""

        face: str
        """``"?"`` where this seat may not see it."""
        up: bool
        by: int | None
        """The seat that placed it; ``None`` for the card that was dealt."""

    class Column(Record, inner=Card):
        """A column that nobody has claimed yet."""

        cards: tuple[donburiko.Card, ...]
        """In the order in which they were placed."""
        tokens: int

    class Observation(Record, inner=Column):
        """The table as a seat sees it."""

        round: int
        last_round: bool
        seat: int
        to_act: int | None
        tokens: tuple[int, ...]
        bank: int
        hand: tuple[str, ...]
        hand_sizes: tuple[int, ...]
        in_round: tuple[bool, ...]
        set_aside: int
        columns: tuple[donburiko.Column | None, ...]
        """By number; ``None`` once it is claimed."""

    class Play(Record, tag="play"):
        """Place a card from hand on a column."""

        card: str
        column: int
        up: bool

    class Claim(Record, tag="claim"):
        """Take a column, and be out of the round."""

        column: int

    class RoundEvent(Record, tag="round"):
        """A round began."""

        round: int
        starts: int

    class PlayEvent(Record, tag="play"):
        """A seat placed a card."""

        seat: int
        column: int
        card: str
        up: bool

    class ClaimEvent(Record, tag="claim"):
        """A seat took a column, whose cards everybody now sees."""

        seat: int
        column: int
        cards: tuple[str, ...]
        tokens: int
        sum: int
        paid: int

    class RoundEndEvent(Record, tag="round_end"):
        """A round ended."""

        round: int
        reason: str

    if TYPE_CHECKING:
        Action = Play | Claim
        Event = RoundEvent | PlayEvent | ClaimEvent | RoundEndEvent | Fault

    @staticmethod
    def observation(value: Mapping[str, Any]) -> donburiko.Observation:
        """Return a turn's ``observation``, typed."""
        return donburiko.Observation.of(value)

    @staticmethod
    def legal_actions(values: Iterable[Mapping[str, Any]]) -> list[donburiko.Action]:
        """Return a turn's ``legal_actions``, typed, in their order."""
        return _known(values, donburiko.Play, donburiko.Claim)

    @staticmethod
    def events(values: Iterable[Mapping[str, Any]]) -> list[donburiko.Event]:
        """Return a turn's or result's ``events``, typed, oldest first."""
        its = donburiko
        return _known(
            values, its.RoundEvent, its.PlayEvent, its.ClaimEvent, its.RoundEndEvent, Fault
        )


class couperation:  # noqa: N801 - a namespace, called as the game is
    """Couperation: what its observations, actions and events hold."""

    if TYPE_CHECKING:
        Card = int | Literal["finish"]

    class Slot(Record):
        """A filled slot of the tower."""

        card: couperation.Card | None
        """``None`` if another seat placed it face down."""
        up: bool
        by: int | None
        """The seat that placed it; ``None`` for the first 25."""

    class Observation(Record, inner=Slot):
        """The table as a seat sees it."""

        seat: int
        to_act: int | None
        phase: Literal["draw", "act", "discard"]
        hand: tuple[int, ...]
        hand_sizes: tuple[int, ...]
        finish: int | None
        """The seat before which the Finish card lies."""
        tower: tuple[tuple[couperation.Slot | None, ...], ...]
        """Seven rows from the bottom, each from the left; ``None`` is an empty slot."""
        reserve: tuple[int, ...]
        removed: tuple[int, ...]
        deck: int
        score: int

    class Draw(Record, tag="draw"):
        """Draw so many cards: the first player's choice."""

        count: int

    class Place(Record, tag="place"):
        """Put a card from hand, or the Finish card, into an empty slot."""

        card: couperation.Card
        row: int
        slot: int
        up: bool

    class Reserve(Record, tag="reserve"):
        """Put a pair into the reserve and place a card from there face up."""

        pair: tuple[int, int]
        extra: tuple[int, ...]
        take: int
        row: int
        slot: int

    class Discard(Record, tag="discard"):
        """Put one card from hand into the reserve, because the hand holds too many."""

        card: int

    class DrawEvent(Record, tag="draw"):
        """A seat drew, perhaps nothing."""

        seat: int
        count: int
        cards: tuple[int, ...] | None
        """``None`` for other seats."""
        finish: bool

    class PlaceEvent(Record, tag="place"):
        """A seat placed a card."""

        seat: int
        card: couperation.Card | None
        """``None`` for other seats if it lies face down."""
        row: int
        slot: int
        up: bool

    class ReserveEvent(Record, tag="reserve"):
        """A seat used the reserve."""

        seat: int
        pair: tuple[int, int]
        extra: tuple[int, ...]
        take: int
        row: int
        slot: int
        replaced: couperation.Card | Literal[_Absent.ABSENT] | None = ABSENT
        """The card taken up: ``None`` if this seat may not know it, `ABSENT` if there was none."""

    class DiscardEvent(Record, tag="discard"):
        """A seat discarded into the reserve."""

        seat: int
        card: int

    class PassEvent(Record, tag="pass"):
        """A seat had no legal action."""

        seat: int

    if TYPE_CHECKING:
        Action = Draw | Place | Reserve | Discard
        Event = DrawEvent | PlaceEvent | ReserveEvent | DiscardEvent | PassEvent | Fault

    @staticmethod
    def observation(value: Mapping[str, Any]) -> couperation.Observation:
        """Return a turn's ``observation``, typed."""
        return couperation.Observation.of(value)

    @staticmethod
    def legal_actions(values: Iterable[Mapping[str, Any]]) -> list[couperation.Action]:
        """Return a turn's ``legal_actions``, typed, in their order."""
        its = couperation
        return _known(values, its.Draw, its.Place, its.Reserve, its.Discard)

    @staticmethod
    def events(values: Iterable[Mapping[str, Any]]) -> list[couperation.Event]:
        """Return a turn's or result's ``events``, typed, oldest first."""
        its = couperation
        known = (its.DrawEvent, its.PlaceEvent, its.ReserveEvent, its.DiscardEvent, its.PassEvent)
        return _known(values, *known, Fault)
