import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import UsageError
from arena.players.files import EXECUTABLE, PLAIN, File
from arena.players.manifest import (
    Manifest,
    check_command,
    find_command,
    manifest_file,
    read_manifest,
    script_command,
    script_of,
)

FILES = {
    file.path: file
    for file in (
        File("bot.py", PLAIN, b"1"),
        File("run.sh", EXECUTABLE, b"1"),
        File("src/main.js", PLAIN, b"1"),
    )
}


def said(text: str) -> Manifest:
    return read_manifest(File("bot.toml", PLAIN, text.encode()), "folder")


def test_a_manifest_says_command_name_and_whether_rules_are_wanted() -> None:
    text = 'command = ["python", "bot.py", "--deep"]\nname = "deep"\nrules = true\n'

    assert said(text) == Manifest(("python", "bot.py", "--deep"), "deep", rules=True)
    assert said("") == Manifest(None, None, rules=False)


def test_a_manifest_says_how_a_bot_is_built_and_who_wrote_it_in_what() -> None:
    text = """
        build = [["make", "-j2"], ["strip", "bot"]]
        author = " Ada Lovelace "
        languages = ["C", "日本語"]
        """

    assert said(text) == Manifest(
        build=(("make", "-j2"), ("strip", "bot")),
        author="Ada Lovelace",
        languages=("C", "日本語"),
    )


BUILD = "build is a list of commands, such as"
LANGUAGES = "languages is a list of strings, such as"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("build = []", BUILD),
        ('build = "make"', BUILD),
        ('build = ["make"]', BUILD),
        ("build = [[]]", BUILD),
        ('build = [["make", 2]]', BUILD),
        ('build = [["a\\u0000"]]', r"the build has a control character: 'a\\x00'"),
        (f"build = {[['make']] * 33}", "build has 33 steps, and 32 is the most"),
        ('author = ["Ada"]', "author is a string"),
        ('author = "  "', "author is a string with something in it"),
        (f'author = "{"a" * 81}"', "author is too long: 80 characters is the most"),
        ('author = "Ada\\u202e"', r"author has characters to hide in: 'Ada\\u202e'"),
        ('languages = "C"', LANGUAGES),
        ("languages = [1]", LANGUAGES),
        ('languages = [""]', LANGUAGES),
        (f"languages = {['C'] * 9}", "8 languages is the most"),
        (f'languages = ["{"C" * 33}"]', "languages is too long: 32 characters"),
        ("auhtor = 1", "did you mean 'author'"),
        ("language = 1", "did you mean 'languages'"),
        ("command = ", "is not TOML"),
        ("command = [1]", "command is a list of strings"),
        ("command = []", "command is a list of strings"),
        ('command = ["python", ""]', "command is a list of strings"),
        ('command = "python bot.py"', "command is a list of strings"),
        ('command = ["python", "a\\u001bb"]', r"control character: 'a\\x1bb'"),
        ("rules = 1", "rules is true or false"),
        ("name = true", "name is a string"),
        ("comand = []", "no key 'comand'; did you mean 'command'"),
        ("[Rules]", "no key 'Rules'; did you mean 'rules'"),
        ("zzz = 1", "no key 'zzz'; there is author, build, command, languages, name, rules"),
        ('colour = "red"', "no key 'colour'; there is author, build"),
        ("x = " + "[" * 10_000, "is not TOML"),
        ("x = " + "9" * 10_000, "is not TOML|no key"),
        ("#" * 70_000, "longer than 64 KiB"),
    ],
)
def test_what_a_manifest_cannot_say_is_refused_in_one_line(text: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason) as caught:
        said(text)

    assert str(caught.value).startswith("folder/bot.toml")
    assert str(caught.value).isprintable()


def test_a_byte_order_mark_before_a_manifest_says_nothing() -> None:
    assert said('\ufeffname = "deep"\n') == said('name = "deep"\n')


