import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.errors import HostFault
from arena.players import uids
from arena.players.uids import COUNT, FIRST, Uid

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root makes users of its own")


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Let there be two users, and nobody else who takes them."""
    monkeypatch.setattr(uids, "COUNT", 2)
    monkeypatch.setattr(uids, "_PLACE", tmp_path)
    return tmp_path


def test_no_two_seats_are_the_same_user() -> None:
    taken = [Uid() for _ in range(50)]
    numbers = [uid.number for uid in taken]
    for uid in taken:
        uid.close()

    assert len(set(numbers)) == 50
    assert all(FIRST <= number < FIRST + COUNT for number in numbers)


def test_a_user_that_is_taken_is_passed_over(few: Path) -> None:
    first, second = Uid(), Uid()

    assert {first.number, second.number} == {FIRST, FIRST + 1}
    with pytest.raises(HostFault, match="all 2 users for sandboxes are taken"):
        Uid()
    first.close()
    third = Uid()
    assert third.number == first.number
    third.close()
    second.close()


def test_closing_twice_is_closing_once() -> None:
    uid = Uid()

    uid.close()
    uid.close()

    assert uid.becoming()[1:5] == ["--reuid", str(uid.number), "--regid", str(uid.number)]


def test_a_user_comes_back_however_its_holder_ends(few: Path) -> None:
    code = (
        "import os, pathlib, sys\n"
        "from arena.players import uids\n"
        "uids.COUNT, uids._PLACE = 2, pathlib.Path(sys.argv[1])\n"
        "taken = [uids.Uid(), uids.Uid()]\n"
        "print(len(taken), flush=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code, few], cwd=ROOT, capture_output=True, check=False
    )

    Uid().close()

    assert (ended.stdout, ended.returncode) == (b"2\n", -9)


def test_all_runs_look_at_the_same_locks_whatever_their_temporary_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if not os.access("/run", os.W_OK):
        pytest.skip("there is no /run")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    Uid().close()

    assert list(tmp_path.iterdir()) == []


def test_locks_that_others_could_touch_are_not_trusted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(uids, "_PLACE", tmp_path)
    (tmp_path / "arena-uids").mkdir()
    (tmp_path / "arena-uids").chmod(0o777)

    with pytest.raises(HostFault, match="belongs to somebody else: remove it"):
        Uid()
