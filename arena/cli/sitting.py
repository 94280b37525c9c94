"""A person at the table, shown in words and pictures what their seat is sent, and nothing else."""

import shutil
from collections.abc import Callable, Sequence

import msgspec
import typer

from arena.cli.choices import listed, matching
from arena.cli.frames import drawing, table_lines
from arena.cli.prompt import Prompt
from arena.cli.render import WIDTH
from arena.games.base import AnyGame, Fault, Kind
from arena.players.person import Turn
from arena.wire.escape import printable

_LEAVE = frozenset({"q", "quit"})
_SHOWN = 40
_PAIR = 2
_HELP = """\
a number, or the beginning of an action's text, takes that action
a beginning that several actions share lists these
Enter shows the table again, ? this, q resigns (so do Ctrl-D and Ctrl-C)"""


class Sitting:
    """The view of one person on one match.

    Args:
        game: what is played.
        names: who sits where, by seat.
        seat: the person's own.
        prompt: where they are asked.
        err: whether all is said on standard error.
    """

    def __init__(
        self, game: AnyGame, names: Sequence[str], seat: int, prompt: Prompt, *, err: bool = False
    ) -> None:
        self._game = game
        self._names = names
        self._seat = seat
        self._prompt = prompt
        self._err = err
        self._draw = drawing(game)
        self._action = msgspec.json.Decoder(game.action_type)
        self._event = msgspec.json.Decoder(game.event_type)

    def welcome(self) -> None:
        """Say who sits where, and what the signs mean."""
        others = ", ".join(
            f"{self._who(seat)}" for seat in range(len(self._names)) if seat != self._seat
        )
        self._say(f"{self._game.name}: you are seat {self._seat}, with {others}")
        if self._game.legend and self._game.draw_observation:
            self._say(printable(self._game.legend))

    def choose(self, turn: Turn) -> int | None:
        """Return which of the actions of ``turn`` the person takes; ``None`` if they leave.

        Raises:
            UsageError: it is a pipe that says nothing of use.
        """
        texts = self._texts(turn.actions)
        self.tell(turn.events)
        self._show(turn, texts)
        ask = f"your turn, 1 to {len(texts)} (? help, q resign): "
        answers = 0
        while True:
            typed = self._prompt.ask(ask)
            if typed is None or typed.casefold() in _LEAVE:
                self._say(self._farewell())
                return None
            if typed == "?":
                self._say(_HELP)
            elif not typed:
                self._show(turn, texts)
            elif len(found := matching(typed, texts)) == 1:
                return found[0]
            elif found:
                self._say("\n".join(listed(texts, found, _columns())))
            else:
                self._say(
                    f"no action is '{printable(typed, _SHOWN)}': type a number from 1 to "
                    f"{len(texts)} or the beginning of an action, as in '{texts[0]}'"
                )
            answers += 1
            self._prompt.check_patience(answers)

    def tell(self, events: Sequence[bytes]) -> None:
        """Say in words what happened since the person's last turn: JSON of events, oldest first."""
        if events:
            self._say("\n".join(["", *(f"+ {self._told(event)}" for event in events)]))

    def _show(self, turn: Turn, texts: Sequence[str]) -> None:
        table = table_lines(self._draw(turn.observation))
        actions = listed(texts, range(len(texts)), _columns())
        self._say("\n".join(["", *table, "", *actions]))

    def _texts(self, actions: Sequence[bytes]) -> list[str]:
        say: Callable[[object], str] | None = self._game.say_action
        return [
            printable(say(self._action.decode(action)) if say else action) for action in actions
        ]

    def _told(self, event: bytes) -> str:
        say = self._game.say_event
        happened = self._event.decode(event)
        if say is not None:
            return printable(say(happened, self._who))
        if isinstance(happened, Fault):
            return f"{self._who(happened.seat)} is out of the match"
        return printable(event)

    def _who(self, seat: int) -> str:
        return "you" if seat == self._seat else f"seat {seat} ({printable(self._names[seat])})"

    def _farewell(self) -> str:
        if self._game.kind is Kind.COOPERATIVE:
            return "you resign: the match ends, counts 0 for you, and is kept"
        if len(self._names) == _PAIR:
            return "you resign: the match ends, you rank last, and it is kept"
        return "you resign: you rank last, and the house plays your seat on; the match is kept"

    def _say(self, text: str) -> None:
        typer.echo(text, err=self._err)


def _columns() -> int:
    return shutil.get_terminal_size((WIDTH, 0)).columns
