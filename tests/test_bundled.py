import importlib.util
import shutil
import tomllib
from pathlib import Path

from arena.bundled import bundled, python_sdk, sample_bots

ROOT = Path(__file__).parents[1]


def test_a_checkout_has_its_files_beside_the_package() -> None:
    assert bundled("bots") == ROOT / "bots"
    assert python_sdk() == ROOT / "protocol" / "sdk" / "python" / "arena_bot.py"


def test_sample_bots_are_scripts_and_nothing_else() -> None:
    names = [path.name for path in sample_bots()]

    assert {"first_legal.py", "random_legal.py"} <= set(names)
    assert names == sorted(names)
    assert {path.suffix for path in sample_bots()} <= {".py", ".js"}


def test_an_installed_package_carries_them_inside(tmp_path: Path) -> None:
    package = tmp_path / "arena"
    (package / "_bundled" / "seeds").mkdir(parents=True)
    shutil.copy(ROOT / "arena" / "bundled.py", package)
    spec = importlib.util.spec_from_file_location("installed", package / "bundled.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)

    spec.loader.exec_module(module)

    assert module.bundled("seeds") == package / "_bundled" / "seeds"


def test_the_wheel_gets_each_folder_where_it_is_looked_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    included = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]

    assert included == {name: f"arena/_bundled/{name}" for name in ("bots", "protocol", "seeds")}
