"""The specification says all that the types say, and its examples are true."""

import hashlib
import json
import re
from typing import Any

import msgspec
import pytest

from arena import __version__
from arena.errors import BotFault, FaultCode
from arena.games import BUILT_IN, get_game
from arena.games.base import AnyGame
from arena.games.deal import Deal, Stream
from arena.players import build
from arena.players.bundle import digest_of
from arena.players.files import (
    MAX_BYTES,
    MAX_DEPTH,
    MAX_FILES,
    MAX_NAME_BYTES,
    MAX_PATH_BYTES,
    PLAIN,
    File,
)
from arena.players.manifest import (
    LONGEST_AUTHOR,
    LONGEST_LANGUAGE,
    MOST_LANGUAGES,
    MOST_STEPS,
    Manifest,
    read_manifest,
)
from arena.referee.category import Category, Mode
from arena.referee.fixture import Fixture
from arena.referee.limits import Limits
from arena.referee.play import Played, play
from arena.referee.player import Player
from arena.referee.record import (
    ActionRecord,
    FaultRecord,
    MatchRecord,
    Measured,
    Offending,
    SeatRecord,
    decode_record,
    encode_record,
)
from arena.referee.replay import replay
from arena.tournament.key import canonical_json, commitment, tournament_id, tournament_key
from arena.tournament.suite import load_suite
from arena.wire.messages import Act, Action, End, Error, Hello, HelloLimits, Quit, Ready, Start
from tests import spec_chance
from tests.protocol_files import SPEC, Vector, misfits

TEXT = SPEC.read_text("utf-8")
ZERO = bytes(32)
MESSAGES = (Hello, Ready, Start, Act, Action, End, Error, Quit)
RECORDED = (SeatRecord, ActionRecord, FaultRecord, Measured, Offending, Limits)


def section(heading: str) -> str:
    """Return the text from the heading that begins with ``heading`` to the next of its level."""
    level = heading.count("#")
    begun = TEXT[TEXT.index(f"\n{heading}") + 1 :]
    return re.split(rf"\n#{{2,{level}}} ", begun, maxsplit=1)[0]


def table(text: str, first: str = "field") -> list[str]:
    """Return what stands in backticks in the first column of the first table of ``text``."""
    rows, _, _ = text[text.index(f"| {first} |") :].partition("\n\n")
    cells = [row.split("|")[1] for row in rows.strip().splitlines()]
    return [name for cell in cells for name in re.findall(r"`([a-z_]+)`", cell)]


def fenced(language: str) -> list[str]:
    """Return the blocks of code of ``language``."""
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)


def json_lines() -> list[Any]:
    """Return every line of every block of JSON, parsed."""
    return [json.loads(line) for block in fenced("json") for line in block.splitlines()]


def chance_lines() -> list[Vector]:
    return [value for value in json_lines() if isinstance(value, dict) and "key" in value]


# What the types say


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: message.__name__)
def test_every_field_of_a_message_has_its_row_in_the_order_of_the_wire(
    message: type[msgspec.Struct],
) -> None:
    kind = message.__struct_config__.tag
    number = 1 + MESSAGES.index(message)

    rows = table(section(f"### 3.{number} `{kind}` ("))

    assert rows == ["type", *message.__struct_fields__]


def test_every_field_of_a_record_has_its_row_in_the_order_of_the_file() -> None:
    rows = table(section("## 10."))

    assert rows == list(MatchRecord.__struct_fields__)


@pytest.mark.parametrize("part", RECORDED, ids=lambda part: part.__name__)
def test_every_field_inside_a_record_is_named(part: type[msgspec.Struct]) -> None:
    text = section("## 10.")

    assert [field for field in part.__struct_fields__ if f"`{field}`" not in text] == []


def test_every_limit_has_its_row_with_the_usual_value() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (\d+) \|", section("### Limits"), re.MULTILINE)
    usual = msgspec.structs.asdict(Limits())
    (hello,) = (line for line in section("### 3.1").splitlines() if "| `limits` |" in line)

    assert {name: int(value) for name, value in rows} == usual
    assert tuple(re.findall(r"`(\w+_\w+|processes)`", hello)) == HelloLimits.__struct_fields__


def test_what_a_bot_may_be_submitted_as_is_said_with_its_numbers() -> None:
    said = " ".join(section("### What a bot is submitted as").split())

    for text in (
        f"more than {MAX_FILES:,} files, {MAX_BYTES // 1024**2} MiB in all",
        f"or {MAX_DEPTH} names in a path",
        f"names of over {MAX_NAME_BYTES} bytes, paths of over {MAX_PATH_BYTES:,}",
        f"up to {MOST_STEPS}.",
        f"at most {LONGEST_AUTHOR} characters",
        f"up to {MOST_LANGUAGES} texts of at most {LONGEST_LANGUAGE} characters",
        f"together have {build.LONGEST_S:.0f} s",
        f"{build.LIMITS.memory_mb:,} MiB of memory a process, {build.LIMITS.processes} processes",
        f"{build.LIMITS.file_mb} MiB a file and {build.MOST_BYTES // 1024**2} MiB of files",
    ):
        assert text in said


