"""What is measured over a whole examination: exits, lines, times, logs, and repeated matches."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from statistics import median

from arena import __version__
from arena.conformance.dress import plain
from arena.conformance.findings import Check, Finding, Severity, merged
from arena.conformance.scenes import Seen, Stage
from arena.conformance.witness import QUIT_MS, Exchange, Witness
from arena.errors import BotFault
from arena.players.tail import was_cut
from arena.players.verdicts import signal_name
from arena.referee.limits import Limits, told
from arena.wire.codec import encode
from arena.wire.messages import Hello

_NEAR, _CLOSE = 0.6, 0.9
"""Shares of the time for a decision from which on there is a tip, or a warning."""

_SLOW_START_MS = 1000.0
_HALF = 0.5
NOT_TRIED = "not tried: it gets through no match"
_TRACEBACK = b"Traceback (most recent call last):"


def quitting(stage: Stage) -> Check:
    """Tell the bot to quit, and in a second process end its input; look at how all of them went."""
    found = [*_unheeding(stage), *map(_status, stage.seen)]
    return Check("quit", "exits when it is told to", merged(filter(None, found)))


def _unheeding(stage: Stage) -> list[Finding]:
    """Return what there is to say of a bot that does not heed ``quit``, or the end of its input."""
    with _greeted(stage) as (witness, _):
        heeds_quit = witness.quits()
        goes = witness.leave().gone
    with _greeted(stage) as (witness, back):
        heeds_end = witness.leave().gone
    found = Finding("quit", Severity.WARNING, "", sent=b'{"type":"quit"}', log=witness.log)
    if not heeds_quit and not goes:
        text = f"does not exit within {QUIT_MS} ms of `quit`"
        return [replace(found, severity=Severity.FAULT, text=text, tip=_QUIT_TIP)]
    if not heeds_quit:
        text = "exits at the end of its input, and not at `quit`"
        return [replace(found, text=text, tip=_QUIT_TIP)]
    if not heeds_end:
        text = "does not exit when its input ends, which means the same as `quit`"
        return [replace(found, text=text, tip=_END_TIP, sent=b"", back=back)]
    return []


_QUIT_TIP = "at `quit`, return from the loop and exit: it is killed a second later, in every match"
_END_TIP = "end the loop when a read returns nothing"


@contextmanager
def _greeted(stage: Stage) -> Iterator[tuple[Witness, bytes]]:
    """Yield a process of the bot that has shaken hands, and its `ready`."""
    witness = stage.witness()
    hello = encode(Hello(arena=__version__, limits=told(stage.limits)))
    back = b""
    try:
        # It has started before, or nobody would have come this far.
        with suppress(BotFault):
            back = witness.ask(hello, stage.limits.start_ms)
        yield witness, back
    finally:
        witness.stop(0)


def _status(seen: Seen) -> Finding | None:
    """Return what there is to say of a bot that exits by its own will, but not with status 0."""
    if seen.ending is None or not seen.ending.gone or not seen.ending.status:
        return None
    status = seen.ending.status
    how = f"exits with status {status}" if status > 0 else f"is ended by {signal_name(-status)}"
    return Finding(
        "quit",
        Severity.WARNING,
        f"{how} after the match",
        "see its log: something goes wrong at `end` or `quit`",
        where=seen.where,
        sent=b'{"type":"quit"}',
        log=seen.log,
    )


def lines(seen: Sequence[Seen]) -> Check:
    """Look at how the bot writes its lines, apart from what stands in them.

    Lines that are at fault were told where they were met: here only the other matches speak.
    """
    sound = [one for one in seen if one.fault is None]
    found = [
        Finding(
            "lines",
            Severity.WARNING,
            "writes after its last answer, without being asked",
            "one line for each `hello` and `act`, and nothing else on standard output",
            where=one.where,
            sent=one.asked.rstrip(b"\n"),
            back=one.ending.left,
            log=one.log,
        )
        for one in sound
        if one.ending and one.ending.left.strip()
    ]
    found += [
        Finding(
            "lines",
            Severity.TIP,
            "ends its lines with CR LF",
            "LF alone is enough; the CR is tolerated",
            where=one.where,
            sent=with_cr.sent.rstrip(b"\n"),
            back=with_cr.back,
        )
        for one in seen
        if (with_cr := next((it for it in one.exchanges if it.back.endswith(b"\r")), None))
    ]
    if not (sound or found):
        return Check("lines", NOT_TRIED, skipped=True)
    where = "" if len(sound) == len(seen) else ", in the matches that it gets through"
    return Check("lines", f"writes one line for each question{where}", merged(found))


def differences(before: Seen, after: Seen) -> list[Finding]:
    """Return the first decision at which a repeated match went otherwise, if there is one.

    Both are decisions: an answer at fault is none.
    """
    decisions = after.decisions
    if after.fault and after.exchanges and after.exchanges[-1].back == after.fault.offending:
        decisions = decisions[:-1]
    for number, (one, other) in enumerate(zip(before.decisions, decisions, strict=False), start=1):
        if _action(one) != _action(other):
            return [
                Finding(
                    "again",
                    Severity.TIP,
                    "answers the same questions otherwise when a match is repeated",
                    "take dice from the `seed` of `start`; what goes by the clock may differ",
                    where=f"{after.scene.name}, decision {number}",
                    sent=other.sent.rstrip(b"\n"),
                    back=one.back.rstrip(b"\r") + b"\n" + other.back.rstrip(b"\r"),
                )
            ]
    return []


def _action(exchange: Exchange) -> object:
    return json.loads(exchange.back).get("action")


def time(seen: Sequence[Seen], limits: Limits) -> Check:
    """Look at how long the bot takes to start and to decide, in matches as they are played."""
    usual = [one for one in seen if one.scene.dress is plain]
    starts = [one.exchanges[0] for one in usual if one.exchanges]
    decisions = [(exchange, one) for one in usual for exchange in one.decisions]
    found: list[Finding] = []
    text = "no decision was made"
    if starts:
        start_ms = median(exchange.ms for exchange in starts)
        text = f"starts in {start_ms:.0f} ms, of {limits.start_ms}"
        slowest = max(starts, key=lambda exchange: exchange.ms)
        found += _slow_start(start_ms, slowest, limits.start_ms)
    if decisions:
        worst, where = max(decisions, key=lambda it: it[0].ms)
        middle = median(exchange.ms for exchange, _ in decisions)
        text += f"; decides in {middle:.1f} ms, {worst.ms:.1f} at worst, of {limits.move_ms}"
        found += _slow_decision(worst, where, limits.move_ms)
    return Check("time", text, tuple(found))


def _slow_start(start_ms: float, slowest: Exchange, limit_ms: int) -> list[Finding]:
    if slowest.ms > _HALF * limit_ms:
        severity = Severity.WARNING
        text = f"takes {slowest.ms:.0f} ms to start, and has {limit_ms}"
    elif start_ms > _SLOW_START_MS:
        severity, text = Severity.TIP, f"takes {start_ms:.0f} ms to start, before each match"
    else:
        return []
    tip = "import and load less, or load it when it is needed"
    return [Finding("time", severity, text, tip, sent=slowest.sent.rstrip(b"\n"))]


def _slow_decision(worst: Exchange, seen: Seen, limit_ms: int) -> list[Finding]:
    if worst.ms <= _NEAR * limit_ms:
        return []
    severity = Severity.WARNING if worst.ms > _CLOSE * limit_ms else Severity.TIP
    return [
        Finding(
            "time",
            severity,
            f"takes {worst.ms:.0f} ms for a decision, and has {limit_ms}",
            "leave a margin: `move_ms` includes writing and reading",
            where=f"{seen.scene.name}, decision {seen.exchanges.index(worst)}",
            sent=worst.sent.rstrip(b"\n"),
            back=worst.back,
        )
    ]


def logged(seen: Sequence[Seen], kept_kb: int) -> Check:
    """Look at what the bot writes to standard error, of which ``kept_kb`` KiB are kept."""
    sound = [one for one in seen if one.fault is None]
    found = [
        Finding(
            "log",
            Severity.TIP,
            f"writes more than the {kept_kb} KiB of standard error that are kept",
            "its beginning and its end are kept: write less, or only what went wrong",
            where=one.where,
            log=one.log,
        )
        for one in sound
        if was_cut(one.log)
    ]
    found += [
        Finding(
            "log",
            Severity.WARNING,
            "an exception is in its log, though it played on",
            where=one.where,
            log=one.log,
        )
        for one in sound
        if _TRACEBACK in one.log and not (one.ending and one.ending.status)
    ]
    longest = max((len(one.log) for one in seen), default=0)
    text = f"{longest} bytes of standard error a match at most" if longest else "writes no log"
    return Check("log", text, merged(found))
