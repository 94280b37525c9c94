"""What holds for the SDK of every language, looked at from outside."""

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest

import arena_bot
from arena.wire.codec import Question, read_action
from tests import spec_chance
from tests.conversation import HELLO, QUIT, ROOT, Conversation, act, converse, start
from tests.protocol.conftest import IN_CPP, Probe, needs_node
from tests.protocol_files import Vector, line_of, schema_files, vectors

SDK = ROOT / "protocol" / "sdk"
LEGAL = [{"type": "claim", "column": 0}, {"type": "claim", "column": 2}]
END = {"type": "end", "events": [], "scores": [4, 2], "ranks": [1, 2], "reason": "finished"}
TO_BOT = vectors("to_bot")
MESSAGES = [vector["message"] for vector in TO_BOT if vector["message"]]
FIRST_READY = (
    b'{"type":"ready","protocol":1,"name":"first-legal","version":"2.1","games":["donburiko"]}'
)


def actions(lines: list[bytes]) -> list[Any]:
    return [json.loads(line)["action"] for line in lines if b'"type":"action"' in line]


# What it writes


def test_what_a_bot_writes_is_spelt_as_arena_spells_it(probe: Probe) -> None:
    heard = converse(probe("first"), [HELLO, start(), act(2**53 - 1, LEGAL), END, QUIT])

    assert heard.lines == [
        FIRST_READY,
        b'{"type":"action","id":9007199254740991,"action":{"type":"claim","column":0}}',
    ]
    assert (heard.log, heard.status) == ("", 0)


def test_each_answer_is_out_before_the_next_question_comes(probe: Probe) -> None:
    with Conversation(probe("first")) as bot:
        bot.say(HELLO)
        assert bot.hear() == FIRST_READY
        bot.say(start())
        for number in (5, 0, 8):
            bot.say(act(number, LEGAL))
            assert json.loads(bot.hear())["id"] == number
        bot.say(QUIT)
        assert bot.wait() == 0, "quit is enough, though the input is still open"


def test_a_bot_that_wants_no_legal_actions_says_so(probe: Probe) -> None:
    question = act(1, [])
    del question["legal_actions"]

    ready, answer = converse(probe("deaf"), [HELLO, start(), question]).lines

    assert ready == b'{"type":"ready","protocol":1,"name":"deaf","legal_actions":false}'
    assert answer == b'{"type":"action","id":1,"action":{"column":0}}'


def test_each_action_that_the_vectors_accept_can_be_taken(probe: Probe) -> None:
    """The probe takes the last legal action, so that is the one to be accepted."""
    accepted = [it for it in vectors("from_bot") if it["expect"] == "action" and "index" in it]
    questions = [reordered(vector) for vector in accepted]
    asked = [act(it["id"], it["legal_actions"], observation=table(it)) for it in questions]

    answers = converse(probe("echo"), [HELLO, start(), *asked, QUIT]).lines[1:]

    assert len(answers) == len(questions) > 15
    for answer, vector in zip(answers, questions, strict=True):
        legal = [
            msgspec.Raw(json.dumps(it, separators=(",", ":")).encode())
            for it in vector["legal_actions"]
        ]
        question = Question(msgspec.Raw(b"{}"), [], legal)
        assert read_action(answer, vector["id"], question) == len(legal) - 1


def reordered(vector: Vector) -> Vector:
    legal = list(vector["legal_actions"])
    legal.append(legal.pop(vector["index"]))
    return vector | {"legal_actions": legal}


def table(vector: Vector) -> dict[str, Any]:
    """Return an observation of the game whose actions ``vector`` holds."""
    of_donburiko = vector["legal_actions"][0]["type"] in {"play", "claim"}
    mark = "bank" if of_donburiko else "tower"
    tables: list[dict[str, Any]] = [message.get("observation", {}) for message in MESSAGES]
    return next(it for it in tables if mark in it)


# What it understands


def test_every_published_line_of_the_referee_is_read_to_the_last_field(probe: Probe) -> None:
    lines = [line_of(vector) + b"\n" for vector in TO_BOT if vector["message"] != {"type": "quit"}]

    heard = converse(probe("echo"), [start(), *lines, QUIT])

    said = [json.loads(line) for line in heard.log.splitlines() if line.startswith("{")][1:]
    told = [message for message in MESSAGES if message["type"] in {"start", "act", "end"}]
    asked = [message["id"] for message in MESSAGES if message["type"] == "act"]
    assert heard.status == 0
    assert [json.loads(line)["id"] for line in heard.lines if b'"id"' in line] == asked
    assert len(said) == len(told) > 40
    for one, message in zip(said, told, strict=True):
        shown = {field: value for field, value in message.items() if field != "id"}
        assert known_part(one, shown) == shown
        if typed := one.get("typed"):
            assert typed == [message[it] for it in ("observation", "events")] + [
                message.get("legal_actions", [])
            ]
            assert one["fine"]


