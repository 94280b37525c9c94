"""Each way to break the protocol, by a bot of a few lines: what its author is told, and shown."""

import json
from pathlib import Path
from typing import NamedTuple

import pytest

from arena.conformance.examine import examine
from arena.conformance.findings import Finding, Report, Severity
from arena.errors import UsageError
from arena.players.sandbox import isolation
from arena.players.submission import read_bundle
from arena.players.tier import Tier
from arena.referee.limits import Limits
from tests.tiny_bots import HONEST, PRELUDE

pytestmark = pytest.mark.slow

LIMITS = Limits(move_ms=2_000, start_ms=5_000)
HASTY = Limits(move_ms=300, start_ms=600)
"""For bots that are waited for in vain."""

CHECKS = [
    *("start", "donburiko", "couperation", "others", "later", "next", "again"),
    *("quit", "lines", "time", "log"),
]


def report(body: str, folder: Path, limits: Limits = LIMITS, tier: Tier = Tier.NONE) -> Report:
    """Examine the bot ``body``, as `tests.tiny_bots` has it."""
    home = folder / "mybot"
    home.mkdir()
    (home / "bot.toml").write_text('command = ["python", "-I", "-S", "bot.py"]\n')
    (home / "bot.py").write_text(PRELUDE + body)
    return examine(read_bundle(home), limits, tier)


class Case(NamedTuple):
    """A bot, and the finding that it has to lead to."""

    body: str
    check: str
    severity: Severity
    text: str
    tip: str = ""
    back: str = ""
    """What the lines that are shown have to hold."""

    limits: Limits = LIMITS


PLAY = "ready(games=['donburiko'])\nfor message in acts():\n    {}\n"
BOTH = PLAY.replace("games=['donburiko']", "")
FAULT, WARNING, TIP = Severity.FAULT, Severity.WARNING, Severity.TIP

