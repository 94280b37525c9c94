"""``arena compare``: is one bot better than another, after no more matches than it takes?"""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.comparison import Live, print_result, size, tell_faults
from arena.cli.interrupts import interrupts
from arena.cli.isolation import isolation_wanted
from arena.cli.mistakes import Stopped
from arena.cli.options import (
    HOME,
    As,
    ExtraMs,
    Home,
    Jobs,
    MoveMs,
    SlotMs,
    StartMs,
    SuiteName,
    TierName,
    Variant,
    at_home,
    browsed,
    complete_bot,
    complete_bots,
    complete_game,
    complete_tournament,
    settings_at,
    store_at,
    words,
)
from arena.cli.places import CoresPerMatch, On, Oversubscribe, Place, place_at
from arena.cli.playing import Name, PublicValue, check_settled, keep, suite_wanted
from arena.cli.remarks import counted, remark
from arena.cli.render import Format
from arena.errors import HostFault, UsageError
from arena.games import games, get_game
from arena.games.base import AnyGame, Kind
from arena.players.names import check_name
from arena.players.sandbox import Isolation
from arena.ratings.sequential import (
    FINE,
    FIRST_LOOK,
    MOST_BLOCKS,
    RELEVANT,
    Verdict,
)
from arena.referee.category import Category, Mode
from arena.referee.limits import Limits
from arena.store.db import Store
from arena.store.matches import mean_ms
from arena.store.tournaments import Stage, Tournament, get_tournament, list_tournaments
from arena.tournament.compare import Blocks, Comparison, plan_comparison, play, so_far
from arena.tournament.entrants import Candidate, named
from arena.tournament.key import check_public_value
from arena.tournament.plan import Plan
from arena.tournament.runner import Stop

STATUSES = {Verdict.BETTER: 0, Verdict.NOT_BETTER: 1, Verdict.UNDECIDED: 3}
_LARGEST = 20_000
"""The most that ``--blocks`` can be."""


def _complete_first(context: typer.Context) -> list[str]:
    resumed = context.params.get("resume")
    return complete_tournament(context) if resumed else complete_bot(context)


BotA = Annotated[
    str | None,
    typer.Argument(
        metavar="A",
        help="A bot's name or path; behind --resume a comparison's id or name.",
        autocompletion=_complete_first,
    ),
]
BotB = Annotated[
    str | None,
    typer.Argument(metavar="B", help="The other bot.", autocompletion=complete_bot),
]
GameName = Annotated[
    str | None,
    typer.Option(
        "--game",
        metavar="GAME",
        help="A name from `arena games`; needed where both bots play several.",
        autocompletion=complete_game,
    ),
]
Players = Annotated[
    int | None,
    typer.Option(
        "--players", metavar="N", min=1, help="Seats at a table; by default as few as there are."
    ),
]
Others = Annotated[
    list[str] | None,
    typer.Option(
        "--field",
        metavar="BOT,BOT...",
        help="Bots in the other seats: A plays with them, and B in its place. Without them copies "
        "of A and B fill the table.",
        autocompletion=complete_bots,
    ),
]
Fine = Annotated[
    bool,
    typer.Option(
        "--fine",
        help=f"Look for an advantage of {FINE} instead of {RELEVANT} standard deviations of a "
        "block: about four times the blocks.",
    ),
]
MostBlocks = Annotated[
    int,
    typer.Option(
        "--blocks",
        metavar="N",
        min=FIRST_LOOK,
        max=_LARGEST,
        help="Undecided after so many blocks.",
    ),
]
Resume = Annotated[
    bool,
    typer.Option("--resume", help="Go on with comparison A, or without A with the newest stopped."),
]


def register(app: typer.Typer) -> None:
    """Add the command of this module to ``app``."""
    app.command(epilog="Example: arena compare mybot.py greedy --game donburiko")(compare)


