"""Exports in which one thing was altered, and what names it."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

Alter = Callable[[Path], None]


def rewritten(path: Path, change: Callable[[list[str]], object]) -> None:
    """Change the lines of the file ``path``."""
    lines = path.read_text("utf-8").split("\n")
    change(lines)
    path.write_text("\n".join(lines), "utf-8")


def in_record(change: Callable[[dict[str, Any]], object], *, faulty: bool = False) -> Alter:
    """Return what changes the first record, or the first with a fault, of an export."""

    def change_line(lines: list[str]) -> None:
        at = next(at for at, line in enumerate(lines) if not faulty or '"faults":[{' in line)
        record = json.loads(lines[at])
        change(record)
        lines[at] = json.dumps(record, ensure_ascii=False, separators=(",", ":"))

    return lambda export: rewritten(export / "records.jsonl", change_line)


def in_json(name: str, change: Callable[[Any], object]) -> Alter:
    """Return what changes the JSON file ``name`` of an export."""

    def alter(export: Path) -> None:
        content = json.loads((export / name).read_text("utf-8"))
        change(content)
        (export / name).write_text(json.dumps(content), "utf-8")

    return alter


def in_lines(change: Callable[[list[str]], object], *names: str) -> Alter:
    """Return what changes the lines of the files ``names`` of an export alike."""

    def alter(export: Path) -> None:
        for name in names:
            rewritten(export / name, change)

    return alter


def other(digits: str) -> str:
    return digits[:-1] + ("0" if digits[-1] != "0" else "1")


def swap(items: list[Any], one: int = 0, another: int = 1) -> None:
    items[one], items[another] = items[another], items[one]


def swap_cards(record: dict[str, Any]) -> None:
    cards = record["cards"].get("deck") or record["cards"]["rounds"][0]
    swap(cards, 0, next(at for at, card in enumerate(cards) if card != cards[0]))


def more(record: dict[str, Any], name: str, key: Any) -> None:
    record[name][key] += 1


def put(target: Any, key: Any, value: Any) -> None:
    target[key] = value


RECORDS = ("records.jsonl", "chain.txt")
FACTS = "tournament.json"


def as_one_match(export: Path) -> None:
    """Leave one match of the tournament, and say that it was a single one."""
    in_lines(lambda lines: lines.__delitem__(slice(1, -1)), "schedule.txt", *RECORDS)(export)
    in_json(FACTS, lambda it: it["unrated"].append("a single match"))(export)
    in_json(FACTS, lambda it: it.update(scheduled=1, matches=1))(export)


# (what is altered, what verify names, what the checker of tests/checker.py names)
ALTERED: dict[str, tuple[Alter, str, str | None]] = {
    "a card": (in_record(swap_cards), "cards: card 0 of", "cards"),
    "an action": (
        in_record(lambda it: put(it["actions"], 0, it["actions"][0] | {"action": {}})),
        "action 0: seat 0 may not do that",
        "chain",
    ),
    "who acted": (
        in_record(lambda it: put(it["actions"][1], "seat", 5)),
        "action 1: seat 5 is not to act",
        "chain",
    ),
    "what was sent": (
        in_record(lambda it: put(it["actions"][0], "sent", "0" * 16)),
        "action 0: seat 0 was sent something else: 0000000000000000 is recorded",
        "chain",
    ),
    "an action less": (in_record(lambda it: it["actions"].pop()), "the match goes on", "chain"),
    "a score": (in_record(lambda it: more(it, "scores", 0)), "scores: (", "chain"),
    "a rank": (in_record(lambda it: more(it, "ranks", 1)), "ranks: (", "chain"),
    "the reason": (in_record(lambda it: put(it, "reason", "x")), "reason: 'x' is", "chain"),
    "a fault's code": (
        in_record(lambda it: put(it["faults"][0], "code", "timeout"), faulty=True),
        "chain: ",
        "chain",
    ),
    "a code that is none": (
        in_record(lambda it: put(it["faults"][0], "code", "\x1b[2J"), faulty=True),
        r"no code is called \x1b[2J",
        "chain",
    ),
    "a fault's text": (
        in_record(lambda it: put(it["faults"][0], "text", "nothing"), faulty=True),
        "chain: ",
        "chain",
    ),
    "a fault's seat": (
        in_record(lambda it: put(it["faults"][0], "seat", 7), faulty=True),
        "record: the match goes on after",
        "chain",
    ),
    "a fault less": (
        in_record(lambda it: it["faults"].clear(), faulty=True),
        "the match goes on after",
        "chain",
    ),
    "who sat there": (
        in_record(lambda it: put(it["seats"][0], "bot", "nobody")),
        "seats: seat 0: bot: nobody is recorded",
        "match",
    ),
    "a bot's digest": (
        in_record(lambda it: put(it["seats"][0], "digest", f"sha256:{'0' * 64}")),
        "seats: seat 0: digest: sha256:0000",
        "seats",
    ),
    "the deal": (in_record(lambda it: put(it, "deal", 1)), "deal: 1 is recorded", "match"),
    "the tournament": (
        in_record(lambda it: put(it, "tournament", "x")),
        "tournament: x is recorded",
        "tournament",
    ),
    "a limit": (in_record(lambda it: put(it["limits"], "move_ms", 7)), "limits: ", "limits"),
    "the tier": (in_record(lambda it: put(it, "tier", "strict")), "tier: strict is", "tier"),
    "rated": (in_record(lambda it: put(it, "rated", True)), "rated: true is", "rated"),
    "the rules": (
        in_record(lambda it: put(it, "rules_version", 9)),
        "rules_version: 9 is recorded, 1 follows",
        "rules_version",
    ),
    "the version of arena": (in_record(lambda it: put(it, "arena", "9")), "chain: ", "chain"),
    "a time less": (
        in_record(lambda it: it["measured"]["action_ms"].pop()),
        "not one time for each action",
        None,
    ),
    "an attempt that no database can hold": (
        in_record(lambda it: put(it["measured"], "attempt", 2**63 - 1)),
        "record: not a match record: Expected `int` <= 1000000",
        None,
    ),
    "an attempt below the first": (
        in_record(lambda it: put(it["measured"], "attempt", -7)),
        "record: not a match record: Expected `int` >= 1",
        None,
    ),
    "a time that no clock shows": (
        in_record(lambda it: put(it["measured"], "ms", 1e308)),
        "record: not a match record: Expected `float` <= 1000000000000.0",
        None,
    ),
    "all but one match": (
        as_one_match,
        "schedule: match 1: nothing is recorded",
        "standings",
    ),
    "all categories": (
        in_json(FACTS, lambda it: it["parameters"]["categories"].clear()),
        "parameters: Expected `array` of length >= 1",
        "key",
    ),
    "what is compared": (
        in_json(FACTS, lambda it: put(it["parameters"], "single", ["first", "dice"])),
        "parameters: ",
        "key",
    ),
    "a seat's log less": (
        in_record(lambda it: it["measured"]["stderr"].pop()),
        "measured: seats",
        None,
    ),
    "a field twice": (
        in_lines(lambda lines: put(lines, 0, f'{lines[0][:-1]},"deal":0}}'), "records.jsonl"),
        "record: a field that stands there twice",
        None,
    ),
    "a byte": (
        in_lines(lambda lines: put(lines, 0, lines[0].replace('"', "'", 1)), "records.jsonl"),
        "record: not a match record",
        "ERROR",
    ),
    "a record removed": (in_lines(lambda lines: lines.pop(1), *RECORDS), "record: ", "records"),
    "the last record removed": (
        in_lines(lambda lines: lines.pop(-2), *RECORDS),
        "record: none is recorded, its own follows",
        "records",
    ),
    "a record doubled": (
        in_lines(lambda lines: lines.insert(1, lines[1]), *RECORDS),
        "record: it stands there twice",
        "records",
    ),
    "the order of records": (in_lines(swap, *RECORDS), "record: ", "records"),
    "a link": (
        in_lines(
            lambda lines: put(lines, 1, other(lines[1][:64]) + lines[1][64:]),
            "chain.txt",
        ),
        "chain: ",
        "chain",
    ),
    "a link less": (
        in_lines(lambda lines: lines.pop(-2), "chain.txt"),
        "chain.txt: line",
        "records",
    ),
    "the head": (in_json(FACTS, lambda it: put(it, "head", "0" * 64)), "head of the chain", "head"),
    "the secret": (
        in_json(FACTS, lambda it: put(it, "secret", "0" * 64)),
        "commitment: ",
        "commitment",
    ),
    "the commitment": (
        in_json(FACTS, lambda it: put(it, "commitment", other(it["commitment"]))),
        "commitment: ",
        "commitment",
    ),
    "commitment and secret less": (
        in_json(FACTS, lambda it: it.update(commitment=None, secret=None)),
        "id: ",
        "id",
    ),
    "the key": (in_json(FACTS, lambda it: put(it, "key", other(it["key"]))), "key: ", "key"),
    "the public value": (
        in_json(FACTS, lambda it: put(it, "public_value", "1")),
        "key: ",
        "key",
    ),
    "the id": (in_json(FACTS, lambda it: put(it, "tournament", "autumn-1")), "id: autumn-1", "id"),
    "the name": (in_json(FACTS, lambda it: put(it, "name", "\x1b[2J")), r"\x1b[2J", "id"),
    "a parameter": (
        in_json(FACTS, lambda it: put(it["parameters"]["categories"][0], "deals", 2)),
        "key: ",
        "key",
    ),
    "a parameter more": (
        in_json(FACTS, lambda it: put(it["parameters"], "colour", "red")),
        "parameters: Object contains unknown field `colour`",
        "key",
    ),
    "the order of parameters": (
        in_json(FACTS, lambda it: it["parameters"]["bots"].reverse()),
        "parameters: bots",
        "key",
    ),
    "why it is unrated": (
        in_json(FACTS, lambda it: it["unrated"].clear()),
        "unrated: [] is recorded",
        "rated",
    ),
    "a reason that acts on a terminal": (
        in_json(FACTS, lambda it: it["unrated"].append("\x1b[2J")),
        r"unrated: \x1b[2J is recorded, text that can be shown follows",
        None,
    ),
    "an entry": (
        in_json(FACTS, lambda it: put(it["entries"][0], "digest", f"sha256:{'0' * 64}")),
        "entries: first: sha256:0000",
        "entries",
    ),
    "an entry twice": (
        in_json(FACTS, lambda it: it["entries"].append(it["entries"][0])),
        "entries: 4 is recorded, 3 follows",
        "entries",
    ),
    "the suite": (in_json(FACTS, lambda it: put(it, "suite", "x")), "suite: secret is", "suite"),
    "the number of matches": (
        in_json(FACTS, lambda it: put(it, "matches", 1)),
        "matches: 1 is recorded",
        None,
    ),
    "the schedule": (in_lines(swap, "schedule.txt"), "schedule: match 0", "records"),
    "a match less on the schedule": (
        in_lines(lambda lines: lines.pop(-2), "schedule.txt"),
        "schedule: match",
        "records",
    ),
    "a snapshot": (
        in_lines(
            lambda lines: put(lines, 0, lines[0].replace('"mode":"644"', '"mode":"755"', 1)),
            "bots.jsonl",
        ),
        "snapshot of ",
        "snapshot",
    ),
    "a rating": (
        in_json("standings.json", lambda it: put(it[0], "mu", it[0]["mu"] + 0.01)),
        "standings: donburiko-2p: place 1: mu: ",
        None,
    ),
    "a count": (
        in_lines(
            lambda lines: put(lines, 1, re.sub(r"\d+(,\d+,\d+,true)$", r"99\1", lines[1])),
            "standings.csv",
        ),
        "standings.csv: line 2: ",
        "standings",
    ),
    "a standing less": (
        in_json("standings.json", lambda it: it.pop()),
        "standings: ",
        None,
    ),
    "the suite's file": (
        in_lines(lambda lines: put(lines, 0, ""), "suite.toml"),
        "suite.toml",
        None,
    ),
}