CASES = {
    "is not flushed": Case(
        "import atexit\nhear()\nprint('{\"type\":\"ready\",\"protocol\":1}')\nwhile hear(): pass",
        "start", FAULT, "not ready: wrote nothing in time", "flush=True", '"ready"', HASTY,
    ),
    "reads to the end": Case(
        "sys.stdin.read()\nsay(type='ready', protocol=1)",
        "start", FAULT, "not ready: wrote nothing in time", "line by line", '"ready"', HASTY,
    ),
    "starts too slowly": Case(
        "time.sleep(1); " + HONEST,
        "start", FAULT, "not ready: wrote nothing in time", "it has 600 ms to start", "", HASTY,
    ),
    "says hello": Case(
        "print('hello, I am here', flush=True)\n" + HONEST,
        "start", FAULT, "not ready: not JSON", "standard error", "hello, I am here",
    ),
    "crashes at once": Case(
        "import nosuch",
        "start", FAULT, "not ready: exited with status 1", "if nosuch is a file of yours",
    ),
    "speaks another version": Case(
        "hear(); say(type='ready', protocol=2); hear()",
        "start", FAULT, "not ready: ready: protocol 2, this is 1", "", '"protocol":2',
    ),
    "plays chess": Case(
        "ready(games=['chess']); hear()",
        "start", FAULT, "plays none of the games there are", "", '"chess"',
    ),
    "plays a misspelt game": Case(
        "ready(games=['couperation', 'donburico'])\nfor it in acts(): answer(it)",
        "start", WARNING, "did you mean 'donburiko'?", "", '"donburico"',
    ),
    "prints what it thinks": Case(
        PLAY.format("raw(b'thinking\\n'); answer(message)"),
        "donburiko", FAULT, "bad_message: not JSON: 'thinking'", "standard error", "thinking",
    ),
    "prints what it thought": Case(
        PLAY.format("answer(message); raw(b'done\\n')"),
        "donburiko", FAULT, "bad_message: not JSON: 'done'", "standard error", "done",
    ),
    "writes Python": Case(
        PLAY.format("raw((str({'type': 'action', 'id': message['id']}) + '\\n').encode())"),
        "donburiko", FAULT, "bad_message: not JSON", "json.dumps", "{'type'",
    ),
    "writes NaN": Case(
        PLAY.format("raw(b'{\"type\":\"action\",\"id\":NaN}\\n')"),
        "donburiko", FAULT, "bad_message: not JSON: NaN is no number", "no NaN", "NaN",
    ),
    "puts two messages on a line": Case(
        PLAY.format("raw(b'{} {}\\n')"),
        "donburiko", FAULT, "bad_message: not JSON", "one message a line", "{} {}",
    ),
    "answers with no id": Case(
        PLAY.format("say(type='action', action=message['legal_actions'][0])"),
        "donburiko", FAULT, "the id is not the one", "repeats the `id`", '"action"',
    ),
    "answers with the id as a text": Case(
        PLAY.format("message['id'] = str(message['id']); answer(message)"),
        "donburiko", FAULT, "the id is not the one", "the id is a whole number", '"id":"',
    ),
    "cuts the id to 32 bits": Case(
        PLAY.format("message['id'] %= 2**32; answer(message)"),
        "donburiko", FAULT, "the id is not the one", "cut to 32 bits", '"id":',
    ),
    "rounds the id": Case(
        PLAY.format("message['id'] -= message['id'] % 2**28 + 1; answer(message)"),
        "donburiko", FAULT, "the id is not the one", "was rounded", '"id":',
    ),
    "answers twice": Case(
        PLAY.format("answer(message); answer(message)"),
        "donburiko", FAULT, "the id is not the one", "an earlier question", '"id":',
    ),
    "answers with a number": Case(
        PLAY.format("say(type='action', id=message['id'], action=0)"),
        "donburiko", FAULT, "`action` is not an object", "the action itself", '"action":0',
    ),
    "answers with more than is asked": Case(
        PLAY.format("say(type='action', id=message['id'], action={}, why='so')"),
        "donburiko", FAULT, "action: unknown field 'why'", "leave it out", '"why"',
    ),
    "answers whatever it is sent": Case(
        "ready(games=['donburiko'])\n"
        "while (it := hear())['type'] != 'quit':\n"
        "    answer(it) if it['type'] == 'act' else say(type='ok')",
        "donburiko", FAULT, "expected a message of type 'action'", "only `hello` and `act`", "ok",
    ),
    "leaves out the type": Case(
        PLAY.format("say(id=message['id'], action=message['legal_actions'][0])"),
        "donburiko", FAULT, "expected a message of type 'action'", "the field `type`", '"id"',
    ),
    "begins with a byte order mark": Case(
        PLAY.format("raw(b'\\xef\\xbb\\xbf'); answer(message)"),
        "donburiko", FAULT, "bad_message: not JSON", "without a byte order mark", '"id"',
    ),
    "does what is not legal": Case(
        PLAY.format("say(type='action', id=message['id'], action={'type': 'claim', 'column': 9})"),
        "donburiko", FAULT, "illegal_action: ", "RULES.md", '"column":9',
    ),
    "does what is no action": Case(
        PLAY.format("say(type='action', id=message['id'], action={'type': 'fold'})"),
        "donburiko", FAULT, "illegal_action: not an action of this game", "legal_actions", "fold",
    ),
    "is too slow": Case(
        PLAY.format("time.sleep(0.5); answer(message)"),
        "donburiko", FAULT, "timeout: wrote nothing in time", "its answer came after", "",
        HASTY,
    ),
    "says nothing": Case(
        PLAY.format("time.sleep(60)"),
        "donburiko", FAULT, "timeout: wrote nothing in time", "a decision may take 300 ms", "",
        HASTY,
    ),
    "does not end its line": Case(
        PLAY.format("raw(b'{\"type\":')"),
        "donburiko", FAULT, "it began one and did not end it", "line feed", '{"type":', HASTY,
    ),
    "leaves": Case(
        PLAY.format("answer(message); break"),
        "donburiko", FAULT, "exited: exited with status 0", "reads on until",
    ),
    "crashes": Case(
        PLAY.format("message['nosuch']"),
        "donburiko", FAULT, "exited: exited with status 1",
    ),
    "reads a file that is elsewhere": Case(
        PLAY.format("open('/nosuch/weights.bin')"),
        "donburiko", FAULT, "exited with status 1", "put what it reads in there",
    ),
    "phones": Case(
        PLAY.format("import socket; socket.create_connection(('127.0.0.1', 9))"),
        "donburiko", FAULT, "exited with status 1", "no network",
    ),
    "knows one game": Case(
        BOTH.format("message['observation']['tokens']; answer(message)"),
        "couperation", FAULT, "exited with status 1", 'run(..., games=["donburiko"])',
    ),
    "expects others to stay": Case(
        PLAY.format("[it['card'] for it in message['events'] if it['type'] == 'fault']; "
                    "answer(message)"),
        "others", FAULT, "after the fault of another seat: exited", "",
    ),
    "does not expect a field": Case(
        PLAY.format("assert len(message) == 7; answer(message)"),
        "later", FAULT, "sent fields that it does not know: exited", "must ignore",
    ),
    "does not expect a message": Case(
        "ready()\nwhile (it := hear())['type'] != 'quit':\n"
        "    if it['type'] == 'act': answer(it)\n"
        "    assert it['type'] in ('start', 'act', 'end')",
        "later", FAULT, "sent a message of a type that it does not know", "must ignore",
    ),
    "does not expect an event": Case(
        PLAY.format("assert not any(it['type'] == 'x_later' for it in message['events']); "
                    "answer(message)"),
        "later", FAULT, "sent an event of a type that it does not know", "must ignore",
    ),
    "has a small buffer": Case(
        "hear(); say(type='ready', protocol=1)\n"
        "while line := sys.stdin.buffer.readline(100_000):\n"
        "    message = json.loads(line)\n"
        "    if message['type'] == 'act': answer(message)\n"
        "    if message['type'] == 'quit': break",
        "later", FAULT, "sent a line of 300 KB: exited", "however long",
    ),
    "knows ASCII": Case(
        "hear(); say(type='ready', protocol=1)\n"
        "for line in open(0, encoding='ascii', closefd=False):\n"
        "    message = json.loads(line)\n"
        "    if message['type'] == 'act': answer(message)\n"
        "    if message['type'] == 'quit': break",
        "later", FAULT, "sent text outside ASCII: exited", "must ignore",
    ),
    "plays one match": Case(
        "ready()\nwhile (it := hear())['type'] != 'end':\n    if it['type'] == 'act': answer(it)",
        "next", WARNING, "in its second match: exited: exited with status 0", "at each `start`",
    ),
    "has dice of its own": Case(
        PLAY.format("answer(message, os.urandom(1)[0] % len(message['legal_actions']))"),
        "again", TIP, "when a match is repeated", "`seed`", '"action"',
    ),
    "stays": Case(
        HONEST + "while True: time.sleep(60)",
        "quit", FAULT, "does not exit within 1000 ms", "at `quit`",
    ),
    "does not know quit": Case(
        "ready()\nwhile True:\n    it = hear()\n    if it['type'] == 'act': answer(it)",
        "quit", WARNING, "exits at the end of its input, and not at `quit`", "at `quit`",
    ),
    "does not heed the end": Case(
        "ready()\nread = sys.stdin.buffer.readline\n"
        "while not (line := read()).startswith(b'{\"type\":\"quit'):\n"
        "    it = json.loads(line or b'{\"type\":0}')\n    if it['type'] == 'act': answer(it)",
        "quit", WARNING, "does not exit when its input ends", "a read returns nothing",
    ),
    "exits with a status": Case(
        HONEST + "sys.exit(3)",
        "quit", WARNING, "exits with status 3 after the match", "its log",
    ),
    "crashes at the end": Case(
        HONEST + "os.kill(os.getpid(), signal.SIGSEGV)",
        "quit", WARNING, "is ended by SIGSEGV after the match", "its log",
    ),
    "answers the end": Case(
        "ready()\nwhile (it := hear())['type'] != 'quit':\n"
        "    if it['type'] == 'act': answer(it)\n"
        "    if it['type'] == 'end': say(type='ok')",
        "next", WARNING, "in its second match: bad_message", "want no answer", '"ok"',
    ),
    "says goodbye": Case(
        HONEST + "raw(b'goodbye\\n')",
        "lines", WARNING, "writes after its last answer", "nothing else", "goodbye",
    ),
    "writes CR LF": Case(
        "hear(); raw(b'{\"type\":\"ready\",\"protocol\":1}\\r\\n')\n"
        "for message in acts(): answer(message)",
        "lines", TIP, "CR LF", "LF alone", "ready",
    ),
}  # fmt: skip


