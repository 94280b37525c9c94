import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator

from arena.games import BUILT_IN
from arena.games.base import AnyGame, Public, Seat
from arena.games.deal import Deal, DealtChance, Stream
from arena.referee.record import SeatRecord, encode_record
from arena.referee.schemas import main, schemas, text_of
from arena.wire.codec import encode_value
from tests.protocol_files import SCHEMAS, misfits, schema_files, vectors
from tests.records import played_record

KEY = bytes(31) + b"\x07"
FEW = 12
"""How many legal actions of a turn are looked at."""

CATEGORIES = [
    pytest.param(game, variant, players, id=f"{game.name}-{variant}-{players}p")
    for game in BUILT_IN
    for variant in game.variants
    for players in game.player_counts
]


def test_the_committed_schemas_are_those_that_the_types_give() -> None:
    committed = {path.name: path.read_text("utf-8") for path in SCHEMAS.iterdir()}
    generated = {name: text_of(schema) for name, schema in schemas().items()}

    assert committed == generated, "protocol/schemas is stale: run `make schemas`"


def test_writing_replaces_what_is_stale_and_removes_what_is_gone(tmp_path: Path) -> None:
    (tmp_path / "gone.json").write_text("{}")
    (tmp_path / "ready.json").write_text("{}")
    (tmp_path / "README.md").write_text("by hand")

    main([str(tmp_path)])

    assert {path.name for path in tmp_path.iterdir()} == {*schemas(), "README.md"}
    assert json.loads((tmp_path / "ready.json").read_text()) == schemas()["ready.json"]


@pytest.mark.parametrize("name", sorted(schema_files()))
def test_each_file_is_a_schema_that_names_itself(name: str) -> None:
    schema = schema_files()[name]

    Draft202012Validator.check_schema(schema)

    assert schema["$id"] == name
    assert schema["title"]


@pytest.mark.parametrize("name", sorted(schema_files()))
def test_no_object_may_have_fields_that_are_not_described(name: str) -> None:
    schema = schema_files()[name]
    objects = [schema, *schema.get("$defs", {}).values()]

    open_ones = [part["title"] for part in objects if "properties" in part and closed(part)]

    assert open_ones == []


def closed(schema: dict[str, Any]) -> bool:
    return schema.get("additionalProperties") is not False


def test_bots_are_told_to_ignore_what_they_do_not_know() -> None:
    to_bot = ("hello", "start", "act", "end", "error", "quit")
    descriptions = [schema_files()[f"{kind}.json"]["description"] for kind in to_bot]

    assert ["must ignore" in text for text in descriptions] == [True] * len(to_bot)


def test_what_the_referee_always_writes_is_required() -> None:
    hello = schema_files()["hello.json"]

    assert hello["required"] == ["type", "protocol", "arena", "limits"]


def test_the_text_under_a_field_becomes_its_description() -> None:
    start = schema_files()["start.json"]

    assert start["properties"]["seed"]["description"].startswith("Below 2^53")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        pytest.param("ready.json", {"type": "ready", "protocol": 2}, id="another protocol"),
        pytest.param("ready.json", {"type": "ready", "protocol": True}, id="true for 1"),
        pytest.param("ready.json", {"type": "ready", "protocol": 1, "name": "n" * 257}, id="long"),
        pytest.param("ready.json", {"type": "ready", "protocol": 1, "x": 1}, id="unknown field"),
        pytest.param("action.json", {"type": "action", "id": 1, "action": {}}, id="no action"),
        pytest.param("error.json", {"type": "error", "code": "lost", "message": ""}, id="code"),
        pytest.param("donburiko-action.json", {"type": "claim", "column": -1}, id="negative"),
        pytest.param("couperation-cards.json", {"deck": ["loach"]}, id="no such card"),
    ],
)
def test_a_schema_refuses_what_is_wrong(name: str, value: object) -> None:
    assert misfits(name, value)


@pytest.mark.parametrize(("game", "variant", "players"), CATEGORIES)
def test_what_a_match_shows_fits_the_schemas(game: AnyGame, variant: str, players: int) -> None:
    for part, value in values_of_a_match(game, variant, players):
        plain = json.loads(encode_value(value))

        assert misfits(f"{game.name}-{part}.json", plain) == []


def values_of_a_match(game: AnyGame, variant: str, players: int) -> Iterator[tuple[str, Public]]:
    """Yield the name of a schema and a value for it, from a match that is played at random."""
    chance = DealtChance(Deal(KEY, game.name, variant, players, 0))
    dice = Stream(KEY, "any")
    state = game.deal(chance, players, variant)
    while legal := game.legal_actions(state):
        for seat in map(Seat, range(players)):
            yield "observation", game.observe(state, seat)
            yield from (("event", event) for event in game.events(state, seat))
        yield from (("action", action) for action in legal[:FEW])
        state = game.apply(state, legal[dice.below(len(legal))], chance)
    yield from (("event", event) for event in game.events(state, Seat(0)))
    yield "cards", game.cards(state)


@pytest.mark.parametrize("quits", [{}, {1: 2}], ids=["to its end", "with a fault"])
@pytest.mark.parametrize("game", BUILT_IN, ids=lambda game: game.name)
def test_a_record_fits_the_schema(game: AnyGame, quits: dict[int, int]) -> None:
    seats = (SeatRecord(bot="greedy", digest=f"sha256:{'0' * 64}"),) * 3
    played = played_record(game.name, game.variants[-1], 3, 4, quits)
    record = msgspec.structs.replace(played, seats=seats)

    assert misfits("record.json", json.loads(encode_record(record))) == []


@pytest.mark.parametrize("kind", ["hello", "start", "act", "end", "error", "quit"])
def test_the_vectors_hold_every_message_and_each_fits_its_schema(kind: str) -> None:
    messages = [vector["message"] for vector in vectors("to_bot") if vector["message"]]
    of_kind = [message for message in messages if message["type"] == kind]

    assert of_kind
    assert [misfits(f"{kind}.json", message) for message in of_kind] == [[]] * len(of_kind)
