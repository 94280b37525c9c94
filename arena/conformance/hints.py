"""What an author can do about a fault, told from the very lines.

`arena.tournament.advice` knows what the text of a fault means; here the question, the answer and
the log are at hand too.
"""

import json
import re
from typing import Any

from arena.conformance.scenes import Seen
from arena.conformance.witness import Silence, Witness
from arena.errors import BotFault, FaultCode
from arena.referee.limits import Limits
from arena.tournament.advice import advice, missing_module

HELD_BACK = (
    "what it wrote came out only when its input had ended: write each line at once, as "
    "print(..., flush=True) in Python, fflush(stdout) in C and std::endl in C++ do, and read line "
    "by line, not to the end of the input"
)
_WALLS = (
    (
        r"etwork is unreachable|name resolution|onnection refused|E(?:NETUNREACH|AI_AGAIN|CONNREF)",
        "bots have no network: put what it needs into its folder",
    ),
    (
        r"Read-only file system|EROFS|[Pp]ermission denied|EACCES",
        "a bot cannot change its own files: it may write where TMPDIR says, for one match",
    ),
    (
        r"No such file or directory|ENOENT",
        "a bot is started in its own folder and sees little else: put what it reads in there",
    ),
)
"""What programs say that run into the walls of the sandbox, and what it means."""

_ENDED = frozenset({FaultCode.START_FAILED, FaultCode.EXITED})
_SPELLINGS = (
    ("\ufeff", "write UTF-8 without a byte order mark, as new UTF8Encoding(false) does in C#"),
    (r"\s*\{\s*'", "this is Python's own spelling: json.dumps makes JSON of it"),
    (r".*\b(?:True|False|None)\b", "JSON spells them true, false and null: use json.dumps"),
    (r".*\b(?:NaN|Infinity)\b", "JSON has no NaN and no Infinity"),
    (r".*\}\s*\{", "one message a line, ended by a line feed"),
)
"""What a line looks like that is no JSON."""

_OF_FIELDS = (
    ("`action` is not an object", "send the action itself, as `legal_actions` has it"),
    ("unknown field", "leave it out: what is for people goes to standard error"),
)


def hint(seen: Seen, fault: BotFault, limits: Limits) -> str:
    """Return what to do about ``fault``, in a few words; empty where its text says it all."""
    if seen.silence is Silence.HELD_BACK:
        return HELD_BACK
    log = seen.log.decode(errors="replace")
    usual = advice(
        fault.code,
        fault.text,
        limits,
        game=seen.scene.game.name,
        wrote=seen.back.decode(errors="replace"),
        log=log,
    )
    if seen.silence is Silence.LATE:
        return _late(seen.overdue_ms, usual)
    if fault.code is FaultCode.EXITED:
        return _wall(log) or usual
    return (_of_line(seen, fault) if fault.code is FaultCode.BAD_MESSAGE else "") or usual


def _of_line(seen: Seen, fault: BotFault) -> str:
    """Return what is wrong with a line that is no answer, as far as it shows."""
    if fault.text.startswith("not JSON"):
        return _spelling(seen.back)
    if "the id is not the one" in fault.text:
        return _wrong_id(seen)
    if fault.text.startswith("expected a message"):
        return _wrong_type(seen.back)
    return next((tip for text, tip in _OF_FIELDS if text in fault.text), "")


def _wrong_type(back: bytes) -> str:
    if _field(back, "type") is None:
        return 'an answer has the field `type`, which is "action"'
    return "only `hello` and `act` are answered: `start` and `end` want no answer"


def start_hint(fault: BotFault, witness: Witness, limits: Limits) -> str:
    """Return what to do about a bot that was not ready, likewise."""
    if witness.silence is Silence.HELD_BACK:
        return HELD_BACK
    wrote = fault.offending or witness.overdue
    log = witness.log.decode(errors="replace")
    shown = wrote.decode(errors="replace")
    usual = advice(FaultCode.START_FAILED, fault.text, limits, wrote=shown, log=log)
    if witness.silence is Silence.LATE:
        return _late(witness.overdue_ms, usual)
    if fault.text.startswith("not JSON"):
        return _spelling(wrote) or usual
    return _wall(log) or usual


def _late(ms: float, usual: str) -> str:
    return f"its answer came after {ms:.0f} ms; {usual}"


def _spelling(wrote: bytes) -> str:
    """Return what is wrong with what should have been JSON, if it looks familiar."""
    shown = wrote.decode(errors="backslashreplace")
    return next((tip for sign, tip in _SPELLINGS if re.match(sign, shown)), "")


def _wall(log: str) -> str:
    """Return what the last lines of a log mean, if they are of a wall that was run into."""
    if missing_module(log):
        return ""  # programs say likewise of a module that is not there, and no wall did that
    return next((tip for said, tip in _WALLS if re.search(said, log[-2000:])), "")


def _wrong_id(seen: Seen) -> str:
    """Return what is wrong with the id of the last answer."""
    asked = _field(seen.asked, "id")
    answered = _field(seen.back, "id")
    if answered is None:
        return "an answer repeats the `id` of its question"
    if isinstance(answered, (str, float)) and str(answered).removesuffix(".0") == str(asked):
        return f"the id is a whole number: send {asked}, not {json.dumps(answered)}"
    if answered in [_field(one.sent, "id") for one in seen.decisions[:-1]]:
        return "it answers an earlier question: one line for each `act`, and none for the rest"
    if isinstance(answered, int) and (answered - asked) % 2**32 == 0:
        return "the id was cut to 32 bits: it needs 64, or a double"
    if isinstance(answered, (int, float)) and abs(answered - asked) <= abs(asked) * 1e-6:
        return "the id was rounded: it needs 53 bits, those of a double or of a 64-bit integer"
    return "an answer repeats the `id` of its question"


def _field(line: bytes, name: str) -> Any:  # noqa: ANN401 - JSON
    try:
        message = json.loads(line)
    except ValueError:
        return None
    return message.get(name) if isinstance(message, dict) else None
