"""An open store in a fresh home."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.store.db import Store, open_store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "home") as opened:
        yield opened
