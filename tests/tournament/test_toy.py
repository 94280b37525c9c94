"""A third party's game, and a bot for it, through the whole program: nothing is adapted to it."""

import json

import pytest

from arena.games.deal import Deal
from arena.store.db import open_store
from arena.store.tournaments import get_tournament
from tests import tuck_game
from tests.whole_arena import DICE, LAST, Arena, bot, named, suite

pytestmark = pytest.mark.slow

WISE = """
def points(action):
    return int(action.split('"card":')[1].split(",")[0]) if action.endswith("true") else 5
def best(number, legal):
    return max(range(len(legal)), key=lambda at: points(legal[at]))
play(best, ',"games":["tuck"]')
"""
"""Shows what is worth more than 5, and hides the rest: nobody can do better."""

STUMBLES = """
asked = []
def choose(number, legal):
    asked.append(number)
    if len(asked) == 2:
        sys.exit(4)
    return 0
play(choose)
"""


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Arena:
    """Return a home with four bots, in which one tournament of Tuck was played."""
    folder = tmp_path_factory.mktemp("toy")
    arena = Arena(folder / "home", site=tuck_game.install(folder / "site"))
    bodies = {"wise": WISE, "dice": DICE, "last": LAST, "faulty": STUMBLES}
    for name in ("wise", "dice"):
        out, remarks = arena.run("submit", str(bot(bodies[name], folder / name)), "--tier", "none")
        assert name in out + remarks
    visitors = [bot(bodies[name], folder / name) for name in ("last", "faulty")]
    everybody = f"wise,dice,{named(visitors)}"
    chosen = suite(folder / "s.toml", *(f"tuck table {size}" for size in (2, 3, 4)), deals=2)
    arena.run("tournament", "--suite", str(chosen), "--bots", everybody, "--tier", "none")
    return arena


def test_the_game_is_listed(arena: Arena) -> None:
    listed, _ = arena.run("games", "--format", "json")

    (row,) = (row for row in json.loads(listed) if row["game"] == "tuck")
    assert "2" in str(row["players"])
    assert "4" in str(row["players"])


def test_its_tournament_is_played_at_all_tables(arena: Arena) -> None:
    with open_store(arena.home) as store:
        progress = get_tournament(store, "short")

    # Pairs, tables of three and the one table of four, in all rotations of both deals.
    assert progress.played == progress.total == 2 * (6 * 2 + 4 * 3 + 1 * 4)
    assert progress.tournament.finished
    assert progress.tournament.parameters["rules_versions"] == {"tuck": 1}
    kinds = {match.split("/")[0] for match in arena.played(progress.tournament.id)}
    assert kinds == {"tuck-2p", "tuck-3p", "tuck-4p"}


def test_it_needs_no_suite(arena: Arena) -> None:
    planned, _ = arena.run("tournament", "tuck", "--bots", "wise,dice", "--dry-run", "-f", "json")

    assert [row["category"] for row in json.loads(planned)] == ["tuck-2p"]


def test_its_leaderboards_rank_who_plays_better(arena: Arena) -> None:
    tables, _ = arena.run("leaderboard", "tuck", "--format", "json")

    boards = {board["category"]: board for board in json.loads(tables)}
    assert boards.pop("overall")["categories"] == list(boards)
    assert set(boards) == {"tuck-2p", "tuck-3p", "tuck-4p"}
    for board in boards.values():
        rows = {row["bot"]: row for row in board["rows"]}
        assert set(rows) == {"wise", "dice", "last", "faulty"}
        assert (board["rows"][0]["bot"], board["rows"][-1]["bot"]) == ("wise", "faulty")
        assert board["rows"][0]["deals"] == 2


def test_its_faults_are_those_of_any_game(arena: Arena) -> None:
    played = arena.played(tournament(arena))

    for record in played.values():
        seats = [seat for seat, one in enumerate(record["seats"]) if one["bot"] == "faulty"]
        assert [fault["seat"] for fault in record["faults"]] == seats
        assert all(fault["text"] == "exited with status 4" for fault in record["faults"])
        assert all(record["ranks"][seat] == record["players"] for seat in seats)


def test_a_single_match_is_played_and_replayed(arena: Arena) -> None:
    played, remarks = arena.run(
        *("match", "tuck", "wise", "dice", "--format", "json", "--tier", "none")
    )

    record = json.loads(played)
    assert (record["game"], record["reason"]) == ("tuck", "finished")
    assert len(record["actions"]) == 4
    assert record["match"] in remarks
    shown, _ = arena.run("replay", record["match"], "--tournament", record["tournament"])
    assert shown.count("State(") == 4
    for action in record["actions"]:
        assert json.dumps(action["action"], separators=(",", ":")) in shown


def test_its_deals_are_those_of_the_protocol(arena: Arena) -> None:
    with open_store(arena.home) as store:
        key = get_tournament(store, "short").tournament.key

    for record in arena.played(tournament(arena)).values():
        deal = Deal(key, "tuck", "standard", record["players"], record["deal"])
        assert tuple(record["cards"]["deck"]) == deal.stream("deck").shuffled(tuck_game.DECK)


def tournament(arena: Arena) -> str:
    with open_store(arena.home) as store:
        return get_tournament(store, "short").tournament.id
