import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.errors import HostFault
from arena.games import games
from arena.players.files import File, discard
from arena.players.tier import Tier
from arena.tournament.cluster.errands import (
    Errand,
    Lacking,
    Parcel,
    Terms,
    Unfit,
    cache_folder,
    equipment,
    pack,
    perform,
    sealed,
)
from arena.tournament.executor import Chunk
from arena.tournament.match import MatchTask
from tests.tournament.test_match import task
from tests.whole_arena import DICE, FIRST, bot

KEY = b"a secret that nobody else is told"


def played(chunk: Chunk) -> list[bytes]:
    """Return where the seats' programs lie, instead of records."""
    return [str(seat.program.folder).encode() for task in chunk for seat in task.seats]


@pytest.fixture
def duel(tmp_path: Path) -> MatchTask:
    bots = [bot(DICE, tmp_path / "dice"), bot(FIRST, tmp_path / "first")]
    return task(*bots, bots[0], key=KEY)


def errand(task: MatchTask, *parcels: Parcel) -> Errand:
    return Errand.of("worker", played, (task,), parcels)


def test_bots_that_are_not_there_are_asked_for_and_unpacked_once(
    duel: MatchTask, tmp_path: Path
) -> None:
    cache = tmp_path / "cache"
    dice, first, _ = (seat.digest for seat in duel.seats)

    asked = perform(errand(duel), cache)
    assert asked == Lacking((dice, first))
    told = perform(errand(duel, *pack((duel,), asked.digests)), cache)

    assert isinstance(told, list)
    assert {Path(line.decode()).parent for line in told} == {cache}
    assert perform(errand(duel), cache) == told
    assert len(list(cache.iterdir())) == 2


def test_no_path_of_the_runner_travels_and_no_text_shows_the_key(duel: MatchTask) -> None:
    sent = errand(duel)
    call = sealed(perform, sent)

    assert str(duel.seats[0].program.folder.parent).encode() not in call.getvalue()
    assert KEY in call.getvalue()
    assert "secret" not in repr(sent) + repr(call) + repr(duel)


def test_a_sealed_call_is_made_by_whoever_unpickles_it() -> None:
    assert pickle.load(sealed(divmod, 17, 5)) == (3, 2)  # noqa: S301 - it is our own


def test_a_bot_that_was_changed_is_asked_for_again(duel: MatchTask, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    digest = duel.seats[0].digest
    perform(errand(duel, *pack((duel,), {seat.digest for seat in duel.seats})), cache)
    (script,) = cache.glob(f"{digest.removeprefix('sha256:')[:32]}/bot.py")
    script.chmod(0o644)
    script.write_text("import os\n")

    assert perform(errand(duel), cache) == Lacking((digest,))
    assert isinstance(perform(errand(duel, *pack((duel,), [digest])), cache), list)


DAMAGES = [
    pytest.param(lambda files: files[1:], "has no bot.toml|it is no sha256:", id="less"),
    pytest.param(
        lambda files: (*files, File("more.py", 0o644, b"")), "it is no sha256:", id="more"
    ),
    pytest.param(lambda files: (*files, File("../up.py", 0o644, b"")), "'../up.py'", id="above"),
    pytest.param(lambda files: (*files, File("/etc/x", 0o644, b"")), "'/etc/x'", id="elsewhere"),
]


@pytest.mark.parametrize(("damage", "why"), DAMAGES)
def test_a_bot_that_arrives_as_another_is_not_unpacked(
    duel: MatchTask, tmp_path: Path, damage: Any, why: str
) -> None:
    (parcel,) = pack((duel,), [duel.seats[0].digest])
    cache = tmp_path / "cache"

    with pytest.raises(HostFault, match=why):
        perform(errand(duel, Parcel(parcel.digest, damage(parcel.files))), cache)

    assert not cache.exists()


def test_a_bot_that_is_gone_from_the_runner_voids_the_match(duel: MatchTask) -> None:
    discard(duel.seats[0].program.folder)

    with pytest.raises(HostFault, match="is not there"):
        pack((duel,), [duel.seats[0].digest])


def test_a_worker_without_the_runtime_of_a_bot_is_unfit(
    duel: MatchTask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "script.js"
    script.write_text("// nothing\n")
    monkeypatch.setattr("shutil.which", lambda *_, **__: "/usr/bin/node")
    match = task(script, script, script)
    parcels = pack((match,), [match.seats[0].digest])
    monkeypatch.setattr("shutil.which", lambda *_, **__: None)

    with pytest.raises(Unfit, match="node is not installed"):
        perform(errand(match, *parcels), tmp_path / "cache")


@pytest.mark.parametrize(
    ("told", "folder"),
    [("/var/cache", "/var/cache/arena/snapshots"), ("here", "/home/x/.cache/arena/snapshots")],
)
def test_bots_are_kept_where_caches_are_kept(
    monkeypatch: pytest.MonkeyPatch, told: str, folder: str
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", told)
    monkeypatch.setenv("HOME", "/home/x")

    assert cache_folder() == Path(folder)


TERMS = Terms.of({"tier": "none", "rules_versions": {"donburiko": 1}, "limits": None})
MISFITS = [
    ({"arena": "9.9"}, "arena .* is needed, and it has 9.9"),
    ({"record": 99}, "records of version .* is needed, and it has 99"),
    ({"python": "2.7"}, "Python .* is needed, and it has 2.7"),
    ({"rules": {"donburiko": 7}}, "rules of donburiko in version .* is needed, and it has 7"),
    ({"rules": {}}, "rules of donburiko in version .* is needed, and it has none"),
    ({"lacking": "no bubblewrap\x1b[1m"}, r"^no bubblewrap\\x1b\[1m$"),
    ({"arena": None}, "and it has none"),
]


def test_whoever_runs_this_very_arena_is_fit() -> None:
    versions = {name: game.rules_version for name, game in games().items()}

    assert TERMS.misfit(equipment("none")) is None
    assert replace(TERMS, rules=versions).misfit(equipment("none")) is None


@pytest.mark.parametrize(("difference", "why"), MISFITS)
def test_what_differs_is_named(difference: dict[str, Any], why: str) -> None:
    said = TERMS.misfit({**equipment("none"), **difference})

    with pytest.raises(AssertionError, match=why):
        raise AssertionError(said)


def test_a_tier_that_nobody_knows_is_lacking() -> None:
    assert "vault" in equipment("vault")["lacking"]
    assert Terms(Tier.NONE, {}).misfit(equipment("vault"))
