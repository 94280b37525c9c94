"""Where the command begins: an interrupt that comes while arena is still imported ends it at once.

Importing takes a moment, in which Python would answer Ctrl-C with a traceback.
"""

import signal
from typing import NoReturn

_HANDLED = signal.getsignal(signal.SIGINT) is signal.default_int_handler
"""Not so where whoever started it has it ignore interrupts."""

if _HANDLED:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def main() -> NoReturn:
    """Run the app on the command line's arguments and exit."""
    from arena.cli import app  # noqa: PLC0415 - this is what takes a moment

    if _HANDLED:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    app.main()
