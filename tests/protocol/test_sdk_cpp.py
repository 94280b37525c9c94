import json
import math
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, NoReturn

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.conversation import converse
from tests.protocol.conftest import CPP, IN_CPP, WARNINGS
from tests.protocol_files import line_of, vectors

pytestmark = list(IN_CPP)

REFUSED = "refused"
README = (CPP / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"^```cpp\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
COMPILERS = [name for name in ("g++", "clang++") if shutil.which(name)]


def reread(program: Path, lines: list[bytes]) -> list[Any]:
    """Return what the header's reader and writer make of ``lines``."""
    heard = converse([str(program), "reread"], [line + b"\n" for line in lines])
    assert (heard.log, heard.status) == ("", 0)
    return [REFUSED if line == REFUSED.encode() else read(line) for line in heard.lines]


def read(line: bytes) -> Any:
    """Return the JSON value in ``line``, or `REFUSED` if it is none to a strict reader."""
    try:
        text = line.decode()
        value = json.loads(
            text, object_pairs_hook=unique, parse_constant=refuse, parse_float=finite
        )
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return REFUSED
    return value


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError
    return dict(pairs)


def refuse(_: str) -> NoReturn:
    raise ValueError


def finite(text: str) -> float:
    if math.isinf(float(text)):
        raise ValueError
    return float(text)


def exact(value: Any) -> str:
    """Return a text that differs where values or their types do."""
    return json.dumps(value, sort_keys=True)


def test_the_reader_takes_and_refuses_what_the_vectors_do(cpp_program: Path) -> None:
    """But for what is JSON to any reader: too long for a bot, or too large a whole number."""
    lines = [line_of(vector) for vector in vectors("from_bot") + vectors("to_bot")]
    lines = [line for line in lines if b"\n" not in line and not re.search(rb"\d{19}", line)]

    values = reread(cpp_program, lines)

    assert len(values) == len(lines) > 200
    assert list(map(exact, values)) == list(map(exact, map(read, lines)))
    assert 20 < values.count(REFUSED) < 100


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(values=st.lists(JSON_VALUES, min_size=1), ascii_only=st.booleans())
@settings(max_examples=20)
@example(
    values=[2**63 - 1, -(2**63), -0.0, 5e-324, 1e300, "\x00\x1f\x7f\u2028\U0001f430"],
    ascii_only=True,
)
def test_what_is_read_and_written_again_is_the_same(
    values: list[Any], ascii_only: bool, cpp_program: Path
) -> None:
    lines = [json.dumps(value, ensure_ascii=ascii_only).encode() for value in values]

    assert list(map(exact, reread(cpp_program, lines))) == list(map(exact, values))


@given(lines=st.lists(st.binary() | st.text('{}[]",:0123456789-+.eE\\u tfn').map(str.encode)))
@settings(max_examples=20)
@example(lines=[b"", b"01", b"-", b"1.", b".5", b"+1", b"1e", b"[1,]", b'{"a":1,}', b"[", b"nul"])
@example(lines=[b'"\\ud800"', b'"\\udc00\\ud800"', b'"\\u12g4"', b"\xff", b'"\xc0\x80"', b'"\t"'])
@example(lines=[b"[" * 10_000, b'{"a":' * 10_000, b'"\xed\xa0\x80"', b'"\xf4\x90\x80\x80"'])
def test_what_is_no_json_is_refused(lines: list[bytes], cpp_program: Path) -> None:
    lines = [line for line in lines if b"\n" not in line and not re.search(rb"\d{19}", line)]

    values = reread(cpp_program, lines)

    deep = [line for line in lines if line.count(b"[") + line.count(b"{") > 100]
    assert [exact(it) for it, line in zip(values, lines, strict=True) if line not in deep] == [
        exact(read(line)) for line in lines if line not in deep
    ]
    assert all(it == REFUSED for it, line in zip(values, lines, strict=True) if line in deep)


@pytest.mark.parametrize("compiler", COMPILERS)
def test_the_header_and_the_bots_of_the_readme_compile_without_a_warning(
    compiler: str, tmp_path: Path
) -> None:
    sources = []
    for number, block in enumerate(BLOCKS):
        sources.append(tmp_path / f"bot{number}.cpp")
        sources[-1].write_text(block, "utf-8")
    assert len(sources) >= 2

    command = [compiler, "-std=c++17", *WARNINGS, "-fsyntax-only", f"-I{CPP}", *map(str, sources)]
    subprocess.run(command, check=True, timeout=100)
