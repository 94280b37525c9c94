"""The examination of a bot: everything that it is asked, and what is found by that.

It starts, plays whole matches of each of its games, sees other seats fail, is sent what a later
version might send, plays on in one process, repeats a match, and is told to quit. What it did is
looked at in the order in which an author has to mend it.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from arena import __version__
from arena.conformance import measures
from arena.conformance.dress import BY_FIELD, DRESSES, everything, fields
from arena.conformance.findings import Check, Finding, Report, Severity, merged
from arena.conformance.hints import hint, start_hint
from arena.conformance.scenes import Scene, Seen, Stage
from arena.errors import BotFault, FaultCode, UsageError
from arena.games import games
from arena.games.base import AnyGame
from arena.players.bundle import Bundle
from arena.players.tier import Tier
from arena.referee.limits import Limits, told
from arena.tournament.advice import only
from arena.tournament.machine import on_one_core
from arena.tournament.trial import declared, missing, unpacked
from arena.wire.codec import encode, read_ready
from arena.wire.messages import Hello

log = logging.getLogger(__name__)

Doing = Callable[[str], None]
"""(what is being waited for) -> nothing; called before anything that takes time."""

_FEW = 4
"""Decisions after which a bot that is sent unknown things has shown how it bears them."""

_SAME_FAULTS = 2
"""After so many matches with one fault a game's other matches are left out."""


def examine(bundle: Bundle, limits: Limits, tier: Tier, doing: Doing = log.debug) -> Report:
    """Examine the bot ``bundle``, and return what was found.

    Args:
        bundle: the bot.
        limits: what it is held to.
        tier: how it is kept apart; one that this machine can give.
        doing: called with what is being waited for.

    Raises:
        UsageError: this machine lacks what the bot is run by.
        HostFault: the machine failed.
    """
    if why := missing(bundle):
        raise UsageError(f"{bundle.name} cannot be started: {why}")
    with unpacked(bundle) as program, on_one_core():
        stage = Stage(program, limits, tier)
        return Report(bundle.name, tuple(_Examination(bundle.name, stage, doing).checks()))


