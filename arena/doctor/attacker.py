"""A bot that attacks: it runs the code it is sent, one attack a line, and says what came of it.

It is copied into the sandbox alone, so it imports the standard library and nothing of arena. Each
attack runs in a child of its own, so that one which is killed ends no other.

An attack that is made alone defines ``attack()``, which returns what it got, and maybe ``find()``
for a later process. One that takes two seats defines ``hold()`` and ``drop()`` for the sender, to
set a bit and to clear it, and ``sense()`` for the receiver, which returns a value or several by
name. All find here, beside `call`, `libc` and `GOT`: ``decoy``, the facts that an author could
know; ``name``, that of the probe; and ``peer``, the process id of the other seat as that sees it.
"""

import ctypes
import importlib
import json
import os
import signal
from collections.abc import Callable
from typing import Any

# Attacks import what they need; here it is loaded once for all of them.
for _module in ("fcntl", "mmap", "re", "resource", "socket", "struct", "subprocess", "threading"):
    importlib.import_module(_module)

GOT = "got it"
"""What an attack returns that has done what it tried, and has nothing else to show for it."""

_LONGEST_S = 8
_CHUNK = 65536
_SHOWN = 200

libc = ctypes.CDLL(None, use_errno=True)
numbers: dict[str, int] = {}
"""Numbers of system calls by name, for this machine."""


def call(name: str | int, *words: Any) -> int:  # noqa: ANN401 - whatever ctypes takes
    """Make a system call, by its name or number.

    Raises:
        OSError: what the kernel answered.
    """
    number = numbers[name] if isinstance(name, str) else name
    made = [ctypes.c_long(word) if isinstance(word, int) else word for word in words]
    answer: int = libc.syscall(ctypes.c_long(number), *made)
    if answer == -1:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return answer


def hear() -> dict[str, Any] | None:
    """Return the next order, ``None`` at the end."""
    line = b""
    while not line.endswith(b"\n"):
        more = os.read(0, _CHUNK)
        if not more:
            return None
        line += more
    order: dict[str, Any] = json.loads(line)
    return order


def say(**message: Any) -> None:  # noqa: ANN401 - JSON
    """Answer an order."""
    line = (json.dumps(message) + "\n").encode()
    while line:
        line = line[os.write(1, line) :]


def perform(function: Callable[[], Any]) -> None:
    """Answer with what ``function`` returns, or with what it ran into."""
    signal.alarm(_LONGEST_S)
    try:
        got = function()
    except OSError as error:
        say(why=error.strerror or str(error))
    except BaseException as error:  # noqa: BLE001 - attacks fail in any way
        say(why=f"{type(error).__name__}: {error}"[:_SHOWN])
    else:
        say(got=got)
    signal.alarm(0)


def serve(order: dict[str, Any]) -> None:
    """Carry out ``order`` in this process, a child made for it."""
    names: dict[str, Any] = dict(globals())
    names |= {"decoy": order["decoy"], "name": order["name"], "peer": order.get("peer", 0)}
    try:
        exec(order["code"], names)  # noqa: S102 - that is the point
    except BaseException as error:  # noqa: BLE001 - attacks fail in any way
        say(why=f"{type(error).__name__}: {error}"[:_SHOWN])
        return
    if order["do"] == "attack":
        perform(names[order["function"]])
        return
    say(got=os.getpid())
    while (further := hear()) is not None and further["do"] != "close":
        perform(names[further["do"]])
    # Nothing that it started may disturb the next one.
    perform(names["drop"])


def main() -> None:
    """Carry out one order after the other."""
    while (order := hear()) is not None:
        numbers.update(order["numbers"])
        child = os.fork()
        if child == 0:
            try:
                serve(order)
            finally:
                os._exit(0)
        _, status = os.waitpid(child, 0)
        if status != 0:
            say(why=f"was ended by {signal.Signals(os.WTERMSIG(status)).name}")


if __name__ == "__main__":
    main()
