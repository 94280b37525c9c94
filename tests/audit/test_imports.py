import json
import shutil
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from arena.audit.export import bot_line
from arena.audit.imports import Export, import_export
from arena.audit.verify import verify_account
from arena.errors import Difference, UsageError
from arena.store.db import open_store
from arena.store.tournaments import list_tournaments
from tests.audit.altered import FACTS, in_json, rewritten
from tests.kept import snapshot

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", ["export", "protocol", "record"])
def test_an_export_of_another_version_is_refused(name: str, export: Path) -> None:
    in_json(FACTS, lambda facts: facts.update({name: 9}))(export)

    with pytest.raises(UsageError, match=f"{name} has version 9, this arena reads 1"):
        Export(export)


def test_what_is_changed_after_it_was_verified_is_not_kept(export: Path, tmp_path: Path) -> None:
    account = Export(export)
    head = verify_account(account).head
    rewritten(
        export / "records.jsonl", lambda lines: lines.__setitem__(0, lines[0].replace("0.1", "0.2"))
    )

    with open_store(tmp_path / "other") as store:
        with pytest.raises(Difference, match="head of the chain"):
            import_export(store, account, head)
        assert list_tournaments(store) == []


def test_what_has_no_place_in_the_facts_is_not_even_read(export: Path) -> None:
    in_json(FACTS, lambda facts: facts["parameters"].update(bots=[[]] * 500_000))(export)
    tracemalloc.start()

    with pytest.raises(Difference, match="parameters: Expected `array`"):
        Export(export)
    assert tracemalloc.get_traced_memory()[1] < 10_000_000
    tracemalloc.stop()


def bots(export: Path, change: Any) -> str:
    """Return what is wrong with an export in which the first file of a bot was changed."""

    def change_line(lines: list[str]) -> None:
        bot = json.loads(lines[0])
        change(bot)
        lines[0] = json.dumps(bot)

    rewritten(export / "bots.jsonl", change_line)
    with pytest.raises(Difference) as caught:
        list(Export(export).snapshots())
    return str(caught.value)


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("../x", "a snapshot holds the path"),
        ("/etc/passwd", "a snapshot holds the path"),
        ("a\0b", "has a control character"),
        ("a/" * 20 + "b", "too deep"),
        ("x" * 300, "too long a name"),
        ("BOT.PY", "differ only in case"),
    ],
)
def test_no_snapshot_has_a_path_that_leads_out_of_it(path: str, said: str, export: Path) -> None:
    def more(bot: dict[str, Any]) -> None:
        bot["files"].append({"path": path, "mode": "644", "content": ""})

    assert said in bots(export, more)


def test_a_snapshot_without_a_command_or_with_too_much_in_it_is_refused(
    export: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    shutil.copytree(export, other)

    assert "has no bot.toml" in bots(export, lambda bot: bot["files"].pop())
    assert "Expected `array` of length <=" in bots(
        other, lambda bot: bot.update(files=[bot["files"][0] | {"content": ""}] * 5000)
    )


def test_a_snapshot_that_did_not_enter_is_refused(export: Path) -> None:
    line = bot_line(snapshot("stranger")).decode()
    rewritten(export / "bots.jsonl", lambda lines: lines.insert(0, line))

    with pytest.raises(Difference, match="did not enter"):
        list(Export(export).snapshots())