def test_the_example_of_a_manifest_is_one() -> None:
    (text,) = (block for block in fenced("toml") if "command" in block)
    rows = table(section("### What a bot is submitted as"), first="key")

    said = read_manifest(File("bot.toml", PLAIN, text.encode()), "here")

    assert said == Manifest(
        ("./bot", "--fast"),
        "ada",
        build=(("make",), ("strip", "bot")),
        author="Ada",
        languages=("C",),
    )
    assert sorted(rows) == sorted(Manifest._fields)


def test_every_fault_code_has_its_row_and_is_named_with_the_message() -> None:
    rows = table(section("## 5."), first="code")
    error = section("### 3.7")

    assert sorted(rows) == sorted(FaultCode)
    assert all(f"`{code}`" in error for code in FaultCode)


@pytest.mark.parametrize("game", BUILT_IN, ids=lambda game: game.name)
def test_every_field_of_an_observation_has_its_row(game: AnyGame) -> None:
    rows = table(section(chapter(game)))

    assert rows == list(game.observation_type.__struct_fields__)


@pytest.mark.parametrize("game", BUILT_IN, ids=lambda game: game.name)
@pytest.mark.parametrize("part", ["action", "event"])
def test_every_action_and_event_has_its_form_and_the_form_is_true(game: AnyGame, part: str) -> None:
    text = section(chapter(game)).partition(f"### {part.capitalize()}s")[2].partition("\n### ")[0]
    forms = [json.loads(form) for form in re.findall(r"`(\{.*?\})` \|", text)]
    types = msgspec.json.schema(getattr(game, f"{part}_type"))["discriminator"]["mapping"]

    assert {form["type"] for form in forms} == types.keys()
    assert [misfits(f"{game.name}-{part}.json", form) for form in forms] == [[]] * len(forms)
    assert [keys_of(game, part, form) for form in forms] == [list(form) for form in forms]


def chapter(game: AnyGame) -> str:
    return {"donburiko": "## 8.", "couperation": "## 9."}[game.name]


def keys_of(game: AnyGame, part: str, form: Any) -> list[str]:
    """Return the keys of an action or event in the order in which the referee writes them."""
    value = msgspec.convert(form, type=getattr(game, f"{part}_type"))
    return list(json.loads(msgspec.json.encode(value)))


def test_no_example_or_sentence_is_left_unfinished() -> None:
    assert re.findall(r"TODO|TBD|XXX|@[A-Z]+", TEXT) == []


def test_links_inside_the_page_lead_somewhere() -> None:
    headings = re.findall(r"^#+ (.*)$", TEXT, re.MULTILINE)
    anchors = {re.sub(r"[^\w\- ]", "", one).strip().lower().replace(" ", "-") for one in headings}

    assert set(re.findall(r"\]\(#([^)]*)\)", TEXT)) <= anchors


@pytest.mark.parametrize("target", sorted(set(re.findall(r"\]\(([^)#]+)\)", TEXT))))
def test_links_to_files_lead_somewhere(target: str) -> None:
    assert (SPEC.parent / target).exists()


# The examples


def test_every_example_of_an_observation_is_one() -> None:
    seen = [value for value in json_lines() if isinstance(value, dict) and "hand_sizes" in value]
    names = ["donburiko" if "columns" in value else "couperation" for value in seen]

    fits = [
        misfits(f"{name}-observation.json", value) for name, value in zip(names, seen, strict=True)
    ]

    assert fits == [[], [], []]


def test_the_examples_of_chance_can_be_computed_again() -> None:
    lines = chance_lines()
    kinds = [
        next(name for name in ("words", "below", "shuffled", "deal") if name in line)
        for line in lines
    ]

    assert kinds == ["words", "below", "shuffled", "deal", "deal", "deal"]
    assert [computed(line) for line in lines] == lines


def computed(line: Vector) -> Vector:
    """Return a line about chance with its results computed by the specification."""
    key = bytes.fromhex(line["key"])
    if "deal" in line:
        return spec_chance.deal(key, line["game"], line["variant"], line["players"], line["deal"])
    words = spec_chance.words(key, line["label"])
    if "words" in line:
        return line | {"words": [next(words) for _ in line["words"]]}
    if "below" in line:
        return line | {"below": [spec_chance.below(words, bound) for bound in line["bounds"]]}
    return line | {"shuffled": spec_chance.shuffled(words, line["cards"])}


def test_the_first_block_of_words_is_spelt_out() -> None:
    stream = Stream(ZERO, "donburiko/standard/3/0/round-1")
    block = b"".join(stream.word().to_bytes(4, "big") for _ in range(8))

    assert f"`{block.hex()}`" in TEXT


def test_the_example_of_a_digest_is_true() -> None:
    files = [
        File("bot.toml", PLAIN, b'command = ["python", "bot.py"]\n'),
        File("bot.py", PLAIN, b"print(1)\n"),
    ]

    assert f"`{digest_of(files)}`" in TEXT