def the_finding(found: Report, case: Case) -> Finding:
    """Return the finding of ``found`` that ``case`` is about."""
    about = [it for it in found.findings if it.check == case.check and case.text in it.text]
    assert len(about) == 1, found.findings
    return about[0]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_bot_that(case: Case, tmp_path: Path) -> None:
    found = the_finding(report(case.body, tmp_path, case.limits), case)

    assert found.severity is case.severity
    assert case.tip in found.tip
    assert case.back in found.back.decode()


NOW_AND_THEN = """
with open({note!r}, "a") as note:
    print(os.getpid(), file=note)
ready(games=["donburiko"])
wrong = len(open({note!r}).readlines()) == {process}
for number, message in enumerate(acts()):
    if wrong and number == 1:
        {does}
    else:
        answer(message)
"""


@pytest.mark.parametrize(
    ("check", "process", "does", "code"),
    [
        ("next", 9, "sys.exit(3)", "exited"),
        ("again", 10, "sys.exit(3)", "exited"),
        ("again", 10, r"raw(b'\0 no JSON\n')", "bad_message"),
        ("again", 10, r"raw(b'[]\n')", "bad_message"),
        ("again", 10, "say(type='action', id=message['id'], action={})", "illegal_action"),
    ],
)
def test_what_goes_wrong_only_now_and_then_is_a_fault_wherever_it_is_seen(
    tmp_path: Path, check: str, process: int, does: str, code: str
) -> None:
    note = str(tmp_path / "processes")
    body = NOW_AND_THEN.format(note=note, process=process, does=does)

    found = report(body, tmp_path).findings

    assert [(one.check, one.severity) for one in found] == [(check, Severity.FAULT)]
    assert found[0].text.startswith(f"in a match that it got through before: {code}: ")
    assert found[0].where == "donburiko, 2 players, decision 2"


