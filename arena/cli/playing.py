"""What `arena tournament` and `arena compare` share: to keep and play a tournament, and go on."""

import shlex
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.interrupts import interrupts
from arena.cli.mistakes import Stopped
from arena.cli.options import at_home, given
from arena.cli.places import Place
from arena.cli.remarks import Progress, remark, rulings
from arena.errors import HostFault, UsageError
from arena.store.db import Store
from arena.store.tournaments import Tournament, get_tournament
from arena.tournament.plan import Plan
from arena.tournament.runner import Stop, run
from arena.tournament.suite import Suite, find_suite

_OPEN = frozenset(
    {
        *("a", "resume", "dry_run", "home", "form"),
        *("jobs", "on", "cores_per_match", "oversubscribe"),
    }
)
"""Parameters that are not settled once a tournament or a comparison is stored."""

_OTHERS = 3

Name = Annotated[
    str | None, typer.Option("--name", metavar="NAME", help="What to call the tournament.")
]
PublicValue = Annotated[
    str,
    typer.Option(
        "--public-value",
        metavar="TEXT",
        help="Goes into the key: what nobody could know before the entries closed.",
    ),
]


def check_settled(context: typer.Context) -> None:
    """Raise `UsageError` if the command line says what a resumed tournament would not heed."""
    if settled := given(context, [name for name in context.params if name not in _OPEN]):
        raise UsageError(f"--resume goes on with what was planned: leave out {', '.join(settled)}")


def suite_wanted(name: str | None, public_value: str) -> Suite | None:
    """Return the suite ``name`` (or a file), whose key is played with; ``None``: a fresh secret.

    Raises:
        UsageError: there is no such suite, or a public value that its key would not heed.
    """
    if name is None:
        return None
    if public_value:
        raise UsageError("--public-value goes into a fresh secret's key: leave out --suite")
    return find_suite(name)


def keep(store: Store, made: Plan) -> None:
    """Store what was planned, and publish its commitment.

    Not before it is kept, so that nobody holds a commitment to a tournament that is not there.
    """
    made.store(store)
    if made.tournament.commitment:
        remark(f"SHA-256 of the secret: {made.tournament.commitment}")


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
