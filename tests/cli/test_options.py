from pathlib import Path

import pytest

from arena.cli.options import (
    at_home,
    browsed,
    elsewhere,
    one_of,
    quoted,
    settings_at,
    sizes,
    store_at,
    tournament_id,
    words,
    workers_wanted,
)
from arena.errors import UsageError
from arena.store.bots import list_bots
from arena.tournament.machine import cores
from arena.tournament.settings import Settings
from tests.command_line import NO_TIER, CommandLine


@pytest.mark.parametrize(
    ("text", "parts"), [("a", ["a"]), ("a,b", ["a", "b"]), (" a , ,b c, ", ["a", "b c"])]
)
def test_names_stand_between_commas(text: str, parts: list[str]) -> None:
    assert words([text], "--bots") == parts


def test_what_a_repeated_option_says_adds_up() -> None:
    assert words(["a", "b,c", "a"], "--bots") == ["a", "b", "c", "a"]
    assert sizes(["2", "4,3", "2"]) == [2, 3, 4]


def test_an_option_that_is_not_given_is_not_an_empty_one() -> None:
    assert words(None, "--bots") is None
    assert sizes(None) is None
    with pytest.raises(UsageError, match="--bots is empty"):
        words([" , "], "--bots")


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("2", [2]), ("2,4", [2, 4]), ("4,2,2", [2, 4]), ("2-4", [2, 3, 4]), ("2-3,3-4", [2, 3, 4])],
)
def test_sizes_are_numbers_and_ranges_of_them(text: str, numbers: list[int]) -> None:
    assert sizes([text]) == numbers


@pytest.mark.parametrize("text", ["x", "2-", "-2", "2..4", "1000", "٢", "2 3", "\x1b[2J"])
def test_what_is_no_size_is_named_in_the_message(text: str) -> None:
    with pytest.raises(UsageError, match="--players takes numbers") as refused:
        sizes([text])

    assert "\x1b" not in str(refused.value)


def test_a_range_of_sizes_does_not_run_backwards() -> None:
    with pytest.raises(UsageError, match="4-2 runs backwards"):
        sizes(["4-2"])


def test_a_choice_of_numbers_reads_like_one() -> None:
    assert [one_of([2]), one_of([2, 3]), one_of((2, 3, 4))] == ["2", "2 or 3", "2, 3 or 4"]


def test_there_are_as_many_workers_as_cores_unless_the_user_says() -> None:
    assert workers_wanted(None, Settings()) == len(cores())
    assert workers_wanted(None, Settings(jobs=3)) == 3
    assert workers_wanted(7, Settings(jobs=3)) == 7


def test_a_home_in_a_command_to_be_typed_is_quoted_where_it_has_to_be() -> None:
    assert at_home(Path("results")) == ""
    assert at_home(Path("/a/b")) == " --home /a/b"
    assert at_home(Path("it's $(id)")) == """ --home 'it'"'"'s $(id)'"""


@pytest.mark.parametrize(
    ("path", "typed"),
    [("a/b.py", "a/b.py"), ("a b", "'a b'"), ("-b.py", "./-b.py"), ("~/b.py", "'./~/b.py'")],
)
def test_a_path_in_a_command_to_be_typed_means_the_same_file(path: str, typed: str) -> None:
    assert quoted(Path(path)) == typed
    assert at_home(Path(path)) == f" --home {typed}"


def test_a_match_can_be_in_several_tournaments(played: CommandLine) -> None:
    match = "donburiko-2p/0/first+last"
    single = played("match", "donburiko", *played.bots("first", "last").split(","), *NO_TIER)
    assert single.status == 0

    with store_at(played.home) as store:
        cup, one = tournament_id(store, "cup"), tournament_id(store, "match-1")
        assert cup
        assert one
        assert tournament_id(store, None) is None
        assert (elsewhere(store, match, cup), elsewhere(store, match, one)) == ([one], [cup])