def test_the_example_of_a_tournaments_key_is_true() -> None:
    (parameters,) = (line for line in json_lines() if "rules_versions" in line)
    rows = dict(re.findall(r"^\| ([^|]*) \| `([^`]*)` \|$", section("### The key"), re.MULTILINE))
    secret = bytes.fromhex(rows["secret"])
    digest = hashlib.sha256(canonical_json(parameters)).digest()

    assert canonical_json(parameters).decode() in TEXT
    assert rows == {
        "secret": bytes(range(32)).hex(),
        "commitment": commitment(secret),
        "digest": digest.hex(),
        "key, no public value": tournament_key(secret, digest).hex(),
        "key, public value `31 32 33 🌰`": tournament_key(secret, digest, "31 32 33 🌰").hex(),
        "id of a tournament `spring`": tournament_id("spring", digest, commitment(secret)),
    }


def test_the_examples_of_names_are_true() -> None:
    table = Category("donburiko", "standard", Mode.TABLE, 3)
    names = [
        Fixture(table, 17, ("greedy", "first_legal", "random_legal")).match,
        table.name,
        Category("couperation", "standard", Mode.SELF, 2).name,
        Category("couperation", "finish", Mode.MIXED, 4).name,
    ]

    assert [name for name in names if f"`{name}`" not in section("## 11.")] == []


def test_the_example_of_a_suite_is_one(tmp_path: Any) -> None:
    (text,) = (block for block in fenced("toml") if "[[category]]" in block)
    path = tmp_path / "mine.toml"
    path.write_text(text)

    suite = load_suite(path)

    assert (suite.name, suite.key) == ("mine", ZERO)
    assert {category.name: deals for category, deals in suite.categories.items()} == {
        "donburiko-3p": 50
    }


# The conversation


class Told(Player):
    """Holds a seat as a transcript tells it: gives its answers, and keeps all that was said."""

    def __init__(self, answers: list[str]) -> None:
        self._answers = list(answers)
        self.said: list[str] = []

    def ask(self, line: bytes, budget_ms: int) -> bytes:
        self.tell(line)
        answer = self._answers.pop(0)
        self.said.append(f"< {answer}")
        return answer.encode()

    def tell(self, line: bytes) -> None:
        self.said.append(f"> {line.decode().removesuffix(chr(10))}")

    def unasked(self) -> bytes:
        return b""

    def stop(self, grace_ms: int) -> None:
        pass


class Crasher(Told):
    """Says that it is ready, plays its first card face down, and crashes."""

    def __init__(self) -> None:
        super().__init__(['{"type":"ready","protocol":1}'])

    def ask(self, line: bytes, budget_ms: int) -> bytes:
        message = json.loads(line)
        if message["type"] == "act" and len(message["observation"]["hand"]) < 4:
            raise BotFault(FaultCode.EXITED, "exited with status 1")
        if message["type"] == "act":
            action = message["legal_actions"][1]
            self._answers = [json.dumps({"type": "action", "id": message["id"], "action": action})]
        return super().ask(line, budget_ms)


def transcript() -> list[str]:
    (block,) = fenced("text")
    return list(block.splitlines())


def conversation() -> tuple[list[str], Played]:
    """Play the match of the transcript and return what was said in seat 0."""
    bot = Told([line[2:] for line in transcript() if line.startswith("< ")])
    deal = Deal(ZERO, "donburiko", "standard", 2, 0)
    played = play(get_game("donburiko"), deal, [bot, Crasher()], Limits())
    return bot.said, played


def test_the_conversation_goes_as_it_is_told() -> None:
    told = [line.replace('"arena":"0.1.0"', f'"arena":"{__version__}"') for line in transcript()]

    said, _ = conversation()

    assert said == told


def test_every_line_of_the_conversation_fits_its_schema() -> None:
    messages = [json.loads(line[2:]) for line in transcript()]

    fits = [misfits(f"{message['type']}.json", message) for message in messages]

    assert fits == [[]] * len(messages)
    assert {message["type"] for message in messages} == {
        "hello", "ready", "start", "act", "action", "end", "quit"
    }  # fmt: skip


def test_the_record_is_that_of_the_conversation() -> None:
    (line,) = (
        line for block in fenced("json") for line in block.splitlines() if '"record"' in line
    )
    record = decode_record(line.encode())
    _, played = conversation()

    assert encode_record(record).decode() == line
    assert misfits("record.json", json.loads(line)) == []
    assert (record.cards, record.actions, record.faults) == (
        played.cards,
        played.actions,
        played.faults,
    )
    assert replay(record) == played.outcome
    assert len(record.measured.action_ms) == len(record.actions)


def test_what_was_sent_is_quoted_as_the_record_has_it() -> None:
    _, played = conversation()
    own = [str(action.sent) for action in played.actions if action.seat == 0]

    assert all(f"`{sent}`" in TEXT for sent in own)


def test_nothing_that_is_published_imports_arena() -> None:
    code = [path for path in SPEC.parent.rglob("*.py") if "__pycache__" not in path.parts]
    imports = re.compile(r"^\s*(from|import) arena\b(?!_)", re.MULTILINE)

    assert [path.name for path in code if imports.search(path.read_text("utf-8"))] == []
