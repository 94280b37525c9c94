"""A checker of exports from the text of protocol/SPEC.md alone: nothing of arena is used.

It knows no rules, so it cannot tell whether an action was legal; all else it derives.
"""

import base64
import csv
import hashlib
import hmac
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FACES = [*"12233445", "1/5", "1/5", "-1", "-1", "-2", "-2", "loach", "loach"]


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def canonical(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def words(key: bytes, label: str) -> Iterator[int]:
    block = 0
    while True:
        digest = hmac.digest(key, f"{label}/{block}".encode(), "sha256")
        yield from (int.from_bytes(digest[at : at + 4], "big") for at in range(0, 32, 4))
        block += 1


def below(stream: Iterator[int], bound: int) -> int:
    return next(word for word in stream if word < 2**32 - 2**32 % bound) % bound


def shuffled(stream: Iterator[int], cards: list[Any]) -> list[Any]:
    for last in range(len(cards) - 1, 0, -1):
        pick = below(stream, last + 1)
        cards[last], cards[pick] = cards[pick], cards[last]
    return cards


def dealt(key: bytes, record: dict[str, Any]) -> dict[str, Any]:
    players = record["players"]
    label = f"{record['game']}/{record['variant']}/{players}/{record['deal']}"
    if record["game"] == "donburiko":
        deck = [face for face in FACES if players > 2 or face != "1/5"]
        rounds = range(1, len(record["cards"]["rounds"]) + 1)
        return {"rounds": [shuffled(words(key, f"{label}/round-{n}"), deck[:]) for n in rounds]}
    deck = shuffled(words(key, f"{label}/deck"), [*range(2, 25), *range(26, 50)])
    if record["variant"] == "finish":
        used = 3 * players + {2: 4, 3: 3, 4: 2}[players]
        left = len(deck) - used
        place = (left + 1) // 2 + below(words(key, f"{label}/finish"), left // 2 + 1)
        deck.insert(used + place, "finish")
    return {"deck": deck}


def key_differs(facts: dict[str, Any]) -> str | None:
    digest = sha256(canonical(facts["parameters"]))
    if facts["secret"]:
        secret = bytes.fromhex(facts["secret"])
        if sha256(secret) != facts["commitment"]:
            return "commitment"
        public = bytes.fromhex(digest) + (facts["public_value"] or "").encode()
        if sha256(secret + public) != facts["key"]:
            return "key"
    content = (
        f"{facts['name']}/{digest}/{facts['commitment'] or sha256(bytes.fromhex(facts['key']))}"
    )
    if facts["tournament"] != f"{facts['name']}-{sha256(content.encode())[:8]}":
        return "id"
    entries = sorted([entry["bot"], entry["digest"]] for entry in facts["entries"])
    return None if entries == [bot[:2] for bot in facts["parameters"]["bots"]] else "entries"


def record_differs(facts: dict[str, Any], record: dict[str, Any]) -> str | None:
    digests = {entry["bot"]: entry["digest"] for entry in facts["entries"]}
    bots = [seat["bot"] for seat in record["seats"]]
    if record["match"].split("/")[1:] != [str(record["deal"]), "+".join(bots)]:
        return "match"
    if [digests.get(bot) for bot in bots] != [seat["digest"] for seat in record["seats"]]:
        return "seats"
    if dealt(bytes.fromhex(facts["key"]), record) != record["cards"]:
        return "cards"
    expected = {
        "tournament": facts["tournament"],
        "suite": facts["suite"],
        "limits": facts["parameters"]["limits"],
        "tier": facts["parameters"]["tier"],
        "rated": not facts["unrated"],
        "rules_version": facts["parameters"]["rules_versions"][record["game"]],
    }
    return next((name for name, value in expected.items() if record[name] != value), None)


def after_differs(facts: dict[str, Any], record: dict[str, Any], kept: set[Any]) -> str | None:
    """Keep in ``kept`` what processes that may go on have played, by line-up and block."""
    category, _, bots = record["match"].split("/")
    block = record["deal"] // facts["parameters"].get("keep_alive", 1)
    before = tuple(record.get("after", ()))
    if "after" in record and (category, bots, block, before) not in kept:
        return "after"
    kept.discard((category, bots, block, before))
    if not record["faults"]:
        kept.add((category, bots, block, (*before, record["deal"])))
    return None


def bots_differ(facts: dict[str, Any], lines: list[str]) -> str | None:
    for bot in map(json.loads, lines):
        rows = sorted(
            [file["path"], file["mode"], sha256(base64.b64decode(file["content"]))]
            for file in bot["files"]
        )
        entered = {entry["digest"] for entry in facts["entries"]}
        if bot["digest"] not in entered & {f"sha256:{sha256(canonical(rows))}"}:
            return "snapshot"
    return None


def records_differ(facts: dict[str, Any], lines: dict[str, list[str]]) -> str | None:
    records = [json.loads(line) for line in lines["records.jsonl"]]
    played = [record["match"] for record in records]
    whole = facts["finished"] and "comparison" not in facts["parameters"]
    due = [it for it in lines["schedule.txt"] if whole or it in set(played)]
    if due != played or len(played) != len(lines["chain.txt"]):
        return "records"
    link, counts, kept = sha256(facts["tournament"].encode()), Counter[Any](), set[Any]()
    for record, told in zip(records, lines["chain.txt"], strict=True):
        del record["measured"]
        link = sha256(bytes.fromhex(link) + bytes.fromhex(sha256(canonical(record))))
        if found := record_differs(facts, record) or after_differs(facts, record, kept):
            return f"{record['match']}: {found}"
        if told != f"{link}  {record['match']}":
            return f"{record['match']}: chain"
        category, bots = record["match"].split("/")[0], [seat["bot"] for seat in record["seats"]]
        counts.update((category, bot, "matches") for bot in set(bots))
        at_fault = {bots[fault["seat"]] for fault in record["faults"]}
        counts.update((category, bot, "faults") for bot in at_fault)
    for row in csv.DictReader(lines["standings.csv"]):
        for name in ("matches", "faults"):
            if int(row[name]) != counts[row["category"], row["bot"], name]:
                return "standings"
    return None if link == facts["head"] else "head"


def first_difference(folder: Path) -> str | None:
    """Return the first field of an export that does not follow, with its match if it has one."""
    facts = json.loads((folder / "tournament.json").read_text("utf-8"))
    lines = {path.name: path.read_text("utf-8").split("\n")[:-1] for path in folder.iterdir()}
    bots = lines.get("bots.jsonl", [])
    return key_differs(facts) or bots_differ(facts, bots) or records_differ(facts, lines)


if __name__ == "__main__":
    sys.exit(first_difference(Path(sys.argv[1])))
