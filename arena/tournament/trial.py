"""What a bot has to show before it may take part: that it starts, answers, and plays."""

import difflib
import logging
import secrets
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from arena import __version__
from arena.errors import BotFault, FaultCode, UsageError
from arena.games import games
from arena.games.base import AnyGame
from arena.games.deal import Deal
from arena.players.bundle import Bundle, argv, missing_runtime, unpack
from arena.players.files import discard
from arena.players.process import BotProcess, Program
from arena.players.sandbox import INSIDE
from arena.players.scripted import Scripted, at_random
from arena.players.tail import TAIL, last_lines
from arena.players.tier import Tier
from arena.referee.limits import Limits, told
from arena.referee.play import play
from arena.tournament.advice import advice, only
from arena.tournament.machine import on_one_core
from arena.wire.codec import encode, read_ready
from arena.wire.escape import printable
from arena.wire.messages import Hello, Ready

log = logging.getLogger(__name__)

_ELF, _ELF_HEADER_BYTES = b"\x7fELF", 52
"""How a program for this kind of system begins, and how short its header can be."""

QUESTIONS = 6
"""A trial match is over once the other seat has been asked so often."""

_ECHO = 60
_SOME = 5
"""How many names that are no games are told."""

Doing = Callable[[str], None]
"""(what is being waited for) -> nothing; called before anything that takes time."""


class Trial(NamedTuple):
    """What a bot has shown that may take part."""

    games: tuple[str, ...] | None
    """The games that it says it plays, those that are installed; ``None``: all."""

    misspelt: str = ""
    """What there is to say about names that are nearly those of games; else empty."""


class _Refusal(NamedTuple):
    """Why a bot is refused."""

    why: str
    hint: str
    stderr: bytes
    known: str = ""
    """A line of the log that says nothing more."""

    def error(self, bundle: Bundle, program: Program, passed: tuple[str, ...] = ()) -> UsageError:
        """Return it for the author of ``bundle``, which got through the games ``passed``."""
        # The author knows the bot's files by their own paths, not by those of the copy.
        stderr = self.stderr
        for folder in (program.folder, INSIDE):
            stderr = stderr.replace(f"{folder}/".encode(), b"")
        hints = "; ".join(filter(None, [self.hint, only(passed) if passed else ""]))
        said = f"{self.why} ({hints})" if hints else self.why
        tail = "".join(f"{TAIL}{line}" for line in last_lines(stderr, known=self.known))
        return UsageError(f"{bundle.name} was refused: {printable(said)}{tail}")


class _Enough(Exception):
    """The trial has seen what it wanted to see."""


def declared_games(bundle: Bundle, limits: Limits, tier: Tier) -> tuple[str, ...] | None:
    """Start the bot, shake hands, and return the games that it says it plays; ``None``: all.

    Raises:
        UsageError: it does not start or does not answer; with the end of its standard error.
    """
    with unpacked(bundle) as program, on_one_core():
        return _greeted(bundle, program, limits, tier).games


def try_out(bundle: Bundle, limits: Limits, tier: Tier, doing: Doing = log.debug) -> Trial:
    """Start the bot and play the beginning of a match of each game that it plays.

    Raises:
        UsageError: it was at fault, or it plays no game that is installed. The message says what
            to do, with the end of its standard error.
    """
    with unpacked(bundle) as program, on_one_core():
        doing(f"waiting for {bundle.name} to start: {limits.start_ms} ms at most")
        trial = _greeted(bundle, program, limits, tier)
        passed: list[str] = []
        refusals: list[_Refusal] = []
        for name, game in games().items():
            if trial.games is not None and name not in trial.games:
                continue
            doing(f"{bundle.name} plays the beginning of a match of {name}")
            if refusal := _play_beginning(program, game, limits, tier):
                refusals.append(refusal)
            else:
                passed.append(name)
    if refusals:
        raise refusals[0].error(bundle, program, tuple(passed))
    return trial


@contextmanager
def unpacked(bundle: Bundle) -> Iterator[Program]:
    """Yield how to start ``bundle``, which is unpacked for the length of the context."""
    root = Path(tempfile.mkdtemp(prefix="arena-trial-"))
    try:
        folder = root / "bot"
        unpack(bundle, folder)
        yield Program(argv=tuple(argv(bundle.command, folder)), folder=folder)
    finally:
        discard(root)


