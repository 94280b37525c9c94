"""Writing what others need to check a tournament without the database."""

import csv
import io
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from arena import __version__
from arena.audit import format as files
from arena.audit.standings import COLUMNS, standings
from arena.errors import RecordError, UsageError
from arena.players.bundle import Bundle
from arena.ratings.leaderboard import leaderboards_of
from arena.ratings.result import Result
from arena.referee.chain import first_link, next_link, record_digest
from arena.referee.record import RECORD_VERSION, decode_record
from arena.store.audit import kept_matches, kept_schedule
from arena.store.db import Store
from arena.store.drops import list_drops
from arena.store.rulings import excused_matches, list_retired
from arena.store.snapshots import load_bundle
from arena.store.tournaments import Tournament, list_entries
from arena.wire.escape import printable
from arena.wire.messages import PROTOCOL

_SHOWN = 160
_FOLDER = 0o777
_PRIVATE = 0o700


@dataclass(frozen=True, slots=True)
class Written:
    """What an export holds."""

    scheduled: int
    matches: int
    head: str
    """Last link of the chain of digests, in hex."""


def export(store: Store, tournament: Tournament, folder: Path, *, bots: bool = False) -> Written:
    """Write all of ``tournament`` into the new ``folder``, which is there as a whole or not at all.

    Args:
        store: the home that it is in.
        tournament: whose secret may be shown.
        folder: it may be there, if it is empty. What is still to be kept secret can be read by its
            owner alone.
        bots: whether the snapshots of the bots go along.

    Raises:
        UsageError: ``folder`` is not empty or cannot be written, or a snapshot is not here.
        RecordError: a record is damaged.
    """
    with _new(folder, _PRIVATE if tournament.sealed else _FOLDER) as new:
        scheduled = _write_schedule(store, tournament.id, new / files.SCHEDULE)
        results, head = _write_records(store, tournament.id, new)
        _write_standings(store, tournament.id, results, new)
        (new / files.SUITE).write_text(suite_text(tournament), "utf-8")
        if bots:
            _write_bots(store, tournament.id, new / files.BOTS)
        facts = _facts(store, tournament, scheduled, len(results), head)
        plain = msgspec.json.decode(msgspec.json.encode(facts))
        text = json.dumps(plain, indent=2, ensure_ascii=False)
        (new / files.FACTS).write_text(f"{text}\n", "utf-8")
    return Written(scheduled, len(results), head)


def suite_text(tournament: Tournament) -> str:
    """Return the suite file with which the same deals can be played again."""
    lines = [f'name = "{tournament.suite}"', f'key = "{tournament.key.hex()}"']
    for category in tournament.parameters["categories"]:
        lines += ["", "[[category]]"]
        lines += [f"{name} = {json.dumps(category[name])}" for name in _CATEGORY]
    return "\n".join([*lines, ""])


_CATEGORY = ("game", "variant", "mode", "players", "deals")


def csv_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return standings as CSV; names need no escaping anywhere."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: _cell(row[name]) for name in COLUMNS})
    return out.getvalue()


def _cell(value: object) -> object:
    return str(value).lower() if isinstance(value, bool) else value


