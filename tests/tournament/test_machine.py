from pathlib import Path

import pytest

from arena.referee.limits import Limits
from arena.tournament.machine import ONE_EACH, Sharing, carries, cores, crowding, memory_mb


def cgroup(tmp_path: Path, own: str, quotas: dict[str, str]) -> tuple[Path, Path]:
    """Write a tree of cgroups, and the file that names those of a process."""
    (tmp_path / "own").write_text(own)
    for name, text in quotas.items():
        path = tmp_path / "cgroup" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "own", tmp_path / "cgroup"


@pytest.mark.parametrize(
    ("own", "quotas"),
    [
        ("0::/\n", {}),
        ("0::/box\n", {"box/cpu.max": "max 100000\n"}),
        ("0::/box\n", {"box/cpu.max": "what?"}),
        ("nothing like it\n", {"cpu.max": "100000 100000\n"}),
        ("1:cpu:/box\n", {"cpu/box/cpu.cfs_quota_us": "-1\n"}),
        ("1:memory:/box\n", {"memory/box/cpu.max": "100000 100000\n"}),
    ],
)
def test_without_a_quota_it_is_one_match_for_each_core(
    tmp_path: Path, own: str, quotas: dict[str, str]
) -> None:
    assert carries(*cgroup(tmp_path, own, quotas)) == len(cores())
    assert carries(tmp_path / "gone", tmp_path) == len(cores())


@pytest.mark.parametrize(
    ("own", "quotas"),
    [
        ("0::/a/b\n", {"a/b/cpu.max": "150000 100000\n"}),
        ("0::/a/b\n", {"a/b/cpu.max": "max 100000", "a/cpu.max": "100000 100000\n"}),
        ("0::/a/b\n", {"cpu.max": "50000 100000\n"}),
        (
            "3:cpu,cpuacct:/a\n0::/\n",
            {
                "cpu,cpuacct/a/cpu.cfs_quota_us": "100000\n",
                "cpu,cpuacct/a/cpu.cfs_period_us": "100000\n",
            },
        ),
    ],
)
def test_a_quota_of_its_cgroup_or_of_one_above_is_the_most(
    tmp_path: Path, own: str, quotas: dict[str, str]
) -> None:
    assert carries(*cgroup(tmp_path, own, quotas)) == 1


def test_the_memory_of_the_machine_is_read_where_it_is_said(tmp_path: Path) -> None:
    said = tmp_path / "meminfo"
    said.write_text("MemFree: 12 kB\nMemTotal:     2097152 kB\n")

    assert memory_mb(said) == 2048
    said.write_text("MemTotal:\n")
    assert memory_mb(said) is None
    assert memory_mb(tmp_path / "gone") is None


def test_what_the_machine_can_carry_is_no_remark() -> None:
    assert list(crowding(4, 2, Limits(memory_mb=512), 4, 4096)) == []
    assert list(crowding(4, 2, None, 4, 1)) == []
    assert list(crowding(4, 2, Limits(), 4, None)) == []


def test_more_than_the_machine_has_is_a_line_each() -> None:
    cores_line, memory_line = crowding(3, 4, Limits(memory_mb=512), 1, 4096)

    assert cores_line == "3 workers play, and 1 would suit: slow moves may be the machine's"
    assert memory_line.startswith(
        "3 matches of 4 seats may take 6,144 MiB of memory, and the machine has 4,096"
    )


CORES = (0, 2, 3, 5, 8)


@pytest.mark.parametrize(
    ("sharing", "at_once", "of_the_first_six"),
    [
        (ONE_EACH, 5, [{0}, {2}, {3}, {5}, {8}, {0}]),
        (Sharing(cores_per_match=2), 2, [{0, 2}, {3, 5}, {0, 2}, {3, 5}, {0, 2}, {3, 5}]),
        (Sharing(oversubscribe=3), 15, [{0}, {2}, {3}, {5}, {8}, {0}]),
        (Sharing(cores_per_match=5, oversubscribe=2), 2, [set(CORES)] * 6),
        (Sharing(cores_per_match=9), 1, [set(CORES)] * 6),
    ],
)
def test_workers_have_so_many_cores_and_share_them_as_is_asked(
    sharing: Sharing, at_once: int, of_the_first_six: list[set[int]]
) -> None:
    assert sharing.at_once(len(CORES)) == at_once
    assert [sharing.cores_of(worker, CORES) for worker in range(6)] == of_the_first_six
