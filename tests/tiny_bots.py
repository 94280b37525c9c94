"""Bots of a few lines for the tests: Python programs that misbehave in one way each.

`program(body, tmp_path)` writes a bot whose ``body`` runs with these names at hand: ``say`` writes
one JSON line, ``hear`` reads one message, ``ready`` shakes hands, and ``acts`` yields the ``act``
messages, leaving by itself at ``quit`` and at the end of the input.
"""

import sys
from pathlib import Path
from textwrap import dedent

from arena.players.process import Program

PRELUDE = """\
import json, os, signal, subprocess, sys, time

def raw(data):
    while data:
        data = data[os.write(1, data):]

def say(**message):
    raw((json.dumps(message, separators=(",", ":")) + "\\n").encode())

def hear():
    line = sys.stdin.buffer.readline()
    if not line:
        sys.exit(0)
    return json.loads(line)

def ready(**more):
    hear()
    say(type="ready", protocol=1, **more)

def acts():
    while (message := hear())["type"] != "quit":
        if message["type"] == "act":
            yield message

def answer(message, index=0):
    say(type="action", id=message["id"], action=message["legal_actions"][index])

"""

HONEST = """\
ready()
for message in acts():
    answer(message)
"""


def program(body: str, folder: Path, name: str = "bot") -> Program:
    """Write the bot ``body`` to a folder of its own and return how to start it."""
    home = folder / name
    home.mkdir(parents=True, exist_ok=True)
    script = home / "bot.py"
    script.write_text(PRELUDE + dedent(body), encoding="utf-8")
    return Program(argv=(sys.executable, "-I", "-S", str(script)), folder=home)