class _Examination:
    def __init__(self, bot: str, stage: Stage, doing: Doing) -> None:
        self._bot = bot
        self._stage = stage
        self._doing = doing
        self._sound: list[AnyGame] = []
        """The games in which it was not at fault."""

    def checks(self) -> Iterator[Check]:
        """Look at one thing after the other, as far as the ones before leave something to see."""
        self._doing(f"{self._bot} starts")
        start, played = self._start()
        yield start
        if start.verdict == Severity.FAULT:
            return
        there = games().values()
        tried = [
            self._game(game) if game.name in played else _left_out(game, played) for game in there
        ]
        yield from map(self._with_way_out, tried)
        yield self._each("others", "plays on when other seats fail", self._others)
        yield self._each("later", "ignores what a later version may send", self._later)
        yield self._next()
        yield self._again()
        self._doing(f"{self._bot} is told to quit")
        yield measures.quitting(self._stage)
        yield measures.lines(self._stage.seen)
        yield measures.time(self._stage.seen, self._stage.limits)
        yield measures.logged(self._stage.seen, self._stage.limits.stderr_kb)

    def _start(self) -> tuple[Check, Sequence[str]]:
        """Shake hands; return the check, and the games that the bot says it plays."""
        limits = self._stage.limits
        witness = self._stage.witness()
        hello = encode(Hello(arena=__version__, limits=told(limits)))
        back = b""
        try:
            back = witness.ask(hello, limits.start_ms)
            ready = read_ready(back)
        except BotFault as fault:
            witness.stop(0)
            finding = Finding(
                check="start",
                severity=Severity.FAULT,
                text=f"not ready: {fault.text}",
                tip=start_hint(fault, witness, limits),
                sent=hello.rstrip(b"\n"),
                back=fault.offending or witness.overdue,
                log=witness.log,
            )
            return Check("start", "", (finding,)), ()
        finally:
            witness.stop(0)
        sent = Finding("start", Severity.WARNING, "", sent=hello.rstrip(b"\n"), back=back)
        try:
            said = declared(self._bot, ready)
        except UsageError as error:
            refused = replace(sent, severity=Severity.FAULT, text=str(error))
            return Check("start", "", (refused,)), ()
        misspelt = (replace(sent, text=said.misspelt),) if said.misspelt else ()
        played = tuple(games()) if said.games is None else said.games
        text = f"answers `hello`, and says that it plays {' and '.join(played)}"
        return Check("start", text, misspelt), played

    def _game(self, game: AnyGame) -> Check:
        """Play whole matches of ``game``: each variant, with each number of players."""
        scenes = [
            Scene(game, players, variant, seat=number % players, deal=number)
            for number, (variant, players) in enumerate(
                (variant, players) for variant in game.variants for players in game.player_counts
            )
        ]
        found: list[Finding] = []
        matches = decisions = 0
        for scene in scenes:
            self._doing(f"{self._bot} plays {scene.name}")
            seen = self._stage.play(scene)
            matches += 1
            decisions += len(seen.decisions)
            found += self._faults(game.name, seen)
            if any(finding.times >= _SAME_FAULTS for finding in merged(found)):
                break
        if not found:
            self._sound.append(game)
        text = f"{matches} matches with {_numbers(game.player_counts)} players"
        return Check(game.name, f"{text}, {decisions} decisions", merged(found))

    def _with_way_out(self, check: Check) -> Check:
        """Return ``check`` with how to leave its game out, if another game was sound."""
        if not self._sound:
            return check
        way_out = only(tuple(game.name for game in self._sound))
        found = [
            replace(finding, tip="; ".join(filter(None, [finding.tip, way_out])))
            for finding in check.findings
        ]
        return replace(check, findings=tuple(found))

    def _faults(self, check: str, seen: Seen, prefix: str = "") -> list[Finding]:
        """Return the fault that was seen as a finding, if there was one."""
        if seen.fault is None:
            return []
        fault = seen.fault
        return [
            Finding(
                check=check,
                severity=Severity.FAULT,
                text=f"{prefix}{fault.code.value}: {fault.text}",
                tip=hint(seen, fault, self._stage.limits),
                where=seen.where,
                sent=seen.asked.rstrip(b"\n"),
                back=seen.back,
                log=_without_echo(seen.log, fault),
            )
        ]

    def _each(self, name: str, text: str, look: Callable[[AnyGame], list[Finding]]) -> Check:
        """Look at one thing in every game in which the bot was not at fault."""
        if not self._sound:
            return Check(name, measures.NOT_TRIED, skipped=True)
        found: list[Finding] = []
        for game in self._sound:
            self._doing(f"whether {self._bot} {text}, in {game.name}")
            found += look(game)
        return Check(name, text, merged(found))

    def _others(self, game: AnyGame) -> list[Finding]:
        """Let other seats fail: some, all at their first turn, and all before it is asked."""
        few, many = game.player_counts[0], game.player_counts[-1]
        scenes = [
            Scene(game, many, absent=frozenset({1}), failing=frozenset({2} if many > 2 else ())),  # noqa: PLR2004
            Scene(game, few, failing=frozenset(range(1, few))),
            Scene(game, few, absent=frozenset(range(1, few))),
        ]
        prefix = "after the fault of another seat: "
        return [
            finding
            for scene in scenes
            for finding in self._faults("others", self._stage.play(scene), prefix)
        ]

    def _later(self, game: AnyGame) -> list[Finding]:
        """Send what is not known yet: all of it at once, and one by one if that goes wrong."""
        scene = Scene(game, game.player_counts[0], decisions=_FEW, dress=everything)
        together = self._faults("later", self._stage.play(scene), "sent unknown things: ")
        if not together:
            return []
        found: list[Finding] = []
        bears_fields = True
        for what, dress in DRESSES.items():
            if dress in BY_FIELD and not bears_fields:
                continue
            faults = self._faults(
                "later", self._stage.play(replace(scene, dress=dress)), f"sent {what}: "
            )
            found += faults
            bears_fields = bears_fields and not (dress is fields and faults)
        return [
            replace(finding, tip=finding.tip if finding.tip.startswith("JSON") else _LATER_TIP)
            for finding in found or together
        ]

    def _next(self) -> Check:
        """Play two matches in one process, of two games if the bot plays so many."""
        if not self._sound:
            return Check("next", measures.NOT_TRIED, skipped=True)
        self._doing(f"{self._bot} plays two matches in one process")
        first, last = self._sound[0], self._sound[-1]
        second = Scene(last, last.player_counts[0], seat=1, deal=1)
        seen = self._stage.play(Scene(first, first.player_counts[0], also=(second,)))
        if seen.match == 0:
            found = self._faults("next", seen, _NOT_BEFORE)
        else:
            # What is wrong with a line has nothing to do with what it remembers.
            of_line = seen.fault is not None and seen.fault.code is FaultCode.BAD_MESSAGE
            found = [
                replace(
                    finding,
                    severity=Severity.WARNING,
                    tip=(of_line and finding.tip) or _NEXT_TIP,
                )
                for finding in self._faults("next", seen, "in its second match: ")
            ]
        return Check("next", "plays a further match in the same process", tuple(found))

    def _again(self) -> Check:
        """Play a match that was played once more, and compare the answers."""
        if not self._sound:
            return Check("again", measures.NOT_TRIED, skipped=True)
        found = []
        for game in self._sound:
            self._doing(f"{self._bot} repeats a match of {game.name}")
            scene = Scene(game, game.player_counts[0], game.variants[0])
            before = next(seen for seen in self._stage.seen if seen.scene == scene)
            after = self._stage.play(scene)
            found += self._faults("again", after, _NOT_BEFORE)
            found += measures.differences(before, after)
        return Check("again", "plays a repeated match the same way", merged(found))


_LATER_TIP = "a bot must ignore whatever it does not know, and read whole lines however long"
_NOT_BEFORE = "in a match that it got through before: "
"""What is at fault only now and then is a fault all the same."""

_NEXT_TIP = "whatever it remembers of a match is set up anew at each `start`"


def _left_out(game: AnyGame, played: Sequence[str]) -> Check:
    text = f"not tried: it says that it plays {' and '.join(played)}"
    return Check(game.name, text, skipped=True)


def _numbers(counts: Sequence[int]) -> str:
    *others, last = map(str, counts)
    return f"{', '.join(others)} and {last}" if others else last


def _without_echo(written: bytes, fault: BotFault) -> bytes:
    """Return a log without the line in which the SDKs say which fault it was."""
    echo = f"arena: {fault.code.value}: {fault.text}".encode()
    return b"\n".join(line for line in written.split(b"\n") if line != echo)