def test_a_bot_in_order_has_no_finding(tmp_path: Path) -> None:
    found = report(HONEST, tmp_path)

    assert [check.name for check in found.checks] == CHECKS
    assert {check.verdict for check in found.checks} == {"ok"}
    assert found.findings == ()


def test_a_bot_in_order_has_none_in_the_sandbox_either(tmp_path: Path) -> None:
    if lacking := isolation().lacking:
        pytest.skip(lacking)

    assert report(HONEST, tmp_path, tier=Tier.BWRAP).findings == ()


def test_a_bot_that_wants_no_legal_actions_is_sent_none(tmp_path: Path) -> None:
    """It leaves at the first question, and its status tells what was in that."""
    body = (
        "ready(legal_actions=False)\nfor it in acts():\n    sys.exit(2 + ('legal_actions' in it))"
    )

    texts = {finding.text for finding in report(body, tmp_path).findings}

    assert texts == {"exited: exited with status 2"}


def test_a_finding_shows_the_question_where_it_was_and_the_log(tmp_path: Path) -> None:
    body = BOTH.format("print('lost', file=sys.stderr); message['nosuch']")

    found = report(body, tmp_path).findings[0]

    assert json.loads(found.sent)["type"] == "act"
    assert found.where == "donburiko, 2 players, decision 1"
    assert found.log.startswith(b"lost\nTraceback")
    assert b'File "bot.py"' in found.log
    assert found.times == 2


def test_a_game_that_is_not_played_is_left_out(tmp_path: Path) -> None:
    checks = report(HONEST.replace("ready()", "ready(games=['couperation'])"), tmp_path).checks

    verdicts = {check.name: check.verdict for check in checks}
    assert verdicts == dict.fromkeys(CHECKS, "ok") | {"donburiko": "skipped"}


def test_of_a_bot_that_plays_nothing_only_that_is_said(tmp_path: Path) -> None:
    checks = report(BOTH.format("sys.exit(1)"), tmp_path).checks

    verdicts = {check.name: check.verdict for check in checks}
    assert [name for name, verdict in verdicts.items() if verdict == "fault"] == CHECKS[1:3]
    assert [name for name, verdict in verdicts.items() if verdict == "skipped"] == [
        *CHECKS[3:7],
        "lines",
    ]


def test_a_bot_whose_interpreter_is_missing_cannot_be_examined(tmp_path: Path) -> None:
    script = tmp_path / "mybot"
    script.write_text("#!/usr/bin/env nosuch\n")
    script.chmod(0o755)

    with pytest.raises(UsageError, match="mybot cannot be started: nosuch is not installed"):
        examine(read_bundle(script), LIMITS, Tier.NONE)