def json_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return standings as a JSON array, a row a line."""
    lines = ",\n".join(json.dumps(dict(row)) for row in rows)
    return f"[\n{lines}\n]\n" if rows else "[]\n"


def bot_line(bundle: Bundle) -> bytes:
    """Return a snapshot as a line of JSON, without the LF."""
    return msgspec.json.encode(
        files.BotFacts(
            digest=bundle.digest,
            files=tuple(
                files.FileFacts(path=file.path, mode=f"{file.mode:o}", content=file.content)
                for file in bundle.files
            ),
        )
    )


def _facts(
    store: Store, tournament: Tournament, scheduled: int, matches: int, head: str
) -> files.Facts:
    return files.Facts(
        export=files.EXPORT_VERSION,
        arena=__version__,
        protocol=PROTOCOL,
        record=RECORD_VERSION,
        tournament=tournament.id,
        name=tournament.name,
        created=tournament.created,
        finished=tournament.finished,
        suite=tournament.suite,
        parameters=msgspec.Raw(msgspec.json.encode(dict(tournament.parameters))),
        commitment=tournament.commitment,
        public_value=tournament.public_value,
        secret=None if tournament.secret is None else tournament.secret.hex(),
        key=tournament.key.hex(),
        unrated=tournament.unrated,
        entries=tuple(
            files.EntryFacts(bot=entry.bot, digest=entry.digest)
            for entry in list_entries(store, tournament.id)
        ),
        drops=tuple(
            files.DropFacts(
                category=drop.category,
                deal=drop.deal,
                table=drop.table,
                instead=drop.instead,
                reason=drop.reason,
            )
            for drop in list_drops(store, tournament.id)
        ),
        scheduled=scheduled,
        matches=matches,
        head=head,
    )


def _write_schedule(store: Store, tournament: str, path: Path) -> int:
    count = 0
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for match in kept_schedule(store, tournament):
            file.write(f"{match}\n")
            count += 1
    return count


def _write_records(store: Store, tournament: str, folder: Path) -> tuple[list[Result], str]:
    """Write the records and the chain; return the results, and the head of the chain."""
    link = first_link(tournament)
    results = []
    with (
        (folder / files.RECORDS).open("wb") as records,
        (folder / files.CHAIN).open("w", encoding="utf-8", newline="\n") as chain,
    ):
        for kept in kept_matches(store, tournament):
            try:
                # No standing needs the time of each decision, and they take the most room.
                result = replace(Result.of(decode_record(kept.record)), action_ms=())
                result.category.check()
            except (RecordError, UsageError) as error:
                raise RecordError(f"{tournament}: {kept.match}: {error}") from None
            results.append(result)
            link = next_link(link, record_digest(kept.record))
            records.write(kept.record + b"\n")
            chain.write(f"{link.hex()}  {kept.match}\n")
    return results, link.hex()


def _write_standings(
    store: Store, tournament: str, results: Sequence[Result], folder: Path
) -> None:
    excused = excused_matches(store, tournament)
    retired = {
        (one.category, one.bot): one for one in list_retired(store, [tournament])[tournament]
    }
    counted = [result for result in results if result.match not in excused]
    rows = standings(leaderboards_of(counted, retired))
    (folder / files.STANDINGS_CSV).write_text(csv_text(rows), "utf-8")
    (folder / files.STANDINGS_JSON).write_text(json_text(rows), "utf-8")


def _write_bots(store: Store, tournament: str, path: Path) -> None:
    entries = {entry.digest: entry.bot for entry in list_entries(store, tournament)}
    with path.open("wb") as file:
        for digest, bot in entries.items():
            file.write(bot_line(load_bundle(store, digest, bot)) + b"\n")


@contextmanager
def _new(folder: Path, mode: int) -> Iterator[Path]:
    """Yield a folder to write into; it is called ``folder`` once the context is left in order."""
    where = printable(str(folder), _SHOWN, cut="middle")
    try:
        if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
            raise UsageError(f"{where} is no folder: choose another")
        if folder.exists() and any(folder.iterdir()):
            raise UsageError(f"{where} is not empty: choose another folder, or empty it")
        folder.parent.mkdir(parents=True, exist_ok=True)
        new = Path(tempfile.mkdtemp(prefix=f".{folder.name[:100]}-", dir=folder.parent))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "no possible path"
        raise UsageError(f"cannot write in {where}: {reason}") from None
    try:
        yield new
        new.chmod(mode & ~_umask())
        os.replace(new, folder)  # noqa: PTH105 - in place of an empty folder
    except BaseException:
        shutil.rmtree(new, ignore_errors=True)
        raise


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