def known_part(value: Any, known: Any) -> Any:
    """Return ``value`` without the fields that ``known`` does not have."""
    if isinstance(known, dict):
        return {key: known_part(value.get(key), known[key]) for key in known}
    if isinstance(known, list) and value is not None and len(value) == len(known):
        return [known_part(*pair) for pair in zip(value, known, strict=True)]
    return value


def test_an_error_of_the_referee_is_printed(probe: Probe) -> None:
    errors = [message for message in MESSAGES if message["type"] == "error"]

    heard = converse(probe("first"), [HELLO, start(), *errors, QUIT])

    shown = [f"arena: {it['code']}: {it['message']}" for it in errors]
    assert (heard.log.splitlines(), heard.status) == (shown, 0)


def test_a_line_of_400_kib_is_read_whole_however_it_arrives(probe: Probe) -> None:
    legal = [{"type": "discard", "card": card} for card in range(16_000)]

    with Conversation(probe("first")) as bot:
        bot.say(start())
        bot.say(act(1, legal))  # in pieces of 4 KiB
        assert actions([bot.hear()]) == legal[:1]


def test_lines_that_arrive_together_are_answered_one_by_one(probe: Probe) -> None:
    questions = [act(number, LEGAL) for number in range(300)]

    heard = converse(probe("first"), [HELLO, start(), *questions, QUIT, act(300, LEGAL)])

    assert [json.loads(line)["id"] for line in heard.lines[1:]] == list(range(300))
    assert heard.status == 0


@pytest.mark.parametrize("rest", [b"", b'{"type":"act","id":2,"observ', b"\n", b"\r\n"])
def test_the_end_of_the_input_ends_the_bot_in_good_order(rest: bytes, probe: Probe) -> None:
    heard = converse(probe("first"), [HELLO, start(), act(1, LEGAL), rest])

    assert (len(heard.lines), heard.log, heard.status) == (2, "", 0)


def test_one_process_plays_several_matches_each_with_dice_of_its_own(probe: Probe) -> None:
    legal = [{"card": card} for card in range(1000)]

    def match(seed: int) -> list[Any]:
        return [start(seed=seed), *(act(number, legal) for number in range(8)), END]

    heard = converse(probe("dice"), match(7) + match(8) + match(7) + match(2**53 - 1))

    rows = actions(heard.lines)
    seven, eight, again, great = (rows[at : at + 8] for at in range(0, 32, 8))
    assert seven == again
    assert len({json.dumps(row) for row in (seven, eight, great)}) == 3
    assert all(one != other for one, other in pairwise(seven))


def test_a_bot_knows_its_limits_before_a_match_starts(probe: Probe) -> None:
    off = {"type": "hello", "protocol": 1, "arena": "0.1.0", "limits": None}
    older = {"type": "hello", "protocol": 1, "arena": "0.0.9"}

    logs = [converse(probe("echo"), [hello, start(), QUIT]).log for hello in (HELLO, off, older)]

    assert [json.loads(log)["memory_mb"] for log in logs] == [512, None, None]


@pytest.mark.parametrize(
    "probe",
    [pytest.param("javascript", marks=needs_node), pytest.param("cpp", marks=IN_CPP)],
    indirect=True,
)
@pytest.mark.parametrize("seed", [0, 1, 2**53 - 1])
def test_dice_without_a_library_of_their_own_are_those_of_the_papers(
    seed: int, probe: Probe
) -> None:
    """SplitMix64: Steele, Lea and Flood (2014); xoshiro128**: Blackman and Vigna (2018)."""
    (shown,) = converse(probe("rng", seed), []).lines
    words = xoshiro(seed)
    bounds = [6, 2**31 + 1, 1, 2**32]

    expected = [
        [next(words) for _ in range(4)],
        [spec_chance.below(words, bound) for bound in bounds],
        ((next(words) >> 5) * 2**26 + (next(words) >> 6)) / 2**53,
        "abcdefgh"[spec_chance.below(words, 8)],
        spec_chance.shuffled(words, list("abcdefgh")),
    ]
    assert json.loads(shown) == expected


