"""Playing a stored tournament, with what is said meanwhile and at its end."""

import shlex
from collections import Counter
from pathlib import Path

from arena.cli.interrupts import interrupts
from arena.cli.mistakes import Stopped
from arena.cli.options import at_home
from arena.cli.places import Place
from arena.cli.remarks import Progress, remark, rulings
from arena.errors import HostFault
from arena.store.db import Store
from arena.store.tournaments import Tournament, get_tournament
from arena.tournament.runner import Stop, run

_OTHERS = 3


def way_on(going: Tournament, home: Path) -> str:
    """Return the command that goes on with ``going``."""
    command = "compare" if going.comparison else "tournament"
    return f"arena {command} --resume {going.id}{at_home(home)}"


def play(store: Store, going: Tournament, place: Place, home: Path) -> None:
    """Play what is open of ``going``; the first Ctrl-C stops cleanly, the second at once.

    Raises:
        Stopped: it was stopped before its end; the text says how to go on.
    """
    before = get_tournament(store, going.id)
    report = Progress(before.played, before.total)
    stop = Stop()
    how = f"go on with: {way_on(going, home)}"
    try:
        with report, interrupts(stop):
            played = run(store, going.id, place.most, report, stop, place.executors)
    except KeyboardInterrupt:
        played = going
    except HostFault:
        remark(f"what was played is kept; {how}")
        raise
    if played.finished is None:
        there = get_tournament(store, going.id)
        raise Stopped(f"stopped after {there.played} of {there.total} matches; {how}")
    if found := rulings([get_tournament(store, going.id)]):
        remark(found)
    if report.at_fault:
        remark(_where_faults_are(report.at_fault, home))
    if played.secret is not None:
        if played.head is not None:
            remark(f"the records end in {played.head}")
        remark(f"the secret was {played.secret.hex()}")


def _where_faults_are(at_fault: Counter[str], home: Path) -> str:
    """Return how to see what went wrong, of the bot with the most faults."""
    first, *others = (bot for bot, _ in at_fault.most_common())
    more = ", ".join(others[:_OTHERS]) + ", …" * (len(others) > _OTHERS)
    besides = f" (and of {more})" if others else ""
    return f"faults of {first}{besides}: arena logs {shlex.quote(first)} --faults{at_home(home)}"
