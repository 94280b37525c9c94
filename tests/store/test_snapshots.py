from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import HostFault, UsageError
from arena.players.bundle import bundle_of, check_unpacked, unpack
from arena.players.files import EXECUTABLE, PLAIN, File, discard
from arena.players.manifest import manifest_file
from arena.players.submission import read_bundle
from arena.store.db import Store, open_store
from arena.store.snapshots import is_absent, keep_snapshot, load_bundle, name_snapshot
from tests.kept import snapshot

FILES = st.lists(
    st.builds(
        File,
        st.text("aé日 '$", min_size=1, max_size=5),
        st.sampled_from([PLAIN, EXECUTABLE]),
        st.binary(max_size=40),
    ),
    max_size=6,
    unique_by=lambda file: file.path,
)


@given(files=FILES, command=st.lists(st.text("ab \"\\'é", min_size=1), min_size=1).map(tuple))
@settings(max_examples=20)
def test_a_snapshot_comes_back_as_it_was_kept_and_can_be_unpacked(
    files: list[File], command: tuple[str, ...], tmp_path_factory: pytest.TempPathFactory
) -> None:
    home = tmp_path_factory.mktemp("home")
    bundle = bundle_of([*files, manifest_file(command)], "x")
    with open_store(home) as store, store.atomic() as db:
        keep_snapshot(db, bundle)

    with open_store(home) as store:
        loaded = load_bundle(store, bundle.digest, "x")
    unpack(loaded, home / "bot")

    assert loaded == bundle
    assert loaded.command == command
    check_unpacked(home / "bot", bundle.digest)
    discard(home / "bot")


def test_content_that_many_snapshots_share_is_kept_once(store: Store, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.py").write_text(f"import arena_bot  # {name}")
        with store.atomic() as db:
            keep_snapshot(db, read_bundle(tmp_path / f"{name}.py"))
            keep_snapshot(db, read_bundle(tmp_path / f"{name}.py"))

    assert store.rows("SELECT count(*) FROM snapshots")[0][0] == 2
    assert store.rows("SELECT count(*) FROM snapshot_files")[0][0] == 6
    assert store.rows("SELECT count(*) FROM contents")[0][0] == 5


def test_a_snapshot_that_is_not_kept_or_was_changed_is_a_fault_of_the_host(store: Store) -> None:
    bundle = snapshot("1")
    with pytest.raises(HostFault, match=r"snapshot sha256:\w+ is not kept"):
        load_bundle(store, bundle.digest)

    with store.atomic() as db:
        keep_snapshot(db, bundle)
        db.execute("UPDATE contents SET bytes = x'32' WHERE bytes = x'31'")
    with pytest.raises(HostFault, match="is damaged"):
        load_bundle(store, bundle.digest)


def test_a_snapshot_known_by_its_name_alone_is_kept_once_it_is_handed_in(store: Store) -> None:
    bundle = snapshot("1")
    with store.atomic() as db:
        name_snapshot(db, bundle.digest)
    assert is_absent(store, bundle.digest)
    with pytest.raises(UsageError, match="the files of bot are not here"):
        load_bundle(store, bundle.digest, "bot")

    with store.atomic() as db:
        keep_snapshot(db, bundle)
        name_snapshot(db, bundle.digest)

    assert not is_absent(store, bundle.digest)
    assert load_bundle(store, bundle.digest, "bot") == bundle
