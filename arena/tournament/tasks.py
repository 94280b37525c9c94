"""What a worker is handed to play a match, and what it does with it."""

import logging
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from arena.errors import HostFault
from arena.players.bundle import Bundle, argv, unpack
from arena.players.process import Program
from arena.players.tier import Tier
from arena.referee.fixture import Fixture
from arena.referee.limits import Limits
from arena.referee.record import decode_record, encode_record
from arena.store.db import Store
from arena.store.snapshots import load_bundle
from arena.store.tournaments import Tournament, list_entries
from arena.tournament.match import Entrant, MatchTask, play_chunk
from arena.wire.escape import printable

REASON = 300
"""How many characters are kept of what went wrong."""

log = logging.getLogger(__name__)


def match_task(store: Store, tournament: Tournament, fixture: Fixture) -> MatchTask:
    """Return what it takes to play one ``fixture`` of a stored ``tournament``."""
    return task_of(tournament, fixture, unpacked(store, tournament.id), attempt=1)


def task_of(
    tournament: Tournament, fixture: Fixture, entrants: Mapping[str, Entrant], attempt: int
) -> MatchTask:
    """Return the ``attempt`` at ``fixture``, from 1, between ``entrants`` by name."""
    return MatchTask(
        tournament=tournament.id,
        suite=tournament.suite,
        key=tournament.key,
        fixture=fixture,
        seats=tuple(entrants[bot] for bot in fixture.bots),
        limits=msgspec.convert(tournament.parameters["limits"], type=Limits | None),
        tier=Tier(tournament.parameters["tier"]),
        rated=tournament.rated,
        attempt=attempt,
    )


def unpacked(store: Store, tournament: str) -> dict[str, Entrant]:
    """Return the bots of ``tournament`` by name, each with its snapshot laid out for reading."""
    return {
        entry.bot: entrant_of(store, entry.bot, load_bundle(store, entry.digest, entry.bot))
        for entry in list_entries(store, tournament)
    }


def entrant_of(store: Store, name: str, bundle: Bundle) -> Entrant:
    """Return the bot ``bundle`` that takes part as ``name``, laid out for reading."""
    folder = snapshot_folder(store, bundle.digest)
    unpack(bundle, folder)
    program = Program(argv=tuple(argv(bundle.command, folder)), folder=folder)
    return Entrant(name, bundle.digest, program)


def snapshot_folder(store: Store, digest: str) -> Path:
    """Return where the snapshot ``digest`` lies unpacked while it plays."""
    return store.home.absolute() / "snapshots" / digest.removeprefix("sha256:")[:32]


class Spoilt(HostFault):
    """A match of a chunk is void, and the others with it."""

    def __init__(self, text: str, match: str) -> None:
        super().__init__(text)
        self.match = match
        """The id of the one that is to blame."""

    def __reduce__(self) -> "tuple[type[Spoilt], tuple[str, str]]":
        # It comes home from worker processes.
        return type(self), (str(self), self.match)


def play_tasks(tasks: Sequence[MatchTask]) -> list[bytes]:
    """Play a chunk in this process, see `play_chunk`, and return its records as lines.

    Raises:
        Spoilt: whatever went wrong that was no bot's fault.
    """
    lines: list[bytes] = []
    try:
        for record in play_chunk(tasks):
            lines.append(encode_record(record))
            # Somebody else's game may have put into it what is no record.
            decode_record(lines[-1])
    except BaseException as error:  # a game that exits must not end the runner either
        match = tasks[min(len(lines), len(tasks) - 1)].fixture.match
        if isinstance(error, HostFault):
            raise Spoilt(str(error), match) from None
        log.info("match %s", match, exc_info=True)
        said = traceback.format_exception_only(error)[-1].strip()
        raise Spoilt(printable(said, REASON), match) from None
    return lines