def test_settings_in_the_current_folder_alone_are_said_not_to_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "arena.toml").write_text("jobs = 3")
    (tmp_path / "results").mkdir()

    assert settings_at(Path()).jobs == 3
    assert capsys.readouterr().err == ""
    assert settings_at(Path("results")) == Settings()
    assert capsys.readouterr().err == (
        f"./arena.toml is not read: settings are kept in {tmp_path}/results/arena.toml\n"
    )
    (tmp_path / "results" / "arena.toml").write_text("jobs = 4")
    assert settings_at(Path("results")).jobs == 4
    assert capsys.readouterr().err == ""


def test_whoever_looks_around_leaves_nothing_behind(tmp_path: Path) -> None:
    with browsed(tmp_path / "home") as store:
        assert list_bots(store) == []
        elsewhere = store.home

    assert not (tmp_path / "home").exists()
    assert not elsewhere.exists()


def test_whoever_looks_around_in_a_home_sees_what_is_kept_there(tmp_path: Path) -> None:
    with store_at(tmp_path) as store:
        kept = store.path

    with browsed(tmp_path) as store:
        assert store.path == kept


HOMES = [
    ("file", "file is not a folder"),
    ("file/below", "file/below is not a folder"),
    ("loop", "cannot read .*loop: Too many levels"),
    ("x" * 300, "cannot read .*xx…xx.*: File name too long"),
    ("a\0b", "cannot read .*a.x00b: no possible path"),
]


@pytest.mark.parametrize(("name", "why"), HOMES)
@pytest.mark.parametrize("create", [False, True])
def test_a_home_that_cannot_be_one_is_a_mistake_of_one_line(
    name: str, why: str, create: bool, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "loop").symlink_to("loop")

    with pytest.raises(UsageError, match=why), browsed(tmp_path / name):
        pass
    with (
        pytest.raises(UsageError, match=r"another --home|is not a folder"),
        store_at(tmp_path / name, create=create),
    ):
        pass


COMMANDS = [
    ["bots"],
    ["tournaments"],
    ["leaderboard"],
    ["replay", "x"],
    ["bots", "remove", "x"],
    ["tournament", "--resume", "x"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_no_command_reads_a_home_that_is_a_file(command: list[str], arena: CommandLine) -> None:
    arena.home.write_text("something else")

    assert "is not a folder: choose another --home" in arena.refuses(*command)
    assert arena.home.read_text() == "something else"


@pytest.mark.parametrize("command", COMMANDS[2:], ids=" ".join)
def test_what_needs_something_kept_says_what_comes_first(
    command: list[str], arena: CommandLine
) -> None:
    assert f"nothing is kept in {arena.home} yet" in arena.refuses(*command)
    assert not arena.home.exists()


def test_a_tilde_that_the_shell_left_alone_is_the_folder_of_the_user(
    arena: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(arena.folder / "ada"))
    (arena.folder / "ada").mkdir()
    arena.script(name="ada/a.py")
    mine = arena.folder / "ada" / "mine"
    words = ["donburiko", "--bots", "first_legal,~/a.py", "--deals", "1", *NO_TIER]

    assert "is a bot and no game" in arena.refuses("tournament", "~/a.py")
    assert "~/none.toml" not in (said := arena.refuses("tournament", "--suite=~/none.toml"))
    assert "ada/none.toml: no such file" in said
    assert arena("tournament", *words, "--home=~/mine", "--players", "2").status == 0
    assert arena("export", "arena", "~/out", "--home=~/mine").status == 0
    assert arena("verify", "--records=~/out").status == 0
    assert arena("import", "~/out", "--home=~/theirs").status == 0
    monkeypatch.setenv("ARENA_HOME", "~/mine")
    assert arena("submit", "~/a.py", *NO_TIER).status == 0
    assert f"{mine}" not in arena("bots").err
    assert {one.name for one in arena.folder.iterdir()} == {"ada"}


def test_the_home_is_the_option_or_else_of_the_environment_or_else_results(
    arena: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert f"registered in {arena.folder}/here yet" in arena("bots", "--home", "here").err
    assert f"registered in {arena.home} yet" in arena("bots").err
    monkeypatch.delenv("ARENA_HOME")
    assert f"registered in {arena.folder}/results yet" in arena("bots").err
