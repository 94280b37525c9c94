"""What a bot has to show before it may take part: that it starts, answers, and plays."""

import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from arena import __version__
from arena.errors import BotFault, FaultCode, UsageError
from arena.games import games
from arena.games.base import AnyGame
from arena.games.deal import Deal
from arena.players.bundle import Bundle, argv, missing_runtime, unpack
from arena.players.files import discard
from arena.players.process import BotProcess, Program
from arena.players.sandbox import INSIDE, Tier
from arena.players.scripted import Scripted, at_random
from arena.players.tail import TAIL, last_lines
from arena.referee.limits import Limits, told
from arena.referee.play import play
from arena.wire.codec import encode, read_ready
from arena.wire.escape import printable
from arena.wire.messages import Hello

_ELF, _ELF_HEADER_BYTES = b"\x7fELF", 52
"""How a program for this kind of system begins, and how short its header can be."""

QUESTIONS = 6
"""A trial match is over once the other seat has been asked so often."""


class _Enough(Exception):
    """The trial has seen what it wanted to see."""


def declared_games(bundle: Bundle, limits: Limits, tier: Tier) -> tuple[str, ...] | None:
    """Start the bot, shake hands, and return the games that it says it plays; ``None``: all.

    Raises:
        UsageError: it does not start or does not answer; with the end of its standard error.
    """
    with _unpacked(bundle) as program:
        return _greeted(bundle, program, limits, tier)


def try_out(bundle: Bundle, limits: Limits, tier: Tier) -> tuple[str, ...] | None:
    """Start the bot and play the beginning of a match of each game that it plays.

    Returns:
        The games that it says it plays, those that are installed; ``None``: all.

    Raises:
        UsageError: it was at fault, or it plays no game that is installed.
    """
    with _unpacked(bundle) as program:
        declared = _greeted(bundle, program, limits, tier)
        for name, game in games().items():
            if declared is None or name in declared:
                _play_beginning(bundle, program, game, limits, tier)
    return declared


@contextmanager
def _unpacked(bundle: Bundle) -> Iterator[Program]:
    root = Path(tempfile.mkdtemp(prefix="arena-trial-"))
    try:
        folder = root / "bot"
        unpack(bundle, folder)
        yield Program(argv=tuple(argv(bundle.command, folder)), folder=folder)
    finally:
        discard(root)


def _greeted(
    bundle: Bundle, program: Program, limits: Limits, tier: Tier
) -> tuple[str, ...] | None:
    if why := _missing(bundle):
        raise UsageError(f"{bundle.name} was refused: {why}")
    bot = BotProcess(program, limits, tier)
    try:
        ready = read_ready(
            bot.ask(encode(Hello(arena=__version__, limits=told(limits))), limits.start_ms)
        )
    except BotFault as fault:
        bot.stop(0)
        if fault.code is FaultCode.START_FAILED:
            raise UsageError(f"{bundle.name} was refused: {printable(fault.text)}") from None
        slow = fault.code is FaultCode.TIMEOUT
        hint = f" (it has {limits.start_ms} ms to start: --start-ms)" if slow else ""
        raise _refused(bundle, program, bot, f"not ready: {fault.text}{hint}") from None
    finally:
        bot.stop(0)
    if ready.games is None:
        return None
    known = tuple(name for name in games() if name in ready.games)
    if not known:
        names = ", ".join(games())
        raise UsageError(f"{bundle.name} plays none of the games there are ({names})")
    return known


def _missing(bundle: Bundle) -> str | None:
    """Return why the bot's program cannot be started, where the system's own words mislead."""
    first = next((file.content for file in bundle.files if file.path == bundle.command[0]), None)
    if first is None:
        return missing_runtime(bundle)
    if first.startswith(b"#!") and first.split(b"\n", 1)[0].endswith(b"\r"):
        return "its first line ends in CR LF, which no interpreter is found by: save it with LF"
    is_program = first.startswith(_ELF) and len(first) >= _ELF_HEADER_BYTES
    if not (is_program or first.startswith(b"#!")):
        # What starts a bot would take such a file for a script of the shell.
        return "could not be started: Exec format error"
    return missing_runtime(bundle)


def _play_beginning(
    bundle: Bundle, program: Program, game: AnyGame, limits: Limits, tier: Tier
) -> None:
    """Play with the bot in the first seat, until somebody else has been asked often enough."""
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
        return
    finally:
        bot.stop(0)
    if played.faults:
        fault = played.faults[0]
        why = f"{fault.code} in a match of {game.name}: {fault.text}"
        raise _refused(bundle, program, bot, why)


def _refused(bundle: Bundle, program: Program, bot: BotProcess, why: str) -> UsageError:
    # The author knows the bot's files by their own paths, not by those of the copy.
    stderr = bot.stderr
    for folder in (program.folder, INSIDE):
        stderr = stderr.replace(f"{folder}/".encode(), b"")
    tail = "".join(f"{TAIL}{line}" for line in last_lines(stderr))
    return UsageError(f"{bundle.name} was refused: {printable(why)}{tail}")
