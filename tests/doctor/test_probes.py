import re
from pathlib import Path

import pytest

from arena.doctor.probe import Probe, Verdict
from arena.doctor.probes import PROBES
from arena.players.tier import Tier
from tests.doctor.conftest import CASES, Case, Findings

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "protocol" / "SECURITY.md").read_text("utf-8")
ROWS = dict(re.findall(r"^\| ([A-D]\d) \| (.*) \|$", PAGE, re.MULTILINE))
NAMES = {probe.name for probe in PROBES}


def shown_by(row: str) -> set[str]:
    """Return the probes and files in the last column of a row of the page."""
    return set(re.findall(r"`([^`]+)`", row.rsplit(" | ", maxsplit=1)[-1]))


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.name)
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_an_attack_fails_where_it_is_said_to_and_works_without_a_sandbox(
    probe: Probe, case: Case, findings: Findings
) -> None:
    verdict, why = findings[case][probe.name]

    if verdict == Verdict.NOT_SHOWN:
        pytest.skip(f"not shown on this host: {why}")
    expected = {Verdict.CLOSED}
    if not probe.kept.promised(case.tier, root=case.root):
        expected.add(Verdict.LEFT_OPEN)
    assert verdict in expected


def test_every_probe_has_a_name_of_its_own() -> None:
    assert len(NAMES) == len(PROBES)


@pytest.mark.parametrize("threat", ROWS)
def test_the_page_names_the_probes_of_a_threat_and_no_others(threat: str) -> None:
    of_threat = {probe.name for probe in PROBES if threat in probe.threats}

    assert {name for name in shown_by(ROWS[threat]) if "/" not in name} == of_threat


@pytest.mark.parametrize("threat", ROWS)
def test_every_threat_is_shown_by_a_probe_or_a_test(threat: str) -> None:
    assert shown_by(ROWS[threat])


def test_every_threat_of_a_probe_is_on_the_page() -> None:
    threats = {threat for probe in PROBES for threat in probe.threats}

    assert threats <= ROWS.keys()
    assert len(ROWS) == 24


def test_what_is_left_open_anywhere_is_named_on_the_page() -> None:
    left = PAGE[PAGE.index("## What is left open") :]
    somewhere = {probe.name for probe in PROBES if not probe.kept.promised(Tier.BWRAP, root=False)}

    assert {name for name in somewhere if f"`{name}`" not in left} == set()
