import json
import os
import shutil
from pathlib import Path

import pytest

from arena.cli.check import verdict
from arena.conformance.findings import Check, Finding, Report, Severity
from arena.wire.escape import printable
from tests.command_line import NO_TIER, CommandLine
from tests.tiny_bots import HONEST

pytestmark = pytest.mark.slow

LOUD = """
ready(games=['donburiko'])
for message in acts():
    print('\\x1b[31mthinking', flush=True)
    print('oh', file=sys.stderr, flush=True)
    answer(message)
"""
RUDE = HONEST.replace("ready()", "ready(games=['donburiko'])") + "sys.exit(3)\n"


def test_a_bot_in_order_is_ready_and_nothing_is_kept(arena: CommandLine) -> None:
    answer = arena("check", arena.script(), *NO_TIER)

    assert (answer.status, answer.err) == (0, "")
    assert answer.out.splitlines()[-1] == "mybot: ready to submit"
    assert {line.split()[1] for line in answer.out.splitlines()[2:-2]} == {"ok"}
    assert not arena.home.exists()


def test_a_bot_is_examined_on_one_core_as_matches_are_played(arena: CommandLine) -> None:
    """On several, one that keeps them busy could take for itself the time that others may have."""
    before = os.sched_getaffinity(0)
    counts = "sys.exit(len(os.sched_getaffinity(0)) != 1)\n"

    answer = arena("check", arena.script(HONEST + counts), *NO_TIER)

    assert answer.out.splitlines()[-1] == "mybot: ready to submit"
    assert os.sched_getaffinity(0) == before


def test_a_fault_is_shown_with_its_lines_and_what_to_do(arena: CommandLine) -> None:
    answer = arena("check", arena.script(LOUD), *NO_TIER)

    assert answer.status == 1
    assert printable(answer.out, lines=True) == answer.out
    *_, block, last = answer.out.split("\n\n")
    assert block.splitlines()[0].startswith("fault in donburiko: bad_message: not JSON: ")
    shown = dict(line.split(maxsplit=1) for line in block.splitlines() if line.startswith("  "))
    assert shown["sent"].startswith('{"type":"act","id":')
    assert shown["back"] == r"\x1b[31mthinking"
    assert shown["log"] == "oh"
    assert shown["tip"].startswith("standard output is for messages alone")
    assert last == "mybot: 1 fault: donburiko\n"


def test_the_same_fault_in_another_game_is_shown_in_short(arena: CommandLine) -> None:
    both = LOUD.replace("games=['donburiko']", "")

    answer = arena("check", arena.script(both), *NO_TIER)

    *_, block, last = answer.out.split("\n\n")
    assert block.splitlines()[0].startswith("fault in couperation: bad_message: not JSON: ")
    assert block.splitlines()[-1] == "  as    in donburiko, above"
    assert last == "mybot: 2 faults: donburiko, couperation\n"


def test_as_json_each_finding_is_an_object_with_everything_in_it(arena: CommandLine) -> None:
    answer = arena("check", arena.script(LOUD), *NO_TIER, "--format", "json")

    rows = {row["check"]: row for row in json.loads(answer.out)}
    nothing = dict.fromkeys(("where", "times", "tip", "sent", "back", "log"))
    assert rows["start"]["verdict"] == "ok"
    assert {name: rows["start"][name] for name in nothing} == nothing
    fault = rows["donburiko"]
    assert (fault["verdict"], fault["times"]) == ("fault", 2)
    assert fault["where"] == "donburiko, 2 players, decision 1"
    assert json.loads(fault["sent"])["type"] == "act"
    assert rows["couperation"]["verdict"] == "skipped"
    assert answer.line == "mybot: 1 fault: donburiko"


def test_a_warning_is_no_reason_to_refuse(arena: CommandLine) -> None:
    answer = arena("check", arena.script(RUDE), *NO_TIER)

    assert answer.status == 0
    assert "warning in quit: exits with status 3 after the match" in answer.out
    assert answer.out.endswith("\nmybot: ready to submit (1 warning)\n")


def test_a_registered_bot_is_meant_by_its_name(arena: CommandLine) -> None:
    path = arena.script(LOUD.replace("print('\\x1b[31mthinking', flush=True)", "pass"))
    assert arena("submit", path, "--name", "clever", *NO_TIER).status == 0
    path.unlink()

    answer = arena("check", "clever", *NO_TIER)

    assert answer.out.endswith("\nclever: ready to submit\n")


def test_a_path_comes_before_a_name(arena: CommandLine) -> None:
    path = arena.script(HONEST, "clever.py")
    assert arena("submit", path, *NO_TIER).status == 0
    arena.script("sys.exit(1)", "clever.py")

    answer = arena("check", "clever.py", *NO_TIER)

    assert answer.out.endswith("\nclever: 1 fault: start\n")


def test_a_file_whose_name_no_bot_can_have_is_given_one(arena: CommandLine) -> None:
    path = arena.script("sys.exit(1)", "my bot.py")

    assert "rename it, or submit it under another --name" in arena.refuses("check", path)
    answer = arena("check", path, "--name", "clever", *NO_TIER)
    assert answer.out.endswith("\nclever: 1 fault: start\n")
    assert "greedy is no path" in arena.refuses("check", "greedy", "--name", "clever")


def test_what_is_no_bot_is_a_mistake_of_the_user(arena: CommandLine) -> None:
    assert "no bot is called 'gredy'; did you mean 'greedy'?" in arena.refuses("check", "gredy")
    assert "nosuch/bot.py" in arena.refuses("check", "nosuch/bot.py")


def test_a_bot_that_cannot_be_built_is_a_mistake_of_the_user(arena: CommandLine) -> None:
    shutil.copytree(arena.bot("first"), "clever")
    with Path("clever/bot.toml").open("a", encoding="utf-8") as manifest:
        manifest.write('build = [["python", "nosuch.py"]]\n')

    answer = arena("check", "clever", *NO_TIER)

    assert (answer.status, answer.out) == (2, "")
    assert "build step 1" in answer.err


def found(check: str, *severities: Severity) -> Check:
    return Check(check, "", tuple(Finding(check, severity, "") for severity in severities))


def test_the_verdict_counts_what_matters() -> None:
    fault, warning, tip = Severity
    report = Report("bot", (found("a", tip, warning), found("b", fault, warning, tip)))

    assert verdict(report) == "bot: 1 fault: b (2 warnings, 2 tips)"
    assert verdict(Report("bot", (found("a", tip),))) == "bot: ready to submit (1 tip)"
    assert verdict(Report("bot", (found("a"),))) == "bot: ready to submit"
