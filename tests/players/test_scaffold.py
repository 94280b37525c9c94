import resource
import shutil
import tomllib
from pathlib import Path

import pytest

from arena.bundled import bundled
from arena.errors import UsageError
from arena.players.scaffold import LANGUAGES, PLACEHOLDER, lacking, scaffold
from arena.players.submission import read_bundle

SDK = bundled("protocol") / "sdk"
ALL = list(LANGUAGES)


@pytest.mark.parametrize("language", ALL)
def test_a_new_folder_holds_all_that_a_bot_needs(language: str, tmp_path: Path) -> None:
    files = scaffold("clever", language, tmp_path)

    assert files == sorted((tmp_path / "clever").iterdir())
    names = {file.name for file in files}
    assert {"bot.toml", "README.md", ".gitignore", *LANGUAGES[language].library} < names
    assert any(file.stem == "main" for file in files)


@pytest.mark.parametrize("language", ALL)
def test_the_bot_is_called_as_its_folder_in_all_of_its_files(language: str, tmp_path: Path) -> None:
    files = scaffold("clever", language, tmp_path)

    own = [file for file in files if file.name not in LANGUAGES[language].library]
    assert all(PLACEHOLDER not in file.read_text() for file in own)
    assert tomllib.loads((tmp_path / "clever" / "bot.toml").read_text())["name"] == "clever"
    assert (tmp_path / "clever" / "README.md").read_text().startswith("# clever\n")


@pytest.mark.parametrize("language", ALL)
def test_the_library_is_that_of_the_sdk(language: str, tmp_path: Path) -> None:
    scaffold("clever", language, tmp_path)

    its = LANGUAGES[language]
    for file in its.library:
        assert (tmp_path / "clever" / file).read_bytes() == (SDK / its.folder / file).read_bytes()


def test_a_snapshot_holds_the_library_of_the_folder(tmp_path: Path) -> None:
    scaffold("clever", "python", tmp_path)

    bundle = read_bundle(tmp_path / "clever")

    assert (bundle.name, bundle.command) == ("clever", ("python", "main.py"))
    assert bundle.languages == ("Python",)
    assert [file.path for file in bundle.files].count("arena_bot.py") == 1


@pytest.mark.parametrize("kind", ["a file", "a folder", "an empty folder", "a dangling link"])
def test_what_is_there_is_left_alone(kind: str, tmp_path: Path) -> None:
    there = tmp_path / "clever"
    if kind == "a file":
        there.write_text("mine")
    elif kind == "a dangling link":
        there.symlink_to("nowhere")
    else:
        there.mkdir()
        (there / "mine").write_text("mine") if kind == "a folder" else None

    with pytest.raises(UsageError, match="clever is there already"):
        scaffold("clever", "python", tmp_path)

    assert list(tmp_path.iterdir()) == [there]
    assert not (there / "main.py").exists()


@pytest.mark.parametrize(
    "name", ["", ".", "..", "a/b", "/a", ".a", "a b", "a\x1b[1m", "é", "a" * 33]
)
def test_a_name_that_no_bot_can_have_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="a bot cannot be called"):
        scaffold(name, "python", tmp_path)

    assert list(tmp_path.iterdir()) == []


def test_a_place_that_is_not_there_is_a_mistake_of_the_user(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot write .*clever: No such file or directory"):
        scaffold("clever", "python", tmp_path / "nowhere")


def test_nothing_is_left_of_a_folder_that_could_not_be_finished(tmp_path: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, before[1]))
    try:
        with pytest.raises(UsageError, match=r"cannot write .*clever: File too large"):
            scaffold("clever", "python", tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)

    assert list(tmp_path.iterdir()) == []


def test_what_a_machine_lacks_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    assert lacking("python") == ""
    assert (lacking("cpp") == "") is (shutil.which("g++") is not None)

    monkeypatch.setenv("PATH", "/nowhere")

    assert lacking("js") == "node, which bots in JavaScript run on, is not installed"
