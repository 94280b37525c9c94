"""``arena export`` and ``arena import``: a tournament as files, and back."""

from pathlib import Path
from typing import Annotated

import typer

from arena.audit.export import export as write_export
from arena.audit.imports import Export, import_export
from arena.audit.verify import verify_account
from arena.cli.options import (
    HOME,
    Home,
    Jobs,
    Operator,
    at_home,
    check_shown,
    complete_tournament,
    settings_at,
    shown,
    store_at,
    workers_wanted,
)
from arena.cli.remarks import counted, remark
from arena.cli.verify import told_so_far
from arena.players.files import typed
from arena.store.tournaments import get_tournament

TournamentName = Annotated[
    str,
    typer.Argument(
        metavar="TOURNAMENT", help="Its id or name.", autocompletion=complete_tournament
    ),
]
NewFolder = Annotated[
    Path, typer.Argument(metavar="DIR", help="A new or an empty folder.", parser=typed)
]
WithBots = Annotated[bool, typer.Option("--bots", help="Let the snapshots of the bots go along.")]
ExportFolder = Annotated[
    Path, typer.Argument(metavar="DIR", help="What `arena export` wrote.", parser=typed)
]


def register(app: typer.Typer) -> None:
    """Add the commands of this module to ``app``."""
    app.command(epilog="Example: arena export spring spring-export --bots")(export)
    app.command("import", epilog="Example: arena import spring-export --home spring")(import_)


def export(
    tournament: TournamentName,
    folder: NewFolder,
    bots: WithBots = False,
    operator: Operator = False,
    home: Home = HOME,
) -> None:
    """Write a tournament as files: all that others need to check it.

    Records, schedule, standings, suite, key and secret, with a chain of digests over the records.
    """
    with store_at(home, create=False) as store:
        progress = get_tournament(store, tournament)
        found = progress.tournament
        check_shown(found, operator=operator)
        written = write_export(store, found, folder, bots=bots)
    of = f"{written.matches} of {counted(progress.total, 'match', 'matches')}"
    remark(f"{found.id}: {of} in {shown(folder)}, head {written.head}")


def import_(
    folder: ExportFolder,
    jobs: Jobs = None,
    home: Home = HOME,
) -> None:
    """Verify an export, and keep it in a home, where it can be looked at like any tournament.

    Nothing is kept of one in which something differs: that is said, with exit status 1.
    """
    workers = workers_wanted(jobs, settings_at(home))
    told_by = Export(folder)
    with told_so_far(told_by.total) as told:
        done = verify_account(told_by, jobs=workers, told=told)
    with store_at(home) as store:
        import_export(store, told_by, done.head)
    said = counted(done.matches, "match", "matches")
    remark(f"{done.tournament}: {said} verified and kept")
    remark(f"look at it: arena leaderboard -t {done.tournament}{at_home(home)}")
