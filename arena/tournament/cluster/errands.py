"""What travels between a runner and the workers of a cluster: matches, bots, and conditions.

A path of one machine means nothing on another. So a match names its bots by their digests, and a
bot travels as its files, whose digest is computed anew on arrival.
"""

import io
import os
import pickle
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from arena import __version__
from arena.errors import HostFault, RecordError, UsageError
from arena.games import games
from arena.players.bundle import argv, bundle_of, unpack
from arena.players.files import File, read_folder
from arena.players.process import Program
from arena.players.sandbox import isolation
from arena.players.tier import Tier
from arena.referee.record import RECORD_VERSION
from arena.tournament.executor import Chunk
from arena.tournament.match import Entrant
from arena.wire.escape import printable

_SHOWN = 80


class Unfit(Exception):
    """A worker cannot play a match that others may be able to; the text says why."""


@dataclass(frozen=True, slots=True)
class Parcel:
    """A bot on its way."""

    digest: str
    files: tuple[File, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Lacking:
    """The answer to an errand whose bots are not all there."""

    digests: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Errand:
    """A chunk of matches on its way."""

    worker: str
    """Whom it is for, as `equipment` says it."""

    play: Callable[[Chunk], list[bytes]]
    chunk: Chunk
    """Without its seats."""

    bots: tuple[tuple[str, str], ...]
    """Name and digest, by seat."""

    parcels: tuple[Parcel, ...] = field(default=(), repr=False)

    @classmethod
    def of(
        cls,
        worker: str,
        play: Callable[[Chunk], list[bytes]],
        chunk: Chunk,
        parcels: tuple[Parcel, ...] = (),
    ) -> Self:
        """Return the errand of ``worker`` to do ``play(chunk)``, with bots that it lacks."""
        bots = tuple((seat.name, seat.digest) for seat in chunk[0].seats)
        bare = tuple(replace(task, seats=()) for task in chunk)
        return cls(worker, play, bare, bots, parcels)


class _Call:
    """Something that is done as soon as it is unpickled."""

    def __init__(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        self._what = function, arguments

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return self._what


def sealed(function: Callable[..., Any], *arguments: Any) -> io.BytesIO:  # noqa: ANN401 - any at all
    """Return the call of ``function`` as a file, which `pickle.load` does and returns its value.

    So whoever passes it on has no need of arena, nor of this version of it, and no log of theirs
    shows the key of a tournament among the arguments.
    """
    return io.BytesIO(pickle.dumps(_Call(function, arguments)))


def pack(chunk: Chunk, digests: Iterable[str]) -> tuple[Parcel, ...]:
    """Return the bots called ``digests``, out of the folders from which ``chunk`` would start them.

    Raises:
        HostFault: one of them was changed where it lies.
    """
    folders = {seat.digest: seat.program.folder for seat in chunk[0].seats}
    return tuple(Parcel(digest, _files(folders[digest], digest)) for digest in digests)


def _files(folder: Path, digest: str) -> tuple[File, ...]:
    try:
        bundle = bundle_of(read_folder(folder, complete=True), "")
    except (RecordError, UsageError) as error:
        raise HostFault(f"snapshot {printable(digest, _SHOWN)} is not there: {error}") from None
    if bundle.digest != digest:
        raise HostFault(f"snapshot {printable(digest, _SHOWN)} is damaged")
    return bundle.files


def perform(errand: Errand, cache: Path) -> list[bytes] | Lacking:
    """Play what ``errand`` asks for in this process; return the records, or what else it takes.

    Args:
        errand: the matches.
        cache: the folder in which this machine keeps bots, each unpacked under its digest.

    Raises:
        HostFault: one of the matches is void.
        Unfit: this machine lacks what a bot needs to run.
    """
    for parcel in errand.parcels:
        _keep(parcel, cache)
    programs: dict[str, Program] = {}
    lacking: list[str] = []
    for digest in dict.fromkeys(digest for _, digest in errand.bots):
        try:
            programs[digest] = _program(digest, cache)
        except HostFault:
            if any(parcel.digest == digest for parcel in errand.parcels):
                raise
            lacking.append(digest)
    if lacking:
        return Lacking(tuple(lacking))
    seats = tuple(Entrant(name, digest, programs[digest]) for name, digest in errand.bots)
    return errand.play(tuple(replace(task, seats=seats) for task in errand.chunk))


def _keep(parcel: Parcel, cache: Path) -> None:
    """Unpack ``parcel`` in ``cache``, unless it is not what it says."""
    try:
        bundle = bundle_of(parcel.files, "")
    except RecordError as error:
        raise HostFault(f"a bot arrived damaged: {error}") from None
    if bundle.digest != parcel.digest:
        raise HostFault(f"a bot arrived damaged: it is no {printable(parcel.digest, _SHOWN)}")
    unpack(bundle, _place(parcel.digest, cache))


def _program(digest: str, cache: Path) -> Program:
    """Return how to start the bot called ``digest``; raise `HostFault` unless it is there."""
    folder = _place(digest, cache)
    bundle = bundle_of(_files(folder, digest), "")
    try:
        return Program(argv=tuple(argv(bundle.command, folder)), folder=folder)
    except UsageError as error:
        raise Unfit(str(error)) from None


def _place(digest: str, cache: Path) -> Path:
    return cache / digest.removeprefix("sha256:")[:32]


def cache_folder() -> Path:
    """Return where this machine keeps the bots that it was sent; it may be removed at any time.

    Raises:
        HostFault: the user has no home.
    """
    try:
        told = Path(os.environ.get("XDG_CACHE_HOME", ""))
        usual = told if told.is_absolute() else Path.home() / ".cache"
    except RuntimeError:
        raise HostFault("there is no home folder: set XDG_CACHE_HOME") from None
    return usual / "arena" / "snapshots"


def equipment(tier: str) -> dict[str, Any]:
    """Return what this process plays matches with, as plain data that any version can read.

    Args:
        tier: the one that is to be tried.
    """
    try:
        isolation(Tier(tier))
        lacking = ""
    except (UsageError, ValueError) as error:
        lacking = str(error)
    return {
        "arena": __version__,
        "record": RECORD_VERSION,
        "python": _python(),
        "rules": {name: game.rules_version for name, game in games().items()},
        "lacking": lacking,
    }


@dataclass(frozen=True, slots=True)
class Terms:
    """What a tournament demands of whoever plays its matches."""

    tier: Tier
    rules: Mapping[str, int]
    """Version of the rules, by game."""

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> Self:
        """Return the terms of a tournament with these ``parameters``."""
        return cls(Tier(parameters["tier"]), dict(parameters["rules_versions"]))

    def misfit(self, there: Mapping[str, Any]) -> str | None:
        """Return why a worker with the `equipment` ``there`` cannot play; ``None`` if it can."""
        wanted: tuple[tuple[str, object, object], ...] = (
            ("arena", there.get("arena"), __version__),
            ("records of version", there.get("record"), RECORD_VERSION),
            ("Python", there.get("python"), _python()),
            *(
                (f"the rules of {name} in version", there.get("rules", {}).get(name), version)
                for name, version in self.rules.items()
            ),
        )
        for what, found, needed in wanted:
            if found != needed:
                said = "none" if found is None else printable(str(found), _SHOWN)
                return f"{what} {needed} is needed, and it has {said}"
        lacking = there.get("lacking")
        return printable(str(lacking), 2 * _SHOWN) if lacking else None


def _python() -> str:
    return "{}.{}".format(*sys.version_info)
