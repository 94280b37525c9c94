from pathlib import Path

import pytest

from arena.errors import UsageError
from arena.players.submission import read_bundle


def script(path: Path, text: str = "import arena_bot\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_a_script_is_a_bot_called_like_it_with_the_sdk_beside_it(tmp_path: Path) -> None:
    bundle = read_bundle(script(tmp_path / "quick.py"))

    assert bundle.name == "quick"
    assert bundle.command == ("python", "quick.py")
    assert [file.path for file in bundle.files] == ["arena_bot.py", "bot.toml", "quick.py"]


def test_a_folder_is_a_bot_called_like_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script(tmp_path / "deep" / "main.py")
    monkeypatch.chdir(tmp_path / "deep")

    for path in (tmp_path / "deep", Path()):
        assert read_bundle(path).name == "deep"
        assert read_bundle(path).command == ("python", "main.py")


def test_a_manifest_decides_command_and_name_and_a_name_given_decides_more(tmp_path: Path) -> None:
    script(tmp_path / "bot.toml", 'command = ["./run", "fast"]\nname = "Racer"\n')
    script(tmp_path / "run", "#!/bin/sh\n").chmod(0o755)

    assert read_bundle(tmp_path).command == ("run", "fast")
    assert read_bundle(tmp_path).name == "Racer"
    assert read_bundle(tmp_path, "other").name == "other"


def test_how_a_bot_is_started_is_part_of_its_digest(tmp_path: Path) -> None:
    script(tmp_path / "bot.py")
    found = read_bundle(tmp_path)
    script(tmp_path / "bot.toml", 'command = ["python", "bot.py"]  # as found\nname = "x"')
    same = read_bundle(tmp_path)
    script(tmp_path / "bot.toml", 'command = ["python", "bot.py", "-v"]')
    other = read_bundle(tmp_path)

    assert same.digest == found.digest
    assert other.digest != found.digest


def test_rules_in_a_manifest_put_the_rules_into_the_snapshot(tmp_path: Path) -> None:
    script(tmp_path / "bot.py")
    script(tmp_path / "bot.toml", "rules = true")

    assert "arena/games/base.py" in [file.path for file in read_bundle(tmp_path).files]


@pytest.mark.parametrize(
    ("files", "name", "reason"),
    [
        ({}, None, "has no file in it"),
        ({"readme.txt": "x"}, None, "has no entry point"),
        ({"bot.py": " \n"}, None, r"the bot's script bot\.py is empty"),
        ({"bot.py": "x", "Bot.toml": "x"}, None, "differ only in case"),
        ({"bot.py": "x"}, "a/b", "cannot be called 'a/b'"),
        ({"bot.py": "x", "bot.toml": "name = 'a b'"}, None, "cannot be called 'a b'"),
        ({"bot.py": "x", "bot.toml": "name = 'You'"}, None, "cannot be called 'You': that is what"),
        ({"bot.py": "x"}, "you", "cannot be called 'you': that is what a person is called"),
        ({"bot.py": "x"}, None, "cannot be called 'no name'.*; rename it, or submit it"),
    ],
)
def test_what_is_no_bot_is_refused_in_one_line(
    files: dict[str, str], name: str | None, reason: str, tmp_path: Path
) -> None:
    folder = tmp_path / "no name"
    folder.mkdir()
    for path, text in files.items():
        script(folder / path, text)

    with pytest.raises(UsageError, match=reason) as caught:
        read_bundle(folder, name)

    assert str(caught.value).isprintable()


def test_a_missing_path_and_a_file_that_cannot_be_started_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no file or folder"):
        read_bundle(tmp_path / "gone.py")
    with pytest.raises(UsageError, match="nor executable: rename it or chmod"):
        read_bundle(script(tmp_path / "bot.txt"))


def test_a_linked_script_is_refused_so_that_no_other_file_gets_into_a_snapshot(
    tmp_path: Path,
) -> None:
    (tmp_path / "bot.py").symlink_to("/etc/passwd")

    with pytest.raises(UsageError, match="is a link"):
        read_bundle(tmp_path / "bot.py")
