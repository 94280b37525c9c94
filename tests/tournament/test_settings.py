from pathlib import Path

import pytest

from arena.bundled import bundled
from arena.errors import UsageError
from arena.players.tier import Tier
from arena.referee.limits import BOUNDS, Limits
from arena.tournament.settings import Settings, read_settings


def said(folder: Path, text: str | bytes) -> Settings:
    raw = text.encode() if isinstance(text, str) else text
    (folder / "arena.toml").write_bytes(raw)
    return read_settings(folder)


def test_a_home_without_settings_has_the_usual_ones(tmp_path: Path) -> None:
    usual = Settings(Limits(), jobs=None, tier=None)

    assert read_settings(tmp_path) == usual
    assert read_settings(tmp_path / "gone") == usual
    assert said(tmp_path, "") == usual


def test_settings_say_limits_jobs_and_tier(tmp_path: Path) -> None:
    text = 'jobs = 3\ntier = "none"\n[limits]\nmove_ms = 5\nmemory_mb = 1024\n'

    assert said(tmp_path, text) == Settings(
        Limits(move_ms=5, memory_mb=1024), jobs=3, tier=Tier.NONE
    )


def test_a_byte_order_mark_before_settings_says_nothing(tmp_path: Path) -> None:
    assert said(tmp_path, b"\xef\xbb\xbfjobs = 3\n") == Settings(jobs=3)


@pytest.mark.parametrize("name", sorted(BOUNDS))
def test_every_limit_can_be_set_to_its_least_and_its_most(name: str, tmp_path: Path) -> None:
    for value in BOUNDS[name]:
        limits = said(tmp_path, f"limits.{name} = {value}").limits

        assert getattr(limits, name) == value
        assert Settings(limits).limits_with(**{name: None}) == limits


def test_the_example_in_the_readme_says_what_is_usual(tmp_path: Path) -> None:
    readme = (bundled("protocol").parent / "results" / "README.md").read_text("utf-8")
    text = readme.split("```toml\n")[1].split("```")[0]

    assert said(tmp_path, text) == Settings(Limits(), jobs=2, tier=Tier.BWRAP)
    assert all(f"\n{name} = " in text for name in BOUNDS)


def test_what_a_command_says_comes_before_the_settings(tmp_path: Path) -> None:
    settings = said(tmp_path, "[limits]\nmove_ms = 7\nfile_mb = 3\n")

    assert settings.limits_with(move_ms=9, extra_ms=0, start_ms=None) == Limits(
        move_ms=9, file_mb=3
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("limits.move_ms = 0.5", "limits.move_ms is a whole number from 1 to 3,600,000, not 0.5"),
        ("limits.move_ms = true", "limits.move_ms is a whole number .* not true"),
        ("limits.move_ms = 0", "limits.move_ms is a whole number from 1"),
        ("limits.move_ms = '1000'", r'limits.move_ms is a whole number .* not "1000"$'),
        ("limits.open_files = 8", "limits.open_files is a whole number from 16"),
        ("limits.memory = 1", "unknown key 'limits.memory'; did you mean 'memory_mb'?"),
        ("limits = 5", "limits is a table"),
        ("limit.move_ms = 5", "unknown key 'limit'; did you mean 'limits'?"),
        ("move_ms = 5", "unknown key 'move_ms'; there is jobs, limits, tier"),
        ("jobs = 0", "jobs is a whole number from 1 to 1,024, not 0"),
        ("tier = 'bwarp'", "no tier is called 'bwarp'; did you mean 'bwrap'?"),
        ("tier = 1", "tier is a name in quotes, not 1: bwrap, "),
        ("jobs = ", "not TOML"),
        ("x = " + "[" * 9_000, "not TOML"),
        ('"\\u001b[2J" = 1', r"unknown key '\\x1b\[2J'"),
        (b"jobs = 1 # \xff", "not TOML"),
        ("#" * 70_000, "larger than 64 KiB"),
    ],
)
def test_what_settings_cannot_say_is_refused_in_one_line(
    text: str | bytes, reason: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=reason) as caught:
        said(tmp_path, text)

    assert str(caught.value).startswith(f"{tmp_path}/arena.toml: ")
    assert str(caught.value).isprintable()


def test_settings_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    (tmp_path / "arena.toml").mkdir()

    with pytest.raises(UsageError, match=r"arena\.toml: cannot be read: Is a directory"):
        read_settings(tmp_path)
    with pytest.raises(UsageError, match="cannot be read: no possible path"):
        read_settings(tmp_path / "nul\0")
