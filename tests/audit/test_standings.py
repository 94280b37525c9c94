import json
from pathlib import Path

import pytest

from tests.spec_ratings import ratings

pytestmark = pytest.mark.slow


def test_the_specification_says_enough_to_compute_the_ratings_again(export: Path) -> None:
    rows = json.loads((export / "standings.json").read_text("utf-8"))

    again = ratings(export)

    assert {(row["category"], row["bot"]) for row in rows} == again.keys()
    assert any(row["faults"] for row in rows)
    for row in rows:
        told = row["mu"], row["sigma"]
        assert told == pytest.approx(again[row["category"], row["bot"]], abs=5e-4)
