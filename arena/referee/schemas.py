"""JSON Schemas of all that goes over the wire and into a record, made from the types.

``python -m arena.referee.schemas FOLDER`` writes them; `protocol/schemas` keeps what it wrote.
"""

import ast
import inspect
import json
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec

from arena.errors import FaultCode
from arena.games import BUILT_IN
from arena.games.base import AnyGame
from arena.games.deal import SEED
from arena.referee.category import Mode
from arena.referee.record import (
    RECORD_VERSION,
    ActionRecord,
    FaultRecord,
    MatchRecord,
    SeatRecord,
)
from arena.wire.messages import (
    MAX_DECORATION,
    PROTOCOL,
    Act,
    Action,
    End,
    Error,
    Hello,
    Quit,
    Ready,
    Start,
)

Schema = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
TO_BOT = (Hello, Start, Act, End, Error, Quit)
FROM_BOT = (Ready, Action)

_IGNORE = (
    "The fields are all that this version sends. Later ones may add some: a bot must ignore what "
    "it does not know."
)
_SIGNED = frozenset({"paid", "scores", "sum"})
"""Fields whose whole numbers can be negative; no others can."""

_WIDE = {"maximum": SEED - 1}
_TEXT = {"maxLength": MAX_DECORATION}
_FAULT_CODES = {"enum": sorted(FaultCode)}

# What the types leave open because the code that reads them is where it is checked.
_TIGHTER: Mapping[tuple[type, str], Schema] = {
    (Hello, "protocol"): {"const": PROTOCOL},
    (Ready, "protocol"): {"const": PROTOCOL},
    (Ready, "name"): _TEXT,
    (Ready, "version"): _TEXT,
    (Ready, "games"): {
        "anyOf": [{"type": "array", "items": {"type": "string", **_TEXT}}, {"type": "null"}]
    },
    (Start, "seed"): _WIDE,
    (Act, "id"): _WIDE,
    (Action, "id"): _WIDE,
    (Error, "code"): _FAULT_CODES,
    (FaultRecord, "code"): _FAULT_CODES,
    (MatchRecord, "record"): {"const": RECORD_VERSION},
    (MatchRecord, "mode"): {"enum": sorted(Mode)},
    (SeatRecord, "digest"): {"pattern": "^sha256:[0-9a-f]{64}$"},
    (ActionRecord, "sent"): {"pattern": "^[0-9a-f]{16}$"},
}


def schemas() -> dict[str, Schema]:
    """Return every schema by the name of its file."""
    found: dict[str, Schema] = {}
    for message in (*TO_BOT, *FROM_BOT):
        kind = str(message.__struct_config__.tag)
        found[f"{kind}.json"] = _document(f"{kind}.json", f"Message: {kind}", message)
    for message in TO_BOT:
        schema = found[f"{message.__struct_config__.tag}.json"]
        schema["description"] += f"\n\n{_IGNORE}"
        _require_defaults(schema)
    for game in BUILT_IN:
        for part, of_part in _parts(game).items():
            name = _game_file(game, part)
            found[name] = _document(name, f"{game.name.capitalize()}: {part}", of_part)
    found["record.json"] = _document("record.json", "Match record", MatchRecord)
    return dict(sorted(found.items()))


