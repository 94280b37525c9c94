"""Hypothesis profiles: `dev` by default, `ci` where CI is set, `steady` in `.ci/run`, which has to
come out the same each time, and `long` for `make long`.
"""

import os
import signal

import pytest
from hypothesis import HealthCheck, settings

# Whoever starts pytest in the background may have it ignore these, and its children with it.
for _number, _usual in (
    (signal.SIGINT, signal.default_int_handler),
    (signal.SIGHUP, signal.SIG_DFL),
    (signal.SIGQUIT, signal.SIG_DFL),
    (signal.SIGTERM, signal.SIG_DFL),
):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, _usual)

settings.register_profile("dev", max_examples=50, deadline=None)
settings.register_profile("steady", max_examples=50, deadline=None, derandomize=True)
settings.register_profile("ci", max_examples=100, deadline=None, derandomize=True, print_blob=True)
settings.register_profile(
    "long", max_examples=5_000, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "dev"))


ALONE = frozenset(
    {
        "test_collusion.py",
        "test_fair_clock.py",
        "test_freezer.py",
        "test_guard.py",
        "test_host_faults.py",
        "test_leftovers.py",
        "test_memory.py",
        "test_neighbours.py",
        "test_probes.py",
        "test_worst_bots.py",
    }
)
"""Tests that load the machine, or that a loaded machine disturbs: `make alone` runs them."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is to have the machine to itself."""
    for item in items:
        if item.path.name in ALONE:
            item.add_marker(pytest.mark.alone)