def compare(  # noqa: PLR0913, PLR0917 - a command's options
    context: typer.Context,
    a: BotA = None,
    b: BotB = None,
    game: GameName = None,
    players: Players = None,
    variant: Variant = None,
    field: Others = None,
    fine: Fine = False,
    blocks: MostBlocks = MOST_BLOCKS,
    suite: SuiteName = None,
    name: Name = None,
    jobs: Jobs = None,
    on: On = None,
    cores_per_match: CoresPerMatch = None,
    oversubscribe: Oversubscribe = None,
    move_ms: MoveMs = None,
    extra_ms: ExtraMs = None,
    start_ms: StartMs = None,
    slot_ms: SlotMs = None,
    tier: TierName = None,
    public_value: PublicValue = "",
    resume: Resume = False,
    home: Home = HOME,
    form: As = Format.TABLE,
) -> None:
    """Say whether bot A is better than bot B, after no more matches than it takes to tell.

    The two play each deal in each other's seats, a block of matches; a co-operative game each by
    itself. A sequential test looks at every block from the 16th on, and is wrong in about 5 % of
    the cases. The 95 % interval of the mean holds at every block at once, for many blocks (it is
    asymptotic); there is none where all blocks came out the same. Exit status: 0 if A is better, 1
    if it is not by a relevant amount, 3 if that is still undecided after the last block.
    """
    settings = settings_at(home)
    place = place_at(context, on, jobs, cores_per_match, oversubscribe, settings)
    made = None
    if resume:
        check_settled(context)
        with store_at(home, create=False) as store:
            going = _stopped(store, a)
    elif a and b:
        chosen = suite_wanted(suite, public_value)
        limits = settings.limits_with(
            move_ms=move_ms, extra_ms=extra_ms, start_ms=start_ms, slot_ms=slot_ms
        )
        isolated = isolation_wanted(tier, settings)
        rules = get_game(game) if game is not None else None
        bots = _bots(home, [a, b, *(words(field, "--field") or ())], limits, isolated)
        made = plan_comparison(
            bots,
            _comparison(bots, rules or _only_game(bots), players, variant, blocks, fine=fine),
            limits,
            isolated.tier,
            suite=chosen,
            name=None if name is None else check_name(name, "a comparison"),
            public_value=check_public_value(public_value),
        )
        going = made.tournament
        place.prepare(going)
    else:
        raise UsageError("which two bots? `arena compare A B`, or --resume for a stopped one")
    with store_at(home) as store:
        # What is announced can be kept, or nobody would find it again.
        if made:
            _announce(store, made, place)
            keep(store, made)
        elif going.finished is None:
            place.prepare(going)
            remark(_size(store, going, place))
        played = _play(store, going, place, home)
    tell_faults(going.id, played, home)
    raise typer.Exit(STATUSES[print_result(going.id, played, form)])


def _stopped(store: Store, text: str | None) -> Tournament:
    """Return the comparison that ``text`` means, or the newest that was stopped."""
    if text:
        found = get_tournament(store, text).tournament
        Comparison.of(found)
        return found
    for one in reversed(list_tournaments(store)):
        if one.tournament.comparison and one.stage in {Stage.STOPPED, Stage.PLANNED}:
            return one.tournament
    raise UsageError("no comparison was stopped: `arena compare A B` begins one")


def _bots(
    home: Path, texts: Sequence[str], limits: Limits, isolated: Isolation
) -> Sequence[Candidate]:
    """Return the bots that ``texts`` mean, in their order."""
    with browsed(home) as store:
        return named(store, texts, limits, isolated.tier, isolated.build_in)


def _only_game(bots: Sequence[Candidate]) -> AnyGame:
    """Return the one game that all of ``bots`` play."""
    common = [game for game in games().values() if all(bot.plays(game.name) for bot in bots)]
    if len(common) == 1:
        return common[0]
    if not common:
        raise UsageError("there is no game that all of these bots play")
    which = " or ".join(f"--game {game.name}" for game in common)
    raise UsageError(f"which game? {which}")


def _comparison(
    bots: Sequence[Candidate],
    rules: AnyGame,
    players: int | None,
    variant: str | None,
    blocks: int,
    *,
    fine: bool,
) -> Comparison:
    a, b, *field = (bot.name for bot in bots)
    category = Category(
        rules.name,
        variant or rules.variants[0],
        Mode.TABLE if rules.kind is Kind.COMPETITIVE else Mode.SELF,
        players or rules.player_counts[0],
    )
    return Comparison(a, b, category, tuple(field), FINE if fine else RELEVANT, blocks)


def _size(store: Store, going: Tournament, place: Place) -> str:
    """Return what is to be played of ``going``, in a line."""
    blocks = so_far(store, going)
    wanted = blocks.comparison
    known = mean_ms(store).get(wanted.category.name)
    # A block alone keeps no more workers busy than it has matches, but others are played beside it.
    each = None if known is None else known / 1000 * len(wanted.line_ups) / place.at_once
    return size(going.id, blocks, place.workers, each)


def _announce(store: Store, made: Plan, place: Place) -> None:
    """Say what holds of the whole comparison, before the first match is."""
    going = made.tournament
    remark(_size(store, going, place))
    wanted = Comparison.of(going)
    digests = {name: bundle.digest for name, bundle in made.entries}
    if digests[wanted.a] == digests[wanted.b]:
        remark(f"{wanted.a} and {wanted.b} are the same files: whatever differs is chance")
    remark(f"unrated: {'; '.join(going.unrated)}")


def _play(store: Store, going: Tournament, place: Place, home: Path) -> Blocks:
    """Play what it takes to decide ``going``; the first Ctrl-C stops cleanly, the second at once.

    Raises:
        Stopped: it was stopped before its end; the text says how to go on.
    """
    stop = Stop()
    way_on = f"go on with: arena compare --resume {going.id}{at_home(home)}"
    blocks = None
    try:
        with Live(so_far(store, going).evidence.blocks) as report, interrupts(stop):
            blocks = play(store, going, place.most, report, stop, place.executors)
    except KeyboardInterrupt:
        pass
    except HostFault:
        remark(f"what was played is kept; {way_on}")
        raise
    there = get_tournament(store, going.id)
    if blocks is None or blocks.verdict is None:
        done = f"{there.played} of at most {counted(there.total, 'match', 'matches')}"
        raise Stopped(f"stopped after {done}; {way_on}")
    if there.tournament.secret is not None:
        remark(f"the secret was {there.tournament.secret.hex()}")
    return blocks
