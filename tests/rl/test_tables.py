import re
from pathlib import Path

import pytest

import arena.rl.tables
from arena.rl.tables import TABLES, filled, main

PAGE = Path(arena.rl.tables.__file__).with_name("README.md")


def test_the_tables_of_the_page_are_what_the_code_makes() -> None:
    text = PAGE.read_text("utf-8")

    assert filled(text) == text, "python -m arena.rl.tables arena/rl/README.md"
    assert len(re.findall(r"<!-- table ", text)) == 2 * len(TABLES)


def test_a_table_is_put_between_its_marks(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- table donburiko actions -->\nold\n<!-- end -->\nb\n")

    main([str(page)])

    first, *table, end, last = page.read_text().splitlines()[1:]
    assert (first, end, last) == ("<!-- table donburiko actions -->", "<!-- end -->", "b")
    assert table[2].startswith("| `play` | 0 + 32 | 0 + 54 | 0 + 72 | (face * players + column)")


@pytest.mark.parametrize("number", range(3))
def test_the_examples_of_the_page_run(number: int, capsys: pytest.CaptureFixture[str]) -> None:
    code = re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    there: dict[str, object] = {}

    exec(compile(code[number], str(PAGE), "exec"), there)  # noqa: S102 - it is our own

    said = capsys.readouterr().out
    assert len(code) == 3
    assert bool(re.fullmatch(r"\(\d+, \d+, \d+\) \w+\n", said)) == (number == 0)
