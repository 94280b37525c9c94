"""A bot that attacks: it runs the code it is sent, one attack a line, and says what came of it.

It is copied into the sandbox alone, so it imports the standard library and nothing of arena. Each
attack runs in a child of its own, so that one which is killed ends no other.

The code of an attack on its own defines ``attack()`` and returns what it got; one that two seats
share defines ``hold()`` and ``drop()`` for the sender, ``sense()`` for the receiver. All find here
what they need: these imports, `call`, `libc`, and ``decoy``, the facts that an author could know.
"""

import ctypes
import importlib
import json
import os
import signal

# Attacks import what they use; so it is loaded once.
for _name in ("fcntl", "mmap", "resource", "select", "socket", "struct", "subprocess", "threading"):
    importlib.import_module(_name)

GOT = "got it"
"""What an attack returns that has done what it tried, and has nothing to show for it."""

_LONGEST_S = 8
_CHUNK = 65536

libc = ctypes.CDLL(None, use_errno=True)
numbers = {}
"""Numbers of system calls by name, for this machine."""


def call(name, *words):
    """Make the system call ``name``; an error is an `OSError`."""
    made = [ctypes.c_long(word) if isinstance(word, int) else word for word in words]
    number = numbers[name] if isinstance(name, str) else name
    answer = libc.syscall(ctypes.c_long(number), *made)
    if answer == -1:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return answer


def hear():
    """Return the next order, ``None`` at the end."""
    line = b""
    while not line.endswith(b"\n"):
        more = os.read(0, _CHUNK)
        if not more:
            return None
        line += more
    return json.loads(line)


def say(**message):
    """Answer an order."""
    line = (json.dumps(message) + "\n").encode()
    while line:
        line = line[os.write(1, line) :]


def perform(function):
    """Answer with what ``function`` returns, or with why it failed."""
    signal.alarm(_LONGEST_S)
    try:
        got = function()
    except OSError as error:
        say(why=error.strerror or str(error))
    except BaseException as error:
        say(why=f"{type(error).__name__}: {error}"[:200])
    else:
        say(got=got)
    signal.alarm(0)


def serve(order):
    """Carry out ``order`` in this process, a child made for it."""
    os.setpgid(0, 0)
    names = dict(globals(), decoy=order["decoy"], peer=order.get("peer", 0), name=order["name"])
    try:
        exec(order["code"], names)
    except BaseException as error:
        say(why=f"{type(error).__name__}: {error}"[:200])
        return
    if order["do"] == "attack":
        perform(names[order["function"]])
        return
    say(got=os.getpid())
    while (order := hear()) is not None and order["do"] != "close":
        perform(names[order["do"]])
    say(got=None)


def main():
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
        try:
            os.killpg(child, signal.SIGKILL)
        except OSError:
            pass
        if status != 0:
            say(why=f"was ended by {signal.Signals(os.WTERMSIG(status)).name}")


if __name__ == "__main__":
    main()