def _greeted(bundle: Bundle, program: Program, limits: Limits, tier: Tier) -> Trial:
    if why := missing(bundle):
        raise UsageError(f"{bundle.name} was refused: {why}")
    bot = BotProcess(program, limits, tier)
    try:
        ready = read_ready(
            bot.ask(encode(Hello(arena=__version__, limits=told(limits))), limits.start_ms)
        )
    except BotFault as fault:
        bot.stop(0)
        raise _unready(fault, bot, limits).error(bundle, program) from None
    finally:
        bot.stop(0)
    return declared(bundle.name, ready)


def declared(bot: str, ready: Ready) -> Trial:
    """Return what the ``ready`` of ``bot`` says of games.

    Raises:
        UsageError: it names none that is installed.
    """
    if ready.games is None:
        return Trial(None)
    known = tuple(name for name in games() if name in ready.games)
    others = [name for name in ready.games if name not in known]
    if not known:
        raise UsageError(f"{bot} plays none of the games there are: {_none_of(others)}")
    return Trial(known, _misspelt(bot, others))


def _unready(fault: BotFault, bot: BotProcess, limits: Limits) -> _Refusal:
    """Return why a bot is refused that did not shake hands."""
    stderr = bot.stderr
    hint = advice(
        FaultCode.START_FAILED,
        fault.text,
        limits,
        wrote=printable(fault.offending, _ECHO),
        log=stderr.decode(errors="replace"),
    )
    if fault.code is FaultCode.START_FAILED:
        # Nothing of it ran, so what was logged is not its own.
        return _Refusal(fault.text, hint, b"")
    return _Refusal(f"not ready: {fault.text}", hint, stderr)


def _near(name: str) -> str:
    """Return the game that is nearly called ``name``; empty if none is."""
    near = difflib.get_close_matches(name[:_ECHO].strip().casefold(), games(), n=1)
    return near[0] if near else ""


def _none_of(named: Sequence[str]) -> str:
    said = ", ".join(f"'{printable(name, _ECHO)}'" for name in named[:_SOME])
    more = ", …" * (len(named) > _SOME)
    near = next(filter(None, map(_near, named)), "")
    hint = f"; did you mean '{near}'?" if near else f"; there is {', '.join(games())}"
    return f"its ready names {said or 'none'}{more}{hint}"


def _misspelt(bot: str, others: Sequence[str]) -> str:
    for name in others:
        if near := _near(name):
            return (
                f"{bot} says that it plays '{printable(name, _ECHO)}', and no game is called so: "
                f"did you mean '{near}'?"
            )
    return ""


def missing(bundle: Bundle) -> str | None:
    """Return why the bot's program cannot be started, where the system's own words mislead."""
    first = next((file.content for file in bundle.files if file.path == bundle.command[0]), None)
    if first is None:
        return missing_runtime(bundle)
    if first.startswith(b"#!") and first.split(b"\n", 1)[0].endswith(b"\r"):
        return "its first line ends in CR LF, which no interpreter is found by: save it with LF"
    is_program = first.startswith(_ELF) and len(first) >= _ELF_HEADER_BYTES
    if not (is_program or first.startswith(b"#!")):
        # What starts a bot would take such a file for a script of the shell.
        return "could not be started: Exec format error (no #! line?)"
    return missing_runtime(bundle)


def _play_beginning(program: Program, game: AnyGame, limits: Limits, tier: Tier) -> _Refusal | None:
    """Play with the bot in the first seat, until somebody else has been asked often enough.

    Returns:
        Why it is refused, if it was at fault.
    """
    key = secrets.token_bytes(32)
    players = game.player_counts[0]
    deal = Deal(key, game.name, game.variants[0], players, 0)
    choose = at_random(key)
    asked = 0

    def other(message: dict[str, Any]) -> dict[str, Any]:
        nonlocal asked
        asked += 1
        if asked > QUESTIONS:
            raise _Enough
        return choose(message)

    bot = BotProcess(program, limits, tier)
    try:
        played = play(game, deal, [bot, *(Scripted(other) for _ in range(players - 1))], limits)
    except _Enough:
        return None
    finally:
        bot.stop(0)
    if not played.faults:
        return None
    fault = played.faults[0]
    wrote = played.offending[0].text if played.offending else ""
    stderr = bot.stderr.decode(errors="replace")
    hint = advice(fault.code, fault.text, limits, game=game.name, wrote=wrote, log=stderr)
    why = f"{fault.code} in a match of {game.name}: {fault.text}"
    return _Refusal(why, hint, bot.stderr, known=f"arena: {fault.code}: {fault.text}")
