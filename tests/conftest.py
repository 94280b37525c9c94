"""Hypothesis profiles: `dev` by default, `ci` where CI is set, `long` for `make long`."""

import os

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("dev", max_examples=50, deadline=None)
settings.register_profile("ci", max_examples=100, deadline=None, derandomize=True, print_blob=True)
settings.register_profile(
    "long", max_examples=5_000, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "dev"))


WITH_THE_LONG_PROFILE = frozenset(
    {
        "test_collusion.py",
        "test_freezer.py",
        "test_guard.py",
        "test_leftovers.py",
        "test_memory.py",
        "test_neighbours.py",
        "test_probes.py",
        "test_worst_bots.py",
    }
)
"""Tests that load the machine, or wait for one that is idle: `make long` runs them."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave what is not for a busy machine to the long profile."""
    for item in items:
        if item.path.name in WITH_THE_LONG_PROFILE:
            item.add_marker(pytest.mark.long)
