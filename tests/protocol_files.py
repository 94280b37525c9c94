"""The published files under protocol/, as tests read them: schemas, vectors and examples."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

PROTOCOL = Path(__file__).resolve().parents[1] / "protocol"
SCHEMAS = PROTOCOL / "schemas"
SPEC = PROTOCOL / "SPEC.md"

Vector = dict[str, Any]


def vectors(name: str) -> list[Vector]:
    """Return the test cases of ``vectors/{name}.jsonl``."""
    lines = (PROTOCOL / "vectors" / f"{name}.jsonl").read_text("utf-8").split("\n")
    assert lines.pop() == "", "the file ends with a newline"
    return [json.loads(line) for line in lines]


def line_of(vector: Vector) -> bytes:
    """Return the line of a test case, without its LF."""
    if "line_hex" in vector:
        return bytes.fromhex(vector["line_hex"])
    if "line_parts" in vector:
        return "".join(text * times for text, times in vector["line_parts"]).encode()
    return str(vector["line"]).encode()


def why(vector: Vector) -> str:
    """Return what to call a test case in a report."""
    return str(vector["why"]).encode("ascii", "backslashreplace").decode()


@cache
def schema_files() -> dict[str, Any]:
    """Return the content of every schema by the name of its file."""
    return {path.name: json.loads(path.read_text("utf-8")) for path in SCHEMAS.glob("*.json")}


@cache
def validator(name: str) -> Draft202012Validator:
    """Return the validator of the schema in the file ``name``."""
    files = schema_files()
    registry: Registry[Any] = Registry().with_resources(
        (file, Resource.from_contents(content)) for file, content in files.items()
    )
    return Draft202012Validator(files[name], registry=registry)


def misfits(name: str, value: object) -> list[str]:
    """Return what the schema in the file ``name`` has against ``value``."""
    return [error.message for error in validator(name).iter_errors(value)]