def text_of(schema: Schema) -> str:
    """Return ``schema`` as its file holds it: keys sorted, so that a change shows as a change."""
    return json.dumps(schema, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def main(arguments: Sequence[str]) -> None:
    """Write all schemas into the folder that is named, and remove what is none any more."""
    (folder,) = map(Path, arguments)
    folder.mkdir(parents=True, exist_ok=True)
    fresh = schemas()
    for stale in {path.name for path in folder.glob("*.json")} - fresh.keys():
        (folder / stale).unlink()
    for name, schema in fresh.items():
        (folder / name).write_text(text_of(schema), encoding="utf-8")


def _parts(game: AnyGame) -> dict[str, Any]:
    return {
        "observation": game.observation_type,
        "action": game.action_type,
        "event": game.event_type,
        "cards": game.cards_type,
    }


def _game_file(game: AnyGame, part: str) -> str:
    return f"{game.name}-{part}.json"


def _any_game(part: str) -> Schema:
    """Return a schema that takes the ``part`` of any game."""
    return {"anyOf": [{"$ref": _game_file(game, part)} for game in BUILT_IN]}


def _several(part: str) -> Schema:
    return {"type": "array", "items": _any_game(part)}


def _by_game() -> Mapping[tuple[type, str], Schema]:
    """Return what stands for the fields whose content is the game's own."""
    return {
        (Act, "observation"): _any_game("observation"),
        (Act, "events"): _several("event"),
        (Act, "legal_actions"): _several("action") | {"minItems": 1},
        (End, "events"): _several("event"),
        (Action, "action"): _any_game("action"),
        (MatchRecord, "cards"): _any_game("cards"),
        (ActionRecord, "action"): _any_game("action"),
    }


def _document(name: str, title: str, of_type: object) -> Schema:
    """Return the whole file ``name`` for values of ``of_type``."""
    (root,), defs = msgspec.json.schema_components(
        (of_type,), ref_template="#/$defs/{name}", schema_hook=_anything
    )
    for struct in _structs(msgspec.inspect.type_info(of_type)):
        _describe(defs[struct.__name__], struct)
    if "$ref" in root:  # a single struct: no need to point at it
        root = defs.pop(root["$ref"].rsplit("/", 1)[-1])
    root.pop("discriminator", None)  # OpenAPI's, and no part of JSON Schema
    document = {"$schema": DIALECT, "$id": name, **root, "title": title}
    return document | {"$defs": defs} if defs else document


def _anything(_type: type) -> Schema:
    """Stand in for ``object``, which msgspec has no schema for and `_by_game` replaces."""
    return {"title": "anything"}


def _describe(schema: Schema, struct: type[msgspec.Struct]) -> None:
    """Add to the schema of ``struct`` what only its source and the tables here say."""
    schema["description"] = _plain(inspect.getdoc(struct) or "")
    docs = _field_docs(struct)
    for name, field in schema["properties"].items():
        if own := _by_game().get((struct, name)):
            field.clear()
            field.update(own)
        elif name not in _SIGNED:
            _never_negative(field)
        field.update(_TIGHTER.get((struct, name), {}))
        if name in docs:
            field["description"] = _plain(docs[name])


def _plain(text: str) -> str:
    return text.replace("``", "`")


def _never_negative(schema: Schema) -> None:
    """Give every whole number in ``schema`` its lower bound."""
    if schema.get("type") == "integer":
        schema.setdefault("minimum", 0)
    inner = [schema.get("items"), *schema.get("anyOf", ()), *schema.get("prefixItems", ())]
    for part in inner:
        if isinstance(part, dict):
            _never_negative(part)


def _require_defaults(schema: Schema) -> None:
    """Require the fields that have a default: the referee writes them all the same."""
    given = {name for name, field in schema["properties"].items() if "default" in field}
    for name in given:
        del schema["properties"][name]["default"]
    required = {*schema["required"], *given}
    schema["required"] = [name for name in schema["properties"] if name in required]


def _structs(node: object) -> Iterator[type[msgspec.Struct]]:
    """Yield every struct type in what msgspec tells of a type that does not hold itself."""
    if isinstance(node, msgspec.inspect.StructType):
        yield node.cls
    if isinstance(node, msgspec.inspect.Type | msgspec.inspect.Field):
        node = tuple(msgspec.structs.asdict(node).values())
    if isinstance(node, list | tuple):
        for inner in node:
            yield from _structs(inner)


@cache
def _field_docs(struct: type) -> Mapping[str, str]:
    """Return the text that stands under each field of ``struct`` in its source."""
    (definition,) = ast.parse(textwrap.dedent(inspect.getsource(struct))).body
    body = definition.body if isinstance(definition, ast.ClassDef) else []
    return {
        field.target.id: inspect.cleandoc(text.value.value)
        for field, text in pairwise(body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
        and isinstance(text.value.value, str)
    }


if __name__ == "__main__":
    main(sys.argv[1:])