def test_a_manifest_that_is_not_utf_8_is_refused() -> None:
    with pytest.raises(UsageError, match="is not TOML"):
        read_manifest(File("bot.toml", PLAIN, b"name = '\xff'"), "folder")


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (("python", "./bot.py", "-v"), ("python", "bot.py", "-v")),
        (("python", "-O", "bot.py"), ("python", "-O", "bot.py")),
        (("python", "-W", "ignore", "./bot.py"), ("python", "-W", "ignore", "bot.py")),
        (("./run.sh", "./bot.py", "./other"), ("run.sh", "bot.py", "./other")),
        (("python", "-m", "package"), ("python", "-m", "package")),
        (("node", "src/../src/main.js"), ("node", "src/main.js")),
        (("./run.sh", "fast"), ("run.sh", "fast")),
    ],
)
def test_a_command_is_made_plain(command: tuple[str, ...], expected: tuple[str, ...]) -> None:
    assert check_command(command, FILES, "folder") == expected


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (("/bin/sh", "run.sh"), "begins with python, node or a file of the folder"),
        (("../run.sh",), "not with '../run.sh'"),
        (("python3", "bot.py"), "did you mean 'python'"),
        (("runn.sh",), "did you mean 'run.sh'"),
        (("bot.py",), "bot.py is not executable: chmod"),
        (("python",), "says no script for python"),
        (("node", "--inspect"), "says no script for node"),
        (("python", "gone.py"), "names 'gone.py', which is no file of the bot"),
    ],
)
def test_a_command_that_would_start_nothing_is_refused(
    command: tuple[str, ...], reason: str
) -> None:
    with pytest.raises(UsageError, match=reason):
        check_command(command, FILES, "folder")


@pytest.mark.parametrize(
    ("name", "mode", "expected"),
    [
        ("bot.py", PLAIN, ("python", "bot.py")),
        ("main.py", PLAIN, ("python", "main.py")),
        ("bot.js", EXECUTABLE, ("node", "bot.js")),
        ("bot", EXECUTABLE, ("bot",)),
    ],
)
def test_an_entry_point_is_known_by_its_name(
    name: str, mode: int, expected: tuple[str, ...]
) -> None:
    files = {"other.py": File("other.py", PLAIN, b"1"), name: File(name, mode, b"1")}

    assert find_command(files, "folder") == expected


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (("python", "-O", "bot.py", "run.sh"), "bot.py"),
        (("run.sh", "bot.py"), "run.sh"),
        (("python", "-m", "package", "bot.py"), None),
    ],
)
def test_the_file_that_is_started_is_told_from_its_arguments(
    command: tuple[str, ...], expected: str | None
) -> None:
    assert script_of(command, FILES) == expected


def test_a_folder_with_no_or_several_entry_points_is_refused() -> None:
    program = File("bot", PLAIN, b"1")
    script = File("bot.py", PLAIN, b"1")
    other = File("bot.js", PLAIN, b"1")

    with pytest.raises(UsageError, match=r"folder has no entry point: it needs bot\.py, main\.py"):
        find_command({"bot": program}, "folder")
    with pytest.raises(UsageError, match=r"several entry points \(bot\.py, bot\.js\)"):
        find_command({"bot.py": script, "bot.js": other}, "folder")


def test_a_single_file_is_started_by_its_suffix_or_else_by_itself() -> None:
    assert script_command(File("x.PY", PLAIN, b"1"), "x.PY") == ("python", "x.PY")
    assert script_command(File("x.rb", EXECUTABLE, b"1"), "x.rb") == ("x.rb",)
    with pytest.raises(UsageError, match="nor executable: rename it or chmod"):
        script_command(File("x.rb", PLAIN, b"1"), "x.rb")


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("bot.toml", "bot.toml is no bot but says how one is started: name its folder"),
        ("x.CPP", "x.CPP has to be built: put it into a folder, with a bot.toml that says build"),
    ],
)
def test_a_single_file_that_starts_nothing_belongs_into_a_folder(path: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        script_command(File(path, PLAIN, b"1"), path)


WORDS = st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1)


COMMANDS = st.lists(WORDS, min_size=1).map(tuple)


@given(command=COMMANDS)
def test_the_written_manifest_says_the_command_and_nothing_else(command: tuple[str, ...]) -> None:
    file = manifest_file(command)

    assert tomllib.loads(file.content.decode()) == {"command": list(command)}
    assert read_manifest(file, "folder") == Manifest(command)


@given(command=COMMANDS, build=st.lists(COMMANDS, min_size=1, max_size=4).map(tuple))
def test_the_written_manifest_says_how_the_bot_was_built(
    command: tuple[str, ...], build: tuple[tuple[str, ...], ...]
) -> None:
    assert read_manifest(manifest_file(command, build), "folder") == Manifest(command, build=build)
