"""A person in a seat: the protocol on the one side, a choice of a legal action on the other.

How they are shown the table, and how they choose, is up to whoever makes a `Person`.
"""

from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from arena.errors import BotFault, FaultCode
from arena.players.bundle import Bundle
from arena.players.files import PLAIN, File
from arena.players.manifest import manifest_file
from arena.players.names import PERSON_NAME
from arena.referee.player import Player
from arena.wire.messages import PROTOCOL, Act, Action, End, Error, Hello, Quit, Ready, Start

RESIGNED = "resigned"
"""The text of the fault of a person who leaves."""

_COMMAND = ("python", "person.py")
_PROGRAM = b'''\
"""A person held this seat. There is nothing here that could play, or play it again."""

import sys

sys.exit("a person held this seat: no program can play it")
'''

SNAPSHOT = Bundle(
    files=(manifest_file(_COMMAND), File("person.py", PLAIN, _PROGRAM)),
    command=_COMMAND,
    name=PERSON_NAME,
)
"""What stands for a person where a bot has its files: a program that says so and ends.

Its digest is how records, parameters and entries tell a person from a bot, so it never changes.
"""


@dataclass(frozen=True, slots=True)
class Turn:
    """What a person is asked, as it was sent."""

    observation: bytes
    """JSON of the game's observation."""

    events: tuple[bytes, ...]
    """JSON of what happened since they were asked before, oldest first."""

    actions: tuple[bytes, ...]
    """JSON of each legal action."""


class _Events(msgspec.Struct):
    events: tuple[msgspec.Raw, ...]


class _Asked(_Events):
    observation: msgspec.Raw
    legal_actions: tuple[msgspec.Raw, ...]


class Person(Player):
    """A person as a player like any other, but that no clock runs for them.

    Args:
        choose: which of a turn's actions they take, from 0; ``None`` if they leave.
        ended: is told what happened since their last turn, as JSON, once the match is over.
    """

    def __init__(
        self,
        choose: Callable[[Turn], int | None],
        ended: Callable[[tuple[bytes, ...]], None],
    ) -> None:
        self._choose = choose
        self._ended = ended

    def ask(self, line: bytes, budget_ms: int) -> bytes:  # noqa: ARG002 - a person takes their time
        """Return the answer to ``line``.

        Raises:
            BotFault: ``exited``: they leave.
        """
        message = _decoder.decode(line)
        if not isinstance(message, Act):
            return encode_answer(Ready(protocol=PROTOCOL))
        asked = msgspec.json.decode(line, type=_Asked)
        actions = tuple(map(bytes, asked.legal_actions))
        chosen = self._choose(
            Turn(bytes(asked.observation), tuple(map(bytes, asked.events)), actions)
        )
        if chosen is None:
            raise BotFault(FaultCode.EXITED, RESIGNED)
        return encode_answer(Action(id=message.id, action=msgspec.json.decode(actions[chosen])))

    def tell(self, line: bytes) -> None:
        """Pass on the end of the match; what else there is to be told is known."""
        if isinstance(_decoder.decode(line), End):
            self._ended(tuple(map(bytes, msgspec.json.decode(line, type=_Events).events)))

    def stop(self, grace_ms: int) -> None:
        """Do nothing: there is no process."""


_decoder = msgspec.json.Decoder(Hello | Start | Act | End | Error | Quit)


def encode_answer(message: Ready | Action) -> bytes:
    """Return ``message`` as a bot's line, without its LF."""
    return msgspec.json.encode(message)
