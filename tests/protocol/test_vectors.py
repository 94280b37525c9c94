import json
from typing import Any

import msgspec
import pytest

from arena.errors import BotFault
from arena.games import get_game
from arena.games.base import Public, Seat
from arena.games.deal import Deal, DealtChance, Stream
from arena.wire.codec import NotLegal, Question, encode, parse_object, read_action, read_ready
from arena.wire.messages import Act, End, Error, Hello, Quit, Start
from tests import spec_chance
from tests.protocol_files import PROTOCOL, Vector, line_of, misfits, vectors, why

FROM_BOT = vectors("from_bot")
ACTIONS = [vector for vector in FROM_BOT if vector["expect"] == "action"]
READIES = [vector for vector in FROM_BOT if vector["expect"] == "ready"]
TO_BOT = vectors("to_bot")
KNOWN = [vector for vector in TO_BOT if vector["message"]]
CHANCE = vectors("deals")
DEALS = [vector for vector in CHANCE if "deal" in vector]

to_bot = msgspec.json.Decoder(Hello | Start | Act | End | Error | Quit)


def verdict_on_action(vector: Vector) -> tuple[str, int | None]:
    actions = [json.dumps(action, separators=(",", ":")) for action in vector["legal_actions"]]
    question = Question(msgspec.Raw(b"{}"), [], [msgspec.Raw(it.encode()) for it in actions])
    try:
        return "ok", read_action(line_of(vector), vector["id"], question)
    except NotLegal:
        return "illegal_action", None
    except BotFault as fault:
        return fault.code.value, None


@pytest.mark.parametrize("vector", ACTIONS, ids=why)
def test_an_answer_gets_the_published_verdict(vector: Vector) -> None:
    assert verdict_on_action(vector) == (vector["verdict"], vector.get("index"))


@pytest.mark.parametrize("vector", READIES, ids=why)
def test_a_ready_gets_the_published_verdict(vector: Vector) -> None:
    try:
        ready = read_ready(line_of(vector))
    except BotFault:
        verdict = "start_failed"
    else:
        plays = ready.games is None or vector["game"] in ready.games
        verdict = "ok" if plays else "start_failed"
        read = json.loads(msgspec.json.encode(ready))
        assert read == {"type": "ready", "protocol": 1, **vector.get("ready", read)} or not plays

    assert verdict == vector["verdict"]


@pytest.mark.parametrize(
    "vector", [vector for vector in FROM_BOT if vector["verdict"] == "ok"], ids=why
)
def test_what_is_accepted_fits_its_schema(vector: Vector) -> None:
    message = parse_object(line_of(vector))

    assert misfits(f"{vector['expect']}.json", message) == []


def test_the_vectors_show_every_verdict_and_name_each_case_once() -> None:
    cases = [(vector["expect"], vector["why"]) for vector in FROM_BOT]

    assert len(set(cases)) == len(cases) >= 60
    assert {vector["verdict"] for vector in ACTIONS} == {"ok", "bad_message", "illegal_action"}
    assert {vector["verdict"] for vector in READIES} == {"ok", "start_failed"}


@pytest.mark.parametrize("vector", KNOWN, ids=why)
def test_a_message_to_a_bot_holds_what_a_bot_has_to_read(vector: Vector) -> None:
    message = json.loads(line_of(vector))

    assert known_part(message, vector["message"]) == vector["message"]
    assert misfits(f"{message['type']}.json", vector["message"]) == []


def known_part(value: Any, known: Any) -> Any:
    """Return ``value`` without the fields that ``known`` does not have."""
    if isinstance(value, dict):
        return {key: known_part(value[key], known[key]) for key in known}
    if isinstance(value, list) and len(value) == len(known):
        return [known_part(*pair) for pair in zip(value, known, strict=True)]
    return value


@pytest.mark.parametrize("vector", KNOWN, ids=why)
def test_a_message_to_a_bot_is_what_the_referee_would_write(vector: Vector) -> None:
    """Key order and spelling too, wherever the line has no field of a later version."""
    line = line_of(vector)
    if json.loads(line) != vector["message"]:
        line = json.dumps(vector["message"], separators=(",", ":"), ensure_ascii=False).encode()

    assert encode(to_bot.decode(line)) == line + b"\n"


@pytest.mark.parametrize(
    "vector", [vector for vector in KNOWN if vector["message"]["type"] == "act"], ids=why
)
def test_what_a_question_shows_is_of_the_game(vector: Vector) -> None:
    act = vector["message"]
    game = get_game("donburiko" if "columns" in act["observation"] else "couperation")

    assert again(act["observation"], game.observation_type) == act["observation"]
    assert again(act["events"], tuple[game.event_type, ...]) == act["events"]  # type: ignore[name-defined]
    if actions := act.get("legal_actions"):
        assert again(actions, tuple[game.action_type, ...]) == actions  # type: ignore[name-defined]


def again(value: Any, of_type: Any) -> Any:
    return json.loads(msgspec.json.encode(msgspec.convert(value, type=of_type)))


def test_a_line_that_no_pipe_takes_at_once_is_among_the_messages_to_a_bot() -> None:
    assert max(len(line_of(vector)) for vector in TO_BOT) > 4 * 65_536


@pytest.mark.parametrize("vector", [v for v in CHANCE if "words" in v], ids=why)
def test_words_come_from_the_stream(vector: Vector) -> None:
    key, label, expected = bytes.fromhex(vector["key"]), vector["label"], vector["words"]
    stream = Stream(key, label)

    assert spec_chance.first_words(key, label, len(expected)) == expected
    assert [stream.word() for _ in expected] == expected


