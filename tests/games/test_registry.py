import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import UsageError
from arena.games import BUILT_IN, ENTRY_POINTS, closest, games, get_game
from arena.games.base import Game, Kind, Public, by_name, standing
from tests import tuck_game
from tests.tuck_game import TUCK

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("donburiko", "couperation")


@pytest.fixture(autouse=True)
def fresh_registry() -> Iterator[None]:
    """The registry looks at installed packages once; here they change from test to test."""
    games.cache_clear()
    yield
    games.cache_clear()


def offer(site: Path, *lines: str, name: str = "extra") -> None:
    """Make ``site`` hold a package with entry points of the group for games."""
    facts = site / f"{name}-1.0.dist-info"
    facts.mkdir(parents=True)
    (facts / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text("\n".join([f"[{ENTRY_POINTS}]", *lines, ""]))


# The registry


def test_the_built_in_games_are_there() -> None:
    assert tuple(game.name for game in BUILT_IN) == NAMES
    assert [get_game(name).name for name in NAMES] == list(NAMES)


def test_an_installed_package_adds_its_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tuck_game.install(tmp_path / "site"))

    assert list(games()) == [*NAMES, "tuck"]
    assert get_game("tuck").player_counts == (2, 3, 4)


def test_the_registry_looks_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = games()
    monkeypatch.syspath_prepend(tuck_game.install(tmp_path / "site"))

    assert games() is before


def test_entry_points_of_other_groups_are_no_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    offer(tmp_path, "[console_scripts]", "tuck = tuck_game:TUCK")
    monkeypatch.syspath_prepend(tmp_path)

    assert list(games()) == list(NAMES)


def test_what_is_not_a_game_is_refused_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    offer(tmp_path, "chess = os:getcwd")
    monkeypatch.syspath_prepend(tmp_path)

    with pytest.raises(UsageError, match=r"'chess' of arena\.games is not a Game: os:getcwd"):
        games()


@pytest.mark.parametrize("point", ["nowhere:GAME", "os:nothing", "this is no point"])
def test_an_entry_point_that_cannot_be_imported_is_named(
    point: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    offer(tmp_path, f"chess = {point}")
    monkeypatch.syspath_prepend(tmp_path)

    with pytest.raises(UsageError, match=r"'chess' of arena\.games cannot be imported: "):
        games()


def test_a_name_that_is_taken_stays_with_the_game_that_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    offer(tmp_path, "acorns = arena.games.donburiko:DONBURIKO")
    monkeypatch.syspath_prepend(tmp_path)

    with pytest.raises(UsageError, match="'acorns' takes the name of another game: donburiko"):
        games()


def test_two_packages_cannot_offer_one_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tuck_game.install(tmp_path / "site"))
    offer(tmp_path / "twice", "tuck2 = tuck_game:TUCK", name="twice")
    monkeypatch.syspath_prepend(tmp_path / "twice")

    with pytest.raises(UsageError, match="takes the name of another game: tuck"):
        games()


# Names


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("donburico", "; did you mean 'donburiko'?"),
        ("cooperation", "; did you mean 'couperation'?"),
        ("chess", "; there is couperation, donburiko"),
        ("", "; there is couperation, donburiko"),
    ],
)
def test_a_game_that_is_not_there_gets_the_closest_name(name: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        get_game(name)

    assert str(caught.value) == f"no game is called {name!r}{hint}"


def test_there_is_no_hint_where_nothing_is_known() -> None:
    assert closest("tuck", []) == ""


def test_a_long_list_of_names_is_cut() -> None:
    assert closest("tuck", [f"game{number:02}" for number in range(40)]).endswith("game11, …")


def test_games_are_found_by_name() -> None:
    assert by_name([TUCK, *BUILT_IN])["tuck"] is TUCK


def test_two_games_cannot_share_a_name() -> None:
    with pytest.raises(ValueError, match=r"two games share a name: \['tuck', 'tuck'\]"):
        by_name([TUCK, TUCK])


# The contract


@pytest.mark.parametrize(
    ("points", "places"),
    [
        ((21, 9, 14), (1, 3, 2)),
        ((7, 7, 3), (1, 1, 3)),
        ((7, 3, 3), (1, 2, 2)),
        ((5, 5, 5, 5), (1, 1, 1, 1)),
        ((-1, 0), (2, 1)),
        ((4,), (1,)),
        ((), ()),
    ],
)
def test_ties_share_a_place_and_the_next_is_skipped(
    points: tuple[int, ...], places: tuple[int, ...]
) -> None:
    assert standing(points) == places


@given(st.lists(st.integers(-3, 3), max_size=6))
def test_more_points_are_a_better_place(points: list[int]) -> None:
    places = standing(points)

    assert [places.index(place) for place in sorted(set(places))] == [
        points.index(value) for value in sorted(set(points), reverse=True)
    ]
    assert all(place == 1 + sorted(places).index(place) for place in places)


def test_a_public_value_refuses_fields_that_it_does_not_have() -> None:
    with pytest.raises(msgspec.ValidationError, match="unknown field"):
        msgspec.json.decode(b'{"type":"play","card":1,"up":true,"x":1}', type=tuck_game.Play)


def test_a_state_is_never_public() -> None:
    chance = tuck_game.Recorded(tuck_game.Cards(deck=tuck_game.DECK))

    assert not isinstance(TUCK.deal(chance, 2, "standard"), Public)


@pytest.mark.parametrize("game", BUILT_IN, ids=lambda game: game.name)
def test_a_built_in_game_states_its_facts(game: Game[object, Public, Public]) -> None:
    assert game.name.isalnum()
    assert game.name == game.name.lower()
    assert game.rules_version >= 1
    assert list(game.player_counts) == sorted(set(game.player_counts))
    assert game.variants[0] == "standard"
    assert (game.best_score is not None) == (game.kind is Kind.COOPERATIVE)


def test_a_bot_can_use_the_rules_without_the_rest_of_arena() -> None:
    program = "import arena.games, sys; print(*sorted(m for m in sys.modules if 'arena' in m))"
    command = [sys.executable, "-c", program]
    loaded = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True).stdout

    assert {name for name in loaded.split() if not name.startswith("arena.games")} == {
        "arena",
        "arena.errors",
    }