def xoshiro(seed: int) -> Iterator[int]:
    """Yield the words of the dice."""
    state: list[int] = []
    for _ in range(2):
        seed = (seed + 0x9E3779B97F4A7C15) % 2**64
        word = (seed ^ seed >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        word = (word ^ word >> 27) * 0x94D049BB133111EB % 2**64
        word ^= word >> 31
        state += [word % 2**32, word >> 32]
    while True:
        yield rotated(state[1] * 5, 7) * 9 % 2**32
        shifted = state[1] << 9
        state[2] ^= state[0]
        state[3] ^= state[1]
        state[1] ^= state[2]
        state[0] ^= state[3]
        state[2] = (state[2] ^ shifted) % 2**32
        state[3] = rotated(state[3], 11)


def rotated(word: int, by: int) -> int:
    word %= 2**32
    return (word << by | word >> (32 - by)) % 2**32


# Mistakes of its author


def test_what_choose_throws_is_printed_and_ends_the_bot(probe: Probe) -> None:
    heard = converse(probe("throw"), [HELLO, start(), act(1, LEGAL), act(2, LEGAL), QUIT])

    assert "lost my way" in heard.log
    assert (len(heard.lines), heard.status) == (1, 1)


@pytest.mark.parametrize(
    ("mode", "complaint"),
    [
        ("nothing", r"choose returned (None|null), not an action"),
        ("long", r"a line of 70045 bytes, and 65536 is the most"),
        ("nan", r"Out of range float|NaN is no number of JSON|not finite is no JSON"),
    ],
)
def test_what_cannot_be_an_action_is_not_sent(mode: str, complaint: str, probe: Probe) -> None:
    heard = converse(probe(mode), [HELLO, start(), act(1, LEGAL), QUIT])

    assert re.search(complaint, heard.log)
    assert (len(heard.lines), heard.status) == (1, 1)


def test_a_line_that_is_no_json_ends_the_bot(probe: Probe) -> None:
    heard = converse(probe("first"), [HELLO, "thinking"])

    assert (len(heard.lines), heard.status) == (1, 1)
    assert heard.log


def test_what_the_bot_prints_goes_to_its_log(probe: Probe) -> None:
    heard = converse(probe("stray"), [HELLO, start(), act(1, LEGAL), act(2, LEGAL), QUIT])

    assert actions(heard.lines) == [LEGAL[0]] * 2
    assert len(heard.lines) == 3
    assert (heard.log, heard.status) == ("thinking\n" * 2, 0)


# Trying it out


def test_a_bot_can_be_tried_in_process(probe: Probe, tmp_path: Path) -> None:
    lines = [start(), act(1, LEGAL), act(2, LEGAL[:1]), END]
    file = tmp_path / "lines.jsonl"
    file.write_text(HELLO + "\n" + "".join(json.dumps(it) + "\n" for it in lines), "utf-8")

    heard = converse(probe("answers", file), [])

    assert [json.loads(line) for line in heard.lines] == [LEGAL[1], LEGAL[0]]
    assert (heard.log, heard.status) == ("", 0)


# Types


def in_python(game: str) -> dict[str, list[str]]:
    kinds = vars(getattr(arena_bot, game)).values()
    records = [it for it in kinds if isinstance(it, type) and issubclass(it, arena_bot.Record)]
    return {kind.__name__: list(kind._names) for kind in records}


def in_typescript(game: str) -> dict[str, list[str]]:
    text = (SDK / "javascript" / "arena_bot.d.cts").read_text("utf-8")
    (space,) = re.findall(rf"^export namespace {game} {{\n(.*?)^}}", text, re.DOTALL | re.MULTILINE)
    blocks = re.findall(r"^  interface (\w+) {\n(.*?)^  }", space, re.DOTALL | re.MULTILINE)
    fields = {
        name: re.findall(r"^    readonly (\w+)\??:", body, re.MULTILINE) for name, body in blocks
    }
    return {name: [it for it in its if it != "type"] for name, its in fields.items()}


def in_cpp(game: str) -> dict[str, list[str]]:
    text = (SDK / "cpp" / "arena_bot.hpp").read_text("utf-8")
    space = text.split(f"namespace {game} {{\n")[1].split(f"}}  // namespace {game}")[0]
    structs = re.findall(r"^struct (\w+) {\n(.*?)^};", space, re.DOTALL | re.MULTILINE)
    fields = {name: re.findall(r'visit(?:\.optional)?\("(\w+)"', body) for name, body in structs}
    return {name: its for name, its in fields.items() if its}


@pytest.mark.parametrize("game", ["donburiko", "couperation"])
@pytest.mark.parametrize("library", [in_python, in_typescript, in_cpp])
def test_types_have_the_fields_of_the_schemas_in_their_order(game: str, library: Any) -> None:
    wanted: dict[str, list[str]] = {}
    for part in ("observation", "action", "event"):
        schema = schema_files()[f"{game}-{part}.json"]
        kinds = dict(schema["$defs"])
        if part == "observation":
            kinds["Observation"] = schema
        for name, kind in kinds.items():
            optional = sorted(set(kind["properties"]) - set(kind["required"]))
            wanted[name] = [it for it in [*kind["required"], *optional] if it != "type"]
    wanted.pop("Fault")

    assert library(game) == wanted