@pytest.mark.parametrize("vector", [v for v in CHANCE if "below" in v], ids=why)
def test_numbers_come_from_the_stream(vector: Vector) -> None:
    key, label = bytes.fromhex(vector["key"]), vector["label"]
    stream, words = Stream(key, label), spec_chance.words(key, label)

    assert [spec_chance.below(words, bound) for bound in vector["bounds"]] == vector["below"]
    assert [stream.below(bound) for bound in vector["bounds"]] == vector["below"]


@pytest.mark.parametrize("vector", [v for v in CHANCE if "shuffled" in v], ids=why)
def test_shuffles_come_from_the_stream(vector: Vector) -> None:
    key, label, cards = bytes.fromhex(vector["key"]), vector["label"], vector["cards"]

    assert spec_chance.shuffled(spec_chance.words(key, label), cards) == vector["shuffled"]
    assert list(Stream(key, label).shuffled(cards)) == vector["shuffled"]


@pytest.mark.parametrize("vector", DEALS, ids=why)
def test_a_deal_follows_from_the_specification_alone(vector: Vector) -> None:
    name = [vector[field] for field in ("game", "variant", "players", "deal")]

    assert spec_chance.deal(bytes.fromhex(vector["key"]), *name) == but_why(vector)


def but_why(vector: Vector) -> Vector:
    return {field: value for field, value in vector.items() if field != "why"}


def deal_of(vector: Vector) -> Deal:
    return Deal(
        key=bytes.fromhex(vector["key"]),
        game=vector["game"],
        variant=vector["variant"],
        players=vector["players"],
        number=vector["deal"],
    )


def opening(vector: Vector) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return a deal's cards as a record has them, and what each seat sees first."""
    game = get_game(vector["game"])
    state = game.deal(DealtChance(deal_of(vector)), vector["players"], vector["variant"])
    seen = [game.observe(state, Seat(seat)) for seat in range(vector["players"])]
    return plain(game.cards(state)), [plain(observation) for observation in seen]


def plain(value: Public) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(msgspec.json.encode(value))
    return read


@pytest.mark.parametrize("vector", [v for v in DEALS if v["game"] == "donburiko"], ids=why)
def test_donburiko_deals_the_published_cards(vector: Vector) -> None:
    cards, seen = opening(vector)
    first, second = vector["cards"]["rounds"]
    columns = [column["cards"][0]["face"] for column in seen[0]["columns"]]

    assert cards == {"rounds": [first]}
    assert columns == vector["dealt"]["columns"]
    assert [sorted(one["hand"]) for one in seen] == list(map(sorted, vector["dealt"]["hands"]))
    assert seen[0]["set_aside"] == len(vector["dealt"]["set_aside"])
    assert DealtChance(deal_of(vector)).shuffle("round-2", sorted_faces(second)) == tuple(second)


def sorted_faces(faces: list[str]) -> list[str]:
    return sorted(faces, key=spec_chance.FACES.index)


@pytest.mark.parametrize("vector", [v for v in DEALS if v["game"] == "couperation"], ids=why)
def test_couperation_deals_the_published_cards(vector: Vector) -> None:
    cards, seen = opening(vector)
    dealt = vector["dealt"]

    assert cards == vector["cards"]
    assert [one["hand"] for one in seen] == list(map(sorted, dealt["hands"]))
    assert seen[0]["reserve"] == sorted([1, 50, *dealt["reserve"]])
    assert seen[0]["deck"] == len(dealt["deck"])


@pytest.mark.parametrize("vector", DEALS, ids=why)
def test_seeds_ids_and_the_house_come_from_the_deal(vector: Vector) -> None:
    deal = deal_of(vector)
    house = deal.stream("house")
    id_streams = [deal.stream(f"ids-{seat}") for seat in range(deal.players)]

    assert [deal.bot_seed(seat) for seat in range(deal.players)] == vector["seeds"]
    assert [[stream.seed() for _ in range(3)] for stream in id_streams] == vector["ids"]
    assert [
        {"count": one["count"], "choice": house.below(one["count"])} for one in vector["house"]
    ] == vector["house"]


def test_the_deals_hold_the_values_that_are_known_from_elsewhere() -> None:
    """They were computed when the protocol was designed, before any of this code."""
    found = {
        (one["game"], one["variant"], one["players"], one["deal"]): one
        for one in DEALS
        if one["key"] == "00" * 32
    }
    three = found["donburiko", "standard", 3, 0]
    two = found["couperation", "standard", 2, 0]
    four = found["couperation", "finish", 4, 5]

    assert three["cards"]["rounds"][0][:5] == ["5", "1/5", "3", "-1", "3"]
    assert three["seeds"][1] == 6_081_785_660_305_164
    assert two["cards"]["deck"][:5] == [3, 28, 16, 9, 24]
    assert four["cards"]["deck"].index("finish") == 41


def test_the_page_on_vectors_names_every_field_that_they_have() -> None:
    page = (PROTOCOL / "vectors" / "README.md").read_text("utf-8")
    fields = {field for vector in FROM_BOT + TO_BOT + CHANCE for field in vector}

    assert {field for field in fields if f"`{field}`" not in page} == set()


def test_vectors_are_ascii() -> None:
    files = sorted((PROTOCOL / "vectors").glob("*.jsonl"))

    assert [path.name for path in files] == ["deals.jsonl", "from_bot.jsonl", "to_bot.jsonl"]
    assert all(path.read_bytes().isascii() for path in files)
